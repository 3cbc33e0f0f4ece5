"""Controllers as formulas of the state: they are compiled into the field, no Python runs in the loop.

A controller follows a target: a posture, or a trajectory (`rikigaku.trajectory`), whose polynomials are
evaluated in native code.
"""

from typing import Any

import numpy as np

from rikigaku.errors import WrongSize, WrongValue
from rikigaku.laws.newton_euler import inverse_dynamics, smooth_resistance
from rikigaku.model.mechanism import Mechanism
from rikigaku.model.robot import Robot
from rikigaku.numbers.kind import Number
from rikigaku.simulation.drives import Array, Function, Numbers, Pieces
from rikigaku.simulation.free import is_closed
from rikigaku.trajectory import Polynomial
from rikigaku.trajectory import Sequence as Motions


class ComputedTorque:
    """tau = inverse dynamics of a_d + damping (v_d - v) + stiffness (q_d - q), viscous friction included.

    Args:
        target: a posture (n,) or a trajectory.
        stiffness [1/s^2], damping [1/s]: numbers or (n,); w^2 and 2 w give critical damping at w [rad/s].
    Every joint has a drive and one coordinate: with a free base or a passive joint no torques give the wanted
    accelerations.
    """

    function: Function | None = None
    period: float | None = None

    def __init__(self, robot: Robot, target: Any, stiffness: Any, damping: Any) -> None:
        idle = [j.name for j in robot.joints if j.nv and (not j.actuated or j.nq != j.nv)]
        if idle or is_closed(robot):
            why = f"joint {idle[0]!r} is passive or has a quaternion" if idle else "it has loops"
            raise WrongValue(
                f"ComputedTorque needs a tree with a drive in every joint; of robot {robot.name!r} {why}. "
                "rk.PD drives the joints that have drives."
            )
        self.nv = robot.nv
        both = [gains(name, x, self.nv) for name, x in (("stiffness", stiffness), ("damping", damping))]
        self.parameters = tuple(float(x) for x in np.concatenate(both))
        self.pieces, self.size = target_pieces(target, self.nv), 3 * self.nv

    @property
    def identity(self) -> str:
        return f"ComputedTorque {self.nv}"

    def forces(
        self, mechanism: Mechanism, t: Number, q: Numbers, v: Numbers, u: Numbers, p: Numbers
    ) -> list[Number]:
        n = self.nv
        a = [u[2 * n + k] + p[k] * (u[k] - q[k]) + p[n + k] * (u[n + k] - v[k]) for k in range(n)]
        return drive_forces(mechanism, q, v, a)


def drive_forces(mechanism: Mechanism, q: Numbers, v: Numbers, a: Numbers) -> list[Number]:
    """Inverse dynamics with viscous friction and springs; Coulomb friction, not smooth in v, is left out."""
    tau = inverse_dynamics(mechanism, q, v, a, friction=False)
    return [t + r for t, r in zip(tau, smooth_resistance(mechanism, q, v), strict=True)]


def target_pieces(target: Any, n: int) -> Pieces:
    """(q, v, a) of a target as polynomials by segments.

    Raises:
        WrongSize, WrongValue: for a target that is no posture and no trajectory.
    """
    if not callable(target):
        q = np.asarray(target, dtype=np.float64)
        if q.shape != (n,):
            raise WrongSize(f"A target posture has {n} numbers; shape {q.shape} was given.")
        return Pieces(np.array([0.0]), np.concatenate([q, np.zeros(2 * n)])[None, None])
    motions = _flat(target)
    starts, segments = [], []
    clock = 0.0
    for motion in motions:
        for start, rows in _segments(motion):
            starts.append(clock + start)
            segments.append(rows)
        clock += motion.duration
    last = np.asarray(target(clock).q, dtype=np.float64)
    v = np.asarray(target(clock).v, dtype=np.float64)
    if last.shape != (n,):
        raise WrongSize(f"A target moves {n} coordinates; this trajectory moves {last.shape}.")
    starts.append(clock)
    segments.append(np.array([v, last]))
    degree = max(len(rows) for rows in segments)
    table = np.array([_with_rates(rows, degree) for rows in segments])
    return Pieces(np.array(starts), table)


def _flat(target: Any) -> list[Any]:
    return [m for piece in target.pieces for m in _flat(piece)] if isinstance(target, Motions) else [target]


def _segments(motion: Any) -> list[tuple[float, Array]]:
    """(start, coefficients of t - start, highest power first) of a trajectory's smooth parts."""
    if isinstance(motion, Polynomial):
        powers = np.arange(len(motion.coefficients))
        rows = motion.coefficients / (motion.duration**powers)[:, None]
        return [(0.0, rows[::-1])]
    if hasattr(motion, "rise"):
        times = [0.0, motion.rise, motion.duration - motion.rise]
        parts = []
        for start, end in zip(times, [*times[1:], motion.duration], strict=True):
            if end > start:
                s = motion(start)
                bend = motion((start + end) / 2).a
                parts.append((start, np.array([bend / 2, s.v, s.q])))
        return parts
    raise WrongValue(
        f"A target is a posture or a trajectory of rikigaku.trajectory; {type(motion).__name__} was given. "
        "Any other motion: torque=f(t, q, v), or rk.Data."
    )


def _with_rates(rows: Array, degree: int) -> Array:
    """Coefficients of (q, v, a), padded to that many rows."""
    n = rows.shape[1]
    result = np.zeros((max(degree, 1), 3 * n))
    current = rows
    for k in range(3):
        if len(current):
            result[len(result) - len(current) :, k * n : (k + 1) * n] = current
        powers = np.arange(len(current) - 1, 0, -1)[:, None]
        current = current[:-1] * powers
    return result


def gains(name: str, x: Any, n: int) -> Array:
    """One number for each of n coordinates, checked."""
    values = np.asarray(x, dtype=np.float64)
    if values.shape not in ((), (n,)):
        raise WrongSize(f"{name} is one number or {n}; shape {values.shape} was given.")
    if not (np.isfinite(values) & (values >= 0)).all():
        raise WrongValue(f"{name} is finite and not negative; {values} was given.")
    return np.broadcast_to(values, (n,))
