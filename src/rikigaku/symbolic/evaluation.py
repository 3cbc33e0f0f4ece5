"""Exact numbers at a state of floats or balls: every generator has a value, roots and angles too."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from rikigaku.errors import MissingValue
from rikigaku.numbers.exact import Exact, ExactNumber
from rikigaku.numbers.flint_rationals import fraction
from rikigaku.numbers.functions import cos, sign, sin, sqrt
from rikigaku.numbers.kind import Kind, Number
from rikigaku.numbers.ring import Ring
from rikigaku.symbolic.loops.over import Over


class Point:
    """A state at which exact numbers have values of one kind (floats, balls).

    inputs: values of "q", "v", "a", each a sequence in which what is not known is None.
    symbols: values of the robot's symbols.
    """

    def __init__(
        self, ring: Ring, kind: Kind, inputs: Mapping[str, Sequence[Number]], symbols: Mapping[str, Number]
    ) -> None:
        self.ring, self.kind = ring, kind
        self._plain: dict[str, Number] = dict(symbols)
        for name, values in inputs.items():
            self._plain |= {f"{name}[{k}]": x for k, x in enumerate(values) if x is not None}
        self._known: dict[str, Number] = {}

    def copy(self) -> "Point":
        """A point that knows the same and may learn more."""
        result = Point(self.ring, self.kind, {}, self._plain)
        result._known = dict(self._known)
        return result

    def learn(self, name: str, values: Mapping[str, Number]) -> None:
        """Take in a coordinate, given by its value or by its sine and cosine (floats)."""
        self._known |= values
        self._plain[name] = (
            values[name] if name in values else np.arctan2(values[f"sin({name})"], values[f"cos({name})"])
        )

    def generator(self, name: str) -> Number:
        """The value of a generator: "q[0]", "sin(q[0])", "root[1]", "L"."""
        if name not in self._known:
            self._known[name] = self._generator(name)
        return self._known[name]

    def _generator(self, name: str) -> Number:
        if name in self._plain:
            return self._plain[name]
        if name == "pi":
            return self.kind.pi()
        if name.startswith("root["):
            radicand = self.ring.radicands[int(name[5:-1])]
            return sqrt(self.value(radicand) if isinstance(radicand, Exact) else self._constant(radicand))
        function, _, inside = name.partition("(")
        if inside:
            inside = inside[:-1]
            if inside.startswith("angle["):
                pair = self.kind.sin_cos(self.ring.constant_angles[int(inside[6:-1])])
                return pair[function == "cos"]
            inside, _, divisor = inside.partition("/")
            x = self.generator(inside) / int(divisor) if divisor else self.generator(inside)
            if isinstance(x, Fraction):  # a rational angle has no rational sine
                x = self._constant(x)
            return {"sin": sin, "cos": cos, "sign": sign}[function](x)
        raise MissingValue(f"{name} has no value here, and a number is needed: give {name}=... .")

    def value(self, x: ExactNumber | Over) -> Number:
        """The value of an exact number, or of a quotient of them."""
        if isinstance(x, (int, Fraction)):
            return self._constant(x)
        if isinstance(x, Over):
            return self._over(x)
        if not isinstance(x, Exact):
            return self.value(x.numerator) / self.value(x.denominator)
        total: Number = 0
        for powers, coefficient in x.polynomial.to_dict().items():
            term: Number = self._constant(fraction(coefficient))
            for name, n in zip(self.ring.names, powers, strict=True):
                for _ in range(int(n)):
                    term = term * self.generator(name)
            total = total + term
        return total

    def _over(self, x: Over) -> Number:
        total: Number = 0
        for powers, part in x.parts.items():
            value = self.value(part)
            for d, n in zip(x.determinants, powers, strict=True):
                for _ in range(n):
                    value = value / self._determinant(d)
            total = total + value
        return total

    def _determinant(self, d: Exact) -> Number:
        key = f"determinant {d.polynomial}"
        if key not in self._known:
            self._known[key] = self.value(d)
        return self._known[key]

    def _constant(self, x: int | Fraction) -> Number:
        value = self.kind.rational(Fraction(x))
        return float(value) if isinstance(value, Fraction) else value
