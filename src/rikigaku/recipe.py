"""One run of a law of a robot, for any kind of number: what is decided beforehand, and what goes in.

Compiled programs, exact formulas and exported sources of a law all come from `run`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rikigaku.arrays import SIZES
from rikigaku.errors import NoValue
from rikigaku.laws.record import Law
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot import Robot
from rikigaku.numbers.kind import FLOATS, Kind, Number
from rikigaku.numbers.program import Program, Shape, trace


@dataclass(frozen=True)
class Recipe:
    """What tells one program of a law from another."""

    options: tuple[tuple[str, Any], ...] = ()
    gravity: bool = False  # an input, not the robot's own
    frames: tuple[str, ...] = ()  # where external wrenches act
    wrt: tuple[str, ...] | None = None  # derivatives, term by term, with respect to these
    only: tuple[str, ...] | None = None  # these outputs, and no others
    packed: bool = False  # without constants and repetitions


def input_shapes(robot: Robot, law: Law, recipe: Recipe) -> list[tuple[str, Shape]]:
    """The law's own inputs and the overrides that were made, in the order `run` takes them."""
    own: list[tuple[str, Shape]] = [(name, (input_size(robot, law, name),)) for name in law.inputs]
    extra: list[tuple[str, Shape]] = [("gravity", (3,))] if recipe.gravity else []
    return [*own, *extra, *((f"wrench on {frame}", (6,)) for frame in recipe.frames)]


def input_size(robot: Robot, law: Law, name: str) -> int:
    """How many numbers an input of the law has."""
    own = law.coordinates.get(name)
    return int(getattr(robot, SIZES[name])) if own is None else len(own)


def run(
    robot: Robot,
    law: Law,
    recipe: Recipe,
    kind: Kind,
    inputs: Sequence[Sequence[Number]],
    symbols: Mapping[str, Number],
) -> dict[str, Any]:
    """The law's results by output name, nested lists of numbers.

    Args:
        kind: how the robot's constants become numbers.
        inputs: numbers for each of `input_shapes`.
        symbols: a number for each of the robot's free symbols.
    """
    count = len(law.inputs)
    extra = list(inputs[count:])
    overrides: dict[str, Any] = {}
    if recipe.gravity:
        overrides["gravity"] = tuple(extra.pop(0))
    if recipe.frames:
        overrides["wrenches"] = dict(zip(recipe.frames, extra, strict=True))
    mechanism = instantiate(robot, kind, symbols)
    if law.plan is not None:
        overrides["plan"] = law.plan
    value = law.recursion(mechanism, *inputs[:count], **overrides, **dict(recipe.options))
    results = law.results(value)
    if law.matrix and not mechanism.nv and not dict(recipe.options).get("packed"):
        results = {name: np.empty((0, 0), dtype=object) for name in results}
    return results if recipe.only is None else {name: results[name] for name in recipe.only}


def record(robot: Robot, law: Law, recipe: Recipe) -> Program:
    """The law run on traced numbers; the robot's free symbols are inputs after those of `input_shapes`."""
    own = input_shapes(robot, law, recipe)
    shapes = [*own, *((name, ()) for name in robot.free_symbols)]

    def function(*inputs: Any) -> Mapping[str, Any]:
        symbols = dict(zip(robot.free_symbols, inputs[len(own) :], strict=True))
        return run(robot, law, recipe, FLOATS, inputs[: len(own)], symbols)

    try:
        return trace(law.name, shapes, function)
    except ZeroDivisionError:
        raise no_value(robot, law) from None


def no_value(robot: Robot, law: Law) -> NoValue:
    """The error of a law that divides by zero whatever the state."""
    reason = law.singular or "it divides by zero, as where the whole robot has no mass"
    return NoValue(f"{law.called} of robot {robot.name!r} has no value at any state: {reason}.")
