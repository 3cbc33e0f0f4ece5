"""A consistent contact mode, the modes that an event makes likely, and a state shortly after it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from rikigaku.core.types import Array
from rikigaku.laws.contact.active_constraints import ActiveConstraints


@dataclass(frozen=True, eq=False)
class SelectedMode:
    """A consistent contact mode.

    Attributes:
        contact_modes: "free", "stick", "slip", "slip+" or "slip-" for each contact, then for each joint with
            dry friction.
        constraints: the active constraints, for `system.forces` and the contact laws.
        directions: initial sliding directions, world axes, by contact that starts to slide in space.
        f, f_n: forces on the robot at the contacts, world axes (k, 3), and their normal components [N].
        indeterminate: contact forces are not unique (redundant contacts); f has the minimum norm within
            friction.
        painleve: contacts where friction reverses the sign of A.
        slacks: force [N] beyond its limit at which guards fire, of each contact, then of each joint; above
            the tolerance of the selection. friction_slacks: the same beyond static friction.
        reference: forces along all constraints near which the motion starts, where minimum-norm forces are
            not within friction.
        forces: along all constraints.
        undecided: a closed contact or sticking joint has neither force nor acceleration: all its modes fit.
    """

    contact_modes: tuple[str, ...]
    constraints: ActiveConstraints
    directions: dict[int, Array]
    f: Array
    indeterminate: bool = False
    painleve: tuple[str, ...] = ()
    f_n: tuple[float, ...] = ()
    slacks: tuple[float, ...] = ()
    friction_slacks: tuple[float, ...] = ()
    undecided: bool = False
    reference: Array | None = None
    forces: Array | None = None


class LaterState(NamedTuple):
    """A state after the one at which a contact mode begins.

    tau: forces in all joints there. modes: `contact_modes` to try first, if any.
    """

    t: float
    q: Array
    v: Array
    tau: Array
    modes: tuple[str, ...]


class SwitchHint(NamedTuple):
    """Modes that an event makes likely: at that moment forces are exactly at their limits.

    Attributes:
        slipping: contacts (`system.labels`) or joints that no longer stick. lifting: contacts that lift off.
        reversed: bilateral contacts whose normal force changed its sign, with the new sign.
        stopped: contacts that slid in space and have come to rest.
    If another contact changes at the same moment the hint may be wrong: all other modes are tried as well.
    """

    slipping: tuple[str, ...] = ()
    lifting: tuple[str, ...] = ()
    reversed: Mapping[str, int] = MappingProxyType({})
    stopped: tuple[str, ...] = ()


NO_HINT = SwitchHint()
