"""Closed robots as formulas: rows that count, the constraint Jacobian, M, h, g, tau, explicit relations."""

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from linkages import four_bar, geared_arm, hybrid, projected, slider_crank

import rikigaku as rk
from rikigaku.core.errors import NoFormula, TooLarge
from rikigaku.numbers.exact_number import Exact
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot
from rikigaku.symbolic.formulas.exact_formula import ExactFormula
from rikigaku.symbolic.loops.closed_configuration import consistent_state
from rikigaku.symbolic.loops.explicit_configurations import Relation
from rikigaku.symbolic.loops.loop_constraints import LoopConstraints, loop_constraints

ROBOTS = ("rosam_loop", "four_bar", "five_bar", "three_rrr", "stewart", "bars", "slider crank", "geared")
FORMULAS = ("rosam_loop", "four_bar", "five_bar", "bars", "slider crank", "geared")
MOBILITY = dict(zip(ROBOTS, (3, 1, 2, 3, 6, 1, 1, 1), strict=True))
ROWS = dict(zip(ROBOTS, (2, 2, 2, 4, 18, 2, 2, 1), strict=True))


@cache
def robot(name: str) -> Robot:
    own = {"bars": four_bar, "slider crank": slider_crank, "geared": geared_arm}
    return own[name]() if name in own else rk.load(name)


@cache
def constraints(name: str) -> LoopConstraints:
    return loop_constraints(robot(name))


def numbers(x: object) -> np.ndarray:
    return np.array(x, dtype=float)


def closed(name: str, seed: int = 1) -> np.ndarray:
    """A closed configuration."""
    return np.array([float(x) for x in consistent_state(robot(name), seed).q])


@pytest.mark.parametrize("name", ROBOTS)
def test_mobility_is_that_of_the_mechanism(name: str) -> None:
    c = constraints(name)
    assert (c.mobility, len(c.rows)) == (MOBILITY[name], ROWS[name])
    assert len(c.rows) + len(c.dropped) == len(robot(name).loop_rows())
    J = robot(name).loop_jacobian(closed(name))
    assert np.linalg.matrix_rank(J, tol=1e-9) == len(c.rows)  # numeric SVD, all rows
    assert np.linalg.matrix_rank(J[[row.place for row in c.rows]], tol=1e-9) == len(c.rows)


def test_the_constraints_of_the_paper_come_out() -> None:
    c = constraints("rosam_loop")
    x = "2*L*cos(theta11)*cos(theta31) + d21*sin(theta11) - 2*L*sin(theta11)*sin(theta31) - d22*sin(theta12)"
    y = "2*L*sin(theta11)*cos(theta31) + 2*L*sin(theta31)*cos(theta11) - d21*cos(theta11) + d22*cos(theta12)"
    assert [str(c.written(row.formula)) for row in c.rows] == [x, y]  # the y row with the opposite sign
    assert [(row.name, row.why) for row in c.dropped] == [
        ("cut: gap z", "0 = 0"),
        ("cut: x.z", "0 = 0"),
        ("cut: y.z", "0 = 0"),
    ]
    assert "mobility 3, independent theta11, d21, theta31" in repr(c)
    assert "gap x:  2*L*cos(theta11 + theta31) + d21*sin(theta11) - d22*sin(theta12) = 0" in repr(c)


def test_the_printed_terms_of_the_first_torque_come_out() -> None:
    by = robot("rosam_loop").reduced.inverse_dynamics.symbolic[0].collect("parameters")
    written = {name: str(x.formula) for name, x in by.items()}
    assert written["msx21"] == "-d21_ddot"
    assert "- d21_ddot*cos(theta31)" in written["msx31"]
    assert "+ d21_ddot*sin(theta31)" in written["msy31"]
    assert "- 2*d21*theta11_ddot*cos(theta31)" in written["msy31"]
    assert written["msy31"].endswith("- 2*d21_dot*theta11_dot*cos(theta31)")


