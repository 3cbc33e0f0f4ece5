"""Motion of flexible arms: energy, rigid limits, Exudyn, and the hand that follows its path."""

import numpy as np
import pytest
from exudyn_arm import falling_tip
from mechanisms import rod, with_sections
from scipy.integrate import solve_ivp

import rikigaku as rk
from rikigaku.core.errors import WrongValue
from rikigaku.trajectory import septic

SOFT = {"EA": 1e5, "EI": 2.0, "kGA": 1e6}


def test_energy_is_conserved_without_damping_to_second_order():
    drifts = []
    for step in (4e-3, 2e-3):
        motion = rod(**SOFT).fem().elastic(elements=4).simulate([0.0], [1.0], duration=0.15, step=step)
        energy = motion.energy
        drifts.append(np.ptp(energy.sum(axis=1)) / energy[:, 0].max())
    assert drifts[1] < 1e-4
    assert drifts[0] / drifts[1] == pytest.approx(4, rel=0.3)
    assert energy[:, 1].max() > 1e-3 * energy[:, 0].max()  # it does bend


def test_damping_only_takes_energy():
    elastic = rod(**SOFT).fem().elastic(elements=4, damping=(0.0, 1e-2))
    energy = elastic.simulate([0.0], duration=0.3, step=4e-3).energy.sum(axis=1)
    assert energy[-1] < -1e-3
    assert (np.diff(energy) < 1e-4).all()


def test_stiffer_links_come_to_the_rigid_motion_at_the_rate_of_their_compliance():
    rigid = rod()

    def field(t, y):
        return [y[1], rigid.forward_dynamics(y[:1], y[1:], [0.0])[0]]

    exact = solve_ivp(field, (0, 0.2), [0, 0], rtol=1e-11, atol=1e-11).y[0, -1]
    off = []
    for EI in (1e2, 1e3, 1e4):
        elastic = (
            rod(EA=1e3 * EI, EI=EI, kGA=1e3 * EI).fem().elastic(elements=4, damping=(0, 0.02 / np.sqrt(EI)))
        )
        motion = elastic.simulate([0.0], duration=0.2, step=2e-3, rho=0.8)
        tip = motion.at("tip")[-1]
        off.append(abs(np.arctan2(-tip[2], tip[0]) - exact))
    assert np.log10(off[0] / off[1]) == pytest.approx(1, abs=0.3)
    assert np.log10(off[1] / off[2]) == pytest.approx(1, abs=0.5)


def test_a_stiff_closed_linkage_moves_as_the_rigid_one():
    from stabilization_study import closed_motion

    robot = with_sections(rk.load("five_bar"), EA=1e7, EI=1e5)
    q = robot.assemble([1.5, 1.7])
    found = robot.fem().elastic(elements=2).simulate(q, duration=0.1, step=2e-3)
    expected = closed_motion(robot, q, np.zeros(4), 0.1)
    assert found.q[-1] == pytest.approx(expected.q[-1], abs=2e-5)


def test_a_flexible_arm_swings_as_in_exudyn():
    soft = {"EA": 1e5, "EI": 2.0, "kGA": 1e4}
    # both converge with order two; a slender rod with hardly any rotary inertia there, none here
    ours = rod(**soft).fem().elastic(elements=12).simulate([0.0], duration=0.4, step=4e-3).at("tip")[-1]
    theirs = falling_tip(1.0, 1.0, **soft, duration=0.4, elements=12, step=1e-3, rotary=1e-5)
    assert ours[[0, 2]] == pytest.approx(theirs, abs=3e-4)
    stiff = rod(EA=1e7, EI=1e4, kGA=1e7).fem().elastic(elements=2)
    rigid = stiff.simulate([0.0], duration=0.4, step=8e-3, rho=0.8)
    assert np.abs(rigid.at("tip")[-1] - ours).max() > 3e-3  # ten times more: the links do bend


def follower(EI):
    robot = rod(EA=1e3 * EI, EI=EI, kGA=1e4 * EI)
    elastic = robot.fem().elastic(elements=4, damping=(0, 1e-4))
    return elastic.inverse_dynamics(septic([0.0], [1.0], 0.8), "tip", step=8e-3), elastic


def test_the_hand_of_a_flexible_arm_follows_and_forward_motion_confirms_it():
    found, elastic = follower(20.0)
    wanted = np.stack(
        [np.cos(found.rigid_q[:, 0]), np.zeros(len(found.t)), -np.sin(found.rigid_q[:, 0])], axis=1
    )
    across = np.stack(
        [np.sin(found.rigid_q[:, 0]), np.zeros(len(found.t)), np.cos(found.rigid_q[:, 0])], axis=1
    )
    assert np.abs(((found.path - wanted) * across).sum(axis=1)).max() < 1e-9
    assert np.abs(found.q - found.rigid_q).max() > 0.02  # the joint leads: rigid is no longer true
    assert np.abs(found.torques[found.t < -0.02]).min() > 0  # and begins before the hand does
    t0 = found.t[0]

    def torque(t, q, v):
        given = [np.interp(t + t0, found.t, x[:, 0]) for x in (found.torques, found.q, found.v)]
        return [given[0] + 50 * (given[1] - q[0]) + 5 * (given[2] - v[0])]

    motion = elastic.simulate(found.q[0], duration=found.t[-1] - t0, step=8e-3, torque=torque, rest=True)
    tip = motion.at("tip")
    assert np.abs(tip - found.path).max() < 2e-3


def test_torques_of_stiffer_arms_come_to_the_rigid_ones():
    off = []
    for EI in (50.0, 500.0):
        found, _ = follower(EI)
        off.append(np.abs(found.torques - found.rigid_torques).max())
    assert np.log10(off[0] / off[1]) == pytest.approx(1, abs=0.5)


def test_two_links_follow_a_point_in_the_plane():
    robot = rk.load("planar_2r")
    robot = with_sections(robot.bind(**robot.declared_values), EA=1e5, EI=100.0)
    path = septic([0.6, 0.7], [0.9, 1.2], 0.8)
    found = robot.fem().elastic(elements=2, damping=(0, 1e-4)).inverse_dynamics(path, "hand", step=1e-2)
    wanted = np.array([robot.pose(q, "hand")[:3, 3] for q in found.rigid_q])
    assert found.path == pytest.approx(wanted, abs=1e-9)
    assert np.abs(found.torques - found.rigid_torques).max() > 1e-3


def test_paths_that_do_not_rest_and_passive_arms_are_reported():
    from rikigaku.trajectory import cubic

    robot = rod(**SOFT)
    with pytest.raises(WrongValue, match="begin and end at rest"):
        robot.fem().elastic().inverse_dynamics(cubic([0.0], [1.0], 1.0, v0=1.0), "tip")
    with pytest.raises(WrongValue, match="0 motors and 1 freedoms"):
        robot.with_actuated([]).fem().elastic().inverse_dynamics(cubic([0.0], [1.0], 1.0), "tip")
