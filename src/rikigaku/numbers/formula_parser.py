"""Reads a formula typed by a person. Nothing is ever evaluated: the text can only become a Formula.

sum     = product { ("+" | "-") product }
product = signed { ("*" | "/") signed }
signed  = { "+" | "-" } power
power   = item [ ("^" | "**") signed ]
item    = number | name | ("sin" | "cos" | "sqrt" | "sign") "(" sum ")" | "(" sum ")"
"""

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple, NoReturn

from rikigaku.core.errors import BadFormula, WrongValue
from rikigaku.core.input_limits import (
    EXPONENT,
    FORMULA_CHARACTERS,
    FORMULA_DEPTH,
    NUMBER_BITS,
    NUMBER_DIGITS,
    shortened,
)
from rikigaku.numbers.formula import PI, Formula, _constant, _single_factor

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*)|(?P<mark>\*\*|[-+*/^()])|(?P<end>$))",
    re.ASCII,
)
_WINDOW = 80  # characters shown on either side of a mistake
_BLANKS = re.compile(r"\s*", re.ASCII)
_FUNCTIONS = {"sin": Formula.sin, "cos": Formula.cos, "sqrt": Formula.sqrt, "sign": Formula.sign}
_CONSTANTS = {"pi": PI, "deg": PI / 180}
_NOT_FINITE = {"nan", "inf", "infinity"}  # in any case


class _Token(NamedTuple):
    kind: str
    text: str
    position: int


def parse(text: str, variables: Iterable[str] = (), longest: int = FORMULA_CHARACTERS) -> Formula:
    """The formula of a text; variables: reserved names that are symbols in it (q in a DH row).

    longest: characters it may have, for texts that were not written by hand.

    Raises:
        BadFormula: with the position where reading stopped, if the text is not a formula.
    """
    if len(text) > longest:
        message = f"A formula may have {longest} characters, this one has {len(text)}. Name parts of it."
        raise BadFormula(message, text, longest)
    reader = _Reader(text, frozenset(variables))
    result = reader.sum()
    token = reader.token
    if token.kind == "end":
        return result
    if token.text == ")":
        reader.fail("this ')' closes nothing.")
    reader.fail(f"an operator is missing before {_shown(token.text)}. Write 2*L, not 2L or 2 L.")


class _Reader:
    """One token of look-ahead over the text."""

    def __init__(self, text: str, variables: frozenset[str]) -> None:
        self.text, self.variables, self.depth, self.end = text, variables, 0, 0
        self.advance()

    def advance(self) -> None:
        match = _TOKEN.match(self.text, self.end)
        if match is None or match.lastgroup is None:
            blanks = _BLANKS.match(self.text, self.end)
            assert blanks is not None  # it matches the empty text, too
            self.end = blanks.end()
            self.token = _Token("", "", self.end)
            if self.text[self.end] == ",":
                self.fail("',' has no meaning in a formula. Write decimals with a point: 0.5, not 0,5.")
            self.fail(
                f"{self.text[self.end]!r} has no meaning in a formula. Known: numbers, names, + - * / ^ ( )."
            )
        self.token = _Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup))
        self.end = match.end()

    def take(self, *marks: str) -> str:
        """The mark, stepped over, if one of these comes next; else an empty text."""
        if self.token.kind != "mark" or self.token.text not in marks:
            return ""
        mark = self.token.text
        self.advance()
        return mark

    def fail(self, why: str, position: int | None = None) -> NoReturn:
        at = self.token.position if position is None else position
        first = max(at - _WINDOW, 0) if len(self.text) > 2 * _WINDOW else 0
        window = self.text[first : first + 2 * _WINDOW]
        shown = "".join(c if c.isprintable() else " " for c in window)
        raise BadFormula(f"Not a formula: {why}\n    {shown}\n    {' ' * (at - first)}^", self.text, at)

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > FORMULA_DEPTH:
            self.fail(f"more than {FORMULA_DEPTH} levels of brackets, signs or powers.")

    def sum(self) -> Formula:
        total = self.product()
        bits = total.bits
        while mark := self.take("+", "-"):
            start = self.token.position
            other = self.product()
            total = total + other if mark == "+" else total - other
            bits += other.bits
            if bits > NUMBER_BITS:  # an upper bound; the sum itself may be short
                bits = self.bounded(total, start).bits
        return total

    def product(self) -> Formula:
        total = self.signed()
        while mark := self.take("*", "/"):
            start = self.token.position
            other = self.signed()
            if mark == "/" and not other:
                self.fail("this divides by zero.", start)
            total = self.bounded(total * other if mark == "*" else total / other, start)
        return total

    def bounded(self, value: Formula, position: int) -> Formula:
        """The value, if its numbers are not too long: products of long numbers take long."""
        if value.bits > NUMBER_BITS:
            self.fail(f"this makes a number beyond {NUMBER_BITS} binary digits.", position)
        return value

    def signed(self) -> Formula:
        mark = self.take("+", "-")
        if not mark:
            return self.power()
        self.deeper()
        value = self.signed()
        self.depth -= 1
        return -value if mark == "-" else value

    def power(self) -> Formula:
        base = self.item()
        if not self.take("^", "**"):
            return base
        start = self.token.position
        self.deeper()
        exponent = self.signed()
        self.depth -= 1
        try:
            return base**exponent
        except WrongValue as error:
            self.fail(f"{error}", start)

    def item(self) -> Formula:
        token = self.token
        if token.kind == "number":
            self.advance()
            return self.number(token)
        if token.kind == "name":
            self.advance()
            return self.named(token)
        if self.take("("):
            return self.closed()
        if token.kind == "end":
            self.fail("it ends where a number, a name or '(' should stand.")
        self.fail(f"a number, a name or '(' should stand where {_shown(token.text)} is.")

    def closed(self) -> Formula:
        """The content of brackets, after the opening one."""
        self.deeper()
        inside = self.sum()
        if not self.take(")"):
            self.fail("a ')' is missing.")
        self.depth -= 1
        return inside

    def named(self, token: _Token) -> Formula:
        name = token.text
        if name in _FUNCTIONS:
            if not self.take("("):
                self.fail(f"{name} needs its argument in brackets, as in {name}(x).")
            try:
                return _FUNCTIONS[name](self.closed())
            except WrongValue as error:
                self.fail(str(error), token.position)
        if self.token.text == "(":
            known = ", ".join(_FUNCTIONS)
            self.fail(f"{_shown(name)} is not a function. Known: {known}.", token.position)
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        if name in self.variables:
            return _single_factor("symbol", name)
        if name.lower() in _NOT_FINITE:
            self.fail(f"{name} is no finite number, and no name of a symbol.", token.position)
        try:
            return Formula.symbol(name)
        except WrongValue as error:
            self.fail(str(error), token.position)

    def number(self, token: _Token) -> Formula:
        mantissa, _, exponent = token.text.lower().partition("e")
        if len(exponent) > 5 or abs(int(exponent or 0)) > EXPONENT:
            self.fail(f"the exponent {shortened(exponent, 60)} is beyond {EXPONENT}.", token.position)
        if len(mantissa) > NUMBER_DIGITS:
            self.fail(f"a number has more than {NUMBER_DIGITS} digits.", token.position)
        return _constant(Fraction(mantissa) * Fraction(10) ** int(exponent or 0))


def _shown(text: str) -> str:
    return repr(shortened(text, 60))
