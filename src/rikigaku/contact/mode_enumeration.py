"""Order in which assignments of contact modes are tried: likely ones first, then those that differ least.

The likely one is read off a solution of the friction problem by the native solver (`friction_problem`), whose
forces are exact up to rounding. One linear solve then verifies it; enumeration is the last resort.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import hypot
from typing import NamedTuple

import numpy as np

from rikigaku.contact.constraint_blocks import BlockMode, ConstraintBlock
from rikigaku.contact.friction_problem import FrictionSolution, solved_friction
from rikigaku.core.errors import TooLarge
from rikigaku.core.types import Array

_LARGEST = 1_000  # assignments tried
_SWEEPS = 3_000  # of the friction solver
_FEW_SWEEPS, _COMPLIANCES = 40, (1e-5, 1e-4, 1e-6)  # of its first attempts
_SMALL = 1e-9  # of responses and forces, relative to the largest
_LIMIT = 1e-9  # relative distance to its limit at which friction may slip
FEW = 2  # blocks whose modes are enumerated before the friction problem is solved


class ModeAssignment(NamedTuple):
    """A mode for every block, and likely sliding directions by block."""

    modes: tuple[BlockMode, ...]
    directions: dict[int, Array]


class SolvedModes(NamedTuple):
    """Forces of the friction problem, and the modes and sliding directions that they show."""

    solution: FrictionSolution
    assignment: ModeAssignment


def mode_assignments(
    W: Array,
    w0: Array,
    blocks: Sequence[ConstraintBlock],
    permanent: Sequence[int],
    first: Sequence[ModeAssignment],
    guess: SolvedModes | None = None,
) -> Iterator[ModeAssignment]:
    """Assignments: that of the friction solver, `first`, every block's first, second, ... candidate, and
    neighbours of the solver's.

    guess: `solved_modes` of this problem, if they are known.

    Raises:
        TooLarge: after the largest number of assignments that is tried.
    """
    options = [block.options for block in blocks]
    count = 0
    seen: set[tuple[tuple[BlockMode, ...], bool]] = set()  # modes, and whether sliding directions were known
    for one in _likely_first(W, w0, blocks, permanent, options, first, guess):
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
    guess: SolvedModes | None,
) -> Iterator[ModeAssignment]:
    centre = ModeAssignment(tuple(option[0] for option in options), {})
    if len(blocks) > FEW:
        solved, centre = solved_modes(W, w0, blocks, permanent) if guess is None else guess
        each = list(zip(blocks, options, centre.modes, strict=True))
        hinted = [_against(solved.F, b, option[0], option) if b.candidates else c for b, option, c in each]
        at_limit = [_at_limit(solved.F, block, option) or mode for block, option, mode in each]
        if solved.solved:
            yield centre._replace(modes=tuple(hinted))
            yield centre
            yield centre._replace(modes=tuple(at_limit))
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
) -> SolvedModes:
    """Forces of the friction problem, and the modes and sliding directions that they show.

    Blocks that slide in a known direction have friction in proportion to their normal force, which changes
    the column of W, or constant friction. Blocks at rest have static friction, unless an event ends their
    sticking.

    forces: of a similar problem, from which the solver begins.
    """
    columns, constant = W.copy(), np.zeros(len(w0))  # constant: friction forces that are known
    reduced: list[ConstraintBlock] = []
    factors: list[tuple[ConstraintBlock, Array]] = []
    for block in blocks:
        tangents = list(block.tangents)
        if block.direction is None:
            first = block.candidates[0].kind if block.candidates else "stick"
            same = first == "slip" or block.kinetic == block.static
            reduced.append(block if same else replace(block, kinetic=block.static))
        elif block.normal is None:
            constant[tangents] = -block.kinetic * block.direction
        else:
            side = block.candidates[0].side if block.candidates else 1
            factor = -side * block.kinetic * block.direction
            columns[:, block.normal] += W[:, tangents] @ factor
            factors.append((block, factor))
            if not block.shared:
                reduced.append(replace(block, tangents=()))
    found = _solved_forces(columns, w0 + W @ constant, reduced, permanent, forces)
    F = found.F + constant
    for block, factor in factors:
        F[list(block.tangents)] = factor * F[block.normal]
    found = replace(found, F=F)
    small_w = _SMALL * max(float(np.abs(w0).max(initial=0.0)), 1e-300)
    small_F = _SMALL * max(float(np.abs(F).max(initial=0.0)), 1e-300)
    applied, responses = F.tolist(), found.w.tolist()
    modes = tuple(_mode_of(block, applied, responses, small_w, small_F) for block in blocks)
    directions = {}
    for k, block in enumerate(blocks):
        if len(block.tangents) == 2 and block.direction is None:
            tangents = list(block.tangents)
            opposed = -F[tangents] if max(abs(applied[i]) for i in tangents) > small_F else found.w[tangents]
            if (size := hypot(*opposed)) > 0:
                directions[k] = opposed / size
    return SolvedModes(found, ModeAssignment(modes, directions))


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
        found = solved_friction(W, w0, blocks, permanent, likely, sweeps=_FEW_SWEEPS)
        if found.solved:
            return found
    none = np.zeros(len(w0))
    for compliance in _COMPLIANCES:
        soft = W + compliance * np.diag(np.diag(W))
        near = solved_friction(soft, w0, blocks, permanent, none, sweeps=_FEW_SWEEPS).F
        found = solved_friction(W, w0, blocks, permanent, near, sweeps=_FEW_SWEEPS)
        if found.solved:
            return found
    return solved_friction(W, w0, blocks, permanent, none, sweeps=_SWEEPS)


def _at_limit(F: Array, block: ConstraintBlock, options: tuple[BlockMode, ...]) -> BlockMode | None:
    """The sliding candidate of a block at rest whose friction is at its limit; None if it is not.

    Where sliding begins its acceleration vanishes: forces tell what responses do not.
    """
    if block.direction is not None or not block.tangents or block.bilateral:
        return None
    limit = block.static * (1.0 if block.normal is None else float(F[block.normal]))
    slips = [c for c in options if c.kind == "slip" and not c.opens]
    if not slips or limit <= 0 or limit - hypot(*F[list(block.tangents)]) > _LIMIT * limit:
        return None
    return _against(F, block, slips[0], options)


def _against(F: Array, block: ConstraintBlock, mode: BlockMode, options: tuple[BlockMode, ...]) -> BlockMode:
    """Of candidates that differ in the sign of sliding, the one against the friction force."""
    if not mode.sign:
        return mode
    other = mode._replace(sign=int(-np.sign(mode.side * F[block.tangents[0]])) or mode.sign)
    return other if other in options else mode


def _mode_of(
    block: ConstraintBlock, F: Sequence[float], w: Sequence[float], small_w: float, small_F: float
) -> BlockMode:
    """The candidate nearest to a force and a response."""
    options = block.options
    along = [w[i] for i in block.tangents]
    moves = hypot(*along) > small_w
    kind = "slip" if moves or not block.tangents or block.direction is not None else "stick"
    opens = False
    if block.normal is not None and not block.bilateral and w[block.normal] - block.target > small_w:
        kind, opens = ("free", False) if block.base <= 0 else (kind, True)
    side = -1 if block.bilateral and block.normal is not None and F[block.normal] < -small_F else 1
    begins = len(along) == 1 and block.direction is None and kind == "slip"
    sign = (along[0] > 0) - (along[0] < 0) if begins else 0
    wanted = BlockMode(kind, sign, side if kind == "slip" else 1, opens)
    alike = [c for c in options if c.kind == kind and c.opens == opens]
    return wanted if wanted in options else next(iter((*alike, *options)))
