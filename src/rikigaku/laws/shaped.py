"""Results that may have no rows: a list of none has no second axis, and its shape must say so."""

from typing import Any

import numpy as np


def shaped(rows: list[Any], rest: tuple[int, ...]) -> Any:
    """The rows; where there are none, an array with the axes `rest` they would have."""
    return rows if rows else np.empty((0, *rest), dtype=object)
