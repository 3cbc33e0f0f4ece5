"""The shape of a formula: terms of atoms, and the order they stand in, so that equal formulas look equal."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Literal

AtomKind = Literal["symbol", "sin", "cos", "sqrt", "sign", "sum", "pi"]
Atom = tuple[AtomKind, Any]  # ("symbol", name), ("pi", ""), ("sin", Formula), ...
Monomial = tuple[tuple[Atom, int], ...]
Terms = tuple[tuple[Monomial, Fraction], ...]

_ORDER = {"symbol": 0, "sin": 1, "cos": 2, "sqrt": 3, "sign": 4, "sum": 5, "pi": 6}


def atom_order(factor: tuple[Atom, int]) -> tuple[int, str, int]:
    """What factors of a term are sorted by."""
    (kind, inside), power = factor
    return _ORDER[kind], str(inside), power


def in_order(terms: Iterable[tuple[Monomial, Fraction]]) -> Terms:
    """Terms in their order: by atoms, the rational constant last."""
    return tuple(sorted(terms, key=lambda term: (not term[0], [atom_order(factor) for factor in term[0]])))
