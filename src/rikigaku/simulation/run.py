"""One mode run in native code from a state until its end: the driver's memory, and calls back into Python."""

import ctypes
from dataclasses import dataclass

import numpy as np

from rikigaku.bound import integrator
from rikigaku.simulation.drives import Drive, Pieces, asked, due, periods
from rikigaku.simulation.fields import MORE, Field
from rikigaku.simulation.modes import Array, Mode
from rikigaku.simulation.watching import given_way

Real, Status, Whole = integrator.Real, integrator.Status, integrator.Whole

_ROOM = 2048  # steps between two visits to Python, where interrupts are heard
_NOTES = 64  # passages a step may note, at most: room left before the driver comes back


@dataclass(frozen=True)
class Settings:
    """How a motion is integrated."""

    method: str = "dop853"
    rtol: float = 1e-9
    atol: float = 1e-12
    step: float = 0.0  # the fixed step, or the first one to try; 0: found from the field
    largest: float = np.inf
    watched: float = np.inf  # the largest step where guards are watched
    most_steps: int = 1_000_000


@dataclass(eq=False)
class Run:
    """What a mode did: recorded steps, passages noted, and why it ended."""

    field: Field
    mode: Mode
    t: float
    y: Array
    status: integrator.Status
    records: Array  # (steps, 3 + 8 n)
    noted: list[tuple[str, float]]
    fired: tuple[str, ...]
    inputs: list[tuple[float, Array]]  # what a sampled drive held, and since when
    step: float
    evaluations: int
    rejected: int


class Inputs:
    """Calls back into Python: an error there is kept, and the driver sees numbers that are none."""

    def __init__(self, drive: Drive, nq: int, nv: int) -> None:
        self.drive, self.nq, self.nv = drive, nq, nv
        self.error: BaseException | None = None
        self._views: dict[tuple[int, int], Array] = {}
        self.callback = integrator.INPUT(self._called)

    def at(self, t: float, q: Array, v: Array) -> Array:
        """Inputs the user's function gives."""
        return asked(self.drive, t, q, v)

    def _called(self, data: int, t: int, y: int, u: int, segment: int) -> None:
        target = self._view(u, self.drive.size)
        if self.error is not None:
            target[:] = np.nan
            return
        state = self._view(y, self.nq + self.nv).copy()
        try:
            target[:] = self.at(ctypes.c_double.from_address(t).value, state[: self.nq], state[self.nq :])
        except BaseException as error:
            self.error = error
            target[:] = np.nan

    def _view(self, address: int, size: int) -> Array:
        if (address, size) not in self._views:
            numbers = (ctypes.c_double * size).from_address(address)
            self._views[address, size] = np.ctypeslib.as_array(numbers)
        return self._views[address, size]


def run(
    made: Field,
    mode: Mode,
    drive: Drive,
    t: float,
    y: Array,
    end: float,
    settings: Settings,
    waiting: tuple[str, ...] = (),
    left: int | None = None,
    held: tuple[float, Array] | None = None,
) -> Run:
    """Motion in that mode from y at t until `end` or until a guard ends it.

    waiting: guards that have just fired: they count again once they have left zero.
    left: steps still allowed. held: what a sampled drive holds from the mode before.
    """
    memory = _Memory(made, mode, drive, t, np.array(y, dtype=np.float64), end, settings, waiting)
    if left is not None:
        memory.whole[Whole.LEFT] = left
    return memory.run(held)


