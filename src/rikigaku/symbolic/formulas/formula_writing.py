"""Conversion of exact numbers to formulas with display names, for text, LaTeX and evaluation."""

from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from typing import Any

from rikigaku.core.errors import NotExact
from rikigaku.numbers.exact_number import Exact, ExactNumber
from rikigaku.numbers.flint_conversion import fraction, plain
from rikigaku.numbers.formula import ONE, PI, ZERO, Formula
from rikigaku.numbers.formula_terms import Factor, factor_order, in_order
from rikigaku.numbers.polynomial_ring import Ring
from rikigaku.numbers.rational_function import RationalFunction


class FormulaWriter:
    """Writes numbers of a ring as formulas; names: display names of generators ("q[0]": "theta1").

    The formula of a generator may change (`substitute`): a target pose, then the remaining pose.
    """

    def __init__(self, ring: Ring, names: Mapping[str, str]) -> None:
        self.ring, self.names = ring, dict(names)
        self.formulas: dict[str, Formula] = {}
        self._factors: list[tuple[int, Factor]] | None = None
        for name in sorted(ring.names, key=lambda name: (name.startswith("root["), name)):
            if self._has_name(name):
                with suppress(NotExact):  # a root of generators without names has no name either
                    self.formulas[name] = self._generator(name)  # roots come after what they may hold
        self._factors = self._single()

    def substitute(self, formulas: Mapping[str, Formula]) -> None:
        """Write generators as these formulas from now on."""
        self.formulas |= formulas
        self._factors = self._single()

    def copy(self) -> "FormulaWriter":
        """An independent copy."""
        other = FormulaWriter.__new__(FormulaWriter)
        other.ring, other.names = self.ring, self.names
        other.formulas, other._factors = dict(self.formulas), self._factors
        return other

    def _single(self) -> list[tuple[int, Factor]] | None:
        """Places and factors in the order of monomials, if every generator is written as a single factor.

        Single factors are joined without arithmetic; signs, sums and products need it (None).
        """
        found: list[tuple[int, tuple[Factor, int]]] = []
        for k, name in enumerate(self.ring.names):
            if name not in self.formulas:
                continue
            terms = self.formulas[name].terms
            if len(terms) != 1 or len(terms[0][0]) != 1 or terms[0][1] != 1 or terms[0][0][0][1] != 1:
                return None
            found.append((k, terms[0][0][0]))
        if len({factor for _, (factor, _) in found}) < len(found):
            return None  # two generators with the same formula must be multiplied
        return [(k, factor) for k, (factor, _) in sorted(found, key=lambda item: factor_order(item[1]))]

    def __call__(self, x: ExactNumber) -> Formula:
        """The number as a formula, multiplied out."""
        if isinstance(x, (int, Fraction)):
            return Formula.of(x)
        if not isinstance(x, Exact):
            return self._fractions(x)
        self._check(x)
        items = x.polynomial.to_dict().items()
        if self._factors is None:
            return sum((self._term(powers, plain(c)) for powers, c in items), start=ZERO)
        return Formula(
            in_order(
                (
                    tuple((factor, int(powers[k])) for k, factor in self._factors if powers[k]),
                    fraction(c),
                )
                for powers, c in items
            )
        )

    def _fractions(self, x: RationalFunction) -> Formula:
        """The sum of its fractions, each written by itself."""
        factors = [self(d) for d in x.factors]
        total = ZERO
        for exponents, numerator in x.parts.items():
            below = ONE
            for d, n in zip(factors, exponents, strict=True):
                below = below * d**n
            total = total + self(numerator) / below
        return total

    def _check(self, x: Exact) -> None:
        if len(self.formulas) < len(self.ring.names):
            for name, degree in zip(self.ring.names, x.polynomial.degrees(), strict=True):
                if degree and name not in self.formulas:
                    raise NotExact(f"{name} has no name here, so it cannot be written in a formula.")

    def _has_name(self, generator: str) -> bool:
        """Whether the generator can be written: inputs of laws ("v[0]") need a display name."""
        inside = generator.partition("(")[2][:-1] or generator
        stem = inside.partition("/")[0]
        return "[" not in stem or stem in self.names or stem.startswith(("root[", "angle["))

    def angle(self, name: str) -> Formula:
        """The angle of the generator sin(name), for "q[0]", "beta/2", "angle[0]"."""
        if name.startswith("angle["):
            return self.ring.constant_angles[int(name[6:-1])]
        stem, _, divisor = name.partition("/")
        return self._plain(stem) / int(divisor or 1)

    def _term(self, powers: Any, coefficient: Fraction | int) -> Formula:
        term = Formula.of(coefficient)
        for name, power in zip(self.ring.names, powers, strict=True):
            if power:
                term = term * self.formulas[name] ** int(power)
        return term

    def _generator(self, name: str) -> Formula:
        for prefix, function in (("sin(", Formula.sin), ("cos(", Formula.cos), ("sign(", Formula.sign)):
            if name.startswith(prefix):
                return function(self.angle(name[len(prefix) : -1]))
        if name.startswith("root["):
            k = int(name[5:-1])
            known = len(self.ring.radicands)
            return self(self.ring.radicands[k]).sqrt() if k < known else Formula.symbol(f"root_{k}")
        return self._plain(name)

    def _plain(self, name: str) -> Formula:
        return PI if name == "pi" else Formula.symbol(self.names.get(name, name))


def written(x: ExactNumber) -> Formula:
    """The formula of a number that holds only symbols of the robot and constants."""
    return Formula.of(x) if isinstance(x, (int, Fraction)) else _own(x.ring, len(x.ring.radicands))(x)


@lru_cache(maxsize=8)
def _own(ring: Ring, _roots: int) -> FormulaWriter:
    return FormulaWriter(ring, {})
