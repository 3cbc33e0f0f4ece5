"""Symbols of the elimination: known coefficients of loop equations replaced by symbols.

A polynomial in known coordinates and lengths becomes one symbol; multiples of it share the symbol. So the
Groebner basis depends on the structure of the mechanism only (numbers would make coefficients explode).
Symbols of a rotation, such as L cos q and L sin q, keep the sum of their squares as an equation.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

from rikigaku.numbers.exact_number import Exact
from rikigaku.numbers.flint_conversion import fraction
from rikigaku.numbers.polynomial_ring import Ring
from rikigaku.symbolic.loops.independent_equations import generators


class EliminationSymbols:
    """Equations whose coefficients are symbols; values: what each symbol stands for; count: their number."""

    def __init__(self, ring: Ring, equations: Sequence[Exact], unknown: set[str]) -> None:
        self.ring = ring
        self.values: dict[str, Exact] = {}
        self._known: dict[str, str] = {}
        self.equations = [self._with_symbols(x, unknown) for x in equations]
        angles = sorted(name[4:-1] for name in unknown if name.startswith("sin("))
        self.circles = [(f"sin({x})", f"cos({x})") for x in angles]
        self.count = len(self.values)

    @cached_property
    def squares(self) -> list[tuple[str, str, Any]]:
        """Pairs of symbols and the sum of their squares, which may be another symbol.

        All pairs are examined.
        """
        result: list[tuple[str, str, Any]] = []
        for (p, x), (r, y) in combinations(list(self.values.items()), 2):
            total = x * x + y * y
            if len(generators(total)) < len({*generators(x), *generators(y)}):
                result.append((p, r, total if not isinstance(total, Exact) else self._symbol(total)))
        return result

    @cached_property
    def names(self) -> list[str]:
        """All symbols, also those of the sums of squares."""
        own = [square[0] for _, _, square in self.squares if isinstance(square, tuple)]
        return list(dict.fromkeys([*self.values, *own]))

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
            for monomial, (factor, symbol) in equation.items():
                key = powers(*monomial, *([symbol] if symbol else []))
                total[key] = total.get(key, 0) + factor
            yield total
        for s, c in self.circles:
            yield {powers(s, s): 1, powers(c, c): 1, powers(): -1}
        for p, r, square in self.squares:
            right = {powers(square[0]): -square[1]} if isinstance(square, tuple) else {powers(): -square}
            yield {powers(p, p): 1, powers(r, r): 1} | right

    def substituted(self, terms: dict[tuple[tuple[str, int], ...], Any]) -> Any:
        """A polynomial in symbols and known generators with the symbols' values put in."""
        total: Any = 0
        for monomial, coefficient in terms.items():
            term: Any = coefficient
            for name, n in monomial:
                x = self.values[name] if name in self.values else self.ring.variable(name)
                term = term * x**n
            total = total + term
        return total

    def size(self, terms: dict[tuple[tuple[str, int], ...], Any]) -> int:
        """An upper bound of the number of terms after substitution."""
        total = 0
        for monomial in terms:
            count = 1
            for name, n in monomial:
                count *= len(self.values[name].polynomial) ** n if name in self.values else 1
            total += count
        return total

    def _with_symbols(self, x: Exact, unknown: set[str]) -> dict[tuple[str, ...], tuple[Any, str]]:
        """For each monomial of the unknowns a rational factor and the symbol of its coefficient."""
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
                symbol, factor = self._symbol(number)
                result[monomial] = (factor, symbol)
            else:
                result[monomial] = (number, "")
        return result

    def _symbol(self, x: Exact) -> tuple[str, Any]:
        """The symbol of a polynomial and its rational factor: multiples share one symbol."""
        lead = x.polynomial.leading_coefficient()
        factor = fraction(lead)
        whole = x / factor
        key = str(whole.polynomial)
        if key not in self._known:
            self._known[key] = f"p{len(self._known)}"
            self.values[self._known[key]] = whole
        return self._known[key], factor
