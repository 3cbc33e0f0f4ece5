"""Matrices that may have no rows: an empty list would lose the number of columns."""

from typing import Any

import numpy as np


def shaped(rows: list[Any], rest: tuple[int, ...]) -> Any:
    """The rows; if there are none, an empty array of shape (0, *rest)."""
    return rows if rows else np.empty((0, *rest), dtype=object)
