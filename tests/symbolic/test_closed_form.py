"""Inverse kinematics as formulas: every branch reaches the pose, and no configuration is forgotten."""

from itertools import product

import numpy as np
import pinocchio as pin
import pytest
import sympy
from arms import PUMA_VALUES, SHIPPED, SYMBOLIC_PUMA, arm, distance, found, poses, random_configurations
from oracles.public_robots import CASES

import rikigaku as rk
from rikigaku.core.errors import MissingValue, NotSolvable
from rikigaku.laws.closed.loop_equations import loop_residual
from rikigaku.model.mechanism import instantiate
from rikigaku.numbers.number_kind import FLOATS

pytestmark = pytest.mark.filterwarnings("ignore::rikigaku.core.errors.UnphysicalInertiaWarning")


@pytest.mark.parametrize(("name", "count"), SHIPPED.items())
def test_shipped_arms_have_their_known_number_of_branches_and_each_reaches_the_pose(name, count):
    robot = rk.load(name)
    formulas = robot.inverse_kinematics_formulas("hand")
    assert len(formulas.branches) == count
    nearest, answer = found(robot, formulas, random_configurations(robot, 100))
    assert nearest.max() < 1e-9
    if name in (
        "puma560",
        "stanford",
        "scara",
    ):  # what one shoulder and elbow reaches, all reach
        assert answer.valid.all()
        for one in answer.q:
            apart = distance(robot, one[:, None], one[None]) + 10 * np.eye(count)
            assert apart.min() > 1e-3


def test_a_puma_with_symbols_for_all_lengths_has_eight_branches_found_once():
    formulas = SYMBOLIC_PUMA.inverse_kinematics_formulas()
    assert SYMBOLIC_PUMA.inverse_kinematics_formulas() is formulas
    assert len(formulas.branches) == 8
    for scale in (1, 0.7):
        values = {name: scale * x for name, x in PUMA_VALUES.items()}
        nearest, answer = found(SYMBOLIC_PUMA, formulas, random_configurations(SYMBOLIC_PUMA, 50), **values)
        assert nearest.max() < 1e-9
        assert answer.valid.all()


def test_configurations_found_by_the_numeric_search_are_all_among_the_branches():
    # Another method, from random starts: whatever it finds must be one of ours.
    for name in ("ur5", "stanford"):
        robot = rk.load(name)
        formulas = robot.inverse_kinematics_formulas("hand")
        rng = np.random.default_rng(3)
        (T,) = poses(robot, rng.uniform(0.4, 1, (1, robot.nq)))
        branches = formulas.solve(T)
        seen = 0
        for seed in range(8):
            start = rng.uniform(-1, 1, robot.nq)
            search = robot.inverse_kinematics(T, "hand", start, tolerance=1e-11, restarts=3, rng=seed)
            if search:
                seen += 1
                assert np.nanmin(distance(robot, branches.q, search.q)) < 1e-7
        assert seen >= 4


def test_pinocchio_agrees_that_every_branch_reaches_the_pose():
    for case in CASES:
        if case.name not in ("ur3_robot", "ur10_robot", "kinova"):
            continue
        q, _, _ = case.state
        formulas = case.robot.inverse_kinematics_formulas(case.frame)

        def pose_of(q, case=case):
            pin.framesForwardKinematics(case.model, case.data, case.layout.q(q))
            return case.data.oMf[case.frame_id].homogeneous

        T = pose_of(q)
        answer = formulas.solve(T)
        assert len(answer) >= 2
        for configuration in answer:
            assert np.abs(pose_of(configuration) - T).max() < 1e-9


