"""Contacts and dry friction as modes for `rk.simulate`: fields, guards, projections, what follows events.

    rk.simulate(robot, q0, v0, duration=2, contacts=[rk.Contact(...)])

At every change all contacts and joints are tested again, sticking ones too.
"""

import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.tree import tree
from rikigaku.contact.choosing import (
    CLOSED,
    NOTHING,
    SLOW,
    Choosing,
    Told,
    chosen_mode,
    nearly_painleve,
)
from rikigaku.contact.guards import LANDS, LIFTS, PULLS, SLIPS, STOPS, TURNS
from rikigaku.contact.impacts import impact
from rikigaku.contact.placing import open_by
from rikigaku.contact.sharing import at_limits
from rikigaku.contact.smooth_mode import GIVES_WAY, at_rest, mode_of
from rikigaku.contact.system import ContactSystem
from rikigaku.errors import PullingWarning, WrongValue
from rikigaku.model.robot import Robot
from rikigaku.simulation.modes import Change, Event

Array = NDArray[np.float64]

_WORDS = {"free": LIFTS, "slip": SLIPS, "stick": STOPS}

_ROUNDING = 1e-14  # [m, rad]: what is this near to its place is there


class ContactModes:
    """The modes of a robot with contacts.

    settling: speed [m/s] of a bounce below which it is taken as none: it bounds the number of impacts of a
        ball that comes to rest.
    """

    def __init__(self, system: ContactSystem, settling: float = SLOW) -> None:
        self.system, self.settling = system, settling
        self.drives: Callable[[float, Array, Array], Array] | None = None
        self._pulled: set[str] = set()
        self._plan = system.plan
        self._words: tuple[str, ...] = ()

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
                    f"its surface. ContactSystem(robot, contacts).placed(q, [{contact.frame!r}]) gives "
                    "positions that touch."
                )
            if contact.bilateral and abs(rate) > 1e-6:
                raise WrongValue(
                    f"At the start {label!r} moves at {rate:.3g} m/s across the surface that holds it: "
                    "give velocities along the surface, or those of "
                    "ContactSystem(robot, contacts).allowed_velocity(q, v)."
                )
        if (gap := open_by(self.system, q, (), t)) > CLOSED:
            raise WrongValue(
                f"At the start guides or loops are open by {gap:.3g}. "
                "ContactSystem(robot, contacts).placed(q) gives positions that close them."
            )
        tau = None if self.drives is None or self.system.torque is not None else self.drives(t, q, v)
        return self._change(t, q, v, tau=tau)

    def after(self, event: Event) -> Change | None:
        """What follows: impact, another mode, the same one again."""
        fired = (event.name, *event.also)
        if GIVES_WAY in fired:
            assert event.tau is not None
            slip, lift = at_limits(self.system, self._plan, event.t, event.q, event.v, event.tau)
            fired = (*(f"{x} {SLIPS}" for x in slip), *(f"{x} {LIFTS}" for x in lift))

        def named(word: str) -> list[str]:
            return [name.removesuffix(f" {word}") for name in fired if name.endswith(f" {word}")]

        sides = {self.system.labels[i]: -side for i, _, side in self._plan.slips}
        told = Told(tuple(named(SLIPS)), tuple(named(LIFTS)), {label: sides[label] for label in named(TURNS)})
        pulled = [*named(PULLS), *(label for label, side in told.turned.items() if side < 0)]
        before, plan, shared = self._words, self._plan, bool(self._plan.more or self._plan.idle)
        change = self._change(event.t, event.q, event.v, told, event.tau, pulled)
        if self._plan == plan and all(name.endswith(f" {TURNS}") for name in fired):
            return replace(change, happened=())  # by rounding its force is still on the side it was
        if not shared:
            return change
        return replace(change, happened=self._happened(before, fired))

    def _happened(self, before: tuple[str, ...], fired: tuple[str, ...]) -> tuple[str, ...]:
        """What came of it where forces share: one that carries no more may slide on, and nothing happened."""
        names = (*self.system.labels, *(joint.joint for joint in self.system.joints))
        told = [name for name in fired if name.rsplit(" ", 1)[-1] in (STOPS, LANDS, TURNS, PULLS)]
        for name, old, new in zip(names, before, self._words, strict=True):
            if old != new and not any(word.startswith(f"{name} ") for word in told):
                told.append(f"{name} {_WORDS[new.rstrip('+-')]}")
        return tuple(told)

    def stuck(self, t: float, q: Array, v: Array) -> str:
        """Why motion cannot go on at a state, where contact is the reason; else nothing."""
        close = nearly_painleve(self.system, t, q, v)
        return (
            f"friction at {', '.join(map(repr, close))} has come to Painleve's limit (A = 0): the normal "
            "force grows without bound"
            if close
            else ""
        )

    def _change(
        self, t: float, q: Array, v: Array, told: Told = NOTHING, tau: Array | None = None, pulled: Any = ()
    ) -> Change:
        system, words = self.system, []
        hit = impact(system, t, q, v, self.settling)
        if np.any(hit.impulses):
            words.append("impact")
            if hit.lost < -1e-12 * (1 + abs(hit.lost)):
                words.append("gained energy (restitution 'poisson' does not)")
        chosen = chosen_mode(system, t, q, hit.v, tau, told, self.settling)
        self._plan, self._words = chosen.plan, chosen.words
        q, v, swept = _held(system, chosen, t, q, hit.v)
        if chosen.shared:
            words.append("contact forces shared: the motion does not decide them, the least are given")
        if chosen.painleve:
            words.append(f"beyond Painleve's limit at {', '.join(chosen.painleve)}")
        for label, contact, f_n in zip(system.labels, system.contacts, chosen.f_n, strict=True):
            if contact.bilateral and (f_n < -chosen.slack or label in pulled):
                words.append(f"{label} pulls")
                self._warn(label, t)
        return Change(mode_of(system, chosen, t), q, v, hit.lost + swept, "; ".join(words), hit.work)

    def _warn(self, label: str, t: float) -> None:
        """Once a contact."""
        if label not in self._pulled:
            self._pulled.add(label)
            warnings.warn(
                f"The bilateral contact {label!r} pulls (f_n < 0) from t = {t:.9g} s: a surface that only "
                "pushes would let go there (bilateral=False).",
                PullingWarning,
                stacklevel=2,
            )


