"""Painleve's limit: friction reverses the response to a normal force (A <= 0)."""

import numpy as np

from rikigaku.contact.constraint_blocks import ConstraintBlock
from rikigaku.contact.contact_blocks import contact_blocks
from rikigaku.contact.contact_rounding import touching
from rikigaku.contact.contact_system import ContactSystem
from rikigaku.contact.selected_mode import NO_HINT
from rikigaku.core.errors import NoConsistentMode
from rikigaku.core.types import Array


def is_beyond_painleve(W: Array, block: ConstraintBlock) -> bool:
    """Whether friction of a sliding unilateral contact reverses the response to its normal force (A <= 0)."""
    if block.normal is None or block.direction is None or block.bilateral or block.shared:
        return False
    along = float(W[block.normal, list(block.tangents)] @ block.direction)
    return bool(W[block.normal, block.normal] - block.kinetic * along <= 0)


def nearly_painleve(system: ContactSystem, t: float, q: Array, v: Array) -> list[str]:
    """Sliding contacts where A, the response to a normal force with friction, is near zero or negative."""
    equations = system.equations_at(t, q, v, np.zeros(len(v)))
    W, state = equations.W, system.contact_state(equations.residual, equations.rates)
    blocks, owners = contact_blocks(system, state, v, NO_HINT, touching(system, t, q))
    close = []
    for block, i in zip(blocks, owners, strict=True):
        if block.normal is not None and block.direction is not None:
            along = float(W[block.normal, list(block.tangents)] @ block.direction)
            if W[block.normal, block.normal] - block.kinetic * along < 1e-3 * W[block.normal, block.normal]:
                close.append(system.labels[i])
    return close


def painleve_reason(close: list[str]) -> str:
    """Why an integration fails near Painleve's limit of these contacts; empty without any."""
    names = ", ".join(map(repr, close))
    text = f"friction at {names} has come to Painleve's limit (A = 0): the normal force grows without bound"
    return text if close else ""


def no_consistent_mode(
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
    elif any(block.shared for block in blocks) and sum(not block.shared for block in blocks) > 1:
        why = (
            "Several contacts of one body have torsional or rolling friction: give it to one contact of a "
            "body, or leave it out; several points resist rotation by their friction."
        )
    elif len(blocks) > 1:
        why = "Check whether contacts contradict each other."
    else:
        why = "Its forces fit neither sticking, sliding nor opening: check for values that are not finite."
    return NoConsistentMode(f"No contact mode is consistent at t = {t:.9g} s. {why}", beyond)
