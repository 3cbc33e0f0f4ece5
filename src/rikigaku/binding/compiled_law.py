"""A law of a robot, specialized to options, overrides and derivatives, as native code."""

from collections import namedtuple
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import Any

import numpy as np

from rikigaku.binding.tangent_derivative import derivative_program, second_derivative_program
from rikigaku.compiler.kernel import Kernel
from rikigaku.core.arrays import Array, empty, floats, single_precision, sized
from rikigaku.core.errors import MissingValue, WrongSize, WrongValue
from rikigaku.laws.law import Law
from rikigaku.laws.specialization import Specialization, record
from rikigaku.model.editing import bind
from rikigaku.model.joints.joint_types import added_definitions
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.packed_outputs import packed_outputs
from rikigaku.numbers.program import Port, Program

_UNUSED = np.zeros(())  # input for a symbol that the law does not depend on


class CompiledLaw:
    """Native code of one specialization of a law, with the robot's symbols as inputs.

    A call without symbols runs the program in which they are bound to their values, where constants fold.

    Args:
        symbol_values: values of symbols that replace those of the robot's table.
    """

    def __init__(
        self,
        robot: RobotModel,
        law: Law,
        specialization: Specialization,
        symbol_values: Mapping[str, float] | None = None,
    ) -> None:
        self.robot, self.law, self.specialization = robot, law, specialization
        self.symbol_values = symbol_values or {}
        self.called = law.called if specialization.wrt is None else f"{law.called}.derivative"
        plan = "" if law.plan is None else f"\n{law.plan}"
        types = added_definitions(joint.type for joint in robot.joints)
        # A user's function may change under one name: the recorded program identifies it.
        self.in_package = isinstance(law.function, str)
        key = f"{law.key} {law.function} {law.inputs} {law.outputs}" if self.in_package else law.key
        self.identity = f"{self.called}\n{key}\n{robot.mechanics_digest}{types}\n{specialization}{plan}"
        self.kernel = Kernel(self.identity, self._trace, by_program=not self.in_package)

    def _trace(self) -> Program:
        program = record(self.robot, self.law, self.specialization)
        if self.specialization.wrt is not None:
            differentiated = (
                derivative_program if self.specialization.order == 1 else second_derivative_program
            )
            program = differentiated(self.robot, program, self.specialization.wrt)
        return packed_outputs(program) if self.specialization.packed else program

    def __call__(
        self,
        inputs: list[Array],
        overrides: Mapping[str, Any],
        symbols: Mapping[str, Any],
        out: Any,
        dtype: type[np.floating[Any]] = np.float64,
    ) -> Any:
        """The results; dtype: np.float32 for single precision."""
        if (specialized := self.specialized_to(symbols)) is not self:
            return specialized(inputs, overrides, {}, out, dtype)
        single = dtype is not np.float64
        arrays = self.arrays(inputs, overrides, symbols, single)
        ports_in, ports_out = self.kernel.ports
        if single:
            arrays = [
                single_precision(f"{port.name} of {self.called} of robot {self.robot.name!r}", x)
                for port, x in zip(ports_in, arrays, strict=True)
            ]
        shapes = {x.shape[: x.ndim - len(port.shape)] for x, port in zip(arrays, ports_in, strict=True)}
        try:
            batch = shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*shapes)
        except (ValueError, RuntimeError):  # RuntimeError: more axes than NumPy broadcasts
            listed = ", ".join(f"{port.name} {x.shape}" for port, x in zip(ports_in, arrays, strict=True))
            raise WrongSize(f"The batch shapes of {self.called} do not broadcast: {listed}.") from None
        outputs = self._outputs(out, [(*batch, *port.shape) for port in ports_out], dtype)
        self.kernel(arrays, outputs)
        if len(outputs) == 1:
            return outputs[0]
        return named_tuple("Results", tuple(port.name for port in ports_out))(*outputs)

    def specialized_to(self, symbols: Mapping[str, Any]) -> "CompiledLaw":
        """The program of a call: this one if values of symbols are passed, else the one with all bound."""
        return self if symbols else self._with_symbols_bound

    @cached_property
    def _with_symbols_bound(self) -> "CompiledLaw":
        """The same law of the robot with all symbols bound to their values.

        Returns self if the robot has no symbols, if a symbol that the law depends on has no value, if the
        derivatives are with respect to symbols, or if outputs are packed (their layout must not depend on
        values).
        """
        names = self.robot.free_symbols
        wrt_symbols = ({*names} - {*self.law.inputs}) & {*(self.specialization.wrt or ())}
        if not names or wrt_symbols or self.specialization.packed:
            return self
        own = {symbol.name: symbol.value for symbol in self.robot.symbols if symbol.value is not None}
        known: dict[str, Formula | float] = {**own, **self.symbol_values}
        values = {name: value for name, value in known.items() if name in names}
        if len(values) < len(names):
            if not {port.name for port in self._symbol_ports if port.used} <= values.keys():
                return self
            values = {**dict.fromkeys(names, 1.0), **values}  # the law does not depend on the others
        return CompiledLaw(_with_values(self.robot, values), self.law, self.specialization)

    def arrays(
        self,
        inputs: list[Array],
        overrides: Mapping[str, Any],
        symbols: Mapping[str, Any],
        single: bool = False,
    ) -> list[Array]:
        """All inputs of the program: those of the law, gravity, wrenches, symbols; single: float32 stays."""
        extra = [sized("gravity", overrides["gravity"], 3, single)] if self.specialization.gravity else []
        extra += [
            sized(f"the wrench on {f!r}", overrides["wrenches"][f], 6, single)
            for f in self.specialization.frames
        ]
        return [*inputs, *extra, *(x for _, x in self.symbol_arrays(symbols, single))]

    def _outputs(self, out: Any, shapes: list[tuple[int, ...]], dtype: type[np.floating[Any]]) -> list[Array]:
        if out is None:
            return [empty(shape, dtype) for shape in shapes]
        outputs = list(out) if isinstance(out, tuple) else [out]
        if len(outputs) != len(shapes):
            raise WrongSize(f"out of {self.called} takes {len(shapes)} arrays; {len(outputs)} were given.")
        for x, shape in zip(outputs, shapes, strict=True):
            if not isinstance(x, np.ndarray) or x.shape != shape or x.dtype != dtype:
                actual = f"{x.dtype} of shape {x.shape}" if isinstance(x, np.ndarray) else type(x).__name__
                raise WrongSize(
                    f"out of {self.called} must be {dtype.__name__} of shape {shape}; {actual} was given."
                )
            if not x.flags.writeable:
                raise WrongValue(f"out of {self.called} is read-only; pass a writeable array.")
        return outputs

    def symbol_arrays(self, symbols: Mapping[str, Any], single: bool = False) -> list[tuple[Port, Array]]:
        """The inputs of the program that are symbols, with their values: from the call, else the robot's own.

        Raises:
            MissingValue: if some that the program reads have no value.
        """
        values = self._declared
        if symbols:
            values = values | {name: floats(f"the symbol {name}", x, single) for name, x in symbols.items()}
        ports = self._symbol_ports
        missing = [port.name for port in ports if port.used and port.name not in values]
        if missing:
            example = ", ".join(f"{name}=..." for name in missing[:4])
            raise MissingValue(
                f"{self.called} of robot {self.robot.name!r} needs symbols without a value: "
                f"{', '.join(missing)}. Give them in the call ({self.called}(..., {example})) or with "
                f"robot.bind({example})."
            )
        return [(port, values.get(port.name, _UNUSED)) for port in ports]

    @cached_property
    def one(self) -> Callable[..., Any]:
        """A builtin for one state: all inputs, then nothing or `out=`; else it returns None."""
        return self.kernel.one(self.law.name, lambda *arrays, **out: None)

    @property
    def _symbol_ports(self) -> tuple[Port, ...]:
        inputs = self.kernel.ports[0]
        return inputs[len(inputs) - len(self.robot.free_symbols) :]

    @cached_property
    def _declared(self) -> dict[str, Array]:
        values = {**self.robot.declared_values, **self.symbol_values}
        return {name: np.asarray(value, dtype=np.float64) for name, value in values.items()}


