"""States at a change of contact mode: slow contacts brought to rest, projection onto active constraints."""

from dataclasses import replace

import numpy as np

from rikigaku.contact.contact_rounding import touching
from rikigaku.contact.contact_system import ContactSystem
from rikigaku.contact.contact_tolerances import CLOSED, REST
from rikigaku.contact.selected_mode import SelectedMode
from rikigaku.contact.smooth_mode import is_immobile
from rikigaku.core.errors import NoConsistentMode
from rikigaku.core.types import Array

_FALL = 10.0  # [m/s^2]
_ROUNDING = 1e-14  # [m, rad]: smaller projection steps are skipped


def velocity_at_rest(
    system: ContactSystem, t: float, q: Array, v: Array, leaves: float, slides: float | Array
) -> tuple[Array, float, float]:
    """The nearest velocities at which slow closed contacts rest, the energy [J] that this dissipates, and the
    work [J] of moving surfaces.

    Joints with dry friction that are at rest remain so.

    leaves, slides: normal and sliding speeds [m/s] that are slow; the latter for all contacts, or of each.
    """
    equations = system.equations_at(t, q, v, np.zeros(len(v)))
    state = system.contact_state(equations.residual, equations.rates)
    rows, closed = list(range(system.constraints.permanent)), touching(system, t, q)
    slides = np.broadcast_to(slides, len(system.contacts))
    for i, (normal, tangents) in enumerate(system.equation_indices()[0]):
        if state.gap[i] > closed[i] or abs(state.approach[i]) > leaves:
            continue
        rows += [] if normal in rows else [normal]
        if system.contacts[i].friction.limit and np.linalg.norm(equations.rates[list(tangents)]) <= slides[i]:
            rows += tangents
    rows += [row for row in system.equation_indices()[1] if abs(equations.rates[row]) <= REST]  # dry joints
    f = np.linalg.lstsq(equations.W[np.ix_(rows, rows)], -equations.rates[rows], rcond=1e-10)[0]
    speed = v + f @ equations.response[rows]
    terms = system.engine.configuration(t, q)
    work = float(f @ (equations.J[rows] @ v - equations.rates[rows]))  # rates are relative to the surfaces
    return speed, work + terms.kinetic_energy(v) - terms.kinetic_energy(speed), work


def raised_state(system: ContactSystem, t: float, q: Array, v: Array, step: float) -> tuple[Array, float]:
    """The configuration with contacts that a fixed step has carried into their surfaces raised out of them,
    and the energy [J] that this removes.

    Fixed steps are not shortened at a contact that leaves and returns within one of them.

    Raises:
        NoConsistentMode: if a contact is deeper than a fall of one step: the steps are too long.
    """
    engine, still = system.engine, np.zeros(system.robot.nv)
    gaps, closed = system.state(q, v, t).gap, touching(system, t, q)
    unilateral = [i for i, contact in enumerate(system.contacts) if not contact.bilateral]
    deepest = min(unilateral, key=lambda i: gaps[i], default=None)
    if deepest is None or not gaps[deepest] < -CLOSED:
        return q, 0.0
    if gaps[deepest] < -_FALL * step * step:
        raise NoConsistentMode(
            f"the motion cannot go on at t = {t:.9g} s: {system.labels[deepest]!r} is {-gaps[deepest]:.2g} m "
            f"inside its surface. Fixed steps of {step:g} s are too long: take shorter ones, adaptive steps "
            "(method='dop853') or method='time_stepping'"
        )
    touched = [(i, 0) for i in unilateral if gaps[i] <= closed[i]]
    plan = replace(system.constraints, contacts=tuple(touched))
    before = engine.terms(t, q, still, still)
    move = engine.newton_step(plan, t, q)
    moved = engine.integrate(q, move)
    lost = before.configuration.kinetic_energy(v) - engine.configuration(t, moved).kinetic_energy(v)
    return moved, lost + float(before.force @ move)


def projected_state(
    system: ContactSystem, selected: SelectedMode, t: float, q: Array, v: Array
) -> tuple[Array, Array, float, float]:
    """The state projected onto the active constraints, the energy [J] the projection dissipates, and the work
    [J] of moving surfaces: v' M (v' - v), since their forces act along J v', which is their speed."""
    plan, engine = selected.constraints, system.engine
    moved, step, speed = np.array(q), np.zeros(system.robot.nv), np.array(v)
    before = engine.terms(t, moved, np.zeros(system.robot.nv), np.zeros(system.robot.nv))
    if plan.independent:
        step = engine.newton_step(plan, t, moved)
        step = step if np.abs(step).max() > _ROUNDING else np.zeros_like(step)
        moved = engine.integrate(moved, step) if step.any() else moved
        speed = engine.projected_velocity(plan, t, moved, speed)
    if is_immobile(system, plan):
        speed = np.zeros(system.robot.nv)
    after = engine.configuration(t, moved)
    # At rest the generalized force is that of gravity and springs.
    lost = before.configuration.kinetic_energy(v) - after.kinetic_energy(speed)
    work = 0.0
    if any(contact.surface.moves_by_itself for contact in system.contacts):
        x, y = after.L @ v, after.L @ speed
        work = float(y @ ((y - x) / after.inverse_D))
    return moved, speed, lost + work + float(before.force @ step), work