def test_positioners_are_solved_exactly_where_two_neighbouring_axes_meet_or_are_parallel():
    # Pieper: a quartic splits into quadratics if a1, a2, sin(alpha1) or sin(alpha2) vanishes.
    for alpha1, alpha2, a1, a2 in product(
        ("0", "-pi/2", "0.3"), ("0", "pi/2", "0.3"), (0, "0.4"), (0, "0.4")
    ):
        robot = arm("RRR", [(0, 0, 0, 0.1), (alpha1, a1, 0, 0.15), (alpha2, a2, 0, 0.2)], (0, 0.35, 0, 0.1))
        if (alpha1, alpha2) == ("0", "0") or (alpha1, a1) == ("0", 0) or (alpha2, a2) == ("0", 0):
            with pytest.raises(NotSolvable, match=r"do not move the .* independently"):
                robot.inverse_kinematics_formulas(target="position")
            continue
        if "0" not in (alpha1, alpha2) and a1 and a2:
            with pytest.raises(NotSolvable, match="degree 4 in tan") as caught:
                robot.inverse_kinematics_formulas()
            assert caught.value.degree == 4
            assert caught.value.joints == ("q1", "q2", "q3")
            continue
        formulas = robot.inverse_kinematics_formulas()
        nearest, _ = found(robot, formulas, random_configurations(robot, 10))
        assert nearest.max() < 1e-6


@pytest.mark.parametrize("types", ["RRP", "RPR", "PRR", "RPP", "PRP", "PPR", "PPP"])
def test_positioners_with_slides_are_solved(types):
    rows = [(0, 0, 0, 0.1), ("pi/2", "0.2", 0, 0.15), ("-pi/2", "0.1", 0, 0.2)]
    if types == "PPP":
        rows[1:] = [("pi/2", "0.2", "pi/2", 0.15), ("pi/2", "0.1", 0, 0)]
    robot = arm(types, rows, (0, 0.35, 0, 0.1))
    nearest, _ = found(robot, robot.inverse_kinematics_formulas(), random_configurations(robot, 20, size=1.5))
    assert nearest.max() < 1e-7


WRIST = [("pi/2", 0, 0, 0), ("-pi/2", 0, 0, 0)]
SHOULDER = [(0, 0, 0, 0.4), ("-pi/2", 0, 0, 0)]
BUILDS = {
    "three first axes that meet": (
        "RRRRRR",
        [(0, 0, 0, 0.3), *WRIST, ("pi/2", 0.1, 0, 0.43), (0, 0.4, 0, 0.1), ("pi/2", 0.05, 0, 0)],
    ),
    "three first axes parallel": (
        "RRRRRR",
        [
            (0, 0, 0, 0.3),
            (0, 0.4, 0, 0),
            (0, 0.3, 0, 0.1),
            ("pi/2", 0.1, 0, 0.2),
            ("pi/2", 0, 0, 0.1),
            WRIST[0],
        ],
    ),
    "gantry": ("PPPRRR", [(0, 0, 0, 0), ("pi/2", 0, "pi/2", 0), ("pi/2", 0, 0, 0), WRIST[0], *WRIST]),
    "cylinder": ("RPPRRR", [(0, 0, 0, 0), (0, 0, 0, 0), ("pi/2", 0, 0, 0), WRIST[0], *WRIST]),
    "oblique wrist": (
        "RRRRRR",
        [
            (0, 0, 0, 0.4),
            ("-pi/2", 0.2, 0, 0),
            (0, 0.6, 0, 0),
            ("-pi/2", 0.1, 0, 0.7),
            ("pi/3", 0, 0, 0),
            ("-pi/3", 0, 0, 0),
        ],
    ),
    "five joints": (
        "RRRRR",
        [(0, 0, 0, 0.4), ("-pi/2", 0, 0, 0), (0, 0.6, 0, 0), (0, 0.5, 0, 0), ("-pi/2", 0, 0, 0.1)],
    ),
    "five joints, a slide": (
        "RRPRR",
        [(0, 0, 0, 0.4), ("-pi/2", 0, 0, 0.1), WRIST[0], (0, 0, 0, 0), WRIST[1]],
    ),
    "four joints": ("RRRR", [(0, 0, 0, 0.4), ("-pi/2", 0, 0, 0), (0, 0.6, 0, 0), (0, 0.5, 0, 0)]),
}


