"""Actuation: joint forces from data, formulas of time, functions, sampled controllers or controllers.

An actuation is a traced formula of the joint forces in t, q, v and its inputs u. The first inputs are
piecewise polynomials evaluated in native code, the others values of a Python function, at every stage or held
between samples.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.arrays import floats
from rikigaku.core.checked_calls import check_fields, checked_data
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import function_of
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.number_kind import FLOATS, Number
from rikigaku.simulation.piecewise_polynomial import PiecewisePolynomial

Numbers = Sequence[Number]
Function = Callable[[float, Array, Array], Any]

# What a controller has beside `forces`.
_ATTRIBUTES = ("identity", "size", "parameters", "pieces", "function", "period")


class TorqueSource:
    """A value of `torque=` that can be added to any other: `rk.PD(...) + rk.GravityCompensation(robot)`."""

    __array_ufunc__ = None  # array + source is a sum of sources, not one for each element

    def __add__(self, other: Any) -> "TorqueSum":
        return TorqueSum((self, other))

    def __radd__(self, other: Any) -> "TorqueSum":
        return TorqueSum((other, self))


class TorqueSum(TorqueSource):
    """The sum of torque sources, each anything that `torque=` accepts; made by +."""

    def __init__(self, parts: Sequence[Any]) -> None:
        self.parts: tuple[Any, ...] = ()
        for part in parts:
            self.parts += part.parts if isinstance(part, TorqueSum) else (part,)


class Actuation(Protocol):
    """The protocol of torque sources; controllers implement it."""

    @property
    def identity(self) -> str:
        """Key of its formula: actuations with equal identity share compiled code."""

    @property
    def size(self) -> int:
        """Number of inputs u."""

    @property
    def parameters(self) -> tuple[float, ...]:
        """Numbers the formula reads at run time."""

    @property
    def pieces(self) -> PiecewisePolynomial | None:
        """The first inputs, over time, in native code."""

    @property
    def function(self) -> Function | None:
        """The other inputs, from a Python function: at every stage, or every `period`."""

    @property
    def period(self) -> float | None:
        """Sampling period [s]; None if the function is continuous."""

    def forces(
        self, mechanism: Mechanism, t: Number, q: Numbers, v: Numbers, u: Numbers, p: Numbers
    ) -> list[Number]:
        """Forces in all joints of the tree, (nv): zeros where nothing is actuated."""


def joint_forces(
    actuation: Actuation,
    mechanism: Mechanism,
    t: Number,
    q: Numbers,
    v: Numbers,
    u: Numbers,
    p: Numbers,
) -> list[Number]:
    """Forces of the actuation in all joints of the tree, (nv).

    Raises:
        WrongSize: if a controller returns another number of them.
    """
    tau = actuation.forces(mechanism, t, q, v, u, p)
    if not isinstance(tau, Sequence | np.ndarray) or len(tau) != mechanism.nv:
        returned = len(tau) if isinstance(tau, Sequence | np.ndarray) else tau
        numbers = f"{mechanism.nv} number{'s' * (mechanism.nv != 1)}"
        raise WrongSize(
            f"forces of {type(actuation).__name__} returns {numbers}, one for each velocity coordinate of "
            f"all joints; it returned {returned}. Passive joints and a free base have zeros."
        )
    return list(tau)


@dataclass(frozen=True, eq=False)
class JointForces:
    """Forces that are the inputs themselves, in the joints with the indices `coordinates` in v."""

    nv: int
    coordinates: tuple[int, ...]
    pieces: PiecewisePolynomial | None = None
    function: Function | None = None
    period: float | None = None
    parameters: tuple[float, ...] = ()

    @property
    def identity(self) -> str:
        return f"forces {self.nv} {self.coordinates}" if self.size else "no forces"

    @property
    def size(self) -> int:
        return 0 if self.pieces is None and self.function is None else len(self.coordinates)

    def forces(
        self, mechanism: Mechanism, t: Number, q: Numbers, v: Numbers, u: Numbers, p: Numbers
    ) -> list[Number]:
        result: list[Number] = [0] * self.nv
        for k, x in zip(self.coordinates, u, strict=False):
            result[k] = x
        return result


@dataclass(frozen=True)
class TimeFormulas:
    """Forces [N m, N] as formulas of t [s]: `torque=["3*sin(2*pi*t)", "0"]`; coordinates: indices in v."""

    nv: int
    coordinates: tuple[int, ...]
    formulas: tuple[Formula, ...]
    size: int = 0
    parameters: tuple[float, ...] = ()
    pieces: None = None
    function: None = None
    period: None = None

    @property
    def identity(self) -> str:
        return f"formulas {self.nv} {self.coordinates} {', '.join(map(str, self.formulas))}"

    def forces(
        self, mechanism: Mechanism, t: Number, q: Numbers, v: Numbers, u: Numbers, p: Numbers
    ) -> list[Number]:
        result: list[Number] = [0] * self.nv
        for k, formula in zip(self.coordinates, self.formulas, strict=True):
            result[k] = formula.evaluate(FLOATS, {"t": t})
        return result


@checked_data
@dataclass(frozen=True, eq=False)
class Data(TorqueSource):
    """Forces tabulated over time: `rk.Data(t, tau)`.

    Args:
        t: increasing times [s], (m,). tau: forces [N m, N], (m, n).
        between: "linear", "hold" (each value until the next time) or "cubic" (a natural spline).
    Before the first time and after the last the values are constant.
    """

    t: ArrayLike
    tau: ArrayLike
    between: str = "linear"

    def __post_init__(self) -> None:
        check_fields(self)

    def pieces(self) -> PiecewisePolynomial:
        t, x = floats("t of Data", self.t), floats("tau of Data", self.tau)
        if t.ndim != 1 or x.ndim != 2 or len(t) != len(x) or len(t) < 2:
            raise WrongSize(
                f"Data over time take times (m,) and values (m, n), m at least 2; {t.shape} and {x.shape} "
                "were given."
            )
        if not (np.isfinite(t).all() and np.isfinite(x).all() and (np.diff(t) > 0).all()):
            raise WrongValue("Data over time must be finite, at times that increase.")
        if self.between == "hold":
            inner = x[:-1, None]
        elif self.between == "linear":
            inner = np.stack([np.diff(x, axis=0) / np.diff(t)[:, None], x[:-1]], axis=1)
        elif self.between == "cubic":
            from scipy.interpolate import CubicSpline

            inner = np.moveaxis(CubicSpline(t, x, bc_type="natural").c, 0, 1)
        else:
            raise WrongValue(f"between is 'linear', 'hold' or 'cubic'; {self.between!r} was given.")
        outer = np.zeros((1, *inner.shape[1:]))
        before, after = outer.copy(), outer.copy()
        before[0, -1], after[0, -1] = x[0], x[-1]
        starts = np.concatenate([[t[0] - 1.0], t])  # the first segment is constant
        return PiecewisePolynomial(starts, np.concatenate([before, inner, after]))


@checked_data
@dataclass(frozen=True, eq=False)
class Sampled(TorqueSource):
    """A discrete controller: `rk.Sampled(function, period)` evaluates function(t, q, v) every period [s] and
    holds the forces until the next sample (zero-order hold). Instead of a function it takes a controller
    (`rk.PD`, `rk.ComputedTorque`), which fixed steps evaluate in native code."""

    function: Any
    period: float

    def __post_init__(self) -> None:
        check_fields(self)
        if not hasattr(self.function, "forces"):
            function_of("function of Sampled", "t q v", self.function)


def input_counts(actuation: Actuation) -> tuple[int, int]:
    """Number of inputs u from piecewise polynomials, which come first, and from the function."""
    first = 0 if actuation.pieces is None else actuation.pieces.coefficients.shape[2]
    return first, actuation.size - first


def evaluate_function(actuation: Actuation, t: float, q: Array, v: Array) -> Array:
    """Inputs from the user's function, validated."""
    assert actuation.function is not None
    value, count = actuation.function(t, q, v), input_counts(actuation)[1]
    if value is None:
        raise WrongSize(
            f"The torque function returns {count} numbers; it returned None: does it return them?"
        )
    u = floats("The torque function", value)
    if u.shape != (count,):
        raise WrongSize(f"The torque function returns {count} numbers; it returned shape {u.shape}.")
    return u


