"""Polynomials as one line of text."""

from collections.abc import Mapping, Sequence
from typing import Any


def spelled(names: Sequence[str], terms: Mapping[Any, Any]) -> str:
    """The polynomial with these exponents and coefficients in variables of these names: x^2 - 3*x*y."""
    parts = []
    for powers, coefficient in terms.items():
        factors = [names[k] + (f"^{n}" if n > 1 else "") for k, n in enumerate(powers) if n]
        if not factors or abs(coefficient) != 1:
            factors.insert(0, str(abs(coefficient)))
        parts.append((" - " if coefficient < 0 else " + ") + "*".join(factors))
    text = "".join(parts).removeprefix(" + ").strip()
    return f"-{text[2:]}" if text.startswith("- ") else text or "0"
