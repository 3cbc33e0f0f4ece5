"""Where a mode of contact ends: guards that fall through zero as a contact lands, lifts, slips or stops."""

from typing import Any

from rikigaku.contact.choosing import Choosing
from rikigaku.contact.complementarity import STICKING
from rikigaku.contact.sharing import holds_together
from rikigaku.contact.system import ContactSystem
from rikigaku.laws.contact import ModePlan, contact_motion
from rikigaku.laws.contact_geometry import touch
from rikigaku.laws.contact_slip import led
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.functions import sqrt, where
from rikigaku.numbers.kind import Number
from rikigaku.simulation.modes import Flow, Guard, Now
from rikigaku.spatial.vector import dot

STOP = 1e-9  # [m/s]: sliding in 3-D has stopped where its speed falls to this
_SUNK, _BACK = 1e-12, 1e-11  # [m], [m/s]: what gaps and speeds may fall below where they start, by rounding
LANDS, LIFTS, SLIPS, STOPS, TURNS, PULLS = "lands", "lifts off", "slips", "stops", "turns", "pulls"
CARRIES = "carries"  # one that was held by the others and carried nothing


def guards_of(system: ContactSystem, chosen: Choosing) -> list[Guard]:
    """The guards of a chosen mode."""
    guards: list[Guard] = []
    plan, count, together = chosen.plan, len(system.contacts), holds_together(chosen.plan)
    force, square = chosen.slack, chosen.slack**2 / STICKING  # squares of forces move by 2 f df
    for i, (contact, label, word) in enumerate(
        zip(system.contacts, system.labels, chosen.words, strict=False)
    ):
        if word == "free":
            guards.append(Guard(f"{label} {LANDS}", _gap(plan, i), slack=_SUNK))
            continue
        if i in plan.idle:
            guards.append(Guard(f"{label} {CARRIES}", _would_carry(plan, i), falling=False, rising=True))
        elif together:  # they hold as long as any forces do: `sharing.spare`
            continue
        elif not contact.bilateral:
            guards.append(Guard(f"{label} {LIFTS}", _normal(i), slack=force))
        if word == "stick":
            guards.append(Guard(f"{label} {SLIPS}", _hold(i, contact.friction.limit), slack=square))
        slip = next((s for s in plan.slips if s[0] == i), None)
        if slip is not None:
            guards.append(Guard(f"{label} {STOPS}", _speed(plan, i, slip[1]), slack=_BACK))
            if contact.bilateral:
                guards.append(Guard(f"{label} {TURNS}", _normal(i, slip[2]), slack=force))
        elif contact.bilateral and chosen.f_n[i] > 0:
            guards.append(Guard(f"{label} {PULLS}", _normal(i), slack=force))
    for k, joint in enumerate(system.joints):
        place = plan.joints[k]
        if place in plan.held and not together:
            guards.append(
                Guard(f"{joint.joint} {SLIPS}", _joint_hold(4 * count + k, joint.limit), slack=square)
            )
        sign = dict(plan.moving).get(place)
        if sign is not None:
            guards.append(Guard(f"{joint.joint} {STOPS}", _joint_speed(place, sign), slack=_BACK))
    return guards


def _gap(plan: ModePlan, i: int) -> Any:
    return lambda mechanism, now, flow: touch(mechanism, now.q, now.v, plan.points[i], now.t).gap


def _normal(i: int, side: int = 1) -> Any:
    return lambda mechanism, now, flow: side * flow.outputs["forces"][4 * i + 3]


def _tangential_square(flow: Flow, i: int) -> Number:
    *f, n = flow.outputs["forces"][4 * i : 4 * i + 4]
    return dot(f, f) - n * n


def _hold(i: int, limit: float) -> Any:
    """What is left of (limit |f_n| + slack)^2 beyond |f_t|^2.

    The slack (the last parameter) is more than what a mode is chosen by: what may stick does not slip at once
    by rounding, and come to rest again, without end.
    """

    def value(mechanism: Mechanism, now: Now, flow: Flow) -> Number:
        n = flow.outputs["forces"][4 * i + 3]
        most = limit * where(n < 0, -n, n) + now.p[-1]
        return most * most - _tangential_square(flow, i)

    return value


def _would_carry(plan: ModePlan, i: int) -> Any:
    def value(mechanism: Mechanism, now: Now, flow: Flow) -> Number:
        moved = contact_motion(mechanism, now.q, now.v, now.tau, [now.t, *now.p[:-1]], plan)
        return moved.idle[plan.idle.index(i)]

    return value


def _speed(plan: ModePlan, i: int, sign: int) -> Any:
    def value(mechanism: Mechanism, now: Now, flow: Flow) -> Number:
        c = touch(mechanism, now.q, now.v, plan.points[i], now.t)
        if sign:
            return sign * dot(c.sliding, c.directions[1])
        along = led(plan, [now.t, *now.p], c, i)
        return sqrt(dot(along, along)) - STOP

    return value


def _joint_hold(place: int, limit: float) -> Any:
    def value(mechanism: Mechanism, now: Now, flow: Flow) -> Number:
        f, most = flow.outputs["forces"][place], limit + now.p[-1]
        return most * most - f * f

    return value


def _joint_speed(place: int, sign: int) -> Any:
    return lambda mechanism, now, flow: sign * now.v[place]
