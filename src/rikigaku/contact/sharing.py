"""Forces along the rows of a mode at a state, where more hold than are independent: room left, and the least.

Where nothing slides the accelerations do not depend on how forces are shared, so a mode lasts as long as any
forces within friction carry it: `spare` is the margin of the best. What is told (`near`) are the least.
"""

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.tree import tree
from rikigaku.contact.blocks import Block, Choice
from rikigaku.contact.complementarity import STICKING, force_size
from rikigaku.contact.cones import margin
from rikigaku.contact.independence import least_solution
from rikigaku.contact.shared_forces import cones_of, room, within_cones
from rikigaku.laws.contact import ModePlan

if TYPE_CHECKING:
    from rikigaku.contact.system import ContactSystem

Array = NDArray[np.float64]

LEAST = 1e-6  # [m/s^2]: accelerations below this are no measure of size


class Carried(NamedTuple):
    """The least forces F along all rows, what may be added to them, whose they are, and what counts as none.

    labels: of each block. rows: places in F of the rows that share, in the order of `ModePlan.near`.
    """

    F: Array
    free: Array
    blocks: list[Block]
    choices: list[Choice]
    labels: list[str]
    rows: list[int]
    small: float


def holds_together(plan: ModePlan) -> bool:
    """Whether forces share what is held and nothing slides: any that are within friction will do."""
    return bool(plan.more) and not plan.slips


def carried(system: "ContactSystem", plan: ModePlan, t: float, q: Array, v: Array, tau: Array) -> Carried:
    """The least forces in a mode whose rows share, limits left aside."""
    laws = cast(Any, tree(system.robot))
    R, drift, _ = system.rows(q, v, t)
    W = R @ np.linalg.solve(laws.mass_matrix(q), R.T)
    w0 = R @ laws.forward_dynamics(q, v, tau) + drift
    contacts, joints = system.places()
    at = dict(zip(plan.joints, joints, strict=True))
    names = (*plan.rows, *((-1, k) for k in plan.held), *plan.more)
    rows = [*range(plan.always), *(at[k] if i < 0 else contacts[i][0] + k for i, k in names)]
    f, base = least_solution(W[np.ix_(rows, rows)], -w0[rows], LEAST)
    F, free = np.full(len(w0), np.nan), np.zeros((len(w0), base.shape[1]))
    if f is not None:
        F[:], F[rows], free[rows] = 0.0, f, base
    blocks, choices, labels = [], [], []
    for i, (normal, tangents) in enumerate(contacts):
        if normal in rows:
            contact = system.contacts[i]
            rubs = tangents if contact.friction.limit else ()
            blocks.append(Block(normal, rubs, contact.friction.limit, bilateral=contact.bilateral))
            choices.append(Choice("stick" if rubs else "slip"))
            labels.append(system.labels[i])
    for joint, row in zip(system.joints, joints, strict=True):
        if row in rows:
            blocks.append(Block(None, (row,), joint.limit))
            choices.append(Choice("stick"))
            labels.append(joint.joint)
    return Carried(F, free, blocks, choices, labels, rows, STICKING * force_size(W, F))


def spare(system: "ContactSystem", plan: ModePlan, t: float, q: Array, v: Array, tau: Array) -> float:
    """Margin [N] that is left at least where the limits are kept, and the best there is where it is not."""
    c = carried(system, plan, t, q, v, tau)
    h, B = cones_of(c.F, c.blocks, c.choices)
    least = margin(h + B @ c.F, B @ c.free, np.zeros(c.free.shape[1]))
    return least if least > 0 else room(c.F, c.free, c.blocks, c.choices).value


def at_limits(
    system: "ContactSystem", plan: ModePlan, t: float, q: Array, v: Array, tau: Array
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Contacts and joints that no longer stick where the last room is used up: those that slip, and lift."""
    c = carried(system, plan, t, q, v, tau)
    F = c.F + c.free @ room(c.F, c.free, c.blocks, c.choices).x
    small = 1e-6 * float(np.abs(F).max(initial=0.0))
    slip, lift = [], []
    for block, label in zip(c.blocks, c.labels, strict=True):
        pressing = block.static if block.normal is None else block.static * abs(F[block.normal])
        if block.normal is not None and not block.bilateral and F[block.normal] < small:
            lift.append(label)
        elif block.tangents and pressing - float(np.linalg.norm(F[list(block.tangents)])) < small:
            slip.append(label)
    return tuple(slip), tuple(lift)


def near(system: "ContactSystem", plan: ModePlan, t: float, q: Array, v: Array, tau: Array) -> Array:
    """The forces (see `ModePlan.near`) that are least within friction; zeros where the least of all are."""
    if not holds_together(plan):
        return np.zeros(plan.sharing)
    c = carried(system, plan, t, q, v, tau)
    found = within_cones(c.F, c.free, c.blocks, c.choices, 4 * c.small)
    return np.zeros(plan.sharing) if found is None or found is c.F else found[c.rows]
