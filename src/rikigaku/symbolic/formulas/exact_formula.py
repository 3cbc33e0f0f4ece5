"""One exact formula of a robot: display, evaluation, collection of terms, differentiation, arithmetic."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import inf
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import JobFailed, NotExact, TimeLimit, TooLarge, WrongValue
from rikigaku.core.value_text import short
from rikigaku.numbers.exact_number import Exact, ExactNumber
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.formula_layout import operations
from rikigaku.numbers.formula_text import displayed, equation, latex_lines, text
from rikigaku.numbers.latex_names import displays, escaped
from rikigaku.numbers.polynomial_algebra import coefficients
from rikigaku.numbers.program import Operations, Shape
from rikigaku.numbers.rational_function import RationalFunction
from rikigaku.numbers.ring_transfer import moved
from rikigaku.symbolic.algebra.child_process import JobOptions
from rikigaku.symbolic.formulas.coefficient_forms import by_coefficients
from rikigaku.symbolic.formulas.evaluation_point import NamedEvaluationPoint
from rikigaku.symbolic.formulas.formula_context import FormulaContext
from rikigaku.symbolic.formulas.formula_grouping import shortest
from rikigaku.symbolic.formulas.formula_writing import FormulaWriter
from rikigaku.symbolic.formulas.law_result import SEARCH, LawResult
from rikigaku.symbolic.formulas.partial_derivatives import derivative
from rikigaku.symbolic.formulas.substitution import substituted
from rikigaku.symbolic.formulas.textbook_form import within

if TYPE_CHECKING:
    from rikigaku.symbolic.formulas.intermediates import Intermediates

# Characters a term of a sum takes at least, in the mean.
_SHORTEST_TERM = 4
# Terms up to which the shortest form is looked for before a formula is shown.
SHORTENED = 120
_COLLECTED = 600  # terms up to which coefficients of velocities, accelerations and parameters are shortened
_FEW = 20  # terms up to which it is looked for where a form by coefficients is known, too
_SHOWING = 40_000.0  # work of that search, up to 10 s; then the shortest form found so far is shown
WORK_A_SECOND = 4_000.0  # of that search, about
_LINES_SHOWN = 30  # in a notebook


class ExactFormula(LawResult):
    """An exact formula; `number` is its value in the ring, `formula` how it is written (`shown` if given).

    It adds, subtracts, multiplies and divides with other formulas of the robot and with rational numbers.
    Equal formulas compare equal and what is zero is the number 0, except for relations between constants that
    the ring does not know (`rikigaku.numbers.polynomial_ring` lists them). Formulas of closed robots are
    compared where the loops are closed.
    """

    def __init__(
        self,
        number: ExactNumber,
        context: FormulaContext,
        shown: Callable[[], Formula] | None = None,
        chosen: bool = False,
        equal: tuple[ExactNumber, ...] = (),
    ) -> None:
        """chosen: the form `shown` was asked for, and no shorter one is looked for.

        equal: the number in other forms, which may be shorter: partial fractions, and numbers that are equal
        where the loops of the robot are closed.
        """
        self.number, self.context, self._shown, self._chosen = number, context, shown, chosen
        self._equal = equal

    # -- display --------------------------------------------------------------------------------------------
    @cached_property
    def formula(self) -> Formula:
        """The formula as data of the package: text that reads back, LaTeX, values of any kind of number."""
        return self.context.writer(self.number) if self._shown is None else self._shown()

    @cached_property
    def shortest(self) -> Formula:
        """The form that is shown: the shortest that a textbook would print, of long formulas `formula`."""
        return self.shortest_within(_SHOWING)

    def shortest_within(self, work: float) -> Formula:
        """The same, with this work for the search (`algebra_budget`): the same on every machine."""
        if self._chosen:
            return self.formula
        forms = [self.formula]
        if self.on_loops or self.terms <= _COLLECTED:
            for equal, names in self._collected_forms:
                forms.append(by_coefficients(self.context.forms, equal, names, work))
        if self.terms <= (SHORTENED if not self._equal or len(forms) == 1 else _FEW):
            forms.append(self.context.short_form(self.number, work))
        return shortest(forms)

    @property
    def _collected_forms(self) -> Iterator[tuple[tuple[ExactNumber, ...], tuple[str, ...]]]:
        """Equal numbers, and the generators whose coefficients are shown: M = m1*(l + r*c1)**2 + zz1."""
        if not self._equal:
            written = self.context.writer.names
            for names in dict.fromkeys((self.context.parameters, self.context.coefficients)):
                if not self.names.isdisjoint(written.get(x, x) for x in names):
                    yield (self.number,), names
        for equal in (self._equal[:1], self._equal)[: len(self._equal)]:
            yield equal, self.context.coefficients

    @property
    def on_loops(self) -> bool:
        """Whether loop constraints may write the number in a shorter form than its terms tell."""
        return bool(self._equal)

    def combined(self) -> "ExactFormula":
        """The same, written with sines and cosines of sums, cos(theta2 + theta3), where that is shorter."""
        from rikigaku.symbolic.formulas.trigonometric_sums import combined

        if isinstance(self.number, RationalFunction):
            # multiplied out, each term is several characters even when most of them combine
            most = len(str(self.formula)) / _SHORTEST_TERM if self._shown is not None else inf
            equal = [x for x in (self.number, *self._equal) if _terms(x) <= most]
            found = shortest([self.formula, *(combined(x, *self._combining) for x in equal)])
        else:
            found = min(combined(self.number, *self._combining), self.formula, key=_length)
        return ExactFormula(self.number, self.context, lambda: found, chosen=True)

    @property
    def _combining(self) -> tuple[FormulaWriter, dict[Any, Formula]]:
        return self.context.writer, self.context.combined

    @checked
    def factored(self, time_limit: float = SEARCH) -> "ExactFormula":
        """The same as a textbook prints it: factors, squares of sums, common factors, sums of angles.

        Of all these forms, and of the sum multiplied out, the one with the fewest operations. Every form is
        computed again with exact numbers before it is shown. time_limit: seconds; a search that takes longer
        is stopped, the shortest form found so far comes back, and its `reason` says so.
        """
        return self.factored_within(JobOptions(time_limit))

    def factored_within(self, work: JobOptions) -> "ExactFormula":
        """`factored` within the limits of work that other formulas share."""
        short_forms, forms, reason = self.context.forms, [self.formula], ""
        try:
            with within(work):
                for equal, names in self._collected_forms:
                    forms.append(by_coefficients(short_forms, equal, names))
                forms += [short_forms(self.number), short_forms.of_fractions(self.formula)]
        except (TimeLimit, TooLarge, JobFailed) as error:
            reason = str(error)
        found = shortest(forms)
        result = ExactFormula(self.number, self.context, lambda: found, chosen=True)
        result.reason = reason
        return result

    @property
    def shown_operations(self) -> int:
        """Operations of the form that is shown, as it stands: + - * /, powers, functions."""
        return operations(self.shortest)

    @checked
    def sympy(self, real: bool = True) -> Any:
        """The formula in SymPy, as `formula` is written: multiplied out, unless it was combined or factored.

        Multiplied out, equal formulas of a robot without loops are the same expression. The form that is
        shown needs a search; `factored().sympy()` gives it.

        Its symbols are declared real, `sympy.Symbol("L", real=True)`, which SymPy's simplifications need:
        for SymPy these differ from symbols without assumptions, and `.subs("L", 3)` does not find them. Use
        `subs` of this formula, or real=False for symbols without assumptions.
        """
        from rikigaku.symbolic.formulas.sympy_conversion import sympy_formula

        return sympy_formula(self.formula, real)

    @property
    def shape(self) -> Shape:
        """(): one formula."""
        return ()

    def intermediates(self) -> "Intermediates":
        """The formula as a list of steps, in which equal operations are done once."""
        from rikigaku.symbolic.formulas.collected_steps import retraced

        return retraced("y", (), (), [self.formula], self.context)

    @property
    def operations(self) -> Operations:
        """Operations one state takes, by the list of steps."""
        return self.intermediates().operations

    def subs(self, name: Any, value: Any = None) -> "ExactFormula":
        """The formula with variables replaced: `subs("zz6", 3)`, `subs({"L": 0.5, "m1": "2*m2"})`.

        Values are numbers (a float as the decimal it prints as) or formulas of the robot's symbols; an angle
        takes what its sine is exact for, as "pi/3". Where a coordinate or a length of a closed robot is
        replaced, the formula holds where the loops with that value are closed, and is not shortened further.

        Raises:
            UnknownName: for a name that is no variable of the robot's formulas. NotExact: for other angles.
        """
        values = _replacements(name, value)
        number = substituted(self.number, self.context, values)
        context = self.context.after_replacing({x: Formula.of(y) for x, y in values.items()})
        return ExactFormula(context.reduced(number), context)

    @checked
    def text(self, style: str = "full") -> str:
        """The formula in one line; style "short" writes s23 for sin(theta2 + theta3), c1 for cos(theta1)."""
        return text(self.shortest, self.context.short_indices(style))

    @checked
    def latex(self, style: str = "full") -> str:
        """The formula for a paper, without the dollar signs; styles as for `text`.

        A formula wider than a page of A4 comes as an aligned block of lines.
        """
        return displayed(self.shortest, self.context.short_indices(style))

    def _repr_latex_(self) -> str:
        lines = latex_lines(self.shortest)
        if len(lines) > _LINES_SHOWN:
            rest = f"... ({self.terms} terms; .factored() looks for a shorter form, .latex() is the whole)"
            lines = [*lines[:_LINES_SHOWN], rf"\text{{{escaped(rest)}}}"]
        return f"${lines[0]}$" if len(lines) == 1 else displays(equation(lines))

    def __repr__(self) -> str:
        return str(self.shortest)

    @property
    def names(self) -> frozenset[str]:
        """Names of all variables of the formula."""
        return self.formula.symbols

    @property
    def terms(self) -> int:
        """How many terms the numerator has, multiplied out."""
        above = self.number.numerator
        return len(above.polynomial) if isinstance(above, Exact) else int(above != 0)

    @property
    def numerator(self) -> "ExactFormula":
        return self._like(
            self.number.numerator if isinstance(self.number, (Exact, RationalFunction)) else self.number
        )

    @property
    def denominator(self) -> "ExactFormula":
        return self._like(
            self.number.denominator if isinstance(self.number, (Exact, RationalFunction)) else 1
        )

    # -- values ---------------------------------------------------------------------------------------------
    def value(self, **arguments: Any) -> Fraction | float:
        """The value at a state: `value(q=[0.1, 0.2], v=[1, 0], L=Fraction(1, 2))`, or by name, `theta1=0.3`.

        Floats give a float, next to the exact result for these sines and cosines. Exact results come from
        rational numbers; an angle is then given by its sine and cosine, as the pair (3/5, 4/5) of fractions.
        Symbols the robot has a value for need none; those called like an input go in `symbols={"a": 1}`.
        """
        return NamedEvaluationPoint(self.context, arguments).value(self.number)

    def __float__(self) -> float:
        return float(self.value())

    # -- collection and derivatives -------------------------------------------------------------------------
    @checked
    def collect(self, by: str | Sequence[str]) -> dict[str, "ExactFormula"]:
        """The formula as a sum of factor times formula, by factor, "1" for the remaining terms.

        by: "parameters" (symbols of inertias, friction, rotors), "accelerations", "velocities" (their
        products are factors), or names of variables.
        """
        chosen = self.context.chosen(by)
        if not isinstance(self.number, (Exact, RationalFunction)):
            return {"1": self} if self.number else {}
        below = self.number.denominator
        if isinstance(below, Exact) and any(_holds(below, x) for x in chosen):
            raise NotExact(f"The formula divides by what is to be collected ({by}): take its numerator.")
        above = self.number.numerator
        if not isinstance(above, Exact):
            return {"1": self}
        return {
            str(self.context.writer(factor)): self._like(rest / below if below != 1 else rest)
            for factor, rest in _collected(above, chosen)
        }

    @checked
    def diff(self, name: str) -> "ExactFormula":
        """The partial derivative with respect to a coordinate, velocity, ... or symbol, all others held.

        Raises:
            NotExact: by a coordinate or a length of a closed robot, where the loops hold no others fixed.
        """
        self.context.check_derivative(name)
        return self._like(derivative(self.number, self.context.generator(name)))

    # -- arithmetic -----------------------------------------------------------------------------------------
    def _like(self, number: Any) -> "ExactFormula":
        return ExactFormula(self.context.reduced(number), self.context)

    def _named_as(self, other: "ExactFormula") -> bool:
        """Whether shared generators have the same names: q[0] of another robot may be another joint."""
        if not all(isinstance(x.number, (Exact, RationalFunction)) for x in (self, other)):
            return True  # a rational number holds no names
        ours, theirs = self.context.names, other.context.names
        return ours is theirs or all(theirs.get(x, name) == name for x, name in ours.items())

    def _pair(self, other: object) -> tuple[Any, Any, Callable[[Any], "ExactFormula"]]:
        """Both numbers in one ring, and the function that makes a formula of their sum or product."""
        if not isinstance(other, ExactFormula):
            return _exact(self.number), _exact(other), self._like
        x, y = _exact(self.number), _exact(other.number)
        own, theirs = self.context, other.context
        if not all(isinstance(number, (Exact, RationalFunction)) for number in (x, y)):
            return x, y, other._like if isinstance(y, (Exact, RationalFunction)) else self._like
        if not own.closed_alike(theirs):
            raise WrongValue(
                f"A formula of the closed robot {own.robot.name!r} and one of {theirs.robot.name!r} cannot "
                "be combined: each holds only where its own loops are closed, and their geometry differs."
            )
        # closed with tree is closed; with replaced lengths it is not shortened
        first, second = sorted((own, theirs), key=lambda c: (c.closed, c.replaced is not None), reverse=True)
        if own.ring is theirs.ring:
            return x, y, _made(first)
        if self._named_as(other):
            moved_to = second if not first.closed or second.closed else first.in_ring_of(second)
            for target in (first, moved_to):  # laws with other square roots or inputs have other rings
                try:
                    if target is not None:
                        return moved(x, target.ring), moved(y, target.ring), _made(target)
                except NotExact:
                    continue
        raise WrongValue(
            f"A formula of robot {own.robot.name!r} and one of {theirs.robot.name!r} cannot "
            "be combined: each holds a variable or a square root the other does not know, or their joints "
            "are called differently."
        )

    def __add__(self, other: object) -> "ExactFormula":
        x, y, like = self._pair(other)
        return like(x + y)

    def __sub__(self, other: object) -> "ExactFormula":
        x, y, like = self._pair(other)
        return like(x - y)

    def __rsub__(self, other: object) -> "ExactFormula":
        x, y, like = self._pair(other)
        return like(y - x)

    def __mul__(self, other: object) -> "ExactFormula":
        x, y, like = self._pair(other)
        return like(x * y)

    def __truediv__(self, other: object) -> "ExactFormula":
        x, y, like = self._pair(other)
        return like(x / y)

    def __rtruediv__(self, other: object) -> "ExactFormula":
        x, y, like = self._pair(other)
        return like(y / x)

    def __pow__(self, exponent: int) -> "ExactFormula":
        return self._like(_exact(self.number) ** exponent)

    def __neg__(self) -> "ExactFormula":
        return self._like(-self.number)

    __radd__ = __add__
    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ExactFormula):
            if self.number == other:
                return True
            if not isinstance(other, (int, Fraction)) or not self.context.closed:
                return False
            return bool(self.context.reduced(_exact(self.number) - other) == 0)
        if not self._named_as(other):
            return False
        if self.number == other.number:
            return True
        ours, theirs = self.context, other.context
        replaced = ours.replaced is not None or theirs.replaced is not None
        if ours.ring is not theirs.ring or replaced or not (ours.closed or theirs.closed):
            return False
        context = ours if ours.closed else theirs
        return bool(context.reduced(_exact(self.number) - _exact(other.number)) == 0)

    def __hash__(self) -> int:  # where loops are closed, equal formulas may be written differently
        return hash(ExactFormula) if isinstance(self.number, (Exact, RationalFunction)) else hash(self.number)

    def __bool__(self) -> bool:
        return isinstance(self.number, (Exact, RationalFunction)) or self.number != 0


def _made(context: FormulaContext) -> Callable[[Any], ExactFormula]:
    return lambda number: ExactFormula(context.reduced(number), context)


def _replacements(name: Any, value: Any) -> dict[str, Any]:
    """Values by name; SymPy's symbols are names, too."""
    if isinstance(name, Mapping):
        return {_name(key): x for key, x in name.items()}
    if value is None:
        raise WrongValue(
            f"subs takes a name and a value, subs('L', 0.5), or values by name; {short(name)} was given."
        )
    return {_name(name): value}


