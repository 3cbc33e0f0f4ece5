"""The loop that an arm and a given pose form, and the ways to cut it for elimination.

    M_1 T_1 M_2 T_2 ... M_6 T_6 = 1,        T_6 = L_6 H^-1 L_0

A cut names the joints in cyclic order, or in reverse: the first is dropped, the second and third are
eliminated linearly, the last three are kept. The link T_6 holds the given pose H.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rikigaku.spatial.pose import Pose
from rikigaku.spatial.vector import IDENTITY

_JOINTS = 6
# A rotation by pi about x: it reverses the z axis, so that F M(q) F is the inverse of M(q).
_FLIP = Pose(((1, 0, 0), (0, -1, 0), (0, 0, -1)))


@dataclass(frozen=True)
class LoopCut:
    """Joints in the order of one cut.

    order: indices of the joints in the arm. reverse: the loop is run through backwards.
    """

    order: tuple[int, ...]
    reverse: bool

    def links(self, links: tuple[Pose, ...], H: Pose) -> list[Pose]:
        """The poses that follow the joints of the cut, H among them."""
        last = links[6].compose(H.inverse()).compose(links[0])
        after = [*links[1:6], last]
        if not self.reverse:
            return [after[k] for k in self.order]
        flipped = []
        for k in self.order:
            before = after[(k - 1) % _JOINTS].inverse()
            flipped.append(_FLIP.compose(before).compose(_FLIP))
        return flipped

    def reordered(self, values: tuple[bool, ...]) -> tuple[bool, ...]:
        return tuple(values[k] for k in self.order)


def loop_cuts() -> Iterator[LoopCut]:
    """All cuts of a loop of six joints; those that keep the given pose among the kept joints first."""
    for reverse in (False, True):
        step = -1 if reverse else 1
        for first in range(_JOINTS):
            yield LoopCut(tuple((first + step * k) % _JOINTS for k in range(_JOINTS)), reverse)


def motion(revolute: bool, c: Any, s: Any) -> Pose:
    """A joint's motion from its two numbers: cosine and sine, or the square of a displacement and itself."""
    if revolute:
        return Pose(((c, -s, 0), (s, c, 0), (0, 0, 1)))
    return Pose(IDENTITY, (0, 0, s))
