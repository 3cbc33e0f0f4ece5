"""Order in which assignments of contact modes are tried: likely ones first, then those that differ least."""

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from rikigaku.contact.cone_program import minimize
from rikigaku.contact.constraint_blocks import BlockMode, ConstraintBlock, candidate_modes
from rikigaku.core.errors import TooLarge
from rikigaku.core.types import Array

_LARGEST = 3_000  # assignments tried
_ITERATIONS = 30  # of the convex guess


class ModeAssignment(NamedTuple):
    """A mode for every block, and likely sliding directions by block."""

    modes: tuple[BlockMode, ...]
    directions: dict[int, Array]


def mode_assignments(
    W: Array,
    w0: Array,
    blocks: Sequence[ConstraintBlock],
    permanent: Sequence[int],
    first: Sequence[ModeAssignment],
) -> Iterator[ModeAssignment]:
    """Assignments: `first`, every block's first, second, ... candidate, a convex guess, its neighbours.

    Raises:
        TooLarge: after the largest number of assignments that is tried.
    """
    options = [block.candidates or candidate_modes(block) for block in blocks]
    count = 0
    seen: set[tuple[BlockMode, ...]] = set()
    for one in _likely_first(W, w0, blocks, permanent, options, first):
        if one.modes in seen:
            continue
        seen.add(one.modes)
        count += 1
        if count > _LARGEST:
            raise TooLarge(
                f"{len(blocks)} contacts and joints with friction may combine in too many ways: {_LARGEST} "
                "were tried, and none fits. Leave out redundant contacts."
            )
        yield one


def _likely_first(
    W: Array,
    w0: Array,
    blocks: Sequence[ConstraintBlock],
    permanent: Sequence[int],
    options: list[tuple[BlockMode, ...]],
    first: Sequence[ModeAssignment],
) -> Iterator[ModeAssignment]:
    yield from first
    for k in range(max(map(len, options), default=1)):
        yield ModeAssignment(tuple(option[min(k, len(option) - 1)] for option in options), {})
    centre = tuple(option[0] for option in options)
    directions: dict[int, Array] = {}
    if len(blocks) > 2:
        centre, directions = _convex_guess(W, w0, blocks, permanent, options)
        yield ModeAssignment(centre, directions)
    for changed in range(len(options) + 1):
        for which in itertools.combinations(range(len(options)), changed):
            others = [[c for c in options[k] if c != centre[k]] for k in which]
            for instead in itertools.product(*others):
                modes = list(centre)
                for k, mode in zip(which, instead, strict=True):
                    modes[k] = mode
                yield ModeAssignment(tuple(modes), directions)


def _convex_guess(
    W: Array,
    w0: Array,
    blocks: Sequence[ConstraintBlock],
    permanent: Sequence[int],
    options: list[tuple[BlockMode, ...]],
) -> ModeAssignment:
    """The modes in the solution of a convex approximation of the problem.

    Forces in their cones that minimize F.W F / 2 + F.w0 make sliding contacts lift by mu times their speed;
    w0 is raised by that in a fixed-point iteration (the bipotential of G. De Saxce). Contacts with a known
    sliding direction take the friction of the previous iteration.
    """
    rows, h, B = _cones(W, w0, blocks)
    W, w0 = _with_permanent_active(W, w0, permanent)
    F, lifted = np.zeros(len(w0)), w0.copy()
    for block in blocks:
        if block.normal is not None:
            lifted[block.normal] -= block.target
    P, G = W[np.ix_(rows, rows)], B[:, :, rows]
    size = max(float(np.abs(w0).max(initial=0.0)), 1e-300)
    P = P + 1e-9 * np.trace(P) / max(len(rows), 1) * np.eye(len(rows))
    inside = _inside(blocks, rows)
    scale = size / max(float(np.diag(P).min(initial=np.inf)), 1e-300)  # an upper bound of the forces
    w = w0
    for _ in range(_ITERATIONS):
        before, start = F, lifted.copy()
        friction = np.zeros(len(w0))
        for block in blocks:
            if block.normal is None or not block.tangents:
                continue
            tangents = list(block.tangents)
            if block.direction is not None:
                friction[tangents] = -block.kinetic * block.direction * F[block.normal]
            else:
                start[block.normal] += block.static * float(np.linalg.norm(w[tangents]))
        start += W @ friction
        F = np.zeros(len(w0))
        F[rows] = scale * minimize(h / scale, G, P * scale / size, start[rows] / size, inside, 1e-9)
        w = W @ (F + friction) + w0
        if np.abs(F - before).max(initial=0.0) < 1e-7 * max(np.abs(F).max(initial=0.0), 1e-300):
            break
    small = 1e-6 * size
    modes = tuple(_mode_of(b, o, F, w, small) for b, o in zip(blocks, options, strict=True))
    along = {k: w[list(b.tangents)] for k, b in enumerate(blocks) if len(b.tangents) == 2}
    return ModeAssignment(modes, {k: x / s for k, x in along.items() if (s := float(np.hypot(*x))) > small})


def _with_permanent_active(W: Array, w0: Array, permanent: Sequence[int]) -> tuple[Array, Array]:
    """W and w0 with the permanent constraints eliminated (w = 0 there): a Schur complement."""
    if not len(permanent):
        return W, w0
    at = list(permanent)
    Y = np.linalg.solve(W[np.ix_(at, at)], np.column_stack([W[at], w0[at]]))
    return W - W[:, at] @ Y[:, :-1], w0 - W[:, at] @ Y[:, -1]


def _cones(W: Array, w0: Array, blocks: Sequence[ConstraintBlock]) -> tuple[list[int], Array, Array]:
    """Equations whose forces are unknown, and the cones h + B F of these forces."""
    rows: list[int] = []
    h, B = np.zeros((len(blocks), 3)), np.zeros((len(blocks), 3, len(w0)))
    for k, block in enumerate(blocks):
        if block.normal is None:
            h[k, 0] = max(block.static, 1e-12)
            B[k, 1, block.tangents[0]] = 1.0
            rows.append(block.tangents[0])
            continue
        rows.append(block.normal)
        B[k, 0, block.normal] = 1.0
        if block.bilateral:
            h[k, 0] = 1e30
        if block.tangents and block.direction is None:
            B[k, 0, block.normal] = max(block.static, 1e-6)
            for j, row in enumerate(block.tangents):
                B[k, 1 + j, row] = 1.0
                rows.append(row)
    return rows, h, B


def _inside(blocks: Sequence[ConstraintBlock], rows: list[int]) -> Array:
    normals = {block.normal for block in blocks}
    return np.array([1.0 if row in normals else 0.0 for row in rows])


def _mode_of(
    block: ConstraintBlock, options: tuple[BlockMode, ...], F: Array, w: Array, small: float
) -> BlockMode:
    """The candidate nearest to a force and a response; a block well within its friction limit sticks."""
    along, friction = w[list(block.tangents)], F[list(block.tangents)]
    limit = block.static if block.normal is None else block.static * abs(F[block.normal])
    inside = float(np.linalg.norm(friction)) < (1 - 1e-4) * limit
    moves = float(np.linalg.norm(along)) > small and not inside
    kind = "slip" if moves or not block.tangents or block.direction is not None else "stick"
    if block.normal is not None and not block.bilateral and w[block.normal] - block.target > small:
        kind = "free"
    alike = [c for c in options if c.kind == kind]
    signed = [c for c in alike if len(along) == 1 and c.sign == np.sign(along[0])]
    return next(iter((*signed, *alike, *options)))