def _name(key: Any) -> str:
    if isinstance(key, str) or hasattr(key, "free_symbols"):
        return str(key)
    raise WrongValue(f"subs takes names of variables, subs('L', 0.5); {short(key)} was given.")


def _exact(x: Any) -> Any:
    return Fraction(x) if isinstance(x, int) else x


def _terms(x: ExactNumber) -> int:
    """Terms of the numerators of a number."""
    parts = x.parts.values() if isinstance(x, RationalFunction) else [x]
    return sum(len(part.polynomial) for part in parts if isinstance(part, Exact))


def _length(formula: Formula) -> tuple[int, int]:
    return len(formula.terms), sum(abs(power) for monomial, _ in formula.terms for _, power in monomial)


def _holds(x: Exact, generator: str) -> bool:
    return bool(x.polynomial.degrees()[x.ring.names.index(generator)])


def _collected(x: Exact, generators: Sequence[str]) -> Iterator[tuple[Any, Any]]:
    """x as a sum of products of these generators, highest powers first, each with its coefficient."""
    for powers, rest in sorted(coefficients(x, generators).items(), key=itemgetter(0), reverse=True):
        factor: Any = 1
        for name, n in zip(generators, powers, strict=True):
            factor = factor * x.ring.variable(name) ** n
        yield factor, rest
