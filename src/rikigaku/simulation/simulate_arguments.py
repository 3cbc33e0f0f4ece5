"""Validation of the arguments of `rk.simulate`: start, duration, steps, output times, events."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rikigaku.closure.closure_plan import closure
from rikigaku.core.arrays import floats
from rikigaku.core.checked_calls import check_fields
from rikigaku.core.errors import TooLarge, WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import function_of, is_whole
from rikigaku.core.value_text import short
from rikigaku.hybrid.hybrid_system import Flow, Guard, Now
from rikigaku.hybrid.smooth_motion import is_closed
from rikigaku.integrators import native_integrator as integrator
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.model.mechanism import Mechanism
from rikigaku.model.states import as_position
from rikigaku.numbers.number_kind import Number
from rikigaku.robot import Robot
from rikigaku.simulation.native_run import Settings

LARGEST_OUTPUT = 2 * 10**9  # bytes of t, q, v and the energies of a solution
TIME_STEPPING = "time_stepping"
_METHODS = (*integrator.METHODS, TIME_STEPPING)
_MOST = 1 << 62  # of steps, which native code counts
_LEAST_STEPS = 100  # of a motion with guards
_QUATERNION_ROUNDING = 1e-2  # of quaternions that are typed with three digits
_LARGEST_ATOL = 1e3  # [rad, m, ...]: larger errors of a step are no solution


def start_of(robot: Robot, q0: Any, v0: Any) -> tuple[Array, Array]:
    """Initial positions and velocities."""
    if is_closed(robot):
        if q0 is None:
            raise WrongValue(
                f"A motion of robot {robot.name!r}, which has loops, begins at a closed configuration: give "
                "q0, as robot.assemble([...]) finds it."
            )
        if not closure(robot).mobility:
            raise WrongValue(
                f"Robot {robot.name!r} cannot move: its loops leave mobility 0. If it should, look at "
                "lengths and axes that must fit exactly: robot.closure() lists the independent equations."
            )
    q = as_position(robot, None if q0 is None else floats(f"q0 of robot {robot.name!r}", q0))
    q = _with_unit_quaternions(robot, q)
    v = np.zeros(robot.nv) if v0 is None else floats(f"v0 of robot {robot.name!r}", v0)
    if v.shape != (robot.nv,):
        raise WrongSize(
            f"v of robot {robot.name!r} is one array of {robot.nv} numbers; shape {v.shape} was given."
        )
    if not np.isfinite(v).all():
        raise WrongValue(f"v of robot {robot.name!r} must be finite; {v} was given.")
    return q, v


def _with_unit_quaternions(robot: Robot, q: Array) -> Array:
    """q with the rounding of its quaternions removed; others are refused."""
    q = q.copy()
    for joint in robot.joints:
        if (place := joint_type(joint.type).quaternion) is None:
            continue
        own = q[robot.q_slices[joint.name]][place : place + 4]  # a view
        length = float(np.linalg.norm(own))
        if abs(length - 1) > _QUATERNION_ROUNDING:
            raise WrongValue(
                f"q0 of joint {joint.name!r} has the quaternion {own} of length {length:.3g}: unit "
                "quaternions w, x, y, z are rotations. Divide it by its length."
            )
        if abs(length - 1) > 1e-14:
            own /= length
    return q


def span_of(start: Any, duration: Any) -> tuple[float, float]:
    """Start and end time [s]."""
    begin, length = _number("start", start), _number("duration", duration)
    if not length > 0:
        raise WrongValue(f"A motion takes a duration above 0 s; {duration} was given.")
    return begin, begin + length


def settings_of(method: Any, step: Any, rtol: Any, atol: Any, most_steps: Any, most_changes: Any) -> Settings:
    """Method, tolerances and limits."""
    if method not in _METHODS:
        raise WrongValue(f"The method {method!r} is not known. Known: {', '.join(_METHODS)}.")
    if step is None and (method == TIME_STEPPING or not integrator.adaptive(method)):
        raise WrongValue(f"{method} takes steps of one length: give step=... [s].")
    length = 0.0 if step is None else _number("step", step)
    if step is not None and not length > 0:
        raise WrongValue(f"A step is positive [s]; {step} was given.")
    relative, beyond = _number("rtol", rtol), _number("atol", atol)
    if not (1e-14 <= relative < 1 and 0 <= beyond <= _LARGEST_ATOL):
        raise WrongValue(
            f"rtol is at least 1e-14 and below 1, atol from 0 to {_LARGEST_ATOL:g}; {rtol:g} and {atol:g} "
            "were given."
        )
    for name, most in (("most_steps", most_steps), ("most_changes", most_changes)):
        if not is_whole(most) or not 1 <= most <= _MOST:
            raise WrongValue(f"{name} is a whole number above 0; {short(most)} was given.")
    return Settings(method, relative, beyond, length, most_steps=int(most_steps))


def bounded(settings: Settings, largest: Any, duration: float) -> Settings:
    """Settings with the largest step; without one, a limit for motions with guards."""
    length = None if largest is None else _number("largest_step", largest)
    if length is not None and not length > 0:
        raise WrongValue(f"The largest step is positive [s]; {largest} was given.")
    if settings.method == TIME_STEPPING or not integrator.adaptive(settings.method):
        return settings
    if length is None:
        return replace(settings, largest_with_guards=duration / _LEAST_STEPS)
    return replace(settings, largest=length)


def times_of(output: Any, start: float, end: float, numbers: int) -> Any:
    """Output times, their spacing, or None.

    numbers: of the solution at each time.

    Raises:
        WrongValue: for times that do not increase or lie outside the motion.
        TooLarge: for more of them than `LARGEST_OUTPUT` holds.
    """
    if output is None:
        return None
    times = floats("output", output)
    if times.ndim == 0:
        if not (np.isfinite(times) and times > 0):
            raise WrongValue(f"The spacing of the output is positive [s]; {output} was given.")
        _check_size((end - start) / float(times) + 1, end - start, numbers)
        return float(times)
    _check_size(float(times.size), end - start, numbers)
    if times.ndim != 1 or not len(times) or not np.isfinite(times).all() or (np.diff(times) < 0).any():
        raise WrongValue("Output times are finite numbers in increasing order, (m,), one at least.")
    slack = 1e-12 * (1 + abs(end))
    if times[0] < start - slack:
        raise WrongValue(f"The motion starts at {start:g} s; output was requested at {times[0]:g} s.")
    if times[-1] > end + slack:
        raise WrongValue(f"The motion ends at {end:g} s; output was requested at {times[-1]:g} s.")
    return times


def _check_size(count: float, duration: float, numbers: int) -> None:
    most = LARGEST_OUTPUT // (8 * numbers)
    if count > most:
        raise TooLarge(
            f"The output has {count:.3g} times of {numbers} numbers, {8e-9 * count * numbers:.3g} GB; at "
            f"most {LARGEST_OUTPUT // 10**9} GB are returned. Take a spacing of {duration / (most - 1):.1e} "
            "s or more, or leave output out: solution.at(t) evaluates any time."
        )


def guards_of(events: Mapping[str, Callable[..., Any]] | Sequence[Guard]) -> tuple[Guard, ...]:
    """The user's events as guards."""
    if not isinstance(events, Mapping):
        several: tuple[Any, ...] = tuple(events) if isinstance(events, Iterable) else (events,)
        if wrong := [x for x in several if not isinstance(x, Guard)]:
            raise WrongValue(
                "events are functions (t, q, v) -> number by name, or rk.simulation.Guard; "
                f"{short(wrong[0])} was given."
            )
        for guard in several:
            check_fields(guard)
        return several
    for name, function in events.items():
        if not isinstance(name, str):
            raise WrongValue(f"Events are functions (t, q, v) -> number by name; {short(name)} names none.")
        function_of(f"The event {name!r}", "t q v", function)

    def compiled(function: Callable[..., Any]) -> Callable[[Mechanism, Now, Flow], Number]:
        return lambda mechanism, now, flow: function(now.t, now.q, now.v)

    return tuple(Guard(name, compiled(f), rising=True, ends_mode=False) for name, f in events.items())


def _number(name: str, x: Any) -> float:
    value = floats(name, x)
    if value.ndim or not np.isfinite(value):
        raise WrongValue(f"{name} is a finite number; {x!r} was given.")
    return float(value)
