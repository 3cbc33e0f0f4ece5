"""Paths of joints and of frames (hand, any point) followed by all joints of a robot, loops closed.

Positions come from Newton's method along the path; velocities and accelerations from the same equations
differentiated, exactly.
"""

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.plan import closure, coordinate_names
from rikigaku.errors import CannotClose, UnknownName, WrongSize, WrongValue
from rikigaku.fem.motion import Motion
from rikigaku.fem.paths import sampled
from rikigaku.model.robot import Robot
from rikigaku.states import as_position, neutral, random_state

Array = NDArray[np.float64]

_CLOSED = 1e-12
_STEPS = 30
_LONGEST = 0.5  # [m, rad] a step of Newton's method may be
_RANK = 1e-9
_SINGULAR = 1e-6  # of the largest singular value: below it joints are not decided to any use
_STARTS = 40


class Follower:
    """Equations of loops, joints and points at one time; rows in this order."""

    def __init__(self, robot: Robot, target: Mapping[str, Any], t: Array) -> None:
        self.robot, self.laws, self.t = robot, cast(Any, robot), t
        self.joints: list[tuple[str, Array, Array, Array]] = []
        self.frames: list[tuple[str, list[int], Array, Array, Array]] = []
        self.target, self.names = target, tuple(target)
        joints = {joint.name: joint for joint in robot.joints}
        for name, path in target.items():
            x, v, a = sampled(f"The path of {name!r}", path, t)
            if name in joints:
                if joints[name].nq != 1 or x.shape[1] != 1:
                    raise WrongValue(
                        f"The path of joint {name!r} is one number; joints of one coordinate serve."
                    )
                self.joints.append((name, x, v, a))
            elif name in robot.frame_names:
                self.frames.append((name, self._axes(name, x.shape[1]), x, v, a))
            else:
                raise UnknownName(
                    "joint or frame", name, (*joints, *robot.frame_names), f"robot {robot.name!r}"
                )

    def _axes(self, name: str, size: int) -> list[int]:
        if size == 3:
            return [0, 1, 2]
        from rikigaku.fem.plane import plane_normal
        from rikigaku.model.mechanism import instantiate
        from rikigaku.numbers.kind import FLOATS

        n = plane_normal(self.robot, instantiate(self.robot, FLOATS, self.robot.declared_values))
        if size == 2 and n is not None and np.abs(n).max() > 1 - 1e-9:
            return [k for k in range(3) if k != int(np.argmax(np.abs(n)))]
        raise WrongSize(f"The path of frame {name!r} is three numbers, world axes; it has {size}.")

    def residual(self, k: int, q: Array) -> Array:
        rows = [self.laws.loop_residual(q)] if self.robot.loops or self.robot.couplings else []
        rows += [q[self.robot.q_slices[name]] - x[k] for name, x, _, _ in self.joints]
        rows += [self.laws.pose(q, name)[axes, 3] - x[k] for name, axes, x, _, _ in self.frames]
        return np.concatenate(rows)

    def jacobian(self, q: Array) -> Array:
        rows = [self.laws.loop_jacobian(q)] if self.robot.loops or self.robot.couplings else []
        rows += [np.eye(self.robot.nv)[self.robot.v_slices[name]] for name, _, _, _ in self.joints]
        rows += [self.laws.jacobian(q, name)[axes] for name, axes, _, _, _ in self.frames]
        return np.concatenate(rows)

    def rates(self, k: int, q: Array) -> tuple[Array, Array]:
        """v and a from the equations differentiated once and twice.

        Raises:
            CannotClose: where the posture is singular, so that they say nothing of some joint.
        """
        J = self.jacobian(q)
        self.check_regular(J, k)
        loops = [self.laws.loop_residual(q) * 0] if self.robot.loops or self.robot.couplings else []
        paths = [*((v, a) for _, _, v, a in self.joints), *((v, a) for _, _, _, v, a in self.frames)]
        v = np.linalg.lstsq(J, np.concatenate([*loops, *(x[k] for x, _ in paths)]), rcond=_RANK)[0]
        bias = [self.laws.loop_bias(q, v)] if loops else []
        bias += [np.zeros(1) for _ in self.joints]
        bias += [self.laws.jacobian_rate(q, v, name)[axes] for name, axes, _, _, _ in self.frames]
        right = np.concatenate([*loops, *(x[k] for _, x in paths)]) - np.concatenate(bias)
        return v, np.linalg.lstsq(J, right, rcond=_RANK)[0]

    def check_regular(self, J: Array, k: int) -> None:
        """All joints are decided by the paths and loops at sample k."""
        _, s, Vt = np.linalg.svd(J)
        if s[-1] > _SINGULAR * s[0]:
            return
        free = np.abs(Vt[-1])
        name = coordinate_names(self.robot)[int(np.argmax(free))]
        raise CannotClose(
            f"At t = {self.t[k]:.6g} s (sample {k}) the paths given ({', '.join(self.names)}) come to a "
            f"singular posture of robot {self.robot.name!r}: joint {name!r} can move there while they stand "
            f"still, so they do not say how fast it goes. Keep the path away from it, or give the path of "
            f"{name!r} instead.",
            reason="singular",
        )

    def newton(self, k: int, q: Array) -> tuple[Array, float]:
        """The posture at sample k from near by, and what is left open."""
        left = self.residual(k, q)
        for _ in range(_STEPS):
            if np.abs(left).max() < 1e-15:
                break
            step = -np.linalg.lstsq(self.jacobian(q), left, rcond=_RANK)[0]
            step *= min(1.0, _LONGEST / max(float(np.abs(step).max()), 1e-300))
            tried = self.laws.integrate(q, step)
            new = self.residual(k, tried)
            if np.abs(left).max() < 1e-10 and np.abs(new).max() >= np.abs(left).max():
                break
            q, left = tried, new
        return q, float(np.abs(left).max(initial=0.0))

    def motion(self, near: Any) -> Motion:
        q = self.first(near)
        self.check_decided(q)
        states: list[tuple[Array, Array, Array]] = []
        for k in range(len(self.t)):
            if k:
                dt = self.t[k] - self.t[k - 1]
                q = self.laws.integrate(q, dt * states[-1][1] + dt * dt / 2 * states[-1][2])
            q, left = self.newton(k, q)
            if not left < _CLOSED * max(1.0, float(np.abs(q).max())) * 100:
                raise self.error(k, left)
            states.append((q, *self.rates(k, q)))
        q, v, a = (np.array(part) for part in zip(*states, strict=True))
        return Motion(self.robot, self.t, q, v, a, self.between)

    def between(self, time: float, near: Array) -> tuple[Array, Array]:
        """q and v at a time, from a posture near by."""
        one = Follower(self.robot, self.target, np.array([time]))
        q, left = one.newton(0, near)
        if not left < 1e-10:
            raise one.error(0, left)
        return q, one.rates(0, q)[0]

    def first(self, near: Any) -> Array:
        if near is not None:
            return self.newton(0, as_position(self.robot, near))[0]
        rng = np.random.default_rng(0)
        best, gap = neutral(self.robot), np.inf
        for attempt in range(_STARTS):
            start = best if attempt == 0 else random_state(self.robot, rng).q
            q, left = self.newton(0, start)
            if left < 1e-10 and (not self.robot.loops or (self.laws.loop_facing(q) > 0).all()):
                return q
            gap = min(gap, left)
        raise self.error(0, gap)

    def check_decided(self, q: Array) -> None:
        """There are paths enough; a posture that is singular by chance is told as such."""
        shaken = self.laws.integrate(q, 0.01 * np.random.default_rng(0).normal(size=self.robot.nv))
        ranks = [np.linalg.matrix_rank(self.jacobian(x), rtol=_RANK) for x in (q, shaken)]
        if free := self.robot.nv - int(max(ranks)):
            raise WrongValue(
                f"The paths given ({', '.join(self.names)}) leave "
                f"robot {self.robot.name!r} {free} freedoms: give paths of {free} more joints or coordinates."
            )

    def error(self, k: int, left: float) -> CannotClose:
        laws = self.robot.loops or self.robot.couplings
        free = closure(self.robot).mobility if laws else self.robot.nv
        given = len(self.joints) + sum(len(axes) for _, axes, *_ in self.frames)
        more = "" if given <= free else (
            f" The paths give {given} coordinates, and the robot has {free} freedom{'s' * (free != 1)}: they "
            "must agree to all digits, so give fewer."
        )  # fmt: skip
        return CannotClose(
            f"The motion leaves the workspace of robot {self.robot.name!r} at t = {self.t[k]:.6g} s (sample "
            f"{k}): the nearest posture found misses it by {left:.3g} m or rad.{more}",
            reason="unreachable",
        )
