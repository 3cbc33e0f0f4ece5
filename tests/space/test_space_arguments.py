"""What cannot be a motion in space is refused with words: what was given, and what is needed."""

import numpy as np
import pytest

import rikigaku as rk
from benchmarks.space_operations import general_arm
from rikigaku import space
from rikigaku.core.errors import NoFreeBase, WrongSize, WrongValue

REST = np.zeros(5)
BENT = np.array([0, 0, 0, 2.2, -2.0])


@pytest.fixture(scope="module")
def planar() -> rk.Robot:
    return rk.load("space_planar_2r")


def still(planar: rk.Robot) -> space.TargetState:
    return space.TargetState(space.coordinates_of(planar.pose(BENT, "hand")), np.zeros(6), np.zeros(6))


@pytest.mark.parametrize("duration", [np.inf, None, -1.0, 0, np.nan, "long"])
def test_a_duration_is_a_time_that_ends(planar: rk.Robot, duration: object) -> None:
    with pytest.raises(WrongValue, match=r"duration above 0 s that ends; .* was given"):
        space.floating_motion(planar, BENT, REST, duration)
    with pytest.raises(WrongValue, match="duration above 0 s"):
        space.prescribed_motion(planar, BENT, lambda t, q: np.zeros(2), duration)
    with pytest.raises(WrongValue, match="duration above 0 s"):
        space.follow(planar, BENT, lambda t: still(planar), "hand", duration, rows="xy")
    with pytest.raises(WrongValue, match="duration above 0 s"):
        space.MovingFrame(planar, BENT, REST, "hand", duration)


@pytest.mark.parametrize("tolerance", [0, -1e-8, np.nan, None, 1e-20, 1.0])
def test_a_tolerance_is_above_zero(planar: rk.Robot, tolerance: object) -> None:
    with pytest.raises(WrongValue, match="tolerance above 0"):
        space.floating_motion(planar, BENT, REST, 1.0, tolerance=tolerance)


@pytest.mark.parametrize("steps", [0, -3, 2.5, None])
def test_a_number_of_steps_is_whole(planar: rk.Robot, steps: object) -> None:
    with pytest.raises(WrongValue, match=r"whole number above 0; .* was given"):
        space.floating_motion(planar, BENT, REST, 1.0, most_steps=steps)


def test_torques_wrenches_and_rates_are_functions_of_their_arguments(planar: rk.Robot) -> None:
    with pytest.raises(WrongValue, match=r"torque is a function of t, q, v .*array.* was given"):
        space.floating_motion(planar, BENT, REST, 1.0, np.zeros(2))
    with pytest.raises(WrongValue, match=r"torque is a function of t, q, v .* takes \(t, q\)"):
        space.floating_motion(planar, BENT, REST, 1.0, lambda t, q: np.zeros(2))
    with pytest.raises(WrongValue, match=r"wrenches is a function of t, q, v .*'satellite'.* was given"):
        space.floating_motion(planar, BENT, REST, 1.0, wrenches={"satellite": np.zeros(6)})
    with pytest.raises(WrongValue, match="a dict, six numbers by frame; a ndarray"):
        space.floating_motion(planar, BENT, REST, 1.0, wrenches=lambda t, q, v: np.zeros(6))
    with pytest.raises(WrongSize, match=r"six numbers; shape \(3,\)"):
        space.floating_motion(planar, BENT, REST, 1.0, wrenches=lambda t, q, v: {"satellite": np.zeros(3)})
    with pytest.raises(WrongValue, match=r"velocity is a function of t, q .*None was given"):
        space.prescribed_motion(planar, BENT, None, 1.0)
    with pytest.raises(WrongValue, match="A motion by torques takes real numbers; None"):
        space.floating_motion(planar, BENT, REST, 1.0, lambda t, q, v: None)
    assert space.floating_motion(planar, BENT, REST, 0.1, lambda *state: np.zeros(2)).status == "ok"


