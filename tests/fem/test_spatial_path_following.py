"""Inverse dynamics of flexible mechanisms in space and with loops: the hand follows, joints are computed."""

import numpy as np
import pytest
from mechanisms import spatial_arm, with_sections

import rikigaku as rk
from rikigaku.core.errors import WrongValue
from rikigaku.trajectory import septic

Y, Z = (0, 1, 0), (0, 0, 1)


def follower(EI, duration=0.6, step=1e-2):
    """Three motors in space: the hand of an arm swings aside, down and out."""
    robot = spatial_arm({"EA": 1e4 * EI, "EI": EI, "kGA": 1e3 * EI, "GJ": EI}, (Z, Y, Y))
    elastic = robot.fem(masses={"hand": 0.3}).elastic(elements=2, damping=(0, 1e-3))
    path = septic([0.0, -0.2, 0.9], [0.6, 0.2, 0.5], duration)
    return elastic, elastic.inverse_dynamics(path, "hand", step=step)


def test_the_hand_of_a_flexible_arm_in_space_follows_and_forward_motion_confirms_it():
    elastic, found = follower(30.0, 1.0, 1.25e-2)
    wanted = np.array([elastic.layout.robot.pose(q, "hand")[:3, 3] for q in found.rigid_q])
    assert found.path == pytest.approx(wanted, abs=1e-9)
    assert np.abs(found.q - found.rigid_q).max() > 0.01  # the joints are elsewhere than a rigid arm's
    t0 = found.t[0]

    def torque(t, q, v):
        tau, q0, v0 = (
            np.array([np.interp(t + t0, found.t, x) for x in part.T])
            for part in (found.torques, found.q, found.v)
        )
        return tau + 50 * (q0 - q) + 3 * (v0 - v)

    motion = elastic.simulate(found.q[0], duration=found.t[-1] - t0, step=1.25e-2, torque=torque, rest=True)
    assert np.abs(motion.at("hand") - found.path).max() < 4e-3
    # with the torques of the rigid arm (and its angles) the hand is somewhere else
    assert np.abs(found.torques - found.rigid_torques).max() > 0.05


def test_torques_of_stiffer_arms_in_space_come_to_the_rigid_ones():
    off = [np.abs(found.torques - found.rigid_torques).max() for _, found in map(follower, (300.0, 3000.0))]
    # differences of time, of order step^2, are left over
    assert np.log10(off[0] / off[1]) == pytest.approx(1, abs=0.5)


def test_the_hand_of_a_flexible_closed_linkage_follows():
    robot = with_sections(rk.load("five_bar"), EA=1e5, EI=20.0)
    elastic = robot.fem().elastic(elements=2, damping=(0, 1e-3))
    first, last = (robot.assemble(q) for q in ([2.2, 0.9], [2.0, 1.0]))
    driven = [0, robot.v_slices["right_motor"].start]
    path = septic(first[driven], last[driven], 0.5)
    found = elastic.inverse_dynamics(path, "hand", step=1.25e-2, near=first)
    wanted = np.array([robot.pose(q, "hand")[:3, 3] for q in found.rigid_q])
    assert found.path[:, 1:] == pytest.approx(wanted[:, 1:], abs=1e-9)
    passive = np.setdiff1d(np.arange(robot.nv), driven)
    assert np.abs(found.torques[:, passive]).max() == 0
    rest = robot.fem().inverse_dynamics(path, [0.0], near=first).torques[0]  # weight alone, rigid
    assert found.torques[0, driven] == pytest.approx(rest[driven], rel=0.02)


def test_what_cannot_be_followed_is_reported():
    with pytest.raises(WrongValue, match=r"in space has 6 coordinates .* 7 motors: .* Hold 1 of"):
        rk.load("panda").fem().elastic(elements=2).inverse_dynamics(
            septic(np.full(7, 0.1), np.full(7, 0.2), 1.0), "hand", step=0.1
        )
    straight = spatial_arm({"EA": 1e6, "EI": 1e2}, (Z, Y, Y))
    with pytest.raises(WrongValue, match=r"cannot move frame 'hand' in 3 directions at sample"):
        straight.fem().elastic(elements=2).inverse_dynamics(
            septic([0, 0.3, 0.6], [0.3, 0.3, 0.0], 1.0), "hand", step=0.1
        )