def test_a_point_mass_at_the_cut_pin_may_be_booked_on_either_link() -> None:
    # the relation the paper missed: w(m22) = w(m21) + 2 L w(msx31) + 4 L^2 w(Izz31), in every torque
    c = constraints("rosam_loop")
    for tau in robot("rosam_loop").reduced.inverse_dynamics.symbolic:
        L = ExactFormula(c.state.ring.variable("L"), tau.context)
        w = tau.collect("parameters")
        right = w.get("m21", 0) + 2 * L * w.get("msx31", 0) + 4 * L * L * w.get("Izz31", 0)
        assert c.ideal.reduced((w["m22"] - right).number.numerator) == 0


@pytest.mark.parametrize("name", [*FORMULAS, "three_rrr"])
def test_the_constraint_jacobian_moves_the_loops_along(name: str) -> None:
    c = constraints(name)
    for seed in (1, 2):
        q = closed(name, seed)
        Jc = c.value(c.jacobian, q)
        P = np.zeros((robot(name).nv, c.mobility))
        P[list(c.independent)], P[list(c.dependent)] = np.eye(c.mobility), Jc
        assert np.abs(robot(name).loop_jacobian(q) @ P).max() < 1e-9 * max(1, np.abs(P).max())


@pytest.mark.parametrize("name", FORMULAS)
def test_closed_formulas_are_the_projected_numeric_laws(name: str) -> None:
    c, rng = constraints(name), np.random.default_rng(5)
    v, a = rng.uniform(-1, 1, (2, c.mobility))
    for seed in (1, 2):
        q = closed(name, seed)
        tau, M = projected(robot(name), q, v, a, c.independent)
        k = robot(name).reduced
        scale = max(1, np.abs(tau).max())
        found = numbers(k.inverse_dynamics.formulas(friction=False).value(q=q, v=v, a=a))
        np.testing.assert_allclose(found, tau, rtol=0, atol=1e-9 * scale)
        found = numbers(k.mass_matrix.symbolic.value(q=q))
        np.testing.assert_allclose(found, M, rtol=0, atol=1e-9 * np.abs(M).max())
        parts = numbers(k.velocity_forces.symbolic.value(q=q, v=v) + k.gravity_forces.symbolic.value(q=q))
        np.testing.assert_allclose(M @ a + parts, tau, rtol=0, atol=1e-9 * scale)


@pytest.mark.parametrize("name", ["rosam_loop", "bars"])
def test_the_regressor_of_the_closed_robot_gives_its_forces(name: str) -> None:
    c = constraints(name)
    q, v = closed(name), np.linspace(-1, 1, c.mobility) + 0.3
    rates = np.zeros(robot(name).nv)
    rates[list(c.independent)] = v
    found = robot(name).base_parameters()
    W = numbers(found.regressor.symbolic.value(q=q, v=rates, a=rates))
    tau = numbers(robot(name).reduced.inverse_dynamics.symbolic.value(q=q, v=v, a=v))
    np.testing.assert_allclose(W @ found.base_values(), tau, rtol=0, atol=1e-9)


def test_closed_forces_do_the_work_the_energy_takes() -> None:
    # d(T + U)/dt = tau . v along a motion of the four-bar, by differences: no projection in the oracle
    c, bars = constraints("bars"), robot("bars")
    h, v, a = 1e-4, 1.3, -0.7

    def configuration(t: float) -> np.ndarray:
        crank = 0.4 + v * t + a * t * t / 2
        return next(q for q in c.configurations({"crank_angle": crank}) if q[2] > 0)

    def energy(t: float) -> float:
        rate = (configuration(t + h) - configuration(t - h)) / (2 * h)
        return float(bars.kinetic_energy(configuration(t), rate) + bars.potential_energy(configuration(t)))

    power = (energy(h) - energy(-h)) / (2 * h)
    tau = bars.reduced.inverse_dynamics.symbolic.value(q=configuration(0), v=[v], a=[a])
    assert tau[0] * v == pytest.approx(power, rel=1e-6)


