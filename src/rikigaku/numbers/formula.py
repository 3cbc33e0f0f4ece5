"""A formula: exact rationals, pi and named symbols under + - * /, integer powers, sin, cos, sqrt and sign.

Every parameter of a robot is one. A formula is a sum of terms, a term a rational coefficient times powers of
factors (a symbol, pi, a function of a formula, or a whole sum that is multiplied by something). Both are
sorted, so that formulas that differ only in how they were written are equal: 2*L + L == "3*L". Products of
sums are not multiplied out, and no identity of sin and cos is used except at multiples of pi/2.
"""

import keyword
import math
import numbers
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NoReturn

from rikigaku.core.errors import MissingValue, WrongValue
from rikigaku.core.input_limits import NUMBER_BITS, shortened
from rikigaku.core.value_text import short
from rikigaku.numbers.exact_decimals import decimal, rational_of
from rikigaku.numbers.formula_terms import (
    Factor,
    FactorKind,
    Monomial,
    Terms,
    factor_order,
    in_order,
    value_of,
)
from rikigaku.numbers.number_kind import FLOATS, Kind, Number

# Reserved names of constants and functions; q is the joint's variable in a DH row.
RESERVED = frozenset({"pi", "deg", "sin", "cos", "sqrt", "sign", "q"})

_RATIONAL_ZERO = Fraction(0)


