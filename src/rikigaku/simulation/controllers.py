"""Computed-torque control, and targets of controllers as piecewise polynomials.

Controllers are formulas of the state that are compiled into the vector field. A target is a configuration or
a trajectory (`rikigaku.trajectory`), whose polynomials are evaluated in native code.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.arrays import floats
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.hybrid.smooth_motion import is_closed
from rikigaku.laws.tree.newton_euler import inverse_dynamics, smooth_resistance
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.number_kind import Number
from rikigaku.robot import Robot
from rikigaku.simulation.actuation import Array, Function, Numbers, TorqueSource
from rikigaku.simulation.controller_model import controller_mechanism
from rikigaku.simulation.piecewise_polynomial import PiecewisePolynomial
from rikigaku.trajectory import Polynomial
from rikigaku.trajectory import Sequence as Motions

# What a controller tracks: a configuration, or a trajectory.
Target = ArrayLike | Callable[..., Any]


class ComputedTorque(TorqueSource):
    """tau = inverse dynamics of a_d + damping (v_d - v) + stiffness (q_d - q), viscous friction included.

    Args:
        target: a configuration (n,) or a trajectory.
        stiffness [1/s^2], damping [1/s]: numbers or (n,); w^2 and 2 w give critical damping at w [rad/s].
        robot: whose model the controller computes with, which may differ from the robot it controls.
    Every joint must be actuated and have one coordinate: with a free base or a passive joint the desired
    accelerations are not attainable.
    """

    function: Function | None = None
    period: float | None = None
    gravity = True  # compensated

    @checked
    def __init__(self, robot: Robot, target: Target, stiffness: ArrayLike, damping: ArrayLike) -> None:
        unsuitable = [j.name for j in robot.joints if j.nv and (not j.actuated or j.nq != j.nv)]
        if unsuitable or is_closed(robot):
            why = f"joint {unsuitable[0]!r} is passive or has a quaternion" if unsuitable else "it has loops"
            raise WrongValue(
                f"ComputedTorque needs a tree with every joint actuated; of robot {robot.name!r} {why}. "
                "rk.PD controls the actuated joints of any robot."
            )
        self.model, self.nv = robot, robot.nv
        both = [gains(name, x, self.nv) for name, x in (("stiffness", stiffness), ("damping", damping))]
        self.parameters = tuple(float(x) for x in np.concatenate(both))
        self.pieces, self.size = target_pieces(target, self.nv), 3 * self.nv

    @property
    def identity(self) -> str:
        return f"ComputedTorque {self.model.mechanics_digest}"

    def forces(
        self, mechanism: Mechanism, t: Number, q: Numbers, v: Numbers, u: Numbers, p: Numbers
    ) -> list[Number]:
        n = self.nv
        a = [u[2 * n + k] + p[k] * (u[k] - q[k]) + p[n + k] * (u[n + k] - v[k]) for k in range(n)]
        return required_forces(controller_mechanism(self.model, mechanism), q, v, a)


def required_forces(mechanism: Mechanism, q: Numbers, v: Numbers, a: Numbers) -> list[Number]:
    """Inverse dynamics with viscous friction and springs, without Coulomb friction (not smooth in v)."""
    tau = inverse_dynamics(mechanism, q, v, a, friction=False)
    return [t + r for t, r in zip(tau, smooth_resistance(mechanism, q, v), strict=True)]


def target_pieces(target: Any, n: int) -> PiecewisePolynomial:
    """(q, v, a) of a target as polynomials by segments.

    Raises:
        WrongSize, WrongValue: for a target that is neither a configuration nor a trajectory.
    """
    if not callable(target):
        if np.asarray(target).dtype.kind in "US":
            raise WrongValue(
                "A target is a configuration or a trajectory, not formulas of t. rk.trajectory.in_sequence("
                "rk.trajectory.quintic(q0, q1, duration=0.5), ...) moves between configurations; a function "
                "torque=f(t, q, v) follows any reference."
            )
        q = floats("A target configuration", target)
        if q.shape != (n,):
            raise WrongSize(f"A target configuration has {n} numbers; shape {q.shape} was given.")
        return PiecewisePolynomial(np.array([0.0]), np.concatenate([q, np.zeros(2 * n)])[None, None])
    motions = _flat(target)
    starts, segments = [], []
    clock = 0.0
    for motion in motions:
        for start, coefficients in _segments(motion):
            starts.append(clock + start)
            segments.append(coefficients)
        clock += motion.duration
    last = np.asarray(target(clock).q, dtype=np.float64)
    v = np.asarray(target(clock).v, dtype=np.float64)
    if last.shape != (n,):
        raise WrongSize(f"A target moves {n} coordinates; this trajectory moves {last.shape}.")
    starts.append(clock)
    segments.append(np.array([v, last]))
    powers = max(len(coefficients) for coefficients in segments)
    table = np.array([_with_derivatives(coefficients, powers) for coefficients in segments])
    return PiecewisePolynomial(np.array(starts), table)


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
                acceleration = motion((start + end) / 2).a
                parts.append((start, np.array([acceleration / 2, s.v, s.q])))
        return parts
    raise WrongValue(
        f"A target is a configuration or a trajectory of rikigaku.trajectory; {type(motion).__name__} was "
        "given. Any other motion: torque=f(t, q, v), or rk.Data."
    )


def _with_derivatives(coefficients: Array, powers: int) -> Array:
    """Coefficients of (q, v, a), padded to that many powers."""
    n = coefficients.shape[1]
    result = np.zeros((max(powers, 1), 3 * n))
    current = coefficients
    for k in range(3):
        if len(current):
            result[len(result) - len(current) :, k * n : (k + 1) * n] = current
        exponents = np.arange(len(current) - 1, 0, -1)[:, None]
        current = current[:-1] * exponents
    return result


def gains(name: str, x: Any, n: int) -> Array:
    """One value for each of n coordinates, validated."""
    values = floats(name, x)
    if values.shape not in ((), (n,)):
        raise WrongSize(f"{name} is one number or {n}; shape {values.shape} was given.")
    if not (np.isfinite(values) & (values >= 0)).all():
        raise WrongValue(f"{name} is finite and not negative; {values} was given.")
    return np.broadcast_to(values, (n,))
