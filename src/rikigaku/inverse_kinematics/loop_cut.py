"""The loop that an arm and a given pose form, and the ways to cut it for elimination.

    M_1 T_1 M_2 T_2 ... M_6 T_6 = 1,        T_6 = L_6 H^-1 L_0

A cut names the joints in cyclic order, or in reverse: the first is dropped, the second and third are
eliminated linearly, the last three are kept. The link T_6 holds the given pose H.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

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
        return [_FLIP @ inverse(after[(k - 1) % _JOINTS]) @ _FLIP for k in self.order]

    def closing_link(self, links: Sequence[Array], H: Array) -> tuple[int, Array]:
        """Place and pose of the link that depends on H."""
        last = links[6] @ inverse(H) @ links[0]
        if not self.reverse:
            return self.order.index(_JOINTS - 1), last
        return self.order.index(0), _FLIP @ inverse(last) @ _FLIP

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


def numbers(T: Array) -> Array:
    """Poses (..., 4, 4) as the 12 numbers that kernels take: position, then rotation matrix by rows."""
    return np.concatenate([T[..., :3, 3], T[..., :3, :3].reshape(*T.shape[:-2], 9)], axis=-1)


def pose(x: Sequence[Any]) -> Pose:
    """A pose from its 12 numbers."""
    return Pose((tuple(x[3:6]), tuple(x[6:9]), tuple(x[9:12])), (x[0], x[1], x[2]))
