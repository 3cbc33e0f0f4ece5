"""Motion of all joints of a robot from prescribed paths of joints and frames, with its loops closed.

Positions follow from Newton's method at each sample, velocities and accelerations from the same equations
differentiated once and twice.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rikigaku.binding.bound_law import BoundLaw, bound_law
from rikigaku.closure.closure_plan import closure, coordinate_names
from rikigaku.closure.loop_closure_newton import newton
from rikigaku.core.errors import CannotClose, UnknownName, WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.fem.sampled_motion import Motion, sampled
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import as_position, neutral, random_state

_CLOSED = 1e-12
_STEPS = 30
_RANK = 1e-9
_SINGULAR = 1e-6  # singular values below this part of the largest make the configuration singular
_STARTS = 40


@dataclass(frozen=True)
class _SampleEquations:
    """The equations of a path follower at sample k, as Newton's method takes them."""

    follower: "PathFollower"
    k: int

    def residual(self, q: Array) -> Array:
        """(states, equations)."""
        return self.follower.residual(self.k, q)

    def jacobian(self, q: Array) -> Array:
        """(states, equations, nv)."""
        return self.follower.jacobian(q)

    def moved(self, q: Array, step: Array) -> Array:
        """q after a tangent step."""
        return np.asarray(bound_law(self.follower.robot, "tree.integrate")(q, step))


