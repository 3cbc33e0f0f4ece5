"""How motors share the load where a closed mechanism has more of them than it needs.

The forces tau of all joints are tau_0 + C f: tau_0 moves the open mechanism, f are the forces through the cut
joints. Passive joints give nothing: their rows of tau are zero. Of the f that are left a rule chooses one;
any choice moves the mechanism alike, the difference is an internal force.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import UnknownName, WrongValue
from rikigaku.given import by_name, number, numbers

Array = NDArray[np.float64]
Share = float | Callable[[Array], Any] | NDArray[np.float64]

RANK = 1e-9


@dataclass(frozen=True, eq=False)
class Ratio:
    """The link at the start of a loop carries `part` of the mass at the cut node, the other 1 - part.

    part: a number, a function of time, or one number for each sample; {loop: part} where there are several.
    4:1 is Ratio(0.8).
    """

    part: Share | Mapping[str, Share]

    def parts(self, loop: str, t: Array) -> Array:
        """The part at each time."""
        part = self.part
        if isinstance(part, Mapping):
            if loop not in part:
                raise WrongValue(f"Ratio has no ratio for loop {loop!r}: give Ratio({{{loop!r}: 0.5}}).")
            part = part[loop]
        what = f"The sharing ratio of loop {loop!r}, one number or one for each of {len(t)} samples,"
        return np.broadcast_to(numbers(what, part(t) if callable(part) else part, (), t.shape), t.shape)

    def check(self, robot: str, loops: Collection[str]) -> None:
        """The loops it names are there."""
        for name in self.part if isinstance(self.part, Mapping) else ():
            if name not in loops:
                raise UnknownName("loop", name, loops, f"robot {robot!r}")


@dataclass(frozen=True, eq=False)
class Weighted:
    """The least sum of weight * tau^2 over the motors. weights: {joint: weight}; those not named have 1."""

    weights: Mapping[str, float]

    def __post_init__(self) -> None:
        for name, weight in by_name("Weights", self.weights, "Weighted({joint: weight})").items():
            number(f"The weight of joint {name!r}", weight, above=0)


@dataclass(frozen=True, eq=False)
class LeastNorm:
    """The least sum of tau^2 over the motors."""


Sharing = Ratio | Weighted | LeastNorm


def as_sharing(given: Any) -> Sharing | None:
    """A rule from what a caller may write: None, 0.8, a function of time, "least_norm", {loop: part}."""
    if given is None or isinstance(given, Ratio | Weighted | LeastNorm):
        return given
    if isinstance(given, str) and given == "least_norm":
        return LeastNorm()
    if isinstance(given, str | bool | np.bool_):
        raise WrongValue(
            f"There is no sharing rule {given!r}. Known: 'least_norm', Ratio, Weighted, a number."
        )
    return Ratio(given)


class Freedom(NamedTuple):
    """spare: internal forces the motors can have at will; missing: what passive joints would have to give."""

    spare: int
    missing: float


def freedom(tau: Array, C: Array, driven: NDArray[np.bool_]) -> Freedom:
    """Counted at the samples: the largest, and the largest force no f takes from the passive joints."""
    passive = C[:, ~driven]
    spare = int(np.max(_ranks(C) - _ranks(passive), initial=0))
    f = np.einsum("tij,tj->ti", _inverse(passive), -tau[:, ~driven])
    left = tau[:, ~driven] + np.einsum("tij,tj->ti", passive, f)
    size = np.abs(tau).max(initial=0.0) or 1.0
    return Freedom(spare, float(np.abs(left).max(initial=0.0) / size))


def least(tau: Array, C: Array, driven: NDArray[np.bool_], weights: Array) -> Array:
    """f of the least weighted sum of squares of the motors, passive rows zero."""
    passive = C[:, ~driven]
    inverse = _inverse(passive)
    f = np.einsum("tij,tj->ti", inverse, -tau[:, ~driven])
    free = np.eye(C.shape[2]) - inverse @ passive  # what leaves the passive rows alone
    root = np.sqrt(weights[driven])
    active = root[:, None] * (C[:, driven] @ free)
    wanted = -root * (tau[:, driven] + np.einsum("tij,tj->ti", C[:, driven], f))
    return np.asarray(f + np.einsum("tij,tjk,tk->ti", free, _inverse(active), wanted))


def nearest(tau: Array, C: Array, driven: NDArray[np.bool_], f: Array) -> Array:
    """The f nearest to the one given that leaves nothing to passive joints."""
    passive = C[:, ~driven]
    left = tau[:, ~driven] + np.einsum("tij,tj->ti", passive, f)
    return np.asarray(f - np.einsum("tij,tj->ti", _inverse(passive), left))


def _inverse(A: Array) -> Array:
    """Pseudo-inverses of a stack; of nothing where there are no rows or columns."""
    if 0 in A.shape:
        return np.zeros((A.shape[0], A.shape[2], A.shape[1]))
    return np.asarray(np.linalg.pinv(A, rcond=RANK))


def _ranks(A: Array) -> NDArray[np.intp]:
    if 0 in A.shape:
        return np.zeros(len(A), dtype=np.intp)
    s = np.linalg.svd(A, compute_uv=False)
    return np.asarray((s > RANK * np.maximum(s[:, :1], 1e-300)).sum(axis=1))