def test_targets_are_functions_that_return_pose_twist_and_acceleration(planar: rk.Robot) -> None:
    def follow(target: object) -> space.Followed:
        return space.follow(planar, BENT, target, "hand", 0.1, rows="xy")

    pose, none = still(planar).pose, np.zeros(6)
    with pytest.raises(WrongValue, match=r"target is a function of t .*array"):
        follow(planar.pose(BENT, "hand"))
    with pytest.raises(WrongValue, match=r"pose, twist, acceleration.*it gave None"):
        follow(lambda t: None)
    with pytest.raises(WrongSize, match=r"its pose has shape \(4, 4\)"):
        follow(lambda t: (np.eye(4), none, none))
    with pytest.raises(WrongValue, match="its twist is not finite"):
        follow(lambda t: (pose, none * np.nan, none))
    with pytest.raises(WrongValue, match="it gave None"):
        space.Approach.start(planar.pose(BENT, "hand"), lambda t: None, 1.0)
    assert follow(lambda t: (pose, none, none)).status == "ok"


def test_gains_and_least_values_are_not_negative(planar: rk.Robot) -> None:
    def follow(**given: object) -> space.Followed:
        return space.follow(planar, BENT, lambda t: still(planar), "hand", 0.1, rows="xy", **given)

    with pytest.raises(WrongValue, match="gains are finite and not negative"):
        follow(gains=(-3.0, 4.0))
    with pytest.raises(WrongSize, match=r"two numbers \(velocity, position\)"):
        follow(gains=3.0)
    with pytest.raises(WrongValue, match="min_singular_value is a singular value, 0 or above; -1"):
        follow(min_singular_value=-1)


@pytest.mark.parametrize("n", [0, -1, 2.5, True])
def test_a_general_arm_has_a_whole_number_of_joints(n: object) -> None:
    with pytest.raises(WrongValue, match=r"1 or more; .* was given"):
        general_arm(n)


@pytest.mark.parametrize("X", [2 * np.eye(4), np.nan * np.eye(4), np.diag([1.0, 1, -1, 1])])
def test_coordinates_are_those_of_rigid_poses(X: np.ndarray) -> None:
    with pytest.raises(WrongValue, match="no pose: its 3x3 part must be a rotation"):
        space.coordinates_of(X)
    with pytest.raises(WrongValue, match="The start of the line is no pose"):
        space.line(X, np.ones(3), velocity=1, acceleration=1)


def test_robots_on_the_ground_are_sent_to_their_jacobian_before_anything_else() -> None:
    panda, sat = rk.load("panda"), rk.load("space_arm_6")
    with pytest.raises(NoFreeBase, match=r"robot\.jacobian"):
        space.prescribed_motion(panda, panda.neutral(), lambda t, q: np.zeros(panda.nv), 1.0)
    hand = "panda_hand"
    with pytest.raises(NoFreeBase, match="'panda' has no free base"):
        space.capture(
            sat, sat.neutral(), np.zeros(12), "hand", panda, panda.neutral(), np.zeros(panda.nv), hand
        )


def test_numbers_that_are_no_joints_are_not_called_joints(planar: rk.Robot) -> None:
    with pytest.raises(WrongSize, match=r"6 numbers \(x, y, z, about x, about y, about z\)"):
        planar.space.base_motion(BENT, np.zeros(2), np.zeros(3))
    with pytest.raises(WrongSize, match=r"5 numbers \(joints "):
        planar.mass_matrix(np.zeros(3))


LAWS = [
    "generalized_jacobian_rate",
    "floating_forward_dynamics",
    "resolved_acceleration",
    "unified_computation",
]


@pytest.mark.parametrize("law", LAWS)
def test_laws_of_accelerations_refuse_gravity_as_motions_do(law: str) -> None:
    falling = rk.load("space_arm_6").with_gravity((0, 0, -9.81))
    with pytest.raises(WrongValue, match=r"nothing floats there.*with_gravity\(\(0, 0, 0\)\)"):
        getattr(falling.space, law)
    falling.space.generalized_jacobian(
        falling.neutral(), "hand"
    )  # where nothing falls, gravity does not count
    with pytest.raises(WrongValue, match="nothing floats there"):
        getattr(falling.with_gravity((0, 0, "g")).space, law)
