"""What `rk.simulate` is given, checked at the door: start, duration, steps, times of output, events."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rikigaku.arrays import floats
from rikigaku.bound import integrator
from rikigaku.constraints.plan import closure
from rikigaku.errors import WrongSize, WrongValue
from rikigaku.model.mechanism import Mechanism
from rikigaku.model.robot import Robot
from rikigaku.numbers.kind import Number
from rikigaku.simulation.free import is_closed
from rikigaku.simulation.modes import Array, Flow, Guard, Now
from rikigaku.simulation.run import Settings
from rikigaku.states import as_position

_LOOKS = 100  # steps of a motion at least, where something is watched for


def start_of(robot: Robot, q0: Any, v0: Any) -> tuple[Array, Array]:
    """Positions and velocities where the motion begins."""
    if is_closed(robot):
        if q0 is None:
            raise WrongValue(
                f"A motion of robot {robot.name!r}, which has loops, begins at a closed posture: give q0, as "
                "robot.assemble([...]) finds it."
            )
        if not closure(robot).mobility:
            raise WrongValue(
                f"Robot {robot.name!r} cannot move: its loops leave mobility 0. If it should, look at "
                "lengths and axes that must fit exactly: robot.closure() lists the equations that count."
            )
    q = as_position(robot, None if q0 is None else floats(f"q0 of robot {robot.name!r}", q0))
    v = np.zeros(robot.nv) if v0 is None else floats(f"v0 of robot {robot.name!r}", v0)
    if v.shape != (robot.nv,):
        raise WrongSize(
            f"v of robot {robot.name!r} is one array of {robot.nv} numbers; shape {v.shape} was given."
        )
    if not np.isfinite(v).all():
        raise WrongValue(f"v of robot {robot.name!r} must be finite; {v} was given.")
    return q, v


def span_of(start: Any, duration: Any) -> tuple[float, float]:
    """When the motion begins, and when it ends [s]."""
    begin, length = _number("start", start), _number("duration", duration)
    if not length > 0:
        raise WrongValue(f"A motion takes a duration above 0 s; {duration} was given.")
    return begin, begin + length


def settings_of(method: Any, step: Any, rtol: Any, atol: Any, most_steps: Any, most_changes: Any) -> Settings:
    """How steps are taken."""
    if method not in integrator.METHODS:
        raise WrongValue(f"The method {method!r} is not known. Known: {', '.join(integrator.METHODS)}.")
    if step is None and not integrator.adaptive(method):
        raise WrongValue(f"{method} takes steps of one length: give step=... [s].")
    length = 0.0 if step is None else _number("step", step)
    if step is not None and not length > 0:
        raise WrongValue(f"A step is positive [s]; {step} was given.")
    relative, beyond = _number("rtol", rtol), _number("atol", atol)
    if not (relative >= 1e-14 and beyond >= 0):
        raise WrongValue(f"rtol is at least 1e-14 and atol at least 0; {rtol:g} and {atol:g} were given.")
    for name, most in (("most_steps", most_steps), ("most_changes", most_changes)):
        if not isinstance(most, (int, np.integer)) or most < 1:
            raise WrongValue(f"{name} is a whole number above 0; {most!r} was given.")
    return Settings(method, relative, beyond, length, most_steps=int(most_steps))


def bounded(settings: Settings, largest: Any, duration: float) -> Settings:
    """Steps no longer than that; where they are left to the method, short enough to look at what happens."""
    length = None if largest is None else _number("largest_step", largest)
    if length is not None and not length > 0:
        raise WrongValue(f"The largest step is positive [s]; {largest} was given.")
    if not integrator.adaptive(settings.method):
        return settings
    if length is None:
        return replace(settings, watched=duration / _LOOKS)
    return replace(settings, largest=length)


def times_of(output: Any, start: float, end: float) -> Any:
    """Times of the solution's arrays, their spacing, or None.

    Raises:
        WrongValue: for times that do not increase or lie outside the motion.
    """
    if output is None:
        return None
    times = floats("output", output)
    if times.ndim == 0:
        if not (np.isfinite(times) and times > 0):
            raise WrongValue(f"The spacing of the output is positive [s]; {output} was given.")
        return float(times)
    if times.ndim != 1 or not len(times) or not np.isfinite(times).all() or (np.diff(times) < 0).any():
        raise WrongValue("Output times are finite numbers in increasing order, (m,), one at least.")
    slack = 1e-12 * (1 + abs(end))
    if times[0] < start - slack:
        raise WrongValue(f"The motion starts at {start:g} s; output was asked for at {times[0]:g} s.")
    if times[-1] > end + slack:
        raise WrongValue(f"The motion ends at {end:g} s; output was asked for at {times[-1]:g} s.")
    return times


def guards_of(events: Mapping[str, Callable[..., Any]] | Sequence[Guard]) -> tuple[Guard, ...]:
    """The user's events as guards."""
    if not isinstance(events, Mapping):
        several: tuple[Any, ...] = tuple(events) if isinstance(events, Iterable) else (events,)
        if wrong := [x for x in several if not isinstance(x, Guard)]:
            raise WrongValue(
                "events are functions (t, q, v) -> number by name, or rk.simulation.Guard; "
                f"{wrong[0]!r} was given."
            )
        return several
    for name, function in events.items():
        if not callable(function):
            raise WrongValue(f"The event {name!r} is a function (t, q, v) -> number; {function!r} was given.")

    def guard(function: Callable[..., Any]) -> Callable[[Mechanism, Now, Flow], Number]:
        return lambda mechanism, now, flow: function(now.t, now.q, now.v)

    return tuple(Guard(name, guard(f), rising=True, ends_mode=False) for name, f in events.items())


def _number(name: str, x: Any) -> float:
    value = floats(name, x)
    if value.ndim or not np.isfinite(value):
        raise WrongValue(f"{name} is a finite number; {x!r} was given.")
    return float(value)
