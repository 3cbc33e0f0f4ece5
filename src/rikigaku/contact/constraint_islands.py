"""Islands: groups of contacts, joints and loops that the Delassus matrix W does not couple.

Bodies that do not touch each other have their own contact problems. Solved one by one they have their own
scales of forces, so that a heavy body far away changes neither tolerances nor contact modes of a light one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from rikigaku.contact.constraint_blocks import BlockMode, ConstraintBlock, ModeSolution
from rikigaku.core.types import Array

Labels = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, eq=False)
class Island:
    """One group.

    Attributes:
        members: indices of its blocks among all. rows: its equations among all.
        W: its part of the Delassus matrix. blocks: its blocks, with indices into W. permanent: likewise.
    """

    members: tuple[int, ...]
    rows: tuple[int, ...]
    W: Array
    blocks: list[ConstraintBlock]
    permanent: Sequence[int]

    def part(self, x: Array) -> Array:
        """The elements of x, along all equations, that belong to the island."""
        return x if len(self.rows) == len(x) else np.asarray(x[list(self.rows)])


def islands(W: Array, blocks: Sequence[ConstraintBlock], permanent: Sequence[int] = ()) -> list[Island]:
    """The islands, in the order of their first block; those without a block are left out.

    W couples two equations if its element is not zero: structural zeros of W are exact.
    """
    label = island_labels(W, blocks, permanent)
    if not label.any():
        return [Island(tuple(range(len(blocks))), tuple(range(len(W))), W, list(blocks), permanent)]
    groups = [block.equations for block in blocks]
    used = [*permanent, *(i for group in groups for i in group)]
    found = []
    for own in dict.fromkeys(label[group[0]] for group in groups):
        members = tuple(k for k, group in enumerate(groups) if label[group[0]] == own)
        rows = tuple(sorted({i for i in used if label[i] == own}))
        place: dict[int | None, int] = {row: at for at, row in enumerate(rows)}
        local = [
            replace(
                blocks[k],
                normal=None if blocks[k].normal is None else place[blocks[k].normal],
                tangents=tuple(place[i] for i in blocks[k].tangents),
            )
            for k in members
        ]
        fixed = [place[i] for i in permanent if i in place]
        found.append(Island(members, rows, W[np.ix_(rows, rows)], local, fixed))
    return found


def joined(
    parts: Sequence[Island],
    solutions: Sequence[ModeSolution],
    W: Array,
    w0: Array,
    blocks: Sequence[ConstraintBlock],
) -> ModeSolution:
    """The solution of the whole problem from those of its islands."""
    if len(parts) == 1:
        return solutions[0]
    F = np.zeros(len(w0))
    modes: dict[int, BlockMode] = {}
    directions: dict[int, Array] = {}
    equations: dict[str, list[int]] = {"independent": [], "redundant": []}
    members: dict[str, list[int]] = {"unloaded": [], "painleve": []}
    for island, solution in zip(parts, solutions, strict=True):
        F[list(island.rows)] = solution.F
        modes |= dict(zip(island.members, solution.modes, strict=True))
        directions |= {island.members[k]: d for k, d in solution.directions.items()}
        for name, rows in equations.items():
            rows += [island.rows[i] for i in getattr(solution, name)]
        for name, indices in members.items():
            indices += [island.members[k] for k in getattr(solution, name)]
    normals = {block.normal for block in blocks}
    equations["independent"].sort(key=lambda row: row not in normals)  # gaps are projected first
    named = tuple(modes[k] for k in range(len(blocks)))
    return ModeSolution(
        named, F, W @ F + w0, tuple(equations["independent"]), directions,
        tuple(equations["redundant"]), tuple(members["unloaded"]), tuple(members["painleve"]),
        any(solution.near for solution in solutions),
    )  # fmt: skip


def island_labels(W: Array, blocks: Sequence[ConstraintBlock], permanent: Sequence[int] = ()) -> Labels:
    """The number of each equation's island (n,); zeros if there is only one."""
    if len(blocks) < 2 or W.all():
        return np.zeros(len(W), dtype=np.int64)
    groups = [block.equations for block in blocks]
    used = [*permanent, *(i for group in groups for i in group)]
    coupled = W[np.ix_(used, used)] != 0
    if coupled.all():
        return np.zeros(len(W), dtype=np.int64)
    first, second = np.nonzero(coupled)
    pairs = [(used[i], used[j]) for i, j in zip(first, second, strict=True)]
    pairs += [(group[0], i) for group in groups for i in group]
    graph = coo_array((np.ones(len(pairs)), np.array(pairs).T), shape=W.shape)
    label = np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)
    return label if np.any(label[used] != label[used[0]]) else np.zeros_like(label)


def largest_of_island(label: Labels, x: Array) -> Array:
    """For each equation the largest element of x in its island."""
    if not label.any():
        return np.full(len(x), max(float(x.max(initial=0.0)), 0.0))
    largest = np.zeros(int(label.max(initial=0)) + 1)
    np.maximum.at(largest, label, x)
    return np.asarray(largest[label])
