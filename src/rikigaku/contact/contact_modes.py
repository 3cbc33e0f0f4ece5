"""Contacts and dry friction as a hybrid system for `rk.simulate`: contact modes and their transitions.

    rk.simulate(robot, q0, v0, duration=2, contacts=[rk.Contact(...)])

At every event the modes of all contacts and joints are selected anew, sticking ones included.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from rikigaku.contact.chattering import Chattering
from rikigaku.contact.contact_event_names import confirmed_events, events_of_modes
from rikigaku.contact.contact_guards import LIFTS, LIMIT_REACHED, PULLS, REVERSES, SLIPS, STOP, STOPS
from rikigaku.contact.contact_initial_state import check_initial_state
from rikigaku.contact.contact_rounding import resolution, speed_sizes
from rikigaku.contact.contact_state_projection import projected_state, raised_state, velocity_at_rest
from rikigaku.contact.contact_system import ContactSystem
from rikigaku.contact.contact_tolerances import REST, SLOW
from rikigaku.contact.crowded_events import CrowdedEvents
from rikigaku.contact.force_distribution import contacts_at_limits, interior_forces, statically_indeterminate
from rikigaku.contact.impact_without_collision import impact_without_collision
from rikigaku.contact.impacts import impact
from rikigaku.contact.joints_at_rest import WELL_WITHIN, with_joints_at_rest
from rikigaku.contact.mode_selection import select_mode
from rikigaku.contact.native_contact_mode import Workspace
from rikigaku.contact.painleve_limit import nearly_painleve, painleve_reason
from rikigaku.contact.selected_mode import NO_HINT, LaterState, SelectedMode, SwitchHint
from rikigaku.contact.simultaneous_events import simultaneous_events
from rikigaku.contact.smooth_mode import SPATIAL_RTOL, smooth_mode
from rikigaku.core.caller_warnings import warn_caller
from rikigaku.core.errors import NoConsistentMode, PullingWarning, TooLarge
from rikigaku.core.types import Array
from rikigaku.hybrid.hybrid_system import Change, Event
from rikigaku.integrators import contact_problem, friction_solver

_ERRORS = 20.0  # errors of a velocity that a sliding speed in space must exceed
_LATER = (1e-6, 1e-4, 1e-2)  # [s]: ahead, where forces that begin at zero are evaluated; the last at rest
_FALL = 10.0  # [m/s^2]: acceleration of a fall; flights lower than the rounding of positions are none
_AT_LIMIT = 1e-8  # margin of forces to friction limits, relative
_JAMMED = "impact without collision: friction at or beyond Painleve's limit (A <= 0) stops the sliding"
_STALLED_TEXT = "events followed one another at once: an implicit step of 1e-9 s was taken"
_NOT_FOUND = "no consistent contact mode was found: an implicit step of 1e-9 s was taken"
_INDETERMINATE = "contact forces are statically indeterminate: the minimum-norm forces are given"


class ContactModes:
    """The contact modes of a robot and their transitions.

    minimum_bounce_speed: approaches slower than this [m/s] are inelastic. It bounds the number of impacts of
        a bouncing ball.
    """

    def __init__(self, system: ContactSystem, minimum_bounce_speed: float = SLOW) -> None:
        self.system, self.minimum_bounce_speed = system, minimum_bounce_speed
        self.actuation: Callable[[float, Array, Array], Array] | None = None
        self.rtol, self.atol, self.step, self.straight = 0.0, 0.0, 0.0, False
        self._pulled: set[str] = set()
        self._constraints = system.constraints
        self._contact_modes: tuple[str, ...] = ()
        self._events = CrowdedEvents()
        self._at_limit = self._indeterminate = False
        self._forces: Array | None = None
        self._chattering = Chattering()
        self._last: tuple[SelectedMode, Array, Array]  # the mode, stop speeds and rounding of the contacts

    @cached_property
    def workspace(self) -> Workspace:
        """Memory of the native code for this simulation alone."""
        return Workspace(self.system.engine)

    @property
    def slides_in_space(self) -> bool:
        """Whether a contact with friction may slide in space: slow sliding is stiff."""
        pairs = zip(self.system.contacts, self.system.tangents, strict=True)
        return any(contact.friction.limit > 0 and count == 2 for contact, count in pairs)

    def set_actuation(self, forces: Callable[[float, Array, Array], Array]) -> None:
        """Joint forces as a function of (t, q, v), with which the first contact mode is selected."""
        self.actuation = forces

    def set_tolerances(self, rtol: float, atol: float) -> None:
        """Error tolerances of the integration, below which a sliding speed in space is zero.

        Where speed comes to zero in space it passes near zero by the error of the velocities. The direction
        of friction would then follow that error, at steps that shrink with the speed.
        """
        self.rtol, self.atol = min(rtol, SPATIAL_RTOL), min(atol, 0.01 * SPATIAL_RTOL)

    def set_step(self, step: float, straight: bool) -> None:
        """The step [s] of a method with fixed steps, below whose changes of speed contacts do not slide.

        A sliding speed in space passes zero by a step times the friction. With a straight first step
        (Euler's method) a flight has no curvature: a contact that leaves at any speed returns faster by a
        step times gravity; such contacts do not leave. Bodies would never come to rest.
        """
        self.step, self.straight = step, straight

    def start(self, t: float, q: Array, v: Array) -> Change:
        """The first contact mode. Closed contacts that approach begin with an impact.

        Raises:
            WrongValue: if a point is inside its surface, or a bilateral contact is open.
        """
        contact_problem.load()  # nothing is compiled after the first step
        friction_solver.load()
        check_initial_state(self.system, t, q, v)
        tau = None if self.actuation is None or self.system.torque is not None else self.actuation(t, q, v)
        return self._change(t, q, v, tau=tau)

    def after(self, event: Event) -> Change | None:
        """The transition at an event: an impact, and the contact mode after it."""
        fired = (event.name, *event.also)
        self._events.add(event.t)
        if set(fired) == {LIMIT_REACHED} and not self._events.crowded:
            same = self._same_mode(event)
            if same is not None:
                return same
        self._at_limit = LIMIT_REACHED in fired
        if not self._events.crowded and (change := self._after_joints_stopped(event, fired)) is not None:
            return change
        if self._at_limit:
            assert event.tau is not None
            slip, lift = contacts_at_limits(
                self.system, self._constraints, event.t, event.q, event.v, event.tau
            )
            fired = (*(f"{x} {SLIPS}" for x in slip), *(f"{x} {LIFTS}" for x in lift))
        selected, stop, _ = self._last
        others = simultaneous_events(self.system, selected, stop, event, fired)
        fired = (*fired, *others)

        def labels(kind: str) -> list[str]:
            return [name.removesuffix(f" {kind}") for name in fired if name.endswith(f" {kind}")]

        sides = {self.system.labels[i]: -side for i, _, side in self._constraints.sliding}
        hint = SwitchHint(
            tuple(labels(SLIPS)), tuple(labels(LIFTS)), {label: sides[label] for label in labels(REVERSES)},
            tuple(labels(STOPS)),
        )  # fmt: skip
        pulled = [*labels(PULLS), *(label for label, side in hint.reversed.items() if side < 0)]
        before, constraints = self._contact_modes, self._constraints
        redundant = bool(constraints.redundant or constraints.unloaded)
        change = self._change(event.t, event.q, event.v, hint, event.tau, pulled)
        if self._constraints == constraints and all(name.endswith(f" {REVERSES}") for name in fired):
            return replace(change, event_names=())  # the sign changed within rounding only: no event
        if not redundant:
            return replace(
                change, event_names=confirmed_events(self.system, before, self._contact_modes, fired, others)
            )
        return replace(change, event_names=events_of_modes(self.system, before, self._contact_modes, fired))

    def _after_joints_stopped(self, event: Event, fired: tuple[str, ...]) -> Change | None:
        """The transition where joints with dry friction stop and stick; None if it is another one."""
        stopped = [self._stops_of_joints.get(name) for name in fired]
        if None in stopped or event.tau is None:
            return None
        t, q, v = event.t, event.q, event.v
        stop, rounding = self._stop_speed(t, q, v), resolution(self.system, t, q)
        rest, which = np.maximum(REST, 2 * stop), [k for k in stopped if k is not None]
        speeds = rest, max(SLOW, self.minimum_bounce_speed)
        found = with_joints_at_rest(self.workspace, self._last[0], which, t, q, v, event.tau, speeds)
        if found is None:
            return None
        v = v.copy()
        v[[self._constraints.joints[k] for k in which]] = 0.0
        selected = found.selected
        self._constraints, self._contact_modes = selected.constraints, selected.contact_modes
        self._last = selected, stop, rounding
        mode = smooth_mode(self.workspace, selected, t, stop, rounding, found.interior)
        return Change(mode, q, v, note="; ".join(self._indeterminate_note(selected)))

    def _indeterminate_note(self, selected: SelectedMode) -> list[str]:
        """The note on statically indeterminate forces, where a motion has them for the first time."""
        first = selected.indeterminate and not self._indeterminate
        self._indeterminate = self._indeterminate or selected.indeterminate
        return [_INDETERMINATE] if first else []

    @cached_property
    def _stops_of_joints(self) -> dict[str, int]:
        """Joints with dry friction by the names of the events at which they stop."""
        return {f"{joint.joint} {STOPS}": k for k, joint in enumerate(self.system.joints)}

    def _stop_speed(self, t: float, q: Array, v: Array) -> Array:
        """Speed [m/s] of each contact at which sliding in space counts as stopped."""
        errors = self.atol + self.rtol * speed_sizes(self.system, t, q, v)
        friction = max((contact.friction.limit for contact in self.system.contacts), default=0.0)
        return np.maximum(max(STOP, friction * _FALL * self.step), _ERRORS * errors)

    def failure_reason(self, t: float, q: Array, v: Array) -> str:
        """Why the integration failed at a state, if contact is the reason; else an empty string."""
        return painleve_reason(nearly_painleve(self.system, t, q, v))

    def _change(
        self,
        t: float,
        q: Array,
        v: Array,
        hint: SwitchHint = NO_HINT,
        tau: Array | None = None,
        pulled: Any = (),
    ) -> Change:
        system, notes = self.system, []
        q, raised = raised_state(system, t, q, v, self.step) if self.step else (q, 0.0)
        rounding = resolution(system, t, q)
        slow = np.maximum(self.minimum_bounce_speed, np.sqrt(8 * _FALL * rounding))
        chatter = self._chattering.speed(t)
        gained = _FALL * self.step if self.straight else 0.0  # by each of Euler's flights, whatever its speed
        slow, leaves = np.maximum(slow, chatter), max(2 * gained, chatter)  # flights of a few of these steps
        hit = impact(system, t, q, v, np.maximum(slow, leaves), gained)
        if np.any(hit.impulses):
            notes.append("impact")
            self._chattering.record(t, -hit.approach, hit.impulses.any(axis=1))
            if tau is not None and self.actuation is not None:  # it may follow the velocities
                tau = self.actuation(t, q, hit.v)
            if hit.factor < 1:
                notes.append(f"restitution reduced to {hit.factor:.3g} of its value, which would make energy")
        stop = self._stop_speed(t, q, hit.v)
        creep = self._events.creep_speed(t)
        rest = np.maximum(max(REST, creep), 2 * stop)
        v, settled, moved = hit.v, 0.0, hit.work
        if self.step or chatter or creep:
            v, settled, work = velocity_at_rest(system, t, q, v, max(leaves, REST), rest)
            moved += work
        at_rest = v
        if any(system.tangents[i] == 2 and label in hint.stopped for i, label in enumerate(system.labels)):
            # A speed that is left would turn with the body, an acceleration that sticking contradicts.
            at_rest = velocity_at_rest(system, t, q, v, REST, rest)[0]
        try:
            if self._events.stalled:
                raise NoConsistentMode(_STALLED_TEXT)
            selected = self._select(t, q, at_rest, hint, tau, slow, rest)
        except (NoConsistentMode, TooLarge) as error:
            jammed = impact_without_collision(system, t, q, at_rest, self._tau(t, q, v, tau))
            if jammed is None:
                raise
            beyond = isinstance(error, NoConsistentMode) and error.painleve
            stalled = _STALLED_TEXT if str(error) == _STALLED_TEXT else _NOT_FOUND
            notes.append(_JAMMED if beyond else stalled)
            settled, v, moved = settled + jammed.dissipated, jammed.v, moved + jammed.work
            tau = None if tau is None or self.actuation is None else self.actuation(t, q, v)
            selected = self._select(t, q, v, NO_HINT, tau, slow, rest)
        self._constraints, self._contact_modes = selected.constraints, selected.contact_modes
        self._forces = selected.forces
        q, v, removed, work = projected_state(system, selected, t, q, v)
        moved += work
        notes += self._indeterminate_note(selected)
        if selected.painleve:
            notes.append(f"beyond Painleve's limit at {', '.join(selected.painleve)}")
        for label, contact, f_n, slack in zip(
            system.labels, system.contacts, selected.f_n, selected.slacks, strict=False
        ):
            if contact.bilateral and (f_n < -slack or label in pulled):
                notes.append(f"{label} pulls")
                self._warn(label, t)
        self._last = selected, stop, rounding
        return Change(
            smooth_mode(self.workspace, selected, t, stop, rounding, self._interior(t, q, v, tau)),
            q,
            v,
            raised + hit.dissipated + settled + removed,
            "; ".join(notes),
            moved,
        )

    def after_failure(self, t: float, q: Array, v: Array) -> Change | None:
        """The contact mode after impulses of friction, where forces grow without bound; None if that is not
        the reason why the integration failed."""
        if not nearly_painleve(self.system, t, q, v):
            return None
        tau = None if self.actuation is None or self.system.torque is not None else self.actuation(t, q, v)
        jammed = impact_without_collision(self.system, t, q, v, self._tau(t, q, v, tau))
        if jammed is None:
            return None
        change = self._change(t, q, jammed.v)
        dissipated, work = change.dissipated + jammed.dissipated, change.work + jammed.work
        note = "; ".join(filter(None, (_JAMMED, change.note)))
        return replace(change, dissipated=dissipated, work=work, note=note, event_names=())

    def _tau(self, t: float, q: Array, v: Array, tau: Array | None) -> Array:
        return self.system.force(t, q, v) if tau is None else tau

    def _interior(self, t: float, q: Array, v: Array, tau: Array | None) -> Array | None:
        """Forces well within friction that redundant contacts follow; None if there are none."""
        plan = self._constraints
        if not statically_indeterminate(plan):
            return None
        tau = self.system.force(t, q, v) if tau is None else tau
        found = interior_forces(self.system, plan, t, q, v, tau)
        return found.reference if found.margin > WELL_WITHIN else None

    def _same_mode(self, event: Event) -> Change | None:
        """The same contact mode with other forces of its redundant contacts, if these have room; else None.

        Forces near those of the start of the mode have come to a limit, others have not. Close to the limit
        of all, their widest margin is the guard.
        """
        selected, stop, rounding = self._last
        assert event.tau is not None
        plan = self._constraints
        found = interior_forces(self.system, plan, event.t, event.q, event.v, event.tau)
        if found.margin <= _AT_LIMIT:
            return None
        near = found.reference if found.margin > WELL_WITHIN else None
        mode = smooth_mode(self.workspace, selected, event.t, stop, rounding, near)
        return Change(mode, event.q, event.v, event_names=(), rearm=(LIMIT_REACHED,), continues=True)

    def _select(
        self, t: float, q: Array, v: Array, hint: SwitchHint, tau: Array | None, slow: Array, rest: Array
    ) -> SelectedMode:
        """The contact mode at a state.

        Where forces begin at zero every mode fits. Where several redundant contacts reach their limits at
        once, or changes of mode follow one another at once, rounding decides which modes fit. Then forces
        and motion a moment later decide, if they do.
        """
        system, before = self.system, self._contact_modes
        tie = self._events.tie(t)
        selected = select_mode(system, t, q, v, tau, hint, slow, rest, before, None, self._forces, tie)
        close = self._events.crowded or self._at_limit
        if not (selected.undecided or close) or self.actuation is None or system.torque is not None:
            return selected
        ahead = getattr(self.actuation, "ahead", self.actuation)
        a = system.forces(selected.constraints, q, v, tau, t, selected.directions).a
        for dt in _LATER if np.abs(v).max(initial=0.0) < REST else _LATER[:2]:
            q_later, v_later = system.engine.integrate(q, dt * (v + 0.5 * dt * a)), v + dt * a
            tau_later = ahead(t + dt, q_later, v_later)
            likely = (
                () if self._events.crowded or selected.contact_modes == before else selected.contact_modes
            )
            later = LaterState(t + dt, q_later, v_later, tau_later, likely)
            try:
                decided = select_mode(
                    system, t, q, v, tau, NO_HINT, slow, rest, before, later, selected.forces, tie
                )
            except (NoConsistentMode, TooLarge):
                break
            if not decided.undecided and not (close and decided.contact_modes == before):
                return decided
        return selected

    def _warn(self, label: str, t: float) -> None:
        """Warn once for each contact."""
        if label not in self._pulled:
            self._pulled.add(label)
            warn_caller(
                f"The bilateral contact {label!r} pulls (f_n < 0) from t = {t:.9g} s: a surface that only "
                "pushes would let go there (bilateral=False).",
                PullingWarning,
            )
