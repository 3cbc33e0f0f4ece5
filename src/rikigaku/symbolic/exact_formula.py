"""An exact number of a robot's geometry as a formula: what can be printed, saved and evaluated."""

from fractions import Fraction

from rikigaku.errors import NotExact
from rikigaku.numbers.exact import Exact, ExactNumber
from rikigaku.numbers.formula import ONE, PI, ZERO, Formula
from rikigaku.numbers.quotient import Quotient
from rikigaku.numbers.ring import Ring, plain


def formula_of(x: ExactNumber) -> Formula:
    """The formula of an exact number that holds symbols, constants and their sines and roots only.

    Raises:
        NotExact: if a coordinate, velocity or other input of a law stands in it.
    """
    if isinstance(x, int | Fraction):
        return Formula.of(x)
    if isinstance(x, Quotient):
        below = ONE
        for factor, power in x.factors.values():
            below = below * formula_of(factor) ** power
        return formula_of(x.numerator) / below
    names = x.ring.names
    total = ZERO
    for powers, coefficient in x.polynomial.to_dict().items():
        term = Formula.of(plain(coefficient))
        for k, n in enumerate(powers):
            if n:
                term = term * _generator(x.ring, names[k]) ** int(n)
        total = total + term
    return total


def _generator(ring: Ring, name: str) -> Formula:
    if name == "pi":
        return PI
    if name.startswith("root["):
        return formula_of(ring.radicands[int(name[5:-1])]).sqrt()
    for word in ("sin", "cos"):
        if name.startswith(f"{word}("):
            angle = _angle(ring, name[4:-1])
            return angle.sin() if word == "sin" else angle.cos()
    if not name.isidentifier():
        raise NotExact(f"{name} is no parameter of the robot, so it stands in no formula of its geometry.")
    return Formula.symbol(name)


def _angle(ring: Ring, name: str) -> Formula:
    if name.startswith("angle["):
        return ring.constant_angles[int(name[6:-1])]
    symbol, _, divisor = name.partition("/")
    return Formula.symbol(symbol) / int(divisor or 1)


def is_exact_zero(x: object) -> bool:
    """Exact numbers have one form: zero is the number 0."""
    return not isinstance(x, Exact | Quotient) and x == 0
