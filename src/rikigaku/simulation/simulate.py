"""`rk.simulate`: integration of a robot's motion through the modes of a hybrid system."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.closure.closure_plan import closure
from rikigaku.contact.contact_system import ContactSystem
from rikigaku.contact.kept_contact_systems import contact_modes
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import NoConsistentMode, TooLarge, WrongValue
from rikigaku.core.progress import Clock, Progress, progress_argument
from rikigaku.core.validation import flag
from rikigaku.hybrid.hybrid_system import Change, Event, Guard, System
from rikigaku.hybrid.smooth_motion import FreeMotion, is_closed
from rikigaku.integrators import native_integrator as integrator
from rikigaku.integrators.butcher_tableaus import EULER
from rikigaku.robot import Robot
from rikigaku.simulation.actuation import actuation_of
from rikigaku.simulation.actuation_program import ActuationForces, sampled_controller
from rikigaku.simulation.end_status import end_status, no_mode_status, zeno_status
from rikigaku.simulation.external_wrenches import loaded
from rikigaku.simulation.loop_monitor import singular_passages, until_loops_open
from rikigaku.simulation.mode_fields import field_of
from rikigaku.simulation.native_run import Progression, Run, run
from rikigaku.simulation.saturation_states import SaturationStates
from rikigaku.simulation.simulate_arguments import (
    TIME_STEPPING,
    bounded,
    guards_of,
    settings_of,
    span_of,
    start_of,
    times_of,
)
from rikigaku.simulation.solution import Solution
from rikigaku.simulation.step_interpolation import interpolated, step_of_no_length
from rikigaku.simulation.step_limits import ChangeLimit, StepLimits, Stiffness
from rikigaku.simulation.stepped_solution import check_start, stepped_solution
from rikigaku.simulation.torque_limits import saturated

_ADAPTIVE = "dop853"
_CHATTERING = 200  # changes of mode within a negligible time: the motion makes no progress
_ZENO = 8  # as many, if the last mode could not be integrated
_NO_MODE = (NoConsistentMode, TooLarge, np.linalg.LinAlgError)  # errors of systems without a next mode


@checked
def simulate(
    robot: Robot,
    q0: ArrayLike | None,
    v0: ArrayLike | None = None,
    torque: Any = None,
    *,
    duration: float,
    start: float = 0.0,
    events: Mapping[str, Callable[..., Any]] | Sequence[Guard] = (),
    contacts: Any = None,
    joint_friction: bool | None = None,
    wrenches: Mapping[str, Any] | None = None,
    torque_limits: Any = None,
    system: System | None = None,
    output: ArrayLike | None = None,
    method: str = _ADAPTIVE,
    step: float | None = None,
    rtol: float = 1e-10,
    atol: float = 1e-12,
    largest_step: float | None = None,
    most_steps: int = 1_000_000,
    most_changes: int = 10_000,
    progress: bool | Progress | None = None,
) -> Solution:
    """The motion of a robot from a state, integrated in native code.

    Args:
        q0, v0: positions (nq,; None: neutral) and velocities (nv,; at rest if left out). Those of a closed
            robot are projected onto its loops.
        torque: None; constant forces (n,); formulas of t, as ["3*sin(2*pi*t)", "0"]; `rk.Data(t, tau)`; a
            function (t, q, v) -> (n,), the only Python in the loop; a controller (`rk.PD`,
            `rk.ComputedTorque`, `rk.GravityCompensation`); `rk.Sampled(function or controller, period)`; or a
            sum of these. A closed robot takes the forces of its actuated joints, in the order of
            `robot.closure().actuated`.
        duration, start: [s].
        events: functions (t, q, v) -> number by name: their zero crossings are located and recorded. Or
            guards (`rk.simulation.Guard`), which may end the motion.
        contacts: a list of `rk.Contact`, `rk.Guide`, `rk.JointFriction`, or an `rk.ContactSystem`; the
            Coulomb friction of the robot's joints acts then as well. Contacts have no friction unless given.
            Motion without contacts if left out.
        joint_friction: dry (Coulomb) friction of the joints in the file, with stiction: True, also without
            contacts; False, not even with them; left out: with contacts only. Viscous friction always acts.
        wrenches: external wrenches by frame: force and moment on the robot at the frame's origin, world axes
            [N, N m]. Each is six numbers, six formulas of t, `rk.Data(t, w)` or a function (t, q, v).
        torque_limits: limits of the actuators' forces, which are clipped: True (the effort limits of the
            file), a number, one for each actuated coordinate, or {joint: limit} [N m, N].
        system: any other hybrid system (`rk.simulation.System`) instead.
        output: times of the solution's arrays, (m,), or their spacing [s]; the integrator's own steps if left
            out. `solution.at(t)` evaluates any time in either case. Times after an early end are left out;
            a motion that ends before the first of them has its start and its end.
        method: "dop853" (order 8, adaptive steps), "radau" (implicit, for stiff springs and
            controllers), or "rk4", "euler" with a fixed `step` [s]; or "time_stepping": fixed steps with
            contacts, of order 1, without location of events, damping implicit.
        rtol, atol: relative and absolute error tolerance of each step.
        largest_step: [s]; a hundredth of the duration if left out and there are contacts or events. Events
            that begin and end within a step (a pulse, a thin obstacle) need short steps.
        most_steps: limit of the number of steps. Adaptive steps at a rate above most_steps for a simulated
            second end the motion early. most_changes: limit of changes of contact mode for a simulated
            second: a tenth of them (at least 1000) within the same part of a second ends the motion.
        progress: a function that is called with a line every two seconds, with the simulated time; True
            prints them on stderr.
    Returns:
        The solution, up to where the motion could be integrated: `status` is "done" or says why it ended (no
        consistent contact mode, a limit of steps, rates that are not finite). If it failed at the start the
        solution has one state.
    Raises:
        WrongSize, WrongValue: for inputs that do not fit the robot. TooLarge: for an output above 2 GB.
    """
    start, end = span_of(start, duration)
    settings = settings_of(method, step, rtol, atol, most_steps, most_changes)
    torque, period = sampled_controller(robot, torque, method == TIME_STEPPING and wrenches is None)
    settings = bounded(settings, largest_step, end - start)
    times = times_of(output, start, end, 3 + robot.nq + robot.nv)
    q, v = start_of(robot, q0, v0)
    actuation = actuation_of(robot.nv, actuated_coordinates(robot), torque)
    actuation = loaded(robot, saturated(robot, actuation, torque_limits), wrenches)
    if method == TIME_STEPPING:
        fixed = _contact_system(robot, contacts, system, joint_friction)
        check_start(fixed, q, start, guards_of(events))
        clock = Clock(progress_argument(progress))
        return stepped_solution(
            fixed, actuation, start, end, settings.step, q, v, times, period, most_steps, clock
        )
    saturation = SaturationStates(robot, actuation)
    user_guards = (*guards_of(events), *saturation.guards)
    system = _system(robot, contacts, system, joint_friction)
    clock = Clock(progress_argument(progress))
    forces = ActuationForces(robot, actuation)
    set_actuation = getattr(system, "set_actuation", None)
    if set_actuation is not None:
        set_actuation(forces)
    set_tolerances = getattr(system, "set_tolerances", None)
    if set_tolerances is not None and integrator.adaptive(method):
        set_tolerances(settings.rtol, settings.atol)
    set_step = getattr(system, "set_step", None)
    if set_step is not None and not integrator.adaptive(method):
        set_step(settings.step, method == EULER.name)
    try:
        change = system.start(start, q, v)
    except _NO_MODE as error:
        return Solution.at_start(
            robot, actuation, start, q, v, forces(start, q, v), no_mode_status(error, start)
        )
    stiffness = Stiffness(method)
    if stiffness.room is not None and getattr(system, "slides_in_space", False):
        integrator.driver(stiffness.implicit)  # compiled before the first step, not where it is needed
    t, left, limits = start, most_steps, StepLimits(most_steps, integrator.adaptive(method))
    changes_limit = ChangeLimit(most_changes)
    runs: list[Run] = []
    events_found: list[Event] = []
    notes: list[str] = []
    waiting: tuple[str, ...] = ()
    changes = 0
    extra = np.zeros(2)
    while True:
        if change.note:
            notes.append(f"t = {t:.9g} s: {change.note}")
        if not runs or change.mode.native is None or change.mode.identity != runs[-1].mode.identity:
            made = field_of(robot, change.mode, actuation, user_guards)
        extra += change.work, change.dissipated
        y = np.concatenate([change.q, change.v, extra])
        own = settings.within(change.mode.largest_rtol).by(stiffness.method, stiffness.tolerance)
        by_event = bool(runs) and runs[-1].status == integrator.Status.EVENT
        if by_event and integrator.adaptive(
            method
        ):  # the first step of a mode is not longer than the last one
            own = replace(own, step=-runs[-1].step)
        at = Progression(clock, end, most_steps - left, changes)
        saturation.begin(t, change.q, change.v, waiting)
        with saturation.held():
            done = run(
                made, change.mode, actuation, t, y, end, own, waiting, left, forces.held,
                at, limits, stiffness,
            )  # fmt: skip
        opened = ""
        if is_closed(robot):
            done, opened = until_loops_open(robot, done)
        runs.append(done)
        forces.held = done.inputs[-1] if done.inputs else forces.held
        events_found += _recorded(robot, done)
        t, extra, left = done.t, done.y[-2:].copy(), left - len(done.records)
        if opened:
            status = opened
            break
        if done.status == integrator.Status.STIFF:
            q, v = done.y[: robot.nq].copy(), done.y[robot.nq : -2].copy()
            note = "" if stiffness.kept else "the motion is stiff: implicit steps are tried"
            runs[-1] = replace(done, continued=True)
            change, waiting = Change(change.mode, q, v, note=note), ()
            continue
        recovered = _recovered(system, done) if done.status == integrator.Status.STUCK else None
        if recovered is not None and not _no_progress(runs, _ZENO):
            changes, change, waiting = changes + 1, recovered, ()
            continue
        if done.status != integrator.Status.EVENT:
            status = end_status(done, settings)
            if done.status == integrator.Status.STUCK and hasattr(system, "failure_reason"):
                why = system.failure_reason(t, done.y[: robot.nq], done.y[robot.nq : -2])
                status += f"; {why}" if why else ""
            if done.status == integrator.Status.STUCK and _no_progress(runs, _ZENO):
                status = zeno_status(changes, t)
            break
        q, v = done.y[: robot.nq].copy(), done.y[robot.nq : -2].copy()
        event = Event(done.fired[0], t, q, v, change.mode.name, done.fired[1:], forces(t, q, v))
        at_limits = saturation.fired(done.fired)
        others = tuple(name for name in done.fired if name not in at_limits)
        if at_limits:
            events_found.append(replace(event, name=at_limits[0], also=at_limits[1:]))
            event = replace(event, name=others[0], also=others[1:]) if others else event
        if ended := [g.name for g in user_guards if g.ends_mode and g.name in others]:
            events_found.append(event)  # a user's guard ends the motion
            status = f"stopped at the event {ended[0]!r}, t = {t:.9g} s"
            break
        transition: Change | None = Change(change.mode, q, v, event_names=())
        try:
            if others:  # else a force reaches or leaves its limit, and the mode goes on
                transition = system.after(event)
        except _NO_MODE as error:  # the motion up to here is returned
            events_found.append(event)
            status = no_mode_status(error, t)
            break
        if transition is None or transition.event_names is None:
            events_found.append(event)
        elif transition.event_names:
            events_found.append(
                replace(event, name=transition.event_names[0], also=transition.event_names[1:])
            )
        if transition is None:
            status = f"stopped at the event {event.name!r}, t = {t:.9g} s"
            break
        runs[-1] = replace(done, continued=transition.continues)
        changes += not transition.continues
        if not transition.continues and changes_limit.reached(t):
            status = changes_limit.status(t)
            break
        if _no_progress(runs, _CHATTERING):
            status = zeno_status(changes, t)
            break
        waiting = tuple(name for name in done.fired if name not in transition.rearm)
        change, stiffness = transition, stiffness.in_next_mode()
    if is_closed(robot):
        notes += singular_passages(robot, np.concatenate([r.records for r in runs]))
    if not any(len(r.records) for r in runs):  # no step was taken: one state, as a step of no length
        runs[-1] = replace(runs[-1], records=step_of_no_length(runs[-1].t, runs[-1].y))
    return Solution.of(robot, actuation, runs, events_found, status, times, notes)


def _recovered(system: System, done: Run) -> Change | None:
    """The mode in which the motion goes on after the integration failed; None if the system has none."""
    after_failure = getattr(system, "after_failure", None)
    if after_failure is None:
        return None
    n = done.field.robot.nq
    try:
        change: Change | None = after_failure(done.t, done.y[:n].copy(), done.y[n:-2].copy())
    except _NO_MODE:
        return None
    return change


def _system(robot: Robot, contacts: Any, system: System | None, joint_friction: Any) -> System:
    friction = None if joint_friction is None else flag("joint_friction", joint_friction)
    if system is not None:
        if contacts is not None or friction is not None:
            other = "joint_friction" if contacts is None else "contacts"
            raise WrongValue(f"Give {other} or a system, not both: {other} define a system of their own.")
        return system
    if contacts is None and not friction:
        return FreeMotion(robot)
    return contact_modes(robot, () if contacts is None else contacts, friction)


def _contact_system(robot: Robot, contacts: Any, system: System | None, joint_friction: Any) -> ContactSystem:
    """The contacts of fixed steps."""
    friction = None if joint_friction is None else flag("joint_friction", joint_friction)
    if system is not None:
        raise WrongValue("time_stepping takes contacts, not a system: give contacts=[...].")
    if contacts is None and not friction:
        return ContactSystem(robot, (), joints=())
    return contact_modes(robot, () if contacts is None else contacts, friction).system


def actuated_coordinates(robot: Robot) -> tuple[int, ...]:
    """Indices in v of the forces of the argument `torque`."""
    return tuple(closure(robot).structure.actuated) if is_closed(robot) else tuple(range(robot.nv))


def _recorded(robot: Robot, done: Run) -> list[Event]:
    if not done.recorded:
        return []
    t = np.array([t for _, t in done.recorded])
    which = np.clip(np.searchsorted(done.records[:, 0], t, side="right") - 1, 0, None)
    y = interpolated(done.records, done.field.size, t, which)
    return [
        Event(name, float(at), x[: robot.nq], x[robot.nq : -2], done.mode.name)
        for (name, at), x in zip(done.recorded, y, strict=True)
    ]


def _no_progress(runs: list[Run], count: int) -> bool:
    """Whether the last `count` modes lasted a negligible time together."""
    if len(runs) < count:
        return False
    began = next((r.records[0, 0] for r in runs[-count:] if len(r.records)), runs[-1].t)
    t = abs(runs[-1].t)
    return bool(runs[-1].t - began <= max(1e-9 * min(max(t, 1e-3), 1.0), 1e-15 * t))