def _held(
    system: ContactSystem, chosen: Choosing, t: float, q: Array, v: Array
) -> tuple[Array, Array, float]:
    """The state brought onto what the mode holds (gaps and speeds that count as none), and the energy that
    takes: [J]."""
    laws, plan = cast(Any, tree(system.robot)), chosen.plan
    given = system.given(t, chosen.directions, t, plan)
    moved, step, speed = np.array(q), np.zeros(system.robot.nv), np.array(v)
    if plan.rows or plan.held or plan.always:
        step = system.law("closing_contacts", plan)(moved, given)
        step = step if np.abs(step).max() > _ROUNDING else np.zeros_like(step)
        moved = np.asarray(laws.integrate(moved, step))
        speed = np.asarray(system.law("held_velocity", plan)(moved, speed, given))
    if at_rest(system, plan):
        speed = np.zeros(system.robot.nv)
    kinetic = float(laws.kinetic_energy(q, v) - laws.kinetic_energy(moved, speed))
    return moved, speed, kinetic - float(laws.gravity_forces(q) @ step)


def contact_modes(robot: Robot, contacts: Any) -> ContactModes:
    """What `simulate(contacts=...)` means: contacts, guides and joint friction, or a whole system.

    Raises:
        WrongValue: for anything else, or a system of another robot.
    """
    settling = SLOW
    if isinstance(contacts, ContactModes):  # each motion begins with modes that remember nothing
        contacts, settling = contacts.system, contacts.settling
    if not isinstance(contacts, ContactSystem):
        if isinstance(contacts, str) or not isinstance(contacts, Iterable):
            raise WrongValue(
                f"contacts is a list, as in [rk.Contact('hand', rk.Plane(), 0.2)]; {contacts!r} was given."
            )
        return ContactModes(ContactSystem(robot, tuple(contacts)))
    if contacts.robot != robot:
        raise WrongValue(f"The contacts belong to robot {contacts.robot.name!r}, not to this {robot.name!r}.")
    return ContactModes(contacts, settling)