class PathFollower:
    """Equations of loops, joints and frames at the samples of a path, in this order."""

    def __init__(self, robot: RobotModel, target: Mapping[str, Any], t: Array) -> None:
        self.robot, self.t = robot, t
        self.joints: list[tuple[str, Array, Array, Array]] = []
        self.frames: list[tuple[str, list[int], Array, Array, Array]] = []
        self.target, self.names = target, tuple(target)
        joints = {joint.name: joint for joint in robot.joints}
        for name, path in target.items():
            x, v, a = sampled(f"The path of {name!r}", path, t)
            if name in joints:
                if joints[name].nq != 1 or x.shape[1] != 1:
                    raise WrongValue(
                        f"The path of joint {name!r} is one number a sample, of a joint with one coordinate."
                    )
                self.joints.append((name, x, v, a))
            elif name in robot.frame_names:
                self.frames.append((name, self._axes(name, x.shape[1]), x, v, a))
            else:
                raise UnknownName(
                    "joint or frame", name, (*joints, *robot.frame_names), f"robot {robot.name!r}"
                )

    def _law(self, name: str) -> BoundLaw:
        return bound_law(self.robot, f"tree.{name}")

    def _axes(self, name: str, size: int) -> list[int]:
        if size == 3:
            return [0, 1, 2]
        from rikigaku.fem.mesh_layout import plane_normal
        from rikigaku.model.mechanism import instantiate
        from rikigaku.numbers.number_kind import FLOATS

        n = plane_normal(self.robot, instantiate(self.robot, FLOATS, self.robot.declared_values))
        if size == 2 and n is not None and np.abs(n).max() > 1 - 1e-9:
            return [k for k in range(3) if k != int(np.argmax(np.abs(n)))]
        raise WrongSize(f"The path of frame {name!r} is three numbers, world axes; it has {size}.")

    def residual(self, k: int, q: Array) -> Array:
        """Closure residual, then position errors of joints and frames at sample k, for q (..., nq)."""
        rows = [self._law("loop_residual")(q)] if self.robot.loops or self.robot.couplings else []
        rows += [q[..., self.robot.q_slices[name]] - x[k] for name, x, _, _ in self.joints]
        rows += [self._law("pose")(q, name)[..., axes, 3] - x[k] for name, axes, x, _, _ in self.frames]
        return np.concatenate(rows, axis=-1)

    def jacobian(self, q: Array) -> Array:
        """J with d(residual)/dt = J v, (..., equations, nv)."""
        rows = [self._law("loop_jacobian")(q)] if self.robot.loops or self.robot.couplings else []
        for name, _, _, _ in self.joints:
            own = np.eye(self.robot.nv)[self.robot.v_slices[name]]
            rows.append(np.broadcast_to(own, (*q.shape[:-1], *own.shape)))
        rows += [self._law("jacobian")(q, name)[..., axes, :] for name, axes, _, _, _ in self.frames]
        return np.concatenate(rows, axis=-2)

    def rates(self, k: int, q: Array) -> tuple[Array, Array]:
        """v and a from the equations differentiated once and twice.

        Raises:
            CannotClose: at a singular configuration, where they do not determine some joint.
        """
        J = self.jacobian(q)
        self.check_regular(J, k)
        loops = [self._law("loop_residual")(q) * 0] if self.robot.loops or self.robot.couplings else []
        paths = [*((v, a) for _, _, v, a in self.joints), *((v, a) for _, _, _, v, a in self.frames)]
        v = np.linalg.lstsq(J, np.concatenate([*loops, *(x[k] for x, _ in paths)]), rcond=_RANK)[0]
        bias = [self._law("loop_bias")(q, v)] if loops else []
        bias += [np.zeros(1) for _ in self.joints]
        bias += [self._law("jacobian_rate")(q, v, name)[axes] for name, axes, _, _, _ in self.frames]
        right = np.concatenate([*loops, *(x[k] for _, x in paths)]) - np.concatenate(bias)
        return v, np.linalg.lstsq(J, right, rcond=_RANK)[0]

    def check_regular(self, J: Array, k: int) -> None:
        """Raise CannotClose if the paths and loops do not determine all joints at sample k."""
        _, s, Vt = np.linalg.svd(J)
        if s[-1] > _SINGULAR * s[0]:
            return
        free = np.abs(Vt[-1])
        name = coordinate_names(self.robot)[int(np.argmax(free))]
        raise CannotClose(
            f"At t = {self.t[k]:.6g} s (sample {k}) the paths ({', '.join(self.names)}) come to a singular "
            f"configuration of robot {self.robot.name!r}: joint {name!r} can move there while they stand "
            f"still, so they do not determine its velocity. Keep the path away from it, or give the path "
            f"of {name!r} instead.",
            reason="singular",
        )

    def newton(self, k: int, q: Array) -> tuple[Array, float]:
        """The configuration at sample k found from q (nq,), and its largest residual."""
        found = newton(_SampleEquations(self, k), q[None], steps=_STEPS)
        return found.q[0], float(np.abs(found.residual).max(initial=0.0))

    def motion(self, near: Any) -> Motion:
        q = self.first(near)
        self.check_determined(q)
        states: list[tuple[Array, Array, Array]] = []
        for k in range(len(self.t)):
            if k:
                dt = self.t[k] - self.t[k - 1]
                q = self._law("integrate")(q, dt * states[-1][1] + dt * dt / 2 * states[-1][2])
            q, left = self.newton(k, q)
            if not left < _CLOSED * max(1.0, float(np.abs(q).max())) * 100:
                raise self.error(k, left)
            states.append((q, *self.rates(k, q)))
        q, v, a = (np.array(part) for part in zip(*states, strict=True))
        return Motion(self.robot, self.t, q, v, a, self.between)

    def between(self, time: float, near: Array) -> tuple[Array, Array]:
        """q and v at a time, found from a configuration nearby."""
        one = PathFollower(self.robot, self.target, np.array([time]))
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
            if left < 1e-10 and (not self.robot.loops or (self._law("loop_alignment")(q) > 0).all()):
                return q
            gap = min(gap, left)
        raise self.error(0, gap)

    def check_determined(self, q: Array) -> None:
        """Raise WrongValue if the paths are too few; a perturbed q excludes a singularity by chance."""
        perturbed = self._law("integrate")(q, 0.01 * np.random.default_rng(0).normal(size=self.robot.nv))
        ranks = [np.linalg.matrix_rank(self.jacobian(x), rtol=_RANK) for x in (q, perturbed)]
        if free := self.robot.nv - int(max(ranks)):
            raise WrongValue(
                f"The paths given ({', '.join(self.names)}) leave "
                f"robot {self.robot.name!r} {free} freedoms: give paths of {free} more joints or coordinates."
            )

    def error(self, k: int, left: float) -> CannotClose:
        laws = self.robot.loops or self.robot.couplings
        free = closure(self.robot).mobility if laws else self.robot.nv
        prescribed = len(self.joints) + sum(len(axes) for _, axes, *_ in self.frames)
        more = "" if prescribed <= free else (
            f" The paths give {prescribed} coordinates, and the robot has {free} freedom{'s' * (free != 1)}: "
            "they must agree to all digits, so give fewer."
        )  # fmt: skip
        return CannotClose(
            f"The motion leaves the workspace of robot {self.robot.name!r} at t = {self.t[k]:.6g} s (sample "
            f"{k}): the nearest configuration found misses it by {left:.3g} m or rad.{more}",
            reason="unreachable",
        )
