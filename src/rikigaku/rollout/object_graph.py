"""Digests of the nodes of a directed graph by their labels and successors, with cycles.

Nodes outside cycles are hashed from the leaves on (Merkle tree). The nodes of a strongly connected component
[Tarjan1972] are numbered from one of them on; that one, and the order of unordered successors, are chosen by
hashes of neighbourhoods, so that they depend on the content alone.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

_ROUNDS = 8  # of the hashes of neighbourhoods


@dataclass(slots=True)
class Node:
    """What an object is, and its parts: digests of finished ones, else numbers of nodes."""

    label: str = ""
    parts: list[bytes | int] = field(default_factory=list)
    unordered: bool = False


def hashed(label: str, parts: Iterable[bytes] = ()) -> bytes:
    """Digest of a label and of parts of 32 bytes."""
    text = label.encode("utf-8", "surrogatepass")
    return hashlib.sha256(b"".join((b"%d;" % len(text), text, *parts))).digest()


def graph_digest(nodes: Sequence[Node]) -> bytes:
    """Digest of the first node with all that can be reached from it; each node is hashed a few times."""
    found = [b""] * len(nodes)
    for members in _components(nodes):
        own = members[0]
        if len(members) > 1 or own in nodes[own].parts:
            _add_cycle(nodes, members, found)
        else:
            found[own] = _digest(
                nodes[own], [found[x] if isinstance(x, int) else x for x in nodes[own].parts]
            )
    return found[0]


def _digest(node: Node, parts: list[bytes]) -> bytes:
    return hashed(node.label, sorted(parts) if node.unordered else parts)


def _add_cycle(nodes: Sequence[Node], members: list[int], found: list[bytes]) -> None:
    """Digests of the nodes of a component: of the whole, and of the number of each."""
    hashes = dict.fromkeys(members, b"")
    for _ in range(_ROUNDS):
        before = len(set(hashes.values()))
        hashes = {k: _digest(nodes[k], [_known(x, hashes, found) for x in nodes[k].parts]) for k in members}
        if len(set(hashes.values())) == before:
            break
    numbers: dict[int, int] = {}
    parts: dict[int, list[bytes | int]] = {}
    waiting = [min(members, key=hashes.__getitem__)]
    while waiting:
        k = waiting.pop()
        if k not in numbers:
            numbers[k], parts[k] = len(numbers), nodes[k].parts
            if nodes[k].unordered:
                parts[k] = sorted(parts[k], key=lambda x: _known(x, hashes, found))
            waiting += [x for x in reversed(parts[k]) if isinstance(x, int) and x in hashes]
    marks = {k: hashed(f"member {number}") for k, number in numbers.items()}
    whole = hashed(
        "cycle", (hashed(nodes[k].label, [_known(x, marks, found) for x in parts[k]]) for k in numbers)
    )
    for k in members:
        found[k] = hashed("in cycle", (whole, marks[k]))


def _known(part: bytes | int, own: dict[int, bytes], found: Sequence[bytes]) -> bytes:
    """The digest of a part; own: those of nodes of the same component."""
    if isinstance(part, bytes):
        return part
    return own[part] if part in own else found[part]


def _components(nodes: Sequence[Node]) -> Iterator[list[int]]:
    """Strongly connected components that the first node reaches, each after those that it reaches."""
    order: dict[int, int] = {0: 0}
    lowest: dict[int, int] = {0: 0}
    path, open_nodes, is_open = [(0, iter(nodes[0].parts))], [0], {0}
    while path:
        k, parts = path[-1]
        for x in parts:
            if isinstance(x, bytes):
                continue
            if x not in order:
                order[x] = lowest[x] = len(order)
                open_nodes.append(x)
                is_open.add(x)
                path.append((x, iter(nodes[x].parts)))
                break
            if x in is_open:
                lowest[k] = min(lowest[k], order[x])
        else:
            path.pop()
            if path:
                above = path[-1][0]
                lowest[above] = min(lowest[above], lowest[k])
            if lowest[k] == order[k]:
                place = next(i for i in reversed(range(len(open_nodes))) if open_nodes[i] == k)
                members, open_nodes[place:] = open_nodes[place:], []
                is_open.difference_update(members)
                yield members
