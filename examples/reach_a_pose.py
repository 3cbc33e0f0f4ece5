"""Bring the hand of an arm to a pose: inverse kinematics, a trajectory within the limits, and its torques."""

import numpy as np

import rikigaku as rk
from rikigaku.model.states import velocity_bounds
from rikigaku.trajectory import quintic


def main() -> None:
    arm = rk.load("panda")
    home = np.array([0, -np.pi / 4, 0, -3 * np.pi / 4, 0, np.pi / 2, np.pi / 4])
    target = arm.pose(home, "hand")
    target[:3, 3] += [0.1, 0.2, -0.1]  # forward, left and down; same orientation

    found = arm.inverse_kinematics(target, "hand", q0=home)
    print(found.message)
    assert found.success

    motion = quintic(home, found.q, velocity=0.5 * velocity_bounds(arm), acceleration=2.0)
    t = np.linspace(0, motion.duration, 200)
    q, v, a = motion(t)
    tau = arm.inverse_dynamics(q, v, a)  # all 200 states in one call
    print(f"{motion.duration:.2f} s, largest torques [N m]:", np.round(np.abs(tau).max(axis=0), 1))
    effort = np.array([joint.limits.effort for joint in arm.joints])
    assert (np.abs(tau) < effort).all()


if __name__ == "__main__":
    main()
