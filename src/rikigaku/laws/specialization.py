"""A law specialised to a robot and options, run on any kind of number.

Compiled programs, exact formulas and exported sources of a law all come from `run`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rikigaku.core.arrays import SIZES
from rikigaku.core.errors import NoValue, WrongValue
from rikigaku.laws.law import Law
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.number_kind import FLOATS, Kind, Number
from rikigaku.numbers.program import Program, Shape, trace


@dataclass(frozen=True)
class Specialization:
    """Options that distinguish one program of a law from another."""

    options: tuple[tuple[str, Any], ...] = ()
    gravity: bool = False  # gravity is an input
    frames: tuple[str, ...] = ()  # frames at which external wrenches act
    wrt: tuple[str, ...] | None = None  # inputs of term-by-term derivatives
    only: tuple[str, ...] | None = None  # names of the outputs to compute; None: all
    packed: bool = False  # outputs without constants and repeated elements
    order: int = 1  # of the derivatives


def input_shapes(robot: RobotModel, law: Law, specialization: Specialization) -> list[tuple[str, Shape]]:
    """Names and shapes of the inputs `run` takes: the law's own, then gravity and wrenches."""
    own: list[tuple[str, Shape]] = [(name, (input_size(robot, law, name),)) for name in law.inputs]
    extra: list[tuple[str, Shape]] = [("gravity", (3,))] if specialization.gravity else []
    return [*own, *extra, *((f"wrench on {frame}", (6,)) for frame in specialization.frames)]


def input_size(robot: RobotModel, law: Law, name: str) -> int:
    """Number of elements of an input of the law."""
    own = law.coordinates.get(name)
    if own is None and name not in SIZES:
        raise WrongValue(
            f"Law {law.name!r} has an input {name!r}, whose size no robot gives. Known: {', '.join(SIZES)}; "
            "or name the elements of the input in `coordinates` of the law."
        )
    return int(getattr(robot, SIZES[name])) if own is None else len(own)


def run(
    robot: RobotModel,
    law: Law,
    specialization: Specialization,
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
    if specialization.gravity:
        overrides["gravity"] = tuple(extra.pop(0))
    if specialization.frames:
        overrides["wrenches"] = dict(zip(specialization.frames, extra, strict=True))
    mechanism = instantiate(robot, kind, symbols)
    if law.plan is not None:
        overrides["plan"] = law.plan
    value = law.recursion(mechanism, *inputs[:count], **overrides, **dict(specialization.options))
    results = law.results(value)
    if law.matrix and not mechanism.nv and not dict(specialization.options).get("packed"):
        results = {name: np.empty((0, 0), dtype=object) for name in results}
    return results if specialization.only is None else {name: results[name] for name in specialization.only}


def record(
    robot: RobotModel,
    law: Law,
    specialization: Specialization,
    changed: Callable[[Mapping[str, Sequence[Number]]], Mapping[str, Sequence[Number]]] | None = None,
) -> Program:
    """The traced program of the law; the robot's free symbols are inputs after those of `input_shapes`.

    changed: values that the law takes in place of its inputs, by name (linear relations of loops).
    """
    own = input_shapes(robot, law, specialization)
    shapes = [*own, *((name, ()) for name in robot.free_symbols)]

    def function(*inputs: Any) -> Mapping[str, Any]:
        symbols = dict(zip(robot.free_symbols, inputs[len(own) :], strict=True))
        values: Sequence[Any] = inputs[: len(own)]
        if changed is not None:
            values = list(changed(dict(zip((name for name, _ in own), values, strict=True))).values())
        return run(robot, law, specialization, FLOATS, values, symbols)

    try:
        return trace(law.name, shapes, function)
    except ZeroDivisionError:
        raise no_value(robot, law) from None


def no_value(robot: RobotModel, law: Law) -> NoValue:
    """The error of a law that divides by zero at every state."""
    reason = law.singular or "it divides by zero, as for a robot without mass"
    return NoValue(f"{law.called} of robot {robot.name!r} has no value at any state: {reason}.")