class Formula:
    """A frozen, hashable expression; make one with `Formula.of("2*L + pi/2")` or by arithmetic."""

    __slots__ = ("_hash", "_text", "terms")
    terms: Terms
    _hash: int | None
    _text: str | None

    def __init__(self, terms: Terms) -> None:
        """For this module: `terms` are sorted, without zero coefficients. Use `Formula.of` instead."""
        _set_terms(self, terms)
        _set_hash(self, None)
        _set_text(self, None)

    # -- making one -----------------------------------------------------------------------------------------
    @staticmethod
    def of(x: object) -> "Formula":
        """The formula of a number (a float as the decimal it prints as), a text, or a SymPy expression.

        Raises:
            BadFormula: for a text that is not a formula. WrongValue: for nan, infinity and other things.
        """
        if isinstance(x, Formula):
            return x
        if isinstance(x, str | float):
            return _read(x)
        if hasattr(x, "free_symbols"):  # SymPy's own mark of an expression, its numbers included
            from rikigaku.numbers.sympy_reading import formula_of_sympy, is_sympy

            if is_sympy(x):
                return formula_of_sympy(x)
        if (number := rational_of(x)) is not None:
            return _constant(number)
        raise WrongValue(
            f"{short(x)} ({type(x).__name__}) is not a formula. "
            "Give a number, a text like '2*L + pi/2', a Formula or a SymPy expression."
        )

    @staticmethod
    def symbol(name: str) -> "Formula":
        """The parameter of that name: an ASCII identifier that is not reserved."""
        if not (isinstance(name, str) and name.isascii() and name.isidentifier()):
            raise WrongValue(
                f"{short(name)} cannot name a symbol. Use ASCII letters, digits and _, no digit first."
            )
        if name in RESERVED or keyword.iskeyword(name):
            raise WrongValue(
                f"{name!r} cannot name a symbol: the name is reserved. Choose another, like '{name}_1'."
            )
        return _single_factor("symbol", name)

    # -- properties -----------------------------------------------------------------------------------------
    @property
    def symbols(self) -> frozenset[str]:
        """Names of the symbols in it."""
        found: set[str] = set()
        for monomial, _ in self.terms:
            for (kind, inside), _ in monomial:
                if kind == "symbol":
                    found.add(inside)
                elif kind != "pi":
                    found |= inside.symbols
        return frozenset(found)

    @property
    def is_number(self) -> bool:
        """Whether it contains no symbol."""
        return self.rational is not None or not self.symbols

    @property
    def bits(self) -> int:
        """Binary digits of its largest coefficient."""
        sizes = ((c.numerator.bit_length(), c.denominator.bit_length()) for _, c in self.terms)
        return max(map(max, sizes), default=0)

    @property
    def rational(self) -> Fraction | None:
        """Its value if it is a rational number, else None."""
        if not self.terms:
            return _RATIONAL_ZERO
        if len(self.terms) == 1 and not self.terms[0][0]:
            return self.terms[0][1]
        return None

    def __float__(self) -> float:
        number = self.rational
        if number is None and (missing := self.symbols):
            raise MissingValue(f"{self} has no value: give {', '.join(sorted(missing))}.")
        try:
            value = float(self.evaluate(FLOATS, {}) if number is None else number)
            if not math.isfinite(value):  # powers of pi overflow in silence
                raise OverflowError("beyond the largest float")
            return value
        except (ArithmeticError, ValueError) as error:
            raise WrongValue(f"{shortened(str(self), 80)} has no finite value ({error}).") from error

    def evaluate(self, kind: Kind, symbols: Mapping[str, Number]) -> Number:
        """Its value in a kind of number: constants come from `kind`, symbols from the mapping.

        Raises:
            MissingValue: if the mapping lacks a symbol.
        """
        return value_of(self.terms, kind, symbols)

    def substitute(self, values: Mapping[str, "Formula"]) -> "Formula":
        """The formula with symbols replaced, all at once.

        Raises:
            WrongValue: if the values are no mapping of names to formulas or numbers.
        """
        if not isinstance(values, Mapping):
            raise WrongValue(f"Values of symbols are given by name, {{'L': ...}}; {short(values)} was given.")
        if not self.symbols.intersection(values):
            return self
        total = ZERO
        for monomial, coefficient in self.terms:
            term = _constant(coefficient)
            for (kind, inside), power in monomial:
                if kind == "symbol":
                    base = Formula.of(values[inside]) if inside in values else _single_factor(kind, inside)
                elif kind == "pi":
                    base = PI
                else:
                    base = _applied(kind, inside.substitute(values))
                term = term * base**power
            total = total + term
        return total

    # -- arithmetic -----------------------------------------------------------------------------------------
    def __add__(self, other: object) -> "Formula":
        other = _operand(other)
        if other is None:
            return NotImplemented
        if not self.terms or not other.terms:
            return self if self.terms else other
        collected = dict(self.terms)
        for monomial, coefficient in other.terms:
            collected[monomial] = collected.get(monomial, 0) + coefficient
        return Formula(in_order((m, c) for m, c in collected.items() if c))

    def __mul__(self, other: object) -> "Formula":
        other = _operand(other)
        if other is None:
            return NotImplemented
        for number, rest in ((self.rational, other), (other.rational, self)):
            if number is not None:
                return Formula(tuple((m, c * number) for m, c in rest.terms)) if number else ZERO
        (left, a), (right, b) = _factors(self), _factors(other)
        return _product((*left, *right), a * b)

    def __pow__(self, power: object) -> "Formula":
        exponent = _operand(power)
        n = exponent.rational if exponent is not None else None
        if n is None or n.denominator != 1:
            raise WrongValue(f"({self})**({power}): only whole numbers can be exponents. Use sqrt for roots.")
        return _power(self, int(n))

    def __neg__(self) -> "Formula":
        return Formula(tuple((m, -c) for m, c in self.terms))

    def __pos__(self) -> "Formula":
        return self

    def __sub__(self, other: object) -> "Formula":
        other = _operand(other)
        return NotImplemented if other is None else self + -other

    def __truediv__(self, other: object) -> "Formula":
        other = _operand(other)
        return NotImplemented if other is None else self * _power(other, -1)

    def __rsub__(self, other: object) -> "Formula":
        return -self + other

    def __rtruediv__(self, other: object) -> "Formula":
        return _power(self, -1) * other

    __radd__ = __add__
    __rmul__ = __mul__

    def sin(self) -> "Formula":
        """Sine; the angle in rad. Exact at multiples of pi/2."""
        return _applied("sin", self)

    def cos(self) -> "Formula":
        """Cosine; the angle in rad. Exact at multiples of pi/2."""
        return _applied("cos", self)

    def sqrt(self) -> "Formula":
        """Square root; a rational where it is one."""
        return _applied("sqrt", self)

    def sign(self) -> "Formula":
        """The sign: -1, 0 or 1."""
        return _applied("sign", self)

    # -- as data --------------------------------------------------------------------------------------------
    def __eq__(self, other: object) -> bool:
        if isinstance(other, Formula):
            return self is other or self.terms == other.terms
        if isinstance(other, int | Fraction):
            return self.rational == other
        return NotImplemented

    def __hash__(self) -> int:
        if self._hash is None:
            number = self.rational
            _set_hash(self, hash(self.terms) if number is None else hash(number))
        assert self._hash is not None
        return self._hash

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __reduce__(self) -> tuple[type, tuple[Terms]]:
        return Formula, (self.terms,)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"A Formula is frozen: {name} cannot be set.")

    def __str__(self) -> str:
        if self._text is None:
            from rikigaku.numbers.formula_text import text

            _set_text(self, text(self))
        assert self._text is not None
        return self._text

    def __repr__(self) -> str:
        return f"Formula({str(self)!r})"

    def _repr_latex_(self) -> str:
        from rikigaku.numbers.formula_text import latex

        return f"${latex(self)}$"


# Setters of the slots: assignment to an attribute raises, because formulas are frozen.
_set_terms = vars(Formula)["terms"].__set__
_set_hash = vars(Formula)["_hash"].__set__
_set_text = vars(Formula)["_text"].__set__


def _constant(value: Fraction) -> Formula:
    return Formula((((), value),)) if value else ZERO


def _single_factor(kind: FactorKind, inside: object) -> Formula:
    return Formula((((((kind, inside), 1),), Fraction(1)),))


ZERO = Formula(())
ONE = _constant(Fraction(1))
PI = _single_factor("pi", "")


@lru_cache(maxsize=8192)
def _read(x: str | float) -> Formula:
    """The formula of a text or float; decimals bypass the parser, because a large model has thousands."""
    number = decimal(x) if isinstance(x, str) else rational_of(x)
    if number is not None:
        return _constant(number)
    from rikigaku.numbers.formula_parser import parse

    return parse(str(x))


