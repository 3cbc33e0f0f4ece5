"""The 17-link humanoid: stick, slip, reversal, tipping, landing; beside the paper's formula and Pinocchio."""

from itertools import pairwise

import numpy as np
import pinocchio as pin
import pytest
from humanoid import KINETIC, STATIC, as_pinocchio, configuration, pinocchio, smooth

import rikigaku as rk

SOLE = rk.Contact("sole", rk.Plane(), rk.Friction(KINETIC, static=STATIC))
DURATION = 0.31  # before it would slip once more


@pytest.fixture(scope="module")
def flat() -> rk.Robot:
    """The support foot stays flat, slides and may rise: the paper's robot."""
    return smooth(rk.load("humanoid_feet").lock("q1"))


def moved(robot, **options):
    q, v = configuration(robot)
    motion = rk.simulate(robot, q, v, duration=DURATION, contacts=[SOLE], **options)
    assert motion.done, motion.status
    return motion


@pytest.fixture(scope="module")
def motion(flat):
    return moved(flat, rtol=1e-12, atol=1e-14)


def test_the_foot_sticks_slips_turns_round_and_sticks_again(motion) -> None:
    assert [event.name for event in motion.events] == ["sole slips", "sole stops", "sole stops"]
    order = motion.mode_index[np.r_[True, np.diff(motion.mode_index) != 0]]
    assert [motion.modes[k] for k in order] == ["sole stick", "sole slip-", "sole slip+", "sole stick"]
    assert motion.robot.poses(motion.q)[..., 2, 3].min() > -1e-12  # nothing goes through the floor


def test_energy_is_kept_in_stick_and_with_the_dissipated_work_in_slip(motion) -> None:
    largest = motion.kinetic_energy.max()
    for k in np.unique(motion.mode_index):
        here = motion.mode_index == k
        energy, heat = motion.energy[here], motion.dissipated[here]
        if motion.modes[k].endswith("stick"):  # two stretches of it: heat tells them apart
            for level in np.unique(heat.round(9)):
                part = energy[heat.round(9) == level]
                assert np.ptp(part) < 1e-11 * largest
        else:
            assert np.ptp(heat) > 1e-6 * largest
            assert np.ptp(energy + heat) < 1e-11 * largest
    assert motion.energy_audit().relative < 1e-11


def test_the_dissipated_work_is_the_integral_of_friction_times_speed(motion) -> None:
    """Equation 21 of the paper, corrected: integral of mu_k f_n |y'| dt, by Gauss's rule between events."""
    times = [0.0, *(event.t for event in motion.events), DURATION]
    x, w = np.polynomial.legendre.leggauss(40)
    total = 0.0
    for a, b in pairwise(times):
        t = (a + b) / 2 + (b - a) / 2 * x
        part = rk.simulate(
            motion.robot,
            *configuration(motion.robot),
            duration=DURATION,
            contacts=[SOLE],
            output=t,
            rtol=1e-11,
        )
        speed = part.v[:, 0]
        if np.abs(speed).max() > 1e-6:
            f_n = part.forces["forces"][:, 3]
            total += (b - a) / 2 * w @ (KINETIC * f_n * np.abs(speed))
    assert total == pytest.approx(motion.dissipated[-1], rel=1e-8)


def test_event_times_do_not_depend_on_the_tolerance_nor_on_the_method(flat, motion) -> None:
    fine = [event.t for event in motion.events]
    for options in (
        {"rtol": 1e-10, "atol": 1e-12},
        {"rtol": 1e-11, "atol": 1e-13},
        {"rtol": 1e-11, "atol": 1e-13, "method": "radau"},
    ):
        assert [event.t for event in moved(flat, **options).events] == pytest.approx(fine, rel=0, abs=1e-9)


