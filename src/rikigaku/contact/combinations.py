"""In which order combinations of choices are tried: what is likely first, then what differs least from it."""

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.contact.blocks import Block, Choice, default_choices
from rikigaku.contact.cones import minimised
from rikigaku.errors import TooLarge

Array = NDArray[np.float64]

_LARGEST = 3_000  # combinations tried
_TURNS = 30  # of the guess


class Combination(NamedTuple):
    """Choices for all blocks, and directions in which those that slide may begin to."""

    choices: tuple[Choice, ...]
    directions: dict[int, Array]


def combinations(
    W: Array, w0: Array, blocks: Sequence[Block], held: Sequence[int], first: Combination | None
) -> Iterator[Combination]:
    """Choices for all blocks: those given, every block's first, second, ..., a guess, and what is near it.

    Raises:
        TooLarge: after as many as are worth trying.
    """
    options = [block.choices or default_choices(block) for block in blocks]
    count = 0
    seen: set[tuple[Choice, ...]] = set()
    for one in _likely_first(W, w0, blocks, held, options, first):
        if one.choices in seen:
            continue
        seen.add(one.choices)
        count += 1
        if count > _LARGEST:
            raise TooLarge(
                f"{len(blocks)} contacts and joints with friction may combine in too many ways: {_LARGEST} "
                "were tried, and none fits. Leave out contacts that follow from others."
            )
        yield one


def _likely_first(
    W: Array,
    w0: Array,
    blocks: Sequence[Block],
    held: Sequence[int],
    options: list[tuple[Choice, ...]],
    first: Combination | None,
) -> Iterator[Combination]:
    if first is not None:
        yield first
    for k in range(max(map(len, options), default=1)):
        yield Combination(tuple(option[min(k, len(option) - 1)] for option in options), {})
    centre = tuple(option[0] for option in options)
    directions: dict[int, Array] = {}
    if len(blocks) > 2:
        centre, directions = _guessed(W, w0, blocks, held, options)
        yield Combination(centre, directions)
    for changed in range(len(options) + 1):
        for which in itertools.combinations(range(len(options)), changed):
            others = [[c for c in options[k] if c != centre[k]] for k in which]
            for instead in itertools.product(*others):
                choices = list(centre)
                for k, choice in zip(which, instead, strict=True):
                    choices[k] = choice
                yield Combination(tuple(choices), directions)


def _guessed(
    W: Array, w0: Array, blocks: Sequence[Block], held: Sequence[int], options: list[tuple[Choice, ...]]
) -> Combination:
    """What each block does in the solution of a convex problem near this one.

    Forces in their cones with the least F.W F / 2 + F.w0 would make what slides lift by mu times its speed;
    w0 is raised by that, again and again (the bipotential of G. De Saxce). Known directions of sliding take
    the friction of the turn before.
    """
    rows, h, B = _cones(W, w0, blocks, held)
    W, w0 = _without(W, w0, held)
    F, lifted = np.zeros(len(w0)), w0.copy()
    for block in blocks:
        if block.normal is not None:
            lifted[block.normal] -= block.target
    P, G = W[np.ix_(rows, rows)], B[:, :, rows]
    size = max(float(np.abs(w0).max(initial=0.0)), 1e-300)
    P = P + 1e-9 * np.trace(P) / max(len(rows), 1) * np.eye(len(rows))
    inside = _inside(h, blocks, rows)
    scale = size / max(float(np.diag(P).min(initial=np.inf)), 1e-300)  # the largest forces there may be
    w = w0
    for _ in range(_TURNS):
        before, start = F, lifted.copy()
        rubbing = np.zeros(len(w0))
        for block in blocks:
            if block.normal is None or not block.tangents:
                continue
            tangents = list(block.tangents)
            if block.direction is not None:
                rubbing[tangents] = -block.kinetic * block.direction * F[block.normal]
            else:
                start[block.normal] += block.static * float(np.linalg.norm(w[tangents]))
        start += W @ rubbing
        F = np.zeros(len(w0))
        F[rows] = scale * minimised(h / scale, G, P * scale / size, start[rows] / size, inside, 1e-9)
        w = W @ (F + rubbing) + w0
        if np.abs(F - before).max(initial=0.0) < 1e-7 * max(np.abs(F).max(initial=0.0), 1e-300):
            break
    small = 1e-6 * size
    choices = tuple(_read(b, o, F, w, small) for b, o in zip(blocks, options, strict=True))
    along = {k: w[list(b.tangents)] for k, b in enumerate(blocks) if len(b.tangents) == 2}
    return Combination(choices, {k: x / s for k, x in along.items() if (s := float(np.hypot(*x))) > small})


def _without(W: Array, w0: Array, held: Sequence[int]) -> tuple[Array, Array]:
    """Responses with the rows that hold in any case kept at zero."""
    if not len(held):
        return W, w0
    at = list(held)
    Y = np.linalg.solve(W[np.ix_(at, at)], np.column_stack([W[at], w0[at]]))
    return W - W[:, at] @ Y[:, :-1], w0 - W[:, at] @ Y[:, -1]


def _cones(
    W: Array, w0: Array, blocks: Sequence[Block], held: Sequence[int]
) -> tuple[list[int], Array, Array]:
    """Rows that take part, and the cones of their forces: h + B F."""
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


def _inside(h: Array, blocks: Sequence[Block], rows: list[int]) -> Array:
    normals = {block.normal for block in blocks}
    return np.array([1.0 if row in normals else 0.0 for row in rows])


def _read(block: Block, options: tuple[Choice, ...], F: Array, w: Array, small: float) -> Choice:
    """The choice that comes nearest to a force and a response: what is well within its limit sticks."""
    along, held = w[list(block.tangents)], F[list(block.tangents)]
    limit = block.static if block.normal is None else block.static * abs(F[block.normal])
    inside = float(np.linalg.norm(held)) < (1 - 1e-4) * limit
    moves = float(np.linalg.norm(along)) > small and not inside
    kind = "slip" if moves or not block.tangents or block.direction is not None else "stick"
    if block.normal is not None and not block.bilateral and w[block.normal] - block.target > small:
        kind = "free"
    alike = [c for c in options if c.kind == kind]
    signed = [c for c in alike if len(along) == 1 and c.sign == np.sign(along[0])]
    return next(iter((*signed, *alike, *options)))
