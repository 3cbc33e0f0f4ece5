"""Inverse kinematics as formulas: text, verification and arguments."""

from dataclasses import replace

import numpy as np
import pytest
import sympy
from arms import PUMA_VALUES, SYMBOLIC_PUMA, arm, found, poses, random_configurations

import rikigaku as rk
from rikigaku.core.errors import MissingValue, NotSolvable, UnknownName, WrongSize, WrongValue
from rikigaku.model.joint import Joint
from rikigaku.model.robot_model import Coupling
from rikigaku.numbers.expression_graph import Graph
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.symbolic.inverse_kinematics import branch_check
from rikigaku.symbolic.inverse_kinematics.solution_steps import Angle, Definition, Displacement, Root

pytestmark = pytest.mark.filterwarnings("ignore::rikigaku.core.errors.UnphysicalInertiaWarning")


def test_sympy_evaluates_to_what_solve_gives():
    formulas = SYMBOLIC_PUMA.inverse_kinematics_formulas()
    q = random_configurations(SYMBOLIC_PUMA, 1)
    (T,) = poses(SYMBOLIC_PUMA, q, **PUMA_VALUES)
    answer = formulas.solve(T, **PUMA_VALUES)
    elements = dict(zip(formulas.pose_names, [*T[:3, 3], *T[:3, :3].ravel()], strict=True))
    for k in (0, 5):
        known = {sympy.Symbol(name, real=True): x for name, x in {**elements, **PUMA_VALUES}.items()}
        definitions, joints = formulas.branches[k].sympy()
        order = [step.name for step in formulas.steps]
        pairs = sorted([*definitions, *joints], key=lambda pair: order.index(pair[0].name))
        for symbol, value in pairs:
            known[symbol] = float(value.xreplace(known))
        values = [known[sympy.Symbol(f"q{i}", real=True)] for i in range(1, 7)]
        np.testing.assert_allclose(values, answer.q[k], atol=1e-9)


def test_the_elbow_of_a_puma_is_printed_as_in_a_textbook():
    """A sin q2 + B cos q2 = K; offsets along parallel axes do not enter K."""
    lines = [line.strip() for line in str(SYMBOLIC_PUMA.inverse_kinematics_formulas()).splitlines()]
    assert "k2 = (a2**2 - a3**2 - d4**2 + t1_x**2 + wrist_z**2)/2" in lines
    assert "w2 = ±sqrt(a2**2*(t1_x**2 + wrist_z**2) - k2**2)" in lines
    assert "q2 = atan2(-a2*(k2*wrist_z + t1_x*w2), a2*(k2*t1_x - w2*wrist_z))" in lines
    assert not any(line.startswith("t1_z") for line in lines)
    puma = str(rk.load("puma560").inverse_kinematics_formulas("hand"))
    assert "k2 = (pz**2 + t1_x**2 - 0.00041209)/0.8636\n" in puma


def test_formulas_run_on_traced_numbers():
    robot = rk.load("scara")
    formulas = robot.inverse_kinematics_formulas("hand")
    graph = Graph()
    at = {name: graph.input(name) for name in (*formulas.pose_names, "l1", "l2")}
    for step in formulas.steps:  # as a compiler will: sines and cosines without the angles
        match step:
            case Definition(name, formula) | Displacement(_, name, formula):
                at[name] = formula.evaluate(FLOATS, at)
            case Root(name, radicand):
                at[name] = radicand.evaluate(FLOATS, at).sqrt()
            case Angle(_, name, y, x):
                s, c = y.evaluate(FLOATS, at), x.evaluate(FLOATS, at)
                at[name] = SinCos(s / (s * s + c * c).sqrt(), c / (s * s + c * c).sqrt())
    assert len(graph.nodes) < 150


class SinCos:
    def __init__(self, s, c):
        self.s, self.c = s, c

    def sin(self):
        return self.s

    def cos(self):
        return self.c


def test_text_latex_and_joints_say_what_is_computed():
    formulas = rk.load("stanford").inverse_kinematics_formulas("hand")
    text = str(formulas)
    assert text.startswith("Inverse kinematics of robot 'stanford', pose of frame 'hand': 8 branches")
    assert "w1 = ±sqrt(wrist_x**2 + wrist_y**2 - 0.023716)" in text
    assert "d3 = ±sqrt(t1_x**2 + wrist_z**2)" in text
    assert "q2 = atan2(t1_x/d3, wrist_z/d3)" in text
    assert r"\operatorname{atan2}" in formulas._repr_latex_()
    branch = formulas.branches[7]
    assert [name for name, _ in branch.joints] == ["q1", "q2", "d3", "q4", "q5", "q6"]
    assert "w1 = -sqrt(" in str(branch)
    assert r"\begin{aligned}" in branch._repr_latex_()


def test_a_wrong_formula_does_not_pass_the_check(monkeypatch):
    from rikigaku.symbolic.inverse_kinematics.joint_steps import JointSteps

    honest = JointSteps._angle
    monkeypatch.setattr(JointSteps, "_angle", lambda self, axis, y, x, s: honest(self, axis, -y, x, s))
    robot = arm("RRR", [(0, 0, 0, 0), ("pi/2", 0, 0, 0), (0, 0.4, 0, 0)], (0, 0.3, 0, 0))
    with pytest.raises(NotSolvable, match="none of 4 branches reaches"):
        robot.inverse_kinematics_formulas()


