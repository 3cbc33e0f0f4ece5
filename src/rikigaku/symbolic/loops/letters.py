"""Equations with letters in place of what is known, for elimination that does not see numbers.

What known coordinates and lengths contribute becomes a letter, multiples of it share the letter: the Groebner
basis is that of the mechanism's shape (numbers make coefficients explode). Letters that belong to a rotation,
such as L cos q and L sin q, keep the sum of their squares: without it a four-bar would look like any conic.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

from rikigaku.numbers.exact import Exact
from rikigaku.numbers.flint_rationals import fraction
from rikigaku.numbers.ring import Ring
from rikigaku.symbolic.loops.rows import generators


class Letters:
    """Equations with letters for what does not hold the unknowns; count: of the letters in them."""

    def __init__(self, ring: Ring, equations: Sequence[Exact], unknown: set[str]) -> None:
        self.ring = ring
        self.meanings: dict[str, Exact] = {}
        self._spelled: dict[str, str] = {}
        self.equations = [self._lettered(x, unknown) for x in equations]
        angles = sorted(name[4:-1] for name in unknown if name.startswith("sin("))
        self.circles = [(f"sin({x})", f"cos({x})") for x in angles]
        self.count = len(self.meanings)

    @cached_property
    def squares(self) -> list[tuple[str, str, Any]]:
        """Pairs of letters and the sum of their squares, which may be a letter more. Looks at all pairs."""
        result: list[tuple[str, str, Any]] = []
        for (p, x), (r, y) in combinations(list(self.meanings.items()), 2):
            total = x * x + y * y
            if len(generators(total)) < len({*generators(x), *generators(y)}):
                result.append((p, r, total if not isinstance(total, Exact) else self._letter(total)))
        return result

    @cached_property
    def names(self) -> list[str]:
        """All letters, those of the squares too."""
        own = [square[0] for _, _, square in self.squares if isinstance(square, tuple)]
        return list(dict.fromkeys([*self.meanings, *own]))

    def polynomials(self, names: Sequence[str]) -> Iterator[dict[tuple[int, ...], Any]]:
        """The equations, circles and sums of squares in these names."""
        place = {name: k for k, name in enumerate(names)}

        def powers(*used: str) -> tuple[int, ...]:
            result = [0] * len(names)
            for name in used:
                result[place[name]] += 1
            return tuple(result)

        for equation in self.equations:
            total: dict[tuple[int, ...], Any] = {}
            for monomial, (factor, letter) in equation.items():
                key = powers(*monomial, *([letter] if letter else []))
                total[key] = total.get(key, 0) + factor
            yield total
        for s, c in self.circles:
            yield {powers(s, s): 1, powers(c, c): 1, powers(): -1}
        for p, r, square in self.squares:
            right = {powers(square[0]): -square[1]} if isinstance(square, tuple) else {powers(): -square}
            yield {powers(p, p): 1, powers(r, r): 1} | right

    def meant(self, terms: dict[tuple[tuple[str, int], ...], Any]) -> Any:
        """A polynomial in letters and known generators as an exact number."""
        total: Any = 0
        for monomial, coefficient in terms.items():
            term: Any = coefficient
            for name, n in monomial:
                x = self.meanings[name] if name in self.meanings else self.ring.variable(name)
                term = term * x**n
            total = total + term
        return total

    def size(self, terms: dict[tuple[tuple[str, int], ...], Any]) -> int:
        """A bound of the terms it then has."""
        total = 0
        for monomial in terms:
            count = 1
            for name, n in monomial:
                count *= len(self.meanings[name].polynomial) ** n if name in self.meanings else 1
            total += count
        return total

    def _lettered(self, x: Exact, unknown: set[str]) -> dict[tuple[str, ...], tuple[Any, str]]:
        """By monomials of the unknowns: a rational factor and the letter of the rest."""
        parts: dict[tuple[str, ...], Any] = {}
        for m, c in x.polynomial.to_dict().items():
            inside: list[str] = []
            rest = [0] * len(m)
            for k, n in enumerate(m):
                if self.ring.names[k] in unknown:
                    inside += [self.ring.names[k]] * int(n)
                else:
                    rest[k] = int(n)
            part = parts.setdefault(tuple(inside), {})
            part[tuple(rest)] = c
        result: dict[tuple[str, ...], tuple[Any, str]] = {}
        for monomial, terms in parts.items():
            number = self.ring.number(self.ring.context.from_dict(terms))
            if isinstance(number, Exact):
                letter, factor = self._letter(number)
                result[monomial] = (factor, letter)
            else:
                result[monomial] = (number, "")
        return result

    def _letter(self, x: Exact) -> tuple[str, Any]:
        """The letter of a polynomial and the factor it is taken with: multiples share one."""
        lead = x.polynomial.leading_coefficient()
        factor = fraction(lead)
        whole = x / factor
        key = str(whole.polynomial)
        if key not in self._spelled:
            self._spelled[key] = f"p{len(self._spelled)}"
            self.meanings[self._spelled[key]] = whole
        return self._spelled[key], factor
