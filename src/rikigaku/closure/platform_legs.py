"""Assembly modes of platforms whose legs hold points of them at distances from points of the base.

With the actuated joints held, the passive joints of such a leg (UPS, PUS, RUS, and RRR in a plane) move a
point of the platform on a sphere about their common point, or on a circle. `platform_homotopy` gives all
poses of the platform; the joints of the legs follow by Newton's method.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rikigaku.binding.bound_law import bound_law
from rikigaku.closure.configuration_comparison import differences, within_limits, wrapped
from rikigaku.closure.held_coordinates import HeldCoordinates
from rikigaku.closure.loop_closure_newton import LoopEquations, newton
from rikigaku.closure.platform_homotopy import PLANAR, SPATIAL, Motion, PlatformPoses, platform_poses
from rikigaku.core.types import Array
from rikigaku.model.elementary_motions import Free, Prismatic, Revolute
from rikigaku.model.mechanism import WORLD, Closure, Mechanism, instantiate
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import random_state
from rikigaku.numbers.number_kind import FLOATS

_SAMPLES = 4  # random configurations at which distances must agree
_STARTS = 24  # of Newton's method for the joints of the legs at one pose
_SAME = 1e-9  # [m]
_POSED = 1e-10  # [m, rad]: largest residual of a configuration


class Platform(NamedTuple):
    """Points of base and platform, lengths, the motion, and the frame that names the platform.

    planar: rotation of the world that makes the plane of motion z = 0, and a pose of the platform.
    """

    a: Array
    b: Array
    lengths: Array
    motion: Motion
    frame: str
    on_body: Array
    planar: tuple[Array, Array] | None


def platform_of(robot: RobotModel, held: HeldCoordinates, symbols: Mapping[str, float]) -> Platform | None:
    """The platform and its legs with held coordinates at their positions; None if the robot has none."""
    if robot.couplings or not robot.loops:
        return None
    mechanism = instantiate(robot, FLOATS, {**robot.declared_values, **symbols})
    q = random_state(robot, np.random.default_rng(8), _SAMPLES).q
    q[:, held.q] = held.positions
    return _Legs(mechanism, set(held.q), q).platform()


def platform_modes(
    robot: RobotModel, platform: Platform, equations: LoopEquations, held: HeldCoordinates, like: Array
) -> tuple[Array, PlatformPoses]:
    """A closed configuration (modes, nq) at each pose of the platform, and the poses.

    Of the branches of a leg the one within the joint limits and nearest to `like` is taken.
    """
    found = poses_of(platform)
    if not len(found.poses):
        return np.empty((0, robot.nq)), found
    starts = random_state(robot, np.random.default_rng(1), _STARTS).q
    starts[0] = like
    starts[:, held.q] = held.positions
    free = [k for k in range(robot.nv) if k not in held.v]
    modes = []
    for pose in found.poses:
        q, residual = newton(PosedLoops(equations, platform.frame, pose), starts, free)
        good = (np.abs(residual).max(axis=1) < _POSED) & equations.aligned(q)
        if good.any():
            modes.append(_best(robot, wrapped(robot, q[good], held.q), like))
    closed = equations.newton(np.array(modes).reshape(-1, robot.nq), free)  # removes the last rounding errors
    return closed.q[closed.closed], found


def _best(robot: RobotModel, q: Array, like: Array) -> Array:
    inside = within_limits(robot, q)
    q = q[inside] if inside.any() else q
    return np.asarray(q[np.argmin(np.linalg.norm(differences(robot, q, like), axis=1))])


def poses_of(platform: Platform) -> PlatformPoses:
    """All poses of the platform's frame."""
    found = platform_poses(platform.a, platform.b, platform.lengths, platform.motion)
    poses = found.poses
    if platform.planar is not None:
        W, X0 = platform.planar
        poses = W.T @ poses @ W @ X0
    return found._replace(poses=poses @ platform.on_body, frame=platform.frame)


