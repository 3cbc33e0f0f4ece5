"""Exact numbers written as formulas: text, LaTeX and values for people, with the names they know."""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from rikigaku.errors import NotExact
from rikigaku.numbers.exact import Exact, ExactNumber
from rikigaku.numbers.flint_rationals import fraction, plain
from rikigaku.numbers.formula import ONE, PI, ZERO, Formula
from rikigaku.numbers.formula_terms import Atom, atom_order, in_order
from rikigaku.numbers.ring import Ring


class Writing:
    """Turns numbers of a ring into formulas; names: what to call generators ("q[0]": "theta1").

    What a generator means may change as work proceeds (`mean`): a pose to reach, then the rest of it.
    """

    def __init__(self, ring: Ring, names: Mapping[str, str]) -> None:
        self.ring, self.names = ring, dict(names)
        self.meaning: dict[str, Formula] = {}
        self._atoms: list[tuple[int, Atom]] | None = None
        for name in sorted(ring.names, key=lambda name: (name.startswith("root["), name)):
            if self._has_name(name):
                self.meaning[name] = self._generator(name)  # a root may hold the others, and roots before it
        self._atoms = self._single()

    def mean(self, meaning: Mapping[str, Formula]) -> None:
        """Let generators stand for these formulas from now on."""
        self.meaning |= meaning
        self._atoms = self._single()

    def copy(self) -> "Writing":
        """The same, that goes on by itself."""
        other = Writing.__new__(Writing)
        other.ring, other.names = self.ring, self.names
        other.meaning, other._atoms = dict(self.meaning), self._atoms
        return other

    def _single(self) -> list[tuple[int, Atom]] | None:
        """Places and atoms in the order of monomials, where every generator means one atom.

        Atoms alone can be put side by side; a sign, a sum or a product in place of one needs arithmetic.
        """
        found: list[tuple[int, tuple[Atom, int]]] = []
        for k, name in enumerate(self.ring.names):
            if name not in self.meaning:
                continue
            terms = self.meaning[name].terms
            if len(terms) != 1 or len(terms[0][0]) != 1 or terms[0][1] != 1 or terms[0][0][0][1] != 1:
                return None
            found.append((k, terms[0][0][0]))
        if len({atom for _, (atom, _) in found}) < len(found):
            return None  # two generators that mean the same do not stand side by side
        return [(k, atom) for k, (atom, _) in sorted(found, key=lambda item: atom_order(item[1]))]

    def __call__(self, x: ExactNumber) -> Formula:
        """The number as a formula, multiplied out."""
        if isinstance(x, (int, Fraction)):
            return Formula.of(x)
        if not isinstance(x, Exact):
            below = ONE
            for factor, power in x.factors.values():
                below = below * self(factor) ** power
            return self(x.numerator) / below
        self._check(x)
        items = x.polynomial.to_dict().items()
        if self._atoms is None:
            return sum((self._term(powers, plain(c)) for powers, c in items), start=ZERO)
        return Formula(
            in_order(
                (
                    tuple((atom, int(powers[k])) for k, atom in self._atoms if powers[k]),
                    fraction(c),
                )
                for powers, c in items
            )
        )

    def _check(self, x: Exact) -> None:
        if len(self.meaning) < len(self.ring.names):
            for name, degree in zip(self.ring.names, x.polynomial.degrees(), strict=True):
                if degree and name not in self.meaning:
                    raise NotExact(f"{name} has no name here, so it stands in no formula.")

    def _has_name(self, generator: str) -> bool:
        """Whether it can be written: inputs of laws ("v[0]") only under the names they are given."""
        inside = generator.partition("(")[2][:-1] or generator
        stem = inside.partition("/")[0]
        return "[" not in stem or stem in self.names or stem.startswith(("root[", "angle["))

    def angle(self, name: str) -> Formula:
        """What stands in sin(name): "q[0]", "beta/2", "angle[0]"."""
        if name.startswith("angle["):
            return self.ring.constant_angles[int(name[6:-1])]
        stem, _, divisor = name.partition("/")
        return self._plain(stem) / int(divisor or 1)

    def _term(self, powers: Any, coefficient: Fraction | int) -> Formula:
        term = Formula.of(coefficient)
        for name, power in zip(self.ring.names, powers, strict=True):
            if power:
                term = term * self.meaning[name] ** int(power)
        return term

    def _generator(self, name: str) -> Formula:
        for word, function in (("sin(", Formula.sin), ("cos(", Formula.cos), ("sign(", Formula.sign)):
            if name.startswith(word):
                return function(self.angle(name[len(word) : -1]))
        if name.startswith("root["):
            k = int(name[5:-1])
            known = len(self.ring.radicands)
            return self(self.ring.radicands[k]).sqrt() if k < known else Formula.symbol(f"root_{k}")
        return self._plain(name)

    def _plain(self, name: str) -> Formula:
        return PI if name == "pi" else Formula.symbol(self.names.get(name, name))


def written(x: ExactNumber) -> Formula:
    """A number in which nothing but symbols of the robot and constants stands, as a formula."""
    return Formula.of(x) if isinstance(x, (int, Fraction)) else _own(x.ring, len(x.ring.radicands))(x)


@lru_cache(maxsize=8)
def _own(ring: Ring, _roots: int) -> Writing:
    return Writing(ring, {})
