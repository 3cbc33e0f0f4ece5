"""Guards of a contact mode: functions that become negative as a contact lands, lifts off, slips or stops."""

from dataclasses import dataclass

from rikigaku.contact.complementarity import STICKING
from rikigaku.contact.contact_engine import NativeGuard
from rikigaku.contact.contact_system import ContactSystem
from rikigaku.contact.force_distribution import statically_indeterminate
from rikigaku.contact.friction_moment import FrictionMoment
from rikigaku.contact.mode_selection import SelectedMode
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

    def add(name: str, kind: str, function: NativeGuard, slack: float) -> None:
        guards.append(ContactGuard(f"{name} {kind}", function, slack=slack))

    def near_limit(function: NativeGuard) -> None:
        guards.append(ContactGuard(LIMIT_REACHED, function, shortens=False))

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
        if not moment and (i, 0) not in plan.contacts:
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
            limit = NativeGuard(Code.FRICTION, i, contact.friction.limit, lever * slack)
            add(label, SLIPS, limit, (lever * slack) ** 2 / STICKING)  # d(f^2) = 2 f df
        slip = next((s for s in plan.sliding if s[0] == i), None)
        if slip is not None:
            sign, side = slip[1:]
            slowest = float(stop[i])
            speed = NativeGuard(Code.SIGNED_SPEED, i, sign) if sign else NativeGuard(Code.SPEED, i, slowest)
            add(label, STOPS, speed, _SPEED_SLACK if sign else max(_SPEED_SLACK, 0.01 * slowest))
            if contact.bilateral:
                add(label, REVERSES, NativeGuard(Code.NORMAL, i, side), slack)
        elif contact.bilateral and selected.f_n[i] > 0:
            add(label, PULLS, NativeGuard(Code.NORMAL, i, 1.0), slack)
    for k, joint in enumerate(system.joints):
        v_index = plan.joints[k]
        sticks = v_index in plan.sticking_joints or (-1, v_index) in plan.redundant
        if sticks and indeterminate and interior:
            near_limit(NativeGuard(Code.JOINT_FRICTION, k, joint.limit))
        if v_index in plan.sticking_joints and not indeterminate:
            slack = selected.slacks[len(system.contacts) + k]
            limit = NativeGuard(Code.JOINT_FRICTION, k, joint.limit, slack)
            add(joint.joint, SLIPS, limit, slack**2 / STICKING)
        sign = dict(plan.moving_joints).get(v_index, 0)
        if sign:
            add(joint.joint, STOPS, NativeGuard(Code.JOINT_SPEED, v_index, sign), _SPEED_SLACK)
    return guards
