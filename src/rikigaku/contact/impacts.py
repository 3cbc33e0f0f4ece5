"""Impacts: velocities after several contacts close at once, with friction.

Newton's law: each approaching contact leaves with v_n = -e v_n before, or faster without impulse. Poisson's
law: impulses of compression (v_n = 0), then of expansion, at least e times these. Friction acts on impulses
as on forces: it ends sliding within its cone, or opposes the sliding that remains. Newton's law with friction
may gain energy: the dissipated energy is reported.
Reference: C. Glocker, F. Pfeiffer, Multiple impacts with friction, Nonlinear Dynamics 7 (1995).
"""

from dataclasses import dataclass

import numpy as np

from rikigaku.contact.complementarity import consistent_solutions
from rikigaku.contact.constraint_blocks import ConstraintBlock, ModeSolution
from rikigaku.contact.contact_system import ContactSystem
from rikigaku.contact.mode_selection import CLOSED, REST
from rikigaku.core.errors import NoConsistentMode
from rikigaku.core.types import Array


@dataclass(frozen=True, eq=False)
class Impact:
    """v: velocities after the impact; impulses: contact impulses on the robot, world axes [N s] (k, 3).

    dissipated: energy [J]. contact_modes: "free", "stick" or "slip" of each contact. work: done on the robot
    by moving surfaces [J].
    """

    v: Array
    impulses: Array
    dissipated: float
    contact_modes: tuple[str, ...]
    work: float = 0.0


def impact(system: ContactSystem, t: float, q: Array, v: Array, minimum_bounce_speed: float = 0.0) -> Impact:
    """Velocities after the impact of all closed contacts; unchanged if none approaches.

    minimum_bounce_speed: slower approaches [m/s] are inelastic.

    Raises:
        NoConsistentMode: if no impulses within friction end the approach.
    """
    equations = system.constraint_equations(q, v, t)
    state = system.contact_state(equations.residual, equations.rates)
    indices, _ = system.equation_indices()
    first = system.constraints.permanent
    count = len(equations.J) - len(system.joints)  # finite joint friction has no impulse
    J, W = equations.J[:count], equations.W[:count, :count]
    # Contacts that move away are included: impulses elsewhere may close them.
    touching = [i for i, c in enumerate(system.contacts) if c.bilateral or state.gap[i] <= CLOSED]
    modes = tuple("free" for _ in system.contacts)
    across = [abs(x) if c.bilateral else -x for c, x in zip(system.contacts, state.approach, strict=True)]
    if all(across[i] <= REST for i in touching):
        return Impact(v, np.zeros((len(system.contacts), 3)), 0.0, modes)
    w0 = equations.rates[:count]
    permanent = range(first)
    slow = [REST < -x < minimum_bounce_speed for x in state.approach]
    e = [0.0 if slow[i] else system.contacts[i].restitution for i in touching]
    bounce = [e[k] * max(-state.approach[i], 0.0) for k, i in enumerate(touching)]
    if system.restitution == "newton":
        solution = _first(system, W, w0, _blocks(system, touching, bounce), permanent, t)
    else:
        solution = _first(system, W, w0, _blocks(system, touching, [0.0] * len(touching)), permanent, t)
        expansion = [e[k] * solution.F[indices[i][0]] for k, i in enumerate(touching)]
        if any(expansion):
            later = _first(
                system,
                W,
                solution.w,
                _blocks(system, touching, [0.0] * len(touching), expansion),
                permanent,
                t,
            )
            solution = ModeSolution(later.modes, solution.F + later.F, later.w, later.independent)
    after = v + solution.F @ equations.response[:count]
    impulses = np.zeros((len(system.contacts), 3))
    for i, (normal, tangents) in enumerate(indices):
        rows = [normal, *tangents]
        impulses[i] = solution.F[rows] @ equations.directions[[row - first for row in rows]]
    named = list(modes)
    for i, mode in zip(touching, solution.modes, strict=True):
        named[i] = mode.kind
    work = float(solution.F @ (J @ v - w0))  # w0 is relative to the surfaces
    # The kinetic energy falls by -(v + v') . M (v' - v) / 2, and M (v' - v) = J^T F.
    dissipated = work - float(0.5 * (v + after) @ (solution.F @ J))
    return Impact(after, impulses, dissipated, tuple(named), work)


def _blocks(
    system: ContactSystem, touching: list[int], targets: list[float], base: list[float] | None = None
) -> list[ConstraintBlock]:
    indices, _ = system.equation_indices()
    blocks = []
    for k, i in enumerate(touching):
        contact, (normal, tangents) = system.contacts[i], indices[i]
        friction = contact.friction
        blocks.append(
            ConstraintBlock(
                normal,
                tangents if friction.limit else (),
                friction.limit,
                friction.kinetic,
                targets[k],
                None,
                contact.bilateral,
                0.0 if base is None else base[k],
            )
        )
    return blocks


def _first(
    system: ContactSystem, W: Array, w0: Array, blocks: list[ConstraintBlock], permanent: range, t: float
) -> ModeSolution:
    for solution in consistent_solutions(W, w0, blocks, permanent):
        return solution
    names = ", ".join(contact.frame for contact in system.contacts)
    raise NoConsistentMode(
        f"No impulses within friction end the impact at t = {t:.9g} s (contacts {names}). "
        "Try less friction, or restitution='poisson'."
    )
