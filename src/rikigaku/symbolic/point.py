"""Where a formula gets its numbers: a state given by arrays or by names."""

from collections.abc import Mapping
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from rikigaku.errors import MissingValue, NoValue, WrongSize, WrongValue
from rikigaku.numbers.exact import Exact, ExactNumber
from rikigaku.numbers.kind import FLOATS
from rikigaku.symbolic.evaluation import Point
from rikigaku.symbolic.reading import Reading


class CirclePoint:
    """An angle known by its sine and cosine, which may be rational."""

    def __init__(self, name: str, pair: Any) -> None:
        s, c = (_number(name, x) for x in pair)
        if abs(s * s + c * c - 1) > (0 if isinstance(s * c, Fraction) else 1e-12):
            raise WrongValue(f"{name} is given as sine {s} and cosine {c}, whose squares do not add up to 1.")
        self.name, self._sin, self._cos = name, s, c

    def sin(self) -> Any:
        return self._sin

    def cos(self) -> Any:
        return self._cos


class NamedPoint:
    """A value for every variable a formula of the reading may hold."""

    def __init__(self, reading: Reading, given: Mapping[str, Any]) -> None:
        self.reading = reading
        given = dict(given)
        values: dict[str, Any] = {
            symbol.name: float(symbol.value) if symbol.value.rational is None else symbol.value.rational
            for symbol in reading.robot.symbols
            if symbol.value is not None
        }
        named = dict(given.pop("symbols", None) or {})
        arrays: dict[str, list[str]] = {}
        for generator in reading.names:
            arrays.setdefault(generator.partition("[")[0], []).append(generator)
        wrenches = {f"wrench on {frame}": w for frame, w in (given.pop("wrenches", None) or {}).items()}
        for name, elements in arrays.items():
            if name in given and not _is_array(given[name]) and name in reading.robot.free_symbols:
                continue  # one number for a symbol that is called like the array
            array = wrenches.pop(name, given.pop(name, None))
            if array is None:
                continue
            array = array if _is_array(array) else [array]
            count = len(array)
            if count != len(elements):
                known = ", ".join(reading.names[x] for x in elements)
                raise WrongSize(f"{name} takes {len(elements)} numbers ({known}); {count} were given.")
            values |= {x: self._value(x, y) for x, y in zip(elements, array, strict=True)}
        for name in wrenches:
            frame = name.removeprefix("wrench on ")
            raise WrongValue(
                f"No wrench on {frame!r} stands in these formulas: make them with wrenches={{...}}."
            )
        for name, x in (named | given).items():
            generator = reading.generator(name)
            values[generator] = self._value(name, x)
        self.values = values
        self._point = Point(reading.ring, FLOATS, {}, values)
        if reading.closed:
            self._tell_open()

    def _tell_open(self) -> None:
        from rikigaku.symbolic.loops.values import tell_open  # for robots that have loops

        robot = self.reading.robot
        numbers = {x: float(y) for x, y in self.values.items() if isinstance(y, (float, Fraction))}
        names = [f"q[{k}]" for k in range(robot.nq)]
        if all(name in numbers for name in names):
            tell_open(robot, [numbers[name] for name in names], numbers, 4)

    def _value(self, name: str, x: Any) -> Any:
        return CirclePoint(name, x) if isinstance(x, (tuple, list, np.ndarray)) else _number(name, x)

    def value(self, x: ExactNumber) -> Any:
        """The number at this point: a fraction where everything is rational, else a float."""
        if isinstance(x, (int, Fraction)):
            return Fraction(x)
        if isinstance(x, Exact):
            self._check(x)
            return x.value(self)  # type: ignore[arg-type]
        result = self.value(x.numerator)
        for factor, power in x.factors.values():
            below = self.value(factor)
            if below == 0:
                raise NoValue(
                    f"The formula has no value at this state: it divides by {self._spelled(factor)}, which "
                    "is zero here (a singular state). Take another state, or the numerator alone."
                )
            result = result / below**power
        return result

    def _spelled(self, factor: Exact) -> str:
        text = str(self.reading.writing(factor))
        return text if len(text) <= 200 else f"a sum of {len(factor.polynomial)} terms"

    def __getitem__(self, generator: str) -> Any:
        x = self._point.generator(generator)
        if isinstance(x, CirclePoint):
            raise MissingValue(
                f"The formula holds the angle {x.name} itself: a sine and cosine do not give it."
            )
        return _number(generator, x)

    def _check(self, x: Exact) -> None:
        """All variables of the number have values, or an error names those that lack them."""
        ring, missing = x.ring, []
        unused = {ring.names[int(name[1:])] for name in x.polynomial.unused_gens()}
        for generator in ring.names:
            if generator in unused or generator.startswith("root[") or generator == "pi":
                continue
            inside = generator.partition("(")[2][:-1] or generator
            variable = inside.partition("/")[0]
            if not variable.startswith("angle[") and variable not in self.values:
                missing.append(self.reading.names.get(variable, variable))
        if missing:
            shown = ", ".join(dict.fromkeys(missing))
            raise MissingValue(
                f"The formula has no value yet: {shown} {'has' if len(set(missing)) == 1 else 'have'} none. "
                f"Give arrays (q=..., v=...) or names ({missing[0]}=...)."
            )


def _is_array(x: Any) -> bool:
    return isinstance(x, (list, tuple)) or (isinstance(x, np.ndarray) and x.ndim == 1)


def _number(name: str, x: Any) -> Any:
    """A rational as a fraction, anything else real as a float."""
    if isinstance(x, Rational):
        return Fraction(x)
    try:
        value = float(x)
    except (TypeError, ValueError):
        raise WrongValue(f"{name} is a number, not {x!r}.") from None
    if not np.isfinite(value):
        raise WrongValue(f"{name} is {value}; a formula takes finite numbers.")
    return value
