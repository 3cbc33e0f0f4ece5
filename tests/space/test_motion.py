"""Free-floating motion keeps its momentum, its energy and its unit quaternion."""

from dataclasses import replace

import numpy as np
import pytest

import rikigaku as rk
from rikigaku import space
from rikigaku.core.errors import NoFreeBase, WrongSize, WrongValue
from rikigaku.integrators.munthe_kaas import LieGroups

Array = np.ndarray
START = [0.3, -0.5, 0.8, 0.4, 0.9, -0.2]
MOMENTUM = np.array([50.0, -20.0, 10.0, 30.0, -40.0, 20.0])


@pytest.fixture(scope="module")
def sat() -> rk.Robot:
    return rk.load("space_arm_6")


@pytest.fixture(scope="module")
def long_motion(sat: rk.Robot) -> space.FloatingMotion:
    """100 s under torques of every joint, with momentum."""
    rng = np.random.default_rng(0)
    q = sat.neutral()
    q[7:] = START
    v = sat.space.floating_velocity(q, rng.normal(size=6) * 0.1, MOMENTUM)
    push, drag = np.array([20, 30, 20, 2, 1.5, 0.03]), np.array([20, 20, 20, 2, 2, 0.05])
    frequency, phase = rng.uniform(0.2, 1.2, 6), rng.uniform(0, 6, 6)
    return space.floating_motion(
        sat, q, v, 100.0, lambda t, q, v: push * np.sin(frequency * t + phase) - drag * v[6:], tolerance=1e-8
    )


def test_momentum_is_kept_for_a_hundred_seconds(sat: rk.Robot, long_motion: space.FloatingMotion) -> None:
    h = long_motion.momentum
    linear, angular = space.link_momenta(sat, long_motion.q, long_motion.v).max(axis=0)
    assert np.abs(h[:, :3] - MOMENTUM[:3]).max() < 1e-11 * linear
    assert np.abs(h[:, 3:] - MOMENTUM[3:]).max() < 1e-11 * angular
    assert long_motion.t[-1] == 100.0


def test_the_energy_is_the_work_done(long_motion: space.FloatingMotion) -> None:
    E = long_motion.energy
    assert np.ptp(E) > 0.1 * E.max()  # there is something to audit
    assert np.abs(E - E[0] - long_motion.work).max() < 1e-9 * E.max()


def test_quaternions_stay_unit_and_the_centre_of_mass_goes_straight(
    long_motion: space.FloatingMotion,
) -> None:
    assert np.abs(np.linalg.norm(long_motion.q[:, 3:7], axis=1) - 1).max() < 1e-14
    c = long_motion.center_of_mass
    straight = c[0] + np.outer(long_motion.t, MOMENTUM[:3] / 2646)
    assert np.abs(c - straight).max() < 1e-10
    arms = np.abs(np.diff(long_motion.q[:, 7:], axis=0)).sum()
    assert arms > 10  # it does move


