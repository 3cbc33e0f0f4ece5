"""Parts of a law given by steps: single elements, and coefficients of velocities or parameters.

The steps are run again on graph nodes, so that each part has the steps it needs and no others. Coefficients
come from polynomials in the chosen variables whose coefficients are nodes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rikigaku.core.errors import NotExact
from rikigaku.numbers.elementary_functions import cos, is_zero, sign, sin, sqrt
from rikigaku.numbers.formula import ONE, Formula
from rikigaku.numbers.formula_layout import as_shown
from rikigaku.numbers.number_kind import FLOATS, Number
from rikigaku.numbers.program import Shape, trace
from rikigaku.symbolic.formulas.intermediates import Intermediates, intermediates

if TYPE_CHECKING:
    from rikigaku.symbolic.formulas.formula_context import FormulaContext

Steps = Sequence[tuple[str, Formula]]
Powers = tuple[int, ...]


def retraced(
    name: str,
    shape: Shape,
    steps: Steps,
    results: Sequence[Formula],
    context: "FormulaContext | None",
    reason: str = "",
) -> Intermediates:
    """Some results with the steps that they need, equal operations done once."""
    found = _traced(steps, results, {}, lambda values: {(): values})
    return replace(found[()], name=name, shape=shape, context=context, reason=reason)


def collected(x: Intermediates, chosen: Sequence[str]) -> dict[str, Intermediates]:
    """{product of the chosen variables: its coefficient}, highest powers first.

    Raises:
        NotExact: if the law divides by a chosen variable, or holds its sine or root.
    """
    unit = {name: _unit(k, len(chosen)) for k, name in enumerate(chosen)}
    constant = (0,) * len(chosen)

    def parts(values: Sequence[Any]) -> dict[Powers, list[Any]]:
        terms = [y.parts if isinstance(y, _Polynomial) else {constant: y} for y in values]
        used = {powers for part in terms for powers, c in part.items() if not is_zero(c)}
        return {powers: [part.get(powers, 0.0) for part in terms] for powers in used}

    found = _traced(x.steps, x.results, unit, parts)
    result = {}
    for powers in sorted(found, reverse=True):
        factor = ONE
        for name, n in zip(chosen, powers, strict=True):
            factor = factor * Formula.symbol(name) ** n
        result[str(factor)] = replace(
            found[powers], name=x.name, shape=x.shape, context=x.context, reason=x.reason
        )
    return result


def _traced(
    steps: Steps,
    results: Sequence[Formula],
    known: Mapping[str, Any],
    parts: Callable[[Sequence[Any]], Mapping[Powers, Sequence[Any]]],
) -> dict[Powers, Intermediates]:
    """Each part of the results as steps; known: values of some variables, instead of inputs."""
    own = {name for name, _ in steps} | known.keys()
    used = {name for _, y in steps for name in y.symbols} | {name for y in results for name in y.symbols}
    names = sorted(used - own)
    keys: list[Powers] = []

    def lifted(x: Any) -> Any:  # nodes do not combine with polynomials
        return _Polynomial({(0,) * len(known): x}) if known else x

    def function(*inputs: Any) -> dict[str, Any]:
        at: dict[str, Number] = {**known, **dict(zip(names, map(lifted, inputs), strict=True))}
        for name, formula in steps:
            at[name] = formula.evaluate(FLOATS, at)
        found = parts([as_shown(y).evaluate(FLOATS, at) for y in results])
        keys.extend(found)
        return {str(powers): list(values) for powers, values in found.items()}

    program = trace("steps", [(name, ()) for name in names], function)
    made = {}
    for powers, port, elements in zip(keys, program.outputs, program.results, strict=True):
        alone = replace(program, outputs=(port,), results=(elements,))
        made[powers] = intermediates(alone, port.name, {})
    return made


def _unit(k: int, size: int) -> "_Polynomial":
    return _Polynomial({tuple(int(i == k) for i in range(size)): 1.0})


class _Polynomial:
    """A polynomial in the chosen variables: {powers: coefficient}, coefficients of any kind of number."""

    def __init__(self, parts: Mapping[Powers, Any]) -> None:
        self.parts = dict(parts)

    def _other(self, x: Any) -> "_Polynomial":
        return x if isinstance(x, _Polynomial) else _Polynomial({(0,) * len(next(iter(self.parts))): x})

    def __add__(self, other: Any) -> "_Polynomial":
        total = dict(self.parts)
        for powers, c in self._other(other).parts.items():
            total[powers] = total[powers] + c if powers in total else c
        return _Polynomial(total)

    def __mul__(self, other: Any) -> "_Polynomial":
        total: dict[Powers, Any] = {}
        for m, c in self.parts.items():
            for n, d in self._other(other).parts.items():
                powers = tuple(i + j for i, j in zip(m, n, strict=True))
                total[powers] = total[powers] + c * d if powers in total else c * d
        return _Polynomial(total)

    def __neg__(self) -> "_Polynomial":
        return _Polynomial({powers: -c for powers, c in self.parts.items()})

    def __sub__(self, other: Any) -> "_Polynomial":
        return self + -self._other(other)

    def __rsub__(self, other: Any) -> "_Polynomial":
        return self._other(other) - self

    def __truediv__(self, other: Any) -> "_Polynomial":
        below = self._other(other)._constant("divides by")
        return _Polynomial({powers: c / below for powers, c in self.parts.items()})

    def __rtruediv__(self, other: Any) -> "_Polynomial":
        return self._other(other) / self

    __radd__ = __add__
    __rmul__ = __mul__

    def _constant(self, what: str) -> Any:
        if any(any(powers) for powers, c in self.parts.items() if not is_zero(c)):
            raise NotExact(f"The law {what} a variable that is to be collected: take other variables.")
        return self.parts.get((0,) * len(next(iter(self.parts))), 0.0)

    def sin(self) -> "_Polynomial":
        return self._other(sin(self._constant("holds the sine of")))

    def cos(self) -> "_Polynomial":
        return self._other(cos(self._constant("holds the cosine of")))

    def sqrt(self) -> "_Polynomial":
        return self._other(sqrt(self._constant("holds a square root of")))

    def sign(self) -> "_Polynomial":
        return self._other(sign(self._constant("holds the sign of")))