@pytest.mark.parametrize("name", FORMULAS)
def test_explicit_relations_give_closed_configurations_and_all_of_them(name: str) -> None:
    c = constraints(name)
    for seed in (1, 2, 3):
        q = closed(name, seed)
        chosen = {
            joint.name: q[robot(name).q_slices[joint.name]]
            for joint in robot(name).joints
            if robot(name).v_slices[joint.name].start in c.independent
        }
        found = c.configurations(chosen)
        assert all(np.abs(robot(name).loop_residual(x)).max() < 1e-9 for x in found)
        turned = (found - q + np.pi) % (2 * np.pi) - np.pi  # angles are equal up to whole revolutions
        slides = [k for k, joint in enumerate(robot(name).joints) if joint.type == "prismatic"]
        turned[:, slides] = (found - q)[:, slides]
        if name == "geared":
            turned = found - q
        assert np.abs(turned).max(axis=1).min() < 1e-6
        assert len(found) == (1 if name == "geared" else 2)  # both assembly modes


def test_the_slide_of_the_second_arm_is_the_printed_formula() -> None:
    slide, angle = constraints("rosam_loop").explicit
    assert str(slide) == "d22 = +-sqrt(4*L**2 + d21**2 - 4*L*d21*sin(theta31))"
    assert slide.branches == 2
    assert angle.branches == 1
    assert str(angle).startswith("sin(theta12) = ")


def test_a_slider_crank_has_the_textbook_formula_with_both_signs() -> None:
    relations = {relation.name: relation for relation in constraints("slider crank").explicit}
    r, l, angle = 0.3, 0.7, 0.8
    found = sorted(q[2] for q in constraints("slider crank").configurations({"crank_angle": angle}))
    root = np.sqrt(l**2 - (r * np.sin(angle)) ** 2)
    assert found == pytest.approx([r * np.cos(angle) - root, r * np.cos(angle) + root], abs=1e-12)
    assert relations["slide"].branches * relations["rod_angle"].branches == 2
    longer = constraints("slider crank").configurations({"crank_angle": angle}, r=0.3, l=0.9)
    assert max(q[2] for q in longer) == pytest.approx(
        0.3 * np.cos(angle) + np.sqrt(0.81 - 0.09 * np.sin(angle) ** 2)
    )


def test_the_rocker_of_a_quick_return_has_no_constant_in_its_formula() -> None:
    """tan(x) = -b/a has the solutions x and x + pi."""
    rocker = Relation("x", "q[1]", "angle", Formula.symbol("a"), Formula.symbol("b"), Formula.of(0))
    assert (
        str(rocker)
        == "sin(x) = +-B_x/W_x, cos(x) = -+A_x/W_x with A_x = a, B_x = b, W_x = sqrt(A_x**2 + B_x**2)"
    )
    assert rocker.latex()[2:] == [
        r"W_{x} &= \pm\sqrt{A_{x}^{2} + B_{x}^{2}}",
        r"\sin(x) &= \frac{B_{x}}{W_{x}}",
        r"\cos(x) &= -\frac{A_{x}}{W_{x}}",
    ]


def test_a_parallelogram_has_two_assembly_modes() -> None:
    bars = four_bar("0.5", "1", "0.5", "1")
    found = loop_constraints(bars, linear=False).configurations({"crank_angle": 0.7})
    assert any(np.allclose(q, [0.7, -0.7, 0.7]) for q in found)
    assert len(found) == 2
    default = loop_constraints(bars)
    assert default.relations == ("coupler_angle = -crank_angle", "rocker_angle = crank_angle")
    assert np.abs(default.configurations({"crank_angle": 0.7}) - [0.7, -0.7, 0.7]).max() < 1e-15


def test_where_no_closed_configuration_is_there_is_no_row() -> None:
    c = loop_constraints(
        four_bar("0.4", "0.5", "0.3", "0.9")
    )  # not Grashof: the crank cannot turn right round
    assert c.configurations({"crank_angle": np.pi}).shape == (0, 3)


