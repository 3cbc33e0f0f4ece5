"""Programs of a law and a robot: options decided, extra inputs known, derivatives or not."""

from collections import namedtuple
from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any

import numpy as np

from rikigaku.arrays import Array, empty, floats, sized
from rikigaku.codegen.kernel import Kernel
from rikigaku.errors import MissingValue, WrongSize, WrongValue
from rikigaku.laws.record import Law
from rikigaku.model.robot import Robot
from rikigaku.numbers.packed import packed_outputs
from rikigaku.numbers.program import Program
from rikigaku.recipe import Recipe, record
from rikigaku.tangent import derivative_program

_ANY_VALUE = np.zeros(())  # of a symbol the law does not depend on


class Variant:
    """A recipe made native for one robot."""

    def __init__(self, robot: Robot, law: Law, recipe: Recipe) -> None:
        self.robot, self.law, self.recipe = robot, law, recipe
        self.called = law.called if recipe.wrt is None else f"{law.called}.derivative"
        plan = "" if law.plan is None else f"\n{law.plan}"
        self.kernel = Kernel(f"{self.called}\n{law.name}\n{robot.digest}\n{recipe}{plan}", self._trace)

    def _trace(self) -> Program:
        program = record(self.robot, self.law, self.recipe)
        if self.recipe.wrt is not None:
            program = derivative_program(self.robot, program, self.recipe.wrt)
        return packed_outputs(program) if self.recipe.packed else program

    def __call__(
        self, inputs: list[Array], overrides: Mapping[str, Any], symbols: Mapping[str, Any], out: Any
    ) -> Any:
        arrays = self.arrays(inputs, overrides, symbols)
        ports_in, ports_out = self.kernel.ports
        shapes = {x.shape[: x.ndim - len(port.shape)] for x, port in zip(arrays, ports_in, strict=True)}
        try:
            batch = shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*shapes)
        except ValueError:
            given = ", ".join(f"{port.name} {x.shape}" for port, x in zip(ports_in, arrays, strict=True))
            raise WrongSize(f"The batch shapes of {self.called} do not go together: {given}.") from None
        outputs = self._outputs(out, [(*batch, *port.shape) for port in ports_out])
        self.kernel(arrays, outputs)
        if len(outputs) == 1:
            return outputs[0]
        return named_tuple("Results", tuple(port.name for port in ports_out))(*outputs)

    def arrays(
        self, inputs: list[Array], overrides: Mapping[str, Any], symbols: Mapping[str, Any]
    ) -> list[Array]:
        """All inputs of the program, in its order."""
        extra = [sized("gravity", overrides["gravity"], 3)] if self.recipe.gravity else []
        extra += [sized(f"the wrench on {f!r}", overrides["wrenches"][f], 6) for f in self.recipe.frames]
        return [*inputs, *extra, *self._symbols(symbols)]

    def _outputs(self, out: Any, shapes: list[tuple[int, ...]]) -> list[Array]:
        if out is None:
            return [empty(shape) for shape in shapes]
        outputs = list(out) if isinstance(out, tuple) else [out]
        if len(outputs) != len(shapes):
            raise WrongSize(f"out of {self.called} takes {len(shapes)} arrays; {len(outputs)} were given.")
        for x, shape in zip(outputs, shapes, strict=True):
            if not isinstance(x, np.ndarray) or x.shape != shape or x.dtype != np.float64:
                given = f"{x.dtype} of shape {x.shape}" if isinstance(x, np.ndarray) else type(x).__name__
                raise WrongSize(f"out of {self.called} must be float64 of shape {shape}; {given} was given.")
            if not x.flags.writeable:
                raise WrongValue(f"out of {self.called} is read-only; give an array that may be written.")
        return outputs

    def _symbols(self, given: Mapping[str, Any]) -> list[Array]:
        values = self._declared
        if given:
            values = values | {name: floats(f"the symbol {name}", x) for name, x in given.items()}
        ports = self.kernel.ports[0][-len(self.robot.free_symbols) :] if self.robot.free_symbols else ()
        missing = [port.name for port in ports if port.used and port.name not in values]
        if missing:
            example = ", ".join(f"{name}=..." for name in missing[:4])
            raise MissingValue(
                f"{self.called} of robot {self.robot.name!r} needs symbols without a value: "
                f"{', '.join(missing)}. Give them in the call ({self.called}(..., {example})) or with "
                f"robot.bind({example})."
            )
        return [values.get(port.name, _ANY_VALUE) for port in ports]

    @cached_property
    def _declared(self) -> dict[str, Array]:
        return {name: np.asarray(value) for name, value in self.robot.declared_values.items()}


class Variants:
    """The programs of one law of one robot, each made when first asked for and kept."""

    def __init__(self, robot: Robot, law: Law) -> None:
        self.robot, self.law = robot, law
        self._known: dict[Recipe, Variant] = {}

    def of(
        self,
        options: Mapping[str, Any],
        overrides: Mapping[str, Any],
        wrt: tuple[str, ...] | None = None,
        only: tuple[str, ...] | None = None,
        packed: bool = False,
    ) -> Variant:
        """The program with these options, and with inputs for these overrides; the rest as in `Recipe`."""
        frames = tuple(sorted(overrides.get("wrenches", ())))
        for name in (*frames, *([options["frame"]] if "frame" in options else [])):
            self.robot.frame(name)  # an unknown name is an error here, with a suggestion
        recipe = Recipe(tuple(options.items()), "gravity" in overrides, frames, wrt, only, packed)
        try:
            known = recipe in self._known
        except TypeError:
            raise WrongValue(
                f"{self.law.called} takes words, numbers or truth values as options, not {options!r}."
            ) from None
        if not known:
            self._known[recipe] = Variant(self.robot, self.law, recipe)
        return self._known[recipe]


@cache
def named_tuple(name: str, fields: tuple[str, ...]) -> Any:
    """A named tuple class; a field that is no Python name goes by its number."""
    return namedtuple(name, fields, rename=True)
