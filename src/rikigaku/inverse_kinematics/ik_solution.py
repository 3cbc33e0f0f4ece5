"""The result of inverse kinematics: configurations, their errors, and the method that found them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array, Mask

Indices = NDArray[np.int64]


class LegBranches(NamedTuple):
    """Branches of one leg of a closed robot: its joints, positions (k, n), which are within limits."""

    joints: tuple[str, ...]
    q: Array
    inside: Mask


@dataclass(frozen=True, eq=False, repr=False)
class IkSolution:
    """Configurations that bring a frame to a target, their errors, and what the search did.

    For a batch of targets every field has the batch's shape before its own. With all=True an
    axis of configurations follows; those that do not exist are NaN.

    Attributes:
        q: configurations (..., nq). success: within the tolerance and the joint limits.
        position_error [m], rotation_error [rad] (0 for a position target).
        iterations: of the search. texts: the messages, or a function that writes them.
        method: "formulas", "elimination", "continuation" or "search". For a batch of which some targets were
            searched for because the exact method reaches none, or solved exactly because a search failed, an
            array with the method of each.
        multiplicity: with all=True, the number of solutions that coincide: 1, 2 at a fold, 3 at a cusp; 0
            where there is none. Solutions closer than 1e-6 [rad, sum of link lengths] are one.
        complete: with all=True, False where configurations may be missing: the elimination was
            ill-conditioned at the pose, and a path of the continuation was lost. The message says so.
        dimension: of the family that all solutions of a redundant arm belong to: 0 if they are isolated.
        family: with all=True, dimension of the continuous family that each configuration belongs to at a
            singular pose (a Puma with its wrist in line); 0 if it is isolated.
        changes: with along=True, indices of the poses before which the arm must change its branch.
        too_fast: with times=, indices of the poses that the velocity limits do not let the arm reach in time.
        legs: of a closed robot with all=True, the branches of each leg (a tuple of LegBranches for each
            target), the nearest first. Any branch of one leg goes with any of the others; q has up to 16
            combinations, the nearest first, or the nearest alone if there are more.
    """

    q: Array
    success: Mask
    position_error: Array
    rotation_error: Array
    iterations: Indices
    texts: NDArray[np.object_] | str | Callable[[], NDArray[np.object_]]
    method: Any = "search"
    multiplicity: Any = None
    dimension: int = 0
    family: Any = None
    changes: tuple[int, ...] = ()
    too_fast: tuple[int, ...] = ()
    legs: Any = None
    complete: Any = None

    @cached_property
    def message(self) -> Any:
        """What was found, or why nothing was, for each target."""
        return self.texts() if callable(self.texts) else self.texts

    def __bool__(self) -> bool:
        if self.multiplicity is not None:
            return bool(np.all(np.any(self.success, axis=-1)))
        return bool(np.all(self.success))

    def __len__(self) -> int:
        """The number of configurations that succeeded."""
        return int(np.sum(self.success))

    def __iter__(self) -> Iterator[Array]:
        """The configurations that succeeded, one by one."""
        return iter(np.reshape(self.q, (-1, self.q.shape[-1]))[np.ravel(self.success)])

    def __repr__(self) -> str:
        names = ["message" if field.name == "texts" else field.name for field in fields(self)]
        return f"IkSolution({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"


_BATCHED = (
    "q", "success", "position_error", "rotation_error", "iterations", "multiplicity", "family", "legs",
    "complete",
)  # fmt: skip


def shaped(found: IkSolution, batch: tuple[int, ...], dtype: type[np.floating[Any]]) -> IkSolution:
    """The fields with the batch's shape in place of the list of targets, rounded to the precision."""
    if found.q.dtype != dtype:
        names = ("q", "position_error", "rotation_error")
        rounded: dict[str, Any] = {name: np.asarray(getattr(found, name), dtype) for name in names}
        found = replace(found, **rounded)
    if len(batch) == 1:
        return found

    def texts() -> Any:
        return found.message.reshape(batch) if batch else found.message[0]

    own: dict[str, Any] = {"dimension": found.dimension, "changes": found.changes}
    if isinstance(found.method, str):
        own["method"] = found.method
    else:
        own["method"] = found.method.reshape(batch) if batch else found.method[0]
    for name in _BATCHED:
        x = getattr(found, name)
        if x is not None:
            own[name] = x.reshape(*batch, *x.shape[1:]) if batch else x[0]
    return IkSolution(texts=texts, **own)