class ForceVector(NamedTuple):
    """A vector of forces that a user gives: its name in errors, what each number is for, and of how many."""

    name: str
    each: str
    length: int

    def check_formulas(self, formulas: Sequence[Formula]) -> None:
        """Raise an error for another number of formulas, or for one of anything but t."""
        if len(formulas) != self.length:
            raise WrongSize(
                f"{self.name} takes {self.length} formulas, one for each {self.each}; "
                f"{len(formulas)} were given."
            )
        for formula in formulas:
            if unknown := sorted(formula.symbols - {"t"}):
                raise WrongValue(
                    f"The {self.name} {formula} uses {', '.join(unknown)}; it is a formula of t. Forces that "
                    "depend on the state are a function (t, q, v) -> tau, or a controller."
                )


def actuation_of(nv: int, coordinates: Sequence[int], torque: Any, wrench_on: str = "") -> Actuation:
    """The actuation for the argument `torque` of `simulate`; coordinates: of v that it acts on.

    wrench_on: the frame, if the forces are an external wrench instead.

    Raises:
        WrongSize, WrongValue: for any other value, with a list of what is possible.
    """
    count, at = len(coordinates), tuple(coordinates)
    vector = (
        ForceVector(f"the wrench on {wrench_on!r}", "component of force and moment", count)
        if wrench_on
        else ForceVector("torque", "actuated coordinate", count)
    )
    if torque is None:
        return JointForces(nv, at)
    if isinstance(torque, Data):
        pieces = torque.pieces()
        if pieces.coefficients.shape[2] != count:
            columns = pieces.coefficients.shape[2]
            raise WrongSize(f"Forces take {count} numbers at a time; {columns} columns were given.")
        return JointForces(nv, at, pieces)
    if isinstance(torque, Sampled):
        if not torque.period > 0:
            raise WrongValue(f"A sampling period is positive [s]; {torque.period} was given.")
        return JointForces(nv, at, function=torque.function, period=float(torque.period))
    if isinstance(torque, TorqueSum):
        from rikigaku.simulation.actuation_sum import sum_of

        return sum_of([actuation_of(nv, at, part, wrench_on) for part in torque.parts])
    if hasattr(torque, "forces"):
        if wrench_on:
            raise WrongValue(
                f"{vector.name} is no controller: give six numbers, formulas of t, rk.Data(t, w) or a "
                "function (t, q, v) -> six numbers."
            )
        if missing := [name for name in _ATTRIBUTES if not hasattr(torque, name)]:
            raise WrongValue(
                f"{type(torque).__name__} has no {', '.join(missing)}. A controller has all of "
                f"{', '.join(_ATTRIBUTES)} (rikigaku.simulation.actuation.Actuation)."
            )
        if (own := getattr(torque, "nv", nv)) != nv:
            raise WrongValue(
                f"The controller {type(torque).__name__} is that of another robot: its robot has {own} "
                f"velocities, this one has {nv}."
            )
        return cast(Actuation, torque)
    if callable(torque):
        function_of(vector.name, "t q v", torque)
        return JointForces(nv, at, function=torque)
    if isinstance(torque, str):
        raise WrongValue(f"{vector.name} takes {count} formulas, as ['3*sin(t)', '0']; {torque!r} was given.")
    if isinstance(torque, Sequence) and any(isinstance(x, (str, Formula)) for x in torque):
        formulas = tuple(Formula.of(x) for x in torque)
        vector.check_formulas(formulas)
        return cast(Actuation, TimeFormulas(nv, at, formulas))
    constant = floats(vector.name, torque)
    if constant.shape != (count,):
        raise WrongSize(
            f"{vector.name} takes {count} numbers, one for each {vector.each}; shape {constant.shape} was "
            "given. "
            "Forces over time are rk.Data(t, tau), formulas of t, a function (t, q, v) -> tau, a controller."
        )
    if not np.isfinite(constant).all():
        raise WrongValue(f"{vector.name} must be finite; {constant} was given.")
    own = constant[None, None].copy()  # the caller may write to his array later
    return JointForces(nv, at, PiecewisePolynomial(np.array([0.0]), own))


def periods(t: float, period: float) -> float:
    """Number of whole periods up to t."""
    return float(np.floor(t / period * (1 + 1e-12) + 1e-12))


def due(last: float, t: float, period: float) -> bool:
    """Whether a controller sampled at `last` is to be sampled at t; samples are at whole periods."""
    return last < periods(t, period) * period * (1 - 1e-12)
