"""Contact complementarity w = W F + w0 with Coulomb friction, by enumeration of contact modes.

The same problem arises twice. For accelerations, F are forces and w accelerations along the constraints; for
an impact, F are impulses and w velocities after it. Each block (a normal and its tangents, or a joint) has a
few modes. An assignment of modes to all blocks is a linear system; it is consistent if its solution satisfies
the inequalities of the modes. Redundant constraints have many solutions; one consistent solution suffices.
"""

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from rikigaku.contact.constraint_blocks import BlockMode, ConstraintBlock, ModeSolution
from rikigaku.contact.contact_tolerances import TOLERANCE, smallest_response
from rikigaku.contact.mode_enumeration import ModeAssignment, SolvedModes, mode_assignments
from rikigaku.contact.mode_system import ModeSystem, acts
from rikigaku.contact.redundancy import independent_equations
from rikigaku.core.types import Array


def consistent_solutions(
    W: Array,
    w0: Array,
    blocks: Sequence[ConstraintBlock],
    permanent: Sequence[int] = (),
    first: Sequence[ModeAssignment] = (),
    magnitude: float = 0.0,
    most: int | None = None,
    guess: SolvedModes | None = None,
) -> Iterator[ModeSolution]:
    """All consistent assignments of modes, the likely ones first.

    permanent: constraints that are active in every mode (loops, guides); w is zero there.
    first: the assignments to try first.
    magnitude: of the largest terms whose sum is w0 (`ConstraintEquations.magnitude`).
    most: assignments to try; all of them if left out. guess: `solved_modes`, if they are known.

    Raises:
        TooLarge: if too many assignments were tried.
    """
    for assignment in itertools.islice(mode_assignments(W, w0, blocks, permanent, first, guess), most):
        solution = _solution(W, w0, blocks, assignment, permanent, smallest_response(magnitude))
        if solution is not None:
            yield solution


def assigned_solution(
    W: Array,
    w0: Array,
    blocks: Sequence[ConstraintBlock],
    permanent: Sequence[int],
    assignment: ModeAssignment,
    magnitude: float,
) -> ModeSolution | None:
    """The solution of one assignment of modes; None if it is not consistent."""
    return _solution(W, w0, blocks, assignment, permanent, smallest_response(magnitude))


def solver_solution(
    W: Array,
    w0: Array,
    blocks: Sequence[ConstraintBlock],
    permanent: Sequence[int],
    magnitude: float,
    guess: SolvedModes,
) -> ModeSolution | None:
    """The forces of the friction solver, with the modes they show; None if it found none.

    For redundant contacts that partly stick and partly slide, where few assignments have minimum-norm forces
    within friction. These forces are then the ones near which the motion starts.
    """
    solved, (modes, likely) = guess
    least = max(smallest_response(magnitude), float(np.abs(w0).max(initial=0.0)))
    if not solved.residual <= TOLERANCE * least:
        return None
    active, directions = list(permanent), {}
    modes = tuple(c if acts(k, blocks, modes) else BlockMode("free") for k, c in enumerate(modes))
    for k, (block, mode) in enumerate(zip(blocks, modes, strict=True)):
        if mode.kind == "free":
            continue
        if block.normal is not None and not block.shared:
            active.append(block.normal)
        if mode.kind == "stick":
            active += block.tangents
        elif block.tangents:
            start = np.full(len(block.tangents), float(mode.sign))
            known = block.direction if block.direction is not None else likely.get(k, start)
            directions[k] = known
    independent = _independent(W, active, blocks, permanent)
    redundant = tuple(i for i in active if i not in independent)
    return ModeSolution(modes, solved.F, solved.w, tuple(independent), directions, redundant)


def _solution(
    W: Array,
    w0: Array,
    blocks: Sequence[ConstraintBlock],
    assignment: ModeAssignment,
    permanent: Sequence[int],
    least: float,
) -> ModeSolution | None:
    """The solution for these modes if it is consistent with them."""
    modes = assignment.modes
    directions = {
        k: b.direction for k, (b, c) in enumerate(zip(blocks, modes, strict=True))
        if c.kind == "slip" and b.direction is not None
    }  # fmt: skip
    unknown = []
    for k, (block, mode) in enumerate(zip(blocks, modes, strict=True)):
        if mode.kind == "slip" and k not in directions:
            if len(block.tangents) == 2 and acts(k, blocks, modes):
                unknown.append(k)
            else:
                directions[k] = np.full(len(block.tangents), float(mode.sign))
    system = ModeSystem(W, w0, blocks, modes, permanent, least)
    if unknown:
        found = system.start_directions(directions, unknown, assignment.directions)
        if found is None:
            return None
        directions |= found
    solved = system.distribute(system.solve(directions))
    if solved is None or not system.is_consistent(solved, directions, unknown):
        return None
    no_push = {blocks[k].normal for k in solved.unloaded}
    without_force = {i for b in blocks if b.normal in no_push for i in (b.normal, *b.tangents)}
    active = [i for i in solved.active if i not in without_force]
    independent = _independent(W, active, blocks, permanent) if solved.free.shape[1] else active
    redundant = tuple(i for i in active if i not in independent) if len(independent) < len(active) else ()
    modes = tuple(c if acts else BlockMode("free") for c, acts in zip(modes, system.acting, strict=True))
    return ModeSolution(
        modes, solved.F, solved.w, tuple(independent), directions, redundant,
        solved.unloaded, solved.painleve, solved.near, system.rank(solved, directions),
    )  # fmt: skip


def _independent(
    W: Array, active: Sequence[int], blocks: Sequence[ConstraintBlock], permanent: Sequence[int]
) -> list[int]:
    """Independent constraints: loops and guides, then normals, whose gaps are projected, then the others."""
    normals = {block.normal for block in blocks}
    groups: tuple[list[int], ...] = ([], [], [])
    for i in active:
        groups[0 if i in permanent else 1 if i in normals else 2].append(i)
    return independent_equations(W, *groups)
