"""Exact derivatives of a law of a robot: by inputs, symbols or parameters, as matrices or packed."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from rikigaku.arguments import Arguments, Sorted
from rikigaku.errors import WrongValue
from rikigaku.one_state import are_vectors
from rikigaku.variant import Variant, Variants, named_tuple


class Derivatives:
    """The derivatives of one bound law: what may be named, which program gives it, how it is called.

    Of three ways to a derivative the shortest is taken: by the structure of the dynamics where the law knows
    how (`Law.derivative`), by the law's regressor where all parameters are asked for (`Law.by_parameters`),
    else term by term from the law's own program.

    Args:
        arguments: what the law takes. variants: its programs.
    """

    def __init__(self, arguments: Arguments, variants: Variants) -> None:
        self.robot, self.law = arguments.robot, arguments.law
        self._arguments, self._term_by_term = arguments, variants

    def __call__(
        self,
        args: tuple[Any, ...],
        keywords: Mapping[str, Any],
        wrt: str | Sequence[str] | None,
        packed: bool,
        out: Any,
    ) -> Any:
        """The derivatives at a state or a batch of states, by name."""
        plain = wrt is None and packed is False and not keywords and are_vectors(args)
        if plain and (short := self._of_one) is not None and (result := short(args, out)) is not None:
            return result
        names = self.names(True if wrt is None else wrt)
        variant, given = self.variant(args, keywords, names, packed)
        result = variant(given.inputs, given.overrides, given.symbols, out)
        if isinstance(result, tuple):
            return result
        return named_tuple("Derivative", names)(result)

    def packing(self, options: Mapping[str, Any], wrt: str | Sequence[str] | None) -> Any:
        """Where the numbers of packed derivatives stand: one `Packing` for each input, by name."""
        names = self.names(True if wrt is None else wrt)
        variant, _ = self.variant((), options, names, packed=True, calling=False)
        return named_tuple("Packings", names)(*(port.packing for port in variant.kernel.ports[1]))

    def names(self, wrt: bool | str | Sequence[str]) -> tuple[str, ...]:
        """What to derive by: all inputs for True, nothing for False."""
        if isinstance(wrt, bool):
            return self.law.inputs if wrt else ()
        names = (wrt,) if isinstance(wrt, str) else tuple(wrt)
        if not names:
            raise WrongValue(
                f"wrt=() leaves nothing to derive {self.law.called} by; known: {', '.join(self.law.inputs)}."
            )
        if len(set(names)) < len(names):
            raise WrongValue(f"wrt names something twice: {', '.join(names)}.")
        return names

    def variant(
        self,
        args: Sequence[Any],
        keywords: Mapping[str, Any],
        names: tuple[str, ...],
        packed: bool = False,
        calling: bool = True,
    ) -> tuple[Variant, Sorted]:
        """The program of the derivatives by those names, and what was given for it.

        Not `calling`: the arrays may be missing.
        """
        if not isinstance(packed, bool):
            raise WrongValue(f"packed of derivatives is True or False, not {packed!r}.")
        law = self.law
        if names == ("parameters",) and law.by_parameters is not None:
            given = self._given_by_parameters(args, keywords, calling)
            return self._by_parameters.of(given.options, given.overrides, packed=packed), given
        given = self._arguments.sort(args, keywords, calling)
        way = law.derivative
        if way is not None and set(names) <= set(law.inputs) and set(given.overrides) <= set(way.overrides):
            own = {name: given.options[name] for name in way.options}
            return self._by_structure.of(own, given.overrides, only=names, packed=packed), given
        if len(law.outputs) > 1:
            raise WrongValue(
                f"{law.called} has several results ({', '.join(law.outputs)}); derivatives are those of laws "
                "with one."
            )
        return self._term_by_term.of(given.options, given.overrides, names, packed=packed), given

    def _given_by_parameters(self, args: Sequence[Any], keywords: Mapping[str, Any], calling: bool) -> Sorted:
        """What was given, for the law of the parameters, which has fewer options."""
        law = self._by_parameters.law
        others = set(self.law.options) - set(law.options)
        fixed, given = (
            {key: value for key, value in words.items() if key not in others}
            for words in (self._arguments.fixed, keywords)
        )
        return Arguments(self.robot, law, fixed).sort(args, given, calling)

    @cached_property
    def _by_structure(self) -> Variants:
        assert self.law.derivative is not None
        return Variants(self.robot, self.law.derivative, self._arguments.decided)

    @cached_property
    def _by_parameters(self) -> Variants:
        assert self.law.by_parameters is not None
        return Variants(self.robot, self.law.by_parameters, self._arguments.decided)

    @cached_property
    def _of_one(self) -> Callable[[tuple[Any, ...], Any], Any] | None:
        """The shortest way to all derivatives of one state; it returns None where the long way is needed."""
        law, fixed = self.law, self._arguments.fixed
        if law.derivative is None or len(law.inputs) < 2 or not self.robot.nv:
            return None
        if not fixed.keys() <= {*law.options, *self._arguments.decided}:
            return None
        runs = self.variant((), {}, law.inputs, calling=False)[0].running({})
        if runs.robot.free_symbols:
            return None
        fill, shapes = runs.one, [port.shape for port in runs.kernel.ports[1]]
        made = named_tuple("Results", law.inputs)

        def short(args: tuple[Any, ...], out: Any) -> Any:
            if out is None:
                out = [np.empty(shape) for shape in shapes]
            elif type(out) is not tuple:
                return None
            return None if fill(*args, *out) is None else made(*out)

        return short
