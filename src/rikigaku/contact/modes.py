"""Contacts and dry friction as modes for `rk.simulate`: fields, guards, projections, what follows events.

    rk.simulate(robot, q0, v0, duration=2, system=ContactModes(ContactSystem(robot, [Contact(...)])))

At every change all contacts and joints are tested again, sticking ones too.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.tree import tree
from rikigaku.contact.choosing import CLOSED, REST, Choosing, chosen_mode
from rikigaku.contact.impacts import impact
from rikigaku.contact.system import ContactSystem
from rikigaku.errors import WrongValue
from rikigaku.laws.contact import ModePlan, closing_contacts, contact_dynamics, held_velocity
from rikigaku.laws.contact_geometry import touch
from rikigaku.laws.integration import integrate
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.functions import sqrt
from rikigaku.numbers.kind import Number
from rikigaku.simulation.free import viscous_power
from rikigaku.simulation.modes import Change, Event, Flow, Guard, Mode, Now, Numbers
from rikigaku.spatial.vector import dot

Array = NDArray[np.float64]

STOP = 1e-9  # [m/s]: sliding in 3-D has stopped where its speed falls to this
LANDS, LIFTS, SLIPS, STOPS, TURNS = "lands", "lifts off", "slips", "stops", "turns"


class ContactModes:
    """The modes of a robot with contacts.

    settling: rate of approach [m/s] below which a contact does not bounce any more; it bounds the number of
        impacts of a ball that comes to rest.
    notes: what was remarkable at each change (shared forces, Painleve, energy gained in an impact).
    """

    def __init__(self, system: ContactSystem, settling: float = 1e-6) -> None:
        self.system, self.settling = system, settling
        self.words: tuple[str, ...] = ()
        self.notes: list[str] = []
        self.drives: Callable[[float, Array, Array], Array] | None = None

    def driven_by(self, forces: Callable[[float, Array, Array], Array]) -> None:
        """Forces of the drives of a simulation: with them the first mode is chosen."""
        self.drives = forces

    def start(self, t: float, q: Array, v: Array) -> Change:
        """The first mode. Contacts that approach where they touch begin with an impact.

        Raises:
            WrongValue: if a point is inside its surface, or a bilateral one is not on it.
        """
        state = self.system.state(q, v, t)
        for contact, label, gap, rate in zip(
            self.system.contacts, self.system.labels, state.gap, state.approach, strict=True
        ):
            if gap < -CLOSED or (contact.bilateral and gap > CLOSED):
                raise WrongValue(
                    f"At the start {label!r} is {abs(gap):.3g} m {'inside' if gap < 0 else 'off'} "
                    "its surface. "
                    f"system.placed(q, [{contact.frame!r}]) gives positions that touch."
                )
            if contact.bilateral and abs(rate) > 1e-6:
                raise WrongValue(
                    f"At the start {label!r} moves at {rate:.3g} m/s across the surface that holds it: "
                    "give velocities along the surface."
                )
        tau = None if self.drives is None or self.system.torque is not None else self.drives(t, q, v)
        return self._change(t, q, v, tau=tau)

    def after(self, event: Event) -> Change | None:
        """What follows: impact, another mode, the same one again."""
        fired = (event.name, *event.also)
        lost = [name.removesuffix(f" {SLIPS}") for name in fired if name.endswith(f" {SLIPS}")]
        opened = [name.removesuffix(f" {LIFTS}") for name in fired if name.endswith(f" {LIFTS}")]
        return self._change(event.t, event.q, event.v, lost, opened, getattr(event, "tau", None))

    def _change(
        self, t: float, q: Array, v: Array, lost: Any = (), opened: Any = (), tau: Array | None = None
    ) -> Change:
        system, words = self.system, []
        hit = impact(self._calm(t, q, v), t, q, v)
        if np.any(hit.impulses):
            words.append("impact")
            if hit.lost < -1e-12 * (1 + abs(hit.lost)):
                words.append("gained energy (restitution 'poisson' does not)")
        chosen = chosen_mode(system, t, q, hit.v, tau, lost=lost, opened=opened)
        given = system.given(t, chosen.directions)
        v = hit.v
        if chosen.plan.rows or chosen.plan.held:
            v = np.asarray(system.law("held_velocity", chosen.plan)(q, np.array(v), given))
        if at_rest(system, chosen.plan):
            v = np.zeros(system.robot.nv)
        M = cast(Any, tree(system.robot)).mass_matrix(q)
        swept = 0.5 * float(hit.v @ M @ hit.v - v @ M @ v)
        if chosen.shared:
            words.append("contact forces shared: the motion does not decide them")
        if chosen.painleve:
            words.append(f"beyond Painleve's limit at {', '.join(chosen.painleve)}")
        self.words = chosen.words
        note = "; ".join(words)
        if note:
            self.notes.append(f"t = {t:.9g} s: {note}")
        return Change(mode_of(system, chosen), np.array(q), v, hit.lost + swept, note)

    def _calm(self, t: float, q: Array, v: Array) -> ContactSystem:
        """The system with contacts that hardly approach made inelastic."""
        rate = self.system.state(q, v, t).approach
        slow = [-REST > x > -self.settling for x in rate]
        if not any(slow):
            return self.system
        calm = [
            replace(c, restitution=0.0) if s else c for c, s in zip(self.system.contacts, slow, strict=True)
        ]
        return ContactSystem(self.system.robot, calm, self.system.joints, restitution=self.system.restitution)


def mode_of(system: ContactSystem, chosen: Choosing) -> Mode:
    """A chosen mode as the simulation takes it."""
    plan = chosen.plan
    names = (*system.labels, *(joint.joint for joint in system.joints))
    rests = at_rest(system, plan)
    parameters = tuple(float(x) for x in system.given(0.0, chosen.directions)[1:])

    def dynamics(mechanism: Mechanism, now: Now) -> Flow:
        a, forces, power = contact_dynamics(mechanism, now.q, now.v, now.tau, [now.t, *now.p], plan)
        power = power + viscous_power(mechanism, now.v)
        return Flow([0] * len(a) if rests else a, power, {"forces": list(forces)} if forces else {})

    def project(mechanism: Mechanism, now: Now) -> tuple[Numbers, Numbers]:
        if rests:
            return now.q, [0] * mechanism.nv
        given = [now.t, *now.p]
        q = integrate(mechanism, now.q, closing_contacts(mechanism, now.q, given, plan))
        return q, held_velocity(mechanism, q, now.v, given, plan)

    holds = bool(plan.rows or plan.held or plan.loops)
    return Mode(
        ", ".join(f"{name} {word}" for name, word in zip(names, chosen.words, strict=True)) or "free",
        repr((plan, chosen.words)),
        dynamics,
        tuple(_guards(system, chosen)),
        project if holds else None,
        parameters,
    )


def at_rest(system: ContactSystem, plan: ModePlan) -> bool:
    """Whether nothing can move: as many independent rows as coordinates, on surfaces that stand still."""
    still = not any(x for c in system.contacts for x in (c.surface.rate, *c.surface.belt))
    return still and len(plan.loops) + len(plan.rows) + len(plan.held) == system.robot.nv


def _guards(system: ContactSystem, chosen: Choosing) -> list[Guard]:
    guards: list[Guard] = []
    plan, count = chosen.plan, len(system.contacts)
    for i, (contact, label, word) in enumerate(
        zip(system.contacts, system.labels, chosen.words, strict=False)
    ):
        if word == "free":
            guards.append(Guard(f"{label} {LANDS}", _gap(plan, i)))
            continue
        if not contact.bilateral:
            guards.append(Guard(f"{label} {LIFTS}", _normal(i)))
        if word == "stick" and not chosen.shared:
            guards.append(Guard(f"{label} {SLIPS}", _hold(i, contact.friction.limit, contact.bilateral)))
        slip = next((s for s in plan.slips if s[0] == i), None)
        if slip is not None:
            guards.append(Guard(f"{label} {STOPS}", _speed(plan, i, slip[1])))
            if contact.bilateral:
                guards.append(Guard(f"{label} {TURNS}", _normal(i, slip[2])))
    if chosen.shared:  # together they hold what they hold together
        sticking = [i for i in range(count) if chosen.words[i] == "stick"]
        limits = {i: system.contacts[i].friction.limit for i in sticking}
        guards += [Guard(f"{system.labels[i]} {SLIPS}", _together(limits)) for i in sticking[:1]]
    for k, joint in enumerate(system.joints):
        place = plan.joints[k]
        if place in plan.held:
            guards.append(Guard(f"{joint.joint} {SLIPS}", _joint_hold(4 * count + k, joint.limit)))
        sign = dict(plan.moving).get(place)
        if sign is not None:
            guards.append(Guard(f"{joint.joint} {STOPS}", _joint_speed(place, sign)))
    return guards


def _gap(plan: ModePlan, i: int) -> Any:
    return lambda mechanism, now, flow: touch(mechanism, now.q, now.v, plan.points[i], now.t).gap


def _normal(i: int, side: int = 1) -> Any:
    return lambda mechanism, now, flow: side * flow.outputs["forces"][4 * i + 3]


def _tangential_square(flow: Flow, i: int) -> Number:
    *f, n = flow.outputs["forces"][4 * i : 4 * i + 4]
    return dot(f, f) - n * n


def _hold(i: int, limit: float, bilateral: bool) -> Any:
    """limit |f_n| - |f_t|, as far as it can be told smoothly."""

    def value(mechanism: Mechanism, now: Now, flow: Flow) -> Number:
        n = flow.outputs["forces"][4 * i + 3]
        return limit * limit * n * n - _tangential_square(flow, i)

    return value


def _together(limits: dict[int, float]) -> Any:
    def value(mechanism: Mechanism, now: Now, flow: Flow) -> Number:
        forces = flow.outputs["forces"]
        total = [sum((forces[4 * i + k] for i in limits), start=0) for k in range(3)]
        pressed = sum((forces[4 * i + 3] for i in limits), start=0)
        held = sum((mu * forces[4 * i + 3] for i, mu in limits.items()), start=0)
        return held * held - (dot(total, total) - pressed * pressed)

    return value


def _speed(plan: ModePlan, i: int, sign: int) -> Any:
    def value(mechanism: Mechanism, now: Now, flow: Flow) -> Number:
        c = touch(mechanism, now.q, now.v, plan.points[i], now.t)
        if sign:
            return sign * dot(c.sliding, c.directions[1])
        return sqrt(dot(c.sliding, c.sliding)) - STOP

    return value


def _joint_hold(place: int, limit: float) -> Any:
    def value(mechanism: Mechanism, now: Now, flow: Flow) -> Number:
        f = flow.outputs["forces"][place]
        return limit * limit - f * f

    return value


def _joint_speed(place: int, sign: int) -> Any:
    return lambda mechanism, now, flow: sign * now.v[place]
