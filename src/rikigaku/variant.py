"""Programs of a law and a robot: options decided, extra inputs known, derivatives or not."""

from collections import namedtuple
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import Any, cast

import numpy as np

from rikigaku.arrays import Array, empty, floats, sized
from rikigaku.codegen.kernel import Kernel
from rikigaku.errors import MissingValue, WrongSize, WrongValue
from rikigaku.laws.record import Law
from rikigaku.model.edit import bind
from rikigaku.model.robot import Robot
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.packed import packed_outputs
from rikigaku.numbers.program import Port, Program
from rikigaku.recipe import Recipe, record
from rikigaku.tangent import derivative_program

_ANY_VALUE = np.zeros(())  # of a symbol the law does not depend on


class Variant:
    """A recipe made native for one robot, whose symbols are inputs of the program.

    A call that gives no symbols runs the program of the robot with its symbols bound to the values they have,
    where numbers fold: one state and batches alike.

    Args:
        decided: values of symbols, in place of the robot's own.
    """

    def __init__(
        self, robot: Robot, law: Law, recipe: Recipe, decided: Mapping[str, float] | None = None
    ) -> None:
        self.robot, self.law, self.recipe, self.decided = robot, law, recipe, decided or {}
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
        if (runs := self.running(symbols)) is not self:
            return runs(inputs, overrides, {}, out)
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

    def running(self, symbols: Mapping[str, Any]) -> "Variant":
        """What runs in a call that gives these symbols."""
        return self if symbols else self._bound

    @cached_property
    def _bound(self) -> "Variant":
        """That of the robot with all symbols bound; itself where there are none, or a value is missing, or
        derivatives by them are asked for, or places of packed numbers, which must not depend on values."""
        names = self.robot.free_symbols
        derived_by = ({*names} - {*self.law.inputs}) & {*(self.recipe.wrt or ())}
        if not names or derived_by or self.recipe.packed:
            return self
        own = {symbol.name: symbol.value for symbol in self.robot.symbols if symbol.value is not None}
        known: dict[str, Formula | float] = {**own, **self.decided}
        values = {name: value for name, value in known.items() if name in names}
        if len(values) < len(names):
            if not {port.name for port in self._symbol_ports if port.used} <= values.keys():
                return self
            values = {**dict.fromkeys(names, 1.0), **values}  # the law does not depend on the others
        return Variant(_with_values(self.robot, values), self.law, self.recipe)

    def arrays(
        self, inputs: list[Array], overrides: Mapping[str, Any], symbols: Mapping[str, Any]
    ) -> list[Array]:
        """All inputs of the program, in its order."""
        extra = [sized("gravity", overrides["gravity"], 3)] if self.recipe.gravity else []
        extra += [sized(f"the wrench on {f!r}", overrides["wrenches"][f], 6) for f in self.recipe.frames]
        return [*inputs, *extra, *(x for _, x in self.symbol_arrays(symbols))]

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

    def symbol_arrays(self, given: Mapping[str, Any]) -> list[tuple[Port, Array]]:
        """The symbols, each an input of the program, with what is given for them or was decided before.

        Raises:
            MissingValue: if some that the program reads have no value.
        """
        values = self._declared
        if given:
            values = values | {name: floats(f"the symbol {name}", x) for name, x in given.items()}
        ports = self._symbol_ports
        missing = [port.name for port in ports if port.used and port.name not in values]
        if missing:
            example = ", ".join(f"{name}=..." for name in missing[:4])
            raise MissingValue(
                f"{self.called} of robot {self.robot.name!r} needs symbols without a value: "
                f"{', '.join(missing)}. Give them in the call ({self.called}(..., {example})) or with "
                f"robot.bind({example})."
            )
        return [(port, values.get(port.name, _ANY_VALUE)) for port in ports]

    @cached_property
    def one(self) -> Callable[..., Any]:
        """A builtin for one state: all inputs, then nothing or `out=`; None for what it cannot take."""
        return self.kernel.one(self.law.name, lambda *arrays, **out: None)

    @property
    def _symbol_ports(self) -> tuple[Port, ...]:
        inputs = self.kernel.ports[0]
        return inputs[len(inputs) - len(self.robot.free_symbols) :]

    @cached_property
    def _declared(self) -> dict[str, Array]:
        values = {**self.robot.declared_values, **self.decided}
        return {name: np.asarray(value, dtype=np.float64) for name, value in values.items()}


class Variants:
    """The programs of one law of one robot, each made when first asked for and kept.

    Args:
        decided: values of symbols, in place of the robot's own.
    """

    def __init__(self, robot: Robot, law: Law, decided: Mapping[str, float] | None = None) -> None:
        self.robot, self.law, self.decided = robot, law, decided or {}
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
            self._known[recipe] = Variant(self.robot, self.law, recipe, self.decided)
        return self._known[recipe]


def _with_values(robot: Robot, values: Mapping[str, Formula | float]) -> Robot:
    """The robot with these symbols bound, made once: its laws share it."""
    known = robot.__dict__.setdefault("_with_values", {})
    key = frozenset(values.items())
    if key not in known:
        known[key] = bind(robot, **values)
    return cast(Robot, known[key])


@cache
def named_tuple(name: str, fields: tuple[str, ...]) -> Any:
    """A named tuple class; a field that is no Python name goes by its number."""
    return namedtuple(name, fields, rename=True)
