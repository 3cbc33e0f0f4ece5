"""The exact number: a polynomial with rational coefficients in sines, cosines and plain variables.

Products are reduced by c^2 = 1 - s^2 for every angle (and w^2 = 1 - x^2 - y^2 - z^2 for every unit
quaternion), so each value has one form: equal is equal and zero is zero. Constants stay Python integers and
fractions until they meet a polynomial. Division is by constants only; roots there are none.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from numbers import Rational
from typing import TYPE_CHECKING, Any, Union

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from rikigaku.errors import NotExact, WrongValue
from rikigaku.numbers.kind import quarter_turns

if TYPE_CHECKING:
    from rikigaku.numbers.formula import Formula

ExactNumber = Union["Exact", Fraction, int]


class Ring:
    """The variables of a computation.

    Args:
        angles: variables that occur in sines and cosines: "q1" brings the generators sin(q1), cos(q1), q1.
        plain: variables that do not.
        quaternions: groups of four variables w, x, y, z with unit length.
        constant_angles: angles that are constants, each with a sine and cosine of its own.
    """

    def __init__(
        self,
        angles: Sequence[str] = (),
        plain: Sequence[str] = (),
        quaternions: Sequence[Sequence[str]] = (),
        constant_angles: Iterable["Formula"] = (),
    ) -> None:
        self.angles = tuple(angles)
        self.constant_angles = tuple(constant_angles)
        turning = [*angles, *(f"angle{k}" for k in range(len(self.constant_angles)))]
        # The order makes the cosine (and w) the leading variable of its relation.
        names = [f"cos({x})" for x in turning] + [group[0] for group in quaternions]
        names += [f"sin({x})" for x in turning] + [x for group in quaternions for x in group[1:]]
        names += [*angles, *plain]
        if len(set(names)) != len(names):
            raise WrongValue(f"The variables {', '.join(sorted(names))} are not all different.")
        self.names = tuple(names)
        self._context = fmpq_mpoly_ctx.get(tuple(f"x{k}" for k in range(len(names))), Ordering.lex)
        self._generators = dict(zip(names, self._context.gens(), strict=True))
        one = self._context.constant(1)
        self._relations: list[tuple[int, Any]] = []
        for x in turning:
            c, s = self._generators[f"cos({x})"], self._generators[f"sin({x})"]
            self._relations.append((names.index(f"cos({x})"), c * c + s * s - one))
        for group in quaternions:
            square = sum((self._generators[x] ** 2 for x in group[1:]), self._generators[group[0]] ** 2)
            self._relations.append((names.index(group[0]), square - one))

    def variable(self, name: str) -> "Exact":
        """The variable (or "sin(x)", "cos(x)") as a number."""
        return Exact(self, self._generators[name])

    def number(self, polynomial: fmpq_mpoly) -> ExactNumber:
        """A polynomial in its normal form; a constant as a plain number."""
        degrees = polynomial.degrees()
        for k, relation in self._relations:
            if degrees[k] > 1:
                polynomial = polynomial % relation
        if polynomial.is_constant():
            constant = Fraction(str(polynomial)) if polynomial else Fraction(0)
            return int(constant) if constant.denominator == 1 else constant
        return Exact(self, polynomial)

    @cached_property
    def _angle_of(self) -> dict[str, str]:
        return {str(self._generators[x]): x for x in self.angles}

    def angle(self, polynomial: fmpq_mpoly) -> str | None:
        """The name of the angle this polynomial is, if it is one."""
        return self._angle_of.get(str(polynomial))


class Exact:
    """An exact number that is not a constant."""

    __slots__ = ("polynomial", "ring")
    __array_ufunc__ = None

    def __init__(self, ring: Ring, polynomial: fmpq_mpoly) -> None:
        self.ring, self.polynomial = ring, polynomial

    def __add__(self, other: object) -> ExactNumber:
        return self.ring.number(self.polynomial + self._partner(other))

    __radd__ = __add__

    def __sub__(self, other: object) -> ExactNumber:
        return self.ring.number(self.polynomial - self._partner(other))

    def __rsub__(self, other: object) -> ExactNumber:
        return self.ring.number(self._partner(other) - self.polynomial)

    def __mul__(self, other: object) -> ExactNumber:
        return self.ring.number(self.polynomial * self._partner(other))

    __rmul__ = __mul__

    def __neg__(self) -> "Exact":
        return Exact(self.ring, -self.polynomial)

    def __truediv__(self, other: object) -> ExactNumber:
        if isinstance(other, Exact):
            raise NotExact(
                "An exact number is divided by constants only; this law has to keep its denominator apart."
            )
        return self * (1 / _fraction(other))

    def __rtruediv__(self, other: object) -> ExactNumber:
        raise NotExact("Nothing is divided by an exact number; this law has to keep its denominator apart.")

    def __pow__(self, exponent: int) -> ExactNumber:
        result: ExactNumber = 1
        for _ in range(exponent):
            result = self * result
        return result

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Exact) and other.ring is self.ring and other.polynomial == self.polynomial

    def __hash__(self) -> int:
        return hash(str(self.polynomial))

    def sin(self) -> "Exact":
        return self._function("sin")

    def cos(self) -> "Exact":
        return self._function("cos")

    def sqrt(self) -> "Exact":
        raise NotExact("Exact numbers have no square roots.")

    def sign(self) -> "Exact":
        raise NotExact(
            "The sign of an exact number is not known; leave Coulomb friction out (friction=False)."
        )

    def _function(self, name: str) -> "Exact":
        angle = self.ring.angle(self.polynomial)
        if angle is None:
            raise NotExact(
                f"Exact numbers take {name} of single angles only ({', '.join(self.ring.angles)}), "
                f"not of {self}."
            )
        return self.ring.variable(f"{name}({angle})")

    def _partner(self, other: object) -> Any:
        if isinstance(other, Exact):
            if other.ring is not self.ring:
                raise WrongValue("Two exact numbers of different rings cannot be combined.")
            return other.polynomial
        value = _fraction(other)
        return fmpq(value.numerator, value.denominator)

    def value(self, at: Mapping[str, Any]) -> Any:
        """The value where every generator ("sin(q1)", "v2", ...) has the given value."""
        total: Any = 0
        for powers, coefficient in self.polynomial.to_dict().items():
            term: Any = Fraction(int(coefficient.p), int(coefficient.q))
            if any(isinstance(at[self.ring.names[k]], float) for k, n in enumerate(powers) if n):
                term = float(term)
            for k, n in enumerate(powers):
                if n:
                    term = term * at[self.ring.names[k]] ** int(n)
            total = total + term
        return total

    def __repr__(self) -> str:
        return _spelled(self)


class ExactConstants:
    """Constants of a model as exact numbers of a ring."""

    def __init__(self, ring: Ring) -> None:
        self.ring = ring

    def rational(self, value: Fraction) -> Fraction:
        return value

    def pi(self) -> ExactNumber:
        raise NotExact("pi outside of an angle is not rational; give a decimal, or make it a symbol.")

    def sin_cos(self, angle: "Formula") -> tuple[ExactNumber, ExactNumber]:
        turns = quarter_turns(float(angle))
        if turns is not None:
            return ((0, 1), (1, 0), (0, -1), (-1, 0))[turns % 4]
        k = self.ring.constant_angles.index(angle)
        return self.ring.variable(f"sin(angle{k})"), self.ring.variable(f"cos(angle{k})")

    def sqrt(self, value: "Formula") -> ExactNumber:
        root = float(value) ** 0.5
        if (exact := Fraction(round(root))) ** 2 == Fraction(str(value)):
            return exact
        raise NotExact(f"The square root of {value} is not rational.")


def _fraction(x: object) -> Fraction:
    if isinstance(x, (Rational, float)):
        value = Fraction(x)
        if isinstance(x, float) and value.denominator > 1024:
            raise NotExact(f"The float {x!r} is not exact; use a fraction or a decimal text.")
        return value
    raise NotExact(f"{x!r} is not an exact number.")


def _spelled(x: Exact) -> str:
    terms = []
    for powers, coefficient in x.polynomial.to_dict().items():
        factors = [x.ring.names[k] + (f"^{n}" if n > 1 else "") for k, n in enumerate(powers) if n]
        if not factors or abs(coefficient) != 1:
            factors.insert(0, str(abs(coefficient)))
        terms.append((" - " if coefficient < 0 else " + ") + "*".join(factors))
    return "".join(terms).removeprefix(" + ").strip() or "0"
