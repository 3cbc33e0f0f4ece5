"""Formulas as text that reads back to the same formula, and as LaTeX, with lines that fit a page.

The short style writes s23 for sin(q2 + q3) and c1 for cos(q1), as textbooks do.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from rikigaku.numbers.formula import Factor, Formula, Monomial
from rikigaku.numbers.formula_layout import COMMON_DENOMINATORS, shown_terms
from rikigaku.numbers.latex_names import aligned, latex_name

# CPython converts integers of at most 4300 digits to text; larger ones are written piece by piece.
_PIECE = 4000
_PIECE_BITS = 13_000
# Characters of a line that fits the width of a page, or of a notebook.
PAGE = 100

Indices = Mapping[str, str]  # of angles in the short style: {"theta2": "2"}


def text(formula: Formula, short: Indices | None = None) -> str:
    """The formula as one line; `Formula.of` reads it back to an equal formula, unless in the short style."""
    if not formula.terms:
        return "0"
    return _signed_sum([(_term(monomial, abs(c), short), c < 0) for monomial, c in shown_terms(formula)])


def latex(formula: Formula, short: Indices | None = None) -> str:
    """The formula for a notebook or a paper, without the dollar signs."""
    return _signed_sum(_latex_terms(formula, short)) if formula.terms else "0"


def latex_lines(formula: Formula, short: Indices | None = None, width: int = PAGE) -> list[str]:
    """The same in lines that fit the page: a long sum is broken before its signs."""
    if not formula.terms:
        return ["0"]
    terms = _latex_terms(formula, short)
    signed = [f"{'-' if negative else '+'} {term}" for term, negative in terms]
    signed[0] = f"-{terms[0][0]}" if terms[0][1] else terms[0][0]
    return broken(signed, width)


def broken(terms: Sequence[str], width: int = PAGE) -> list[str]:
    """Terms with their signs joined to lines that are not wider than the page, if single terms are not."""
    lines = [terms[0]]
    for term in terms[1:]:
        if latex_width(f"{lines[-1]} {term}") > width:
            lines.append(term)
        else:
            lines[-1] = f"{lines[-1]} {term}"
    return lines


def displayed(formula: Formula, short: Indices | None = None, left: str = "") -> str:
    """LaTeX in one line or in aligned ones; left: the left side of an equation."""
    lines = latex_lines(formula, short)
    if len(lines) == 1:
        return f"{left} = {lines[0]}" if left else lines[0]
    return aligned(equation(lines, left))


def equation(lines: list[str], left: str = "") -> Iterator[str]:
    """Rows of an aligned display: `left &= first`, then the other lines behind the sign of equality."""
    yield f"{left} &= {lines[0]}" if left else f"& {lines[0]}"
    yield from (rf"& \quad {line}" for line in lines[1:])


def latex_width(source: str) -> int:
    """About how many characters wide the formula is when it is set."""
    while (inner := re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", _longer, source)) != source:
        source = inner
    plain = re.sub(r"\\(left|right|operatorname|mathrm|begin|end|dot|ddot|sqrt)\b|[\\{}^_&]|\\,", "", source)
    return len(plain.replace(" ", ""))


def _longer(found: re.Match[str]) -> str:
    return max(found.groups(), key=len)


def decimal_text(value: Fraction) -> str | None:
    """The number as an exact decimal of at most 40 places, or None where it has none."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _PIECE_BITS:
        return None
    places, rest = 0, value.denominator
    for prime in (2, 5):
        count = 0
        while rest % prime == 0:
            rest, count = rest // prime, count + 1
        places = max(places, count)
    if rest != 1 or places > 400:
        return None
    digits = abs(value.numerator) * 10**places // value.denominator
    if len(str(digits)) > 40:
        return None
    return str(Decimal((value < 0, tuple(map(int, str(digits))), -places)))


def _fraction_text(value: Fraction) -> str:
    above = _integer_text(value.numerator)
    return above if value.denominator == 1 else f"{above}/{_integer_text(value.denominator)}"


def _integer_text(value: int) -> str:
    """The decimal digits of an integer of any size."""
    if value.bit_length() <= _PIECE_BITS:
        return str(value)
    pieces: list[str] = []
    rest = abs(value)
    while rest:
        rest, piece = divmod(rest, 10**_PIECE)
        pieces.append(str(piece).zfill(_PIECE))
    return ("-" if value < 0 else "") + "".join(reversed(pieces)).lstrip("0")


def _signed_sum(terms: list[tuple[str, bool]]) -> str:
    (first, negative), *rest = terms
    return ("-" if negative else "") + first + "".join(f" {'-' if n else '+'} {term}" for term, n in rest)


def _numbers(coefficient: Fraction) -> tuple[str, str]:
    """The coefficient of a product, above and below the line of its fraction; empty for 1."""
    if coefficient.denominator in COMMON_DENOMINATORS or (decimal := decimal_text(coefficient)) is None:
        above, below = coefficient.numerator, coefficient.denominator
        return _integer_text(above) if above != 1 else "", _integer_text(below) if below != 1 else ""
    return decimal, ""


