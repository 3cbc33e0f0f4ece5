"""Numbers modulo a prime, many states at once: where ranks and relations are found, and nothing is expanded.

A number is an array of residues, the first axis over samples of the geometry, the second over states. Laws
run on it as on any other kind. What is not rational gets an image in the field that obeys the same equations:

- e^(i x) of an angle x is a random element t, and t^n of n x: sines and cosines of multiples agree with each
  other, and nothing else is presumed. Right for variables, for symbols, and for constants like 0.3 rad too
  (Lindemann: e^(0.3 i) is transcendental).
- e^(i pi / n) is a root of unity, drawn anew for each sample: all conjugates occur.
- A square root that the field lacks lives in the field's quadratic extension: numbers may have a second part,
  a multiple of the square root of one fixed non-residue.

An identity that holds is seen to hold always. One that does not, a polynomial of degree D in sines, cosines
and symbols, is mistaken for one with probability at most D k / p at a random point (lemma of Schwartz and
Zippel): p between 2^30 and 2^31, k the index of the subgroup from which points of the circle are drawn, the
common divisor of the field's order and fineness (8 for decimals and an order of 24). A minor that shows the
rank of an arm's regressor has D of some thousands: 1e-5 for each prime. The bound takes what is drawn as
independent. Multiples of one constant angle (0.3 rad and 0.7 rad) are powers of one element, with exponents
as large as their decimals: for these it is what one expects, not a theorem.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from rikigaku.errors import NotExact
from rikigaku.numbers.prime_field import PrimeField, Residues

# Angles as multiples of their generators: "q3", a symbol, "pi", or "rad" for constants.
Turn = Mapping[str, Fraction]


class Field(PrimeField):
    """A prime field, and the numbers that were drawn from it at random for angles, roots and pi.

    samples: how many geometries are looked at together. order: of the roots of unity, a multiple of 24.
    fineness: what denominators of multiples of angles divide. A generator is then e^(i x / fineness).
    """

    def __init__(
        self, rng: np.random.Generator, samples: int = 1, order: int = 24, fineness: int = 1
    ) -> None:
        super().__init__(rng, samples, order, fineness)
        self._generators: dict[str, Residues] = {}
        self._roots: dict[int, Residues] = {}
        self._circles: dict[tuple[tuple[str, Fraction], ...], tuple[Modular, Modular]] = {}
        # As a plain factor pi is transcendental: any element will do.
        self.pi = Modular(self, self.random(samples, 1), turn={"pi": Fraction(1)})

    def number(self, residues: Residues) -> "Modular":
        """The residues as a number."""
        return Modular(self, residues)

    def angle(self, name: str, residues: Residues) -> "Modular":
        """A number that may stand in sines and cosines, too; `residues` says its shape and value."""
        if name not in self._generators:
            self._generators[name] = self.random(*residues.shape)
        return Modular(self, residues, turn={name: Fraction(1)})

    def circle(self, turn: Turn) -> tuple["Modular", "Modular"]:
        """Sine and cosine of an angle."""
        key = tuple(sorted((name, n) for name, n in turn.items() if n))
        if key not in self._circles:
            self._circles[key] = self._circle(turn)
        return self._circles[key]

    def _circle(self, turn: Turn) -> tuple["Modular", "Modular"]:
        t = np.ones((1, 1), dtype=np.int64)
        for name, multiple in turn.items():
            fine = multiple * (self.order if name == "pi" else self.fineness)
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

    __slots__ = ("beyond", "field", "fraction", "plain", "turn")
    __array_ufunc__ = None

    def __init__(
        self,
        field: Field,
        plain: Residues,
        beyond: Residues | None = None,
        turn: Turn | None = None,
        fraction: Fraction | None = None,
    ) -> None:
        self.field, self.plain, self.turn, self.fraction = field, plain, turn, fraction
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
        turn = None
        if self.turn is not None or other.turn is not None:
            turn = _sum_of_turns(_turn_of(self), _turn_of(other))
        return Modular(self.field, (self.plain + other.plain) % p, beyond, turn)

    __radd__ = __add__

    def __neg__(self) -> "Modular":
        p = self.field.prime
        beyond = None if self.beyond is None else -self.beyond % p
        turn = None if self.turn is None else {name: -n for name, n in self.turn.items()}
        return Modular(
            self.field, -self.plain % p, beyond, turn, None if not self.fraction else -self.fraction
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
        turn = None
        if self.turn is not None and other.fraction is not None:
            turn = {name: n * other.fraction for name, n in self.turn.items()}
        elif other.turn is not None and self.fraction is not None:
            turn = {name: n * self.fraction for name, n in other.turn.items()}
        return Modular(self.field, plain, beyond, turn)

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
        """Only asked of squares against something tiny: whether the number is zero."""
        return not self.plain.any() and self.beyond is None

    def sin(self) -> "Modular":
        return self.field.circle(self._turn())[0]

    def cos(self) -> "Modular":
        return self.field.circle(self._turn())[1]

    def sqrt(self) -> "Modular":
        if self.beyond is not None:
            raise NotExact("The square root of a square root has no exact image here.")
        return self.field.root(self.plain)

    def sign(self) -> "Modular":
        """1 or -1 at random: a sign follows from no equation."""
        return Modular(self.field, self.field.rng.choice([1, self.field.prime - 1], self.plain.shape))

    def _constant(self, x: Any) -> "Modular":
        if not isinstance(x, (int, Fraction)):
            x = Fraction(x)
        return Modular(self.field, np.array([[self.field.constant(x)]]), fraction=Fraction(x))

    def _turn(self) -> Turn:
        if self.turn is None:
            raise NotExact("Exact ranks take sines of sums of angles only, not of products.")
        return self.turn


def _turn_of(x: Modular) -> Turn | None:
    """The angle a number is: multiples of generators; a rational constant is so many radians."""
    if x.turn is not None:
        return x.turn
    return None if x.fraction is None else {"rad": x.fraction}


def _sum_of_turns(a: Turn | None, b: Turn | None) -> Turn | None:
    if a is None or b is None:
        return None
    total = dict(a)
    for name, n in b.items():
        total[name] = total.get(name, Fraction(0)) + n
    return total
