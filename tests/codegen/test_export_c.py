"""C source: compiled by gcc it gives the bits of the native kernel, and no name of a file gets into it."""

import ctypes
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.codegen import native
from rikigaku.errors import UnknownName, WrongValue

LAWS = (
    "inverse_dynamics",
    "mass_matrix",
    "forward_dynamics",
    "gravity_forces",
    "kinetic_energy",
    "coriolis_matrix",
)


@pytest.fixture(scope="module")
def panda() -> rk.Robot:
    return rk.load("panda")


@pytest.mark.parametrize("law", LAWS)
def test_compiled_c_gives_the_bits_of_the_native_kernel(law: str, panda: rk.Robot, tmp_path: Path) -> None:
    bound = getattr(panda, law)
    function = compiled(bound.export("c", name="law"), tmp_path)
    rng = np.random.default_rng(0)
    for scale in (1.0, 50.0, 1e5):  # the last beyond the polynomials of sine and cosine
        inputs = list(scale * rng.uniform(-1, 1, (len(bound.law.inputs), panda.nv)))
        wanted = bound(*inputs)
        out = np.full(np.shape(wanted), 7.0)
        function(*(ctypes.c_void_p(x.ctypes.data) for x in (*inputs, out)))
        assert out.tobytes() == np.asarray(wanted).tobytes()


def test_the_text_is_written_where_asked(panda: rk.Robot, tmp_path: Path) -> None:
    text = panda.gravity_forces.export("c", tmp_path / "g.c")
    assert (tmp_path / "g.c").read_text() == text
    assert "void panda_gravity_forces(const double *in0, double *out0)" in text


def test_names_from_files_cannot_leave_the_comment(panda: rk.Robot) -> None:
    evil = "l*/ int evil(void) { return 1; } /*"
    links = tuple(
        replace(link, name=evil if link.name == "panda_link7" else link.name) for link in panda.links
    )
    links = tuple(replace(x, parent=evil if x.parent == "panda_link7" else x.parent) for x in links)
    frames = tuple(replace(x, link=evil if x.link == "panda_link7" else x.link) for x in panda.frames)
    robot = replace(panda, links=links, frames=frames)
    text = robot.inverse_dynamics.export("c", name="law", wrenches={evil: np.zeros(6)})
    assert text.count("*/") == text.count("/*") == 2
    assert "evil(void)" not in text


def test_names_that_c_cannot_take_and_languages_that_are_not_there_are_refused(panda: rk.Robot) -> None:
    for name in ("1law", "la w", "double", "law;"):
        with pytest.raises(WrongValue, match="cannot be the name of a function"):
            panda.gravity_forces.export("c", name=name)
    with pytest.raises(UnknownName, match="Known: c"):
        panda.gravity_forces.export("fortran")


def compiled(source: str, folder: Path) -> object:
    compiler = shutil.which("gcc") or shutil.which("cc")
    assert compiler, "the tests of exported C need a C compiler"
    (folder / "law.c").write_text(source)
    flags = ["-mfma"] if native.host().has("fma") else []
    command = [compiler, "-O2", "-Wall", "-Werror", "-ffp-contract=off", *flags, "-shared", "-fPIC"]
    subprocess.run([*command, "-o", str(folder / "law.so"), str(folder / "law.c"), "-lm"], check=True)
    return ctypes.CDLL(str(folder / "law.so")).law
