"""Formulas as text that reads back to the same formula, and as LaTeX, with lines that fit a page.

The short style writes s23 for sin(q2 + q3) and c1 for cos(q1), as textbooks do.
"""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from rikigaku.numbers.formula import Factor, Formula, Monomial
from rikigaku.numbers.formula_layout import COMMON_DENOMINATORS, has_decimal_inverse, shown_terms
from rikigaku.numbers.latex_names import aligned, latex_name

# CPython converts integers of at most 4300 digits to text; larger ones are written piece by piece.
_PIECE = 4000
_PIECE_BITS = 13_000
# Characters of a line that fits the width of a page, or of a notebook.
PAGE = 92
_NO_WIDTH = r"\\(left|right|bigl|bigr|operatorname|mathrm|begin|end|dot|ddot|sqrt)\b|[\\{}^_&]|\\,"

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
    """The same in lines that fit the page: a long sum is broken before its signs, also inside of brackets."""
    return broken(_signed_pieces(formula, short, width), width) if formula.terms else ["0"]


def _signed_pieces(formula: Formula, short: Indices | None, width: int) -> list[str]:
    """Parts of a sum between which lines may be broken: terms with their signs, the first as it begins."""
    found: list[str] = []
    for monomial, c in shown_terms(formula):
        first, *rest = _pieces(monomial, abs(c), short, width)
        sign = "- " if c < 0 else "+ "
        found += [(sign if found else sign.strip("+ ")) + first, *rest]
    return found


def _pieces(monomial: Monomial, coefficient: Fraction, short: Indices | None, width: int) -> list[str]:
    """A term, or parts of one that is too wide: its widest sum is broken between the brackets."""
    whole = _latex_term(monomial, coefficient, short)
    sums = [k for k, ((kind, _), power) in enumerate(monomial) if kind == "sum" and power > 0]
    if latex_width(whole) <= width or not sums:
        return [whole]
    widest = max(sums, key=lambda k: len(latex(monomial[k][0][1], short)))
    (_, inside), power = monomial[widest]
    others = monomial[:widest] + monomial[widest + 1 :]
    before = f"{_latex_term(others, coefficient, short)} \\, " if others or coefficient != 1 else ""
    first, *inner = _signed_pieces(inside, short, width)
    exponent = f"^{{{power}}}" if power != 1 else ""
    pieces = [rf"{before}\bigl({first}", *inner]
    if before and latex_width(pieces[0]) > width:  # a product of wide sums is broken between these
        pieces = [before.removesuffix(r" \, "), rf"\cdot \bigl({first}", *inner]
    return [*pieces[:-1], rf"{pieces[-1]}\bigr){exponent}"]


def broken(terms: Sequence[str], width: int = PAGE) -> list[str]:
    """Terms with their signs joined to lines that are not wider than the page, if single terms are not."""
    lines = [terms[0]]
    for term in terms[1:]:
        if latex_width(f"{lines[-1]} {term}") > width:
            lines.append(term)
        else:
            lines[-1] = f"{lines[-1]} {term}"
    return lines


def displayed(formula: Formula, short: Indices | None = None) -> str:
    """LaTeX in one line or in aligned ones."""
    rows = equation_rows(formula, short=short)
    return rows[0].removeprefix("& ") if len(rows) == 1 else aligned(rows)


def equation_rows(
    formula: Formula, left: str = "", short: Indices | None = None, widest: str = ""
) -> list[str]:
    """Rows `left &= formula` of an aligned display, in lines that fit the page.

    widest: the widest left side of the display, where it is another one.
    """
    return equation(latex_lines(formula, short, _room(widest or left)), left)


def sum_rows(terms: Sequence[str], left: str) -> list[str]:
    """Rows `left &= sum` of an aligned display; terms: with their signs."""
    lines = broken(terms, _room(left))
    return equation([lines[0].removeprefix("+ "), *lines[1:]], left)


def signed_terms(formula: Formula, short: Indices | None = None) -> list[str]:
    """The terms of a sum in LaTeX, each with its sign."""
    return [f"{'-' if negative else '+'} {term}" for term, negative in _latex_terms(formula, short)]


def _room(left: str) -> int:
    """Characters of a line behind the left side of an equation."""
    return max(PAGE - latex_width(left), PAGE // 2)


def equation(lines: list[str], left: str = "") -> list[str]:
    """Rows of an aligned display: `left &= first`, then the other lines behind the sign of equality."""
    first = f"{left} &= {lines[0]}" if left else f"& {lines[0]}"
    return [first, *(rf"& \quad {line}" for line in lines[1:])]


def latex_width(source: str) -> int:
    """About how many characters wide the formula is when it is set; capitals, m and w are wider."""
    while (inner := re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", _longer, source)) != source:
        source = inner
    shown = re.sub(_NO_WIDTH, "", source).replace(" ", "")
    return len(shown) + sum(letter.isupper() or letter in "mw" for letter in shown) // 2


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


def _numbers(coefficient: Fraction, monomial: Monomial) -> tuple[str, str]:
    """The coefficient of a product, above and below the line of its fraction; empty for 1."""
    angle = coefficient.denominator <= 360 and any(kind == "pi" for (kind, _), _ in monomial)  # pi/5
    if (
        angle
        or coefficient.denominator in COMMON_DENOMINATORS
        or (decimal := decimal_text(coefficient)) is None
    ):
        if has_decimal_inverse(coefficient) and (divisor := decimal_text(1 / coefficient)) is not None:
            return "", divisor
        above, below = coefficient.numerator, coefficient.denominator
        return _integer_text(above) if above != 1 else "", _integer_text(below) if below != 1 else ""
    return decimal, ""


def _term(monomial: Monomial, coefficient: Fraction, short: Indices | None) -> str:
    if not monomial:
        return decimal_text(coefficient) or _fraction_text(coefficient)
    above, below = ([number] if number else [] for number in _numbers(coefficient, monomial))
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
    joined = "".join(index for _, index in parts)  # 12 is q12, where there is one, and q1 + q2 is 1_2
    known = len(parts) > 1 and joined in short.values()
    between = comma if known or any(len(index) > 1 for _, index in parts) else ""
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
    above, below = ([_latex_number(number)] if number else [] for number in _numbers(coefficient, monomial))
    for factor, power in _with_absolute_values(monomial):
        (above if power > 0 else below).append(_latex_power(factor, abs(power), short))
    top, bottom = r" \, ".join(above) or "1", r" \, ".join(below)
    if not below:
        return top
    top, bottom = _bare(top, above), _bare(bottom, below)
    number_only = len(below) == 1 and bottom.replace(".", "").isdigit()
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
