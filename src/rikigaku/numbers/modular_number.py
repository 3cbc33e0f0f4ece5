"""Numbers modulo a prime at many samples and states: ranks and identities without symbolic expansion.

A number is an array of residues, the first axis over samples of the geometry, the second over states. Laws
run on it as on any other kind. Irrational constants get an image in the field that obeys the same equations:

- e^(i x) of an angle x is a random element t, and e^(i n x) is t^n: sines and cosines of multiples are
  consistent, and no other relation is assumed. This is valid for variables, for symbols, and for constants
  like 0.3 rad (Lindemann: e^(0.3 i) is transcendental).
- e^(i pi / n) is a root of unity, drawn for each sample: all conjugates occur.
- A square root that does not exist in the field is in its quadratic extension: numbers may have a second
  part, a multiple of the square root of one fixed non-residue.

A true identity always passes the test. A false one, a polynomial of degree D in sines, cosines
and symbols, is mistaken for one with probability at most D k / p at a random point (lemma of Schwartz and
Zippel): p between 2^30 and 2^31, k the index of the subgroup from which points of the circle are drawn, the
common divisor of the field's order and denominator (8 for decimals and an order of 24). A minor that shows
the rank of an arm's regressor has D of some thousands: 1e-5 for each prime. The bound assumes independent
draws. Multiples of one constant angle (0.3 rad and 0.7 rad) are powers of one element, with exponents
as large as their decimals: for these the bound is heuristic, not a theorem.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from rikigaku.core.errors import NotExact
from rikigaku.numbers.prime_field import PrimeField, Residues

# Angles as multiples of their generators: "q3", a symbol, "pi", or "rad" for constants.
AngleMultiples = Mapping[str, Fraction]


class Field(PrimeField):
    """A prime field with the random elements that represent angles, roots and pi.

    samples: number of geometries treated together. order: of the roots of unity, a multiple of 24.
    denominator: a common multiple of the denominators in multiples of angles. Generators are
        e^(i x / denominator).
    """

    def __init__(
        self, rng: np.random.Generator, samples: int = 1, order: int = 24, denominator: int = 1
    ) -> None:
        super().__init__(rng, samples, order, denominator)
        self._generators: dict[str, Residues] = {}
        self._roots: dict[int, Residues] = {}
        self._circles: dict[tuple[tuple[str, Fraction], ...], tuple[Modular, Modular]] = {}
        # As a plain factor pi is transcendental: any element will do.
        self.pi = Modular(self, self.random(samples, 1), multiples={"pi": Fraction(1)})

    def number(self, residues: Residues) -> "Modular":
        """The residues as a number."""
        return Modular(self, residues)

    def angle(self, name: str, residues: Residues) -> "Modular":
        """A variable that may be an argument of sine and cosine; residues: its shape and values."""
        if name not in self._generators:
            self._generators[name] = self.random(*residues.shape)
        return Modular(self, residues, multiples={name: Fraction(1)})

    def circle(self, multiples: AngleMultiples) -> tuple["Modular", "Modular"]:
        """Sine and cosine of an angle."""
        key = tuple(sorted((name, n) for name, n in multiples.items() if n))
        if key not in self._circles:
            self._circles[key] = self._circle(multiples)
        return self._circles[key]

    def _circle(self, multiples: AngleMultiples) -> tuple["Modular", "Modular"]:
        t = np.ones((1, 1), dtype=np.int64)
        for name, multiple in multiples.items():
            fine = multiple * (self.order if name == "pi" else self.denominator)
            if name == "pi":
                fine /= 2  # zeta is e^(2 i pi / order)
                generator = self.zeta
            else:
                if name not in self._generators:
                    self._generators[name] = self.random(self.samples, 1)
                generator = self._generators[name]
            if fine.denominator != 1:
                raise NotExact(f"The multiple {multiple} of the angle {name} is too fine for exact ranks.")
            t = t * self.power(generator, int(fine)) % self.prime
        u = self.inverse(t)
        half = pow(2, -1, self.prime)
        s = (t - u) % self.prime * self.inverse(self.i) % self.prime * half % self.prime
        return Modular(self, s), Modular(self, (t + u) % self.prime * half % self.prime)

    def root(self, x: Residues) -> "Modular":
        """A square root, element by element, in the quadratic extension where need be."""
        return Modular(self, *self.square_root(x))

    def prime_root(self, n: int) -> "Modular":
        """The square root of a whole number without square factors; of either sign, but always the same."""
        if n in (2, 3):  # as the roots of unity have it: sqrt(2) = 2 cos(pi/4)
            return 2 * self.circle({"pi": Fraction(1, 4 if n == 2 else 6)})[1]
        if n not in self._roots:
            self._roots[n] = self.rng.choice([1, self.prime - 1], (self.samples, 1))
        return self.root(np.array([[n % self.prime]])) * Modular(self, self._roots[n])


class Modular:
    """A number modulo a prime at many samples and states: `plain` + `beyond` * sqrt(non-residue)."""

    __slots__ = ("beyond", "field", "fraction", "multiples", "plain")
    __array_ufunc__ = None

    def __init__(
        self,
        field: Field,
        plain: Residues,
        beyond: Residues | None = None,
        multiples: AngleMultiples | None = None,
        fraction: Fraction | None = None,
    ) -> None:
        self.field, self.plain, self.multiples, self.fraction = field, plain, multiples, fraction
        self.beyond = beyond if beyond is not None and beyond.any() else None

    def __add__(self, other: Any) -> "Modular":
        if type(other) is not Modular:
            if other == 0:
                return self
            other = self._constant(other)
        p = self.field.prime
        beyond = (
            self.beyond
            if other.beyond is None
            else other.beyond
            if self.beyond is None
            else (self.beyond + other.beyond) % p
        )
        multiples = None
        if self.multiples is not None or other.multiples is not None:
            multiples = _sum_of_multiples(_multiples_of(self), _multiples_of(other))
        return Modular(self.field, (self.plain + other.plain) % p, beyond, multiples)

    __radd__ = __add__

    def __neg__(self) -> "Modular":
        p = self.field.prime
        beyond = None if self.beyond is None else -self.beyond % p
        multiples = None if self.multiples is None else {name: -n for name, n in self.multiples.items()}
        return Modular(
            self.field, -self.plain % p, beyond, multiples, None if not self.fraction else -self.fraction
        )

    def __sub__(self, other: Any) -> "Modular":
        return self + (-other)

    def __rsub__(self, other: Any) -> "Modular":
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if type(other) is not Modular:
            if other == 0:
                return 0
            if other == 1:
                return self
            other = self._constant(other)
        p, d = self.field.prime, self.field.non_residue
        plain, beyond = self.plain * other.plain % p, None
        if self.beyond is not None and other.beyond is not None:
            plain = (plain + self.beyond * other.beyond % p * d) % p
            beyond = (self.plain * other.beyond % p + self.beyond * other.plain) % p
        elif self.beyond is not None:
            beyond = self.beyond * other.plain % p
        elif other.beyond is not None:
            beyond = self.plain * other.beyond % p
        multiples = None
        if self.multiples is not None and other.fraction is not None:
            multiples = {name: n * other.fraction for name, n in self.multiples.items()}
        elif other.multiples is not None and self.fraction is not None:
            multiples = {name: n * self.fraction for name, n in other.multiples.items()}
        return Modular(self.field, plain, beyond, multiples)

    __rmul__ = __mul__

    def inverse(self) -> "Modular":
        """One divided by the number."""
        p, d = self.field.prime, self.field.non_residue
        fraction = None if self.fraction is None else 1 / self.fraction
        if self.beyond is None:
            return Modular(self.field, self.field.inverse(self.plain), fraction=fraction)
        norm = (self.plain * self.plain % p - self.beyond * self.beyond % p * d) % p
        below = self.field.inverse(norm)
        return Modular(self.field, self.plain * below % p, -self.beyond * below % p)

    def __truediv__(self, other: Any) -> Any:
        if type(other) is not Modular:
            return self * (1 / Fraction(other))
        return self * other.inverse()

    def __rtruediv__(self, other: Any) -> Any:
        return other * self.inverse()

    def __lt__(self, other: float) -> bool:
        """Whether the number is zero: laws compare only squares with a small positive bound."""
        return not self.plain.any() and self.beyond is None

    def sin(self) -> "Modular":
        return self.field.circle(self._angle_multiples())[0]

    def cos(self) -> "Modular":
        return self.field.circle(self._angle_multiples())[1]

    def sqrt(self) -> "Modular":
        if self.beyond is not None:
            raise NotExact("The square root of a square root has no exact image here.")
        return self.field.root(self.plain)

    def sign(self) -> "Modular":
        """1 or -1 at random: no polynomial equation determines a sign."""
        return Modular(self.field, self.field.rng.choice([1, self.field.prime - 1], self.plain.shape))

    def _constant(self, x: Any) -> "Modular":
        if not isinstance(x, (int, Fraction)):
            x = Fraction(x)
        return Modular(self.field, np.array([[self.field.constant(x)]]), fraction=Fraction(x))

    def _angle_multiples(self) -> AngleMultiples:
        if self.multiples is None:
            raise NotExact("Exact ranks take sines of sums of angles only, not of products.")
        return self.multiples


def _multiples_of(x: Modular) -> AngleMultiples | None:
    """The angle a number is: multiples of generators; a rational constant is so many radians."""
    if x.multiples is not None:
        return x.multiples
    return None if x.fraction is None else {"rad": x.fraction}


def _sum_of_multiples(a: AngleMultiples | None, b: AngleMultiples | None) -> AngleMultiples | None:
    if a is None or b is None:
        return None
    total = dict(a)
    for name, n in b.items():
        total[name] = total.get(name, Fraction(0)) + n
    return total
