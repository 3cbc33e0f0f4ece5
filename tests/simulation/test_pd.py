"""Springs and dampers in the actuated joints of robots with free bases, quaternions and loops."""

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.trajectory import quintic


@pytest.fixture(scope="module")
def walker():
    """A trunk that floats, with three joints: nothing holds it, the joints are actuated."""
    bone = rk.Inertia("com", 2.0, (0, 0.02, -0.1), (0.02, 0, 0, 0.03, 0, 0.01))
    trunk = rk.Link("trunk", "world", rk.Joint("base", "free", actuated=False), rk.Placement(), bone)
    legs = [
        rk.Link(name, parent, rk.Joint(f"j{name}", "revolute", axis), rk.Placement(xyz=place), bone)
        for name, parent, axis, place in (
            ("a", "trunk", (1, 0, 0), (0.1, 0.1, 0)),
            ("b", "a", (0, 1, 0), (0, 0, -0.2)),
            ("c", "trunk", (0, 1, 0), (-0.1, 0, 0)),
        )
    ]
    return rk.Robot("walker", (trunk, *legs), base="world")


def function_of(robot, target, stiffness, damping):
    """The same control as a function of the user's."""
    n = len(target)
    return lambda t, q, v: np.r_[np.zeros(robot.nv - n), stiffness * (target - q[-n:]) - damping * v[-n:]]


@pytest.mark.parametrize("whole", [True, False])
def test_pd_drives_the_joints_of_a_floating_robot_and_leaves_its_base_alone(walker, whole):
    target, start = np.array([0.5, -0.4, 0.3]), np.r_[0.1, 0.2, 0.5, 0.6, 0.8, 0, 0, 0.1, 0.2, 0.3]
    control = rk.PD(walker, np.r_[start[:7], target] if whole else target, 20.0, 2.0, gravity=False)
    motion = rk.simulate(walker, start, None, control, duration=0.3, output=0.1)
    other = rk.simulate(walker, start, None, function_of(walker, target, 20.0, 2.0), duration=0.3, output=0.1)
    assert motion.done
    assert not motion.tau[:, :6].any()
    assert np.abs(motion.q - other.q).max() < 1e-9
    assert motion.energy_audit().relative < 1e-9


def test_pd_follows_a_trajectory_of_the_actuated_joints_with_gains_for_each(walker):
    path = quintic(np.zeros(3), np.array([0.5, -0.4, 0.3]), 0.5)
    control = rk.PD(walker, path, [2000.0, 1000.0, 500.0], [20.0, 10.0, 5.0])
    motion = rk.simulate(walker, [0, 0, 0, 1, 0, 0, 0, 0, 0, 0], None, control, duration=0.5, output=0.1)
    assert np.abs(motion.q[:, 7:] - path(motion.t).q).max() < 0.02
    q, v = motion.q[2], motion.v[2]
    target, held = path(motion.t[2]), walker.gravity_forces(q)[6:]
    expected = held + [2000, 1000, 500] * (target.q - q[7:]) + [20, 10, 5] * (target.v - v[6:])
    assert np.abs(motion.tau[2, 6:] - expected).max() < 1e-9


def test_pd_turns_a_spherical_joint_to_its_target_the_shorter_way():
    inertia = rk.Inertia(m=1, position=(0, 0, 0), tensor=(0.1, 0, 0, 0.2, 0, 0.25), about="com")
    ball = rk.Robot("ball", (rk.Link("ball", "base", rk.Joint("s", "spherical"), rk.Placement(), inertia),))
    target = -np.array([np.cos(0.6), 0.6 * np.sin(0.6), 0.0, 0.8 * np.sin(0.6)])  # -q is the same rotation
    control = rk.PD(ball, target, 8.0, 2.0)
    motion = rk.simulate(ball, [1.0, 0, 0, 0], None, control, duration=10.0, output=0.5)
    assert np.abs(ball.difference(motion.q[-1], target)).max() < 1e-6
    axis = np.array([0.6, 0, 0.8])
    assert motion.tau[0] == pytest.approx(8.0 * 2 * np.sin(0.6) * axis, abs=1e-12)
    assert (np.diff(motion.kinetic_energy - motion.work) < 1e-9).all()


def test_pd_drives_the_actuated_joints_of_a_closed_robot_without_gravity():
    five = rk.load("five_bar")
    q = five.assemble([0.3, 1.2])
    goal = five.assemble([0.6, 1.0], near=q)
    motion = rk.simulate(five, q, None, rk.PD(five, goal, 60.0, 6.0, gravity=False), duration=6.0, output=1.0)
    idle = [k for k in range(five.nv) if k not in five.closure().structure.actuated]
    assert motion.done
    assert not motion.tau[:, idle].any()
    assert np.abs(motion.v[-1]).max() < 1e-3
    with pytest.raises(rk.RikigakuError, match="gravity=False"):
        rk.PD(five, goal, 60.0, 6.0)


def test_pd_and_computed_torque_say_what_they_cannot_drive(walker):
    with pytest.raises(
        rk.RikigakuError, match=r"has 10 numbers, or the 3 of its actuated joints; shape \(4,\)"
    ):
        rk.PD(walker, np.zeros(4), 1.0, 1.0)
    free = rk.Joint("fly", "free")
    box = rk.Robot("box", (rk.Link("box", "base", free, rk.Placement(), rk.Inertia("com", 1.0)),))
    with pytest.raises(rk.RikigakuError, match="No joint of robot 'box' is actuated"):
        rk.PD(box, [0, 0, 0, 1, 0, 0, 0], 1.0, 1.0)
    with pytest.raises(rk.RikigakuError, match=r"every joint actuated.*'base'.*rk\.PD"):
        rk.ComputedTorque(walker, np.zeros(10), 1.0, 1.0)


def test_formulas_as_a_target_are_refused_with_what_to_do_instead():
    robot = rk.load("planar_3r")
    with pytest.raises(rk.RikigakuError, match=r"not formulas of t.*quintic"):
        rk.PD(robot, ["0.1*sin(t)", "0", "0"], 10.0, 1.0)