class _Memory:
    """The driver's arguments."""

    def __init__(
        self,
        made: Field,
        mode: Mode,
        drive: Drive,
        t: float,
        y: Array,
        end: float,
        settings: Settings,
        waiting: tuple[str, ...],
    ) -> None:
        self.made, self.mode, self.drive, self.y, self.end, self.settings = (
            made,
            mode,
            drive,
            y,
            end,
            settings,
        )
        self.driver = integrator.driver(settings.method)
        guards, n = made.guards, made.size
        self.whole, self.real = np.zeros(len(Whole), dtype=np.int64), np.zeros(len(Real))
        self.whole[[Whole.SIZE, Whole.GUARDS, Whole.ROOM]] = n, len(guards), 1 if mode.watch else _ROOM
        self.whole[Whole.LEFT] = settings.most_steps
        self.whole[[Whole.FRESH, Whole.MEASURED]] = 2, n - MORE
        largest = min(settings.largest, settings.watched if guards else np.inf)
        self.real[:] = t, settings.step, settings.rtol, largest, 0.0
        self.u, self.p = np.zeros(max(drive.size, 1)), made.parameters(mode, drive)
        self.atol = np.full(n, settings.atol)
        self.work = integrator.working(settings.method, n, len(guards))
        self.record = np.empty((_ROOM, integrator.record_size(n)))
        self.armed = np.array([g.name not in waiting for g in guards], dtype=np.int64)
        own = (*mode.guards, *made.watched)  # slacks may differ from those the programs were made with
        self.slacks = np.array([0.0 if g.slack is None else g.slack for g in own])
        self.kinds = np.array(
            [g.falling + 2 * g.rising + 4 * g.ends_mode + 8 * (g.slack is not None) for g in own],
            dtype=np.int64,
        )
        self.noted = np.empty((_ROOM * 4 * len(guards) + _NOTES, 2))
        self.inputs = Inputs(drive, made.robot.nq, made.robot.nv) if drive.function is not None else None
        self.data, self.stops = np.zeros(1), np.array([end])
        self.functions = [made.rates.function.address, 0, 0, 0, 0]
        if guards:
            self.functions[1] = made.guard_values.function.address
        if made.settled is not None:
            self.functions[2] = made.settled.function.address
        if drive.pieces is not None:
            self._over_time(drive.pieces.within(t, end))
        elif self.inputs is not None and drive.period is None:
            self.functions[3] = ctypes.cast(self.inputs.callback, ctypes.c_void_p).value or 0
        if settings.method in integrator.IMPLICIT and made.jacobian is not None:
            self.functions[4] = made.jacobian.function.address

    def _over_time(self, pieces: Pieces) -> None:
        count, rows, size = pieces.coefficients.shape
        self.data = np.concatenate([[rows, size, count], pieces.starts, pieces.coefficients.ravel()])
        self.stops = np.append(pieces.starts[1:], self.end)
        self.functions[3] = integrator.piecewise().address

    def run(self, held: tuple[float, Array] | None) -> Run:
        records: list[Array] = []
        noted: list[tuple[str, float]] = []
        samples: list[tuple[float, Array]] = []
        sampled = self.inputs is not None and self.drive.period is not None
        status = Status.DONE
        while True:
            if sampled and status == Status.DONE:
                held = self._sample(held)
                samples.append(held)
            self.whole[Whole.STOPS] = len(self.stops)
            status = self._advance(records, noted)
            gone = self._given_way(records, noted)
            if gone:
                status = Status.EVENT
            elif status == Status.FULL or (sampled and status == Status.DONE and self.stops[0] < self.end):
                continue
            fired = [g.name for g, on in zip(self.made.guards, self.armed, strict=True) if not on]
            return Run(
                self.made,
                self.mode,
                float(self.real[Real.T]),
                self.y,
                status,
                np.concatenate(records) if records else self.record[:0],
                noted,
                () if status != Status.EVENT else (gone,) if gone else tuple(fired),
                samples,
                float(self.real[Real.H]),
                int(self.whole[Whole.EVALUATIONS]),
                int(self.whole[Whole.REJECTED]),
            )

    def _advance(self, records: list[Array], noted: list[tuple[str, float]]) -> integrator.Status:
        self.whole[[Whole.STEPS, Whole.NOTED]] = 0
        arrays = (
            self.data, self.whole, self.real, self.y, self.u, self.p, self.atol, self.stops, self.work,
            self.record, self.armed, self.kinds, self.slacks, self.noted,
        )  # fmt: skip
        status = Status(self.driver.advance(*self.functions, *(x.ctypes.data for x in arrays)))
        if self.inputs is not None and self.inputs.error is not None:
            raise self.inputs.error
        records.append(self.record[: self.whole[Whole.STEPS]].copy())
        for k, t in self.noted[: self.whole[Whole.NOTED]]:
            noted.append((self.made.guards[int(k)].name, float(t)))
        return status

    def _given_way(self, records: list[Array], noted: list[tuple[str, float]]) -> str:
        """The name of the mode's watch, if that ended it within the last step, which is cut short there."""
        if self.mode.watch is None or not len(records[-1]):
            return ""
        step = records[-1][-1]
        found = given_way(self.made, self.mode.watch, step, self.y, self._inputs_at, self.p)
        if found is None:
            return ""
        step[1] = self.real[Real.T] = found.t
        self.y[:] = found.y
        noted[:] = [(name, t) for name, t in noted if t <= found.t]
        return self.mode.watch.name

    def _inputs_at(self, t: float, q: Array, v: Array) -> Array:
        if self.drive.pieces is not None:
            return self.drive.pieces(np.array([t]))[0]
        if self.inputs is not None and self.drive.period is None:
            return self.inputs.at(t, q, v)
        return self.u[: self.drive.size]

    def _sample(self, held: tuple[float, Array] | None) -> tuple[float, Array]:
        """What a sampled controller holds from now to the next sample; samples are at whole periods."""
        assert self.inputs is not None
        assert self.drive.period is not None
        t, nq, period = float(self.real[Real.T]), self.made.robot.nq, self.drive.period
        if held is None or due(held[0], t, period):
            held = (t, self.inputs.at(t, self.y[:nq].copy(), self.y[nq:-MORE].copy()))
        self.u[:] = held[1]
        self.whole[Whole.FRESH] = max(self.whole[Whole.FRESH], 1)
        self.stops = np.array([min((periods(t, period) + 1) * period, self.end)])
        return held
