"""A call of a law with arrays of another framework: names and shapes are validated, values not touched."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rikigaku.binding.law_function import LawFunction, law_function
from rikigaku.core.errors import WrongSize
from rikigaku.numbers.program import Port

if TYPE_CHECKING:
    from rikigaku.binding.bound_law import BoundLaw

Shape = tuple[int, ...]


class FrameworkCall(NamedTuple):
    """The function to run and its inputs: arrays of the framework, or NumPy's for values of the robot."""

    function: LawFunction
    inputs: list[Any]

    @property
    def shapes(self) -> list[Shape]:
        return [tuple(x.shape) for x in self.inputs]


def framework_call(
    law: "BoundLaw", args: Sequence[Any], keywords: Mapping[str, Any], array: Any
) -> FrameworkCall:
    """Validate a call of a law; `array` makes an array of the framework of a value.

    Raises:
        UnknownName, WrongSize, WrongValue: in the words of a plain call of the law.
    """
    compiled, parsed = law.specialized_call(args, keywords)
    inputs = [array(x) for x in parsed.inputs]
    for name, x in zip(law.law.inputs, inputs, strict=True):
        law.arguments.check_shape(name, tuple(x.shape))
    extra = []
    if compiled.specialization.gravity:
        extra.append(_sized("gravity", array(parsed.overrides["gravity"]), 3))
    for frame in compiled.specialization.frames:
        extra.append(_sized(f"the wrench on {frame!r}", array(parsed.overrides["wrenches"][frame]), 6))
    named = compiled.symbol_arrays(dict.fromkeys(parsed.symbols, 0.0))  # raises where a value is missing
    own = [array(parsed.symbols[port.name]) if port.name in parsed.symbols else x for port, x in named]
    return FrameworkCall(law_function(compiled), [*inputs, *extra, *own])


def batch_shape(called: str, ports: Sequence[Port], shapes: Sequence[Shape]) -> Shape:
    """The batch shape to which those of the inputs broadcast."""
    batches = [shape[: len(shape) - len(port.shape)] for port, shape in zip(ports, shapes, strict=True)]
    try:
        return np.broadcast_shapes(*batches)
    except (ValueError, RuntimeError):
        listed = ", ".join(f"{port.name} {shape}" for port, shape in zip(ports, shapes, strict=True))
        raise WrongSize(f"The batch shapes of {called} do not broadcast: {listed}.") from None


def flat_batch(shape: Shape, port: Port, batch: Shape) -> tuple[Shape | None, Shape]:
    """Shapes by which an input becomes (states, *core) or (1, *core): it is broadcast to the first, then
    reshaped to the second.

    The first is None where no copy is needed: the input has the whole batch, or is shared by all its states.
    """
    own = shape[: len(shape) - len(port.shape)]
    if math.prod(own) == 1:
        return None, (1, *port.shape)
    if own != batch:
        return (*batch, *port.shape), (math.prod(batch), *port.shape)
    return None, (math.prod(batch), *port.shape)


def _sized(what: str, x: Any, size: int) -> Any:
    if not x.shape or x.shape[-1] != size:
        raise WrongSize(f"{what} takes {size} numbers; an array of shape {tuple(x.shape)} was given.")
    return x
