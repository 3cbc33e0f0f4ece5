"""Projection of positions and velocities onto contacts, guides and loops."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rikigaku.contact.friction_moment import FrictionMoment
from rikigaku.contact.joint_stop import JointStop
from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.core.types import Array

_ITERATIONS = 100
_LARGEST_STEP = 0.3  # [rad, m]: light feet would rotate more than once
# Squared damping of Levenberg's method, relative to the largest singular value of J M^-1/2.
_FIRST_DAMPING, _LEAST_DAMPING, _LARGEST_DAMPING = 1e-3, 1e-14, 1e6

if TYPE_CHECKING:
    from rikigaku.contact.contact_system import ContactSystem


def placed(system: "ContactSystem", q: Array, closed: Iterable[str] | None, t: float) -> Array:
    """The configuration near q at which the named frames lie on their surfaces and guides and loops are
    closed.

    Levenberg's method, with steps that are minimal in the kinetic-energy norm. Its damping vanishes at the
    solution, so that redundant contacts (a flat foot, four corners of a box) need no decision about rank.

    closed: frames with contacts; those of all contacts except joint stops if left out.

    Raises:
        UnknownName: for a frame without contact. WrongValue: if the contacts do not close.
    """
    indices = placed_contacts(system, closed)
    normals = [normal for normal, _ in system.equation_indices()[0]]
    rows = [*range(system.constraints.permanent), *(normals[i] for i in indices)]
    q = _closed(system, q, rows, t)
    gap = largest_gap(system, q, indices, t)
    if not gap < 1e-10:
        names = ", ".join(
            dict.fromkeys([system.contacts[i].frame for i in indices] + [g.frame for g in system.guides])
        )
        raise WrongValue(
            f"The contacts {names} do not close together near this configuration: a gap of {gap:.3g} m "
            "remains. Begin nearer, or name fewer contacts."
        )
    return q


def placed_contacts(system: "ContactSystem", closed: Iterable[str] | None) -> list[int]:
    """Indices of the contacts of those frames; of all contacts except joint stops if left out.

    Raises:
        UnknownName: for a frame without contact.
    """
    if closed is None:
        no_gap = (JointStop, FrictionMoment)
        return [i for i, contact in enumerate(system.contacts) if not isinstance(contact, no_gap)]
    frames = [contact.frame for contact in system.contacts if not isinstance(contact, FrictionMoment)]
    wanted = set(closed)
    if unknown := sorted(wanted - set(frames)):
        raise UnknownName("contact", unknown[0], frames)
    return [i for i, frame in enumerate(frames) if frame in wanted]


def _closed(system: "ContactSystem", q: Array, rows: list[int], t: float) -> Array:
    """q moved until the residuals of those constraints vanish, or no step makes them smaller."""
    terms, damping = system.engine.configuration(t, q), _FIRST_DAMPING
    for _ in range(_ITERATIONS):
        residual = terms.residual[rows]
        if np.abs(residual).max(initial=0.0) < 1e-15 or not np.isfinite(terms.J[rows]).all():
            break
        B = terms.inverse_L * np.sqrt(terms.inverse_D)  # M^-1 = B B^T
        U, s, V = np.linalg.svd(terms.J[rows] @ B, full_matrices=False)
        while damping < _LARGEST_DAMPING:
            step = -B @ (V.T @ (s / (s**2 + damping * s[0] ** 2) * (U.T @ residual)))
            moved = system.engine.integrate(q, step / max(np.abs(step).max() / _LARGEST_STEP, 1.0))
            nearer = system.engine.configuration(t, moved)
            if np.linalg.norm(nearer.residual[rows]) < np.linalg.norm(residual):
                break
            damping *= 10
        else:
            break
        q, terms, damping = moved, nearer, max(0.01 * damping, _LEAST_DAMPING)
    return q


def allowed_velocity(system: "ContactSystem", q: Array, v: Array, t: float) -> Array:
    """Projection of v onto bilateral contacts, guides and loops, in the kinetic-energy norm."""
    contacts = tuple((i, 0) for i, contact in enumerate(system.contacts) if contact.bilateral)
    return system.engine.projected_velocity(replace(system.constraints, contacts=contacts), t, q, v)


def largest_gap(system: "ContactSystem", q: Array, contacts: Sequence[int], t: float = 0.0) -> float:
    """The largest gap of those contacts, of all guides and loops [m, or sines of angles]."""
    gaps = [system.state(q, np.zeros(system.robot.nv), t).gap[list(contacts)]]
    if system.constraints.guide_equations:
        gaps.append(system.law("guide_residual")(q, np.array([t])))
    if system.constraints.loop_equations:
        gaps.append(system.robot.loop_residual(q))
    return max(float(np.abs(gap).max(initial=0.0)) for gap in gaps)


def initial_gap_text(label: str, frame: str, gap: float) -> str:
    """The message for a contact that an initial configuration leaves inside its surface, or off it."""
    return (
        f"At the start {label!r} is {abs(gap):.3g} m {'inside' if gap < 0 else 'off'} its surface. "
        f"ContactSystem(robot, contacts).placed(q, [{frame!r}]) gives a configuration in contact."
    )
