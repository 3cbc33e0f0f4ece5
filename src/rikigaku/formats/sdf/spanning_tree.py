"""A spanning tree of a graph of bodies and joints, and the joints that are cut."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from rikigaku.core.errors import BadModel, UnknownName, WrongValue
from rikigaku.core.known_names import KnownNames

# Order of cutting: a spherical joint adds the fewest equations and removes the most coordinates.
_CUT_FIRST = ("spherical", "universal", "revolute", "prismatic")


class Edge(NamedTuple):
    """A joint between two bodies, in either direction; `loses` grades what a cut would lose.

    0: nothing, 1: friction, 2: actuation or a spring.
    """

    name: str
    type: str
    parent: str
    child: str
    loses: int = 0


class Step(NamedTuple):
    """A joint of the tree as it is walked from the root.

    backwards: the file's child carries its parent.
    """

    edge: Edge
    parent: str
    body: str
    backwards: bool


class Spanning(NamedTuple):
    """The tree, outward from the root, the joints that are cut, and bodies connected to nothing."""

    steps: tuple[Step, ...]
    cuts: tuple[Edge, ...]
    loose: tuple[str, ...]


def spanning_tree(
    root: str, bodies: Iterable[str], edges: Sequence[Edge], cut: Sequence[str] = ()
) -> Spanning:
    """A tree over all bodies that reach the root.

    cut: joints that must be cut; further ones are chosen where loops remain: free ones before those with
        friction, and these before actuated ones and springs; spherical before universal, revolute and
        prismatic joints; the later in the file before the earlier.
    Raises:
        UnknownName: if `cut` names no joint. WrongValue: if a body would be disconnected by a cut.
        BadModel: if a loop is made of joints that cannot be cut (fixed and screws).
    """
    known = {edge.name: edge for edge in edges}
    for name in cut:
        if name not in known:
            raise UnknownName("joint", name, known, "the file")
    group = {body: body for body in (root, *bodies)}

    def leader(body: str) -> str:
        while group[body] != body:
            group[body] = group[group[body]]
            body = group[body]
        return body

    kept: list[Edge] = []
    cuts: list[Edge] = []
    for edge in sorted((edge for edge in edges if edge.name not in cut), key=_worth):  # sorting keeps ties
        one, other = leader(edge.parent), leader(edge.child)
        if one == other:
            cuts.append(edge)
        else:
            group[one] = other
            kept.append(edge)
    for name in cut:
        edge = known[name]
        if leader(edge.parent) != leader(edge.child):
            pair = f"{edge.parent!r} and {edge.child!r}"
            raise WrongValue(f"Joint {name!r} cannot be cut: without it {pair} are not held together.")
        cuts.append(edge)
    if stuck := [edge.name for edge in cuts if edge.type not in _CUT_FIRST and edge.type != "fixed"]:
        free = KnownNames(edge.name for edge in kept if edge.type in _CUT_FIRST).listed() or "none is left"
        raise BadModel(
            [
                f"joint {name!r}: a helical joint cannot close a loop; cut another joint ({free})"
                for name in stuck
            ]
        )
    order = {edge.name: i for i, edge in enumerate(edges)}
    steps = _outward(root, kept)
    reached = {root, *(step.body for step in steps)}
    loose = tuple(body for body in group if body not in reached)
    return Spanning(tuple(steps), tuple(sorted(cuts, key=lambda edge: order[edge.name])), loose)


def _worth(edge: Edge) -> tuple[int, int]:
    """Sort key for keeping joints in the tree: fixed and helical ones, then those whose cut loses most."""
    if edge.type not in _CUT_FIRST:
        return -3, 0
    return -edge.loses, -_CUT_FIRST.index(edge.type)


def _outward(root: str, edges: Sequence[Edge]) -> list[Step]:
    """The joints of the tree in the order of a walk from the root, the file's order among neighbours."""
    around: dict[str, list[Edge]] = {}
    for edge in edges:
        around.setdefault(edge.parent, []).append(edge)
        around.setdefault(edge.child, []).append(edge)
    return list(_walk(root, around))


def _walk(root: str, around: Mapping[str, Sequence[Edge]]) -> Iterable[Step]:
    seen, waiting = {root}, deque([root])
    while waiting:
        here = waiting.popleft()
        for edge in around.get(here, ()):
            backwards = edge.child == here
            body = edge.parent if backwards else edge.child
            if body not in seen:
                seen.add(body)
                waiting.append(body)
                yield Step(edge, here, body, backwards)
