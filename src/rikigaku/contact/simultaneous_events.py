"""Events of several contacts at one time, as of the two wheels of an axle.

Guards of equal contacts differ by rounding only. One of them fires first, and the others are within the
tolerance of mode selection: they would stay closed, or keep sliding, for another moment, and a symmetric
motion would lose its symmetry.
"""

import numpy as np

from rikigaku.contact.contact_guards import LANDS, LIFTS, STOPS
from rikigaku.contact.contact_rounding import touching
from rikigaku.contact.contact_system import ContactSystem
from rikigaku.contact.contact_tolerances import REST
from rikigaku.contact.friction_moment import FrictionMoment
from rikigaku.contact.selected_mode import SelectedMode
from rikigaku.core.types import Array
from rikigaku.hybrid.hybrid_system import Event


def simultaneous_events(
    system: ContactSystem, selected: SelectedMode, stop: Array, event: Event, fired: tuple[str, ...]
) -> tuple[str, ...]:
    """Names of events that belong to those that fired.

    Where a contact lifts off: contacts that pushed when the mode began and have lost their force. Where one
    stops in space: others that slide at its speed or less. Where one lands: others that close there.

    stop: speed [m/s] of each contact at which sliding in space counts as stopped.
    """
    plan, found = selected.constraints, list[str]()
    state = system.state(event.q, event.v, event.t)

    def any_fired(kind: str) -> bool:
        return any(name.endswith(f" {kind}") for name in fired)

    if any_fired(LANDS):
        closes = (state.gap <= touching(system, event.t, event.q)) & (state.approach < -REST)
        for i, contact in enumerate(system.contacts):
            if closes[i] and selected.contact_modes[i] == "free" and not isinstance(contact, FrictionMoment):
                found.append(f"{system.labels[i]} {LANDS}")
    if any_fired(LIFTS):
        forces = system.forces(plan, event.q, event.v, event.tau, event.t, selected.directions)
        for i, contact in enumerate(system.contacts):
            slack = selected.slacks[i]
            loaded = (i, 0) in plan.contacts and not contact.bilateral and selected.f_n[i] > 2 * slack
            if loaded and not isinstance(contact, FrictionMoment) and abs(forces.f_n[i]) <= slack:
                found.append(f"{system.labels[i]} {LIFTS}")
    if any_fired(STOPS):
        speeds = np.linalg.norm(state.sliding, axis=1)
        in_space = [i for i, sign, _ in plan.sliding if sign == 0]
        found += [f"{system.labels[i]} {STOPS}" for i in in_space if speeds[i] <= 2 * stop[i]]
    return tuple(name for name in found if name not in fired)
