"""Exact numbers of a closed robot in floats, at states where its loops are closed."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from rikigaku.arrays import floats
from rikigaku.errors import UnclosedWarning, UnknownName, WrongSize, WrongValue
from rikigaku.laws.loops import loop_residual
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot import Robot
from rikigaku.numbers.kind import FLOATS
from rikigaku.symbolic.closed_form.chain import stripped
from rikigaku.symbolic.evaluation import Point

if TYPE_CHECKING:
    from rikigaku.symbolic.loops.constraints import LoopConstraints

_OPEN = 1e-6  # m, or cosines: beyond rounding and what a user types


def valued(point: Point, x: Any) -> Any:
    """A number, or nested lists of them, as floats."""
    if isinstance(x, (list, tuple)):
        return np.array([valued(point, y) for y in x])
    return float(point.value(x))


def point_of(c: "LoopConstraints", q: Any, v: Any, a: Any, symbols: Mapping[str, Any]) -> Point:
    """A state at which exact numbers have values; None in q where a coordinate is not known.

    v, a: of the independent coordinates.
    """
    inputs = {"q": _elements(f"q of robot {c.robot.name!r} has", q, c.robot.nq)}
    chosen = ", ".join(c.coordinates[k] for k in c.independent)
    for name, given in (("v", v), ("a", a)):
        if given is not None:
            own = _elements(f"{name} of the independent coordinates ({chosen}) has", given, c.mobility)
            inputs[name] = [None] * c.robot.nv
            for place, x in zip(c.independent, own, strict=True):
                inputs[name][place] = x
    return Point(c.state.ring, FLOATS, inputs, symbol_numbers(c.robot, symbols))


def symbol_numbers(robot: Robot, given: Mapping[str, Any]) -> dict[str, float]:
    """Values of the robot's symbols, those given before its own."""
    values = {}
    for name, x in given.items():
        if name not in robot.free_symbols:
            raise UnknownName("symbol", name, robot.free_symbols, f"robot {robot.name!r}")
        values[name] = float(floats(name, x))
        if not isfinite(values[name]):
            raise WrongValue(f"The symbol {name} takes a finite number; {x!r} was given.")
    return robot.declared_values | values


def tell_open(robot: Robot, q: Sequence[float], values: Mapping[str, float], level: int) -> None:
    """A word of warning where the loops are open, so that their formulas do not hold."""
    geometry = bare(robot)
    if not set(geometry.free_symbols) <= values.keys():
        return  # what lacks a value is told where it is needed
    gaps = np.abs(np.array(loop_residual(instantiate(geometry, FLOATS, values), list(q)), dtype=float))
    if gaps.max(initial=0) > _OPEN:
        warnings.warn(
            f"The loops of robot {robot.name!r} are open at this q, by {gaps.max():.2g}: its formulas "
            "hold where they are closed. q = robot.assemble(...) closes them.",
            UnclosedWarning,
            stacklevel=level + 1,
        )


def bare(robot: Robot) -> Robot:
    """The robot without what closing does not depend on: symbols that stand only there need no values."""
    return replace(stripped(robot), couplings=robot.couplings, frames=())


def _elements(what: str, x: Any, size: int) -> list[float | None]:
    if isinstance(x, str) or not hasattr(x, "__len__") or len(x) != size:
        count = f"{len(x)} were" if hasattr(x, "__len__") and not isinstance(x, str) else f"{x!r} was"
        raise WrongSize(f"{what} {size} number{'s' * (size != 1)}; {count} given.")
    known = iter(floats(what.split(" ", 1)[0], [y for y in x if y is not None]))
    return [None if y is None else float(next(known)) for y in x]
