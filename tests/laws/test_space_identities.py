"""What follows from momentum alone: rates of J* by differences, Christoffel's matrix, what momentum adds."""

import numpy as np
import pytest
from free_flyers import FreeFlyer, on_floats, places
from pose_reference import slope
from random_robots import random_state
from random_satellites import random_satellite

import rikigaku as rk
from rikigaku.model.float_poses import quaternion_of

Array = np.ndarray
ROBOTS = {
    "three arms": random_satellite(4),
    "one arm": random_satellite(5, (4,)),
    "planar base": random_satellite(6, (2, 3), base="planar"),
    "shipped arm": rk.load("space_arm_6"),
}
MOMENTUM = np.array([1.2, -0.7, 0.4, 0.9, -1.1, 0.6])
SMALL = 1e-10  # of the largest element; extrapolated differences of order 8 leave 1e-11
every = pytest.mark.parametrize("name", ROBOTS)
free = pytest.mark.parametrize("name", [name for name in ROBOTS if name != "planar base"])


class Case:
    def __init__(self, name: str) -> None:
        self.robot = ROBOTS[name]
        self.frame = self.robot.frames[0].name
        self.q, v, a = random_state(self.robot, np.random.default_rng(7))
        self.arm = places(self.robot).arm
        self.v, self.a = v[self.arm], a[self.arm]
        heavy = name == "shipped arm"  # 2646 kg: a momentum that has an effect
        self.momentum = (500 if heavy else 1) * MOMENTUM

    def tau(self, momentum: Array, rates: Array | None = None) -> Array:
        """Of the case's accelerations, at a velocity with that momentum."""
        rates = self.v if rates is None else rates
        v = on_floats(self.robot, "floating_velocity", self.q, rates, momentum)
        return on_floats(self.robot, "floating_inverse_dynamics", self.q, v, self.a, friction=False)


def agree(ours: Array, theirs: Array, tolerance: float = SMALL) -> bool:
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() <= tolerance * np.abs(theirs).max()
    return True


@free
@pytest.mark.parametrize("part", [0, 1], ids=["at rest", "with momentum"])
def test_the_rate_of_the_generalized_jacobian_is_the_change_of_a_free_flyers_hand(
    name: str, part: int
) -> None:
    """Pinocchio's hand velocity at constant rates and momentum, differentiated along the motion."""
    case = Case(name)
    momentum = part * case.momentum

    def hand(t: Array) -> Array:
        theirs = FreeFlyer(case.robot, case.frame, case.robot.integrate(case.q, t[0] * v))
        return theirs.jacobian() @ theirs.velocity(case.v, momentum)

    v = on_floats(case.robot, "floating_velocity", case.q, case.v, momentum)
    ours = on_floats(case.robot, "generalized_jacobian_rate", case.q, v, frame=case.frame)
    assert agree(ours, slope(hand, np.zeros(1), np.ones(1)), 1e-9)


@every
def test_the_change_of_the_generalized_jacobian_times_rates_is_its_rate(name: str) -> None:
    case = Case(name)

    def velocity(t: Array) -> Array:
        q = case.robot.integrate(case.q, t[0] * v)
        return on_floats(case.robot, "generalized_jacobian", q, frame=case.frame) @ case.v

    v = on_floats(case.robot, "floating_velocity", case.q, case.v, np.zeros(6))
    ours = on_floats(case.robot, "generalized_jacobian_rate", case.q, v, frame=case.frame)
    assert agree(ours, slope(velocity, np.zeros(1), np.ones(1)), 1e-9)


@every
def test_the_coriolis_matrix_is_christoffels_of_the_generalized_inertia(name: str) -> None:
    """C_ij = sum over k of (dH_ij/dq_k + dH_ik/dq_j - dH_jk/dq_i) rate_k / 2; wheels and slides too."""
    case = Case(name)
    n = len(case.arm)
    units = np.eye(case.robot.nq)[case.robot.nq - n :]
    dH = np.stack(
        [slope(lambda q: on_floats(case.robot, "generalized_inertia", q), case.q, unit) for unit in units],
        axis=-1,
    )
    by_rates = (
        np.einsum("ijk,k->ij", dH, case.v)
        + np.einsum("ikj,k->ij", dH, case.v)
        - np.einsum("jki,k->ij", dH, case.v)
    )
    assert agree(on_floats(case.robot, "generalized_coriolis", case.q, case.v), by_rates / 2, 1e-9)


