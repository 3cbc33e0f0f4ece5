"""Evaluation of exact results of closed robots in floats, at closed configurations."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from rikigaku.core.arrays import floats
from rikigaku.core.caller_warnings import warn_caller
from rikigaku.core.errors import UnclosedWarning, UnknownName, WrongSize, WrongValue
from rikigaku.laws.closed.loop_equations import loop_residual
from rikigaku.model.editing import geometry_only
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.symbolic.formulas.evaluation_point import EvaluationPoint

if TYPE_CHECKING:
    from rikigaku.symbolic.loops.linear_substitution import LinearSubstitution
    from rikigaku.symbolic.loops.loop_constraints import LoopConstraints

_OPEN = 1e-6  # [m, or sine]: residuals above this give a warning


def valued(point: EvaluationPoint, x: Any) -> Any:
    """A number, or nested lists of them, as floats."""
    if isinstance(x, (list, tuple)):
        return np.array([valued(point, y) for y in x])
    return float(point.value(x))


def point_of(c: "LoopConstraints", q: Any, v: Any, a: Any, symbols: Mapping[str, Any]) -> EvaluationPoint:
    """A state at which exact numbers are evaluated; None in q where a coordinate is unknown.

    v, a: of the independent coordinates.
    """
    inputs = {"q": _elements(f"q of robot {c.robot.name!r} has", q, c.robot.nq)}
    chosen = ", ".join(c.coordinates[k] for k in c.independent)
    for name, rates in (("v", v), ("a", a)):
        if rates is not None:
            own = _elements(f"{name} of the independent coordinates ({chosen}) has", rates, c.mobility)
            inputs[name] = [None] * c.robot.nv
            for place, x in zip(c.independent, own, strict=True):
                inputs[name][place] = x
    return EvaluationPoint(c.state.ring, FLOATS, inputs, symbol_numbers(c.robot, symbols))


def symbol_numbers(robot: RobotModel, chosen: Mapping[str, Any]) -> dict[str, float]:
    """Values of the robot's symbols: the chosen ones, else its own."""
    values = {}
    for name, x in chosen.items():
        if name not in robot.free_symbols:
            raise UnknownName("symbol", name, robot.free_symbols, f"robot {robot.name!r}")
        values[name] = float(floats(name, x))
        if not isfinite(values[name]):
            raise WrongValue(f"The symbol {name} takes a finite number; {x!r} was given.")
    return robot.declared_values | values


def warn_if_open(robot: RobotModel, q: Sequence[float], values: Mapping[str, float]) -> None:
    """Warn if the loops are open at q, where the formulas of the closed robot do not hold."""
    geometry = bare(robot)
    if not set(geometry.free_symbols) <= values.keys():
        return  # evaluation names the missing value
    gaps = np.abs(np.array(loop_residual(instantiate(geometry, FLOATS, values), list(q)), dtype=float))
    if gaps.max(initial=0) > _OPEN:
        warn_caller(
            f"The loops of robot {robot.name!r} are open at this q, by {gaps.max():.2g}: its formulas "
            "hold where they are closed. q = robot.assemble(...) closes them.",
            UnclosedWarning,
        )


def warn_if_other_mode(robot: RobotModel, q: Sequence[float], linear: "LinearSubstitution | None") -> None:
    """Warn if q is not in the assembly mode of the linear relations that were substituted."""
    if linear is not None and not linear.numeric.hold(np.array([q], dtype=float))[0]:
        warn_caller(
            f"This q of robot {robot.name!r} is in another assembly mode than its formulas, which hold where "
            f"{', '.join(linear.relations)}. robot.loop_constraints(linear=False) holds in all modes; joint "
            "limits or zero angles that close the loops choose the mode.",
            UnclosedWarning,
        )


def bare(robot: RobotModel) -> RobotModel:
    """The robot's geometry alone: symbols of inertias need no values."""
    return replace(geometry_only(robot), couplings=robot.couplings, frames=())


def _elements(what: str, x: Any, size: int) -> list[float | None]:
    if isinstance(x, str) or not hasattr(x, "__len__") or len(x) != size:
        count = f"{len(x)} were" if hasattr(x, "__len__") and not isinstance(x, str) else f"{x!r} was"
        raise WrongSize(f"{what} {size} number{'s' * (size != 1)}; {count} given.")
    known = iter(floats(what.split(" ", 1)[0], [y for y in x if y is not None]))
    return [None if y is None else float(next(known)) for y in x]