def _term(monomial: Monomial, coefficient: Fraction, short: Indices | None) -> str:
    if not monomial:
        return decimal_text(coefficient) or _fraction_text(coefficient)
    above, below = ([number] if number else [] for number in _numbers(coefficient))
    for factor, power in monomial:
        exponent = f"**{abs(power)}" if abs(power) != 1 else ""
        (above if power > 0 else below).append(_factor_text(factor, short) + exponent)
    divisor = below[0] if len(below) == 1 else f"({'*'.join(below)})"
    return ("*".join(above) or "1") + (f"/{divisor}" if below else "")


def _factor_text(factor: Factor, short: Indices | None) -> str:
    kind, inside = factor
    if kind == "symbol":
        return str(inside)
    if kind == "pi":
        return "pi"
    if short and kind in ("sin", "cos") and (index := _short_index(inside, short, "_")) is not None:
        return f"{kind[0]}{index}"
    inner = text(inside, short) if short and kind not in ("sin", "cos") else str(inside)
    return f"({inner})" if kind == "sum" else f"{kind}({inner})"


def _short_index(angle: Formula, short: Indices, comma: str) -> str | None:
    """23 for q2 + q3, 2-3 for q2 - q3; None for other angles (multiples, constants)."""
    parts = []
    for monomial, coefficient in angle.terms:
        if (
            len(monomial) != 1
            or monomial[0][1] != 1
            or monomial[0][0][0] != "symbol"
            or abs(coefficient) != 1
        ):
            return None
        if (index := short.get(monomial[0][0][1])) is None:
            return None
        parts.append(("-" if coefficient < 0 else "", index))
    between = comma if any(len(index) > 1 for _, index in parts) else ""
    if comma == "_" and any(sign for sign, _ in parts):
        return None
    return between.join(sign + index for sign, index in parts)


# -- LaTeX --------------------------------------------------------------------------------------------------
def _latex_terms(formula: Formula, short: Indices | None) -> list[tuple[str, bool]]:
    return [(_latex_term(monomial, abs(c), short), c < 0) for monomial, c in shown_terms(formula)]


def _latex_number(decimal: str) -> str:
    number, _, exponent = decimal.partition("E")
    return rf"{number} \cdot 10^{{{int(exponent)}}}" if exponent else number


def _latex_term(monomial: Monomial, coefficient: Fraction, short: Indices | None) -> str:
    if not monomial and (decimal := decimal_text(coefficient)) is not None:
        return _latex_number(decimal)
    above, below = ([_latex_number(number)] if number else [] for number in _numbers(coefficient))
    for factor, power in _with_absolute_values(monomial):
        (above if power > 0 else below).append(_latex_power(factor, abs(power), short))
    top, bottom = r" \, ".join(above) or "1", r" \, ".join(below)
    if not below:
        return top
    top, bottom = _bare(top, above), _bare(bottom, below)
    number_only = len(below) == 1 and bottom.isdigit()
    if number_only and len(above) > 1 and "(" in top:  # brackets of a sum look better beside the fraction
        number = above[0] if above[0].isdigit() else "1"
        rest = above[1:] if above[0].isdigit() else above
        return rf"\frac{{{number}}}{{{bottom}}} \, " + r" \, ".join(rest)
    return rf"\frac{{{top}}}{{{bottom}}}"


def _bare(joined: str, factors: list[str]) -> str:
    """Without the brackets of a sum that is alone above or below the line of a fraction."""
    inner = re.fullmatch(r"\\left\((.*)\\right\)|\((.*)\)", joined) if len(factors) == 1 else None
    if inner is None:
        return joined
    content = str(inner[1] or inner[2])
    depth = 0
    for letter in content:  # the first bracket is closed by the last one
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth < 0:
            return joined
    return content


def _with_absolute_values(monomial: Monomial) -> Monomial:
    """x sign(x) as the absolute value of x."""
    signs = {inside for (kind, inside), power in monomial if kind == "sign" and power == 1}
    found: list[tuple[Factor, int]] = []
    for factor, power in monomial:
        own = Formula((((((factor, 1),)), Fraction(1)),)) if factor[0] != "sum" else factor[1]
        if own in signs and power == 1:
            signs.discard(own)
            factor = ("absolute", own)
        found.append((factor, power))
    gone = {inside for (kind, inside), _ in found if kind == "absolute"}
    return tuple((f, n) for f, n in found if not (f[0] == "sign" and f[1] in gone))


def _latex_power(factor: Factor, power: int, short: Indices | None) -> str:
    kind, inside = factor
    exponent = f"^{{{power}}}" if power != 1 else ""
    if kind == "symbol":
        return latex_name(inside) + exponent
    if kind == "pi":
        return rf"\pi{exponent}"
    if kind in ("sin", "cos"):
        if short and (index := _short_index(inside, short, ",")) is not None:
            return f"{kind[0]}_{{{index}}}{exponent}"
        return rf"\{kind}{exponent}{_brackets(latex(inside))}"
    inner = latex(inside, short)
    if kind == "sqrt":
        return rf"\sqrt{{{inner}}}" if power == 1 else rf"\sqrt{{{inner}}}{exponent}"
    if kind == "absolute":
        return rf"\left|{inner}\right|{exponent}"
    if kind == "sign":
        return rf"\operatorname{{sign}}{exponent}{_brackets(inner)}"
    return f"{_brackets(inner)}{exponent}"


def _brackets(inner: str) -> str:
    """Round brackets, as high as what they hold."""
    high = any(word in inner for word in (r"\frac", r"\sqrt", r"\left"))
    return rf"\left({inner}\right)" if high else f"({inner})"
