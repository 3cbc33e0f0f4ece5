"""Solutions of fixed steps: recorded rows as a `Solution`, with modes, events, forces at the output times."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rikigaku.contact.constraint_projection import initial_gap_text, largest_gap
from rikigaku.contact.contact_guards import LANDS, LIFTS, SLIPS, STOPS
from rikigaku.contact.contact_system import ContactSystem
from rikigaku.contact.contact_tolerances import CLOSED
from rikigaku.core.errors import TooLarge, WrongValue
from rikigaku.core.progress import Clock
from rikigaku.core.types import Array
from rikigaku.hybrid.hybrid_system import EXTRA_STATES, Event, Mode
from rikigaku.hybrid.loop_projection import onto_loops
from rikigaku.hybrid.smooth_motion import is_closed
from rikigaku.integrators.native_integrator import Status
from rikigaku.integrators.time_stepping_driver import StepStatus
from rikigaku.simulation.actuation import Actuation, JointForces
from rikigaku.simulation.external_wrenches import LoadedActuation
from rikigaku.simulation.native_run import Progression, Run
from rikigaku.simulation.simulate_arguments import LARGEST_OUTPUT
from rikigaku.simulation.solution import Solution
from rikigaku.simulation.step_interpolation import interpolated
from rikigaku.simulation.time_stepping import Stepped, TimeStepping
from rikigaku.simulation.vector_fields import ModeField

_MODES = np.array(["free", "stick", "slip"])
_UNSOLVED = 1e-6  # of the friction problem, relative: reported
SQUEEZED = (
    "no impulses satisfy all contacts: moving or opposite surfaces squeeze the robot, or friction jams it "
    "between them. Check that surfaces leave room, or take less friction."
)


def stepped_solution(
    system: ContactSystem, actuation: Actuation, start: float, end: float, step: float, q: Array, v: Array,
    output: Any, period: float | None = None, most_steps: int = 1 << 62, clock: Clock | None = None,
) -> Solution:  # fmt: skip
    """The motion of a system at fixed steps: see `rk.simulate`."""
    robot = system.robot
    if is_closed(robot):
        q, v = onto_loops(robot, q, v)
    count = max(int(np.ceil((end - start) / step * (1 - 1e-12))), 1)
    h = (end - start) / count
    limited, count = count > most_steps, min(count, most_steps)
    stepping = TimeStepping(system, actuation, h, period, None if clock is None else Progression(clock, end))
    every = _every(output, h)
    if 8 * (count // every) * 3 * stepping.parts.size > LARGEST_OUTPUT:
        raise TooLarge(
            f"{count // every} states of {stepping.parts.size} numbers are more than "
            f"{LARGEST_OUTPUT // 10**9} GB; give a spacing of the output, output=..., of more steps."
        )
    done = stepping.one(q, v, start, count, every)
    rows = done.records[:, 0]
    taken = [min((k + 1) * every, count) for k in range(len(rows))]
    if not len(rows):  # the first step failed
        rows, taken = done.rows, [0]
    first = rows[:1].copy()
    parts = stepping.parts
    first[:, parts["q"]], first[:, parts["v"]] = q, v
    first[:, parts["work"]] = first[:, parts["dissipated"]] = 0.0
    keep = [k for k, n in enumerate(taken) if n > 0 and np.isfinite(rows[k]).all()]
    rows, times = np.concatenate([first, rows[keep]]), start + h * np.array([0, *(taken[k] for k in keep)])
    last = f"t = {start + done.steps * h:.9g} s"
    status = "done"
    if done.status != StepStatus.DONE:
        why = "the state is not finite. Try a shorter step."
        why = SQUEEZED if done.status == StepStatus.FRICTION else why
        status = f"the motion cannot go on at {last}: {why}"
    elif limited:
        status = f"the limit of {most_steps} steps was reached at {last}"
    else:
        times[-1] = end
    return _solution(stepping, rows, times, output, status, done)


def _every(output: Any, step: float) -> int:
    """Steps between records: those of an output at multiples of the step; else every step."""
    if output is None or np.ndim(output):
        return 1
    ratio = float(output) / step
    return max(round(ratio), 1) if abs(ratio - round(ratio)) < 1e-9 * ratio else 1


def _solution(
    stepping: TimeStepping, rows: Array, times: Array, output: Any, status: str, done: Stepped
) -> Solution:
    system, parts, steps = stepping.system, stepping.parts, done.steps
    robot, n = system.robot, system.robot.nq + system.robot.nv + EXTRA_STATES
    y = rows[:, :n]
    records = np.zeros((max(len(rows) - 1, 1), 3 + 2 * n))
    if len(rows) > 1:
        records[:, 0], records[:, 1], records[:, 2] = times[:-1], times[1:], np.diff(times)
        records[:, 3 : 3 + n], records[:, 3 + n :] = y[:-1], np.diff(y, axis=0)
    else:
        records[0, :3], records[0, 3 : 3 + n] = (times[0], times[0], 1.0), y[0]
    codes = rows[:, parts["modes"]].astype(np.int64).clip(0)
    names, index = _mode_names(system, codes)
    surfaces, contacts = system.surfaces, system.points
    mode = Mode("fixed steps", "", None, labels=system.force_labels, surfaces=surfaces, contacts=contacts)
    field = _SteppedField(robot, mode, stepping.actuation, (), stepping, times, rows)
    run = Run(
        field,
        mode,
        times[-1],
        y[-1],
        Status.DONE,
        records,
        [],
        (),
        list(done.samples),
        stepping.step,
        steps,
        0,
    )
    t, states, place = times, y, np.arange(len(times))
    wanted = _times(output, times, stepping.step)
    if wanted is not None:
        which = np.clip(np.searchsorted(records[:, 0], wanted, side="right") - 1, 0, None)
        t, states = wanted, interpolated(records, n, wanted, which)
        place = np.clip(np.searchsorted(times, wanted - 1e-9 * stepping.step), 0, len(times) - 1)
    worst = float(rows[:, parts["residual"]].max(initial=0.0))
    notes = (f"friction was solved to {worst:.1e} only",) if worst > _UNSOLVED else ()
    statistics = {"steps": steps, "evaluations": steps, "rejected": 0, "changes of mode": 0}
    statistics["changes of mode"] = int(np.count_nonzero((np.diff(codes, axis=0) != 0).any(axis=1)))
    nq = robot.nq
    # the forces of the steps are recorded; external wrenches are evaluated again, to be separated from them
    external = isinstance(stepping.actuation, LoadedActuation)
    actuation = stepping.actuation if external else JointForces(robot.nv, ())
    return Solution(
        robot, t, states[:, :nq], states[:, nq:-EXTRA_STATES], states[:, -2], states[:, -1], index[place],
        names, _events(system, times, y, codes, names, index), status, records,
        np.zeros(len(records), dtype=np.int64), statistics, actuation, (run,),
        labels={name: tuple(x) for name, x in system.force_labels.items()}, notes=notes,
    )  # fmt: skip


def _times(output: Any, times: Array, step: float) -> Array | None:
    """Output times that are not those of the records."""
    if output is None:
        return None
    if np.ndim(output) == 0:
        if _every(output, step) > 1 or abs(float(output) - step) < 1e-9 * step:
            return None
        return np.append(np.arange(times[0], times[-1] - 1e-9 * float(output), float(output)), times[-1])
    return np.asarray(output[output <= times[-1] + 1e-12 * (1 + abs(times[-1]))], dtype=np.float64)


def _mode_names(system: ContactSystem, codes: Any) -> tuple[tuple[str, ...], Any]:
    """Names of the contact modes that occur, and the index of each row's."""
    labels = (*system.labels, *(joint.joint for joint in system.joints))
    if not labels:
        return ("free",), np.zeros(len(codes), dtype=np.int64)
    kinds, index = np.unique(codes, axis=0, return_inverse=True)
    names = tuple(
        ", ".join(f"{label} {_MODES[code]}" for label, code in zip(labels, row, strict=True)) for row in kinds
    )
    return names, index.reshape(-1)


