"""What an exact method found at each pose, in words."""

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Mask

Indices = NDArray[np.int64]
_BITS = 18  # of a count of configurations


def messages(
    multiplicity: Indices, accurate: Mask, success: Mask, family: Indices, complete: Mask, dimension: int = 0
) -> NDArray[np.object_]:
    """What was found for each target."""
    counts = [np.count_nonzero(x, axis=1) for x in (multiplicity, accurate, success)]
    columns = [*counts, family.max(axis=1), complete.astype(np.int64)]
    if len(multiplicity) == 1:
        words = np.empty(1, dtype=object)
        words[0] = _message(dimension, *(int(x[0]) for x in columns))
        return words
    keys = columns[0]
    for x, bits in zip(columns[1:], (_BITS, _BITS, 3, 1), strict=True):
        keys = (keys << bits) | x
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    found = [_message(dimension, *(int(x[k]) for x in columns)) for k in first]
    return np.array(found, dtype=object)[place]


def _message(dimension: int, count: int, accurate: int, good: int, family: int, complete: int) -> str:
    missing = "" if complete else " There may be more: the elimination is ill-conditioned at this pose."
    if count == 0:
        return "No configuration was found." + missing if missing else "The pose is out of reach."
    text = f"{count} configuration{'s' * (count != 1)}"
    if dimension:
        text += f", samples of a family of dimension {dimension}"
    if accurate < count:
        text += f", {accurate} of them within the tolerance"
    if good < accurate:
        text += f", {good} of them within the joint limits"
    text += ": all there are." if good == count and complete and not (dimension or family) else "."
    if family:
        text += f" The arm is singular: some belong to a continuous family of dimension {family}."
    return text + missing
