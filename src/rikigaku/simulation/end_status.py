"""Why a motion ended, in words."""

import numpy as np

from rikigaku.integrators import native_integrator as integrator
from rikigaku.simulation.native_run import Run, Settings
from rikigaku.simulation.step_limits import DIVERGED, LARGEST_RECORD


def end_status(done: Run, settings: Settings) -> str:
    """The status of a motion whose last run ended without an event."""
    if done.status == integrator.Status.DONE:
        return "done"
    if done.status == integrator.Status.LIMIT:
        return f"the limit of {settings.most_steps} steps was reached at t = {done.t:.9g} s"
    if done.status == integrator.Status.DIVERGED:
        return (
            f"the motion diverges: positions, velocities or energies exceed {DIVERGED:g} at t = {done.t:.9g} "
            f"s. Check the actuation{_too_long(settings)}"
        )
    if done.status == integrator.Status.MEMORY:
        return (
            f"the recorded steps take {LARGEST_RECORD / 1e9:g} GB at t = {done.t:.9g} s. Continue from here "
            "with start=, or take larger tolerances"
        )
    if done.status == integrator.Status.SHORT:
        fastest = float(np.abs(done.y[done.field.robot.nq : -2]).max(initial=0.0))
        return (
            f"more than {settings.most_steps} steps for a simulated second at t = {done.t:.9g} s, where the "
            f"largest velocity is {fastest:.2g}: the motion diverges, or is stiff (method='radau'), or needs "
            "a larger most_steps"
        )
    why = "rates are not finite, or steps became too small" if integrator.adaptive(settings.method) else ""
    why = why or f"rates are not finite{_too_long(settings)}"
    return f"the motion cannot go on at t = {done.t:.9g} s: {why}"


def _too_long(settings: Settings) -> str:
    """What to do about fixed explicit steps; empty for adaptive ones."""
    if integrator.adaptive(settings.method):
        return ""
    return (
        f". Steps of {settings.step:g} s may be too long for the explicit method {settings.method!r}: take "
        "shorter ones, method='time_stepping', or adaptive steps"
    )


def no_mode_status(error: Exception, t: float) -> str:
    """The status where the system found no next mode."""
    if isinstance(error, np.linalg.LinAlgError):
        return f"the forces of the contacts cannot be found at t = {t:.9g} s: {error}"
    return str(error)


def zeno_status(changes: int, t: float) -> str:
    """The status where modes change without progress of time."""
    return f"changes of mode follow one another without end (Zeno, or chattering): {changes} by t = {t:.9g} s"
