"""The regressor of a robot from Pinocchio alone, along the motions its loops allow, at random closed states.

The model is built from the robot's data, not from our mechanism; closed configurations come from Newton's
method on Pinocchio's own frames. Joints: revolute, prismatic, universal, free, fixed; cut joints: planar
revolute ones and spherical ones, for which the three rows of position say all.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from rikigaku.model.geometry import Steps
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot

Array = np.ndarray
Meant = Callable[[Array], bool]
# Pinocchio's order of the ten parameters in terms of ours: its Iyy stands before Ixz.
OURS = (0, 1, 2, 3, 4, 5, 7, 6, 8, 9)


@dataclass
class Oracle:
    """A Pinocchio model and where the blocks of its regressor stand in ours."""

    model: pin.Model
    blocks: list[tuple[int, Array]]  # for each link that moves its joint, and its parameters seen from there
    ends: list[tuple[int, int]]  # frames that meet
    around: Array | None = None  # where random configurations are drawn, instead of everywhere

    def configuration(self, rng: np.random.Generator, meant: Meant = lambda q: True) -> Array:
        """A random closed configuration in the chosen assembly mode."""
        model, data = self.model, self.model.createData()
        pin.seed(int(rng.integers(2**31)))
        limited = self.model.copy()
        limited.lowerPositionLimit = np.full(model.nq, -2.0)
        limited.upperPositionLimit = np.full(model.nq, 2.0)
        for _ in range(100):
            q = pin.randomConfiguration(limited)
            if self.around is not None:
                q = pin.integrate(model, self.around, 0.3 * rng.normal(size=model.nv))
            for _ in range(60):
                gap, J = self.gap(data, q)
                if np.abs(gap).max(initial=0) < 1e-13:
                    if meant(q):
                        return q
                    break
                step = -np.linalg.lstsq(J, gap, rcond=1e-9)[0]
                q = pin.integrate(model, q, step * min(1, 0.5 / np.linalg.norm(step)))
        raise AssertionError("no closed configuration")

    def gap(self, data: pin.Data, q: Array) -> tuple[Array, Array]:
        pin.computeJointJacobians(self.model, data, q)
        pin.updateFramePlacements(self.model, data)
        gaps, rows = [np.zeros(0)], [np.zeros((0, self.model.nv))]
        for s, e in self.ends:
            gaps.append(data.oMf[s].translation - data.oMf[e].translation)
            J = [pin.getFrameJacobian(self.model, data, f, pin.LOCAL_WORLD_ALIGNED)[:3] for f in (s, e)]
            rows.append(J[0] - J[1])
        return np.concatenate(gaps), np.concatenate(rows)

    def rows(
        self, rng: np.random.Generator, joint_parameters: bool = False, meant: Meant = lambda q: True
    ) -> Array:
        """The regressor at a random closed state, in our columns, along the motions the loops allow.

        joint_parameters: with columns of rotors, viscous and Coulomb friction (joints of one
        coordinate). meant: whether a configuration is in the chosen assembly mode.
        """
        model, data = self.model, self.model.createData()
        q = self.configuration(rng, meant)
        _, J = self.gap(data, q)
        _, s, Vt = np.linalg.svd(J) if len(J) else (None, np.zeros(0), np.eye(model.nv))
        N = Vt[(s > 1e-9).sum() :].T
        v = N @ rng.normal(size=N.shape[1])
        pin.forwardKinematics(model, data, q, v, np.zeros(model.nv))
        bias = [np.zeros(0)]
        for frames in self.ends:
            a = [
                pin.getFrameClassicalAcceleration(model, data, f, pin.LOCAL_WORLD_ALIGNED).linear
                for f in frames
            ]
            bias.append(a[0] - a[1])
        a = N @ rng.normal(size=N.shape[1]) - np.linalg.pinv(J, rcond=1e-9) @ np.concatenate(bias)
        columns = [N.T @ self.at(q, v, a)]
        columns += [N.T * x for x in (a, v, np.sign(v))] if joint_parameters else []
        return np.concatenate(columns, axis=1)

    def at(self, q: Array, v: Array, a: Array) -> Array:
        """The regressor of the tree at a state, in our columns."""
        Y = pin.computeJointTorqueRegressor(self.model, self.model.createData(), q, v, a)
        parts = [Y[:, 10 * (j - 1) : 10 * j] @ T for j, T in self.blocks]
        return np.concatenate([part[:, list(OURS)] for part in parts], axis=1)


def oracle(robot: Robot, gravity: Array | None = None, loops: bool = True) -> Oracle:
    """Pinocchio's model of a robot with numbers for parameters."""
    model = pin.Model()
    model.gravity.linear = _floats(robot.gravity) if gravity is None else np.asarray(gravity, float)
    where: dict[str, tuple[int, pin.SE3]] = {robot.base: (0, pin.SE3.Identity())}
    blocks = []
    for link in robot.links:  # parents come first in the robots tried here
        joint, on = where[link.parent]
        place = on * se3(link.geometry.before())
        beyond = se3(link.geometry.after())
        axes = {"universal": (link.joint.axis, link.joint.second_axis)}.get(
            link.joint.type, (link.joint.axis,)
        )
        if link.joint.type == "fixed":
            where[link.name] = (joint, place * beyond)
            continue
        for k, axis in enumerate(axes):
            u = _floats(axis) / np.linalg.norm(_floats(axis))
            kinds = {"prismatic": pin.JointModelPrismaticUnaligned(u), "free": pin.JointModelFreeFlyer()}
            kind = kinds.get(link.joint.type, pin.JointModelRevoluteUnaligned(u))
            joint = model.addJoint(joint, kind, place, f"{link.joint.name} {k}")
            place = pin.SE3.Identity()
        where[link.name] = (joint, beyond)
        blocks.append((joint, carried(beyond)))
    ends = []
    for loop in robot.loops if loops else ():
        pair = []
        for name, end in (("start", loop.start), ("end", loop.end)):
            joint, on = where[end.link]
            place = on * se3((*end.geometry.before(), *end.geometry.after()))
            frame = pin.Frame(f"{loop.name} {name}", joint, 0, place, pin.OP_FRAME)
            pair.append(model.addFrame(frame))
        ends.append((pair[0], pair[1]))
    return Oracle(model, blocks, ends)


