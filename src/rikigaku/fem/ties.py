"""How joints and loops tie nodes to nodes: one tie for each motion a joint allows, none of them cut.

A tie hangs a node on another: it turns with it, but for a turn about an axis, a slide along one, or any turn
(a ball). Joints of the tree hang the own node of a body on its seat; a loop hangs the end of one link on that
of the other, which is free to be hung, for a flexible link has nodes of its own at its ends. Where both hang
already, the one is hung the other way round, from the loop inwards. So closed mechanisms need no equations
of constraint: turns and slides in their loops are coordinates like those of the tree.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import WrongValue
from rikigaku.fem.grid import Grid
from rikigaku.model.mechanism import WORLD, Closure

Array = NDArray[np.float64]
Hinges = Literal["integration", "released"]

_NONE = np.zeros(3)


@dataclass(frozen=True, eq=False)
class Tie:
    """Node `node` hangs on node `to`; axes in the world, as in the posture of the grid.

    turn, slide: of a unit of its coordinate; arm: from `to` to `node`; ball: body axes of a ball (3 x 3);
    back: whether it hangs the other way round than its joint says.
    coordinate: its place in v for joints of the tree, "loop 1" and the like for loops, None if it is held.
    """

    node: int
    to: int
    arm: Array
    coordinate: int | str | None = None
    turn: Array = field(default_factory=lambda: _NONE)
    slide: Array = field(default_factory=lambda: _NONE)
    ball: Array | None = None
    back: bool = False

    def reversed(self) -> "Tie":
        """The other node hung on this one."""
        return replace(
            self,
            node=self.to,
            to=self.node,
            arm=-self.arm,
            turn=-self.turn,
            slide=-self.slide,
            back=not self.back,
        )


@dataclass(frozen=True, eq=False)
class Ties:
    """All ties of a grid; nodes from `len(grid.places)` on are none of its own (inside compound joints).

    hinged: where hinges are made by the integration point, their axes (3 x k) by (body, node).
    """

    grid: Grid
    ties: tuple[Tie, ...]
    nodes: int
    free_bodies: tuple[int, ...]
    hinged: dict[tuple[int, int], Array]


def tied(
    net: Grid, hinges: Hinges = "released", locked: Collection[int] = (), kept: Collection[int] = ()
) -> Ties:
    """The ties of a mechanism; locked, kept: places in v of joints that are held, that need their own turn.

    A hinge by the integration point has no coordinate, so nothing can act in it: kept joints (with springs,
    rotors) are released. Nor does its node turn with the link, so it serves only where nothing else sits.

    Raises:
        WrongValue: if a loop has nothing between its ends and the ground that can bend or turn.
    """
    maker = _Maker(net, hinges, set(locked), set(kept))
    for i in range(len(net.layout.mechanism.bodies)):
        maker.join(i)
    for loop in net.layout.mechanism.loops:
        maker.close(loop)
    return Ties(net, tuple(maker.by_node.values()), maker.nodes, tuple(maker.free_bodies), maker.hinged)


class _Maker:
    def __init__(self, net: Grid, hinges: Hinges, locked: set[int], kept: set[int]) -> None:
        self.net, self.hinges, self.locked, self.kept = net, hinges, locked, kept
        self.layout = net.layout
        self.nodes = len(net.places)
        self.by_node: dict[int, Tie] = {}
        self.free_bodies: list[int] = []
        self.hinged: dict[tuple[int, int], Array] = {}
        self.count = 0
        # what hangs on each node: seats of bodies, ends of loops
        self.sitting = Counter([*self.layout.seat.values(), *chain(*self.layout.ends.values())])
        self.beams = Counter(chain(*((beam.start, beam.end) for beam in self.layout.beams)))
        self.centres = {part.centre for part in self.layout.parts}

    def join(self, i: int) -> None:
        """The own node of a body hangs on its seat."""
        layout, body = self.layout, self.layout.mechanism.bodies[i]
        own, seat = layout.origin[i], layout.seat[i]
        free = [] if all(k in self.locked for k in body.v) else body.joint.directions()
        arm = self.net.places[own] - self.net.places[seat]
        if len(free) == 6:  # a free body
            self.free_bodies.append(i)
            return
        held = Tie(own, seat, arm)
        if not free:
            self.by_node[own] = held
            return
        turns = self.net.R[i] @ np.array([d.angular for d in free], dtype=np.float64).T
        slides = self.net.R[i] @ np.array([d.linear for d in free], dtype=np.float64).T
        alone = self._tip(own) and not self.sitting[own] and self.kept.isdisjoint(body.v)
        if self.hinges == "integration" and not slides.any() and alone:
            self.by_node[own] = held
            self.hinged[(i, own)] = turns
        elif len(free) == 3:
            self.by_node[own] = replace(held, coordinate=body.v.start, ball=turns)
        else:
            self.by_node[own] = replace(held, coordinate=body.v.start, turn=turns[:, 0], slide=slides[:, 0])

    def close(self, loop: Closure) -> None:
        """The end of a loop hangs on its start, by as many ties as its joint has motions."""
        a, b = self.layout.ends[loop.name]
        (start, pose), (end, on_end) = loop.start, loop.end
        R = self.net.axes(start) @ np.array(pose.R, dtype=np.float64)
        E = self.net.axes(end) @ np.array(on_end.R, dtype=np.float64)
        x, y, z = R.T
        motions: dict[str, list[tuple[str, Array]]] = {
            "revolute": [("turn", z)],
            "prismatic": [("slide", z)],
            "cylindrical": [("slide", z), ("turn", z)],
            "universal": [("turn", z), ("turn", E[:, 0])],
            "planar": [("slide", x), ("slide", y), ("turn", z)],
            "spherical": [("ball", np.eye(3))],
            "fixed": [],
        }
        if loop.joint not in motions:
            raise WrongValue(
                f"Loop {loop.name!r} is closed by a {loop.joint} joint, which beams do not know."
            )
        free = motions[loop.joint]
        turning = all(kind != "slide" for kind, _ in free)
        if free and turning and self.hinges == "integration" and self._beam_ends_at(end, b):
            axes = [axis if axis.ndim == 2 else axis[:, None] for _, axis in free]
            self.hinged[(end, b)] = np.concatenate(axes, axis=1)
            free = []
        arm = self.net.places[b] - self.net.places[a]
        last, ties = a, []
        for k, (kind, axis) in enumerate(free):
            node = b if k == len(free) - 1 else self._new_node()
            self.count += 1
            tie = Tie(node, last, arm if k == 0 else _NONE, f"loop {self.count}")
            own = {kind: axis}
            ties.append(
                replace(tie, turn=own.get("turn", _NONE), slide=own.get("slide", _NONE), ball=own.get("ball"))
            )
            last = node
        self._hang(loop.name, ties or [Tie(b, a, arm)], a, b)

    def _tip(self, node: int) -> bool:
        """Whether one beam ends there, and no link has its mass there."""
        return self.beams[node] == 1 and node not in self.centres

    def _beam_ends_at(self, body: int, node: int) -> bool:
        """Whether a beam of the body ends there, and nothing hangs on it but the loop itself."""
        inner = body == WORLD or node == self.layout.origin[body]
        return not inner and self._tip(node) and self.sitting[node] == 1

    def _new_node(self) -> int:
        self.nodes += 1
        return self.nodes - 1

    def _way(self, node: int) -> list[Tie]:
        """Ties from a node to what its cluster hangs on."""
        way = []
        while node in self.by_node:
            way.append(self.by_node[node])
            node = way[-1].to
        return way

    def _root(self, node: int) -> int:
        way = self._way(node)
        return way[-1].to if way else node

    def _hang(self, name: str, ties: list[Tie], a: int, b: int) -> None:
        roots = [self._root(node) for node in (a, b)]
        grounded = [r < len(self.net.body) and self.net.body[r] == WORLD for r in roots]
        if roots[0] == roots[1] or all(grounded):
            raise WrongValue(
                f"Loop {name!r} closes joints that all meet in one place: nothing between them can bend. "
                "Give one of its links a length there."
            )
        if grounded[1]:
            ties = [tie.reversed() for tie in reversed(ties)]
            a, b = b, a
        way = self._way(b)
        for tie in way:
            del self.by_node[tie.node]
        for tie in [*ties, *(tie.reversed() for tie in way)]:
            self.by_node[tie.node] = tie
