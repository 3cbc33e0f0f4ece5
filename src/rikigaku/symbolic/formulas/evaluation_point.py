"""Evaluation of exact formulas at a state: values of all generators in floats or arbitrary precision."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from rikigaku.core.errors import MissingValue, NoValue, WrongSize, WrongValue
from rikigaku.core.validation import by_name
from rikigaku.core.value_text import short
from rikigaku.numbers.elementary_functions import atan2, cos, sign, sin, sqrt
from rikigaku.numbers.exact_number import Exact, ExactNumber
from rikigaku.numbers.flint_conversion import fraction
from rikigaku.numbers.number_kind import FLOATS, Kind, Number
from rikigaku.numbers.polynomial_ring import Ring
from rikigaku.numbers.rational_function import RationalFunction
from rikigaku.symbolic.formulas.formula_context import FormulaContext


class EvaluationPoint:
    """A state at which exact numbers have values of one kind (floats, arbitrary precision).

    inputs: values of "q", "v", "a", each a sequence with None for unknown elements.
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

    def copy(self) -> "EvaluationPoint":
        """An independent copy, to which values may be added."""
        result = EvaluationPoint(self.ring, self.kind, {}, self._plain)
        result._known = dict(self._known)
        return result

    def learn(self, name: str, values: Mapping[str, Number]) -> None:
        """Add the value of a coordinate, or its sine and cosine (floats)."""
        self._known |= values
        self._plain[name] = (
            values[name] if name in values else atan2(values[f"sin({name})"], values[f"cos({name})"])
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

    def value(self, x: ExactNumber) -> Number:
        """The value of an exact number or rational function."""
        if isinstance(x, (int, Fraction)):
            return self._constant(x)
        if isinstance(x, RationalFunction):
            return self._fractions(x)
        total: Number = 0
        for powers, coefficient in x.polynomial.to_dict().items():
            term: Number = self._constant(fraction(coefficient))
            for name, n in zip(self.ring.names, powers, strict=True):
                for _ in range(int(n)):
                    term = term * self.generator(name)
            total = total + term
        return total

    def _fractions(self, x: RationalFunction) -> Number:
        total: Number = 0
        for exponents, numerator in x.parts.items():
            value = self.value(numerator)
            for d, n in zip(x.factors, exponents, strict=True):
                for _ in range(n):
                    value = value / self._factor(d)
            total = total + value
        return total

    def _factor(self, d: Exact) -> Number:
        key = f"factor {d.polynomial}"
        if key not in self._known:
            self._known[key] = self.value(d)
        return self._known[key]

    def _constant(self, x: int | Fraction) -> Number:
        value = self.kind.rational(Fraction(x))
        return float(value) if isinstance(value, Fraction) else value


class SineCosinePair:
    """An angle given by its sine and cosine, which may be rational."""

    def __init__(self, name: str, pair: Any) -> None:
        if len(pair) != 2:
            raise WrongValue(
                f"{name} is a number, or an angle by its sine and cosine; {short(pair)} was given."
            )
        s, c = (_number(name, x) for x in pair)
        if abs(s * s + c * c - 1) > (0 if isinstance(s * c, Fraction) else 1e-12):
            raise WrongValue(f"{name} is given as sine {s} and cosine {c}, whose squares do not add up to 1.")
        self.name, self._sin, self._cos = name, s, c

    def sin(self) -> Any:
        return self._sin

    def cos(self) -> Any:
        return self._cos


class NamedEvaluationPoint:
    """Values of the variables of formulas, given by arrays (q=...) or by name (theta1=...)."""

    def __init__(self, context: FormulaContext, arguments: Mapping[str, Any]) -> None:
        self.context = context
        arguments = dict(arguments)
        values: dict[str, Any] = {
            symbol.name: float(symbol.value) if symbol.value.rational is None else symbol.value.rational
            for symbol in context.robot.symbols
            if symbol.value is not None
        }
        named = dict(_by_name("symbols", arguments.pop("symbols", None)))
        arrays: dict[str, list[str]] = {}
        for generator in context.names:
            arrays.setdefault(generator.partition("[")[0], []).append(generator)
        own = _by_name("wrenches", arguments.pop("wrenches", None))
        wrenches = {f"wrench on {frame}": w for frame, w in own.items()}
        for name, elements in arrays.items():
            if name in arguments and not _is_array(arguments[name]) and name in context.robot.free_symbols:
                continue  # one number for a symbol that is called like the array
            array = wrenches.pop(name, arguments.pop(name, None))
            if array is None:
                continue
            array = array if _is_array(array) else [array]
            count = len(array)
            if count != len(elements):
                known = ", ".join(context.names[x] for x in elements)
                raise WrongSize(f"{name} takes {len(elements)} numbers ({known}); {count} were given.")
            values |= {x: self._value(x, y) for x, y in zip(elements, array, strict=True)}
        for name in wrenches:
            frame = name.removeprefix("wrench on ")
            raise WrongValue(
                f"No wrench on {frame!r} stands in these formulas: make them with wrenches={{...}}."
            )
        for name, x in (named | arguments).items():
            generator = context.generator(name)
            values[generator] = self._value(name, x)
        self.values = values
        self._point = EvaluationPoint(context.ring, FLOATS, {}, values)
        if context.closed and context.replaced is None:
            self._warn_if_open()

    def _warn_if_open(self) -> None:
        from rikigaku.symbolic.loops.closed_values import warn_if_open, warn_if_other_mode
        from rikigaku.symbolic.loops.linear_substitution import linear_substitution

        robot = self.context.robot
        numbers = {x: float(y) for x, y in self.values.items() if isinstance(y, (float, Fraction))}
        names = [f"q[{k}]" for k in range(robot.nq)]
        if all(name in numbers for name in names):
            q = [numbers[name] for name in names]
            warn_if_open(robot, q, numbers)
            warn_if_other_mode(robot, q, linear_substitution(robot))

    def _value(self, name: str, x: Any) -> Any:
        return SineCosinePair(name, x) if _is_array(x) else _number(name, x)

    def value(self, x: ExactNumber) -> Any:
        """The number at this point: a fraction where everything is rational, else a float."""
        if isinstance(x, (int, Fraction)):
            return Fraction(x)
        if isinstance(x, Exact):
            self._check(x)
            try:
                return x.value(self)
            except OverflowError:
                raise NoValue("The formula has no value here: it is beyond the largest float.") from None
        result = self.value(x.numerator)
        for factor, power in x.denominator_factors.items():
            below = self.value(factor)
            if below == 0:
                raise NoValue(
                    f"The formula has no value at this state: it divides by {self._spelled(factor)}, which "
                    "is zero here (a singular state). Take another state, or the numerator alone."
                )
            result = result / below**power
        return result

    def _spelled(self, factor: Exact) -> str:
        text = str(self.context.writer(factor))
        return text if len(text) <= 200 else f"a sum of {len(factor.polynomial)} terms"

    def __getitem__(self, generator: str) -> Any:
        x = self._point.generator(generator)
        if isinstance(x, SineCosinePair):
            raise MissingValue(
                f"The formula holds the angle {x.name} itself: a sine and cosine do not give it."
            )
        return _number(generator, x)

    def _check(self, x: Exact) -> None:
        """Raise MissingValue, with all names, if variables of the number have no value."""
        ring, missing = x.ring, []
        unused = {ring.names[int(name[1:])] for name in x.polynomial.unused_gens()}
        for generator in ring.names:
            if generator in unused or generator.startswith("root[") or generator == "pi":
                continue
            inside = generator.partition("(")[2][:-1] or generator
            variable = inside.partition("/")[0]
            if not variable.startswith("angle[") and variable not in self.values:
                missing.append(self.context.names.get(variable, variable))
        if missing:
            shown = ", ".join(dict.fromkeys(missing))
            raise MissingValue(
                f"The formula has no value yet: {shown} {'has' if len(set(missing)) == 1 else 'have'} none. "
                f"Give arrays (q=..., v=...) or names ({missing[0]}=...)."
            )


def _by_name(what: str, x: Any) -> Mapping[str, Any]:
    return {} if x is None else by_name(what, x, f"{what}={{name: ...}}")


def _is_array(x: Any) -> bool:
    return isinstance(x, (list, tuple)) or (isinstance(x, np.ndarray) and x.ndim == 1)


def _number(name: str, x: Any) -> Any:
    """A rational as a fraction, anything else real as a float."""
    if isinstance(x, bool | str | bytes):
        raise WrongValue(f"{name} is a number, not {short(x)}.")
    try:
        value = float(x)
    except (TypeError, ValueError, OverflowError):
        raise WrongValue(f"{name} is a number, not {short(x)}.") from None
    if isinstance(x, Rational):
        return Fraction(int(x.numerator), int(x.denominator))
    if not np.isfinite(value):
        raise WrongValue(f"{name} is {value}; a formula takes finite numbers.")
    return value
