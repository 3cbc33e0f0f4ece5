"""Frozen data take plain numbers and texts where they hold formulas."""

from rikigaku.numbers.formula import Formula


def accept_plain(data: object, *names: str) -> None:
    """Turn the named fields of a frozen dataclass into formulas, in place, before anyone has seen them."""
    for name in names:
        object.__setattr__(data, name, _as_formulas(getattr(data, name)))


def _as_formulas(x: object) -> object:
    if isinstance(x, (tuple, list)):
        return tuple(_as_formulas(item) for item in x)
    return x if x is None else Formula.of(x)
