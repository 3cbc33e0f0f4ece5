"""Selection of the contact mode that is consistent with the accelerations and forces at a state."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from rikigaku.contact.complementarity import assigned_solution, consistent_solutions, solver_solution
from rikigaku.contact.constraint_blocks import BlockMode, ConstraintBlock, ModeSolution
from rikigaku.contact.constraint_islands import Island, islands, joined
from rikigaku.contact.contact_blocks import contact_blocks, tried_last
from rikigaku.contact.contact_rounding import touching
from rikigaku.contact.contact_system import ContactSystem
from rikigaku.contact.contact_tolerances import REST, SLOW, STICKING, force_scale, smallest_response
from rikigaku.contact.mode_enumeration import FEW, ModeAssignment, solved_modes
from rikigaku.contact.painleve_limit import is_beyond_painleve, no_consistent_mode
from rikigaku.contact.selected_mode import NO_HINT, LaterState, SelectedMode, SwitchHint
from rikigaku.core.errors import NoConsistentMode
from rikigaku.core.types import Array

_NONE = 10.0  # forces and responses below this multiple of the smallest that set a scale vanish
# Relative excess over static friction at which a contact slips that sticks by a thin margin, as the layers of
# a sliding stack with equal friction: forces follow the directions of sliding, which have the integration's
# error.
_TIE = 1e-7
_MANY = 6  # blocks beyond which the modes before an event are tried first
_TRIED = 3  # assignments of many blocks, besides nearby ones, tried before the solver's forces are taken
_TRIED_LAST = 60  # assignments of many blocks that are tried where the solver found no forces
_MOST_CHANGES = 64  # combinations of the blocks that an event concerns


def select_mode(
    system: ContactSystem,
    t: float,
    q: Array,
    v: Array,
    tau: Any = None,
    hint: SwitchHint = NO_HINT,
    slow: float | Array = SLOW,
    rest: float | Array = REST,
    before: Sequence[str] = (),
    later: LaterState | None = None,
    start: Array | None = None,
    tie: float = _TIE,
) -> SelectedMode:
    """The contact mode that is consistent at a state; every contact and joint is tested.

    Args:
        tau: forces in all joints; those of the system if left out. hint: modes to try first.
        slow: contacts that leave more slowly than this [m/s] may stay closed if accelerated back.
        rest: contacts that slide more slowly than this in space [m/s] are at rest. Both for all, or of each.
        before: `contact_modes` before an event; most of many contacts and joints keep theirs.
        start: `forces` of the mode before, from which the friction solver begins.
        later: a state shortly after this one, whose forces and accelerations decide instead.
        tie: relative excess over static friction at which redundant contacts slip that stay at their limits.
    Raises:
        NoConsistentMode: if there is none, with the contacts where friction is beyond Painleve's limit.
    """
    tau = system.force(t, q, v) if tau is None else np.asarray(tau, dtype=np.float64)
    equations = system.equations_at(t, q, v, tau)
    decisive = equations
    if later is not None:
        decisive = system.equations_at(later.t, later.q, later.v, later.tau)
    W, w0 = decisive.W, decisive.free
    if undefined := system.engine.configuration(t, q).undefined:
        W, w0 = W.copy(), w0.copy()
        W[undefined], W[:, undefined], w0[undefined] = 0.0, 0.0, 0.0
    state = system.contact_state(equations.residual, equations.rates)
    blocks, owners = contact_blocks(system, state, v, hint, touching(system, t, q), slow, rest)
    for k, (block, i) in enumerate(zip(blocks, owners, strict=True)):  # viscous forces of sliding contacts
        viscous = system.contacts[i].friction.viscous if i < len(system.contacts) else 0.0
        if viscous and block.direction is not None:
            w0 = w0 - W[:, list(blocks[k].tangents)] @ (viscous * state.sliding[i][: len(block.tangents)])
    # Beyond Painleve's limit a contact may both slide and open. Sliding is unstable there: a compliance,
    # however small, lets it open.
    blocks = [tried_last(b, "slip") if is_beyond_painleve(W, b) else b for b in blocks]
    likely = () if later is None else later.modes
    parts = islands(W, blocks, range(system.constraints.permanent))
    found, sizes, undecided, near = [], [0.0] * len(blocks), False, False
    tolerances = [STICKING] * len(blocks)
    names_of = (*system.labels, *(joint.joint for joint in system.joints))
    for island in parts:
        own = [owners[k] for k in island.members]
        names = [before[i] for i in own] if before else [], [likely[i] for i in own] if likely else []
        magnitude = float(island.part(decisive.magnitude).max(initial=0.0))
        least = smallest_response(magnitude)
        solution, chosen = _island_mode(
            island, island.part(w0), magnitude, *names, None if start is None else island.part(start)
        )
        if solution is None:
            raise no_consistent_mode(system, island.W, island.blocks, own, t)
        found.append(solution)
        size = force_scale(island.W, solution.F, least)
        thin = solution.rank == 1 or _sticks_at_limit(solution, [names_of[i] for i in own], hint)
        for k in island.members:
            sizes[k] = size
            tolerances[k] = tie if thin else STICKING
        undecided = undecided or _undecided(island.W, solution, island.blocks, least)
        near = near or chosen
    whole = joined(parts, found, W, w0, blocks)
    selected = _selected(system, whole, owners, blocks, equations.directions, sizes, tolerances)
    return replace(selected, undecided=undecided, reference=whole.F if near else None, forces=whole.F)


def _sticks_at_limit(solution: ModeSolution, names: Sequence[str], hint: SwitchHint) -> bool:
    """Whether a contact that has come to its friction limit sticks on, as redundant ones beside sliding ones
    do: other forces of theirs give the same motion."""
    kinds = [mode.kind for mode in solution.modes]
    held = any(kind == "stick" and name in hint.slipping for kind, name in zip(kinds, names, strict=True))
    return bool(held and solution.redundant and "slip" in kinds)


def _island_mode(
    island: Island,
    w0: Array,
    magnitude: float,
    before: Sequence[str],
    likely: Sequence[str],
    start: Array | None,
) -> tuple[ModeSolution | None, bool]:
    """The consistent modes of an island, None if there are none; and whether motion starts near its forces.

    before, likely: names of the modes before an event, and of those to try first.
    """
    blocks = island.blocks
    problem = island.W, w0, blocks, island.permanent
    first = _unchanged(blocks, before) if before and len(blocks) > _MANY else ()
    same = _named(blocks, likely) if likely else None
    solution = None if same is None else assigned_solution(*problem, same, magnitude)
    chosen = False
    if solution is None and first:  # most of many contacts and joints keep their modes
        solution = assigned_solution(*problem, first[0], magnitude)
        solution = None if solution is None or solution.rank else solution
    if solution is None:
        guess = solved_modes(*problem, start) if len(blocks) > FEW else None
        many = guess is not None and len(blocks) > _MANY
        most = len(first) + _TRIED if many else None
        found = consistent_solutions(*problem, first, magnitude, most, guess)
        solution = _of_lowest_rank(found, 0 if many else 1)
        if solution is None and guess is not None and many:
            solution = solver_solution(*problem, magnitude, guess)
            if solution is None:
                last = len(first) + _TRIED_LAST
                solution = next(consistent_solutions(*problem, first, magnitude, last, guess), None)
            else:
                chosen = bool(solution.redundant)
    return solution, chosen or (solution is not None and solution.near)


def _of_lowest_rank(solutions: Iterator[ModeSolution], accepted: int) -> ModeSolution | None:
    """The first solution whose rank is accepted, else the first of those with the lowest rank."""
    found: list[ModeSolution] = []
    for solution in itertools.islice(solutions, _TRIED_LAST):
        if solution.rank <= accepted:
            return solution
        found.append(solution)
    return min(found, key=lambda solution: solution.rank, default=None)


def _undecided(W: Array, solution: ModeSolution, blocks: list[ConstraintBlock], least: float) -> bool:
    """Whether a contact has neither force nor response.

    A joint at rest without force sticks: its friction has a limit of its own.
    """
    none = _NONE * force_scale(W, np.zeros(1), least)
    vanishes = ((np.abs(solution.F) <= none) & (np.abs(solution.w) <= _NONE * least)).tolist()
    for block in blocks:
        if block.normal is None:
            if block.static <= none and vanishes[block.tangents[0]]:
                return True
        elif vanishes[block.normal] and all(vanishes[i] for i in block.tangents):
            return True
    return False


def _unchanged(blocks: Sequence[ConstraintBlock], before: Sequence[str]) -> list[ModeAssignment]:
    """Assignments in which only blocks change that came to rest or that the hint names."""
    kept: list[tuple[BlockMode, ...]] = []
    for block, name in zip(blocks, before, strict=True):
        same = _with_name(block.options, name)
        came_to_rest = name.startswith("slip") and block.tangents and block.direction is None
        changes = block.candidates or came_to_rest or same is None
        kept.append(block.options if changes or same is None else (same,))
    some = itertools.islice(itertools.product(*kept), _MOST_CHANGES)
    return [ModeAssignment(modes, {}) for modes in some]


def _named(blocks: Sequence[ConstraintBlock], names: Sequence[str]) -> ModeAssignment | None:
    """The assignment of the modes with these names; None if a block has no such candidate."""
    modes = []
    for block, name in zip(blocks, names, strict=True):
        same = _with_name(block.options, name)
        if same is None:
            return None
        modes.append(same)
    return ModeAssignment(tuple(modes), {})


@cache
def _with_name(options: tuple[BlockMode, ...], name: str) -> BlockMode | None:
    """The first of these modes with that name in `contact_modes`."""
    kind, sign = name.rstrip("+-"), {"+": 1, "-": -1}.get(name[-1:], 0)
    return next((c for c in options if c.kind == kind and c.sign in (0, sign)), None)


def _selected(
    system: ContactSystem,
    solution: ModeSolution,
    owners: list[int],
    blocks: list[ConstraintBlock],
    directions: Array,
    sizes: Sequence[float],
    tolerances: Sequence[float],
) -> SelectedMode:
    """sizes: of the forces that each block's are compared with. tolerances: of static friction, relative."""
    count = len(system.contacts)
    contact_modes = ["free"] * (count + len(system.joints))
    starts: dict[int, Array] = {}
    sliding: list[tuple[int, int, int]] = []
    moving: list[tuple[int, int]] = []
    first = system.constraints.permanent
    for k, (i, mode, block) in enumerate(zip(owners, solution.modes, blocks, strict=True)):
        sign = _sign(mode, block)
        contact_modes[i] = mode.kind + {1: "+", -1: "-"}.get(sign, "") if mode.kind == "slip" else mode.kind
        if i >= count:
            if mode.kind != "stick":
                moving.append((system.constraints.joints[i - count], sign))
        elif mode.kind == "slip":
            if block.tangents:
                sliding.append((i, sign, mode.side))
            if len(block.tangents) == 2 and block.direction is None:  # it starts to slide
                local = directions[[row - first for row in block.tangents]]
                starts[i] = solution.directions[k] @ local
    contacts, names = system.equation_indices()[0], system.layout.equation_names
    if any(row < first for row in solution.redundant):
        raise NoConsistentMode(
            "The configuration is singular: equations of guides or loops depend on one another there. Begin "
            "at another one."
        )
    independent = [names[row] for row in solution.independent if row in names]
    plan = replace(
        system.constraints,
        contacts=tuple(name for name in independent if name[0] >= 0),
        sliding=tuple(sliding),
        sticking_joints=tuple(k for i, k in independent if i < 0),
        moving_joints=tuple(moving),
        redundant=tuple(names[row] for row in solution.redundant),
        unloaded=tuple(owners[k] for k in solution.unloaded),
    )
    painleve = tuple(system.labels[owners[k]] for k in solution.painleve)
    rows, beginnings = system.layout.force_rows
    f = np.zeros((count, 3))
    if count:
        f[:] = np.add.reduceat(solution.F[rows, None] * directions[rows - first], beginnings)
    applied = solution.F.tolist()
    f_n = tuple(applied[normal] for normal, _ in contacts)
    slacks, friction_slacks = [0.0] * len(contact_modes), [0.0] * len(contact_modes)
    for i, size, tolerance in zip(owners, sizes, tolerances, strict=True):
        slacks[i], friction_slacks[i] = 2 * STICKING * size, 2 * tolerance * size
    return SelectedMode(
        tuple(contact_modes), plan, starts, f, bool(solution.redundant or solution.unloaded), painleve, f_n,
        tuple(slacks), tuple(friction_slacks),
    )  # fmt: skip


def _sign(mode: BlockMode, block: ConstraintBlock) -> int:
    """Sign of sliding along the one tangent; 0 in 3-D."""
    if mode.kind != "slip" or len(block.tangents) != 1:
        return 0
    return mode.sign if block.direction is None else int(np.sign(block.direction[0]))
