"""Exact numbers written as formulas: text, LaTeX and values for people, with the names they know."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from rikigaku.numbers.exact import Exact, ExactNumber
from rikigaku.numbers.formula import ONE, PI, ZERO, Formula, _atom_order, _sorted
from rikigaku.numbers.ring import Ring, plain


class Writing:
    """Turns numbers of a ring into formulas; names: what to call generators ("q[0]": "theta1")."""

    def __init__(self, ring: Ring, names: Mapping[str, str]) -> None:
        self.ring, self.names = ring, dict(names)
        self.meaning: dict[str, Formula] = {}
        self._simple = False
        for name in sorted(ring.names, key=lambda name: (name.startswith("root["), name)):
            self.meaning[name] = self._generator(name)  # a root may hold the others, and roots before it
        atoms = [self.meaning[name].terms[0] for name in ring.names]
        # Atoms alone can be put side by side; a sign or a product in front of one needs arithmetic.
        self._simple = all(len(monomial) == 1 and factor == 1 for monomial, factor in atoms)
        order = sorted(range(len(atoms)), key=lambda k: _atom_order(atoms[k][0][0]))
        self._atoms = [(k, atoms[k][0][0][0]) for k in order]

    def __call__(self, x: ExactNumber) -> Formula:
        """The number as a formula, multiplied out."""
        if isinstance(x, (int, Fraction)):
            return Formula.of(x)
        if not isinstance(x, Exact):
            below = ONE
            for factor, power in x.factors.values():
                below = below * self(factor) ** power
            return self(x.numerator) / below
        items = x.polynomial.to_dict().items()
        if not self._simple:
            return sum((self._term(powers, plain(c)) for powers, c in items), start=ZERO)
        return Formula(
            _sorted(
                (
                    tuple((atom, int(powers[k])) for k, atom in self._atoms if powers[k]),
                    Fraction(int(c.p), int(c.q)),
                )
                for powers, c in items
            )
        )

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