def _events(
    system: ContactSystem, times: Array, y: Array, codes: Any, names: tuple[str, ...], index: Any
) -> tuple[Event, ...]:
    """Changes of the contact modes between two records, at the later one."""
    labels = (*system.labels, *(joint.joint for joint in system.joints))
    nq, events = system.robot.nq, []
    for k in np.flatnonzero((np.diff(codes, axis=0) != 0).any(axis=1)) + 1:
        changed = np.flatnonzero(codes[k] != codes[k - 1])
        own = [f"{labels[i]} {_event(codes[k - 1, i], codes[k, i])}" for i in changed]
        state = y[k, :nq], y[k, nq:-EXTRA_STATES]
        events.append(Event(own[0], float(times[k]), *state, names[index[k - 1]], tuple(own[1:])))
    return tuple(events)


def _event(before: int, after: int) -> str:
    if before == 0:
        return LANDS
    return {0: LIFTS, 1: STOPS, 2: SLIPS}[int(after)]


@dataclass(frozen=True, eq=False)
class _SteppedField(ModeField):
    """Results of recorded steps, in the place of a mode's vector field."""

    stepping: TimeStepping
    times: Array
    rows: Array

    def functions(self, mode: Mode, implicit: bool) -> list[int]:
        """There is no vector field."""
        return [0, 0, 0, 0]

    def projected_states(self, mode: Mode, actuation: Actuation, t: Array, y: Array) -> Array | None:
        """Interpolated states are not projected."""
        return None

    def results_at(self, mode: Mode, actuation: Actuation, t: Array, y: Array, u: Array) -> dict[str, Array]:
        """Results of the steps that end at or after times t."""
        system, rows = self.stepping.system, self.rows[self._places(t)]
        parts = self.stepping.parts
        a, forces, nq = rows[:, parts["a"]], rows[:, parts["forces"]], self.robot.nq
        motion = y[:, :nq], y[:, nq:-EXTRA_STATES], a
        wrenches = system.wrenches(t, *motion, forces, rows[:, parts["permanent"]])
        results = {"a": a, "tau": rows[:, parts["tau"]], "forces": forces, "joint wrenches": wrenches}
        return results if forces.shape[1] else {k: x for k, x in results.items() if k != "forces"}

    def residual(self, mode: Mode, actuation: Actuation, t: Array, y: Array) -> Array | None:
        """The largest residual of guides and of contacts that carry force, at each state."""
        system, nq = self.stepping.system, self.robot.nq
        permanent, normals = system.constraints.permanent, [n for n, _ in system.equation_indices()[0]]
        codes = self.rows[self._places(t)][:, self.stepping.parts["modes"]]
        worst = np.zeros(len(t))
        for k, (time, state) in enumerate(zip(t, y, strict=True)):
            residual = system.engine.configuration(float(time), state[:nq].copy()).residual
            closed = [n for i, n in enumerate(normals) if codes[k, i] > 0]
            worst[k] = np.abs(residual[[*range(permanent), *closed]]).max(initial=0.0)
        return worst

    def _places(self, t: Array) -> Any:
        slack = 1e-9 * self.stepping.step
        return np.clip(np.searchsorted(self.times, t - slack), 0, len(self.times) - 1)


def check_start(system: ContactSystem, q: Array, t: float, events: Any) -> None:
    """Refuse what fixed steps with contacts do not take."""
    if events:
        raise WrongValue(
            "time_stepping locates no events: leave events out, or use another method. Changes of contact "
            "modes are in solution.events."
        )
    if system.restitution != "newton" and any(contact.restitution for contact in system.contacts):
        raise WrongValue(
            f"time_stepping has Newton's law of restitution, not {system.restitution!r}: leave restitution "
            "out, or use another method."
        )
    gaps = system.state(q, np.zeros(system.robot.nv), t).gap
    for contact, label, gap in zip(system.contacts, system.labels, gaps, strict=True):
        if gap < -CLOSED and not contact.bilateral:
            raise WrongValue(initial_gap_text(label, contact.frame, gap))
    held = [i for i, c in enumerate(system.contacts) if c.bilateral]
    if (held or system.guides) and (gap := largest_gap(system, q, held, t)) > CLOSED:
        raise WrongValue(
            f"At the start bilateral contacts or guides are open by {gap:.3g}. "
            "ContactSystem(robot, contacts).placed(q) gives a configuration that closes them."
        )
