"""Exact derivatives of a law with respect to inputs, symbols or parameters, as matrices or packed."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from rikigaku.binding.arguments import LawArguments, ParsedArguments
from rikigaku.binding.compiled_law import CompiledLaw, CompiledLaws, compiled_laws, named_tuple
from rikigaku.binding.one_state_call import are_vectors
from rikigaku.core.errors import WrongValue
from rikigaku.core.value_text import short


class Derivatives:
    """The derivatives of one bound law: names of variables, the program for them, and its call.

    There are three methods, and the cheapest is used: recursions for the derivatives of the dynamics where
    the law has them (`Law.derivative`), the law's regressor for all parameters (`Law.by_parameters`), else
    automatic differentiation of the law's own program.

    Args:
        arguments: those of the law. compiled_laws: its specializations.
    """

    def __init__(self, arguments: LawArguments, compiled_laws: CompiledLaws) -> None:
        self.robot, self.law = arguments.robot, arguments.law
        self._arguments, self._automatic = arguments, compiled_laws

    def __call__(
        self,
        args: tuple[Any, ...],
        keywords: Mapping[str, Any],
        wrt: str | Sequence[str] | None,
        packed: bool,
        out: Any,
        order: int = 1,
    ) -> Any:
        """The derivatives at a state or a batch of states, by name."""
        if type(order) is not int or order != 1:
            return self._second(args, keywords, wrt, packed, out, order)
        simple = wrt is None and packed is False and not keywords and are_vectors(args)
        if simple and (call := self._one_state_call) is not None and (result := call(args, out)) is not None:
            return result
        names = self.names(True if wrt is None else wrt, always=True)
        compiled, parsed = self.compiled(args, keywords, names, packed)
        result = compiled(parsed.inputs, parsed.overrides, parsed.symbols, out)
        if isinstance(result, tuple):
            return result
        return named_tuple("Derivative", names)(result)

    def _second(
        self,
        args: tuple[Any, ...],
        keywords: Mapping[str, Any],
        wrt: str | Sequence[str] | None,
        packed: bool,
        out: Any,
        order: int,
    ) -> Any:
        """Second derivatives, by the names of the first and of the second variable."""
        if type(order) is not int or order != 2:
            raise WrongValue(f"order of derivatives is 1 or 2, not {short(order)}.")
        if packed is not False or out is not None:
            raise WrongValue("Second derivatives take neither packed nor out.")
        names = self.names(True if wrt is None else wrt, always=True)
        self._check_single_result()
        parsed = self._arguments.parsed(args, keywords)
        compiled = self._automatic.of(parsed.options, parsed.overrides, names, order=2)
        found = compiled(parsed.inputs, parsed.overrides, parsed.symbols, None)
        values = iter(found if isinstance(found, tuple) else (found,))
        kind = named_tuple("Derivative", names)
        return kind(*[kind(*[next(values) for _ in names]) for _ in names])

    def packing(self, options: Mapping[str, Any], wrt: str | Sequence[str] | None) -> Any:
        """Layout of the elements of packed derivatives: one `Packing` for each input, by name."""
        names = self.names(True if wrt is None else wrt, always=True)
        compiled, _ = self.compiled((), options, names, packed=True, arrays_required=False)
        return named_tuple("Packings", names)(*(port.packing for port in compiled.kernel.ports[1]))

    def names(self, wrt: bool | str | Sequence[str], always: bool = False) -> tuple[str, ...]:
        """The variables of differentiation: all inputs for True, none for False unless some are needed."""
        if isinstance(wrt, bool) and (wrt or not always):
            return self.law.inputs if wrt else ()
        given: Any = wrt
        several = isinstance(given, Collection) and not isinstance(given, str)
        names: tuple[Any, ...] = tuple(given) if several else (given,)
        if wrong := [name for name in names if not isinstance(name, str)]:
            raise WrongValue(
                f"wrt of {self.law.called} is a name or several: {', '.join(self.law.inputs)}, or symbols of "
                f"the robot; {short(wrong[0])} was given."
            )
        if not names:
            raise WrongValue(
                f"wrt=() names no variable of differentiation of {self.law.called}; known: "
                f"{', '.join(self.law.inputs)}."
            )
        if len(set(names)) < len(names):
            raise WrongValue(f"wrt names a variable twice: {', '.join(names)}.")
        return names

    def compiled(
        self,
        args: Sequence[Any],
        keywords: Mapping[str, Any],
        names: tuple[str, ...],
        packed: bool = False,
        arrays_required: bool = True,
    ) -> tuple[CompiledLaw, ParsedArguments]:
        """The program of the derivatives with respect to those names, and the arguments for it."""
        if not isinstance(packed, bool):
            raise WrongValue(f"packed of derivatives is True or False, not {short(packed)}.")
        law = self.law
        if names == ("parameters",) and law.by_parameters is not None:
            parsed = self._parsed_for_parameters(args, keywords, arrays_required)
            return self._by_parameters.of(parsed.options, parsed.overrides, packed=packed), parsed
        parsed = self._arguments.parsed(args, keywords, arrays_required)
        known = law.derivative
        has_recursion = known is not None and set(parsed.overrides) <= set(known.overrides)
        if known is not None and has_recursion and set(names) <= set(law.inputs):
            own = {name: parsed.options[name] for name in known.options}
            return self._by_recursion.of(own, parsed.overrides, only=names, packed=packed), parsed
        self._check_single_result()
        return self._automatic.of(parsed.options, parsed.overrides, names, packed=packed), parsed

    def _check_single_result(self) -> None:
        law = self.law
        if len(law.outputs) > 1:
            raise WrongValue(
                f"{law.called} has several results ({', '.join(law.outputs)}); only laws with one result "
                "have derivatives."
            )

    def _parsed_for_parameters(
        self, args: Sequence[Any], keywords: Mapping[str, Any], arrays_required: bool
    ) -> ParsedArguments:
        """The arguments for the law of the derivatives with respect to parameters: it has fewer options."""
        law = self._by_parameters.law
        dropped = set(self.law.options) - set(law.options)
        fixed, kept = (
            {key: value for key, value in values.items() if key not in dropped}
            for values in (self._arguments.fixed, keywords)
        )
        return LawArguments(self.robot, law, fixed).parsed(args, kept, arrays_required)

    @cached_property
    def _by_recursion(self) -> CompiledLaws:
        assert self.law.derivative is not None
        return compiled_laws(self.robot, self.law.derivative, self._arguments.symbol_values)

    @cached_property
    def _by_parameters(self) -> CompiledLaws:
        assert self.law.by_parameters is not None
        return compiled_laws(self.robot, self.law.by_parameters, self._arguments.symbol_values)

    @cached_property
    def _one_state_call(self) -> Callable[[tuple[Any, ...], Any], Any] | None:
        """All derivatives at one state by native code; it returns None where the general call is needed."""
        law, fixed = self.law, self._arguments.fixed
        if law.derivative is None or len(law.inputs) < 2 or not self.robot.nv:
            return None
        if not fixed.keys() <= {*law.options, *self._arguments.symbol_values}:
            return None
        compiled = self.compiled((), {}, law.inputs, arrays_required=False)[0].specialized_to({})
        if compiled.robot.free_symbols:
            return None
        fill, shapes = compiled.one, [port.shape for port in compiled.kernel.ports[1]]
        results = named_tuple("Results", law.inputs)

        def call(args: tuple[Any, ...], out: Any) -> Any:
            if out is None:
                out = [np.empty(shape) for shape in shapes]
            elif type(out) is not tuple:
                return None
            return None if fill(*args, *out) is None else results(*out)

        return call
