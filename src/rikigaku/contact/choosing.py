"""The mode a robot with contacts goes on with at a state, found from accelerations."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.tree import tree
from rikigaku.contact.blocks import Answer, Block, Choice, default_choices
from rikigaku.contact.complementarity import STICKING, answers, force_size
from rikigaku.contact.system import ContactState, ContactSystem
from rikigaku.errors import NoConsistentMode
from rikigaku.laws.contact import ModePlan

Array = NDArray[np.float64]

CLOSED = 1e-8  # [m]: a gap this small is none
REST = 2e-9  # [m/s, rad/s]: a speed this small is none
# [m/s, rad/s]: what leaves a surface this slowly and is accelerated back does not leave: such a flight is
# less than 1e-13 m high, which positions cannot tell from rounding.
SLOW = 1e-6


@dataclass(frozen=True, eq=False)
class Choosing:
    """What was chosen: a word for each contact and joint, the plan for the laws, and what to say about it.

    Attributes:
        words: "free", "stick", "slip", "slip+", "slip-". plan: for `system.forces` and the other laws.
        directions: by contact, in the world, where sliding starts in space.
        f, f_n: forces on the robot at the contacts, world axes (k, 3), and their normal parts [N].
        shared: contact forces are not decided by the motion; f are the least within friction.
        painleve: contacts whose friction turns the sign of A.
        slack: force [N] beyond its limit at which friction gives way, above what the choice was made by.
    """

    words: tuple[str, ...]
    plan: ModePlan
    directions: dict[int, Array]
    f: Array
    shared: bool = False
    painleve: tuple[str, ...] = ()
    f_n: tuple[float, ...] = ()
    slack: float = 0.0


class Told(NamedTuple):
    """What an event says is to be tried first: forces at that very moment are at their limits.

    lost: contacts (`system.labels`) or joints that do not stick any longer; opened: contacts that just lifted
    off; turned: bilateral contacts whose normal force changed its sign, and to which. Where another contact
    changes at the same moment they may be wrong, and the rest is tried as well.
    """

    lost: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()
    turned: Mapping[str, int] = MappingProxyType({})


NOTHING = Told()


def chosen_mode(
    system: ContactSystem,
    t: float,
    q: Array,
    v: Array,
    tau: Any = None,
    told: Told = NOTHING,
    slow: float = SLOW,
) -> Choosing:
    """The mode consistent with the accelerations at a state; every contact and joint is tested.

    slow: speed [m/s] up to which a contact that leaves may be held instead, if it is accelerated back.

    Raises:
        NoConsistentMode: if there is none, with the contacts where friction is beyond Painleve's limit.
    """
    tau = system.force(t, q, v) if tau is None else np.asarray(tau, dtype=np.float64)
    laws = cast(Any, tree(system.robot))
    R, drift, directions = system.rows(q, v, t)
    nowhere = ~np.isfinite(R).all(axis=1)  # the centre of a bowl is as far from it as can be
    R[nowhere], drift[nowhere] = 0.0, 0.0
    W = R @ np.linalg.solve(laws.mass_matrix(q), R.T)
    w0 = R @ laws.forward_dynamics(q, v, tau) + drift
    state = system.state(q, v, t)
    blocks, owners = _blocks(system, state, v, told, slow)
    for k, (block, i) in enumerate(zip(blocks, owners, strict=True)):  # viscous forces of sliding contacts
        viscous = system.contacts[i].friction.viscous if i < len(system.contacts) else 0.0
        if viscous and block.direction is not None:
            w0 = w0 - W[:, list(blocks[k].tangents)] @ (viscous * state.sliding[i][: len(block.tangents)])
    answer = next(answers(W, w0, blocks, range(system.plan.always)), None)
    if answer is None:
        raise _none(system, W, blocks, owners, t)
    return _choosing(system, answer, owners, blocks, directions, force_size(W, answer.F))


def _blocks(
    system: ContactSystem, state: ContactState, v: Array, told: Told, slow: float = SLOW
) -> tuple[list[Block], list[int]]:
    """Blocks of closed contacts and of joints; which contact (or, after these, joint) each one is."""
    blocks, owners = [], []
    contacts, joints = system.places()
    for i, (contact, (normal, tangents)) in enumerate(zip(system.contacts, contacts, strict=True)):
        if not (state.gap[i] <= CLOSED and state.approach[i] <= slow) and not contact.bilateral:
            continue
        friction, slide = contact.friction, state.sliding[i][: len(tangents)]
        speed = float(np.linalg.norm(slide))
        if not friction.limit and not friction.viscous:  # smooth: only the normal counts
            block = Block(normal, (), bilateral=contact.bilateral)
        else:
            direction = slide / speed if speed > REST else None
            kinetic = friction.coefficient(speed if direction is not None else 0.0)
            block = Block(normal, tangents, friction.limit, kinetic, 0.0, direction, contact.bilateral)
        label = system.labels[i]
        if label in told.lost:
            block = _later(block, "stick")
        if label in told.turned:
            block = _on_side(block, told.turned[label])
        if label in told.opened:
            block = replace(_later(block, "stick", "slip"), lifted=True)
        blocks.append(block)
        owners.append(i)
    for k, (joint, row) in enumerate(zip(system.joints, joints, strict=True)):
        rate = v[system.plan.joints[k]]
        direction = np.array([np.sign(rate)]) if abs(rate) > REST else None
        block = Block(None, (row,), joint.limit, joint.coulomb, 0.0, direction)
        blocks.append(_later(block, "stick") if joint.joint in told.lost else block)
        owners.append(len(system.contacts) + k)
    return blocks, owners


def _later(block: Block, *kinds: str) -> Block:
    """Those kinds are tried after the others."""
    choices = block.choices or default_choices(block)
    return replace(block, choices=tuple(sorted(choices, key=lambda c: c.kind in kinds)))


def _on_side(block: Block, side: int) -> Block:
    choices = block.choices or default_choices(block)
    return replace(block, choices=tuple(sorted(choices, key=lambda c: c.kind == "slip" and c.side != side)))


def _choosing(
    system: ContactSystem,
    answer: Answer,
    owners: list[int],
    blocks: list[Block],
    directions: Array,
    size: float,
) -> Choosing:
    count = len(system.contacts)
    words = ["free"] * (count + len(system.joints))
    starts: dict[int, Array] = {}
    slips: list[tuple[int, int, int]] = []
    moving: list[tuple[int, int]] = []
    first = system.plan.always
    for k, (i, choice, block) in enumerate(zip(owners, answer.choices, blocks, strict=True)):
        sign = _sign(choice, block)
        words[i] = choice.kind + {1: "+", -1: "-"}.get(sign, "") if choice.kind == "slip" else choice.kind
        if i >= count:
            place = system.plan.joints[i - count]
            if choice.kind != "stick":
                moving.append((place, sign))
        elif choice.kind == "slip":
            if block.tangents:
                slips.append((i, sign, choice.side))
            if len(block.tangents) == 2 and block.direction is None:  # what slides already has its direction
                local = directions[[row - first for row in block.tangents]]
                starts[i] = answer.directions[k] @ local
    contacts, joints = system.places()
    names = {normal: (i, 0) for i, (normal, _) in enumerate(contacts)}
    names |= {row: (i, 1 + j) for i, (_, rows) in enumerate(contacts) for j, row in enumerate(rows)}
    at = dict(zip(joints, system.plan.joints, strict=True))
    plan = replace(
        system.plan,
        rows=tuple(names[row] for row in answer.kept if row in names),
        slips=tuple(slips),
        held=tuple(at[row] for row in answer.kept if row in at),
        moving=tuple(moving),
        more=tuple(names.get(row) or (-1, at[row]) for row in answer.more),
        idle=tuple(owners[k] for k in answer.idle),
    )
    painleve = tuple(system.labels[owners[k]] for k in answer.painleve)
    f = np.zeros((count, 3))
    for i, (normal, tangents) in enumerate(contacts):
        rows = [normal, *tangents]
        f[i] = answer.F[rows] @ directions[[row - first for row in rows]]
    f_n = tuple(float(answer.F[normal]) for normal, _ in contacts)
    slack = 2 * STICKING * size
    shared = bool(answer.more or answer.idle)
    return Choosing(tuple(words), plan, starts, f, shared, painleve, f_n, slack)


def _sign(choice: Choice, block: Block) -> int:
    """Of sliding along the one tangent; 0 in 3-D."""
    if choice.kind != "slip" or len(block.tangents) != 1:
        return 0
    return choice.sign if block.direction is None else int(np.sign(block.direction[0]))


def nearly_painleve(system: ContactSystem, t: float, q: Array, v: Array) -> list[str]:
    """Contacts that slide where A, the response to a normal force with its friction, is (nearly) zero or
    below."""
    R, _, _ = system.rows(q, v, t)
    W = R @ np.linalg.solve(cast(Any, tree(system.robot)).mass_matrix(q), R.T)
    blocks, owners = _blocks(system, system.state(q, v, t), v, NOTHING)
    close = []
    for block, i in zip(blocks, owners, strict=True):
        if block.normal is not None and block.direction is not None:
            along = float(W[block.normal, list(block.tangents)] @ block.direction)
            if W[block.normal, block.normal] - block.kinetic * along < 1e-3 * W[block.normal, block.normal]:
                close.append(system.labels[i])
    return close


def _none(
    system: ContactSystem, W: Array, blocks: list[Block], owners: list[int], t: float
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
            "harder accelerates the point into the surface. Rigid contact has no answer there but an impact "
            "without collision; give less friction or a compliant contact."
        )
    elif len(blocks) > 1:
        why = "Check the contacts for such as hinder each other."
    else:
        why = "Its forces fit neither rest, sliding nor leaving: look for numbers that are not finite."
    return NoConsistentMode(f"No mode of the contacts is consistent at t = {t:.9g} s. {why}", beyond)
