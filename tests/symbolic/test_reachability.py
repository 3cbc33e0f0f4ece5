"""Arms of few joints: `conditions` tell which poses are within reach."""

import numpy as np
import pytest
from arms import arm, poses

import rikigaku as rk
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.symbolic.inverse_kinematics.ik_problem import checked_problem
from rikigaku.symbolic.inverse_kinematics.pose_equations import Witness, structured
from rikigaku.symbolic.inverse_kinematics.reachability import conditions
from rikigaku.symbolic.inverse_kinematics.serial_chain import TARGET

WELDER = arm(
    "RRRRR",
    [(0, 0, 0, "h"), ("pi/2", 0, 0, 0), (0, "l2", 0, 0), (0, "l3", 0, 0), ("-pi/2", 0, 0, "l4")],
    (0, 0, 0, "tip"),
)
LENGTHS = {"h": 0.4, "l2": 0.5, "l3": 0.4, "l4": 0.1, "tip": 0.15}
ARMS = {
    "yaw, three pitches, roll": (WELDER, "pose", LENGTHS, 1),
    "the same with an offset shoulder": (
        arm(
            "RRRRR",
            [
                (0, 0, 0, 0),
                ("-pi/2", "0.1", 0, "0.05"),
                (0, "0.5", 0, 0),
                (0, "0.4", 0, 0),
                ("-pi/2", 0, 0, 0),
            ],
            (0, 0, 0, "0.2"),
        ),
        "pose",
        {},
        1,
    ),
    "two slides and a wrist": (
        arm("PPRRR", [(0, 0, 0, 0), *[("pi/2", 0, 0, 0)] * 4], (0, 0, 0, "tip")),
        "pose",
        {"tip": 0.15},
        1,
    ),
    "four joints": (
        arm("RRRR", [(0, 0, 0, 0), ("-pi/2", 0, 0, 0), (0, "0.5", 0, 0), ("-pi/2", 0, 0, "0.3")]),
        "pose",
        {},
        2,
    ),
    "a torus": (
        arm("RR", [(0, 0, 0, 0), ("pi/2", "a", 0, 0)], (0, "b", 0, 0)),
        "position",
        {"a": 1, "b": 0.3},
        1,
    ),
    "two links in a plane": (
        arm("RR", [(0, 0, 0, 0), (0, "a", 0, 0)], (0, "b", 0, 0)),
        "planar",
        {"a": 0.5, "b": 0.3},
        2,
    ),
}


def values(ik, T, symbols):
    """The conditions at a pose."""
    _, inputs, _ = ik._elements(T)
    at = dict(zip(["px", "py", "pz"], T[:3, 3], strict=True)) | dict(zip(ik.pose_names, inputs, strict=True))
    return np.array([float(x.evaluate(FLOATS, {**at, **symbols})) for x in ik.conditions])


def rotation(rng):
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return Q * np.linalg.det(Q)


@pytest.mark.parametrize("name", ARMS)
def test_conditions_vanish_within_reach_and_nowhere_else(name: str) -> None:
    robot, target, symbols, count = ARMS[name]
    rng = np.random.default_rng(1)
    ik = robot.inverse_kinematics_formulas("hand", target=target)
    assert (len(ik.conditions), ik.more_conditions) == (count, 0)
    for T in poses(robot, rng.uniform(-1, 1, (4, robot.nq)), **symbols):
        assert np.abs(values(ik, T, symbols)).max() < 1e-12
        assert ik.solve(T, **symbols).valid.any()
        elsewhere = T.copy()
        elsewhere[:3, :3] = rotation(rng)
        elsewhere[:3, 3] += rng.normal(size=3) * 0.1
        if target == "planar":
            elsewhere[:3, :3] = T[:3, :3]
        assert np.abs(values(ik, elsewhere, symbols)).max() > 1e-4
        assert not ik.solve(elsewhere, **symbols).valid.any()


