"""Blocks of closed contacts and dry joints at a state, with the modes that an event makes likely."""

from dataclasses import replace
from math import hypot

import numpy as np

from rikigaku.contact.constraint_blocks import ConstraintBlock
from rikigaku.contact.contact_results import ContactState
from rikigaku.contact.contact_system import ContactSystem
from rikigaku.contact.contact_tolerances import REST, SLOW
from rikigaku.contact.selected_mode import SwitchHint
from rikigaku.core.types import Array


def contact_blocks(
    system: ContactSystem,
    state: ContactState,
    v: Array,
    hint: SwitchHint,
    gap: Array,
    slow: float | Array = SLOW,
    rest: float | Array = REST,
) -> tuple[list[ConstraintBlock], list[int]]:
    """Blocks of closed contacts and of joints, and the contact (or, after these, joint) of each block.

    gap: the largest [m] of each contact that is closed.
    """
    blocks, owners = [], []
    contacts, _ = system.equation_indices()
    closed = ((state.gap <= gap) & (state.approach <= slow)).tolist()
    rests = np.broadcast_to(rest, len(contacts)).tolist()
    for i, (contact, (normal, tangents)) in enumerate(zip(system.contacts, contacts, strict=True)):
        if not closed[i] and not contact.bilateral:
            continue
        block, label = system.layout.rest_blocks[i], system.labels[i]
        if block.tangents and label not in hint.stopped:
            velocity = state.sliding[i][: len(tangents)]
            speed = hypot(*velocity)
            if speed > (rests[i] if len(tangents) == 2 else REST):
                kinetic = contact.friction.coefficient(speed)
                block = ConstraintBlock(
                    normal, tangents, block.static, kinetic, 0.0, velocity / speed, block.bilateral,
                    shared=block.shared,
                )  # fmt: skip
        if label in hint.slipping:
            block = tried_last(block, "stick")
        if label in hint.reversed:
            block = _on_side(block, hint.reversed[label])
        if label in hint.lifting:
            block = replace(tried_last(block, "stick", "slip"), lifted=True)
        blocks.append(block)
        owners.append(i)
    rates = v.tolist()
    for k, (joint, alike) in enumerate(zip(system.joints, system.layout.joint_blocks, strict=True)):
        rate = rates[system.constraints.joints[k]]
        block = alike[0 if abs(rate) <= REST else 1 if rate > 0 else -1]
        blocks.append(tried_last(block, "stick") if joint.joint in hint.slipping else block)
        owners.append(len(system.contacts) + k)
    return blocks, owners


def tried_last(block: ConstraintBlock, *kinds: str) -> ConstraintBlock:
    """The block with candidates of those kinds last."""
    return replace(block, candidates=tuple(sorted(block.options, key=lambda c: c.kind in kinds)))


def _on_side(block: ConstraintBlock, side: int) -> ConstraintBlock:
    """The block with sliding candidates of the other side last."""
    candidates = sorted(block.options, key=lambda c: c.kind == "slip" and c.side != side)
    return replace(block, candidates=tuple(candidates))
