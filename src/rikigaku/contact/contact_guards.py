"""Guards of a contact mode: functions that become negative as a contact lands, lifts off, slips or stops."""

from dataclasses import dataclass
from functools import lru_cache

from rikigaku.contact.contact_system import ContactSystem
from rikigaku.contact.contact_tolerances import STICKING
from rikigaku.contact.force_distribution import statically_indeterminate
from rikigaku.contact.friction_moment import FrictionMoment
from rikigaku.contact.native_contact_mode import NativeGuard
from rikigaku.contact.selected_mode import SelectedMode
from rikigaku.core.types import Array
from rikigaku.hybrid.hybrid_system import ZeroCrossing
from rikigaku.integrators.constrained_motion import Code

STOP = 1e-9  # [m/s]: speed below which sliding in 3-D has stopped
_GAP_SLACK, _SPEED_SLACK = 1e-12, 1e-11  # [m], [m/s]: decrease of gaps and speeds that is rounding
LANDS, LIFTS, SLIPS, STOPS, REVERSES, PULLS = "lands", "lifts off", "slips", "stops", "reverses", "pulls"
LIMIT_REACHED = "contacts reach their limits"  # of redundant contacts, together
CARRIES = "carries"  # an unloaded contact takes part again
PARTS = "parts"  # a redundant contact is no longer kept closed by the others
# [m]: gap of a redundant contact at which it is redundant no more; above the gaps that are closed, and, as a
# multiple of the rounding of positions.
_KEPT, _KEPT_ROUNDINGS = 2e-10, 16.0


@dataclass(frozen=True)
class ContactGuard(ZeroCrossing):
    """A guard whose function is native code."""

    function: NativeGuard


def contact_guards(
    system: ContactSystem,
    selected: SelectedMode,
    stop: Array,
    resolution: Array,
    interior: bool = False,
) -> list[ContactGuard]:
    """The guards of a contact mode.

    Static friction: (limit |f_n| + slack)^2 - |f_t|^2. Its slack is larger than the tolerance of mode
    selection, so that a contact that was selected as sticking does not slip again at once by rounding.

    stop: speed [m/s] of each contact at which sliding in space counts as stopped. resolution: rounding of
        its gap [m].
    interior: forces of redundant contacts are near ones well within friction, whose limits are guards.
    """
    guards: list[ContactGuard] = []
    plan = selected.constraints
    indeterminate = statically_indeterminate(plan)
    closed, slides = set(plan.contacts), {i: (sign, side) for i, sign, side in plan.sliding}

    def add(name: str, kind: str, function: NativeGuard, slack: float) -> None:
        guards.append(ContactGuard(f"{name} {kind}", function, slack=slack))

    def near_limit(function: NativeGuard) -> None:
        guards.append(_near_limit(function))

    for i, (contact, label, mode) in enumerate(
        zip(system.contacts, system.labels, selected.contact_modes, strict=False)
    ):
        slack = selected.slacks[i]
        moment = isinstance(contact, FrictionMoment)  # its contact has the guards of the normal force
        if mode == "free" and moment:
            continue
        if mode == "free":
            add(label, LANDS, NativeGuard(Code.GAP, i), max(_GAP_SLACK, float(resolution[i])))
            continue
        if not moment and (i, 0) not in closed:
            kept = NativeGuard(Code.KEPT_GAP, i, _KEPT + _KEPT_ROUNDINGS * float(resolution[i]))
            guards.append(ContactGuard(f"{label} {PARTS}", kept, shortens=False))
        if i in plan.unloaded:
            carried = NativeGuard(Code.CARRIED, plan.unloaded.index(i))
            guards.append(ContactGuard(f"{label} {CARRIES}", carried, falling=False, rising=True))
        elif indeterminate:  # else `force_distribution.friction_margin` is the guard of all of them
            if interior and not contact.bilateral and not moment:
                near_limit(NativeGuard(Code.NORMAL, i, 1.0))
            if interior and mode == "stick":
                near_limit(NativeGuard(Code.FRICTION, i, contact.friction.limit))
            continue
        elif not contact.bilateral and not moment:
            add(label, LIFTS, NativeGuard(Code.NORMAL, i, 1.0), slack)
        if mode == "stick":
            lever = min(contact.friction.limit, 1.0) if moment else 1.0
            limit = NativeGuard(Code.FRICTION, i, contact.friction.limit, lever * selected.friction_slacks[i])
            add(label, SLIPS, limit, (lever * slack) ** 2 / STICKING)  # d(f^2) = 2 f df
        if i in slides:
            sign, side = slides[i]
            slowest = float(stop[i])
            speed = NativeGuard(Code.SIGNED_SPEED, i, sign) if sign else NativeGuard(Code.SPEED, i, slowest)
            add(label, STOPS, speed, _SPEED_SLACK if sign else max(_SPEED_SLACK, 0.01 * slowest))
            if contact.bilateral:
                add(label, REVERSES, NativeGuard(Code.NORMAL, i, side), slack)
        elif contact.bilateral and selected.f_n[i] > 0:
            add(label, PULLS, NativeGuard(Code.NORMAL, i, 1.0), slack)
    sticking, redundant, moving = set(plan.sticking_joints), set(plan.redundant), dict(plan.moving_joints)
    for k, (joint, v_index) in enumerate(zip(system.joints, plan.joints, strict=True)):
        if sign := moving.get(v_index, 0):
            guards.append(_joint_stops(joint.joint, v_index, sign))
        elif indeterminate:
            if interior and (v_index in sticking or (-1, v_index) in redundant):
                near_limit(NativeGuard(Code.JOINT_FRICTION, k, joint.limit))
        elif v_index in sticking:
            at = len(system.contacts) + k
            slack, beyond = selected.slacks[at], min(selected.friction_slacks[at], 1e-6 * joint.limit)
            limit = NativeGuard(Code.JOINT_FRICTION, k, joint.limit, max(slack, beyond))
            add(joint.joint, SLIPS, limit, slack**2 / STICKING)
    return guards


@lru_cache(1024)
def _near_limit(function: NativeGuard) -> ContactGuard:
    return ContactGuard(LIMIT_REACHED, function, shortens=False)


@lru_cache(1024)
def _joint_stops(name: str, v_index: int, sign: int) -> ContactGuard:
    return ContactGuard(f"{name} {STOPS}", NativeGuard(Code.JOINT_SPEED, v_index, sign), slack=_SPEED_SLACK)
