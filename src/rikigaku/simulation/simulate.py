"""`rk.simulate`: motion of a robot through its modes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rikigaku.bound import integrator
from rikigaku.constraints.plan import closure
from rikigaku.errors import NoConsistentMode, TooLarge, WrongValue
from rikigaku.model.robot import Robot
from rikigaku.simulation.drive_forces import DriveForces
from rikigaku.simulation.drives import drive_of
from rikigaku.simulation.fields import field_of
from rikigaku.simulation.free import Free, is_closed
from rikigaku.simulation.given import bounded, guards_of, settings_of, span_of, start_of, times_of
from rikigaku.simulation.interpolation import interpolated
from rikigaku.simulation.loops import kept_closed, singular_passages
from rikigaku.simulation.modes import Event, Guard, System
from rikigaku.simulation.run import Run, Settings, run
from rikigaku.simulation.solution import Solution
from rikigaku.simulation.unmoved import unmoved

_ADAPTIVE = "dop853"
_STORM = 200  # changes of mode within a time too short to matter: motion does not get on
_ZENO = 8  # as many, where the last could not even be followed
_HOPELESS = (NoConsistentMode, TooLarge, np.linalg.LinAlgError)  # a system that cannot name its next mode


def simulate(
    robot: Robot,
    q0: Any,
    v0: Any = None,
    torque: Any = None,
    *,
    duration: float,
    start: float = 0.0,
    events: Mapping[str, Callable[..., Any]] | Sequence[Guard] = (),
    contacts: Any = None,
    system: System | None = None,
    output: Any = None,
    method: str = _ADAPTIVE,
    step: float | None = None,
    rtol: float = 1e-10,
    atol: float = 1e-12,
    largest_step: float | None = None,
    most_steps: int = 1_000_000,
    most_changes: int = 10_000,
) -> Solution:
    """The motion of a robot from a state, integrated in native code.

    Args:
        q0, v0: positions (nq,; None: neutral) and velocities (nv,; at rest if left out). A closed robot's are
            brought onto its loops.
        torque: None; constant forces (n,); formulas of t, as ["3*sin(2*pi*t)", "0"]; `rk.Data(t, tau)`; a
            function (t, q, v) -> (n,), the only Python in the loop; `rk.Sampled(function, period)`; or a
            controller (`rk.PD`, `rk.ComputedTorque`). A closed robot takes the forces of its driven joints,
            in the order of `robot.closure().driven`.
        duration, start: [s].
        events: functions (t, q, v) -> number by name: passages through zero are located and noted. Or guards
            (`rk.simulation.Guard`), which may end the motion.
        contacts: what touches, holds and rubs (`rk.Contact`, `rk.JointFriction`; or an `rk.ContactSystem`);
            the Coulomb friction of the robot's joints acts then as well. Free motion if left out.
        system: any other system of modes (`rk.simulation.System`) instead.
        output: times of the solution's arrays, (m,), or their spacing [s]; the integrator's own steps if left
            out. `solution.at(t)` answers for any time in either case.
        method: "dop853" (order 8, steps by its error estimate), "radau" (implicit, for stiff springs and
            controllers), or "rk4", "euler" with a fixed `step` [s].
        rtol, atol: error allowed a step, relative to and beyond the size of each number of the state.
        largest_step: [s]; a hundredth of the duration if left out, where contacts or events are watched for.
            What comes and goes within a step (a pulse, a thin obstacle) is seen if steps are short.
        most_steps, most_changes: where to give up.
    Returns:
        The motion, up to where it could be followed: `status` is "done" or says why it ended (no mode of the
        contacts fits, steps without end, rates that are not finite). If it ended at once it has one moment.
    Raises:
        WrongSize, WrongValue: for inputs that do not fit the robot.
    """
    start, end = span_of(start, duration)
    settings = settings_of(method, step, rtol, atol, most_steps, most_changes)
    settings = bounded(settings, largest_step, end - start)
    times = times_of(output, start, end)
    q, v = start_of(robot, q0, v0)
    drive = drive_of(robot.nv, driven_places(robot), torque)
    watched = guards_of(events)
    system = _system(robot, contacts, system)
    driven = DriveForces(robot, drive)
    if hasattr(system, "driven_by"):
        system.driven_by(driven)
    try:
        change = system.start(start, q, v)
    except _HOPELESS as error:
        return unmoved(robot, drive, start, q, v, driven(start, q, v), _hopeless(error, start))
    t, left = start, most_steps
    runs: list[Run] = []
    noted: list[Event] = []
    notes: list[str] = []
    waiting: tuple[str, ...] = ()
    changes = 0
    extra = np.zeros(2)
    while True:
        if change.note:
            notes.append(f"t = {t:.9g} s: {change.note}")
        made = field_of(robot, change.mode, drive, watched)
        extra += change.work, change.dissipated
        y = np.concatenate([change.q, change.v, extra])
        done = run(made, change.mode, drive, t, y, end, settings, waiting, left, driven.held)
        torn = ""
        if is_closed(robot):
            done, torn = kept_closed(robot, done)
        runs.append(done)
        driven.held = done.inputs[-1] if done.inputs else driven.held
        noted += _noted(robot, done)
        t, extra, left = done.t, done.y[-2:].copy(), left - len(done.records)
        if torn:
            status = torn
            break
        if done.status != integrator.Status.EVENT:
            status = _ended(done, settings)
            if done.status == integrator.Status.STUCK and hasattr(system, "stuck"):
                why = system.stuck(t, done.y[: robot.nq], done.y[robot.nq : -2])
                status += f"; {why}" if why else ""
            if done.status == integrator.Status.STUCK and _hurried(runs, _ZENO):
                status = _endless(changes, t)
            break
        q, v = done.y[: robot.nq].copy(), done.y[robot.nq : -2].copy()
        event = Event(done.fired[0], t, q, v, change.mode.name, done.fired[1:], driven(t, q, v))
        if ended := [g.name for g in watched if g.ends_mode and g.name in done.fired]:
            noted.append(event)  # the user's own guards end the motion, whatever the system makes of it
            status = f"stopped at the event {ended[0]!r}, t = {t:.9g} s"
            break
        try:
            following = system.after(event)
        except _HOPELESS as error:  # what was found up to here is worth having
            noted.append(event)
            status = _hopeless(error, t)
            break
        if following is None or following.happened is None:
            noted.append(event)
        elif following.happened:
            noted.append(replace(event, name=following.happened[0], also=following.happened[1:]))
        if following is None:
            status = f"stopped at the event {event.name!r}, t = {t:.9g} s"
            break
        changes += 1
        if changes >= most_changes:
            status = f"the limit of {most_changes} changes of mode was reached at t = {t:.9g} s"
            break
        if _hurried(runs, _STORM):
            status = _endless(changes, t)
            break
        waiting = tuple(name for name in done.fired if name not in following.rearm)
        change = following
    if is_closed(robot):
        notes += singular_passages(robot, np.concatenate([r.records for r in runs]))
    if not any(len(r.records) for r in runs):
        return unmoved(robot, drive, start, q, v, driven(start, q, v), status, tuple(noted), tuple(notes))
    return Solution.of(robot, drive, runs, noted, status, times, notes)


def _system(robot: Robot, contacts: Any, system: System | None) -> System:
    if contacts is None:
        return Free(robot) if system is None else system
    if system is not None:
        raise WrongValue("Give contacts or a system, not both: contacts make a system of their own.")
    from rikigaku.contact.modes import contact_modes

    return contact_modes(robot, contacts)


def driven_places(robot: Robot) -> tuple[int, ...]:
    """Places in v of the forces that torque gives."""
    return tuple(closure(robot).places.driven) if is_closed(robot) else tuple(range(robot.nv))


def _noted(robot: Robot, done: Run) -> list[Event]:
    if not done.noted:
        return []
    t = np.array([t for _, t in done.noted])
    which = np.clip(np.searchsorted(done.records[:, 0], t, side="right") - 1, 0, None)
    y = interpolated(done.records, done.field.size, t, which)
    return [
        Event(name, float(at), x[: robot.nq], x[robot.nq : -2], done.mode.name)
        for (name, at), x in zip(done.noted, y, strict=True)
    ]


def _ended(done: Run, settings: Settings) -> str:
    if done.status == integrator.Status.DONE:
        return "done"
    if done.status == integrator.Status.LIMIT:
        return f"the limit of {settings.most_steps} steps was reached at t = {done.t:.9g} s"
    return f"the motion cannot go on at t = {done.t:.9g} s: rates are not finite, or steps became too small"


def _hopeless(error: Exception, t: float) -> str:
    if isinstance(error, np.linalg.LinAlgError):
        return f"the forces of the contacts cannot be found at t = {t:.9g} s: {error}"
    return str(error)


def _endless(changes: int, t: float) -> str:
    return f"changes of mode follow one another without end (Zeno, or chattering): {changes} by t = {t:.9g} s"


def _hurried(runs: list[Run], count: int) -> bool:
    """Whether the last modes took no time to speak of."""
    if len(runs) < count:
        return False
    began = next((r.records[0, 0] for r in runs[-count:] if len(r.records)), runs[-1].t)
    return bool(runs[-1].t - began <= 1e-9 * max(abs(runs[-1].t), 1e-3))
