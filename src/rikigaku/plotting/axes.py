"""Axes of matplotlib that a caller passes to be drawn into."""

from typing import Any

from rikigaku.core.errors import WrongValue
from rikigaku.core.value_text import short


def axes_of(ax: Any) -> Any:
    """The axes themselves.

    Raises:
        WrongValue: if they are no axes of matplotlib.
    """
    if isinstance(ax, type) or not (hasattr(ax, "plot") and hasattr(ax, "set_ylabel")):
        raise WrongValue(f"ax is axes of matplotlib, as figure.subplots() makes them; {short(ax)} was given.")
    return ax
