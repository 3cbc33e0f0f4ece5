"""Reads exported formulas as a person would: numbers, names, sums, products, fractions, roots, cases."""

import re
from math import copysign, cos, sin, sqrt

TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>\d+\.?\d*(?:\s\\cdot\s10\^\{-?\d+\})?)
  | (?P<open>\\begin\{cases\}|\\frac\{|\\sqrt\{|\\operatorname\{sign\}\(|\\(?:sin|cos)(?:\^\{\d+\})?\(|\()
  | (?P<power>\^\{\d+\})
  | (?P<mark>\\end\{cases\}|\\text\{else\}|\\\\|\\,|[-+<&})]|\{)
  | (?P<name>(?:\\d?dot\{)?(?:\\mathrm\{(?:[A-Za-z0-9]|\\_)+\}|\\?[A-Za-z]+)\}?
      (?:_\{(?:[\w,]|\\_|\\mathrm\{(?:\w|\\_)*\}|\\?[A-Za-z]+_\{\w+\})*\})?)
    )""",
    re.VERBOSE,
)


def value(text: str, known: dict[str, float]) -> float:
    """The value of a formula where names have these values."""
    reader = Reader(text, known)
    result = reader.sum()
    assert reader.kind == "end", f"cannot read {reader.word!r} in {text}"
    return result


class Reader:
    def __init__(self, text: str, known: dict[str, float]) -> None:
        self.text, self.known, self.at = text.strip(), known, 0
        self.next()

    def next(self) -> None:
        if self.at == len(self.text):
            self.kind, self.word = "end", ""
            return
        found = TOKEN.match(self.text, self.at)
        assert found, f"cannot read {self.text[self.at :]!r}"
        self.kind, self.word, self.at = str(found.lastgroup), found[str(found.lastgroup)], found.end()

    def take(self, word: str) -> None:
        assert self.word == word, f"expected {word!r}, not {self.word!r}, in {self.text}"
        self.next()

    def sum(self) -> float:
        total = 0.0
        sign = 1.0
        if self.word == "-":
            self.next()
            sign = -1.0
        while True:
            total += sign * self.product()
            if self.word not in ("+", "-"):
                return total
            sign = 1.0 if self.word == "+" else -1.0
            self.next()

    def product(self) -> float:
        total = self.factor()
        while self.word == r"\,":
            self.next()
            total *= self.factor()
        return total

    def factor(self) -> float:
        base = self.atom()
        if self.kind != "power":
            return base
        exponent = int(self.word[2:-1])
        self.next()
        return base**exponent

    def atom(self) -> float:
        kind, word = self.kind, self.word
        self.next()
        if kind == "number":
            digits, _, power = word.partition(r" \cdot 10^{")
            return float(f"{digits}e{power.rstrip('}') or 0}")
        if kind == "name":
            return self.known[word]
        assert kind == "open", f"cannot read {word!r} in {self.text}"
        if word == r"\begin{cases}":
            return self.cases()
        first = self.sum()
        self.take("}" if word.endswith("{") else ")")
        if word == r"\frac{":
            self.take("{")
            second = self.sum()
            self.take("}")
            return first / second
        word, _, exponent = word.removesuffix("(").partition("^") if "^{" in word else (word, "", "")
        if exponent:
            return {r"\sin": sin, r"\cos": cos}[word](first) ** int(exponent[1:-1])
        functions = {r"\sqrt{": sqrt, r"\sin(": sin, r"\cos(": cos, "(": float}
        return functions[word](first) if word in functions else copysign(1.0, first) * (first != 0)

    def cases(self) -> float:
        yes = self.sum()
        self.take("&")
        smaller = self.sum()
        self.take("<")
        larger = self.sum()
        self.take(r"\\")
        no = self.sum()
        self.take("&")
        self.take(r"\text{else}")
        self.take(r"\end{cases}")
        return yes if smaller < larger else no
