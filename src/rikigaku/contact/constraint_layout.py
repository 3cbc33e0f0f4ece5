"""Where the constraints of contacts and joints are among all constraints, and their blocks."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rikigaku.contact.constraint_blocks import ConstraintBlock
from rikigaku.contact.contact_point import Contact
from rikigaku.contact.friction_law import JointFriction
from rikigaku.contact.friction_moment import FrictionMoment
from rikigaku.laws.contact.active_constraints import ActiveConstraints


@dataclass(frozen=True, eq=False)
class ConstraintLayout:
    """Indices in `ContactSystem.constraint_equations`, and blocks at rest.

    plan: the permanent constraints. tangents: number of each contact.
    """

    contacts: Sequence[Contact]
    joints: Sequence[JointFriction]
    plan: ActiveConstraints
    tangents: Sequence[int]

    @cached_property
    def equation_indices(self) -> tuple[list[tuple[int, tuple[int, ...]]], list[int]]:
        """Indices of each contact (normal, tangents; moments have its normal) and of each joint."""
        contacts: list[tuple[int, tuple[int, ...]]] = []
        at = self.plan.permanent
        for contact, count in zip(self.contacts, self.tangents, strict=True):
            normal = contacts[contact.owner][0] if isinstance(contact, FrictionMoment) else at
            contacts.append((normal, tuple(range(at + 1, at + 1 + count))))
            at += 1 + count
        return contacts, list(range(at, at + len(self.joints)))

    @cached_property
    def contact_rows(self) -> tuple[Any, Any, Any]:
        """Indices of normals (k,), of two tangents (k, 2), and whether the latter exist."""
        contacts = self.equation_indices[0]
        normals = np.array([normal for normal, _ in contacts], dtype=np.int64)
        pairs = [(*tangents, normal, normal)[:2] for normal, tangents in contacts]
        tangents = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        counts = np.array([len(tangents) for _, tangents in contacts], dtype=np.int64)
        return normals, tangents, np.arange(2) < counts[:, None]

    @cached_property
    def direction_rows(self) -> list[int]:
        """Indices of normals and tangents among the three axes of each contact."""
        return [3 * i + k for i, count in enumerate(self.tangents) for k in range(1 + count)]

    @cached_property
    def joint_blocks(self) -> tuple[dict[int, ConstraintBlock], ...]:
        """For each joint with dry friction its block at rest (0), and moving in either direction (1, -1)."""
        rows = self.equation_indices[1]
        return tuple(
            {
                sign: ConstraintBlock(
                    None, (row,), joint.limit, joint.coulomb, 0.0, np.array([float(sign)]) if sign else None
                )
                for sign in (0, 1, -1)
            }
            for joint, row in zip(self.joints, rows, strict=True)
        )

    @cached_property
    def rest_blocks(self) -> tuple[ConstraintBlock, ...]:
        """The block of each contact at rest."""
        blocks = []
        for contact, (normal, tangents) in zip(self.contacts, self.equation_indices[0], strict=True):
            friction = contact.friction
            if friction.limit or friction.viscous:
                limits = friction.limit, friction.coefficient(0.0), 0.0, None
                shared = isinstance(contact, FrictionMoment)
                blocks.append(ConstraintBlock(normal, tangents, *limits, contact.bilateral, shared=shared))
            else:  # frictionless: the normal equation only
                blocks.append(ConstraintBlock(normal, (), bilateral=contact.bilateral))
        return tuple(blocks)

    @cached_property
    def force_rows(self) -> tuple[Any, Any]:
        """Equations along which forces of the contacts act, contact by contact, and the first of each."""
        own = [not isinstance(contact, FrictionMoment) for contact in self.contacts]
        rows = [
            [*[normal][:ok], *tangents]
            for ok, (normal, tangents) in zip(own, self.equation_indices[0], strict=True)
        ]
        starts = np.cumsum([0, *map(len, rows)])[:-1]
        return np.array([i for part in rows for i in part], dtype=np.int64), starts

    @cached_property
    def equation_names(self) -> dict[int, tuple[int, int]]:
        """(contact, direction) of each contact equation, (-1, coordinate) of each joint with dry friction."""
        contacts, joints = self.equation_indices
        own = [not isinstance(contact, FrictionMoment) for contact in self.contacts]
        names = {normal: (i, 0) for i, (normal, _) in enumerate(contacts) if own[i]}
        names |= {row: (i, 1 + j) for i, (_, rows) in enumerate(contacts) for j, row in enumerate(rows)}
        return names | {row: (-1, k) for row, k in zip(joints, self.plan.joints, strict=True)}