@every
def test_linear_momentum_changes_no_torque(name: str) -> None:
    case = Case(name)
    drifting = np.concatenate([case.momentum[:3], np.zeros(3)])
    assert agree(case.tau(drifting), case.tau(np.zeros(6)))


@every
def test_angular_momentum_adds_a_gyroscopic_term_and_one_of_its_square(name: str) -> None:
    """tau = H* a + C* rates + G(L) rates + Q(L): G linear in L and skew (no power), Q quadratic, no rates."""
    case = Case(name)
    H = on_floats(case.robot, "generalized_inertia", case.q)
    C = on_floats(case.robot, "generalized_coriolis", case.q, case.v)
    plain = H @ case.a + C @ case.v

    def parts(scale: float, rates: Array) -> tuple[Array, Array]:
        """Odd and even in L."""
        L = np.concatenate([np.zeros(3), scale * case.momentum[3:]])
        ahead, behind, none = (case.tau(x, rates) for x in (L, -L, 0 * L))
        return (ahead - behind) / 2, (ahead + behind) / 2 - none

    assert agree(case.tau(np.zeros(6)), plain)
    odd, even = parts(1.0, case.v)
    assert np.abs(odd).max() > 1e-3
    assert agree(parts(3.0, case.v)[0], 3 * odd)
    assert agree(parts(1.0, 2 * case.v)[0], 2 * odd)
    assert abs(odd @ case.v) < 1e-12 * np.abs(odd).max() * np.abs(case.v).max() * len(odd)
    assert np.abs(even).max() > 1e-4
    assert agree(parts(3.0, case.v)[1], 9 * even, 1e-9)
    assert agree(parts(1.0, 2 * case.v)[1], even, 1e-9)


@every
def test_torques_do_the_work_that_changes_the_energy(name: str) -> None:
    """rates . tau = dT/dt with momentum kept, T by links, differentiated along the motion."""
    case = Case(name)
    v = on_floats(case.robot, "floating_velocity", case.q, case.v, case.momentum)

    def energy(t: Array) -> Array:
        # a constant v is near enough: the derivative at t = 0 sees no second order
        q = case.robot.integrate(case.q, t[0] * v)
        rates = case.v + t[0] * case.a
        moving = on_floats(case.robot, "floating_velocity", q, rates, case.momentum)
        return np.array(case.robot.kinetic_energy(q, moving))

    power = slope(energy, np.zeros(1), np.ones(1))
    assert case.tau(case.momentum) @ case.v == pytest.approx(float(power), rel=1e-8)


def test_a_flying_robots_hand_gets_the_acceleration_requested_under_thrust() -> None:
    """Resolved accelerations with thrusters on the satellite: Pinocchio's free-flyer agrees."""
    case = Case("shipped arm")
    robot, q, rng = case.robot, case.q, np.random.default_rng(3)
    theirs = FreeFlyer(robot, "hand", q)
    v = on_floats(robot, "floating_velocity", q, case.v, case.momentum)
    wrench = 50 * rng.normal(size=6)
    asked, gains = rng.normal(size=6), np.array([2.0, 5.0])
    X = theirs.jacobian() @ v  # the hand has the twist it should have: no error in velocity
    pose = robot.pose(q, "hand")
    target = np.array([*pose[:3, 3], *quaternion_of(pose[:3, :3])])
    outer = {"satellite": wrench.tolist()}
    inputs = (q, v, target, X, asked, gains)
    found = on_floats(robot, "resolved_acceleration", *inputs, frame="hand", wrenches=outer)
    a_arm, tau = found
    a = on_floats(robot, "floating_forward_dynamics", q, v, tau, wrenches=outer)
    assert agree(a[6:], a_arm, 1e-8)
    assert agree(theirs.hand_acceleration(v, a), asked, 1e-8)
