"""Inverse kinematics and loop closures in other languages: the configurations that `solve` finds."""

import subprocess
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import NotSolvable, WrongValue

pytestmark = pytest.mark.filterwarnings("ignore::rikigaku.core.errors.UnphysicalInertiaWarning")


def python_function(text: str) -> Any:
    """The function of an exported module; the text is our own."""
    name = text.split("\ndef ")[-1].split("(")[0]
    module: dict[str, Any] = {}
    exec(text, module)
    return module[name]


@pytest.mark.parametrize("name", ["puma560", "scara", "stanford", "ur5"])
def test_exported_inverse_kinematics_gives_every_branch(name: str) -> None:
    robot = rk.load(name)
    ik = robot.inverse_kinematics_formulas("hand")
    function = python_function(ik.export("python"))
    q = np.random.default_rng(1).uniform(-1.2, 1.2, (20, robot.nq))
    values = {x: 0.4 + 0.1 * k for k, x in enumerate(robot.free_symbols)}
    T = robot.pose(q, "hand", **values)
    wanted = ik.solve(T, **values)
    symbols = [values[x] for x in ik.geometric_symbols]
    with np.errstate(divide="raise", invalid="raise"):  # absent branches are NaN without a warning
        found, error, radicand = function(T[:, :3, 3], T[:, :3, :3], *symbols)
    assert found.shape == wanted.q.shape
    np.testing.assert_array_equal(np.isfinite(found).all(axis=-1), wanted.valid)
    np.testing.assert_allclose(error[wanted.valid], 0, atol=1e-8)
    assert wanted.valid.any(axis=-1).all()
    assert (radicand[wanted.valid] > -1e-9).all()
    np.testing.assert_allclose(found[wanted.valid], wanted.q[wanted.valid], atol=1e-9)


def test_a_pose_out_of_reach_has_a_negative_radicand() -> None:
    scara = rk.load("scara")
    function = python_function(scara.inverse_kinematics_formulas("hand").export("python"))
    with np.errstate(divide="raise", invalid="raise"):  # absent branches are NaN without a warning
        q, error, radicand = function([3.0, 0.0, 0.5], np.eye(3), 0.5, 0.4)
        tilted, tilt, _ = function([0.6, 0.3, 0.5], np.diag([1.0, -1.0, -1.0]), 0.5, 0.4)
    assert (radicand < 0).all()
    assert np.isnan(q).all()
    np.testing.assert_allclose(error, 2.1, atol=1e-12)  # the arm is 0.9 m long
    assert np.isnan(tilted).all()  # a SCARA keeps its hand level: a condition that no radicand shows
    np.testing.assert_allclose(tilt, 2.0, atol=1e-12)


@pytest.mark.parametrize("name", ["five_bar", "rosam_loop", "four_bar"])
def test_exported_loop_closures_hold_every_closed_configuration(name: str) -> None:
    robot = rk.load(name)
    loops = robot.loop_constraints(explicit=True)
    function = python_function(loops.export("python"))
    q = robot.closure().samples[0]
    own = {loops.coordinates[k]: float(q[k]) for k in loops.independent}
    symbols = {"L": 0.4} if name == "rosam_loop" else {}
    wanted = loops.configurations(own, **symbols)
    with np.errstate(divide="raise", invalid="raise"):  # absent branches are NaN without a warning
        rows, error, radicand = function(list(own.values()), *symbols.values())
    closed = np.isfinite(rows).all(axis=-1)
    assert len(wanted)
    assert (error[closed] < 1e-8).all()
    assert (radicand[closed] > -1e-9).all()
    for configuration in wanted:
        gaps = [np.abs(np.exp(1j * (row - configuration)) - 1).max() for row in rows[closed]]
        assert min(gaps) < 1e-7
    for row in rows[closed]:  # and no others
        assert min(np.abs(np.exp(1j * (row - x)) - 1).max() for x in wanted) < 1e-7


@pytest.mark.parametrize("language", ["c", "c++", "rust", "julia", "matlab", "latex", "markdown"])
def test_every_language_has_atan2(language: str) -> None:
    text = rk.load("planar_3r").inverse_kinematics_formulas("hand").export(language)
    assert ("atan(" if language == "julia" else "atan2") in text


def test_exported_c_is_compiled_and_agrees(tmp_path: Path) -> None:
    ik = rk.load("planar_3r").inverse_kinematics_formulas("hand")
    ik.export("c", tmp_path / "ik.c", name="ik")
    main = """#include "ik.h"
#include <stdio.h>
int main(void) {
    const double p[2] = {0.3, 0.6};
    double q[6], error[2], radicand[2];
    ik(p, 0.4, 0.5, 0.4, 0.2, q, error, radicand);
    for (int k = 0; k < 6; ++k) printf("%.17g\\n", q[k]);
}
"""
    (tmp_path / "main.c").write_text(main)
    compiler = next(x for x in ("gcc", "cc", "clang") if which(x))
    program = tmp_path / "ik"
    subprocess.run([compiler, "main.c", "ik.c", "-lm", "-o", str(program)], cwd=tmp_path, check=True)
    printed = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    wanted = ik.solve([0.3, 0.6, 0.4], l1=0.5, l2=0.4, l3=0.2).q
    np.testing.assert_allclose(np.array(printed.split(), float).reshape(2, 3), wanted, atol=1e-9)


