"""The shortest form of an exact number among those a textbook would print.

Sums of angles (cos(q2 + q3)), doubled angles, squares of sines or of cosines, factors, and common factors
taken out. All forms come from exact polynomials: FLINT factors them, and identities of sines and cosines are
changes of generators (`trigonometric_bases`). Each form is computed again with exact numbers, and shown only
if that gives the number. Long searches run in a child process with a time limit (`within`). A search whose
work is limited (`work_limit`) gives the shortest form found so far.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from typing import Any

from flint import Ordering, fmpq_mpoly, fmpq_mpoly_ctx

from rikigaku.core.errors import RikigakuError
from rikigaku.numbers.algebra_budget import (
    OutOfWork,
    charged,
    count_work,
    recount_work,
    work_done,
    work_left,
)
from rikigaku.numbers.exact_number import Exact, ExactConstants, ExactNumber
from rikigaku.numbers.flint_conversion import plain, rational
from rikigaku.numbers.formula import ONE, ZERO, Formula, product, total
from rikigaku.numbers.formula_json import formula_data, formula_of
from rikigaku.numbers.polynomial_algebra import coefficients
from rikigaku.numbers.rational_function import RationalFunction
from rikigaku.symbolic.algebra.child_process import JobOptions
from rikigaku.symbolic.algebra.job_dispatch import in_process_or_child
from rikigaku.symbolic.formulas.formula_grouping import (
    LARGEST_INTEGER,
    contents,
    grouped,
    length,
    shortest,
)
from rikigaku.symbolic.formulas.formula_writing import FormulaWriter
from rikigaku.symbolic.formulas.trigonometric_bases import (
    TrigonometricPolynomial,
    doubled,
    forms,
    half_angle_factors,
    parity_parts,
    shortest_squares,
    with_sums,
)
from rikigaku.symbolic.formulas.trigonometric_sums import combined

# Terms of a polynomial up to which other angles are tried, and it is factored; splits are tried up to fewer.
_REWRITTEN, _SPLIT = 300, 40
# Of equal polynomials in other angles, those with more terms than this many times the fewest are left out.
_WORTH_TRYING = 1.5
# Terms up to which a search takes some 0.2 s and is not worth a child process.
_QUICK = 12
_ADVICE = "Give more time (factored(time_limit=...)), or values to some symbols (law.formulas(L=0.4))."

_work: ContextVar[JobOptions | None] = ContextVar("search", default=None)


@contextmanager
def within(work: JobOptions) -> Iterator[None]:
    """Inside, searches take no longer than the limit; long ones run in a child process.

    Raises:
        TimeLimit, JobCancelled, JobFailed, TooLarge: as `in_process_or_child`.
    """
    token = _work.set(work)
    try:
        yield
    finally:
        _work.reset(token)


class TextbookForms:
    """Forms of the numbers of one ring, as a writer names them. Parts seen before are known."""

    def __init__(self, writer: FormulaWriter) -> None:
        self.writer, self.ring = writer, writer.ring
        # of polynomials, with the work it took: determinants occur in many formulas
        self._known: dict[Any, tuple[Formula, float]] = {}
        self._squares: dict[Any, tuple[tuple[Formula, Any] | None, float]] = {}

    def __call__(self, x: ExactNumber) -> Formula:
        """The shortest form of the number."""
        if isinstance(x, (int, Fraction)):
            return Formula.of(x)
        for name in self._roots(x):
            if (size := self._root_of_square(name)) is not None:
                return self._with_sign(x, name, *size)
        if isinstance(x, RationalFunction):
            monomial, rest = _without_monomial(x.numerator)  # it may cancel
            above, below = self._cancelled(self(rest), dict(x.denominator_factors))
            divisors = [(self._radicand(d), -n) for d, n in below.items() if n]
            return product([(self(monomial), 1), (above, 1), *divisors])
        return charged(self._known, str(x.polynomial), lambda: self._of_polynomial(x))

    def _of_polynomial(self, x: Exact) -> Formula:
        plain_form = self.writer(x)
        candidates = sorted(self._candidates(x, plain_form), key=length)
        if work_left() < 0:
            candidates = sorted([*candidates, combined(x, self.writer, {})], key=length)
        return next(f for f in candidates if f is plain_form or self._is(f, x))

    def of_fractions(self, formula: Formula) -> Formula:
        """A sum of fractions with every sum above and below a line in its short form."""
        found = []
        for monomial, coefficient in formula.terms:
            factors = []
            for factor, power in monomial:
                number = self._number(factor[1]) if factor[0] == "sum" else None
                own = Formula(((((factor, 1),), Fraction(1)),)) if number is None else self(number)
                factors.append((own, power))
            found.append(product(factors, coefficient))
        return total(found)

    def _candidates(self, x: Exact, plain_form: Formula) -> Iterator[Formula]:
        yield plain_form
        ring = x.ring
        degrees = x.polynomial.degrees()
        used = {name for name, degree in zip(ring.names, degrees, strict=True) if degree}
        turning = [name[4:-1] for name in ring.names if name.startswith("cos(")]
        turning = [a for a in turning if f"cos({a})" in used or f"sin({a})" in used]
        generators = [f"{f}({a})" for f in ("cos", "sin") for a in turning]
        others = [name for name in ring.names if name in used and name not in generators]
        places = [ring.names.index(name) for name in (*generators, *others)]
        context = fmpq_mpoly_ctx.get(tuple(f"y{k}" for k in range(len(places))), Ordering.lex)
        polynomial = context.from_dict(
            {tuple(int(powers[k]) for k in places): c for powers, c in x.polynomial.to_dict().items()}
        )
        angles = tuple(self.writer.angle(a) for a in turning)
        yield from _found(TrigonometricPolynomial(polynomial, angles), [self._other(x) for x in others])

    def _other(self, name: str) -> Formula:
        """The formula of a generator that is no sine or cosine; radicands of square roots in short form."""
        if name.startswith("root["):
            return self._radicand(self.ring.radicands[int(name[5:-1])]).sqrt()
        return self.writer.formulas[name]

    def _radicand(self, x: Any) -> Formula:
        """The shortest form of what is below a root or a fraction bar, 1 - p**2 and p**2 - 1 among them."""
        found = [self(x)]
        for sign in (1, -1) if isinstance(x, Exact) else ():
            if (square := self._square_root(1 - x * sign)) is not None:
                found.append((ONE - product([(square[0], 2)])) * sign)
        return shortest(found)

    # -- square roots of squares ----------------------------------------------------------------------------
    def _roots(self, x: Exact | RationalFunction) -> list[str]:
        """The square roots that occur."""
        above = x.numerator
        if not isinstance(above, Exact):
            return []
        degrees = zip(self.ring.names, above.polynomial.degrees(), strict=True)
        return [name for name, degree in degrees if degree and name.startswith("root[")]

    def _root_of_square(self, name: str) -> tuple[Formula, Any] | None:
        """p as a formula and as a number, where the root is sqrt(p^2), the absolute value of p; else None."""
        radicand = self.ring.radicands[int(name[5:-1])]
        return charged(self._squares, name, lambda: self._square_root(radicand))

    def _square_root(self, radicand: Any) -> tuple[Formula, Any] | None:
        """p as a formula and as a number, where the radicand is p^2; else None."""
        if not isinstance(radicand, Exact):
            return None
        form = self(radicand)
        if len(form.terms) != 1:
            return None
        monomial, c = form.terms[0]
        above, below = math.isqrt(max(c.numerator, 0)), math.isqrt(c.denominator)
        if Fraction(above, below) ** 2 != c or any(power % 2 for _, power in monomial):
            return None
        half = Formula(((tuple((factor, power // 2) for factor, power in monomial), Fraction(above, below)),))
        number = self._number(half)
        return (half, number) if number is not None and number * number == radicand else None

    def _cancelled(self, form: Formula, factors: dict[Any, int]) -> tuple[Formula, dict[Any, int]]:
        """A numerator and its denominators without factors that are equal modulo s^2 + c^2 = 1."""
        if len(form.terms) != 1:
            return form, factors
        monomial, coefficient = form.terms[0]
        kept = []
        for factor, power in monomial:
            number = self._number(factor[1]) if factor[0] == "sum" and power > 0 else None
            if not isinstance(number, Exact):
                kept.append((factor, power))
                continue
            for d in factors:
                scale = _leading(number) / _leading(d)
                if factors[d] and number - d * scale == 0:
                    common = min(power, factors[d])
                    power, factors[d] = power - common, factors[d] - common
                    coefficient = coefficient * scale**common
            kept.append((factor, power))
        return Formula(((tuple(x for x in kept if x[1]), coefficient),)), factors

    def _with_sign(self, x: Any, name: str, form: Formula, number: Any) -> Formula:
        """x = A + B root as A + (B p) sign(p)."""
        parts = coefficients(x.numerator, [name])
        below = x.denominator
        plain_part, factor = (parts.get((k,), 0) / below for k in (0, 1))
        return self(plain_part) + product([(self(factor * number), 1), (form.sign(), 1)])

    # -- proof ----------------------------------------------------------------------------------------------
    def _is(self, form: Formula, x: Exact) -> bool:
        """Whether the form, computed with exact numbers, is the number."""
        number = self._number(form)
        return number is not None and bool(number - x == 0)

    def _number(self, form: Formula) -> Any:
        """The exact number of a form; None where it holds what the ring does not know."""
        ring = self.ring
        names = {name: generator for generator, name in self.writer.names.items()}
        generators = {name: names.get(name, name) for name in form.symbols}
        if any(generator not in ring.generators for generator in generators.values()):
            return None
        symbols = {name: ring.variable(generator) for name, generator in generators.items()}
        try:
            return form.evaluate(ExactConstants(ring), symbols)
        except RikigakuError:
            return None


def _leading(x: Exact) -> Fraction:
    """The first coefficient of a polynomial."""
    return Fraction(plain(x.polynomial.leading_coefficient()))


def _without_monomial(x: Any) -> tuple[Any, Any]:
    """The product of generators that divides every term of a polynomial, and the quotient."""
    if not isinstance(x, Exact):
        return 1, x
    common = tuple(map(min, zip(*x.polynomial.monoms(), strict=True)))
    if not any(common):
        return 1, x
    monomial = x.ring.context.from_dict({common: 1})
    return x.ring.number(monomial), x.ring.number(x.polynomial / monomial)


def _found(p: TrigonometricPolynomial, others: list[Formula]) -> list[Formula]:
    """The forms that the search finds, within the limits of the work."""
    work = _work.get()
    if work is None or len(p.polynomial) <= _QUICK:
        return _searched(p, others)
    data = {
        "angles": [formula_data(x) for x in p.angles],
        "others": [formula_data(x) for x in others],
        "terms": [[list(map(int, m)), str(plain(c))] for m, c in p.polynomial.to_dict().items()],
    }
    before = work_done()

    def restored(result: list[Any]) -> list[Formula]:
        found, work = result
        recount_work(before, work)
        return [formula_of(x) for x in found]

    return in_process_or_child(
        lambda: _searched(p, others),
        _job,
        data,
        restored,
        what=f"The search for a short form of {len(p.polynomial)} terms",
        work=work,
        advice=_ADVICE,
    )


def _searched(p: TrigonometricPolynomial, others: list[Formula]) -> list[Formula]:
    search, found = _Search(len(p.angles), others), []
    try:
        found.append(search.by_parts(p))
        if len(p.polynomial) <= _REWRITTEN:
            found.append(search.best(p))
    except OutOfWork:
        pass
    return found


def _job(data: dict[str, Any]) -> list[Any]:
    angles, others = ([formula_of(x) for x in data[key]] for key in ("angles", "others"))
    names = tuple(f"y{k}" for k in range(2 * len(angles) + len(others)))
    context = fmpq_mpoly_ctx.get(names, Ordering.lex)
    terms = {tuple(powers): rational(Fraction(c)) for powers, c in data["terms"]}
    before = work_done()
    found = _searched(TrigonometricPolynomial(context.from_dict(terms), tuple(angles)), others)
    return [[formula_data(x) for x in found], work_done() - before]


class _Search:
    """Short forms of polynomials in sines and cosines; n: number of angles, others: other generators."""

    def __init__(self, n: int, others: list[Formula]) -> None:
        self.n, self.others = n, others
        self.known: dict[tuple[str, tuple[Formula, ...]], Formula] = {}

    # -- parts beside products of symbols -------------------------------------------------------------------
    def by_parts(self, p: TrigonometricPolynomial) -> Formula:
        """Each product of symbols has its own factor of sines and cosines; equal factors are collected."""
        context, n = p.polynomial.context(), self.n
        parts: dict[tuple[int, ...], dict[tuple[int, ...], Any]] = {}
        for powers, c in p.polynomial.to_dict().items():
            beside = (*(0,) * (2 * n), *map(int, powers[2 * n :]))
            parts.setdefault(beside, {})[(*map(int, powers[: 2 * n]), *(0,) * len(self.others))] = c
        scales: dict[str, Fraction] = {}  # of parts that are multiples of each other, that of the first
        forms: dict[str, Formula] = {}
        factors: dict[str, Formula] = {}
        for beside, part in parts.items():
            content = contents([plain(c) for c in part.values()])
            unit = context.from_dict(part) / rational(content)
            key = str(unit)
            if key not in forms:
                small = max(abs(Fraction(plain(c))) for c in unit.coeffs()) <= LARGEST_INTEGER
                scales[key] = content if small else Fraction(1)
                own = unit if small else context.from_dict(part)
                forms[key] = self.best(TrigonometricPolynomial(own, p.angles))
                factors[key] = self._term(p.angles, beside, scales[key])
                scales[key] = Fraction(1) if small else content
            else:
                factors[key] = factors[key] + self._term(p.angles, beside, content / scales[key])
        result = ZERO
        for key, form in forms.items():
            result = result + product([(grouped(factors[key]), 1), (form, 1)])
        return grouped(result)

    # -- one polynomial -------------------------------------------------------------------------------------
    def best(self, p: TrigonometricPolynomial) -> Formula:
        """The shortest form found; angles may change."""
        key = str(p.polynomial), p.angles
        if key not in self.known:
            count_work(len(p.polynomial))
            self.known[key] = self._best(p)
        return self.known[key]

    def _best(self, p: TrigonometricPolynomial) -> Formula:
        if len(p.polynomial) <= 1:
            return self._flat(p)
        common = [min(int(m[k]) for m in p.polynomial.monoms()) for k in range(2 * self.n + len(self.others))]
        if any(common):
            context = p.polynomial.context()
            rest = p._replace(polynomial=p.polynomial / context.from_dict({tuple(common): 1}))
            return product([(self._term(p.angles, common, 1), 1), (self.best(rest), 1)])
        if len(p.polynomial) > _REWRITTEN:
            return grouped(self._flat(p))
        sums = with_sums(p)
        variants = [p, shortest_squares(p), sums, shortest_squares(sums), doubled(p), doubled(sums)]
        distinct = {(str(other.polynomial), other.angles): other for other in variants}.values()
        most = _WORTH_TRYING * min(len(other.polynomial) for other in distinct) + 1
        candidates: list[Formula] = []
        try:
            for other in distinct:
                if len(other.polynomial) <= most:
                    candidates.append(self._with_these_angles(other))
            if len(p.polynomial) <= _SPLIT:
                candidates.extend(self._splits(sums))
        except OutOfWork:
            if not candidates:
                raise
        return shortest(candidates)

    def _with_these_angles(self, p: TrigonometricPolynomial) -> Formula:
        """As a product where it factors, else as a sum with common factors taken out."""
        if len(p.polynomial) <= 1:
            return self._flat(p)
        for form in forms(p):
            count_work(len(form))
            scale, found = form.factor()
            factors = [(f, int(n)) for f, n in found if not self._is_one(f)]
            if sum(n for _, n in factors) > 1:
                return self._product(p, factors, Fraction(plain(scale)))
        if factors := half_angle_factors(p):
            return self._product(p, factors, Fraction(1))
        return grouped(self._flat(p))

    def _product(
        self, p: TrigonometricPolynomial, factors: list[tuple[fmpq_mpoly, int]], scale: Fraction
    ) -> Formula:
        return product([(self.best(p._replace(polynomial=self._normal(f))), n) for f, n in factors], scale)

    def _is_one(self, f: fmpq_mpoly) -> bool:
        context = f.context()
        return any(f == context.gen(k) ** 2 + context.gen(self.n + k) ** 2 for k in range(self.n))

    def _normal(self, f: fmpq_mpoly) -> fmpq_mpoly:
        context = f.context()
        for k in range(self.n):
            f = f % (context.gen(k) ** 2 + context.gen(self.n + k) ** 2 - 1)
        return f

    def _splits(self, p: TrigonometricPolynomial) -> Iterator[Formula]:
        """Sums of two parts, each in its shortest form: by parity in an angle, and by a common generator."""
        for k in p.used:
            parts = parity_parts(p, k)
            if len(parts) == 2:
                yield grouped(self.best(parts[0]) + self.best(parts[1]))
        context = p.polynomial.context()
        counts = [
            sum(bool(m[k]) for m in p.polynomial.monoms()) for k in range(2 * self.n + len(self.others))
        ]
        frequent = sorted((k for k, n in enumerate(counts) if n > 1), key=lambda k: -counts[k])
        for k in frequent[:2]:
            inside: dict[Any, Any] = {}
            rest: dict[Any, Any] = {}
            for powers, c in p.polynomial.to_dict().items():
                if powers[k]:
                    inside[(*powers[:k], powers[k] - 1, *powers[k + 1 :])] = c
                else:
                    rest[powers] = c
            generator = self._term(p.angles, [int(i == k) for i in range(len(counts))], 1)
            first = self.best(p._replace(polynomial=context.from_dict(inside)))
            second = self.best(p._replace(polynomial=context.from_dict(rest))) if rest else ZERO
            yield product([(generator, 1), (first, 1)]) + second

    def _flat(self, p: TrigonometricPolynomial) -> Formula:
        return total(self._term(p.angles, powers, plain(c)) for powers, c in p.polynomial.to_dict().items())

    def _term(self, angles: tuple[Formula, ...], powers: Any, c: Fraction | int) -> Formula:
        factors = []
        for k, n in enumerate(powers):
            if n:
                base = (
                    angles[k].cos()
                    if k < self.n
                    else angles[k - self.n].sin()
                    if k < 2 * self.n
                    else self.others[k - 2 * self.n]
                )
                factors.append((base, int(n)))
        return product(factors, c) if factors else ONE * Formula.of(c)
