"""Impact without collision: impulses of friction at contacts that are closed already.

Beyond Painleve's limit a sliding contact may have no finite force: pressing harder accelerates the point
into the surface. Rigid-body mechanics then has impulses, which stop the sliding at once (tangential impact,
dynamic jamming) [Genot1999]. They are the limit of Moreau's time steps as the step vanishes: velocities after
a very short step h satisfy

    w' = W P + w + h a_free,        Coulomb's law between P and w'

where P of regular contacts vanishes with h, and that of a jammed contact does not. The step is so short that
time and positions do not change.
"""

import numpy as np

from rikigaku.contact.constraint_blocks import ConstraintBlock
from rikigaku.contact.constraint_islands import islands
from rikigaku.contact.contact_rounding import touching
from rikigaku.contact.contact_system import ContactSystem
from rikigaku.contact.contact_tolerances import REST
from rikigaku.contact.friction_moment import FrictionMoment
from rikigaku.contact.impacts import Impact
from rikigaku.contact.mode_enumeration import solved_modes
from rikigaku.core.types import Array

_STEP = 1e-9  # [s]
_SOLVED = 1e-9  # residual relative to the velocities


def impact_without_collision(
    system: ContactSystem, t: float, q: Array, v: Array, tau: Array
) -> Impact | None:
    """Velocities after the impulses of friction; None if these are not found."""
    equations = system.equations_at(t, q, v, tau)
    state = system.contact_state(equations.residual, equations.rates)
    contacts, joints = system.equation_indices()
    closed = touching(system, t, q)
    rates, blocks = equations.rates.copy(), []
    rates[: system.constraints.permanent] = 0.0
    for i, (contact, (normal, tangents)) in enumerate(zip(system.contacts, contacts, strict=True)):
        if not contact.bilateral and (state.gap[i] > closed[i] or state.approach[i] > REST):
            continue
        moment, mu = isinstance(contact, FrictionMoment), contact.friction
        rates[normal] = 0.0
        speed = float(np.linalg.norm(rates[list(tangents)]))
        static, kinetic = (mu.limit, mu.kinetic) if speed <= REST else (mu.coefficient(speed),) * 2
        own = tangents if mu.limit else ()
        blocks.append(
            ConstraintBlock(normal, own, static, kinetic, bilateral=contact.bilateral, shared=moment)
        )
    for joint, row in zip(system.joints, joints, strict=True):
        limit = joint.limit if abs(rates[row]) <= REST else joint.coulomb
        blocks.append(ConstraintBlock(None, (row,), _STEP * limit, _STEP * joint.coulomb))
    w0, P = rates + _STEP * equations.free, np.zeros(len(rates))
    modes = ["free"] * len(blocks)
    for island in islands(equations.W, blocks, range(system.constraints.permanent)):
        own_w0 = island.part(w0)
        solved, (own_modes, _) = solved_modes(island.W, own_w0, island.blocks, island.permanent)
        if not solved.residual <= _SOLVED * float(np.abs(own_w0).max(initial=0.0)):
            return None
        P[list(island.rows)] = solved.F
        for k, mode in zip(island.members, own_modes, strict=True):
            modes[k] = mode.kind
    after = v + P @ equations.response + _STEP * equations.a
    terms = system.engine.configuration(t, q)
    impulses = np.zeros((len(system.contacts), 3))
    for i, (normal, tangents) in enumerate(contacts):
        rows = [*tangents] if isinstance(system.contacts[i], FrictionMoment) else [normal, *tangents]
        impulses[i] = P[rows] @ equations.directions[[row - system.constraints.permanent for row in rows]]
    work = float(P @ (equations.J @ v - equations.rates))  # of moving surfaces
    dissipated = work + terms.kinetic_energy(v) - terms.kinetic_energy(after)
    return Impact(after, impulses, dissipated, tuple(modes), work)
