"""Base parameters as text: sums of parameters with their coefficients."""

from collections.abc import Mapping

from rikigaku.numbers.formula import ONE, Formula
from rikigaku.numbers.formula_text import latex


def sum_text(terms: Mapping[str, Formula], names: Mapping[str, str] | None = None) -> str:
    """Parameters with their coefficients as one sum; names: other names for the parameters."""
    text = ""
    for name, x in terms.items():
        shown = names[name] if names else f"[{name}]"
        if x == ONE or x == -ONE:
            sign, product = (x == ONE), shown
        elif len(x.terms) == 1:
            sign = x.terms[0][1] > 0
            product = f"{x if sign else -x}*{shown}"
        else:
            sign, product = True, f"({x})*{shown}"
        text += (" + " if sign else " - ") + product
    return text.removeprefix(" + ").lstrip() if text.startswith(" + ") else text.strip()


def latex_term(x: Formula, name: str) -> str:
    """A parameter with its coefficient in LaTeX."""
    if x == ONE or x == -ONE:
        return name if x == ONE else f"-{name}"
    inside = latex(x)
    return rf"{inside}\,{name}" if len(x.terms) == 1 else rf"\left({inside}\right) {name}"
