"""A value as a message shows it: its repr on one line, shortened."""

from typing import Any

_SHOWN = 80  # characters


def short(x: Any) -> str:
    """The repr of a value on one line, shortened; its type where the repr is long to compute or fails."""
    if isinstance(x, int) and x.bit_length() > 4 * _SHOWN:  # CPython refuses to write the longest
        return f"a whole number of {x.bit_length()} binary digits"
    try:
        text = repr(x[: 2 * _SHOWN] if isinstance(x, str | bytes) else x)
    except Exception:  # of a class of the user's, or of a whole number within a list
        return f"a value of type {type(x).__name__}"
    text = text.replace("\n", " ")
    return text if len(text) < _SHOWN else f"{text[: _SHOWN - 3]}..."