class CompiledLaws:
    """The specializations of one law of one robot, each made at first use and kept.

    Args:
        symbol_values: values of symbols that replace those of the robot's table.
    """

    def __init__(self, robot: RobotModel, law: Law, symbol_values: Mapping[str, float] | None = None) -> None:
        self.robot, self.law, self.symbol_values = robot, law, symbol_values or {}
        self._known: dict[Specialization, CompiledLaw] = {}

    def of(
        self,
        options: Mapping[str, Any],
        overrides: Mapping[str, Any],
        wrt: tuple[str, ...] | None = None,
        only: tuple[str, ...] | None = None,
        packed: bool = False,
        order: int = 1,
    ) -> CompiledLaw:
        """The specialization to these options, with an input for each override; see `Specialization`."""
        frames = tuple(sorted(overrides.get("wrenches", ())))
        for name in (*frames, *([options["frame"]] if "frame" in options else [])):
            self.robot.frame(name)  # an unknown name is an error here, with a suggestion
        specialization = Specialization(
            tuple(options.items()), "gravity" in overrides, frames, wrt, only, packed, order
        )
        try:
            known = specialization in self._known
        except TypeError:
            raise WrongValue(
                f"{self.law.called} takes strings, numbers or booleans as options, not {options!r}."
            ) from None
        if not known:
            self._known[specialization] = CompiledLaw(
                self.robot, self.law, specialization, self.symbol_values
            )
        return self._known[specialization]


def compiled_laws(robot: RobotModel, law: Law, symbol_values: Mapping[str, float]) -> CompiledLaws:
    """The specializations of a law of a robot, made once however often the law is bound."""
    known: dict[Any, CompiledLaws] = robot.__dict__.setdefault("_compiled_laws", {})
    key = law.key, law.function, law.inputs, law.outputs, law.plan, frozenset(symbol_values.items())
    if key not in known:
        known[key] = CompiledLaws(robot, law, symbol_values)
    return known[key]


def _with_values(robot: RobotModel, values: Mapping[str, Formula | float]) -> RobotModel:
    """The robot with these symbols bound, made once: its laws share it."""
    known: dict[frozenset[tuple[str, Formula | float]], RobotModel]
    known = robot.__dict__.setdefault("_with_values", {})
    key = frozenset(values.items())
    if key not in known:
        known[key] = bind(robot, **values)
    return known[key]


@cache
def named_tuple(name: str, fields: tuple[str, ...]) -> Any:
    """A named tuple class; a field whose name is no Python identifier is renamed to its index."""
    return namedtuple(name, fields, rename=True)
