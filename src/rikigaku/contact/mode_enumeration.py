"""Order in which assignments of contact modes are tried: likely ones first, then those that differ least.

The likely one is read off a solution of the friction problem by the native solver (`friction_problem`), whose
forces are exact up to rounding. One linear solve then verifies it; enumeration is the last resort.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from rikigaku.contact.constraint_blocks import BlockMode, ConstraintBlock, candidate_modes
from rikigaku.contact.friction_problem import FrictionSolution, friction_solution
from rikigaku.core.errors import TooLarge
from rikigaku.core.types import Array

_LARGEST = 1_000  # assignments tried
_SWEEPS = 3_000  # of the friction solver
_FEW_SWEEPS, _COMPLIANCES = 40, (1e-5, 1e-4, 1e-6)  # of its first attempts
_SMALL = 1e-9  # of responses and forces, relative to the largest
_FEW = 2  # blocks whose modes are enumerated before the friction problem is solved


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
    start: Array | None = None,
) -> Iterator[ModeAssignment]:
    """Assignments: that of the friction solver, `first`, every block's first, second, ... candidate, and
    neighbours of the solver's.

    start: forces of a similar problem, from which the solver begins.

    Raises:
        TooLarge: after the largest number of assignments that is tried.
    """
    options = [block.candidates or candidate_modes(block) for block in blocks]
    count = 0
    seen: set[tuple[tuple[BlockMode, ...], bool]] = set()  # modes, and whether sliding directions were known
    for one in _likely_first(W, w0, blocks, permanent, options, first, start):
        key = one.modes, bool(one.directions)
        if key in seen or (one.modes, True) in seen:
            continue
        seen.add(key)
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
    start: Array | None,
) -> Iterator[ModeAssignment]:
    centre = ModeAssignment(tuple(option[0] for option in options), {})
    if len(blocks) > _FEW:
        solved, centre = solved_modes(W, w0, blocks, permanent, start)
        hinted = tuple(
            option[0] if block.candidates else mode
            for block, option, mode in zip(blocks, options, centre.modes, strict=True)
        )
        if solved.solved:
            yield centre._replace(modes=hinted)
            yield centre
    yield from first
    for k in range(max(map(len, options), default=1)):
        yield ModeAssignment(tuple(option[min(k, len(option) - 1)] for option in options), {})
    for changed in range(len(options) + 1):
        for which in itertools.combinations(range(len(options)), changed):
            others = [[c for c in options[k] if c != centre.modes[k]] for k in which]
            for instead in itertools.product(*others):
                modes = list(centre.modes)
                for k, mode in zip(which, instead, strict=True):
                    modes[k] = mode
                yield centre._replace(modes=tuple(modes))


def solved_modes(
    W: Array,
    w0: Array,
    blocks: Sequence[ConstraintBlock],
    permanent: Sequence[int],
    forces: Array | None = None,
) -> tuple[FrictionSolution, ModeAssignment]:
    """Forces of the friction problem, and the modes and sliding directions that they show.

    Blocks that slide in a known direction have friction in proportion to their normal force, which changes
    the column of W, or constant friction. Blocks at rest have static friction, unless an event ends their
    sticking.

    forces: of a similar problem, from which the solver begins.
    """
    columns, start = W.copy(), w0.copy()
    reduced: list[ConstraintBlock] = []
    factors: list[tuple[ConstraintBlock, Array]] = []
    for block in blocks:
        tangents = list(block.tangents)
        if block.direction is None:
            first = block.candidates[0].kind if block.candidates else "stick"
            reduced.append(block if first == "slip" else replace(block, kinetic=block.static))
        elif block.normal is None:
            start += W[:, tangents] @ (-block.kinetic * block.direction)
        else:
            side = block.candidates[0].side if block.candidates else 1
            factor = -side * block.kinetic * block.direction
            columns[:, block.normal] += W[:, tangents] @ factor
            factors.append((block, factor))
            reduced.append(replace(block, tangents=()))
    found = _solved_forces(columns, start, reduced, permanent, forces)
    F = found.F.copy()
    for block in blocks:
        if block.direction is not None and block.normal is None:
            F[list(block.tangents)] = -block.kinetic * block.direction
    for block, factor in factors:
        F[list(block.tangents)] = factor * F[block.normal]
    found = replace(found, F=F)
    small_w = _SMALL * max(float(np.abs(w0).max(initial=0.0)), 1e-300)
    small_F = _SMALL * max(float(np.abs(F).max(initial=0.0)), 1e-300)
    modes = tuple(_mode_of(block, F, found.w, small_w, small_F) for block in blocks)
    directions = {}
    for k, block in enumerate(blocks):
        if len(block.tangents) == 2 and block.direction is None:
            tangents = list(block.tangents)
            opposed = -F[tangents] if np.abs(F[tangents]).max() > small_F else found.w[tangents]
            if (size := float(np.hypot(*opposed))) > 0:
                directions[k] = opposed / size
    return found, ModeAssignment(modes, directions)


def _solved_forces(
    W: Array, w0: Array, blocks: Sequence[ConstraintBlock], permanent: Sequence[int], forces: Array | None
) -> FrictionSolution:
    """Forces of the friction problem, from similar ones, or by continuation.

    Redundant contacts make W singular and sweeps slow. With a compliance of 1e-5 of the diagonal of W few
    Newton iterations solve the problem, and a few more from there solve the rigid one.
    """
    if forces is not None:
        rows = [*permanent, *(i for b in blocks for i in (b.normal, *b.tangents) if i is not None)]
        likely = np.zeros(len(w0))
        likely[rows] = forces[rows]
        found = friction_solution(W, w0, blocks, permanent, likely, sweeps=_FEW_SWEEPS)
        if found.solved:
            return found
    for compliance in _COMPLIANCES:
        soft = W + compliance * np.diag(np.diag(W))
        near = friction_solution(soft, w0, blocks, permanent, sweeps=_FEW_SWEEPS).F
        found = friction_solution(W, w0, blocks, permanent, near, sweeps=_FEW_SWEEPS)
        if found.solved:
            return found
    return friction_solution(W, w0, blocks, permanent, sweeps=_SWEEPS)


def _mode_of(block: ConstraintBlock, F: Array, w: Array, small_w: float, small_F: float) -> BlockMode:
    """The candidate nearest to a force and a response."""
    options = block.candidates or candidate_modes(block)
    along = w[list(block.tangents)]
    moves = float(np.linalg.norm(along)) > small_w
    kind = "slip" if moves or not block.tangents or block.direction is not None else "stick"
    opens = False
    if block.normal is not None and not block.bilateral and w[block.normal] - block.target > small_w:
        kind, opens = ("free", False) if block.base <= 0 else (kind, True)
    side = -1 if block.bilateral and F[block.normal] < -small_F else 1
    sign = int(np.sign(along[0])) if len(along) == 1 and block.direction is None and kind == "slip" else 0
    wanted = BlockMode(kind, sign, side if kind == "slip" else 1, opens)
    alike = [c for c in options if c.kind == kind and c.opens == opens]
    return wanted if wanted in options else next(iter((*alike, *options)))