def test_coordinates_without_formula_are_named() -> None:
    with pytest.raises(NoFormula, match=r"elbow1, elbow2, elbow3, corner1.*'cut2: gap x'"):
        robot("three_rrr").loop_constraints(explicit=True, time_limit=0)


def test_legs_of_a_stewart_platform_are_solved_one_by_one_from_its_pose() -> None:
    c = loop_constraints(robot("stewart"), independent=["pose"])
    q = closed("stewart")
    Jc = c.value(c.jacobian, q)
    P = np.zeros((24, 6))
    P[list(c.independent)], P[list(c.dependent)] = np.eye(6), Jc
    assert np.abs(robot("stewart").loop_jacobian(q) @ P).max() < 1e-9
    (entry, *_) = (x for row in c.jacobian for x in row if not isinstance(x, int | Exact))
    assert len(entry.factors) == 6  # one for each leg, none for the whole


def test_relations_of_a_stewart_platform_hold_in_closed_configurations() -> None:
    """Of each leg's two homogeneous equations one is the other where the loops are closed."""
    c, q = loop_constraints(robot("stewart"), independent=["pose"]), closed("stewart")
    for relation in c.explicit:
        a, b, c0, d = (c.value(x, q) for x in (relation.a, relation.b, relation.c, relation.d))
        x = q[int(relation.generator[2:-1])]
        if relation.form == "prismatic":
            gaps = [a * x * x + b * x + c0]
        elif relation.form == "angle":
            gaps = [a * np.sin(x) + b * np.cos(x) + c0]
        else:
            gaps = [a * np.sin(x) + c0, b * np.cos(x) + d]
        assert np.abs(gaps).max() < 1e-9 * max(map(abs, (a, b, c0, d)))
        assert max(abs(a), abs(b)) > 1e-6


def test_formulas_beyond_reason_are_refused_with_what_to_do() -> None:
    with pytest.raises(TooLarge, match=r"pose\[0\].*one block.*platform"):
        _ = constraints("stewart").jacobian


def test_coordinates_are_chosen_among_actuated_joints_if_the_robot_names_none() -> None:
    from dataclasses import replace

    free = replace(robot("five_bar"), independent=())
    c = loop_constraints(free)
    assert [c.coordinates[k] for k in c.independent] == ["left_motor", "right_motor"]


def test_reduction_modulo_the_ideal_keeps_the_value_on_closed_configurations() -> None:
    c = constraints("five_bar")
    q = closed("five_bar")
    ring = c.state.ring
    x = ring.variable("cos(q[1])") ** 3 * ring.variable("sin(q[3])") * ring.variable("v[0]") / 7 + 2
    y = c.ideal.reduced(x)
    assert isinstance(y, Exact)
    assert x != y
    values = [c.value(z, q, [0.3, 0.4]) for z in (x, y)]
    assert values[0] == pytest.approx(values[1], abs=1e-12)
    assert c.ideal.reduced(c.rows[0].formula * ring.variable("a[1]")) == 0


def test_the_page_about_closed_loops_runs_from_top_to_bottom(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "closed-loops.md").read_text("utf-8")
    script = tmp_path / "script.py"
    script.write_text("\n".join(re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)))
    environment = {**os.environ, "PYTHONPATH": str(Path(rk.__file__).parents[1])}
    answer = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    assert "d22 = +-sqrt(4*L**2 + d21**2 - 4*L*d21*sin(theta31))" in answer.stdout
    assert answer.stdout.rstrip().endswith("-d21_ddot")


def test_coefficients_of_a_solved_five_bar_are_products_where_they_have_a_common_factor() -> None:
    text = str(hybrid().loop_constraints(explicit=True))
    one = r"2\*l2\*\([^*,]*[^,]*\)"
    assert re.search(rf"A_left_fore_angle = {one}, B_left_fore_angle = {one}, C_left_fore_angle = ", text)
    C = text.split("C_left_fore_angle = ")[1].partition(",")[0]
    assert not re.search(r"[+-] \w+\*\(", C)  # multiplied out, not nested
