"""Fixed steps of a robot with contacts in native code: `simulate(..., method="time_stepping")`, and batches.

The scheme is that of `integrators.llvm_time_stepping`. No events are located; impacts, sticking and sliding
are resolved at the steps. Python runs in user functions only.
"""

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rikigaku.compiler.kernel import Kernel
from rikigaku.contact.contact_system import ContactSystem
from rikigaku.core.arrays import floats
from rikigaku.core.errors import WrongValue
from rikigaku.core.thread_blocks import each_block
from rikigaku.core.types import Array
from rikigaku.core.validation import numbers, whole
from rikigaku.integrators.time_stepping_driver import StepSlot, StepStatus, TileSlot, advance, piecewise
from rikigaku.simulation.actuation import Actuation, due
from rikigaku.simulation.native_run import Inputs, Progression
from rikigaku.simulation.piecewise_polynomial import PiecewisePolynomial
from rikigaku.simulation.stepping_memory import RowParts, SteppingPrograms, Tile

_CHUNK = 4096  # steps between two returns to Python, where interrupts are handled
WORLDS_PER_TILE = 16


class Stepped(NamedTuple):
    """Rows of recorded steps (records, worlds, size), the last rows, steps taken, how it ended, and where.

    samples: times and values of a sampled Python function. taken: steps of each world that stopped by the
    condition, -1 of the others. failed: steps of each world until its state was not finite, -1 of the others.
    causes: their `StepStatus`.
    """

    records: Array
    rows: Array
    steps: int
    status: StepStatus
    world: int
    samples: tuple[tuple[float, Array], ...] = ()
    taken: Any = None
    failed: Any = None
    causes: Any = None


class SampledInputs(Inputs):
    """Inputs of a Python function; with a period it is called at the first step of each period."""

    holds = True  # else the native code calls it at samples only
    samples: tuple[tuple[float, Array], ...] = ()

    def at(self, t: float, q: Array, v: Array) -> Array:
        """Inputs of the function, or those held since its last sample."""
        period = self.actuation.period
        if period is None:
            return super().at(t, q, v)
        if not self.holds or not self.samples or due(self.samples[-1][0], t, period):
            self.samples += ((t, super().at(t, q, v)),)
        return self.samples[-1][1]


