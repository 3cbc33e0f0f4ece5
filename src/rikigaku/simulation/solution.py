"""A motion that was simulated: states, forces, energies, events; dense in time."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np

from rikigaku.errors import WrongValue
from rikigaku.model.robot import Robot
from rikigaku.simulation.audit import Audit
from rikigaku.simulation.dense import interpolated_rates, states_at
from rikigaku.simulation.drives import Drive
from rikigaku.simulation.fields import MORE
from rikigaku.simulation.interpolation import interpolated
from rikigaku.simulation.modes import Array, Event
from rikigaku.simulation.residual import residual
from rikigaku.simulation.run import Run
from rikigaku.simulation.sampling import results_at, sampled
from rikigaku.states import State


@dataclass(frozen=True, eq=False)
class Solution:
    """A motion at times t (m,): positions q (m, nq), velocities v (m, nv); at a change of mode both sides.

    status: "done", or the sentence that says why it ended before.
    events: what happened, in time. work, dissipated: as in `Audit`, since the start [J].
    modes: names of the modes; mode_index says for each time which one holds.
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
    drive: Drive | None = field(default=None, repr=False)
    runs: tuple[Run, ...] = field(default=(), repr=False)
    kept: dict[str, Array] = field(default_factory=dict, repr=False)  # forces, where they came from a file
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)  # columns of `forces`
    known_residual: Array | None = field(default=None, repr=False)  # where it came from a file
    notes: tuple[str, ...] = ()  # what was remarkable: impacts, shared forces, Painleve

    @classmethod
    def of(
        cls,
        robot: Robot,
        drive: Drive,
        runs: Sequence[Run],
        events: Sequence[Event],
        status: str,
        output: Any,
        notes: Sequence[str] = (),
    ) -> "Solution":
        """The solution that those runs, one after another, amount to."""
        used = [r for r in runs if len(r.records)] or list(runs[:1])
        records = np.concatenate([r.records for r in used])
        names = tuple(dict.fromkeys(r.mode.name for r in used))
        marks = np.concatenate([np.full(len(r.records), k) for k, r in enumerate(used)]).astype(np.int64)
        t, which = sampled(used, records, output)
        y = states_at(used, drive, records, marks, t, which)
        modes = np.array([names.index(used[k].mode.name) for k in marks], dtype=np.int64)
        statistics = {
            "steps": len(records),
            "evaluations": sum(r.evaluations for r in runs),
            "rejected": sum(r.rejected for r in runs),
            "changes of mode": len(runs) - 1,
        }
        nq = robot.nq
        return cls(
            robot, t, y[:, :nq], y[:, nq:-MORE], y[:, -2], y[:, -1], modes[which], names,
            tuple(sorted(events, key=lambda e: e.t)), status, records, marks, statistics, drive, tuple(used),
            labels={name: tuple(x) for r in used for name, x in r.mode.labels.items()}, notes=tuple(notes),
        )  # fmt: skip

    @property
    def done(self) -> bool:
        """Whether the motion was followed to the end."""
        return self.status == "done"

    def at(self, t: Any) -> State:
        """Positions, velocities and accelerations at any times of the motion; at a jump those after it.

        Of a motion from a file all are the interpolant's, one order below the steps; at its own times
        `solution.a` has the exact ones.
        """
        times = np.asarray(t, dtype=np.float64)
        flat = times.ravel()
        which = self._steps_at(flat)
        y = self._states(flat, which)
        nq = self.robot.nq
        if self.runs:
            a = results_at(self.runs, cast(Drive, self.drive), self.record_modes, flat, y, which)["a"]
        else:
            a = interpolated_rates(self.records, self._size, flat, which)[:, nq:-MORE]
        parts = (y[:, :nq], y[:, nq:-MORE], a)
        return State(*(x.reshape(*times.shape, x.shape[1]) for x in parts))

    def positions(self, t: Any) -> Array:
        """Positions alone at times t (m,)."""
        times = np.asarray(t, dtype=np.float64)
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
        """Accelerations, joint forces and what the modes tell (NaN where a mode does not), at t."""
        if not self.runs:
            return self.kept
        which = self.own_steps
        y = np.concatenate([self.q, self.v, self.work[:, None], self.dissipated[:, None]], axis=1)
        return results_at(self.runs, cast(Drive, self.drive), self.record_modes, self.t, y, which)

    @property
    def kinetic_energy(self) -> Array:
        """[J]."""
        return np.asarray(cast(Any, self.robot).kinetic_energy(self.q, self.v))

    @property
    def potential_energy(self) -> Array:
        """[J]."""
        return np.asarray(cast(Any, self.robot).potential_energy(self.q))

    @property
    def energy(self) -> Array:
        """Kinetic and potential [J]."""
        return self.kinetic_energy + self.potential_energy

    @property
    def residual(self) -> Array:
        """How far loops, guides and closed contacts are open at t, the largest [m, or sines of angles]."""
        return residual(self) if self.known_residual is None else self.known_residual

    def energy_audit(self) -> Audit:
        """Where the energy went, and by how much the balance fails: see `Audit`."""
        total = self.energy
        balance = total + self.dissipated - self.work  # with an impact at the very start: what was before it
        error = float(np.abs(balance - balance[0]).max())
        largest = float(self.kinetic_energy.max())
        return Audit(
            float(balance[0]), float(total[-1]), float(self.work[-1]), float(self.dissipated[-1]), error,
            error / largest if largest > 0 else error,
        )  # fmt: skip

    # -- pictures and files ---------------------------------------------------------------------------------
    def plot(self, *what: str) -> Any:
        """Curves over time ("q", "v", "tau", "energy"); see `rikigaku.simulation.pictures.plot`."""
        from rikigaku.simulation.pictures import plot

        return plot(self, *what)

    def animate(self, path: str | Path | None = None, **options: Any) -> Any:
        """The robot moving; see `rikigaku.simulation.pictures.animate`."""
        from rikigaku.simulation.pictures import animate

        return animate(self, path, **options)

    def postures(self, times: Any = 8, **options: Any) -> Any:
        """Stick figures side by side; see `rikigaku.simulation.pictures.postures`."""
        from rikigaku.simulation.pictures import postures

        return postures(self, times, **options)

    def save(self, path: str | Path) -> None:
        """Write the motion to an .npz file, whole or not at all; `rk.load_motion` reads it."""
        from rikigaku.simulation.files import save

        save(self, path)

    def to_pandas(self) -> Any:
        """A table with a row for each time; pandas must be installed."""
        from rikigaku.simulation.files import to_pandas

        return to_pandas(self)

    def to_xarray(self) -> Any:
        """A data set over time; xarray must be installed."""
        from rikigaku.simulation.files import to_xarray

        return to_xarray(self)

    # -- inside ---------------------------------------------------------------------------------------------
    @property
    def _size(self) -> int:
        return self.robot.nq + self.robot.nv + MORE

    @cached_property
    def own_steps(self) -> Any:
        """For each of t the step it belongs to: at a jump the first side belongs to the step before."""
        which = np.clip(np.searchsorted(self.records[:, 0], self.t, side="right") - 1, 0, None)
        for i in np.flatnonzero(np.diff(self.t) == 0):
            which[i] = np.searchsorted(self.records[:, 1], self.t[i], side="left")
        return which

    def _steps_at(self, t: Array) -> Any:
        first, last = self.records[0, 0], self.records[-1, 1]
        slack = 1e-9 * max(abs(first), abs(last), 1e-3)
        if t.size and not (t.min() >= first - slack and t.max() <= last + slack):
            raise WrongValue(
                f"The motion is known from {first:.9g} s to {last:.9g} s; asked for was "
                f"{t.min():.9g} to {t.max():.9g} s."
            )
        return np.clip(np.searchsorted(self.records[:, 0], t, side="right") - 1, 0, None)

    def _states(self, t: Array, which: Any) -> Array:
        if not self.runs:  # from a file
            return interpolated(self.records, self._size, t, which)
        return states_at(self.runs, cast(Drive, self.drive), self.records, self.record_modes, t, which)
