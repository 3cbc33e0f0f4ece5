"""Capture against impacts of single bodies: no mass matrix, no impulse, no joined robot of ours.

Motors give no impulse, so momentum along every motion the joined bodies can make is what it was: velocities
after contact are those nearest to the ones before, weighed by mass (Carnot). Bodies and their Jacobians come
from poses alone, differentiated by complex steps.
"""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from pinocchio_tree import Tree
from pose_reference import jacobians, moving_bodies
from random_robots import random_state
from random_satellites import random_satellite

import rikigaku as rk
from rikigaku import space

Array = np.ndarray


def target(wings: int) -> rk.Robot:
    """The shipped target, optionally with panels on hinges."""
    plain = rk.load("space_target")
    inertia = rk.Inertia("com", 5, (0.5, 0, 0), (0.1, 0, 0, 0.4, 0, 0.4))
    panels = [
        rk.Link(f"panel{k}", "target", rk.Joint(f"hinge{k}"), rk.Placement(("0.5", 0, f"0.{k}")), inertia)
        for k in range(1, wings + 1)
    ]
    return replace(plain, links=(*plain.links, *panels))


class Meeting:
    """A robot whose hand holds a target's grip at random velocities of both."""

    def __init__(self, robot: rk.Robot, frame: str, wings: int) -> None:
        rng = np.random.default_rng(2)
        self.robot, self.frame, self.target = robot, frame, target(wings)
        self.q, self.v, _ = random_state(robot, rng)
        self.p, self.w, _ = random_state(self.target, rng)
        self.p[:7] = [0, 0, 0, 1, 0, 0, 0]
        hand, grip = robot.pose(self.q, frame), self.target.pose(self.p, "grip")
        body = hand @ np.linalg.inv(grip)
        body[:3, 3] += [0.002, -0.004, 0.001]  # not quite at the hand
        self.p[:7] = [*body[:3, 3], *pin.Quaternion(body[:3, :3].copy()).coeffs()[[3, 0, 1, 2]]]
        self.caught = space.capture(robot, self.q, self.v, frame, self.target, self.p, self.w, "grip")

    def after(self) -> tuple[Array, Array]:
        """Velocities of the joined robot; momentum the target gave, angular about the hand's origin."""
        hand = jacobians(self.robot, self.q)[self.frame]
        link = jacobians(self.target, self.p)["target"]
        n, m = self.robot.nv, self.target.nv - 6
        # the target's own v by that of the joined robot: its base moves with the hand, its hinges freely
        carried = np.vstack([hand.linear + np.cross(hand.angular.T, link.p - hand.p).T, hand.angular])
        base = np.linalg.solve(np.vstack([link.linear[:, :6], link.angular[:, :6]]), carried)
        of_target = np.block([[base, np.zeros((6, m))], [np.zeros((m, n)), np.eye(m)]])
        of_robot = np.hstack([np.eye(n), np.zeros((n, m))])
        M, P = np.zeros((n + m, n + m)), np.zeros(n + m)
        theirs = [(b, of_target, self.w) for b in moving_bodies(self.target, self.p)]
        for b, chosen, before in [
            *((b, of_robot, self.v) for b in moving_bodies(self.robot, self.q)),
            *theirs,
        ]:
            for J, inertia in ((b.linear, b.m * np.eye(3)), (b.angular, b.I)):
                M += (J @ chosen).T @ inertia @ (J @ chosen)
                P += (J @ chosen).T @ inertia @ (J @ before)
        x = np.linalg.solve(M, P)
        lost = np.zeros(6)
        for b, chosen, before in theirs:
            push = b.m * b.linear @ (before - chosen @ x)
            spin = b.I @ b.angular @ (before - chosen @ x)
            lost += np.concatenate([push, spin + np.cross(b.c - hand.p, push)])
        return x, lost


MEETINGS = {
    "arm": lambda: Meeting(rk.load("space_arm_6"), "hand", 0),
    "arm and wings": lambda: Meeting(rk.load("space_arm_6"), "hand", 2),
    "three arms": lambda: Meeting(random_satellite(1), "hand1", 1),
}


@pytest.fixture(scope="module", params=MEETINGS)
def meeting(request: pytest.FixtureRequest) -> Meeting:
    return MEETINGS[request.param]()


def test_velocities_after_contact_are_the_nearest_the_joined_bodies_can_have(meeting: Meeting) -> None:
    x, lost = meeting.after()
    assert np.abs(meeting.caught.v - x).max() < 1e-10 * np.abs(x).max()
    assert np.abs(meeting.caught.impulse - lost).max() < 1e-10 * np.abs(lost).max()


def test_the_joined_robot_accelerates_as_pinocchio_says(meeting: Meeting) -> None:
    joined, q, v = meeting.caught.robot, meeting.caught.q, meeting.caught.v
    tau = np.random.default_rng(3).normal(size=joined.nv - 6)
    ours = joined.space.floating_forward_dynamics(q, v, tau, friction=False)
    tree = Tree(joined)
    forces, still = tree.forces(q, v, ours), tree.forces(q, v, 0 * ours)
    asked = np.concatenate([np.zeros(6), tau])  # nothing on the base
    assert np.abs(forces - asked).max() < 1e-10 * max(1.0, np.abs(still).max())
