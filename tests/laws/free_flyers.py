"""Free-floating robots by Pinocchio's free-flyer, the momentum imposed by its centroidal map."""

from typing import NamedTuple

import numpy as np
import pinocchio as pin
from pinocchio_tree import Tree, pose
from pose_reference import steps_pose

from rikigaku.laws.catalogue import laws_of
from rikigaku.model.mechanism import instantiate
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.numbers.program import flatten, shape_of
from rikigaku.robot import Robot

SPACE = laws_of("space")

Array = np.ndarray


def on_floats(robot: Robot, name: str, *inputs: Array, **options) -> Array:
    """A space law of ours on plain floats."""
    mechanism = instantiate(robot, FLOATS, robot.declared_values)
    result = SPACE[name].recursion(mechanism, *(np.asarray(x).tolist() for x in inputs), **options)
    return np.array(list(flatten(result)), float).reshape(shape_of(result))


class Places(NamedTuple):
    base: Array
    arm: Array


def places(robot: Robot) -> Places:
    """Where base and arm stand in our v."""
    (name,) = (link.joint.name for link in robot.links if link.parent == robot.base)
    base = np.arange(robot.nv)[robot.v_slices[name]]
    return Places(base, np.setdiff1d(np.arange(robot.nv), base))


class FreeFlyer:
    """The robot in Pinocchio at a state; everything is given back in our order of v."""

    def __init__(self, robot: Robot, frame: str, q: Array) -> None:
        self.tree, self.q = Tree(robot), q
        place = robot.frame(frame)
        joint, X = self.tree.places[place.link]
        on_link = pose(steps_pose((*place.geometry.before(), *place.geometry.after())))
        self.model = self.tree.model
        self.frame = self.model.addFrame(pin.Frame(frame, joint, 0, X * on_link, pin.FrameType.OP_FRAME))
        self.model.gravity = pin.Motion.Zero()
        self.data = self.model.createData()
        self.theirs = self.tree.layout.q(q)
        self.base, self.arm = places(robot)

    def centroidal(self) -> Array:
        return self.columns(pin.computeCentroidalMap(self.model, self.data, self.theirs))

    def jacobian(self) -> Array:
        pin.computeJointJacobians(self.model, self.data, self.theirs)
        pin.updateFramePlacements(self.model, self.data)
        J = pin.getFrameJacobian(self.model, self.data, self.frame, pin.LOCAL_WORLD_ALIGNED)
        return self.columns(J)

    def mass_matrix(self) -> Array:
        M = pin.crba(self.model, self.data, self.theirs)
        M = np.triu(M) + np.triu(M, 1).T
        return self.columns(self.columns(M).T)

    def velocity(self, rates: Array, momentum: Array) -> Array:
        """v with those rates and that momentum."""
        A = self.centroidal()
        v = np.zeros(self.model.nv)
        v[self.arm] = rates
        v[self.base] = np.linalg.solve(A[:, self.base], momentum - A[:, self.arm] @ rates)
        return v

    def steady(self) -> Array:
        """N: v per unit rate at zero momentum."""
        n = len(self.arm)
        return np.array([self.velocity(unit, np.zeros(6)) for unit in np.eye(n)]).T

    def acceleration(self, v: Array, accelerations: Array, rate: Array | None = None) -> Array:
        """a of all coordinates while momentum changes at that rate (it does not, if left out)."""
        L = self.tree.layout

        def change(a: Array) -> Array:
            pin.computeCentroidalMomentumTimeVariation(
                self.model, self.data, self.theirs, L.v(self.q, v), L.a(self.q, v, a)
            )
            return self.data.dhg.vector.copy()

        a = np.zeros(self.model.nv)
        a[self.arm] = accelerations
        left = (0 if rate is None else rate) - change(a)
        a[self.base] = np.linalg.solve(self.centroidal()[:, self.base], left)
        return a

    def forces(self, v: Array, a: Array) -> Array:
        return self.tree.forces(self.q, v, a)

    def hand_acceleration(self, v: Array, a: Array) -> Array:
        L = self.tree.layout
        pin.forwardKinematics(self.model, self.data, self.theirs, L.v(self.q, v), L.a(self.q, v, a))
        pin.updateFramePlacements(self.model, self.data)
        found = pin.getFrameClassicalAcceleration(self.model, self.data, self.frame, pin.LOCAL_WORLD_ALIGNED)
        return found.vector.copy()

    def columns(self, x: Array) -> Array:
        """The last axis in our order of v."""
        result = np.zeros_like(x)
        for block in self.tree.layout.blocks:
            result[..., block.v] = x[..., block.their_v]
        return result
