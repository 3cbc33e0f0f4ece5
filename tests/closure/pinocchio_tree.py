"""A robot's spanning tree in Pinocchio, built joint by joint, and its loops by Pinocchio's own Jacobians."""

from functools import cache

import numpy as np
import pinocchio as pin
import pose_reference as reference
from closed_robots import FREE

from rikigaku.formats.state_conversion import to_pinocchio
from rikigaku.model.robot_model import LoopEnd
from rikigaku.robot import Robot

Array = np.ndarray


def pose(X: Array) -> pin.SE3:
    return pin.SE3(X[:3, :3].real.copy(), X[:3, 3].real.copy())


class Tree:
    """model, data, and poses of links on Pinocchio's joints."""

    def __init__(self, robot: Robot) -> None:
        self.robot, self.model = robot, pin.Model()
        self.places: dict[str, tuple[int, pin.SE3]] = {robot.base: (0, pin.SE3.Identity())}
        self._add_all(robot.base)
        self.model.gravity = pin.Motion(reference.gravity(robot), np.zeros(3))
        self.ends = [[self._end(f"{loop.name} {k}", end) for k, end in enumerate((loop.start, loop.end))]
                     for loop in robot.loops]  # fmt: skip
        self.data = self.model.createData()
        self.layout = to_pinocchio(robot, self.model)

    def _add_all(self, parent: str) -> None:
        """Depth first: Pinocchio's mass matrix takes each subtree's coordinates to stand together."""
        for link in self.robot.links:
            if link.parent == parent:
                self._add(link)
                self._add_all(link.name)

    def _add(self, link) -> None:
        joint, X = self.places[link.parent]
        before, after = (
            pose(reference.steps_pose(s)) for s in (link.geometry.before(), link.geometry.after())
        )
        place = X * before
        if link.joint.type != "fixed":
            joint = self.model.addJoint(joint, joint_model(link.joint), place, link.joint.name)
            place = pin.SE3.Identity()
            v = self.model.joints[joint].idx_v
            self.model.armature[v : v + link.joint.nv] = float(link.joint.rotor)
        self.places[link.name] = (joint, place * after)
        if link.inertia is not None and joint:
            m, c, tensor = reference.about_center(link.inertia)
            self.model.appendBodyToJoint(joint, pin.Inertia(m, c, tensor), place * after)

    def _end(self, name: str, end: LoopEnd) -> int:
        joint, X = self.places[end.link]
        on_link = pose(reference.steps_pose((*end.geometry.before(), *end.geometry.after())))
        return self.model.addFrame(pin.Frame(name, joint, 0, X * on_link, pin.FrameType.OP_FRAME))

    def forces(self, q: Array, v: Array, a: Array) -> Array:
        """Joint forces of the tree in our order, without friction."""
        L = self.layout
        theirs = pin.rnea(self.model, self.data, L.q(q), L.v(q, v), L.a(q, v, a))
        return self.ours(theirs)

    def mass_matrix(self, q: Array) -> Array:
        M = pin.crba(self.model, self.data, self.layout.q(q))
        M = np.triu(M) + np.triu(M, 1).T
        return self.ours(self.ours(M).T)

    def loop_jacobian(self, q: Array) -> Array:
        """The forbidden relative velocities of all cut joints, in the axes of their start frames."""
        theirs = self.layout.q(q)
        pin.computeJointJacobians(self.model, self.data, theirs)
        pin.updateFramePlacements(self.model, self.data)
        rows = []
        for loop, (S, E) in zip(self.robot.loops, self.ends, strict=True):
            to_S = self.data.oMf[S].rotation.T
            world = [pin.getFrameJacobian(self.model, self.data, f, pin.LOCAL_WORLD_ALIGNED) for f in (S, E)]
            difference = world[1] - world[0]
            # the gap may be open along free directions: compare at one point, the origin of the end frame
            arm = self.data.oMf[E].translation - self.data.oMf[S].translation
            difference[:3] -= np.cross(world[0][3:].T, arm).T
            local = np.vstack([to_S @ difference[:3], to_S @ difference[3:]])
            allowed = np.eye(6)[list(FREE[loop.joint])]
            if loop.joint == "universal":  # about z of the start and x of the end
                allowed[1, 3:] = to_S @ self.data.oMf[E].rotation[:, 0]
            rows.append(local - np.linalg.pinv(allowed) @ allowed @ local if len(allowed) else local)
        J = np.vstack(rows)
        return self.ours(J.T).T

    def ours(self, x: Array) -> Array:
        result = np.zeros_like(x)
        for block in self.layout.blocks:
            result[block.v] = x[block.their_v]
        return result


def joint_model(joint) -> object:
    axis = np.array([float(x) for x in joint.axis])
    axis = axis / np.linalg.norm(axis)
    match joint.type:
        case "revolute":
            return pin.JointModelRevoluteUnaligned(axis)
        case "prismatic":
            return pin.JointModelPrismaticUnaligned(axis)
        case "spherical":
            return pin.JointModelSpherical()
        case "free":
            return pin.JointModelFreeFlyer()
        case "universal":
            second = np.array([float(x) for x in joint.second_axis])
            return pin.JointModelUniversal(axis, second / np.linalg.norm(second))
    raise AssertionError(joint.type)


@cache
def pinocchio_tree(robot: Robot) -> Tree:
    return Tree(robot)