def test_the_motion_is_that_of_the_full_equations_integrated_in_plain_coordinates(sat: rk.Robot) -> None:
    """SciPy's own integrator on q (quaternion among it) and v of all joints, which knows no momentum."""
    from scipy.integrate import solve_ivp

    q = sat.neutral()
    q[7:] = START
    v = sat.space.floating_velocity(q, 0.3 * np.ones(6), MOMENTUM)
    tau = np.array([5.0, -3.0, 2.0, 0.2, -0.1, 0.01])

    def field(t: float, y: Array) -> Array:
        q, v = y[:13].copy(), y[13:].copy()
        w, x, y_, z = q[3:7]
        a, b, c = v[3:6] / 2
        turning = [
            -x * a - y_ * b - z * c,
            w * a + y_ * c - z * b,
            w * b + z * a - x * c,
            w * c + x * b - y_ * a,
        ]
        R = sat.pose(q, "satellite")[:3, :3]
        rates = [*(R @ v[:3]), *turning, *v[6:]]
        return np.concatenate([rates, sat.forward_dynamics(q, v, np.concatenate([np.zeros(6), tau]))])

    theirs = solve_ivp(field, (0, 3), np.concatenate([q, v]), "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    ours = space.floating_motion(sat, q, v, 3.0, lambda t, q, v: tau, tolerance=1e-12)
    assert np.abs(ours.q[-1] - theirs[:13]).max() < 1e-9
    assert np.abs(ours.v[-1] - theirs[13:]).max() < 1e-9


def test_a_tumbling_body_keeps_its_energy_and_its_momentum() -> None:
    target = rk.load("space_target")
    v = np.array([0.1, 0, 0, 0.4, 0.5, -0.3])
    motion = space.floating_motion(target, target.neutral(), v, 60.0)
    assert np.ptp(motion.v[:, 3]) > 0.1  # it tumbles
    assert np.ptp(motion.energy) < 1e-9 * motion.energy[0]
    h = target.momentum(target.neutral(), v)
    assert np.abs(motion.momentum - h).max() < 1e-11 * np.abs(h).max()


def test_thrusters_change_the_momentum_by_their_impulse(sat: rk.Robot) -> None:
    q = sat.neutral()
    q[7:] = START
    wrench = np.array([10.0, 5.0, 0.0, 1.0, 2.0, 3.0])
    motion = space.floating_motion(
        sat, q, np.zeros(12), 4.0, wrenches=lambda t, q, v: {"satellite": wrench}, tolerance=1e-11
    )
    world = sat.momentum(motion.q[-1], motion.v[-1], about="world")
    assert np.abs(world[:3] - 4 * wrench[:3]).max() < 1e-9
    assert np.abs(motion.energy - motion.work).max() < 1e-9 * motion.energy.max()
    plain = sat.forward_dynamics(q, np.zeros(12), np.zeros(12), wrenches={"satellite": wrench})
    early = space.floating_motion(sat, q, np.zeros(12), 1e-3, wrenches=lambda t, q, v: {"satellite": wrench})
    assert np.abs(early.v[-1] - 1e-3 * plain).max() < 1e-5 * np.abs(1e-3 * plain).max() + 1e-9


def test_results_come_at_the_times_requested(sat: rk.Robot) -> None:
    q = sat.neutral()
    v = sat.space.floating_velocity(q, 0.2 * np.ones(6), np.zeros(6))
    times = np.array([0.0, 0.31, 1.0, 1.99, 2.0])
    some = space.floating_motion(sat, q, v, 2.0, times=times, tolerance=1e-11)
    assert (some.t == times).all()
    whole = space.floating_motion(sat, q, v, 1.0, tolerance=1e-12)
    assert np.abs(some.q[2] - whole.q[-1]).max() < 1e-10


@pytest.mark.parametrize("size", [0.01, 0.3, 0.7])
def test_exponential_coordinates_move_as_their_rates_say(sat: rk.Robot, size: float) -> None:
    """d/dt of q0 exp(u) along du is the velocity v again, by central differences."""
    rng = np.random.default_rng(1)
    u, v = rng.normal(size=12), rng.normal(size=12)
    u *= size / np.linalg.norm(u[3:6])
    du = LieGroups([slice(0, 6)], []).coordinate_rates(u, v)
    q0, h = sat.neutral(), 1e-5
    ahead, behind, here = (sat.integrate(q0, u + s * h * du) for s in (1, -1, 0))
    step = sat.integrate(here, h * v), sat.integrate(here, -h * v)
    assert np.abs((ahead - behind) - (step[0] - step[1])).max() < 1e-14


def with_drives(robot: rk.Robot, **drives: float) -> rk.Robot:
    """The robot with friction or springs in its revolute joints."""
    given = {name: rk.Formula.of(x) for name, x in drives.items()}
    links = [
        replace(link, joint=replace(link.joint, **given)) if link.joint.type == "revolute" else link
        for link in robot.links
    ]
    return replace(robot, links=tuple(links))


def test_friction_and_springs_are_part_of_the_balance_of_energy() -> None:
    robot = with_drives(rk.load("space_planar_2r"), viscous=3, stiffness=5, rest=0.2)
    q = np.array([0, 0, 0, 2.2, -2.0])
    v = robot.space.floating_velocity(q, np.array([0.5, -0.4]), np.array([1.0, 2, 0, 0, 0, 3]))
    motion = space.floating_motion(robot, q, v, 3.0, lambda t, q, v: np.array([2.0, -1.0]) * np.sin(t))
    assert np.ptp(motion.energy) > 0.1 * motion.energy.max()
    assert np.abs(motion.energy - motion.energy[0] - motion.work).max() < 1e-9 * motion.energy.max()


def test_joints_that_stick_are_sent_to_simulate() -> None:
    robot = with_drives(rk.load("space_planar_2r"), coulomb=2)
    with pytest.raises(WrongValue, match=r"friction in the joints of link1, link2.*rk\.simulate"):
        space.floating_motion(robot, np.zeros(5), np.zeros(5), 1.0)


def test_what_cannot_be_simulated_is_said(sat: rk.Robot) -> None:
    q, v = sat.neutral(), np.zeros(12)
    with pytest.raises(WrongValue, match="duration above 0"):
        space.floating_motion(sat, q, v, 0.0)
    with pytest.raises(WrongValue, match="nothing floats there"):
        space.floating_motion(sat.with_gravity((0, 0, -9.81)), q, v, 1.0)
    with pytest.raises(WrongValue, match="must be finite"):
        space.floating_motion(sat, q, v + np.nan, 1.0)
    with pytest.raises(WrongValue, match="between 0 and the duration, 1 s"):
        space.floating_motion(sat, q, v, 1.0, times=[0.0, 2.0])
    with pytest.raises(WrongSize, match="Momentum is six numbers"):
        space.prescribed_motion(sat, q, lambda t, q: np.zeros(6), 1.0, momentum=np.zeros(3))
    with pytest.raises(WrongSize, match="12 numbers"):
        space.floating_motion(sat, q, np.zeros(6), 1.0)
    with pytest.raises(WrongSize, match="the arm has 6"):
        space.floating_motion(sat, q, v, 1.0, lambda t, q, v: np.zeros(12))
    panda = rk.load("panda").with_gravity((0, 0, 0))
    with pytest.raises(NoFreeBase):
        space.floating_motion(panda, np.zeros(7), np.zeros(7), 1.0)


def test_a_torque_that_fails_ends_the_motion_and_keeps_what_was_found(sat: rk.Robot) -> None:
    def torque(t: float, q: Array, v: Array) -> Array:
        if t > 0.5:
            raise ZeroDivisionError("the drive has tripped")
        return np.zeros(6)

    motion = space.floating_motion(sat, sat.neutral(), np.zeros(12), 1.0, torque)
    assert "the drive has tripped" in motion.status
    assert 0 < motion.t[-1] <= 0.5
