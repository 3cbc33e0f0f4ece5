"""Exciting motions: periodic Fourier series that show the base parameters best [Swevers1997].

Each joint follows q0 + sum of a_k sin(k w t)/(k w) - b_k cos(k w t)/(k w). The series are scaled so that
limits of position, velocity, acceleration and torque hold; an evolution strategy then minimises the condition
number of the regressor with columns of unit length, or maximises log det (D-optimality).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rikigaku.core.arrays import floats
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import choice, number, whole
from rikigaku.identification.measurement_model import MeasurementModel, measurement_model
from rikigaku.robot import Robot

_POINTS = 200  # of a period, at which limits and information are computed
_CANDIDATES = 40  # random series to start from
_MOST_HARMONICS = 50  # of 200 points of a period
_RANGE = np.pi  # [rad, m] of a joint without limits
_INSIDE = 0.95  # part of each limit that is used: between the sampled points the motion goes slightly beyond


@dataclass(frozen=True, eq=False)
class Excitation:
    """A periodic motion. center: (joints,); sine, cosine: (joints, harmonics); period [s].

    condition: of the regressor with columns of unit length. information: log det of its Gram matrix per
    sample.
    random_condition: the median condition of random series within the same limits.
    """

    center: Array
    sine: Array
    cosine: Array
    period: float
    condition: float
    information: float
    random_condition: float

    @checked
    def __call__(self, t: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """q, v, a at times [s]: each (..., joints)."""
        return _motion(self.center, self.sine, self.cosine, self.period, floats("t", t))


@checked
def excitation(
    robot: Robot,
    period: float = 10.0,
    harmonics: int = 5,
    *,
    objective: Literal["condition", "information"] = "condition",
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    torque: ArrayLike | None = None,
    iterations: int = 400,
    seed: int = 0,
) -> Excitation:
    """A motion from which the base parameters and friction of a robot are well identified.

    Args:
        period: [s]; repeat the motion to average noise.
        harmonics: number of frequencies, multiples of 1/period.
        objective: "condition" (number) or "information" (D-optimality).
        velocity, acceleration, torque: limits, numbers or (joints,); None: those of the joints, 1 rad/s
            and 10 rad/s^2 where there are none. Torques are those of the robot's own inertias and friction.
        iterations: of the search.
    """
    period = number("period", period, above=0)
    number("harmonics", whole("harmonics", harmonics), most=_MOST_HARMONICS)
    whole("iterations", iterations, 0), whole("seed", seed, 0)
    choice("objective", objective, ("condition", "information"))
    model = measurement_model(robot, ("rotor", "viscous", "coulomb"), True, (), ())
    limits = _limits(robot, velocity, acceleration, torque)
    rng = np.random.default_rng(seed)
    search = _Search(model, limits, period, harmonics, objective)
    shape = (len(model.joints), 2 * harmonics + 1)
    tried = [rng.normal(size=shape) for _ in range(_CANDIDATES)]
    values = [search.cost(x) for x in tried]
    typical = float(np.median([search.condition(x) for x in tried]))
    best = tried[int(np.argmin(values))]
    value, step = min(values), 0.3
    for _ in range(iterations):  # (1 + 1) evolution strategy, one fifth success rule
        x = best + step * rng.normal(size=shape) * (rng.random(shape) < 0.3)
        cost = search.cost(x)
        better = cost < value
        step = float(np.clip(step * (1.5 if better else 0.9), 0.01, 1.0))
        if better:
            best, value = x, cost
    center, sine, cosine = search.series(best)
    condition, information = search.measures(best)
    return Excitation(center, sine, cosine, period, condition, information, typical)


class _Search:
    """Cost of series with normal coefficients, scaled into the limits."""

    def __init__(
        self,
        model: MeasurementModel,
        limits: Mapping[str, Array],
        period: float,
        harmonics: int,
        objective: str,
    ) -> None:
        self.model, self.limits, self.period, self.objective = model, limits, period, objective
        self.harmonics = harmonics
        self.t = np.linspace(0.0, period, _POINTS, endpoint=False)

    def series(self, x: Array) -> tuple[Array, Array, Array]:
        """Center, sine and cosine coefficients: as large as the limits allow, within the range."""
        lower, upper = self.limits["lower"], self.limits["upper"]
        sine, cosine = x[:, 1 : self.harmonics + 1], x[:, self.harmonics + 1 :]
        q, v, a = _motion(np.zeros(len(x)), sine, cosine, self.period, self.t)
        least, most = q.min(axis=0), q.max(axis=0)
        factor = np.minimum.reduce(
            [
                _INSIDE * (upper - lower) / (most - least),
                _INSIDE * self.limits["velocity"] / np.abs(v).max(axis=0),
                _INSIDE * self.limits["acceleration"] / np.abs(a).max(axis=0),
            ]
        )
        for _ in range(60):
            spare = (upper - lower) - factor * (most - least)
            center = lower - factor * least + spare * (0.5 + 0.4 * np.tanh(x[:, 0]))
            found = center, factor[:, None] * sine, factor[:, None] * cosine
            tau = np.abs(self.model.robot.inverse_dynamics(*_motion(*found, self.period, self.t))).max(axis=0)
            if (tau <= _INSIDE * self.limits["torque"]).all():
                return found
            factor = factor * 0.9
        over = self.model.joints[int(np.argmax(tau / self.limits["torque"]))]
        raise WrongValue(f"No motion keeps the torque limit of {over!r}: gravity alone is beyond it here.")

    def measures(self, x: Array) -> tuple[float, float]:
        """Condition number, and log det of the Gram matrix per sample."""
        q, v, a = _motion(*self.series(x), self.period, self.t)
        W = self.model.columns(q, v, a, None).reshape(-1, len(self.model.names))
        R = np.linalg.qr(W, mode="r")
        sizes = np.linalg.norm(R, axis=0)
        if not (sizes > 0).all():
            return np.inf, -np.inf
        s = np.linalg.svd(R / sizes, compute_uv=False)
        with np.errstate(divide="ignore"):
            det = 2 * np.sum(np.log(np.abs(np.diag(R)))) - len(R) * np.log(_POINTS)
        return float(s[0] / s[-1]) if s[-1] > 0 else np.inf, float(det)

    def condition(self, x: Array) -> float:
        """Condition number with columns of unit length."""
        return self.measures(x)[0]

    def cost(self, x: Array) -> float:
        """What is minimised."""
        try:
            condition, information = self.measures(x)
        except WrongValue:
            return np.inf
        return condition if self.objective == "condition" else -information


def _motion(center: Array, sine: Array, cosine: Array, period: float, t: Array) -> tuple[Array, Array, Array]:
    k = np.arange(1, sine.shape[1] + 1) * (2 * np.pi / period)
    s, c = np.sin(t[..., None] * k), np.cos(t[..., None] * k)
    q = center + s @ (sine / k).T - c @ (cosine / k).T
    return q, c @ sine.T + s @ cosine.T, -(s * k) @ sine.T + (c * k) @ cosine.T


def _limits(
    robot: Robot, velocity: ArrayLike | None, acceleration: ArrayLike | None, torque: ArrayLike | None
) -> dict[str, Array]:
    def chosen(what: str, given: ArrayLike | None, own: list[float]) -> Array:
        if given is None:
            return np.array(own)
        x = floats(what, given)
        if x.shape not in ((), (len(own),)) or not (x > 0).all():
            raise WrongValue(f"{what} takes a positive number, or {len(own)} of them; {given!r} was given.")
        return np.broadcast_to(x, len(own)).astype(float)

    each = [joint.limits for joint in robot.joints]
    lower = [-_RANGE if x.lower is None else x.lower for x in each]
    upper = [_RANGE if x.upper is None else x.upper for x in each]
    return {
        "lower": np.array(lower),
        "upper": np.array(upper),
        "velocity": chosen("velocity", velocity, [x.velocity or 1.0 for x in each]),
        "acceleration": chosen("acceleration", acceleration, [10.0] * len(each)),
        "torque": chosen("torque", torque, [x.effort or np.inf for x in each]),
    }
