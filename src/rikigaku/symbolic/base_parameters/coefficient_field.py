"""Coefficient field of regroupings: rational functions of symbols, sines and cosines of the geometry."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from rikigaku.core.errors import NotExact
from rikigaku.model.geometry import Steps
from rikigaku.numbers.flint_conversion import fraction
from rikigaku.numbers.formula import ONE, PI, ZERO, Formula
from rikigaku.numbers.formula_terms import Terms
from rikigaku.numbers.number_kind import right_angle_sin_cos
from rikigaku.spatial.pose import Pose, axis_rotation
from rikigaku.spatial.vector import IDENTITY

Exponents = tuple[int, ...]


class CoefficientField:
    """Rational functions of some generators: plain ones, and a cosine and a sine for each angle.

    Polynomials are kept with cosines to the first power at most: cos^2 = 1 - sin^2.
    """

    def __init__(self, plain: Iterable[Formula], angles: Iterable[Formula]) -> None:
        turning = list(dict.fromkeys(angles))
        self.cosines = len(turning)
        self.formulas = [
            *(angle.cos() for angle in turning),
            *(angle.sin() for angle in turning),
            *dict.fromkeys(plain),
        ]
        self.context = fmpq_mpoly_ctx.get(tuple(f"x{k}" for k in range(len(self.formulas))), Ordering.lex)
        gens = self.context.gens()
        self._relations = [
            gens[k] ** 2 + gens[k + self.cosines] ** 2 - self.context.constant(1) for k in range(self.cosines)
        ]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CoefficientField) and (self.cosines, self.formulas) == (
            other.cosines,
            other.formulas,
        )

    def __hash__(self) -> int:
        return hash((self.cosines, *self.formulas))

    @cached_property
    def one(self) -> "Ratio":
        return Ratio(self, self.context.constant(1), self.context.constant(1))

    def reduced(self, x: fmpq_mpoly) -> fmpq_mpoly:
        """The polynomial in normal form."""
        degrees = x.degrees()
        for k, relation in enumerate(self._relations):
            if degrees[k] > 1:
                x = x % relation
        return x

    def monomials(self, degree: int, among: Sequence[int], below: bool = False) -> Iterator[Exponents]:
        """Exponents of all products of exactly so many of the named generators, cosines at most once.

        below: for denominators, where cos^2 is one factor and 1 - sin^2 would be a sum.
        """
        for chosen in combinations_with_replacement(among, degree):
            powers = [0] * len(self.formulas)
            for k in chosen:
                powers[k] += 1
            if below or all(n <= 1 for n in powers[: self.cosines]):
                yield tuple(powers)

    def product(self, powers: Exponents) -> Formula:
        """A monomial as a formula."""
        result = ONE
        for formula, n in zip(self.formulas, powers, strict=True):
            if n:
                result = result * formula**n
        return result

    def ratio(self, above: Mapping[Exponents, Fraction], below: Exponents | None = None) -> "Ratio":
        """A polynomial over a monomial."""
        terms = {powers: fmpq(c.numerator, c.denominator) for powers, c in above.items()}
        denominator = {below or (0,) * len(self.formulas): 1}
        return Ratio(self, self.context.from_dict(terms), self.context.from_dict(denominator))

    def of(self, formula: Formula) -> "Ratio":
        """A formula of the generators as an element of the field."""
        total = self.constant(Fraction(0))
        for monomial, coefficient in formula.terms:
            term = self.constant(coefficient)
            for (kind, inside), power in monomial:
                factor = Formula((((((kind, inside), 1),), Fraction(1)),)) if kind != "sum" else inside
                known = self._generators.get(factor)
                if known is not None:
                    base = known
                elif kind == "sum" and (below := self._generators.get(ONE / inside)) is not None:
                    base = self.one / below
                elif kind == "sum":
                    base = self.of(inside)
                else:
                    raise NotExact(f"{factor} is no generator of the coefficients of the regrouping.")
                for _ in range(abs(power)):
                    term = term * base if power > 0 else term / base
            total = total + term
        return total

    def pose(self, steps: Steps) -> Pose:
        """Constant steps, one after the other, as a pose."""
        X = Pose()
        for axis, amount in steps:
            k = "xyz".index(axis[1])
            if axis[0] == "t":
                offset: Any = tuple(self.of(amount) if i == k else 0 for i in range(3))
                X = X.compose(Pose(IDENTITY, offset))
            else:
                pair: tuple[Any, Any] | None = None
                if amount.is_number:
                    pair = right_angle_sin_cos(float(amount))
                if pair is None:
                    pair = self.of(amount.sin()), self.of(amount.cos())
                X = X.compose(Pose(axis_rotation(k, *pair)))
        return X

    def constant(self, x: Fraction | int) -> "Ratio":
        """A rational number."""
        x = Fraction(x)
        one = self.context.constant(1)
        return Ratio(self, one * fmpq(x.numerator, x.denominator), one)

    @cached_property
    def _generators(self) -> dict[Formula, "Ratio"]:
        one = self.context.constant(1)
        pairs = zip(self.formulas, self.context.gens(), strict=True)
        return {formula: Ratio(self, generator, one) for formula, generator in pairs}

    def places(self, plain: Iterable[Formula], angles: Iterable[Formula]) -> list[int]:
        """Indices of the generators of some plain formulas and angles."""
        wanted = set(plain)
        for angle in angles:
            wanted |= {angle.cos(), angle.sin()}
        return [k for k, formula in enumerate(self.formulas) if formula in wanted]


class Ratio:
    """A quotient of two polynomials in the generators of a coefficient field."""

    __slots__ = ("above", "below", "coefficient_field")

    def __init__(self, coefficient_field: CoefficientField, above: fmpq_mpoly, below: fmpq_mpoly) -> None:
        self.coefficient_field = coefficient_field
        above, below = coefficient_field.reduced(above), coefficient_field.reduced(below)
        if not below.is_constant():
            common = above.gcd(below)
            if not common.is_constant():
                above, below = above / common, below / common
        if below.is_constant():
            above, below = above / below.leading_coefficient(), coefficient_field.context.constant(1)
        self.above, self.below = above, below

    def __add__(self, other: Any) -> "Ratio":
        if not isinstance(other, Ratio):
            if other == 0:
                return self
            other = self.coefficient_field.constant(other)
        if self.below == other.below:
            return Ratio(self.coefficient_field, self.above + other.above, self.below)
        above = self.above * other.below + other.above * self.below
        return Ratio(self.coefficient_field, above, self.below * other.below)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, Ratio):
            if other == 0:
                return 0
            other = self.coefficient_field.constant(other)
        return Ratio(self.coefficient_field, self.above * other.above, self.below * other.below)

    __rmul__ = __mul__

    def __neg__(self) -> "Ratio":
        return Ratio(self.coefficient_field, -self.above, self.below)

    def __sub__(self, other: Any) -> "Ratio":
        return self + (-other)

    def __rsub__(self, other: Any) -> "Ratio":
        return -self + other

    def __truediv__(self, other: "Ratio") -> "Ratio":
        return Ratio(self.coefficient_field, self.above * other.below, self.below * other.above)

    def __bool__(self) -> bool:
        return bool(self.above)

    def formula(self) -> Formula:
        """As a formula of the robot's symbols."""
        above = self._formula(self.above)
        return above if self.below.is_one() else above / self._formula(self.below)

    def _formula(self, x: fmpq_mpoly) -> Formula:
        total = ZERO
        for powers, c in x.to_dict().items():
            total = total + self.coefficient_field.product(tuple(map(int, powers))) * fraction(c)
        return total


def step_generators(steps: Steps, *others: Formula) -> tuple[list[Formula], list[Formula]]:
    """Plain generators and angles that a piece of geometry needs besides rational numbers."""
    plain: list[Formula] = []
    angles: list[Formula] = []
    for axis, amount in steps:
        if axis[0] == "r":
            _note_angle(amount, angles)
        else:
            _note(amount.terms, plain, angles)
    for formula in others:
        _note(formula.terms, plain, angles)
    return plain, angles


def _note(terms: Terms, plain: list[Formula], angles: list[Formula]) -> None:
    for monomial, _ in terms:
        for (kind, inside), power in monomial:
            inner: Any = inside
            if kind == "symbol":
                plain.append(Formula.symbol(inside))
            elif kind == "pi":
                plain.append(PI)
            elif kind in ("sin", "cos"):
                _note_angle(inside, angles)
            elif kind == "sqrt":
                plain.append(inner.sqrt())
            elif power > 0:
                _note(inner.terms, plain, angles)
            else:
                plain.append(ONE / inner)


def _note_angle(angle: Formula, angles: list[Formula]) -> None:
    if angle.is_number and right_angle_sin_cos(float(angle)) is not None:
        return
    angles.append(-angle if angle.terms[0][1] < 0 else angle)