@dataclass(frozen=True)
class PosedLoops:
    """Closure of loops and a given pose (4, 4) or position (3,) of a frame, for Newton's method."""

    loops: LoopEquations
    frame: str
    target: Array

    def poses(self, q: Array) -> Array:
        """Poses of the frame (states, 4, 4)."""
        return np.asarray(bound_law(self.loops.robot, "tree.pose")(q, self.frame, **self.loops.symbols))

    def residual(self, q: Array) -> Array:
        """Residuals of the loops, then position and rotation vector of the frame beside the target."""
        T = self.poses(q)
        if self.target.ndim == 1:
            return np.concatenate([self.loops.residual(q), T[:, :3, 3] - self.target], axis=1)
        R = T[:, :3, :3] @ self.target[:3, :3].T
        w = 0.5 * np.stack(
            [R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1
        )
        sine = np.linalg.norm(w, axis=1)
        angle = np.arctan2(sine, 0.5 * (np.trace(R, axis1=1, axis2=2) - 1))
        # the axis of half a revolution is arbitrary: its residual is not zero
        far = (sine < 1e-9) & (angle > 1)
        scale = np.where(sine < 1e-9, 1.0, angle / np.maximum(sine, 1e-9))
        w = np.where(far[:, None], angle[:, None] * np.eye(3)[0], w * scale[:, None])
        return np.concatenate([self.loops.residual(q), T[:, :3, 3] - self.target[:3, 3], w], axis=1)

    def jacobian(self, q: Array) -> Array:
        """Rates of the residuals by v; that of the rotation for small angles."""
        J = np.asarray(bound_law(self.loops.robot, "tree.jacobian")(q, self.frame, **self.loops.symbols))
        rows = J[:, :3] if self.target.ndim == 1 else J
        return np.concatenate([self.loops.jacobian(q), rows], axis=1)

    def moved(self, q: Array, step: Array) -> Array:
        """q after a tangent step."""
        return self.loops.moved(q, step)


class _Legs:
    """Recognition of legs: distances that do not depend on the passive joints, at random configurations."""

    def __init__(self, mechanism: Mechanism, held: set[int], q: Array) -> None:
        self.mechanism, self.held, self.q = mechanism, held, q
        self.poses = [self._pose(i) for i in range(len(mechanism.bodies))]

    def _pose(self, i: int) -> Array:
        """Poses of a body (samples, 4, 4)."""
        found = np.tile(np.eye(4), (len(self.q), 1, 1))
        for k in reversed(list(self.mechanism.support(i))):
            body = self.mechanism.bodies[k]
            moved = np.array([body.moved(q).matrix() for q in self.q.tolist()], dtype=np.float64)
            found = found @ np.array(body.placement.matrix(), dtype=np.float64) @ moved
        return np.asarray(found)

    def _at(self, body: int, point: Sequence[float]) -> Array:
        """A point of a body in the world (samples, 3)."""
        p = np.array([*point, 1.0], dtype=np.float64)
        X = self.poses[body] if body != WORLD else np.tile(np.eye(4), (len(self.q), 1, 1))
        return np.asarray((X @ p)[:, :3])

    def platform(self) -> Platform | None:
        ends = Counter(end[0] for loop in self.mechanism.loops for end in (loop.start, loop.end))
        ends.pop(WORLD, None)
        if not ends:
            return None
        body = ends.most_common(1)[0][0]
        legs = [self._cut_leg(loop, body) for loop in self.mechanism.loops]
        chain = list(self.mechanism.support(body))[::-1]
        if not (len(chain) == 1 and isinstance(self.mechanism.bodies[body].joint, Free)):
            legs.append(self._tree_leg(chain, body))
        if any(leg is None for leg in legs):
            return None
        a, b, lengths = (np.array(x) for x in zip(*[leg for leg in legs if leg], strict=True))
        name, on_body = next((n, X) for n, (k, X) in self.mechanism.frames.items() if k == body)
        frame = np.array(on_body.matrix(), dtype=np.float64)
        if len(legs) == SPATIAL.legs:
            return Platform(a, b, lengths, SPATIAL, name, frame, None)
        n = self._normal()
        if len(legs) != PLANAR.legs or n is None:
            return None
        W, X0 = np.eye(4), self.poses[body][0]
        W[:3, :3] = np.linalg.svd(n[None])[2][[1, 2, 0]]
        W[2, :3] *= np.sign(W[2, :3] @ n)
        W[0, :3] *= np.sign(np.linalg.det(W[:3, :3]))
        flat_a = a @ W[:3, :3].T
        flat_b = (b @ X0[:3, :3].T + X0[:3, 3]) @ W[:3, :3].T
        heights = flat_a[:, 2] - flat_b[:, 2]
        lengths = np.sqrt(np.maximum(lengths**2 - heights**2, 0.0))
        flat_a[:, 2] = flat_b[:, 2] = 0.0
        return Platform(flat_a, flat_b, lengths, PLANAR, name, frame, (W, X0))

    def _cut_leg(self, loop: Closure, body: int) -> tuple[Array, Array, float] | None:
        ends = [loop.start, loop.end]
        own = next((k for k, end in enumerate(ends) if end[0] == body), None)
        if own is None:
            return None
        (_, there), (other, here) = ends[own], ends[1 - own]
        chain = list(self.mechanism.support(other))[::-1]
        if body in chain:
            return None
        return self._leg(chain, self._at(other, here.p), np.array(there.p, dtype=np.float64))

    def _tree_leg(self, chain: list[int], body: int) -> tuple[Array, Array, float] | None:
        """The leg that carries the platform in the tree: its last passive joint is on the platform."""
        passive = self._passive(chain)
        if len(passive) < 2:
            return None
        last = self._origin(passive[-1])
        on_body = np.linalg.solve(self.poses[body], np.c_[last, np.ones(len(last))][..., None])[:, :3, 0]
        if np.ptp(on_body, axis=0).max() > _SAME:
            return None
        return self._leg(chain, last, on_body[0])

    def _leg(self, chain: list[int], end: Array, on_platform: Array) -> tuple[Array, Array, float] | None:
        passive = self._passive(chain)
        if not passive:
            return None
        start = self._origin(passive[0])
        distance = np.linalg.norm(end - start, axis=1)
        if np.ptp(start, axis=0).max() > _SAME or np.ptp(distance) > _SAME or distance[0] < _SAME:
            return None
        return start[0], on_platform, float(distance[0])

    def _passive(self, chain: list[int]) -> list[int]:
        return [k for k in chain if not set(self.mechanism.bodies[k].q) <= self.held]

    def _origin(self, k: int) -> Array:
        """Origin of a body's joint frame in the world."""
        body = self.mechanism.bodies[k]
        return self._at(body.parent, body.placement.p)

    def _normal(self) -> Array | None:
        """The normal of the plane that all bodies move in; None if there is none."""
        n: Array | None = None
        for k, body in enumerate(self.mechanism.bodies):
            z = self.poses[k][:, :3, 2]
            if isinstance(body.joint, Revolute):
                n = z[0] if n is None else n
                if np.abs(np.cross(z, n)).max() > _SAME:
                    return None
            elif not isinstance(body.joint, Prismatic):
                return None
        if n is None:
            return None
        for k, body in enumerate(self.mechanism.bodies):
            if isinstance(body.joint, Prismatic) and np.abs(self.poses[k][:, :3, 2] @ n).max() > _SAME:
                return None
        return n