def test_names_of_symbols_joints_and_pose_do_not_clash():
    robot = arm("RR", [(0, 0, 0, 0), (0, "px", 0, 0)], (0, "w1", 0, 0))
    links = (
        replace(robot.links[0], joint=Joint("first joint", "revolute")),
        replace(robot.links[1], joint=Joint("py", "revolute")),
    )
    robot = replace(robot, links=links)
    formulas = robot.inverse_kinematics_formulas()
    values = {"px": 0.5, "w1": 0.4}
    nearest, _ = found(robot, formulas, random_configurations(robot, 5), **values)
    assert nearest.max() < 1e-9
    assert [name for name, _ in formulas.branches[0].joints] == ["py", "first joint"]


def test_angles_of_the_geometry_may_be_symbols_or_any_constant():
    rows = [(0, 0, 0, 0), ("alpha/2", 0, 0, 0), ("pi/4", "a", 0, 0)]
    robot = arm("RRR", rows, (0, "0.3", 0, "0.1"))
    values = {"alpha": 1.9, "a": 0.4}
    nearest, _ = found(robot, robot.inverse_kinematics_formulas(), random_configurations(robot, 10), **values)
    assert nearest.max() < 1e-6


def test_what_has_no_formula_says_why_and_what_else_to_do():
    general = [(0, 0, 0, 0.1), *((f"0.{k}", f"0.{k}", 0, f"0.{k}") for k in (3, 7, 5, 2, 9))]
    with pytest.raises(NotSolvable, match=r"4 or more of q1, .*robot.inverse_kinematics\(\.\.\.\)") as caught:
        arm("RRRRRR", general, (0, 0, 0, 0.1)).inverse_kinematics_formulas()
    assert caught.value.joints == tuple(f"q{k}" for k in range(1, 7))
    ball = replace(arm("RR", general[:2]))
    ball = replace(ball, links=(ball.links[0], replace(ball.links[1], joint=Joint("ball", "spherical"))))
    with pytest.raises(NotSolvable, match="joint of link 'l2' is spherical"):
        ball.inverse_kinematics_formulas()
    two = arm("RR", [(0, 0, 0, 0), (0, 0.4, 0, 0)])
    with pytest.raises(NotSolvable, match=r"does not depend on q2\. Choose a frame further out"):
        two.inverse_kinematics_formulas()
    with pytest.raises(
        NotSolvable,
        match=r"branches closes its loops at an arbitrary .*loops may leave the frame less freedom",
    ):  # its point draws a curve
        rk.load("four_bar").inverse_kinematics_formulas("coupler_point")
    geared = replace(two, couplings=(Coupling("q2", "q1", Formula.of(2)),))
    with pytest.raises(NotSolvable, match="'q2' follows joint 'q1' by a gear"):
        geared.inverse_kinematics_formulas()


def test_wrong_arguments_raise_errors_with_the_known_choices():
    puma = rk.load("puma560")
    with pytest.raises(UnknownName, match="Did you mean 'hand'"):
        puma.inverse_kinematics_formulas("hnd")
    with pytest.raises(UnknownName, match="pose, position, planar"):
        puma.inverse_kinematics_formulas("hand", target="everything")
    with pytest.raises(UnknownName, match="no joint named 'q9'"):
        puma.inverse_kinematics_formulas("hand", given=["q9"])
    with pytest.raises(WrongValue, match="does not move in a coordinate plane"):
        puma.inverse_kinematics_formulas("hand", target="planar")
    with pytest.raises(WrongValue, match="moves with no joint"):
        puma.inverse_kinematics_formulas("base")
    formulas = puma.inverse_kinematics_formulas("hand")
    with pytest.raises(WrongSize, match=r"take a pose \(4, 4\), or a batch; \(3,\) was given"):
        formulas.solve([1, 2, 3])
    with pytest.raises(MissingValue, match="d1"):
        SYMBOLIC_PUMA.inverse_kinematics_formulas().solve(np.eye(4))


def test_branches_that_could_not_be_verified_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    arm = rk.load("planar_3r").with_gravity((0, 0, -1.5))  # another robot than those solved before
    whole = arm.inverse_kinematics_formulas("hand")
    assert whole.undecided == 0
    assert whole.status.startswith("all branches")
    monkeypatch.setattr(branch_check, "_TRIALS", 3)
    monkeypatch.setattr(branch_check, "_REQUIRED_PASSES", 3)
    monkeypatch.setattr(
        branch_check._Trial, "passes", lambda trial, pattern: True if pattern[0] > 0 else None
    )
    less = rk.load("planar_3r").with_gravity((0, 0, -2.5)).inverse_kinematics_formulas("hand")
    assert (len(less.branches), less.undecided) == (1, 1)
    assert "1 combinations of signs could not be verified and are left out" in less.status
    assert "1 branch, 1 undecided (status)" in str(less)
