"""Selection of the contact mode that is consistent with the accelerations and forces at a state."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from rikigaku.contact.complementarity import (
    STICKING,
    consistent_solutions,
    force_scale,
    smallest_response,
    solver_solution,
)
from rikigaku.contact.constraint_blocks import BlockMode, ConstraintBlock, ModeSolution, candidate_modes
from rikigaku.contact.contact_system import ContactState, ContactSystem
from rikigaku.contact.mode_enumeration import ModeAssignment
from rikigaku.core.errors import NoConsistentMode
from rikigaku.core.types import Array
from rikigaku.laws.contact.active_constraints import ActiveConstraints

CLOSED = 1e-8  # [m]: smaller penetrations of an initial state are closed by projection
_TOUCHING = 1e-10  # [m]: smaller gaps are closed
REST = 2e-9  # [m/s, rad/s]: smaller speeds are zero
# [m/s, rad/s]: a contact that leaves this slowly and is accelerated back stays closed: such a flight is less
# than 1e-13 m high, which is rounding of positions.
SLOW = 1e-6
_NONE = 10.0  # forces and responses below this multiple of the smallest that set a scale vanish
_MANY = 6  # blocks beyond which the modes before an event are tried first
_TRIED = 12  # assignments of many blocks that are tried before the solver's forces are taken
_MOST_CHANGES = 64  # combinations of the blocks that an event concerns


@dataclass(frozen=True, eq=False)
class SelectedMode:
    """A consistent contact mode.

    Attributes:
        contact_modes: "free", "stick", "slip", "slip+" or "slip-" for each contact, then for each joint with
            dry friction.
        constraints: the active constraints, for `system.forces` and the contact laws.
        directions: initial sliding directions, world axes, by contact that starts to slide in space.
        f, f_n: forces on the robot at the contacts, world axes (k, 3), and their normal components [N].
        indeterminate: contact forces are not unique (redundant contacts); f has the minimum norm within
            friction.
        painleve: contacts where friction reverses the sign of A.
        slack: force [N] beyond the friction limit at which guards fire; above the tolerance of the selection.
        reference: forces along all constraints near which the motion starts, where minimum-norm forces are
            not within friction.
        forces: along all constraints.
        undecided: a closed contact or sticking joint has neither force nor acceleration: all its modes fit.
    """

    contact_modes: tuple[str, ...]
    constraints: ActiveConstraints
    directions: dict[int, Array]
    f: Array
    indeterminate: bool = False
    painleve: tuple[str, ...] = ()
    f_n: tuple[float, ...] = ()
    slack: float = 0.0
    undecided: bool = False
    reference: Array | None = None
    forces: Array | None = None


class LaterState(NamedTuple):
    """A state after the one at which a contact mode begins, with the forces in all joints there."""

    t: float
    q: Array
    v: Array
    tau: Array


class SwitchHint(NamedTuple):
    """Modes that an event makes likely: at that moment forces are exactly at their limits.

    Attributes:
        slipping: contacts (`system.labels`) or joints that no longer stick. lifting: contacts that lift off.
        reversed: bilateral contacts whose normal force changed its sign, with the new sign.
    If another contact changes at the same moment the hint may be wrong: all other modes are tried as well.
    """

    slipping: tuple[str, ...] = ()
    lifting: tuple[str, ...] = ()
    reversed: Mapping[str, int] = MappingProxyType({})


NO_HINT = SwitchHint()


def select_mode(
    system: ContactSystem,
    t: float,
    q: Array,
    v: Array,
    tau: Any = None,
    hint: SwitchHint = NO_HINT,
    slow: float = SLOW,
    rest: float = REST,
    before: Sequence[str] = (),
    later: LaterState | None = None,
    start: Array | None = None,
) -> SelectedMode:
    """The contact mode that is consistent at a state; every contact and joint is tested.

    Args:
        tau: forces in all joints; those of the system if left out. hint: modes to try first.
        slow: contacts that leave more slowly than this [m/s] may stay closed if accelerated back.
        rest: contacts that slide more slowly than this in space [m/s] are at rest.
        before: `contact_modes` before an event; most of many contacts and joints keep theirs.
        start: `forces` of the mode before, from which the friction solver begins.
        later: a state shortly after this one, whose forces and accelerations decide instead.
    Raises:
        NoConsistentMode: if there is none, with the contacts where friction is beyond Painleve's limit.
    """
    tau = system.force(t, q, v) if tau is None else np.asarray(tau, dtype=np.float64)
    equations = system.constraint_equations(q, v, t, tau)
    decisive = equations
    if later is not None:
        decisive = system.constraint_equations(later.q, later.v, later.t, later.tau)
    W, w0 = decisive.W, decisive.free
    undefined = ~np.isfinite(equations.J).all(axis=1)  # no normal, as at the centre of a sphere
    W[undefined], W[:, undefined], w0[undefined] = 0.0, 0.0, 0.0
    state = system.contact_state(equations.residual, equations.rates)
    blocks, owners = _blocks(system, state, v, hint, slow, rest, touching(q))
    for k, (block, i) in enumerate(zip(blocks, owners, strict=True)):  # viscous forces of sliding contacts
        viscous = system.contacts[i].friction.viscous if i < len(system.contacts) else 0.0
        if viscous and block.direction is not None:
            w0 = w0 - W[:, list(blocks[k].tangents)] @ (viscous * state.sliding[i][: len(block.tangents)])
    first = _unchanged(blocks, [before[i] for i in owners]) if before and len(blocks) > _MANY else ()
    magnitude, permanent = decisive.magnitude, range(system.constraints.permanent)
    problem = W, w0, blocks, permanent
    reference = None
    most = _TRIED if len(blocks) > _MANY else None
    solution = next(consistent_solutions(*problem, first, magnitude, most, start), None)
    if solution is None and most is not None:
        solution = solver_solution(*problem, magnitude, start)
        if solution is None:
            solution = next(consistent_solutions(*problem, first, magnitude), None)
        elif solution.redundant:
            reference = solution.F
    if solution is None:
        raise _no_consistent_mode(system, W, blocks, owners, t)
    least = smallest_response(magnitude)
    size = force_scale(W, solution.F, least)
    selected = _selected(system, solution, owners, blocks, equations.directions, size)
    undecided = _undecided(W, solution, blocks, least)
    return replace(selected, undecided=undecided, reference=reference, forces=solution.F)


def touching(q: Array) -> float:
    """The largest gap [m] that is closed: far from the origin coordinates are rounded."""
    return max(_TOUCHING, 64 * float(np.finfo(float).eps) * float(np.abs(q).max(initial=0.0)))


def _undecided(W: Array, solution: ModeSolution, blocks: list[ConstraintBlock], least: float) -> bool:
    """Whether a block with friction, or a contact, has neither force nor response."""
    none = _NONE * force_scale(W, np.zeros(1), least)
    for block in blocks:
        rows = [*block.tangents] if block.normal is None else [block.normal, *block.tangents]
        if np.abs(solution.F[rows]).max() <= none and np.abs(solution.w[rows]).max() <= _NONE * least:
            return True
    return False


def _blocks(
    system: ContactSystem,
    state: ContactState,
    v: Array,
    hint: SwitchHint,
    slow: float = SLOW,
    rest: float = REST,
    gap: float = _TOUCHING,
) -> tuple[list[ConstraintBlock], list[int]]:
    """Blocks of closed contacts and of joints, and the contact (or, after these, joint) of each block.

    gap: [m], of closed contacts.
    """
    blocks, owners = [], []
    contacts, joints = system.equation_indices()
    for i, (contact, (normal, tangents)) in enumerate(zip(system.contacts, contacts, strict=True)):
        if not (state.gap[i] <= gap and state.approach[i] <= slow) and not contact.bilateral:
            continue
        friction, velocity = contact.friction, state.sliding[i][: len(tangents)]
        speed = float(np.linalg.norm(velocity))
        if not friction.limit and not friction.viscous:  # frictionless: the normal equation only
            block = ConstraintBlock(normal, (), bilateral=contact.bilateral)
        else:
            direction = velocity / speed if speed > (rest if len(tangents) == 2 else REST) else None
            kinetic = friction.coefficient(speed if direction is not None else 0.0)
            block = ConstraintBlock(
                normal, tangents, friction.limit, kinetic, 0.0, direction, contact.bilateral
            )
        label = system.labels[i]
        if label in hint.slipping:
            block = _later(block, "stick")
        if label in hint.reversed:
            block = _on_side(block, hint.reversed[label])
        if label in hint.lifting:
            block = replace(_later(block, "stick", "slip"), lifted=True)
        blocks.append(block)
        owners.append(i)
    for k, (joint, row) in enumerate(zip(system.joints, joints, strict=True)):
        rate = v[system.constraints.joints[k]]
        direction = np.array([np.sign(rate)]) if abs(rate) > REST else None
        block = ConstraintBlock(None, (row,), joint.limit, joint.coulomb, 0.0, direction)
        blocks.append(_later(block, "stick") if joint.joint in hint.slipping else block)
        owners.append(len(system.contacts) + k)
    return blocks, owners


def _unchanged(blocks: Sequence[ConstraintBlock], before: Sequence[str]) -> list[ModeAssignment]:
    """Assignments in which only blocks change that came to rest or that the hint names."""
    options = [block.candidates or candidate_modes(block) for block in blocks]
    kept: list[tuple[BlockMode, ...]] = []
    for block, choices, name in zip(blocks, options, before, strict=True):
        same = [
            c for c in choices
            if c.kind == name.rstrip("+-") and (not c.sign or name.endswith("+" if c.sign > 0 else "-"))
        ]  # fmt: skip
        came_to_rest = name.startswith("slip") and block.tangents and block.direction is None
        changes = block.candidates or came_to_rest or not same
        kept.append(choices if changes else (same[0],))
    some = itertools.islice(itertools.product(*kept), _MOST_CHANGES)
    return [ModeAssignment(modes, {}) for modes in some]


def _later(block: ConstraintBlock, *kinds: str) -> ConstraintBlock:
    """The block with candidates of those kinds last."""
    candidates = block.candidates or candidate_modes(block)
    return replace(block, candidates=tuple(sorted(candidates, key=lambda c: c.kind in kinds)))


def _on_side(block: ConstraintBlock, side: int) -> ConstraintBlock:
    """The block with sliding candidates of the other side last."""
    candidates = block.candidates or candidate_modes(block)
    return replace(
        block, candidates=tuple(sorted(candidates, key=lambda c: c.kind == "slip" and c.side != side))
    )


def _selected(
    system: ContactSystem,
    solution: ModeSolution,
    owners: list[int],
    blocks: list[ConstraintBlock],
    directions: Array,
    size: float,
) -> SelectedMode:
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
    contacts, joints = system.equation_indices()
    names = {normal: (i, 0) for i, (normal, _) in enumerate(contacts)}
    names |= {row: (i, 1 + j) for i, (_, rows) in enumerate(contacts) for j, row in enumerate(rows)}
    at = dict(zip(joints, system.constraints.joints, strict=True))
    plan = replace(
        system.constraints,
        contacts=tuple(names[row] for row in solution.independent if row in names),
        sliding=tuple(sliding),
        sticking_joints=tuple(at[row] for row in solution.independent if row in at),
        moving_joints=tuple(moving),
        redundant=tuple(names.get(row) or (-1, at[row]) for row in solution.redundant),
        unloaded=tuple(owners[k] for k in solution.unloaded),
    )
    painleve = tuple(system.labels[owners[k]] for k in solution.painleve)
    f = np.zeros((count, 3))
    for i, (normal, tangents) in enumerate(contacts):
        rows = [normal, *tangents]
        f[i] = solution.F[rows] @ directions[[row - first for row in rows]]
    f_n = tuple(float(solution.F[normal]) for normal, _ in contacts)
    slack = 2 * STICKING * size
    indeterminate = bool(solution.redundant or solution.unloaded)
    return SelectedMode(tuple(contact_modes), plan, starts, f, indeterminate, painleve, f_n, slack)


def _sign(mode: BlockMode, block: ConstraintBlock) -> int:
    """Sign of sliding along the one tangent; 0 in 3-D."""
    if mode.kind != "slip" or len(block.tangents) != 1:
        return 0
    return mode.sign if block.direction is None else int(np.sign(block.direction[0]))


def nearly_painleve(system: ContactSystem, t: float, q: Array, v: Array) -> list[str]:
    """Sliding contacts where A, the response to a normal force with friction, is near zero or negative."""
    equations = system.constraint_equations(q, v, t)
    W, state = equations.W, system.contact_state(equations.residual, equations.rates)
    blocks, owners = _blocks(system, state, v, NO_HINT)
    close = []
    for block, i in zip(blocks, owners, strict=True):
        if block.normal is not None and block.direction is not None:
            along = float(W[block.normal, list(block.tangents)] @ block.direction)
            if W[block.normal, block.normal] - block.kinetic * along < 1e-3 * W[block.normal, block.normal]:
                close.append(system.labels[i])
    return close


def _no_consistent_mode(
    system: ContactSystem, W: Array, blocks: list[ConstraintBlock], owners: list[int], t: float
) -> NoConsistentMode:
    beyond = []
    for block, i in zip(blocks, owners, strict=True):
        if block.normal is not None and block.tangents:
            W_nn, W_nt = W[block.normal, block.normal], W[block.normal, list(block.tangents)]
            push = float(np.linalg.norm(W_nt)) if block.direction is None else float(W_nt @ block.direction)
            if W_nn - block.kinetic * push <= 0:
                beyond.append(system.labels[i])
    if beyond:
        why = (
            f"At {', '.join(map(repr, beyond))} friction is beyond Painleve's limit (A <= 0): pressing "
            "harder accelerates the point into the surface. Rigid contact has no solution there but an "
            "impact without collision; give less friction or a compliant contact."
        )
    elif len(blocks) > 1:
        why = "Check whether contacts contradict each other."
    else:
        why = "Its forces fit neither sticking, sliding nor opening: check for values that are not finite."
    return NoConsistentMode(f"No contact mode is consistent at t = {t:.9g} s. {why}", beyond)
