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

from rikigaku.errors import BadFormula, WrongValue
from rikigaku.numbers.decimals import LARGEST_EXPONENT
from rikigaku.numbers.formula import PI, Formula, _atom, _constant

LONGEST_TEXT = 1000
DEEPEST_NESTING = 50

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*)|(?P<mark>\*\*|[-+*/^()])|(?P<end>$))",
    re.ASCII,
)
_BLANKS = re.compile(r"\s*", re.ASCII)
_FUNCTIONS = {"sin": Formula.sin, "cos": Formula.cos, "sqrt": Formula.sqrt, "sign": Formula.sign}
_CONSTANTS = {"pi": PI, "deg": PI / 180}


class _Token(NamedTuple):
    kind: str
    text: str
    position: int


def parse(text: str, variables: Iterable[str] = (), longest: int = LONGEST_TEXT) -> Formula:
    """The formula a text says; `variables` are reserved names that are symbols here (q in a DH row).

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
    reader.fail(f"an operator is missing before {token.text!r}. Write 2*L, not 2L or 2 L.")


class _Reader:
    """One token of look-ahead over the text."""

    def __init__(self, text: str, variables: frozenset[str]) -> None:
        self.text, self.variables, self.depth, self.end = text, variables, 0, 0
        self.advance()

    def advance(self) -> None:
        match = _TOKEN.match(self.text, self.end)
        if match is None or match.lastgroup is None:
            self.end = _BLANKS.match(self.text, self.end).end()  # type: ignore[union-attr]
            self.token = _Token("", "", self.end)
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
        shown = "".join(c if c.isprintable() else " " for c in self.text)
        raise BadFormula(f"Not a formula: {why}\n    {shown}\n    {' ' * at}^", self.text, at)

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST_NESTING:
            self.fail(f"more than {DEEPEST_NESTING} levels of brackets, signs or powers.")

    def sum(self) -> Formula:
        total = self.product()
        while mark := self.take("+", "-"):
            other = self.product()
            total = total + other if mark == "+" else total - other
        return total

    def product(self) -> Formula:
        total = self.signed()
        while mark := self.take("*", "/"):
            start = self.token.position
            other = self.signed()
            if mark == "/" and not other:
                self.fail("this divides by zero.", start)
            total = total * other if mark == "*" else total / other
        return total

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
        self.fail(f"a number, a name or '(' should stand where {token.text!r} is.")

    def closed(self) -> Formula:
        """What stands in brackets, the opening one already read."""
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
            self.fail(f"{name!r} is not a function. Known: {', '.join(_FUNCTIONS)}.", token.position)
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        if name in self.variables:
            return _atom("symbol", name)
        try:
            return Formula.symbol(name)
        except WrongValue as error:
            self.fail(str(error), token.position)

    def number(self, token: _Token) -> Formula:
        mantissa, _, exponent = token.text.lower().partition("e")
        if len(exponent) > 5 or abs(int(exponent or 0)) > LARGEST_EXPONENT:
            self.fail(f"the exponent {exponent} is beyond {LARGEST_EXPONENT}.", token.position)
        return _constant(Fraction(mantissa) * Fraction(10) ** int(exponent or 0))