def _operand(x: object) -> Formula | None:
    """An operand as a formula; None if it is not a number (an array, a node)."""
    if isinstance(x, Formula):
        return x
    return Formula.of(x) if isinstance(x, int | float | Fraction | Decimal | numbers.Real) else None


def _factors(formula: Formula) -> tuple[Monomial, Fraction]:
    """The formula as one product: a sum becomes a factor whose first coefficient is 1."""
    if len(formula.terms) == 1:
        return formula.terms[0]
    first = formula.terms[0][1]
    primitive = Formula(tuple((m, c / first) for m, c in formula.terms))
    return ((("sum", primitive), 1),), first


def _product(factors: Iterable[tuple[Factor, int]], coefficient: Fraction) -> Formula:
    powers: dict[Factor, int] = {}
    for factor, power in factors:
        powers[factor] = powers.get(factor, 0) + power
    outside = ONE
    for factor, power in powers.items():
        if factor[0] == "sqrt" and power not in (0, 1):  # sqrt(x)**3 = x*sqrt(x)
            outside = outside * _power(factor[1], power // 2)
            powers[factor] = power % 2
    monomial = tuple(sorted(((a, p) for a, p in powers.items() if p), key=factor_order))
    if len(monomial) == 1 and monomial[0][0][0] == "sum" and monomial[0][1] == 1:
        return monomial[0][0][1] * coefficient * outside  # a sum alone is its terms
    return Formula(((monomial, coefficient),)) * outside


def product(factors: Iterable[tuple[Formula, int]], coefficient: Fraction | int = 1) -> Formula:
    """A number times powers of formulas, where a number times a sum is kept as it is: 2*(a + b).

    Arithmetic and the parser multiply such a product out, 2*a + 2*b: it is a form for readers.
    """
    number, found = Fraction(coefficient), []
    for base, power in factors:
        if not base.terms:
            return ZERO
        own, scale = _factors(base)
        number *= scale**power
        found += [(factor, n * power) for factor, n in own]
    result = _product(found, Fraction(1))
    if len(result.terms) == 1 or number in (1, -1):
        return result * number
    (monomial, scale) = _factors(result)
    return Formula(((monomial, scale * number),))


def total(formulas: Iterable[Formula]) -> Formula:
    """The sum of formulas, put in order once."""
    collected: dict[Monomial, Fraction] = {}
    for formula in formulas:
        for monomial, coefficient in formula.terms:
            collected[monomial] = collected.get(monomial, _RATIONAL_ZERO) + coefficient
    return Formula(in_order((m, c) for m, c in collected.items() if c))


def _power(base: Formula, n: int) -> Formula:
    if n == 0:
        return ONE
    if not base.terms:
        if n < 0:
            raise WrongValue("The formula divides by zero.")
        return ZERO
    factors, coefficient = _factors(base)
    size = max(coefficient.numerator.bit_length(), coefficient.denominator.bit_length())
    if abs(n) != 1 and abs(n) * (size if coefficient not in (1, -1) else 1) > NUMBER_BITS:
        exponent = n if n.bit_length() <= NUMBER_BITS else f"of {n.bit_length()} binary digits"
        raise WrongValue(f"The power {exponent} makes a number beyond {NUMBER_BITS} binary digits.")
    if n == 1:
        return base
    return _product(((factor, power * n) for factor, power in factors), coefficient**n)


def _applied(kind: FactorKind, inside: Formula) -> Formula:
    """A function of a formula (or the formula itself for a sum), exact values folded."""
    if kind == "sum":
        return inside
    if kind == "sqrt":
        number = inside.rational
        if number is None:
            return _single_factor(kind, inside)
        if number < 0:
            raise WrongValue(f"sqrt({inside}): the square root of a negative number is not real.")
        root = Fraction(math.isqrt(number.numerator), math.isqrt(number.denominator))
        return _constant(root) if root * root == number else _single_factor(kind, inside)
    if kind == "sign":
        number = inside.rational
        return (
            _single_factor(kind, inside)
            if number is None
            else _constant(Fraction((number > 0) - (number < 0)))
        )
    quarters = _right_angle_multiple(inside)
    if quarters is not None:
        return _constant(Fraction((0, 1, 0, -1)[(quarters + (kind == "cos")) % 4]))
    if inside.terms[0][1] < 0:  # sin(-x) = -sin(x), cos(-x) = cos(x)
        return -_single_factor(kind, -inside) if kind == "sin" else _single_factor(kind, -inside)
    return _single_factor(kind, inside)


def _right_angle_multiple(angle: Formula) -> int | None:
    """k where the angle is exactly k*pi/2, else None."""
    if not angle.terms:
        return 0
    if len(angle.terms) == 1 and angle.terms[0][0] == PI.terms[0][0]:
        multiple = 2 * angle.terms[0][1]
        return int(multiple) if multiple.denominator == 1 else None
    return None
