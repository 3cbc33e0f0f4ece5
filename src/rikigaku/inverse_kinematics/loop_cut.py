"""The loop that an arm and a given pose form, and the ways to cut it for elimination.

    M_1 T_1 M_2 T_2 ... M_6 T_6 = 1,        T_6 = L_6 H^-1 L_0

A cut names the joints in cyclic order, or in reverse: the first is dropped, the second and third are
eliminated linearly, the last three are kept. The link T_6 holds the given pose H.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array
from rikigaku.spatial.pose import Pose
from rikigaku.spatial.vector import IDENTITY

_JOINTS = 6
# A rotation by pi about x reverses the z axis: F M(q) F is the inverse of M(q).
_FLIP = np.diag([1.0, -1.0, -1.0, 1.0])


@dataclass(frozen=True)
class LoopCut:
    """Joints in the order of one cut.

    order: indices of the joints in the arm. reverse: the loop is run through backwards.
    """

    order: tuple[int, ...]
    reverse: bool

    def links(self, links: Sequence[Array], H: Array) -> list[Array]:
        """The poses (..., 4, 4) that follow the joints of the cut, from L_0 ... L_6 and H."""
        after = [*links[1:6], links[6] @ inverse(H) @ links[0]]
        if not self.reverse:
            return [after[k] for k in self.order]
        return [_backward(after[(k - 1) % _JOINTS]) for k in self.order]

    def eliminated_links(self) -> set[int]:
        """Indices of the arm's links before and between the eliminated joints."""
        after = [(k - 1) % _JOINTS if self.reverse else k for k in self.order[:2]]
        closing = {0, _JOINTS} if _JOINTS - 1 in after else set[int]()
        return {k + 1 for k in after if k < _JOINTS - 1} | closing

    def reordered(self, values: Sequence[bool]) -> tuple[bool, ...]:
        """Values of the joints in the order of the cut."""
        return tuple(values[k] for k in self.order)


def loop_cuts() -> Iterator[LoopCut]:
    """All cuts of a loop of six joints."""
    for reverse in (False, True):
        step = -1 if reverse else 1
        for first in range(_JOINTS):
            yield LoopCut(tuple((first + step * k) % _JOINTS for k in range(_JOINTS)), reverse)


def motion(revolute: bool, c: Any, s: Any) -> Pose:
    """A joint's motion from its two numbers: cosine and sine, or the square of a displacement and itself."""
    if revolute:
        return Pose(((c, -s, 0), (s, c, 0), (0, 0, 1)))
    return Pose(IDENTITY, (0, 0, s))


def inverse(T: Array) -> Array:
    """Inverses of poses (..., 4, 4)."""
    out = np.zeros(T.shape)
    R = np.swapaxes(T[..., :3, :3], -1, -2)
    out[..., :3, :3] = R
    out[..., :3, 3] = -np.einsum("...ij,...j->...i", R, T[..., :3, 3])
    out[..., 3, 3] = 1.0
    return out


def _backward(T: Array) -> Array:
    return np.asarray(_FLIP @ inverse(T) @ _FLIP)


def reversed_numbers(x: Array) -> Array:
    """The link of a loop that is run through backwards, from 12 numbers (..., 12)."""
    T = np.zeros((*x.shape[:-1], 4, 4))
    T[..., :3, 3], T[..., :3, :3], T[..., 3, 3] = x[..., :3], x[..., 3:].reshape(*x.shape[:-1], 3, 3), 1.0
    return numbers(_backward(T))


def numbers(T: NDArray[Any]) -> NDArray[Any]:
    """Poses (..., 4, 4) as the 12 numbers that kernels take: position, then rotation matrix by rows."""
    return np.concatenate([T[..., :3, 3], T[..., :3, :3].reshape(*T.shape[:-2], 9)], axis=-1)


def pose(x: Sequence[Any]) -> Pose:
    """A pose from its 12 numbers."""
    return Pose((tuple(x[3:6]), tuple(x[6:9]), tuple(x[9:12])), (x[0], x[1], x[2]))


def pose_numbers(
    T: Sequence[Any], scale: Any, first: Sequence[Any], last: Sequence[Any], reverse: bool
) -> tuple[list[Any], list[Any]]:
    """A given pose, (4, 4) flattened, scaled, and the closing link L_6 H^-1 L_0 of a cut, as 12 numbers each.

    first, last: L_0 and L_6 as numbers.
    """
    H = Pose((tuple(T[0:3]), tuple(T[4:7]), tuple(T[8:11])), tuple(scale * T[k] for k in (3, 7, 11)))
    closing = pose(last).compose(H.inverse()).compose(pose(first))
    if reverse:
        flip = Pose(((1, 0, 0), (0, -1, 0), (0, 0, -1)))
        closing = flip.compose(closing.inverse()).compose(flip)
    return _flat(H), _flat(closing)


def _flat(X: Pose) -> list[Any]:
    return [*X.p, *(x for row in X.R for x in row)]