def rank(Y: Array) -> int:
    """Numerical rank; columns of one size, and a gap in the singular values that leaves no doubt."""
    sizes = np.abs(Y).max(axis=0)
    s = np.linalg.svd(Y[:, sizes > 1e-9] / sizes[sizes > 1e-9], compute_uv=False)
    count = int((s > 1e-9 * s[0]).sum())
    assert count == len(s) or s[count - 1] > 1e3 * s[count], "no clear rank"
    return count


def carried(X: pin.SE3) -> Array:
    """Ten parameters (Pinocchio's order) in the frame where the link's own has the pose X, as a matrix."""
    links = [pin.Inertia.Random() for _ in range(10)]
    before = np.stack([link.toDynamicParameters() for link in links], axis=1)
    after = np.stack([link.se3Action(X).toDynamicParameters() for link in links], axis=1)
    return after @ np.linalg.inv(before)


def se3(steps: Steps) -> pin.SE3:
    """Constant steps as Pinocchio's pose."""
    X = pin.SE3.Identity()
    for axis, amount in steps:
        u = np.eye(3)["xyz".index(axis[1])]
        R = pin.exp3(float(amount) * u) if axis[0] == "r" else np.eye(3)
        X = X * pin.SE3(R, float(amount) * u * (axis[0] == "t"))
    return X


def _floats(formulas: tuple[Formula, ...]) -> Array:
    return np.array([float(x) for x in formulas])
