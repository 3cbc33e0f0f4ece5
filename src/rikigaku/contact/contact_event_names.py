"""Names of the events at a change of contact mode: guards that fired, modes before and after."""

from rikigaku.contact.contact_guards import LANDS, LIFTS, PULLS, REVERSES, SLIPS, STOPS
from rikigaku.contact.contact_system import ContactSystem

_EVENT_NAMES = {"free": LIFTS, "slip": SLIPS, "stick": STOPS}


def confirmed_events(
    system: ContactSystem,
    before: tuple[str, ...],
    now: tuple[str, ...],
    fired: tuple[str, ...],
    others: tuple[str, ...],
) -> tuple[str, ...]:
    """The events that fired, those of the others that the new contact mode has, and joints that a stop of
    another stops."""
    count = len(system.contacts)
    still = {f"{x} {LIFTS}" for x, mode in zip(system.labels, now, strict=False) if mode != "free"}
    names = [name for name in fired if name not in others or name not in still]
    if any(name.endswith(f" {STOPS}") for name in fired):
        joints = zip(system.joints, before[count:], now[count:], strict=True)
        stopped = (f"{x.joint} {STOPS}" for x, old, new in joints if old != "stick" == new)
        names += [name for name in stopped if name not in names]
    return tuple(names)


def events_of_modes(
    system: ContactSystem, before: tuple[str, ...], now: tuple[str, ...], fired: tuple[str, ...]
) -> tuple[str, ...]:
    """Events by the modes before and after: an unloaded redundant contact may continue to slide."""
    names = (*system.labels, *(joint.joint for joint in system.joints))
    events = [name for name in fired if name.rsplit(" ", 1)[-1] in (STOPS, LANDS, REVERSES, PULLS)]
    for name, old, new in zip(names, before, now, strict=True):
        own = {f"{name} {kind}" for kind in (STOPS, LANDS, REVERSES, PULLS, LIFTS, SLIPS)}
        if old != new and own.isdisjoint(events):
            events.append(f"{name} {_EVENT_NAMES[new.rstrip('+-')]}")
    return tuple(events)