def test_the_normal_force_is_the_papers_and_jumps_where_the_foot_turns_or_stops(motion, tmp_path) -> None:
    """f_n = (N0 + w.M^-1 (tau - b)) / (1 + s mu w.M^-1 e_0) of the tree that cannot rise, by Pinocchio.

    Friction presses or lifts the body through its links: at a change of mode f_t jumps, and f_n with it.
    """
    model = pinocchio(smooth(rk.load("humanoid_17")), tmp_path)
    data, mass = model.createData(), 64.2

    def paper(q, v, sign):
        q = as_pinocchio(model, q)
        M, b = pin.crba(model, data, q), pin.nonLinearEffects(model, data, q, v)
        M = np.triu(M) + np.triu(M, 1).T
        w = mass * pin.jacobianCenterOfMass(model, data, q)[2]
        pin.centerOfMass(model, data, q, v, np.zeros(17))
        N0 = mass * (9.81 + data.acom[0][2])
        e = np.eye(17)[0]
        x = np.linalg.solve(M, np.stack([-b, e]).T)
        if sign:
            return (N0 + w @ x[:, 0]) / (1 + sign * KINETIC * w @ x[:, 1])
        force = -x[0, 0] / x[0, 1]  # in stick: what keeps the foot where it is
        return N0 + w @ (x[:, 0] + force * x[:, 1])

    signs = {"sole stick": 0, "sole slip-": 1, "sole slip+": -1}  # tangent: x cross z, which is -y
    f_n, rise = motion.forces["forces"][:, 3], motion.robot.q_slices["z0"].start
    for k in range(0, len(motion.t), 3):
        q, v = np.delete(motion.q[k], rise), np.delete(motion.v[k], rise)
        assert f_n[k] == pytest.approx(paper(q, v, signs[motion.modes[motion.mode_index[k]]]), rel=1e-9)
    changes = np.flatnonzero(np.diff(motion.mode_index))
    jumps = np.abs(f_n[changes + 1] - f_n[changes])
    assert len(jumps) == 3
    assert jumps.min() > 1.0  # newtons


@pytest.mark.parametrize(("ramp", "lifts", "rests"), [(400.0, "heel", "toe"), (-400.0, "toe", "heel")])
def test_a_foot_tips_where_the_centre_of_pressure_reaches_its_edge(ramp, lifts, rests, tmp_path) -> None:
    """The ankle pushes: one end of the foot lifts when Pinocchio's zero moment point is at the other."""
    whole = rk.load("humanoid_feet")
    rigid = whole
    for joint in whole.joints[4:]:
        rigid = rigid.lock(joint.name)
    points = [rk.Contact(name, rk.Plane(), 1.0) for name in ("heel", "toe")]
    torque = rk.Data([0.0, 1.0], [[0, 0, 0, 0.0], [0, 0, 0, ramp]])
    motion = rk.simulate(rigid, np.zeros(4), None, torque, duration=0.6, contacts=points, rtol=1e-12)
    event = motion.events[0]
    assert event.name == f"{lifts} lifts off"
    model = pinocchio(rigid, tmp_path)
    data = model.createData()
    before = np.flatnonzero(motion.t == event.t)[0]
    q, v, a = motion.q[before], motion.v[before], motion.a[before]
    pin.computeCentroidalMomentumTimeVariation(model, data, as_pinocchio(model, q), v, a)
    c, rate = data.com[0], data.dhg
    force = rate.linear - data.mass[0] * model.gravity.linear
    centre = c[1] + (rate.angular[0] - c[2] * force[1]) / force[2]
    assert centre == pytest.approx(whole.pose(np.zeros(19), rests)[1, 3], abs=1e-9)
    soon = motion.q[motion.t <= motion.events[1].t][:-1]  # it turns about that edge
    assert np.abs(rigid.pose(soon, rests)[:, 2, 3]).max() < 1e-12
    assert rigid.pose(soon, lifts)[-1, 2, 3] > 1e-3


def test_a_landing_foot_changes_momentum_by_impulses_within_friction_alone(tmp_path) -> None:
    robot = rk.load("humanoid_feet")
    start = {"q3": (0, 0), "q5": (30, -3), "q6": (-33.5, 0), "q7": (4, 0)}
    q, v = configuration(robot, start)
    points = [rk.Contact(name, rk.Plane(), 0.7) for name in ("heel", "toe", "swing_heel", "swing_toe")]
    motion = rk.simulate(robot, q, v, duration=0.35, contacts=points, rtol=1e-10, most_changes=4)
    event = next(e for e in motion.events if e.name in ("swing_heel lands", "swing_toe lands"))
    after = motion.at(event.t)
    model = pinocchio(robot, tmp_path)
    M = pin.crba(model, model.createData(), as_pinocchio(model, event.q))
    M = np.triu(M) + np.triu(M, 1).T
    J = np.concatenate([robot.jacobian(event.q, c.frame)[1:3] for c in points])
    momentum = M @ (after.v - event.v)
    impulses, *_ = np.linalg.lstsq(J.T, momentum, rcond=None)
    assert np.abs(momentum).max() > 0.01  # [N m s]: it does land
    assert np.abs(J.T @ impulses - momentum).max() < 1e-9
    landed = event.name.split()[0]
    k = [c.frame for c in points].index(landed)
    assert impulses[2 * k + 1] > 0
    assert abs(impulses[2 * k]) <= 0.7 * impulses[2 * k + 1] + 1e-9
    lost = 0.5 * (event.v @ M @ event.v - after.v @ M @ after.v)
    assert lost > 0
    here = np.flatnonzero(motion.t == event.t)
    assert np.ptp(motion.dissipated[here]) == pytest.approx(lost, abs=1e-9)
