"""Load sharing between the motors of redundantly actuated closed mechanisms.

The joint forces are tau = tau_0 + C f: tau_0 of the open tree, f the constraint forces of the cut joints. The
rows of passive joints are zero. A rule selects one of the remaining f; every choice produces the same motion,
and the difference is an internal force.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.core.types import Array, Mask
from rikigaku.core.validation import by_name, number, numbers

Share = ArrayLike | Callable[[Array], ArrayLike]

RANK = 1e-9


@dataclass(frozen=True, eq=False)
class Ratio:
    """The link at the start of a loop carries `part` of the mass at the cut node, the other 1 - part.

    part: a number, a function of time, or one number per sample; {loop: part} for several loops. 4:1 is
    Ratio(0.8).
    """

    part: Share | Mapping[str, Share]

    def parts(self, loop: str, t: Array) -> Array:
        """The part at each time, (samples,)."""
        part = self.part
        if isinstance(part, Mapping):
            if loop not in part:
                raise WrongValue(f"Ratio has no ratio for loop {loop!r}: give Ratio({{{loop!r}: 0.5}}).")
            part = part[loop]
        what = f"The sharing ratio of loop {loop!r}, one number or one for each of {len(t)} samples,"
        return np.broadcast_to(numbers(what, part(t) if callable(part) else part, (), t.shape), t.shape)

    def check(self, robot: str, loops: Collection[str]) -> None:
        """Check that the loops it names exist."""
        for name in self.part if isinstance(self.part, Mapping) else ():
            if name not in loops:
                raise UnknownName("loop", name, loops, f"robot {robot!r}")


@dataclass(frozen=True, eq=False)
class Weighted:
    """Minimise the sum of weight * tau^2 over the motors. weights: {joint: weight}, 1 if not named."""

    weights: Mapping[str, float]

    def __post_init__(self) -> None:
        for name, weight in by_name("Weights", self.weights, "Weighted({joint: weight})").items():
            number(f"The weight of joint {name!r}", weight, above=0)


@dataclass(frozen=True, eq=False)
class LeastNorm:
    """Minimise the sum of tau^2 over the motors."""


Sharing = Ratio | Weighted | LeastNorm
SharingRule = Sharing | Share | Mapping[str, Share] | None


def as_sharing(sharing: SharingRule) -> Sharing | None:
    """Sharing rule of an argument: None, 0.8, a function of time, "least_norm", {loop: part}, or a rule."""
    if sharing is None or isinstance(sharing, Ratio | Weighted | LeastNorm):
        return sharing
    if isinstance(sharing, str) and sharing == "least_norm":
        return LeastNorm()
    if isinstance(sharing, str | bool | np.bool_):
        raise WrongValue(
            f"There is no sharing rule {sharing!r}. Known: 'least_norm', Ratio, Weighted, a number."
        )
    return Ratio(sharing)


class Redundancy(NamedTuple):
    """degree: number of independent internal forces; unbalanced: largest relative force at passive joints."""

    degree: int
    unbalanced: float


def redundancy(tau: Array, C: Array, actuated: Mask) -> Redundancy:
    """Degree of actuation redundancy and unbalanced force at passive joints, the largest over all samples."""
    passive = C[:, ~actuated]
    degree = int(np.max(_ranks(C) - _ranks(passive), initial=0))
    f = np.einsum("tij,tj->ti", _pseudo_inverse(passive), -tau[:, ~actuated])
    left = tau[:, ~actuated] + np.einsum("tij,tj->ti", passive, f)
    size = np.abs(tau).max(initial=0.0) or 1.0
    return Redundancy(degree, float(np.abs(left).max(initial=0.0) / size))


def minimum_norm(tau: Array, C: Array, actuated: Mask, weights: Array) -> Array:
    """f that minimises the weighted sum of squares of the motor forces, with zero force at passive joints."""
    passive = C[:, ~actuated]
    inverse = _pseudo_inverse(passive)
    f = np.einsum("tij,tj->ti", inverse, -tau[:, ~actuated])
    free = np.eye(C.shape[2]) - inverse @ passive  # null-space projector of the passive rows
    root = np.sqrt(weights[actuated])
    active = root[:, None] * (C[:, actuated] @ free)
    target = -root * (tau[:, actuated] + np.einsum("tij,tj->ti", C[:, actuated], f))
    return np.asarray(f + np.einsum("tij,tjk,tk->ti", free, _pseudo_inverse(active), target))


def nearest(tau: Array, C: Array, actuated: Mask, f: Array) -> Array:
    """f nearest to the one passed that leaves zero force at passive joints."""
    passive = C[:, ~actuated]
    left = tau[:, ~actuated] + np.einsum("tij,tj->ti", passive, f)
    return np.asarray(f - np.einsum("tij,tj->ti", _pseudo_inverse(passive), left))


def _pseudo_inverse(A: Array) -> Array:
    """Pseudo-inverses of a stack of matrices, which may have no rows or columns."""
    if 0 in A.shape:
        return np.zeros((A.shape[0], A.shape[2], A.shape[1]))
    return np.asarray(np.linalg.pinv(A, rcond=RANK))


def _ranks(A: Array) -> NDArray[np.intp]:
    if 0 in A.shape:
        return np.zeros(len(A), dtype=np.intp)
    s = np.linalg.svd(A, compute_uv=False)
    return np.asarray((s > RANK * np.maximum(s[:, :1], 1e-300)).sum(axis=1))