@pytest.mark.parametrize("build", BUILDS)
def test_arms_of_many_builds_are_solved(build):
    robot = arm(*BUILDS[build], (0, 0.1, 0, 0.1))
    nearest, _ = found(robot, robot.inverse_kinematics_formulas(), random_configurations(robot, 20))
    assert nearest.max() < 1e-8


@pytest.mark.parametrize("name", ["puma560", "ur5"])
def test_near_a_singular_wrist_no_digits_are_lost(name):
    robot = rk.load(name)
    formulas = robot.inverse_kinematics_formulas("hand")
    for angle in (1e-7, 1e-9):
        q = np.array([[0.3, 0.2, 0.4, 0.5, angle, 0.6]])
        nearest, answer = found(robot, formulas, q)
        assert len(answer) == 8
        assert nearest.max() < 1e-15 / angle  # about axes almost in line no more digits exist
        assert answer.error[answer.valid].max() < 1e-15


def test_a_planar_arm_of_two_links_gives_the_textbook_cosine():
    robot = arm("RR", [(0, 0, 0, 0), (0, "l1", 0, 0)], (0, "l2", 0, 0))
    formulas = robot.inverse_kinematics_formulas()
    assert [str(x) for x in formulas.conditions] == ["pz"]
    x, y, l1, l2 = sympy.symbols("px py l1 l2", real=True)
    _, joints = formulas.branches[0].sympy(expanded=True)
    (q2,) = (value for name, value in joints if name.name == "q2")
    textbook = (x**2 + y**2 - l1**2 - l2**2) / (2 * l1 * l2)
    point = {
        x: sympy.Rational(3, 5),
        y: sympy.Rational(1, 7),
        l1: sympy.Rational(1, 2),
        l2: sympy.Rational(2, 5),
    }
    assert sympy.cos(q2).subs(point).evalf() == pytest.approx(float(textbook.subs(point)), abs=1e-12)


def test_the_loop_of_the_paper_has_the_solution_of_the_paper():
    robot = rk.load("rosam_loop")
    formulas = robot.inverse_kinematics_formulas("hand")
    assert formulas.target == "planar"
    assert formulas.pose_names == ("px", "py", "phi")
    assert len(formulas.branches) == 4  # two arms, each forward or backward
    rng = np.random.default_rng(0)
    pose = rng.uniform(-1, 1, (50, 3))
    answer = formulas.solve(pose, L=0.3)
    assert answer.valid.all()
    mechanism = instantiate(robot, FLOATS, {**robot.declared_values, "L": 0.3})
    q = answer.q.reshape(-1, robot.nq)
    residual = loop_residual(mechanism, list(q.T))
    assert max(np.abs(row).max() for row in residual) < 1e-12
    # u = px - L cos(phi), w = py - L sin(phi), d21 = +-sqrt(u^2 + w^2), sin(theta11) = u/d21, ...
    px, py, phi = pose[:, None].swapaxes(0, 2).swapaxes(1, 2)
    u, w = px - 0.3 * np.cos(phi), py - 0.3 * np.sin(phi)
    theta11, d21, theta31 = (answer.q[..., k] for k in range(3))
    np.testing.assert_allclose(d21**2, u**2 + w**2 + 0 * d21, atol=1e-12)
    np.testing.assert_allclose(np.sin(theta11) * d21, u + 0 * d21, atol=1e-12)
    np.testing.assert_allclose(np.cos(theta11) * d21, -w + 0 * d21, atol=1e-12)
    np.testing.assert_allclose(np.cos(theta11 + theta31 - phi), 1, atol=1e-12)


