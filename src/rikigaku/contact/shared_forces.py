"""Forces that the motion does not decide (a table on four legs): one distribution within friction, if any."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rikigaku.contact.blocks import Block, Choice

Array = NDArray[np.float64]

_SIDES = 16  # of the pyramid inside a friction cone in 3-D: forces within it are within the cone


def within_cones(
    F: Array, free: Array, blocks: "Sequence[Block]", choices: "Sequence[Choice]"
) -> Array | None:
    """F + free z within all cones, as far from their surfaces as can be; None if no z does."""
    from scipy.optimize import linprog  # for robots with redundant contacts alone

    rows: list[Array] = []  # row . F >= margin
    for block, choice in zip(blocks, choices, strict=True):
        if choice.kind == "free" or block.normal is None or block.bilateral:
            continue
        pressing = np.zeros(len(F))
        pressing[block.normal] = 1.0
        rows.append(pressing)
        if choice.kind == "stick":
            for direction in _directions(len(block.tangents)):
                row = block.static * pressing * (1.0 if len(block.tangents) == 1 else np.cos(np.pi / _SIDES))
                row[list(block.tangents)] = direction
                rows.append(row)
    if not rows:
        return None
    B = np.array(rows)
    size = max(1.0, float(np.abs(F).max()))
    count = free.shape[1]
    # maximise margin with B (F + free z) >= margin
    matrix = np.hstack([-B @ free * 1.0, np.ones((len(B), 1))])
    bounds: list[Any] = [(None, None)] * count + [(None, size)]
    found = linprog(np.r_[np.zeros(count), -1.0], A_ub=matrix, b_ub=B @ F, bounds=bounds)
    if found.status != 0 or found.x[-1] < -1e-9 * size:
        return None
    return np.asarray(F + free @ found.x[:-1])


def _directions(count: int) -> Array:
    if count == 1:
        return np.array([[1.0], [-1.0]])
    angles = 2 * np.pi * np.arange(_SIDES) / _SIDES
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)