def test_any_pose_that_satisfies_the_condition_is_within_reach() -> None:
    ik = WELDER.inverse_kinematics_formulas("hand")
    assert [str(x) for x in ik.conditions] == ["px*r23 - py*r13"]  # the torch lies in the arm's plane
    rng = np.random.default_rng(2)
    for _ in range(5):
        yaw, tilt, roll = rng.uniform(-1, 1, 3)
        outward = np.array([np.cos(yaw), np.sin(yaw), 0])
        axis = np.cos(tilt) * outward + np.sin(tilt) * np.array([0, 0, 1])
        side = np.cross([0, 0, 1.0], outward)
        T = np.eye(4)
        x = np.cos(roll) * side + np.sin(roll) * np.cross(axis, side)
        T[:3, :3] = np.column_stack([x, np.cross(axis, x), axis])
        T[:3, 3] = 0.6 * outward + [0, 0, 0.5]
        assert ik.solve(T, **LENGTHS).valid.any()


def test_conditions_that_differ_from_branch_to_branch_are_counted_and_shown() -> None:
    rows = [(0, 0, 0, 0), ("-pi/2", 0, 0, "0.2"), (0, "0.5", 0, "0.1"), ("-pi/2", "0.1", 0, "0.4")]
    ik = arm("RRRRR", [*rows, ("pi/2", 0, 0, 0)]).inverse_kinematics_formulas("hand")
    assert (ik.conditions, ik.more_conditions) == ((), 1)
    assert "where the pose satisfies in each branch 4*t3_x**2 + 4*t3_y**2 - 1 = 0" in str(ik)


def test_arms_that_reach_every_pose_have_no_conditions() -> None:
    ik = rk.load("stanford").inverse_kinematics_formulas("hand")
    assert (ik.conditions, ik.more_conditions) == ((), 0)


def test_of_a_product_only_the_factor_that_vanishes_is_a_condition() -> None:
    asked = checked_problem(WELDER, "hand", "pose", ())
    elements, reached = structured(asked.chain, True)
    witness = Witness(asked.chain.ring, 1)
    witness.set({name: witness(x) for name, x in zip(TARGET, reached, strict=True)})
    t = [asked.chain.ring.variable(name) for name in TARGET]
    true, false = t[0] * t[8] - t[1] * t[5], t[2] - 3 * t[0]
    assert conditions(1, elements, [[false * true]], {}, witness) == ([true], 0)
    assert conditions(1, elements, [[false]], {}, witness) == ([], 1)


@pytest.mark.parametrize("name", ["scara", "puma560"])  # the formulas of a SCARA use few elements of a pose
@pytest.mark.filterwarnings("ignore::rikigaku.core.errors.UnphysicalInertiaWarning")
def test_a_pose_with_a_nan_has_no_configuration_and_the_others_of_its_batch_keep_theirs(name):
    robot = rk.load(name)
    formulas = robot.inverse_kinematics_formulas("hand")
    T = poses(robot, np.random.default_rng(5).uniform(-1, 1, (13, robot.nq)))
    whole = formulas.solve(T)
    assert whole.valid.all()
    for k, (i, j) in enumerate(np.ndindex(3, 4)):  # each pose but the last lacks another element
        T[k, i, j] = np.nan
    answer = formulas.solve(T)
    assert not answer.valid[:-1].any()
    assert np.isnan(answer.q[:-1]).all()
    np.testing.assert_array_equal(answer.q[-1], whole.q[-1])


def test_a_planar_target_with_a_nan_has_no_configuration_and_needs_no_coordinate_normal_to_the_plane():
    formulas = rk.load("rosam_loop").inverse_kinematics_formulas("hand")
    targets = np.full((4, 3), 0.4)
    targets[range(3), range(3)] = np.nan
    answer = formulas.solve(targets, L=0.3)
    assert not answer.valid[:3].any()
    assert answer.valid[3].all()
