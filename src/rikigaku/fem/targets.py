"""The motion a mechanism is to make: paths of all joints, of some, or of points, the rest found by assembly.

Joint paths of an open mechanism are taken as they are. Where paths are given for some joints, or for frames
(hand, any point), positions come from Newton's method along the path, together with the loops; velocities and
accelerations from the same equations differentiated, exactly.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.plan import closure
from rikigaku.errors import CannotClose, UnknownName, WrongSize, WrongValue
from rikigaku.model.robot import Robot
from rikigaku.states import as_position, neutral, random_state

Array = NDArray[np.float64]

_CLOSED = 1e-12
_STEPS = 30
_LONGEST = 0.5  # [m, rad] a step of Newton's method may be
_RANK = 1e-9
_STARTS = 40


@dataclass(frozen=True, eq=False)
class Motion:
    """Times (samples,), positions (samples, nq), velocities and accelerations (samples, nv)."""

    robot: Robot
    t: Array
    q: Array
    v: Array
    a: Array


def target_motion(
    robot: Robot, target: Any, t: Any = None, *, samples: int = 201, near: Any = None
) -> Motion:
    """The motion of all joints.

    Args:
        target: a Motion; a trajectory of all joints, or of the independent ones of a closed robot (any
            function of time with q, v, a; see `rikigaku.trajectory`); or {name: trajectory} for joints and
            frames: a frame's path is its position in the world [m], three numbers, or two for a planar robot
            (the world axes of its plane in their order).
        t: times [s]; `samples` even ones over the duration of the trajectory if left out.
        near: a posture to begin from, where the rest has to be found.
    Raises:
        CannotClose: if the motion leaves the workspace. WrongValue: if it does not decide all joints.
    """
    if isinstance(target, Motion):
        return target
    if isinstance(target, Mapping) and not target:
        raise WrongValue(
            f"No path was given: a motion of robot {robot.name!r} takes {{joint or frame: trajectory}}."
        )
    times = _times(target, t, samples)
    if isinstance(target, Mapping):
        return _Solver(robot, target, times).motion(near)
    q, v, a = (np.asarray(x, dtype=np.float64) for x in target(times))
    if q.shape == (len(times), robot.nq) and v.shape == a.shape == (len(times), robot.nv):
        return Motion(robot, times, q, v, a)
    if robot.loops or robot.couplings:
        plan = closure(robot)
        if q.shape == (len(times), plan.mobility) == v.shape:
            return _completed(robot, times, q, v, a, near)
        wanted = f"{robot.nq} joints, or the {plan.mobility} independent ones ({', '.join(plan.independent)})"
    else:
        wanted = f"{robot.nq} joints"
    raise WrongSize(
        f"A motion of robot {robot.name!r} takes {wanted}; the trajectory has {q.shape[1:]} positions."
    )


def _completed(robot: Robot, t: Array, q: Array, v: Array, a: Array, near: Any) -> Motion:
    laws = cast(Any, robot)
    whole = laws.assemble(q, near=near, path=True)
    rates, accelerations = laws.complete(whole, v, a)
    return Motion(robot, t, whole, np.asarray(rates), np.asarray(accelerations))


def _times(target: Any, t: Any, samples: int) -> Array:
    if t is not None:
        times = np.atleast_1d(np.asarray(t, dtype=np.float64))
        if times.ndim != 1 or not len(times) or not np.isfinite(times).all() or (np.diff(times) <= 0).any():
            raise WrongValue("Times of a motion are finite and increase.")
        return times
    return np.linspace(0.0, duration_of(target), samples)


def duration_of(target: Any) -> float:
    """Of the longest trajectory of a target [s]."""
    pieces = list(target.values()) if isinstance(target, Mapping) else [target]
    lengths = [float(piece.duration) for piece in pieces if hasattr(piece, "duration")]
    if not lengths:
        raise WrongValue("How long is the motion? Give times t=[...], or a trajectory with a duration.")
    return max(lengths)


class _Solver:
    """Equations of loops, joints and points at one time; rows in this order."""

    def __init__(self, robot: Robot, target: Mapping[str, Any], t: Array) -> None:
        self.robot, self.laws, self.t = robot, cast(Any, robot), t
        self.joints: list[tuple[str, Array, Array, Array]] = []
        self.frames: list[tuple[str, list[int], Array, Array, Array]] = []
        self.names = tuple(target)
        joints = {joint.name: joint for joint in robot.joints}
        for name, path in target.items():
            x, v, a = (np.asarray(part, dtype=np.float64).reshape(len(t), -1) for part in path(t))
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
        """v and a from the equations differentiated once and twice."""
        J = self.jacobian(q)
        loops = [self.laws.loop_residual(q) * 0] if self.robot.loops or self.robot.couplings else []
        paths = [*((v, a) for _, _, v, a in self.joints), *((v, a) for _, _, _, v, a in self.frames)]
        v = np.linalg.lstsq(J, np.concatenate([*loops, *(x[k] for x, _ in paths)]), rcond=_RANK)[0]
        bias = [self.laws.loop_bias(q, v)] if loops else []
        bias += [np.zeros(1) for _ in self.joints]
        bias += [self.laws.jacobian_rate(q, v, name)[axes] for name, axes, _, _, _ in self.frames]
        right = np.concatenate([*loops, *(x[k] for _, x in paths)]) - np.concatenate(bias)
        return v, np.linalg.lstsq(J, right, rcond=_RANK)[0]

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
        return Motion(self.robot, self.t, *(np.array(part) for part in zip(*states, strict=True)))

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
        s = np.linalg.svd(self.jacobian(q), compute_uv=False)
        free = self.robot.nv - int((s > _RANK * s[:1]).sum())
        if free:
            raise WrongValue(
                f"The paths given ({', '.join(self.names)}) leave "
                f"robot {self.robot.name!r} {free} freedoms: give paths of {free} more joints or coordinates."
            )

    def error(self, k: int, left: float) -> CannotClose:
        return CannotClose(
            f"The motion leaves the workspace of robot {self.robot.name!r} at t = {self.t[k]:.6g} s (sample "
            f"{k}): the nearest posture found misses it by {left:.3g} m or rad.",
            reason="unreachable",
        )