def test_a_file_of_an_object_is_refused(tmp_path: Path) -> None:
    ik = rk.load("planar_3r").inverse_kinematics_formulas("hand")
    assert set(ik.export("sympy").outputs) == {"q", "error", "radicand"}
    with pytest.raises(WrongValue, match="gives an object"):
        ik.export("sympy", tmp_path / "ik.py")
    with pytest.raises(WrongValue, match="names a file"):
        ik.export("c", ".")


# -- as books print it ------------------------------------------------------------------------------------
def test_two_links_are_solved_by_the_cosine_law() -> None:
    text = str(rk.load("planar_3r").inverse_kinematics_formulas("hand")).splitlines()
    assert "  c2 = (wrist_x**2 + wrist_y**2 - l1**2 - l2**2)/(2*l1*l2)" in text
    assert "  s2 = ±sqrt(1 - c2**2)" in text
    assert "  q2 = atan2(s2, c2)" in text
    assert text[-1] == "  q3 = phi - q1 - q2"
    assert len(text) == 9
    scara = rk.load("scara").inverse_kinematics_formulas("hand")
    assert str(scara).endswith("q4 = atan2(-r12, r11) - q1 - q2")
    assert r"q_{4} &= \operatorname{atan2}\left(-r_{12},\; r_{11}\right) - q_{1} - q_{2}" in scara.latex()


def test_a_sum_of_angles_is_the_angle_that_is_computed() -> None:
    for name in ("planar_3r", "scara", "rosam_loop", "three_rrr"):
        ik = rk.load(name).inverse_kinematics_formulas(rk.load(name).frame_names[-1])
        shown = [step for step in ik.shown_steps if type(step).__name__ == "AngleSum"]
        assert shown, name
        for step in shown:
            (own,) = (s for s in ik.steps if s.name == step.name)
            check_sum(ik, own, step)


def check_sum(ik: Any, own: Any, shown: Any) -> None:
    """At random values of everything, in floats, step by step."""
    from rikigaku.numbers.number_kind import FLOATS

    rng = np.random.default_rng(3)
    at = {
        x: rng.uniform(0.2, 0.9)
        for step in ik.steps
        for f in vars(step).values()
        for x in getattr(f, "symbols", ())
    }
    for step in ik.steps:
        match type(step).__name__:
            case "Definition":
                at[step.name] = step.formula.evaluate(FLOATS, at)
            case "Root":
                at[step.name] = np.sqrt(abs(step.radicand.evaluate(FLOATS, at)))
            case "Angle":
                y, x = step.y.evaluate(FLOATS, at), step.x.evaluate(FLOATS, at)
                at[step.name] = np.arctan2(y, x)
                if str(step.y) in at and str(step.x) in at:  # a sine and cosine by name: on the circle
                    at[str(step.y)], at[str(step.x)] = np.sin(at[step.name]), np.cos(at[step.name])
            case "Displacement":
                at[step.name] = step.value.evaluate(FLOATS, at)
    first = 0.0 if shown.y is None else np.arctan2(shown.y.evaluate(FLOATS, at), shown.x.evaluate(FLOATS, at))
    angle = first + shown.rest.evaluate(FLOATS, at)
    assert np.exp(1j * (angle - at[own.name])) == pytest.approx(1)


def test_an_arm_without_formulas_shows_its_polynomial() -> None:
    def link(number: int, **dh: object) -> rk.Link:
        parent = f"l{number - 1}" if number > 1 else "base"
        return rk.Link(f"l{number}", parent, rk.Joint(f"q{number}"), rk.ModifiedDH(**dh))

    links = (link(1), link(2, alpha="pi/2", a=0.3, d=0.1), link(3, alpha="pi/2", a=0.4, d=0.2))
    skew = rk.Robot("skew", links, frames=(rk.Frame("hand", "l3", rk.ModifiedDH(a=0.5)),))
    with pytest.raises(NotSolvable, match=r"degree 4 in tan\(q1/2\)") as caught:
        skew.inverse_kinematics_formulas("hand")
    first, last = caught.value.equation.splitlines()
    assert first == "t = tan(q1/2)"
    from rikigaku.numbers.formula_parser import parse
    from rikigaku.numbers.number_kind import FLOATS

    q = np.array([0.3, -0.7, 1.1])
    p = skew.pose(q, "hand")[:3, 3]
    polynomial = parse(last.removesuffix(" = 0"), longest=len(last))
    values = dict(zip(("px", "py", "pz"), p, strict=True)) | {"t": np.tan(0.15)}
    assert polynomial.evaluate(FLOATS, values) == pytest.approx(0, abs=1e-12)
    assert abs(polynomial.evaluate(FLOATS, values | {"t": 0.9})) > 1e-3


def test_webassembly_has_atan2_by_elementary_operations() -> None:
    module = rk.load("planar_3r").inverse_kinematics_formulas("hand").export("wasm")
    assert module.startswith(b"\0asm")
