"""The polynomial ring of an exact computation: its generators and the relations between them.

Relations: c^2 = 1 - s^2 for every angle, w^2 = 1 - x^2 - y^2 - z^2 for every unit quaternion, r^2 = value for
every square root, s^3 = s and s^2 x = x for the sign s of x. Reduced by them each value has one form, as long
as no other relation holds between the constants. Three kinds of zero are therefore not recognised:

- angles that are multiples of pi beyond those of pi/12: cos(pi/5) - cos(2 pi/5) - 1/2;
- constant angles that add up to another one: sin(0.8) against sin(0.3 + 0.5), multiplied out (multiples up to
  the fourth of one angle are recognised);
- products of square roots: sqrt(2) sqrt(x) against sqrt(2 x), sqrt(x) sqrt(y) against sqrt(x y) (those of
  rationals are recognised: sqrt(2) sqrt(3) = sqrt(6)).

The converse always holds: numbers that compare equal are equal.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

from flint import Ordering, fmpq_mpoly, fmpq_mpoly_ctx, fmpz

from rikigaku.core.errors import NotExact, WrongValue
from rikigaku.core.forking import free_at_fork
from rikigaku.numbers.constant_angles import (
    independent_angles,
    multiple,
    rational_sin_cos,
    split,
    times_of,
    twelfth_sin,
)
from rikigaku.numbers.flint_conversion import plain
from rikigaku.numbers.formula import PI, Formula
from rikigaku.numbers.number_kind import right_angle_sin_cos

if TYPE_CHECKING:
    from rikigaku.numbers.exact_number import Exact

# With more constant angles that have generators of their own, formulas grow too long: all become rational.
_OWN_ANGLES = 4

_adding = RLock()  # held while a root is added to a ring, which threads may share
free_at_fork(_adding)


class NoRootLeft(NotExact):
    """The ring has no generator left for another square root; construct it with more `roots`."""


class Relation(NamedTuple):
    """A polynomial that reduces powers of one generator; adds: bits of relations its right side may need."""

    polynomial: fmpq_mpoly
    adds: int


class Ring:
    """The generators of a computation.

    Args:
        angles: variables that occur in sines and cosines: "q1" brings the generators sin(q1), cos(q1), q1. A
            mapping gives a divisor d: sin(q1/d), cos(q1/d) are the generators then.
        plain: variables that do not.
        quaternions: groups of four variables w, x, y, z with unit length.
        constant_angles: angles that are constants; those that are no multiple of pi/12 (or of another one)
            get a sine and cosine of their own. Where there are many such angles they are `rounded`: sine and
            cosine are rational, s^2 + c^2 = 1 exactly, of an angle that differs by less than a float does.
        signs: variables that have a generator for their sign.
        roots: how many square roots there may be.
    """

    def __init__(
        self,
        angles: Sequence[str] | Mapping[str, int] = (),
        plain: Sequence[str] = (),
        quaternions: Sequence[Sequence[str]] = (),
        constant_angles: Iterable[Formula] = (),
        signs: Sequence[str] = (),
        roots: int = 0,
    ) -> None:
        self.divisors = dict(angles) if isinstance(angles, Mapping) else dict.fromkeys(angles, 1)
        self.angles = tuple(self.divisors)
        self.quaternions = tuple(tuple(group) for group in quaternions)
        own = independent_angles(constant_angles)
        self.constant_angles = own if len(own) <= _OWN_ANGLES else ()
        self.rounded = () if self.constant_angles else own
        self.signs = tuple(signs)
        # arguments of the sines and cosines that are generators
        arguments = [_over(x, d) for x, d in self.divisors.items()]
        arguments += [f"angle[{k}]" for k in range(len(self.constant_angles))]
        # The order makes the root, the sign, the cosine (and w) the leading variable of its relation.
        names = [f"root[{k}]" for k in reversed(range(roots))] + [f"sign({x})" for x in signs]
        names += [f"cos({x})" for x in arguments] + [group[0] for group in quaternions]
        names += [f"sin({x})" for x in arguments] + [x for group in quaternions for x in group[1:]]
        names += [*self.angles, *plain]
        if len(set(names)) != len(names):
            raise WrongValue(f"The variables {', '.join(sorted(names))} are not all different.")
        self.names = tuple(names)
        self.context = fmpq_mpoly_ctx.get(tuple(f"x{k}" for k in range(len(names))), Ordering.lex)
        self.generators: dict[str, fmpq_mpoly] = dict(zip(names, self.context.gens(), strict=True))
        self.relations: list[Relation] = []  # those of the roots come last, in the order they were found
        self.bits: dict[str, int] = {}
        self.mixed = 0  # relations that apply to products where only one factor has the leading variable
        self.radicands: list[Any] = []
        self._root_names = [f"root[{k}]" for k in range(roots)]
        self._roots: dict[str, Exact] = {}
        self._angles_at = {names.index(x): x for x in self.angles}
        self._pi_at = names.index("pi") if "pi" in names else -1
        self._sin_cos: dict[str, tuple[Any, Any]] = {}
        self.norms: dict[str, tuple[Any, list[Any]]] = {}  # and conjugates, of divisors
        one, g = self.context.constant(1), self.generators
        for x in arguments:
            self._relate(f"cos({x})", g[f"cos({x})"] ** 2 + g[f"sin({x})"] ** 2 - one)
        for group in self.quaternions:
            self._relate(group[0], sum((g[x] ** 2 for x in group[1:]), g[group[0]] ** 2) - one)
        for x in signs:
            s = g[f"sign({x})"]
            self._relate(f"sign({x})", s**3 - s)
            self.relations.append(Relation((s**2 - 1) * g[x], 0))
            self.mixed |= 1 << (len(self.relations) - 1)
            self.bits[f"sign({x})"] |= 1 << (len(self.relations) - 1)

    def _relate(self, name: str, polynomial: fmpq_mpoly, adds: int = 0) -> None:
        self.bits[name] = 1 << len(self.relations)
        self.relations.append(Relation(polynomial, adds))

    # -- numbers --------------------------------------------------------------------------------------------
    def variable(self, name: str) -> "Exact":
        """The variable (or "sin(x)", "cos(x)") as a number."""
        from rikigaku.numbers.exact_number import Exact

        return Exact(self, self.generators[name], self.bits.get(name, 0))

    def number(self, polynomial: fmpq_mpoly) -> Any:
        """A polynomial of this ring in its normal form; a constant as a plain number."""
        return self.reduced(polynomial, (1 << len(self.relations)) - 1)

    def reduced(self, polynomial: fmpq_mpoly, doubtful: int, mask: int | None = None) -> Any:
        """The normal form, if only the relations of the bits `doubtful` can apply; mask: those that occur."""
        from rikigaku.numbers.exact_number import Exact

        k = len(self.relations)
        while doubtful:
            k -= 1
            if doubtful >> k & 1:
                relation = self.relations[k]
                polynomial = polynomial % relation.polynomial
                doubtful = doubtful & ~(1 << k) | relation.adds
                mask = mask if mask is None else mask | relation.adds
        if len(polynomial) <= 1 and (not polynomial or polynomial.total_degree() == 0):
            # a fraction even where it is whole: Python divides integers into floats
            return Fraction(plain(polynomial.leading_coefficient())) if polynomial else Fraction(0)
        return Exact(self, polynomial, self.mask(polynomial) if mask is None else mask)

    def mask(self, polynomial: fmpq_mpoly) -> int:
        """The bits of the relations whose leading variable occurs."""
        total = 0
        for name, degree in zip(self.names, polynomial.degrees(), strict=True):
            if degree and name in self.bits:
                total |= self.bits[name]
        return total

    # -- roots ----------------------------------------------------------------------------------------------
    def root(self, x: Any) -> Any:
        """The square root, positive where x is: a rational, roots of primes, or a generator of its own."""
        if not isinstance(x, (int, Fraction)):
            return self._root_of_polynomial(x)
        value = Fraction(x)
        if value < 0:
            raise NotExact(f"The square root of {x} is not real.")
        if value == 0:
            return 0
        result: Any = Fraction(1, value.denominator)
        for prime, power in fmpz(value.numerator * value.denominator).factor():
            result = result * int(prime) ** (power // 2)
            if power % 2:
                result = result * self._root(str(prime), int(prime))
        return result

    def _root_of_polynomial(self, x: "Exact") -> Any:
        if (denominator := x.denominator) != 1:
            return self.root(x.numerator * denominator) / denominator
        coefficients = [plain(coefficient) for coefficient in x.polynomial.coeffs()]
        below = lcm(*(coefficient.denominator for coefficient in coefficients))
        above = gcd(*(int(coefficient * below) for coefficient in coefficients))
        outside = _square_part(Fraction(above, below))  # the rest is an integer without square factors
        radicand = x * (Fraction(1) / (outside * outside))
        return self._root(str(radicand.polynomial), radicand) * outside

    def _root(self, key: str, radicand: Any) -> "Exact":
        with _adding:
            return self._found_root(key, radicand)

    def _found_root(self, key: str, radicand: Any) -> "Exact":
        if key not in self._roots:
            if len(self.radicands) == len(self._root_names):
                raise NoRootLeft(f"The ring has no generator left for the square root of {radicand}.")
            name = self._root_names[len(self.radicands)]
            inside, adds = (
                (self.context.constant(radicand), 0)
                if isinstance(radicand, int)
                else (radicand.polynomial, radicand.mask)
            )
            self._relate(name, self.generators[name] ** 2 - inside, adds)
            self.radicands.append(radicand)
            self._roots[key] = self.variable(name)
        return self._roots[key]

    # -- angles ---------------------------------------------------------------------------------------------
    def sin_cos(self, x: "Exact") -> tuple[Any, Any]:
        """Sine and cosine of a sum of angles, multiples of them and constants, by the addition theorems."""
        key = str(x.polynomial)
        if key not in self._sin_cos:
            self._sin_cos[key] = self._sum_sin_cos(x)
        return self._sin_cos[key]

    def _sum_sin_cos(self, x: "Exact") -> tuple[Any, Any]:
        s: Any = 0
        c: Any = 1
        constant = Formula.of(0)
        for powers, coefficient in x.polynomial.to_dict().items():
            factor = plain(coefficient)
            places = [k for k, n in enumerate(powers) if n]
            if not places:
                constant = constant + Formula.of(factor)
                continue
            k = places[0]
            if k == self._pi_at and sum(powers) == 1:
                constant = constant + Formula.of(factor) * PI
                continue
            times = factor * self.divisors[self._angles_at[k]] if k in self._angles_at else Fraction(1, 2)
            if len(places) > 1 or powers[k] > 1 or Fraction(times).denominator != 1 or x.denominator != 1:
                raise NotExact(
                    f"Exact numbers take sine and cosine of sums of angles ({', '.join(self.angles[:12])}) "
                    f"and constants, not of {x}."
                )
            name = _over(self._angles_at[k], self.divisors[self._angles_at[k]])
            t, d = multiple(self.variable(f"sin({name})"), self.variable(f"cos({name})"), int(times))
            s, c = s * d + c * t, c * d - s * t
        t, d = self.constant_sin_cos(constant)
        return s * d + c * t, c * d - s * t

    def constant_sin_cos(self, angle: Formula) -> tuple[Any, Any]:
        """Sine and cosine of a constant angle."""
        if (exact := right_angle_sin_cos(float(angle))) is not None:
            return exact
        rest, twelfths = split(angle)
        s, c = twelfth_sin(twelfths, self.root), twelfth_sin(twelfths + 6, self.root)
        if rest:
            t, d = self._own_sin_cos(rest)
            s, c = s * d + c * t, c * d - s * t
        return s, c

    def _own_sin_cos(self, angle: Formula) -> tuple[Any, Any]:
        for k, known in enumerate(self.constant_angles):
            if times := times_of(angle, known):
                return multiple(self.variable(f"sin(angle[{k}])"), self.variable(f"cos(angle[{k}])"), times)
        for known in self.rounded:
            if times := times_of(angle, known):
                return multiple(*rational_sin_cos(known), times)
        raise NotExact(f"The constant angle {angle} is not among those the ring was made for.")


def _over(name: str, divisor: int) -> str:
    return name if divisor == 1 else f"{name}/{divisor}"


def _square_part(x: Fraction) -> Fraction:
    """r where x = r^2 y with y whole and without square factors."""
    root = Fraction(1, x.denominator)
    for prime, power in fmpz(x.numerator * x.denominator).factor():
        root *= int(prime) ** (power // 2)
    return root
