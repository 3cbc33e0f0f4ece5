"""A chosen mode of contact as the simulation takes it: smooth motion, guards, projection."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.contact.choosing import Choosing
from rikigaku.contact.guards import guards_of
from rikigaku.contact.labels import force_labels
from rikigaku.contact.sharing import holds_together, near, spare
from rikigaku.contact.stops import JointStop
from rikigaku.contact.system import ContactSystem
from rikigaku.laws.contact import (
    ModePlan,
    closing_contacts,
    contact_dynamics,
    gaps_of_mode,
    held_velocity,
)
from rikigaku.laws.contact_inner import contact_joint_wrenches
from rikigaku.laws.integration import integrate
from rikigaku.model.mechanism import Mechanism
from rikigaku.simulation.free import viscous_power
from rikigaku.simulation.modes import Flow, Mode, Now, Numbers, Watch

Array = NDArray[np.float64]

GIVES_WAY = "contacts give way"


def mode_of(system: ContactSystem, chosen: Choosing, t: float) -> Mode:
    """A chosen mode as the simulation takes it from time t on."""
    plan = chosen.plan
    names = (*system.labels, *(joint.joint for joint in system.joints))
    rests = at_rest(system, plan)

    def parameters(forces: Any = None) -> tuple[float, ...]:
        given = system.given(0.0, chosen.directions, t, plan, forces)
        return (*(float(x) for x in given[1:]), chosen.slack)

    def room(t: float, q: Array, v: Array, tau: Array) -> float:
        return spare(system, plan, t, q, v, tau) + chosen.slack

    def least(t: float, q: Array, v: Array, tau: Array) -> tuple[float, ...]:
        return parameters(near(system, plan, t, q, v, tau))

    together = holds_together(plan)

    def dynamics(mechanism: Mechanism, now: Now) -> Flow:
        state = (mechanism, now.q, now.v, now.tau, [now.t, *now.p[:-1]], plan)
        a, forces, power, driven = contact_dynamics(*state)
        power = power + viscous_power(mechanism, now.v)
        outputs = _Outputs(forces, lambda: contact_joint_wrenches(*state))
        return Flow([0] * len(a) if rests else a, power, outputs, driven)

    def project(mechanism: Mechanism, now: Now) -> tuple[Numbers, Numbers]:
        if rests:
            return now.q, [0] * mechanism.nv
        given = [now.t, *now.p]
        q = integrate(mechanism, now.q, closing_contacts(mechanism, now.q, given, plan))
        return q, held_velocity(mechanism, q, now.v, given, plan)

    def gaps(mechanism: Mechanism, now: Now) -> Numbers:
        return gaps_of_mode(mechanism, now.q, [now.t, *now.p], plan)

    holds = bool(plan.rows or plan.held or plan.always)
    guards = tuple(guards_of(system, chosen))
    return Mode(
        ", ".join(f"{name} {word}" for name, word in zip(names, chosen.words, strict=True)) or "free",
        repr((plan, chosen.words, chosen.shared, _fixed(system), [guard.name for guard in guards])),
        dynamics,
        guards,
        project if holds else None,
        parameters(),
        gaps if plan.always or any(direction == 0 for _, direction in plan.rows) else None,
        force_labels(system),
        tuple(dict.fromkeys(c.surface for c in system.contacts if not isinstance(c, JointStop))),
        Watch(GIVES_WAY, room) if together else None,
        least if together else None,
    )


def _fixed(system: ContactSystem) -> tuple[float, ...]:
    """Numbers that guards hold: with others they are other programs."""
    return (*(c.friction.limit for c in system.contacts), *(joint.limit for joint in system.joints))


def at_rest(system: ContactSystem, plan: ModePlan) -> bool:
    """Whether nothing can move: as many independent rows as coordinates, surfaces and guides that stand."""
    still = not any(x for c in system.contacts for x in (c.surface.rate, *c.surface.belt))
    still = still and not any(hold.moves for hold in plan.guides)
    return still and plan.always + len(plan.rows) + len(plan.held) == system.robot.nv


class _Outputs(Mapping[str, Any]):
    """Forces, and those inside the robot where somebody asks for them."""

    def __init__(self, forces: Numbers, inner: Callable[[], Any]) -> None:
        self.forces, self.inner = list(forces), inner

    def __getitem__(self, name: str) -> Any:
        return {"forces": lambda: self.forces, "joint wrenches": self.inner}[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(("forces", "joint wrenches") if self.forces else ("joint wrenches",))

    def __len__(self) -> int:
        return 1 + bool(self.forces)