@pytest.mark.parametrize(("name", "count"), [("five_bar", 4), ("three_rrr", 8)])
def test_parallel_robots_are_solved_leg_by_leg(name, count):
    robot = rk.load(name)
    formulas = robot.inverse_kinematics_formulas("hand")
    assert len(formulas.branches) == count
    pose = [0, 0.05, 0.45] if name == "five_bar" else [0.01, 0.02, 0.1]
    answer = formulas.solve(pose)
    assert len(answer) == count
    mechanism = instantiate(robot, FLOATS, robot.declared_values)
    for q in answer:
        assert np.abs(loop_residual(mechanism, list(q))).max() < 1e-12


def test_an_arm_of_seven_joints_is_solved_with_one_of_them_given():
    robot = rk.load("panda")
    with pytest.raises(
        NotSolvable, match=r"fixes 6 joints and 7 move it. Name 1 .* given=\['panda_joint7'\]"
    ):
        robot.inverse_kinematics_formulas("hand")
    formulas = robot.inverse_kinematics_formulas("hand", given=["panda_joint7"])
    assert len(formulas.branches) == 8
    q = random_configurations(robot, 20, size=1.2)
    T = poses(robot, q)
    for one, goal in zip(q, T, strict=True):
        answer = formulas.solve(goal, panda_joint7=one[6])
        assert np.nanmin(distance(robot, answer.q, one)) < 1e-8
        assert all(np.abs(poses(robot, x) - goal).max() < 1e-9 for x in answer)
    with pytest.raises(MissingValue, match="panda_joint7"):
        formulas.solve(T)


def test_a_planar_base_counts_as_three_coordinates_of_one_joint():
    robot = rk.load("space_planar_2r")
    with pytest.raises(NotSolvable, match=r"base, q1, q2 do not move the pose .* given=\[...\]") as caught:
        robot.inverse_kinematics_formulas()
    assert caught.value.joints == ("base", "q1", "q2")
    with pytest.raises(NotSolvable, match="fixes 3 joints and 5 move it"):
        robot.inverse_kinematics_formulas(target="planar")
    q = random_configurations(robot, 10, size=1.2)
    T = poses(robot, q)
    arm = robot.inverse_kinematics_formulas(given="base")
    base = robot.inverse_kinematics_formulas(target="planar", given=["q1", "q2"])
    for one, goal in zip(q, T, strict=True):
        answer = arm.solve(goal, base_1=one[0], base_2=one[1], base_3=one[2])
        assert np.nanmin(distance(robot, answer.q, one)) < 1e-9
        answer = base.solve(goal, q1=one[3], q2=one[4])
        assert np.nanmin(distance(robot, answer.q, one)) < 1e-9
    with pytest.raises(MissingValue, match="base_2"):
        arm.solve(T, base_1=0.0)


@pytest.mark.parametrize(
    "q", [[0.3, 0.2, 0.4, 0.5, 0, 0.6], [0.1, 0.7, -np.arctan2(0.4318, 0.0203), 0.1, 0.2, 0.3]]
)
def test_singular_configurations_still_have_a_solution(q):
    # Wrist in line (q5 = 0: q4 and q6 turn about one line), and arm stretched (both elbows in one).
    robot = rk.load("puma560")
    (T,) = poses(robot, np.array([q]))
    answer = robot.inverse_kinematics_formulas("hand").solve(T)
    assert len(answer) >= 4
    assert all(np.abs(poses(robot, x) - T).max() < 1e-8 for x in answer)


def test_a_pose_out_of_reach_has_no_configuration_and_others_in_its_batch_keep_theirs():
    robot = rk.load("puma560")
    T = poses(robot, random_configurations(robot, 6)).reshape(2, 3, 4, 4)
    T[1, 1, :3, 3] = [5, 0, 0]
    answer = robot.inverse_kinematics_formulas("hand").solve(T)
    assert answer.q.shape == (2, 3, 8, 6)
    assert answer.valid.sum(axis=-1).tolist() == [[8, 8, 8], [8, 0, 8]]
    assert np.isnan(answer.q[1, 1]).all()
    assert len(list(answer)) == len(answer) == 40
