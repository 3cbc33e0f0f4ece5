"""Exported C: compiled, it gives the bits of the native kernel."""

import ctypes
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from export_cases import (
    Case,
    arrays_of,
    compiler,
    difficult_cases,
    every_law,
    five_bar,
    looped_case,
    puma,
    run,
    same_bits,
)

from rikigaku.compiler import native_code

# With -mfma GCC makes one instruction of -fma(x, y, z), and loses the sign of a zero.
FMA = ["-mfma"] if native_code.host().has("fma") else []
STRICT = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-shared", "-fPIC"]


def test_c_of_every_law_of_the_puma_gives_the_native_bits(tmp_path: Path) -> None:
    check_c(every_law(puma()), tmp_path, "-O1", "-std=c99", "-pedantic")


def test_c_of_every_law_of_a_closed_mechanism_gives_the_native_bits(tmp_path: Path) -> None:
    check_c(every_law(five_bar()), tmp_path, "-O1")


def test_c_gives_the_native_bits_where_the_compiler_would_fuse_by_itself(tmp_path: Path) -> None:
    cases = [difficult_cases()[k] for k in (0, 1, 2, 4, 6, 8)]
    check_c(cases, tmp_path, "-O2", "-std=gnu17", "-ffp-contract=fast", *FMA)


def test_c_of_a_program_with_a_loop_gives_the_native_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looped = looped_case(monkeypatch)
    check_c([looped], tmp_path, "-O2")
    text = looped.export("c")
    assert text.count("static void loop_body1(") == 1
    assert text.count("loop_body1(shared1, item") > 1


def test_beyond_the_polynomials_the_c_library_gives_the_same_sines(tmp_path: Path) -> None:
    gravity = puma().gravity_forces
    states = [scale * np.linspace(-1, 1, 6) for scale in (50.0, 9999.0, 1e5, 1e300)]
    check_c([Case(gravity, [q], [gravity(q)]) for q in states], tmp_path, "-O2")


def test_an_output_may_be_the_array_of_an_input(tmp_path: Path) -> None:
    """Everything is read before anything is written."""
    law = puma().integrate
    q, v = np.random.default_rng(0).uniform(-1, 1, (2, 6))
    wanted = law(q, v)
    library = built([Case(law, [q, v], [wanted])], tmp_path, "-O2")
    library.law0(*(ctypes.c_void_p(x.ctypes.data) for x in (q, v, q)))
    assert q.tobytes() == wanted.tobytes()


def test_c_and_its_header_are_written_side_by_side_and_fit(tmp_path: Path) -> None:
    text = puma().mass_matrix.export("c", tmp_path / "mass.c")
    assert (tmp_path / "mass.c").read_text() == text
    assert (tmp_path / "mass.h").read_text() == puma().mass_matrix.export("c header")
    call = '#include "mass.h"\n#include "mass.h"\n{} f(void) {{ double q[6] = {{0}}, M[36]; {}(q, M); }}\n'
    (tmp_path / "use.c").write_text(f'#include "mass.c"\n{call.format("void", "puma560_mass_matrix")}')
    (tmp_path / "use.cpp").write_text(call.format("void", "puma560_mass_matrix"))
    run(
        [
            *compiler("gcc", "cc"),
            "-Wall",
            "-Werror",
            "-c",
            str(tmp_path / "use.c"),
            "-o",
            str(tmp_path / "a.o"),
        ]
    )
    run(
        [
            *compiler("g++", "c++"),
            "-Wall",
            "-Werror",
            "-c",
            str(tmp_path / "use.cpp"),
            "-o",
            str(tmp_path / "b.o"),
        ]
    )


def test_a_header_of_another_export_is_refused_by_the_compiler(tmp_path: Path) -> None:
    """As a kill between the renames of the two files leaves them."""
    puma().mass_matrix.export("c", tmp_path / "law.c", name="law")
    command = [*compiler("gcc", "cc"), "-fsyntax-only", str(tmp_path / "law.c")]
    run(command)
    old = (tmp_path / "law.h").read_text()
    puma().gravity_forces.export("c", tmp_path / "law.c", name="law")
    run(command)
    (tmp_path / "law.h").write_text(old)
    failed = subprocess.run(command, capture_output=True, text=True)
    assert failed.returncode != 0
    assert "law.h is of another export than this file" in failed.stderr
    (tmp_path / "law.h").unlink()
    run(command)  # the C file needs no header


def check_c(cases: Sequence[Case], folder: Path, *flags: str) -> None:
    library = built(cases, folder, *flags)
    for k, case in enumerate(cases):
        assert same_bits(arrays_of(library[f"law{k}"], case), case, "-mfma" not in flags), case.law


def built(cases: Sequence[Case], folder: Path, *flags: str) -> ctypes.CDLL:
    files = [folder / f"law{k}.c" for k in range(len(cases))]
    for file, case in zip(files, cases, strict=True):
        case.export("c", file, file.stem)
    target = str(folder / "laws.so")
    run([*compiler("gcc", "cc"), *flags, *STRICT, "-o", target, *map(str, files), "-lm"])
    return ctypes.CDLL(target)
