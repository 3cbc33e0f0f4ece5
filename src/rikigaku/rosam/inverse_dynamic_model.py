"""The inverse dynamic model tau as its paper prints it: terms by accelerations and velocities (M a + h + g).

Each term is a product of rates, an inertial parameter and a coefficient in its shortest form. Elements of
some hundred terms are written so, DDq_2*(-msx21 - cos(theta31)*msx31 + ...); longer ones stay intermediate
variables.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from rikigaku.core.checked_calls import checked
from rikigaku.numbers.formula import ONE, ZERO, Formula, product, total
from rikigaku.numbers.formula_text import Indices, equation_rows
from rikigaku.numbers.formula_text import text as formula_text
from rikigaku.numbers.latex_names import aligned, displays, latex_name
from rikigaku.symbolic.formulas.collected_steps import retraced
from rikigaku.symbolic.formulas.exact_formula import SHORTENED, ExactFormula
from rikigaku.symbolic.formulas.formula_array import Formulas
from rikigaku.symbolic.formulas.formula_context import FormulaContext
from rikigaku.symbolic.formulas.intermediates import Intermediates

_MOST_TERMS = 200  # of an element that is written by its rates


class InverseDynamicModel(Formulas):
    """tau of Make_InvDyn. Elements that are too long for a short form are written by their rates."""

    def __init__(self, found: Formulas, program: Callable[[], Intermediates] | None = None) -> None:
        array = np.empty(found.shape, dtype=object)
        array[:] = [_by_rates(x) if _is_by_rates(x) else x for x in found.array]
        super().__init__(found.title, array, found.context, program)

    def each(self, change: Callable[[ExactFormula], ExactFormula]) -> "InverseDynamicModel":
        """The same model with every formula changed."""
        return InverseDynamicModel(super().each(change))

    @checked
    def text(self, style: str = "full") -> str:
        """A line for each acceleration and product of velocities of a long element; see `Formulas.text`."""
        if not self._is_long or not self._places:
            return super().text(style)
        short = self.context.short_indices(style)
        lines = [f"<{self.title}: {self.shape[0]} formulas, {self.terms} terms>"]
        for k in self._places:
            parts = [formula_text(x, short) for x in _sums(self.array[k])]
            signed = [f"  - {part[1:]}" if part.startswith("-") else f"  + {part}" for part in parts]
            lines += [f"{self._name}({k + 1}) =", *signed]
        if left := self._others:
            lines.append(f"{', '.join(f'{self._name}({k + 1})' for k in left)} with intermediate variables:")
            steps = self._steps_of(left).text(style).splitlines()
            lines += [line for line in steps if line != "all others are zero"]
        return "\n".join(lines)

    @checked
    def latex(self, style: str = "full") -> str:
        """The same as an aligned display, without dollar signs."""
        if not self._is_long or not self._places:
            return super().latex(style)
        return aligned(self._rows(style))

    def _repr_latex_(self) -> str:
        if not self._is_long or not self._places:
            return super()._repr_latex_()
        return displays(self._rows("full"))

    def _rows(self, style: str) -> Iterator[str]:
        short: Indices | None = self.context.short_indices(style)
        for k in self._places:
            yield from equation_rows(self.array[k].formula, latex_name(self._name, (k + 1,)), short)
        if left := self._others:
            yield r"& \text{the others with intermediate variables}"
            yield from self._steps_of(left).latex_rows(style)

    @property
    def _places(self) -> list[int]:
        return [k for k, x in enumerate(self.array) if _is_by_rates(x)]

    @property
    def _others(self) -> list[int]:
        return [k for k, x in enumerate(self.array) if x and not _is_by_rates(x)]

    def _steps_of(self, places: Sequence[int]) -> Intermediates:
        """The steps that these elements need."""
        steps = self.intermediates()
        results = [x if k in places else ZERO for k, x in enumerate(steps.results)]
        return retraced(steps.name, self.shape, steps.steps, results, steps.context, steps.reason)


def _is_by_rates(x: ExactFormula) -> bool:
    return SHORTENED < x.terms <= _MOST_TERMS


def _by_rates(x: ExactFormula) -> ExactFormula:
    """The formula, written as the sum of its terms by rates."""
    return ExactFormula(x.number, x.context, lambda: total(_sums(x)), chosen=True)


def _sums(x: ExactFormula) -> Iterator[Formula]:
    """The terms of a formula: accelerations, products of velocities, the rest; sums of parameters in each."""
    context = x.context
    rates = [context.names[g] for letter in "av" for g in context.names if g.startswith(f"{letter}[")]
    found: dict[str, dict[Formula, list[Formula]]] = {}  # rates: {coefficient: parameters}
    for factors, coefficient in x.collect([*context.parameters, *rates]).items():
        group, parameter = _split(factors, context)
        unit = Formula.symbol(parameter) if parameter else ONE
        found.setdefault(group, {}).setdefault(coefficient.shortest, []).append(unit)
    order = {name: n for n, name in enumerate(rates)}
    for group in sorted(found, key=lambda group: _place(group, order)):
        sums = [product([(factor, 1), (total(units), 1)]) for factor, units in found[group].items()]
        yield product([(total(sums), 1), (Formula.of(group), 1)])


def _split(factors: str, context: FormulaContext) -> tuple[str, str]:
    """The rates and the parameter of a product: "Dq_2**2*msx31" is ("Dq_2**2", "msx31")."""
    rates, parameter = [], ""
    for part in factors.replace("**", "^").split("*"):
        if part in context.parameters:
            parameter = part
        elif part != "1":
            rates.append(part.replace("^", "**"))
    return "*".join(rates) or "1", parameter


def _place(group: str, order: dict[str, int]) -> tuple[bool, list[int]]:
    names = [part.partition("**")[0] for part in group.split("*") if part not in ("", "2")]
    return group == "1", [order.get(name, 0) for name in names]