@dataclass(frozen=True, eq=False)
class TimeStepping:
    """Fixed steps of one system under one actuation.

    Args:
        step: [s]. period: of a sampled actuation [s]; None: evaluated in every step, at its middle.
        progression: reports of the simulated time.
    """

    system: ContactSystem
    actuation: Actuation
    step: float
    period: float | None = None
    progression: Progression | None = None

    @property
    def parts(self) -> RowParts:
        """Where states and results are in a row."""
        return RowParts(self.system)

    @property
    def programs(self) -> SteppingPrograms:
        return SteppingPrograms(self.system, self.actuation)

    def _newton_steps(self, batched: bool) -> int:
        """Steps of Newton's method that project a recorded state onto its constraints.

        One step squares a residual, of order h^2 after a step h; two leave rounding at usual steps. Contacts
        that push are closed by the steps themselves; batches leave their projection out.
        """
        if self.system.constraints.permanent or any(c.bilateral for c in self.system.contacts):
            return 2
        return 0 if batched else 1

    def one(self, q: Array, v: Array, start: float, steps: int, every: int) -> Stepped:
        """Advance one world; every `every`-th state and the last are recorded, projected onto constraints."""
        tile = Tile(self.programs, self.step, 1, batched=False)
        return self._run(tile, q[None], v[None], start, steps, every)

    def worlds(
        self, q: Array, v: Array, steps: int, *, start: float = 0.0, every: int = 0,
        inputs: Array | None = None, threads: int = 1, parameters: Array | None = None,
        friction: Array | None = None, coulomb: Array | None = None, stop: Kernel | None = None,
    ) -> Stepped:  # fmt: skip
        """Advance many worlds (N, nq), (N, nv), with the robot's programs in vector registers.

        Args:
            every: steps between recorded states (0: all of them); the last is recorded, too. Recorded
                positions of robots with loops, guides and bilateral contacts are projected onto their
                constraints.
            inputs: of the actuation in each step and world (steps, N, size), instead of its own.
            parameters: of the actuation, then symbols of the robot, in each world (N, count).
            friction: Coulomb coefficients of each world and contact, instead of theirs, not of friction
                moments.
            coulomb: dry friction of each world and joint with such (N, count), instead of theirs.
            stop: a program of (q, v, energies) whose result is 0 where a world stops.

        Results do not depend on threads, nor on which worlds are together. A world whose state or forces
        are not finite has NaN from there on; `status` says so, and the others go on.

        Raises:
            WrongSize, WrongValue: for arrays that do not fit.
        """
        robot = self.system.robot
        q = floats("q", q)
        count = len(q) if q.ndim == 2 else 0
        q, v = numbers("q", q, (count, robot.nq)), numbers("v", v, (count, robot.nv))
        steps, threads = whole("steps", steps), whole("threads", threads)
        every = whole("every", every, 0) or steps
        if inputs is not None:
            inputs = numbers("inputs", inputs, (steps, count, self.actuation.size))
        rows = np.zeros((count, self.parts.size))
        records = np.zeros((-(-steps // every), count, self.parts.size))
        programs = SteppingPrograms(self.system, self.actuation, parameters is not None, stop)
        # Compiled and loaded before threads start: of two loaded copies one would be released in use.
        programs.functions(batched=True), advance(), piecewise()
        taken, failed = np.full((2, count), -1, dtype=np.int64)
        causes = np.zeros(count, dtype=np.int64)

        def work(firsts: range, stopped: Callable[[], bool]) -> None:
            tiles: dict[int, Tile] = {}
            for first in firsts:
                if stopped():
                    return
                last = min(first + WORLDS_PER_TILE, count)
                size = last - first
                if size not in tiles:
                    tiles[size] = Tile(programs, self.step, size, batched=True)
                tile = tiles[size]
                if parameters is not None:
                    tile.symbols[:] = parameters[first:last]
                if friction is not None:
                    real = slice(0, friction.shape[1])  # friction moments follow
                    tile.friction[:, real, 0] = tile.static[:, real] = friction[first:last]
                if coulomb is not None:
                    tile.coulomb[:] = tile.joint_static[:] = coulomb[first:last]
                own = None if inputs is None else inputs[:, first:last]
                done = self._run(tile, q[first:last], v[first:last], start, steps, every, own, stopped)
                rows[first:last], taken[first:last] = done.rows, tile.taken
                failed[first:last], causes[first:last] = tile.failed, tile.causes
                records[: len(done.records), first:last] = done.records

        each_block(count, WORLDS_PER_TILE, threads, work)
        unsolved = (causes == StepStatus.STATE) & np.isinf(rows[:, self.parts["residual"]]).any(axis=1)
        causes[unsolved] = StepStatus.FRICTION
        world = int(np.argmax(causes != StepStatus.DONE)) if count else 0
        status = StepStatus(int(causes[world])) if count else StepStatus.DONE
        return Stepped(records, rows, steps, status, world, (), taken, failed, causes)

    def _run(
        self, tile: Tile, q: Array, v: Array, start: float, steps: int, every: int,
        table: Array | None = None, stopped: Callable[[], bool] = lambda: False,
    ) -> Stepped:  # fmt: skip
        nq, nv = q.shape[1], v.shape[1]
        tile.rows[:] = 0.0
        tile.rows[:, :nq], tile.rows[:, nq : nq + nv] = q, v
        tile.rows[:, tile.parts["modes"]] = -1.0
        tile.warm[:] = 0.0
        tile.taken[:] = tile.failed[:] = -1
        tile.causes[:] = StepStatus.DONE
        tile.blocks[:, StepSlot.CORRECTED_COUNT] = 0
        for slot in (TileSlot.SMOOTH, TileSlot.CONTROLS):
            tile.arrays[slot][:] = 0.0
        tile.arrays[TileSlot.CONTROLS][:, -1] = self.step
        tile.time[0], tile.held[0] = start, -np.inf
        records = np.zeros((-(-steps // every), tile.worlds, tile.parts.size))
        block, keep = tile.block, [records]
        block[TileSlot.FIRST_STEP], block[TileSlot.STATUS] = 0, StepStatus.DONE
        block[TileSlot.EVERY], block[TileSlot.RECORDS] = every, records.ctypes.data
        block[TileSlot.LAST_STEP], block[TileSlot.PROJECT] = steps, self._newton_steps(tile.batched)
        inputs = self._inputs(tile, start, start + steps * self.step, table, keep)
        done = 0
        while done < steps and (tile.batched or block[TileSlot.STATUS] == StepStatus.DONE) and not stopped():
            block[TileSlot.FIRST_STEP], block[TileSlot.STEPS] = done, min(_CHUNK, steps - done)
            advance()(block.ctypes.data)
            if inputs is not None and inputs.error is not None:
                raise inputs.error
            done += int(block[TileSlot.STEPS])
            if self.progression is not None:
                self.progression.report(start + done * self.step, done)
        status = StepStatus(int(block[TileSlot.STATUS]))
        if status != StepStatus.DONE and not tile.batched:
            done = int(block[TileSlot.FIRST_STEP])
        world = int(block[TileSlot.FAILED])
        if status == StepStatus.STATE and np.isinf(tile.rows[world, tile.parts["residual"]]).any():
            status = StepStatus.FRICTION
        if status == StepStatus.TORQUE and not tile.batched:
            when = start + (done + (0.5 if self.period is None else 0.0)) * self.step
            tau = tile.arrays[TileSlot.CONTROLS][world, :nv]
            raise WrongValue(f"The torque is not finite at t = {when:.9g} s: {tau}.")
        samples = () if inputs is None else inputs.samples
        return Stepped(
            records if done == steps else records[: done // every],
            tile.rows.copy(),
            done,
            status,
            world,
            samples,
        )

    def _inputs(
        self, tile: Tile, start: float, end: float, table: Array | None, keep: list[Any]
    ) -> "SampledInputs | None":
        """Set the inputs of the actuation: a table, polynomials, or a Python function."""
        block, actuation = tile.block, self.actuation
        block[[TileSlot.INPUT, TileSlot.TABLE, TileSlot.SEGMENT, TileSlot.SEGMENTS, TileSlot.PERIOD]] = 0
        if self.period is not None:
            period = np.array([self.period])
            keep.append(period)
            block[TileSlot.PERIOD], block[TileSlot.HELD] = period.ctypes.data, tile.held.ctypes.data
        if table is not None:
            table = np.ascontiguousarray(table, dtype=np.float64)
            keep.append(table)
            block[TileSlot.TABLE] = table.ctypes.data
            return None
        pieces = None if actuation.pieces is None else actuation.pieces.within(start, end)
        if pieces is not None:
            self._piecewise(block, pieces, keep)
        if actuation.function is None:
            return None
        inputs = SampledInputs(actuation, self.system.robot.nq, self.system.robot.nv)
        inputs.pieces, inputs.holds = pieces, self.period is None
        inputs.progression = self.progression
        block[TileSlot.INPUT] = ctypes.cast(inputs.callback, ctypes.c_void_p).value or 0
        return inputs

    def _piecewise(self, block: Any, pieces: PiecewisePolynomial, keep: list[Any]) -> None:
        count, powers, size = pieces.coefficients.shape
        data = np.concatenate([[powers, size, count], pieces.starts, pieces.coefficients.ravel()])
        starts = np.ascontiguousarray(pieces.starts)
        keep += [data, starts]
        block[TileSlot.INPUT], block[TileSlot.INPUT_DATA] = piecewise(), data.ctypes.data
        block[TileSlot.STARTS], block[TileSlot.SEGMENTS] = starts.ctypes.data, count
