"""Arrays of exact formulas, as `robot.mass_matrix.symbolic` returns them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import NoElement
from rikigaku.core.value_text import short
from rikigaku.numbers.formula_layout import operations
from rikigaku.numbers.formula_terms import natural_order
from rikigaku.numbers.formula_text import PAGE, equation_rows, latex, latex_width
from rikigaku.numbers.latex_names import aligned, displays, latex_name
from rikigaku.numbers.program import Operations, Shape
from rikigaku.symbolic.algebra.child_process import JobOptions
from rikigaku.symbolic.formulas.evaluation_point import NamedEvaluationPoint
from rikigaku.symbolic.formulas.exact_formula import SHORTENED, ExactFormula
from rikigaku.symbolic.formulas.formula_context import FormulaContext
from rikigaku.symbolic.formulas.intermediates import Intermediates, element_text, nonzero_places
from rikigaku.symbolic.formulas.law_result import SEARCH, LawResult

# Terms up to which formulas are shown as they are; if each has a form of few terms, in these; or of few
# characters. Others are shown with intermediate variables. Inverse dynamics of a SCARA with all inertias as
# symbols has 224 terms.
SHOWN, SHOWN_SHORT, MOST_SHOWN = 120, 200, 300
_FRACTION_GAP = "1em"  # below the strut of a row of fractions, which would seem to go on in the next row
_LONGEST = 1000  # characters
# Terms and operations up to which an element is shown as a formula among others that are shown by steps.
_FEW, _FEW_OPERATIONS = 4, 30
_BY_STEPS = r"& \text{with intermediate variables}"


class Formulas(LawResult):
    """An array of exact formulas. Indexing, iteration and `shape` are those of an array.

    A == B is one truth value, other than of NumPy's arrays: the same shape, and equal formulas at each place.
    """

    def __init__(
        self,
        title: str,
        array: Any,
        context: FormulaContext,
        program: Callable[[], Intermediates] | None = None,
    ) -> None:
        self.title, self.array, self.context, self._program = title, array, context, program

    @property
    def shape(self) -> Shape:
        return tuple(self.array.shape)

    def __getitem__(self, index: Any) -> Any:
        try:
            return self._like(self.array[index])
        except (IndexError, TypeError, ValueError) as error:
            raise NoElement(
                f"An array of formulas of shape {self.shape} has no element {short(index)}: {error}."
            ) from None

    def __len__(self) -> int:
        return len(self.array)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Formulas):
            return NotImplemented
        return self.shape == other.shape and all(
            x == y for x, y in zip(self.array.flat, other.array.flat, strict=True)
        )

    def __hash__(self) -> int:
        return hash((Formulas, self.shape))  # equal formulas of closed robots may be written differently

    def __iter__(self) -> Iterator[Any]:
        return (self._like(x) for x in self.array)

    def _like(self, x: Any) -> Any:
        return Formulas(f"part of {self.title}", x, self.context) if isinstance(x, np.ndarray) else x

    @property
    def T(self) -> "Formulas":
        """The transpose."""
        return Formulas(f"{self.title}, transposed", self.array.T, self.context)

    def each(self, change: Callable[[ExactFormula], ExactFormula]) -> "Formulas":
        """The same array with every formula changed."""
        new = np.empty(self.array.shape, dtype=object)
        for index, x in np.ndenumerate(self.array):
            new[index] = change(x)
        contexts = {x.context for x in new.flat}
        return Formulas(self.title, new, contexts.pop() if len(contexts) == 1 else self.context)

    def combined(self) -> "Formulas":
        """With sines and cosines of sums where that is shorter; see `ExactFormula.combined`."""
        return self.each(ExactFormula.combined)

    @checked
    def factored(self, time_limit: float = SEARCH) -> "Formulas":
        """As a textbook prints them; see `ExactFormula.factored`. time_limit: seconds for all of them."""
        work = JobOptions(time_limit)
        known: dict[Any, ExactFormula] = {}  # M(2, 1) is M(1, 2)

        def short_form(x: ExactFormula) -> ExactFormula:
            if x.number not in known:
                known[x.number] = x.factored_within(work)
            return known[x.number]

        found = self.each(short_form)
        found.reason = next((x.reason for x in found.array.flat if x.reason), "")
        return found

    @checked
    def collect(self, by: str | Sequence[str]) -> "dict[str, Formulas]":
        """{factor: array of coefficients}, "1" for the remaining terms; see `ExactFormula.collect`."""
        parts = [x.collect(by) for x in self.array.flat]
        found: dict[str, Formulas] = {}
        factors = {factor for part in parts for factor in part}
        for factor in sorted(factors, key=lambda x: (x == "1", natural_order(x))):
            array = np.empty(self.shape, dtype=object)
            zero = ExactFormula(Fraction(0), self.context)
            array.flat[:] = [part.get(factor, zero) for part in parts]
            found[factor] = Formulas(f"factor of {factor} in {self.title}", array, self.context)
        return found

    @checked
    def diff(self, name: str) -> "Formulas":
        """Partial derivatives by one variable; see `ExactFormula.diff`."""
        return self.each(lambda x: x.diff(name))

    def value(self, **arguments: Any) -> Any:
        """Values at a state as an array: of floats, or of fractions where everything given is rational.

        See `ExactFormula.value`.
        """
        # Several contexts, where formulas of other laws were added.
        contexts = {self.context} | {x.context for x in self.array.flat}
        points = {context: NamedEvaluationPoint(context, arguments) for context in contexts}
        values = [points[x.context].value(x.number) for x in self.array.flat]
        exact = not any(isinstance(x, float) for x in values)
        result = np.empty(len(values), dtype=object if exact else float)
        result[:] = values
        return result.reshape(self.shape)

    @checked
    def sympy(self, real: bool = True) -> Any:
        """A matrix of SymPy expressions (a column for a vector, an N-dim array beyond matrices).

        Multiplied out; `factored().sympy()` has the forms that are shown. Symbols are declared real unless
        real=False; see `ExactFormula.sympy`.
        """
        from rikigaku.symbolic.formulas.sympy_conversion import sympy_array

        return sympy_array([x.sympy(real) for x in self.array.flat], self.shape)

    def subs(self, name: Any, value: Any = None) -> "Formulas":
        """With variables replaced, `subs("zz6", 3)`; see `ExactFormula.subs`."""
        return self.each(lambda x: x.subs(name, value))

    @property
    def names(self) -> frozenset[str]:
        """Names of all variables of the formulas."""
        return frozenset().union(*(x.names for x in self.array.flat))

    @property
    def terms(self) -> int:
        """Terms of all formulas, multiplied out."""
        return sum(x.terms for x in self.array.flat)

    def intermediates(self) -> Intermediates:
        """A list of intermediate variables, each used by later ones: of a whole law the program that runs."""
        return self._steps

    @cached_property
    def _steps(self) -> Intermediates:
        if self._program is not None:
            return self._program()
        from rikigaku.symbolic.formulas.collected_steps import retraced

        return retraced("y", self.shape, (), [x.formula for x in self.array.flat], self.context)

    @cached_property
    def _shown_steps(self) -> Intermediates:
        """The steps, with elements of few terms as formulas: M(6, 6) = ZZ6."""
        from rikigaku.symbolic.formulas.collected_steps import retraced

        steps = self._steps
        pairs = list(zip(self.array.flat, steps.results, strict=True))
        results = [x.shortest if _is_short(x) else y for x, y in pairs]
        return retraced(steps.name, self.shape, steps.steps, results, steps.context, steps.reason)

    @property
    def operations(self) -> Operations:
        """Operations one state takes, by the list of steps."""
        return self.intermediates().operations

    @property
    def _name(self) -> str:
        """The letter of the elements: "M" of "M of mass_matrix ..."; none of a part."""
        name = self.title.split(" ", 1)[0].rstrip(",")
        return "" if name == "part" else name

    @property
    def _is_long(self) -> bool:
        """Whether intermediate variables are shown: where some element has no short form."""
        if self._program is None or self.terms <= SHOWN:
            return False
        if self.terms > MOST_SHOWN or any(x.terms > SHORTENED for x in self.array.flat):
            return True
        if self.terms <= SHOWN_SHORT:
            return False
        return any(len(str(x.shortest)) > _LONGEST for x in self.array.flat)

    def __repr__(self) -> str:
        return self.text()

    @checked
    def text(self, style: str = "full") -> str:
        """One line for each formula that is not zero, by its place, counted from 1; styles as for a formula.

        Long results are shown with intermediate variables.
        """
        size = " x ".join(map(str, self.shape))
        head = f"<{self.title}: {size} formulas, {self.terms} terms>"
        if relations := self.context.relations:
            head += f"\nwith {', '.join(relations)}"
        if relations := self.context.unsubstituted_relations:
            head += f"\nwhere {', '.join(relations)}"
        if self._is_long:
            return f"{head}\nwith intermediate variables:\n{self._shown_steps.text(style)}"
        shown = [
            f"{' = '.join(element_text(self._name, p) for p in places)} = {_cut(x.text(style))}"
            for places, x in nonzero_places(list(self.array.flat), self.shape)
        ]
        zeros = "all others are zero" if shown else "all are zero"
        return "\n".join([head, *shown, *([zeros] if not all(self.array.flat) else [])])

    @checked
    def latex(self, style: str = "full") -> str:
        """All formulas as one matrix (a column for a vector) in LaTeX, without dollar signs.

        A matrix wider than a page of A4 comes as an aligned block, an equation for each element that is not
        zero, in lines that fit. Long results come with intermediate variables, as they are printed; one
        element, `M[0, 0].latex()`, is always a formula. style "short" writes s_{23} for sin(theta2 + theta3).
        """
        if self._is_long:
            return aligned([_BY_STEPS, *self._shown_steps.latex_rows(style)])
        short = self.context.short_indices(style)
        if self._fits(short):
            return _latex_matrix(self.array, short)
        return aligned(self._equations(short))

    def _repr_latex_(self) -> str:
        if self._is_long:
            return displays([_BY_STEPS, *self._shown_steps.latex_rows()])
        if self._fits(None):
            return f"${self.latex()}$"
        return displays(self._equations(None))

    def _fits(self, short: Mapping[str, str] | None) -> bool:
        """Whether the array is a matrix that fits the width of a page."""
        return self.array.ndim <= 2 and _matrix_width(self.array, short) <= PAGE

    def _equations(self, short: Mapping[str, str] | None) -> Iterator[str]:
        """Rows of an aligned display: an equation for each formula that is not zero, in lines that fit."""
        found = [
            (" = ".join(latex_name(self._name, p) for p in places), x)
            for places, x in nonzero_places(list(self.array.flat), self.shape)
        ]
        widest = max((left for left, _ in found), key=latex_width, default="")
        for left, x in found:
            yield from equation_rows(x.shortest, left, short, widest)
        if not all(self.array.flat):
            yield r"& \text{all others are zero}"


def _is_short(x: ExactFormula) -> bool:
    """Whether an element is shown as a formula among others that are shown by steps."""
    return 0 < x.terms <= _FEW and operations(x.shortest) <= _FEW_OPERATIONS


def _cut(text: str) -> str:
    """The text of a formula, cut to the longest line shown."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ... (index it for the whole)"


def _rows(array: Any) -> Any:
    return array if array.ndim == 2 else array.reshape(-1, 1)


def _latex_matrix(array: Any, short: Mapping[str, str] | None) -> str:
    lines = [" & ".join(latex(x.shortest, short) for x in row) for row in _rows(array)]
    fractions = any(r"\frac" in line for line in lines)
    ending = rf" \\[{_FRACTION_GAP}] " if fractions else r" \\ "
    return r"\begin{bmatrix}" + ending.join(lines) + r"\end{bmatrix}"


def _matrix_width(array: Any, short: Mapping[str, str] | None) -> int:
    """About how many characters wide the matrix is: the widest element of each column, and the gaps."""
    columns = _rows(array).T
    return sum(
        4 + max((latex_width(latex(x.shortest, short)) for x in column), default=0) for column in columns
    )
