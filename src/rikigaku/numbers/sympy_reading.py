"""Formulas of SymPy expressions, by walking their trees; SymPy is not imported and no text is evaluated."""

from fractions import Fraction
from typing import Any, NoReturn

from rikigaku.core.errors import WrongValue
from rikigaku.core.input_limits import FORMULA_CHARACTERS, FORMULA_DEPTH, NUMBER_BITS, shortened
from rikigaku.numbers.formula import ONE, PI, ZERO, Formula

_FUNCTIONS = {"sin": Formula.sin, "cos": Formula.cos, "sign": Formula.sign}
_KNOWN = "numbers, symbols, pi, + - * /, whole powers, sqrt, sin, cos, tan, sign"


def is_sympy(x: object) -> bool:
    """Whether x is an object of SymPy."""
    return any(base.__module__ == "sympy.core.basic" for base in type(x).__mro__)


def formula_of_sympy(x: Any) -> Formula:
    """The formula of a SymPy expression; its symbols keep their names, floats are the decimals they print as.

    Raises:
        WrongValue: for anything a formula does not have, with its name, and beyond the limits of readers.
    """
    return _Walk(x).formula(x, 0)


def symbol_name(x: Any) -> str:
    """The name of a text, a SymPy symbol or a formula that is one symbol; empty for all else."""
    if isinstance(x, str):
        return x
    formula = getattr(x, "formula", x)  # an exact formula is written as one
    if isinstance(formula, Formula):
        return next(iter(formula.symbols)) if formula in map(Formula.symbol, formula.symbols) else ""
    return str(x.name) if is_sympy(x) and _is(x, "Symbol") else ""


class _Walk:
    """One pass over the tree; a part that occurs several times is converted once."""

    def __init__(self, whole: Any) -> None:
        self.whole, self.known = whole, dict[Any, Formula]()

    def formula(self, x: Any, depth: int) -> Formula:
        if x not in self.known:
            if depth > FORMULA_DEPTH or len(self.known) > FORMULA_CHARACTERS:
                raise WrongValue(
                    f"A SymPy expression has more than {FORMULA_CHARACTERS} parts or {FORMULA_DEPTH} levels. "
                    "Name parts of it by symbols."
                )
            result = self.converted(x, depth + 1)
            if result.bits > NUMBER_BITS:
                raise WrongValue(f"A SymPy expression makes a number beyond {NUMBER_BITS} binary digits.")
            self.known[x] = result
        return self.known[x]

    def converted(self, x: Any, depth: int) -> Formula:
        if not is_sympy(x):
            self.refuse(x)
        if getattr(x, "is_Rational", False):
            return Formula.of(Fraction(int(x.p), int(x.q)))
        if getattr(x, "is_Float", False):
            return Formula.of(float(x))
        if _is(x, "Symbol"):
            return Formula.symbol(x.name)
        if _is(x, "Pi"):
            return PI
        if _is(x, "Add"):
            return sum((self.formula(part, depth) for part in x.args), start=ZERO)
        if _is(x, "Mul"):
            result = ONE
            for part in x.args:
                result = result * self.formula(part, depth)
            return result
        if _is(x, "Pow"):
            return self.power(x, depth)
        name = type(x).__name__
        if name in _FUNCTIONS and _is(x, name):
            return _FUNCTIONS[name](self.formula(x.args[0], depth))
        if _is(x, "tan"):
            inside = self.formula(x.args[0], depth)
            return inside.sin() / inside.cos()
        self.refuse(x)

    def power(self, x: Any, depth: int) -> Formula:
        base, exponent = x.args
        if not getattr(exponent, "is_Rational", False) or int(exponent.q) not in (1, 2):
            self.refuse(x)
        root = self.formula(base, depth)
        if int(exponent.q) == 2:
            root = root.sqrt()
        return root ** int(exponent.p)

    def refuse(self, x: Any) -> NoReturn:
        part = f"{_text(x, 60)} ({type(x).__name__})"
        whole = "" if x is self.whole else f" in {_text(self.whole, 80)}"
        raise WrongValue(f"{part}{whole} cannot stand in a formula. Known: {_KNOWN}.")


def _is(x: Any, name: str) -> bool:
    """Whether x is of SymPy's own class of that name: a subclass (Dummy) or a user's class may mean more."""
    return type(x).__name__ == name and type(x).__module__.startswith("sympy.")


def _text(x: Any, most: int) -> str:
    try:
        return shortened(str(x), most)
    except RecursionError:
        return "an expression"
