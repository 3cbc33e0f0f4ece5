"""Exciting motions: periodic Fourier series that show the base parameters best [Swevers1997].

Each joint follows q0 + sum of a_k sin(k w t)/(k w) - b_k cos(k w t)/(k w). The series are scaled so that
limits of position, velocity, acceleration and torque hold and loops close; an evolution strategy then
minimises the condition number of the regressor with columns of unit length, or maximises log det
(D-optimality).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rikigaku.core.arrays import floats
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongValue
from rikigaku.core.files import write_whole
from rikigaku.core.types import Array
from rikigaku.core.validation import choice, number, whole
from rikigaku.identification.measured_equations import MeasuredEquations
from rikigaku.identification.measurement_model import MeasurementModel, measurement_model
from rikigaku.model.states import position_bounds
from rikigaku.robot import Robot

_POINTS = 200  # of a period, at which limits and information are computed
_CANDIDATES = 40  # random series to start from
_MOST_HARMONICS = 50  # of 200 points of a period
_RANGE = np.pi  # [rad, m] of a joint without limits
_INSIDE = 0.95  # part of each limit that is used: between the sampled points the motion goes slightly beyond


@dataclass(frozen=True, eq=False)
class Excitation:
    """A periodic motion. center: (joints,); sine, cosine: (joints, harmonics); period [s].

    joints: their names; of a closed robot the independent joints.

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
    joints: tuple[str, ...] = ()

    @checked
    def __call__(self, t: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """q, v, a at times [s]: each (..., joints)."""
        return _motion(self.center, self.sine, self.cosine, self.period, floats("t", t))

    @checked
    def save(self, path: str | PathLike[str], rate: float = 250.0) -> Path:
        """Write one period as CSV: t, positions, velocities, accelerations; rate: samples per second."""
        t = np.arange(0.0, self.period, 1 / number("rate", rate, above=0))
        names = [f"{what}_{joint}" for what in "qva" for joint in self.joints]
        lines = [",".join(["t", *names])]
        for row in np.column_stack([t, *self(t)]):
            lines.append(",".join(f"{x:.12g}" for x in row))
        place = Path(path)
        write_whole(place, ("\n".join(lines) + "\n").encode())
        return place

    def plot(self) -> Any:
        """Positions, velocities and accelerations of one period. Returns matplotlib's figure."""
        from matplotlib import pyplot

        t = np.linspace(0.0, self.period, 1000)
        figure, axes = pyplot.subplots(3, 1, sharex=True, figsize=(8, 6))
        words = ("position [rad, m]", "velocity [rad/s, m/s]", "acceleration [rad/s^2, m/s^2]")
        for ax, x, word in zip(axes, self(t), words, strict=True):
            ax.plot(t, x, linewidth=1.0)
            ax.set_ylabel(word, fontsize="small")
        axes[0].legend(self.joints, fontsize="x-small", ncols=4, loc="upper right")
        axes[0].set_title(
            f"condition number {self.condition:.3g}; random motions {self.random_condition:.3g}",
            fontsize="small",
            loc="left",
        )
        axes[2].set_xlabel("time [s]")
        figure.tight_layout()
        return figure


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
    model = measurement_model(robot)
    if model.equations.floating:
        raise WrongValue(
            f"Robot {robot.name!r} has a free base: its feet decide which motions it can follow."
        )
    limits = _limits(model.equations, velocity, acceleration, torque)
    rng = np.random.default_rng(seed)
    search = _Search(model, limits, period, harmonics, objective)
    shape = (len(search.joints), 2 * harmonics + 1)
    tried = [rng.normal(size=shape) for _ in range(_CANDIDATES)]
    measured = [search.measures(x) for x in tried]
    values = [search.cost_of(x) for x in measured]
    typical = float(np.median([condition for condition, _ in measured]))
    if search.problem is not None and not np.isfinite(values).any():
        raise search.problem
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
    return Excitation(center, sine, cosine, period, condition, information, typical, search.joints)


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
        self.joints = model.equations.positions
        self.problem: WrongValue | None = None
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
            state = self.state(*found)
            if state is not None:
                tau = np.abs(self.model.robot.inverse_dynamics(*state)).max(axis=0)
                if (tau <= _INSIDE * self.limits["torque"]).all():
                    return found
            factor = factor * 0.9
        if state is None:
            raise WrongValue(
                "No motion within the limits closes the loops here: give narrower limits of joints."
            )
        over = self.model.equations.torques[int(np.argmax(tau / self.limits["torque"]))]
        raise WrongValue(f"No motion keeps the torque limit of {over!r}: gravity alone is beyond it here.")

    def state(self, center: Array, sine: Array, cosine: Array) -> tuple[Array, Array, Array] | None:
        """q, v, a of all joints at the sampled times; None where the loops do not close within the limits."""
        q, v, a = _motion(center, sine, cosine, self.period, self.t)
        if not self.model.equations.closed:
            return q, v, a
        robot = self.model.robot
        full = self.model.equations.by_linear_relations(q)
        if full is None:
            near = robot.assemble(center[None], strict=False)
            if not np.isfinite(near).all():
                return None
            near = np.broadcast_to(near, (len(q), near.shape[1]))
            full = np.asarray(robot.assemble(q, near=near, strict=False))
        lower, upper = position_bounds(robot)
        if not np.isfinite(full).all() or (full < lower).any() or (full > upper).any():
            return None
        v, a = robot.complete(full, v, a)
        return full, v, a

    def measures(self, x: Array) -> tuple[float, float]:
        """Condition number, and log det of the Gram matrix per sample."""
        try:
            state = self.state(*self.series(x))
        except WrongValue as error:
            self.problem = error
            return np.inf, -np.inf
        if state is None:
            return np.inf, -np.inf
        return information(self.model, *state)

    def cost(self, x: Array) -> float:
        """What is minimised."""
        return self.cost_of(self.measures(x))

    def cost_of(self, measured: tuple[float, float]) -> float:
        """The same from the condition number and the information."""
        condition, information = measured
        return condition if self.objective == "condition" else -information


def information(model: MeasurementModel, q: Array, v: Array, a: Array) -> tuple[float, float]:
    """Condition number of W with columns of unit length, and log det of its Gram matrix per sample.

    Of parameters that no motion separates the model keeps as many as have independent columns.
    """
    W = model.columns(q, v, a, None).reshape(-1, len(model.names))[:, model.separable]
    R = np.linalg.qr(W, mode="r")
    sizes = np.linalg.norm(R, axis=0)
    if not (sizes > 0).all():
        return np.inf, -np.inf
    s = np.linalg.svd(R / sizes, compute_uv=False)
    with np.errstate(divide="ignore"):
        det = 2 * np.sum(np.log(np.abs(np.diag(R)))) - len(R) * np.log(len(q))
    return float(s[0] / s[-1]) if s[-1] > 0 else np.inf, float(det)


def _motion(center: Array, sine: Array, cosine: Array, period: float, t: Array) -> tuple[Array, Array, Array]:
    k = np.arange(1, sine.shape[1] + 1) * (2 * np.pi / period)
    s, c = np.sin(t[..., None] * k), np.cos(t[..., None] * k)
    q = center + s @ (sine / k).T - c @ (cosine / k).T
    return q, c @ sine.T + s @ cosine.T, -(s * k) @ sine.T + (c * k) @ cosine.T


def _limits(
    equations: MeasuredEquations,
    velocity: ArrayLike | None,
    acceleration: ArrayLike | None,
    torque: ArrayLike | None,
) -> dict[str, Array]:
    def chosen(what: str, given: ArrayLike | None, own: list[float]) -> Array:
        if given is None:
            return np.array(own)
        x = floats(what, given)
        if x.shape not in ((), (len(own),)) or not (x > 0).all():
            raise WrongValue(f"{what} takes a positive number, or {len(own)} of them; {given!r} was given.")
        return np.broadcast_to(x, len(own)).astype(float)

    by_name = {joint.name: joint.limits for joint in equations.robot.joints}
    each = [by_name[name] for name in equations.positions]
    efforts = [by_name[name].effort or np.inf for name in equations.torques]
    lower = [-_RANGE if x.lower is None else x.lower for x in each]
    upper = [_RANGE if x.upper is None else x.upper for x in each]
    return {
        "lower": np.array(lower),
        "upper": np.array(upper),
        "velocity": chosen("velocity", velocity, [x.velocity or 1.0 for x in each]),
        "acceleration": chosen("acceleration", acceleration, [10.0] * len(each)),
        "torque": chosen("torque", torque, efforts),
    }
