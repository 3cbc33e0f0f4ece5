"""Formulas as text that reads back to the same formula, and as LaTeX."""

from decimal import Decimal
from fractions import Fraction

from rikigaku.numbers.formula import Factor, Formula, Monomial
from rikigaku.numbers.latex_names import latex_name

# CPython converts integers of at most 4300 digits to text; larger ones are written piece by piece.
_PIECE = 4000
_PIECE_BITS = 13_000

# Denominators people write as a fraction (L/3, pi/180); others are shown as a decimal where it is finite.
_COMMON_DENOMINATORS = frozenset({*range(1, 13), 16, 18, 24, 36, 180, 360})


def text(formula: Formula) -> str:
    """The formula as one line; `Formula.of` reads it back to an equal formula."""
    if not formula.terms:
        return "0"
    return _signed_sum([(_term(monomial, abs(c)), c < 0) for monomial, c in formula.terms])


def latex(formula: Formula) -> str:
    """The formula for a notebook or a paper, without the dollar signs."""
    if not formula.terms:
        return "0"
    return _signed_sum([(_latex_term(monomial, abs(c)), c < 0) for monomial, c in formula.terms])


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


def _term(monomial: Monomial, coefficient: Fraction) -> str:
    if not monomial:
        return decimal_text(coefficient) or _fraction_text(coefficient)
    above, below = [], []
    if coefficient.denominator in _COMMON_DENOMINATORS or (decimal := decimal_text(coefficient)) is None:
        if coefficient.numerator != 1:
            above.append(_integer_text(coefficient.numerator))
        if coefficient.denominator != 1:
            below.append(_integer_text(coefficient.denominator))
    else:
        above.append(decimal)
    for factor, power in monomial:
        exponent = f"**{abs(power)}" if abs(power) != 1 else ""
        (above if power > 0 else below).append(_factor_text(factor) + exponent)
    divisor = below[0] if len(below) == 1 else f"({'*'.join(below)})"
    return ("*".join(above) or "1") + (f"/{divisor}" if below else "")


def _factor_text(factor: Factor) -> str:
    kind, inside = factor
    if kind == "symbol":
        return str(inside)
    if kind == "pi":
        return "pi"
    return f"({inside})" if kind == "sum" else f"{kind}({inside})"


def _latex_term(monomial: Monomial, coefficient: Fraction) -> str:
    if not monomial and (decimal := decimal_text(coefficient)) is not None:
        number, _, exponent = decimal.partition("E")
        return rf"{number} \cdot 10^{{{int(exponent)}}}" if exponent else number
    above, below = [], []
    if coefficient.numerator != 1:
        above.append(_integer_text(coefficient.numerator))
    if coefficient.denominator != 1:
        below.append(_integer_text(coefficient.denominator))
    for factor, power in monomial:
        shown = _latex_factor(factor)
        (above if power > 0 else below).append(f"{shown}^{{{abs(power)}}}" if abs(power) != 1 else shown)
    top, bottom = r" \, ".join(above) or "1", r" \, ".join(below)
    return rf"\frac{{{top}}}{{{bottom}}}" if below else top


def _latex_factor(factor: Factor) -> str:
    kind, inside = factor
    if kind == "symbol":
        return latex_name(inside)
    if kind == "pi":
        return r"\pi"
    if kind == "sqrt":
        return rf"\sqrt{{{latex(inside)}}}"
    brackets = rf"\left({latex(inside)}\right)"
    if kind == "sign":
        return rf"{{\operatorname{{sign}}{brackets}}}"
    return brackets if kind == "sum" else rf"{{\{kind}{brackets}}}"
