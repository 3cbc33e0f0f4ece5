"""`Solution`: states, forces, energies and events of a simulated motion, at any time."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.hybrid.hybrid_system import EXTRA_STATES, Event
from rikigaku.model.states import State
from rikigaku.robot import Robot
from rikigaku.simulation.actuation import Actuation
from rikigaku.simulation.dense_output import residual, results_at, sampled, states_at
from rikigaku.simulation.external_wrenches import EXTERNAL, LoadedActuation
from rikigaku.simulation.native_run import Run
from rikigaku.simulation.step_interpolation import interpolated, interpolated_rates, step_of_no_length


class Audit(NamedTuple):
    """Energy balance [J]: kinetic + potential + dissipated - work is constant.

    Attributes:
        start, end: kinetic and potential energy (springs of joints included) at the start and at the end.
        work: done on the robot, positive if it gains energy: by actuators, the integral of tau . v, and by
            moving surfaces, of f . w with w the velocity of their material (a lift, a belt).
        dissipated: friction of contacts, the integral of -f . (sliding velocity), dry and viscous friction of
            joints, and impacts.
        error: largest deviation of that sum at any of the solution's times.
        relative: to the largest kinetic energy (to 1 J if nothing moves).
    """

    start: float
    end: float
    work: float
    dissipated: float
    error: float
    relative: float


@dataclass(frozen=True, eq=False)
class Solution:
    """The result of `rk.simulate`, at times t (m,); a change of mode has two entries, before and after it.

    Attributes:
        q, v: positions (m, nq) and velocities (m, nv).
        status: "done", or a sentence that says why the motion ended early.
        events: located events in the order of time. notes: remarks (impacts, indeterminate forces, Painleve).
        work, dissipated: as in `Audit`, since the start [J].
        modes: names of the modes; mode_index: the mode at each time.
    """

    robot: Robot
    t: Array
    q: Array
    v: Array
    work: Array
    dissipated: Array
    mode_index: Any
    modes: tuple[str, ...]
    events: tuple[Event, ...]
    status: str
    records: Array = field(repr=False)
    record_modes: Any = field(repr=False)
    statistics: dict[str, int] = field(default_factory=dict)
    actuation: Actuation | None = field(default=None, repr=False)
    runs: tuple[Run, ...] = field(default=(), repr=False)
    stored_forces: dict[str, Array] = field(default_factory=dict, repr=False)  # of a solution from a file
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)  # columns of `forces`
    stored_residual: Array | None = field(default=None, repr=False)  # of a solution from a file
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        robot: Robot,
        actuation: Actuation,
        runs: Sequence[Run],
        events: Sequence[Event],
        status: str,
        output: Any,
        notes: Sequence[str] = (),
    ) -> "Solution":
        """The solution that consists of those successive runs."""
        used = [r for r in runs if len(r.records)] or list(runs[:1])
        records = np.concatenate([r.records for r in used])
        names = tuple(dict.fromkeys(r.mode.name for r in used))
        marks = np.concatenate([np.full(len(r.records), k) for k, r in enumerate(used)]).astype(np.int64)
        t, which = sampled(used, records, output)
        y = states_at(used, actuation, records, marks, t, which)
        modes = np.array([names.index(used[k].mode.name) for k in marks], dtype=np.int64)
        statistics = {
            "steps": int(np.count_nonzero(records[:, 1] > records[:, 0])),
            "evaluations": sum(r.evaluations for r in runs),
            "rejected": sum(r.rejected for r in runs),
            "changes of mode": len(runs) - 1 - sum(r.continued for r in runs),
        }
        labels = {name: tuple(x) for r in used for name, x in r.mode.labels.items()}
        if isinstance(actuation, LoadedActuation):
            labels[EXTERNAL] = actuation.external.labels
        nq = robot.nq
        return cls(
            robot, t, y[:, :nq], y[:, nq:-EXTRA_STATES], y[:, -2], y[:, -1], modes[which], names,
            tuple(sorted(events, key=lambda e: e.t)), status, records, marks, statistics, actuation,
            tuple(used), labels=labels, notes=tuple(notes),
        )  # fmt: skip

    @classmethod
    def at_start(
        cls,
        robot: Robot,
        actuation: Actuation,
        t: float,
        q: Array,
        v: Array,
        tau: Array,
        status: str,
    ) -> "Solution":
        """The solution of a motion without a first mode: one state, accelerations unknown (NaN)."""
        y = np.concatenate([q, v, np.zeros(EXTRA_STATES)])
        record = step_of_no_length(t, y)
        none, first = np.zeros(1), np.zeros(1, dtype=np.int64)
        stored = {"a": np.full((1, robot.nv), np.nan), "tau": tau[None]}
        statistics = {"steps": 0, "evaluations": 0, "rejected": 0, "changes of mode": 0}
        return cls(
            robot, np.array([t]), q[None].copy(), v[None].copy(), none, none.copy(), first, ("none",), (),
            status, record, first.copy(), statistics, actuation, stored_forces=stored,
        )  # fmt: skip

    def stored(self) -> "Solution":
        """The same solution as a file holds it: forces and residual as numbers, without native programs."""
        if not self.runs:
            return self
        return replace(
            self, actuation=None, runs=(), stored_forces=dict(self.forces), stored_residual=self.residual
        )

    def __getstate__(self) -> dict[str, Any]:
        """What pickles and copies hold: that of `stored`."""
        stored = self.stored()
        return {x.name: getattr(stored, x.name) for x in fields(stored)}

    def __repr__(self) -> str:
        steps, count = self.statistics.get("steps", len(self.records)), len(self.events)
        span = f"{self.records[0, 0]:.6g} to {self.records[-1, 1]:.6g} s"
        events = f"{count} event{'s' * (count != 1)}"
        status = self.status if len(self.status) <= 100 else f"{self.status[:97]}..."
        return f"<Solution of robot {self.robot.name!r}: {span}, {steps} steps, {events}, status: {status}>"

    @property
    def done(self) -> bool:
        """Whether the motion was integrated to its end."""
        return self.status == "done"

    @checked
    def at(self, t: ArrayLike) -> State:
        """Positions, velocities and accelerations at any times of the motion; at a jump those after it.

        A solution from a file interpolates all of them, one order below the steps; at its own times
        `solution.a` has the exact accelerations.
        """
        times = np.asarray(t, dtype=np.float64)
        flat = times.ravel()
        nq, nv = self.robot.nq, self.robot.nv
        if not flat.size:
            return State(*(np.zeros((*times.shape, size)) for size in (nq, nv, nv)))
        which = self._steps_at(flat)
        y = self._states(flat, which)
        if self.runs:
            a = results_at(self.runs, cast(Actuation, self.actuation), self.record_modes, flat, y, which)["a"]
        else:
            a = interpolated_rates(self.records, self._size, flat, which)[:, nq:-EXTRA_STATES]
        parts = (y[:, :nq], y[:, nq:-EXTRA_STATES], a)
        return State(*(x.reshape(*times.shape, x.shape[1]) for x in parts))

    @checked
    def positions(self, t: ArrayLike) -> Array:
        """Positions alone at times t (m,)."""
        times = np.atleast_1d(np.asarray(t, dtype=np.float64))
        if times.ndim != 1:
            raise WrongSize(f"Times are (m,); shape {times.shape} was given.")
        which = self._steps_at(times)
        return self._states(times, which)[:, : self.robot.nq]

    @property
    def a(self) -> Array:
        """Accelerations at t (m, nv)."""
        return self.forces["a"]

    @property
    def tau(self) -> Array:
        """Forces in all joints at t (m, nv)."""
        return self.forces["tau"]

    @cached_property
    def forces(self) -> dict[str, Array]:
        """Accelerations, joint forces and outputs of the modes at t (NaN where a mode has none)."""
        if not self.runs:
            return self.stored_forces
        which = self.own_steps
        y = np.concatenate([self.q, self.v, self.work[:, None], self.dissipated[:, None]], axis=1)
        return results_at(self.runs, cast(Actuation, self.actuation), self.record_modes, self.t, y, which)

    @checked
    def forces_at(self, t: ArrayLike) -> dict[str, Array]:
        """The results of `forces` at any times t (m,) of the motion; those of a file at its nearest times."""
        times = np.atleast_1d(np.asarray(t, dtype=np.float64))
        if not self.runs:
            near = np.clip(np.searchsorted(self.t, times, side="right") - 1, 0, None)
            return {name: x[near] for name, x in self.stored_forces.items()}
        which = self._steps_at(times)
        y = self._states(times, which)
        return results_at(self.runs, cast(Actuation, self.actuation), self.record_modes, times, y, which)

    @property
    def kinetic_energy(self) -> Array:
        """[J]."""
        return np.asarray(self.robot.kinetic_energy(self.q, self.v))

    @property
    def potential_energy(self) -> Array:
        """[J]."""
        return np.asarray(self.robot.potential_energy(self.q))

    @property
    def energy(self) -> Array:
        """Kinetic and potential [J]."""
        return self.kinetic_energy + self.potential_energy

    @property
    def residual(self) -> Array:
        """Largest residual of loops, guides and closed contacts at t [m, or sines of angles] (m,)."""
        return residual(self) if self.stored_residual is None else self.stored_residual

    def energy_audit(self) -> Audit:
        """The energy balance and its error: see `Audit`."""
        total = self.energy
        balance = total + self.dissipated - self.work  # before an impact at the start, if there is one
        error = float(np.abs(balance - balance[0]).max())
        largest = float(self.kinetic_energy.max())
        return Audit(
            float(balance[0]), float(total[-1]), float(self.work[-1]), float(self.dissipated[-1]), error,
            error / largest if largest > 0 else error,
        )  # fmt: skip

    # -- pictures and files ---------------------------------------------------------------------------------
    def plot(self, *what: str) -> Any:
        """Curves over time ("q", "v", "tau", "energy"); see `rikigaku.simulation.solution_plots.plot`."""
        from rikigaku.simulation.solution_plots import plot

        return plot(self, *what)

    @checked
    def animate(self, path: str | Path | None = None, **options: Any) -> Any:
        """The motion in a notebook's cell, live; with a path a .gif file by matplotlib.

        Options of the cell: speed, rate (samples a second), height, language; see `rikigaku.web.notebook`.
        Options of the file: fps, speed, and those of `robot.plot`; see `solution_plots.animate`.
        """
        if path is None:
            return import_module("rikigaku.web.notebook").animated(self, **options)
        from rikigaku.simulation.solution_plots import animate

        return animate(self, path, **options)

    @checked
    def configurations(self, times: ArrayLike = 8, **options: Any) -> Any:
        """Stick figures side by side; see `rikigaku.simulation.solution_plots.configurations`."""
        from rikigaku.simulation.solution_plots import configurations

        return configurations(self, times, **options)

    @checked
    def save(self, path: str | Path) -> None:
        """Write the solution to an .npz file, atomically; `rk.load_solution` reads it."""
        from rikigaku.simulation.solution_files import save

        save(self, path)

    def to_pandas(self) -> Any:
        """A table with a row for each time; pandas must be installed."""
        from rikigaku.simulation.solution_files import to_pandas

        return to_pandas(self)

    def to_xarray(self) -> Any:
        """A dataset over time; xarray must be installed."""
        from rikigaku.simulation.solution_files import to_xarray

        return to_xarray(self)

    # -- inside ---------------------------------------------------------------------------------------------
    @property
    def _size(self) -> int:
        return self.robot.nq + self.robot.nv + EXTRA_STATES

    @cached_property
    def own_steps(self) -> Any:
        """The step of each of t; at a jump the first entry belongs to the step before."""
        which = np.clip(np.searchsorted(self.records[:, 0], self.t, side="right") - 1, 0, None)
        for i in np.flatnonzero(np.diff(self.t) == 0):
            which[i] = np.searchsorted(self.records[:, 1], self.t[i], side="left")
        return which

    def _steps_at(self, t: Array) -> Any:
        first, last = self.records[0, 0], self.records[-1, 1]
        slack = 1e-9 * max(abs(first), abs(last), 1e-3)
        if t.size and not (t.min() >= first - slack and t.max() <= last + slack):
            raise WrongValue(
                f"The motion is known from {first:.9g} s to {last:.9g} s; requested was "
                f"{t.min():.9g} to {t.max():.9g} s."
            )
        return np.clip(np.searchsorted(self.records[:, 0], t, side="right") - 1, 0, None)

    def _states(self, t: Array, which: Any) -> Array:
        if not self.runs:  # from a file
            return interpolated(self.records, self._size, t, which)
        return states_at(
            self.runs, cast(Actuation, self.actuation), self.records, self.record_modes, t, which
        )
