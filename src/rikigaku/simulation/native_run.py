"""Integration of one mode in native code: memory of the integrator, and callbacks into Python."""

import ctypes
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from rikigaku.core.progress import Clock
from rikigaku.core.types import Array
from rikigaku.hybrid.hybrid_system import EXTRA_STATES, Mode
from rikigaku.integrators import native_integrator as integrator
from rikigaku.simulation.actuation import Actuation, due, evaluate_function, input_counts, periods
from rikigaku.simulation.piecewise_polynomial import PiecewisePolynomial
from rikigaku.simulation.python_guards import python_guard_event
from rikigaku.simulation.step_interpolation import interpolated
from rikigaku.simulation.step_limits import StepLimits, Stiffness
from rikigaku.simulation.vector_fields import ModeField

Real, Status, Integer = integrator.Real, integrator.Status, integrator.Integer

_STEPS = 2048  # steps between two returns to Python, where interrupts are handled
_EVENTS = 64  # crossings that one step may record


@dataclass(frozen=True)
class Settings:
    """Method, tolerances and step limits of the integration."""

    method: str = "dop853"
    rtol: float = 1e-9
    atol: float = 1e-12
    step: float = 0.0  # the fixed step, or the first one to try; 0: estimated from the field
    largest: float = np.inf
    largest_with_guards: float = np.inf  # the largest step if there are guards
    most_steps: int = 1_000_000

    def within(self, largest_rtol: float) -> "Settings":
        """The settings with tolerances that a mode bounds."""
        rtol, atol = min(self.rtol, largest_rtol), min(self.atol, 0.01 * largest_rtol)
        return self if rtol == self.rtol and atol == self.atol else replace(self, rtol=rtol, atol=atol)

    def by(self, method: str, tolerance: float) -> "Settings":
        """The settings of another method, with tolerances multiplied by a factor."""
        return replace(self, method=method, rtol=tolerance * self.rtol, atol=tolerance * self.atol)


class Progression(NamedTuple):
    """Reports of the simulated time: its end [s], and steps and changes of mode before this run."""

    clock: Clock
    end: float
    steps: int = 0
    changes: int = 0

    def report(self, t: float, steps: int = 0) -> None:
        if self.clock.due:
            changes = f", {self.changes} changes of mode" if self.changes else ""
            taken = f", {self.steps + steps} steps" if self.steps + steps else ""
            self.clock.report(f"simulated t = {t:.6g} s of {self.end:g} s{taken}{changes}")


@dataclass(eq=False)
class Run:
    """The integration of one mode: recorded steps, recorded crossings, and why it ended."""

    field: ModeField
    mode: Mode
    t: float
    y: Array
    status: integrator.Status
    records: Array  # (steps, 3 + 8 n)
    recorded: list[tuple[str, float]]  # crossings that did not end the mode
    fired: tuple[str, ...]
    inputs: list[tuple[float, Array]]  # inputs of a sampled actuation, and since when
    step: float
    evaluations: int
    rejected: int
    continued: bool = False  # by a run of the same mode


class Inputs:
    """Callbacks into Python. An exception in a callback is stored and the integrator receives NaN."""

    def __init__(self, actuation: Actuation, nq: int, nv: int) -> None:
        self.actuation, self.nq, self.nv = actuation, nq, nv
        self.error: BaseException | None = None
        self.pieces: PiecewisePolynomial | None = None  # of the current stops
        self.progression: Progression | None = None
        self._views: dict[tuple[int, int], Array] = {}
        self.callback = integrator.INPUT(self._called)

    def at(self, t: float, q: Array, v: Array) -> Array:
        """Inputs from the user's function."""
        return evaluate_function(self.actuation, t, q, v)

    def _called(self, data: int, t: int, y: int, u: int, segment: int) -> None:
        given = 0 if self.pieces is None else self.pieces.coefficients.shape[2]
        target = self._view(u, self.actuation.size)
        if self.error is not None:
            target[:] = np.nan
            return
        state = self._view(y, self.nq + self.nv).copy()
        try:
            time = ctypes.c_double.from_address(t).value
            if self.pieces is not None:
                target[:given] = self.pieces.in_segment(time, segment)
            target[given:] = self.at(time, state[: self.nq], state[self.nq :])
            if self.progression is not None:  # 2048 steps with a slow function take long
                self.progression.report(time)
        except BaseException as error:
            self.error = error
            target[:] = np.nan

    def _view(self, address: int, size: int) -> Array:
        if (address, size) not in self._views:
            numbers = (ctypes.c_double * size).from_address(address)
            self._views[address, size] = np.ctypeslib.as_array(numbers)
        return self._views[address, size]


def run(
    made: ModeField,
    mode: Mode,
    actuation: Actuation,
    t: float,
    y: Array,
    end: float,
    settings: Settings,
    waiting: tuple[str, ...] = (),
    left: int | None = None,
    held: tuple[float, Array] | None = None,
    progression: Progression | None = None,
    limits: StepLimits | None = None,
    stiffness: Stiffness | None = None,
) -> Run:
    """Integrate a mode from y at t until `end` or until a guard ends it.

    waiting: guards that have just fired; they are armed again once they have left zero.
    left: steps still allowed. held: inputs of a sampled actuation from the mode before, and since when.
    progression: reports the simulated time. limits: of the work of the whole motion. stiffness: where another
        method should continue, the run ends with the status STIFF.
    """
    memory = _Memory(made, mode, actuation, t, np.array(y, dtype=np.float64), end, settings, waiting)
    if left is not None:
        memory.integers[Integer.LEFT] = left
    if stiffness is not None and stiffness.room is not None:
        memory.integers[Integer.ROOM] = min(memory.integers[Integer.ROOM], stiffness.room)
    memory.progression = progression or Progression(Clock(None), end)
    if memory.inputs is not None:
        memory.inputs.progression = memory.progression
    return memory.run(held, limits, stiffness)


class _Memory:
    """The arguments of the native integrator."""

    def __init__(
        self,
        made: ModeField,
        mode: Mode,
        actuation: Actuation,
        t: float,
        y: Array,
        end: float,
        settings: Settings,
        waiting: tuple[str, ...],
    ) -> None:
        self.made, self.mode, self.actuation, self.y, self.end, self.settings = (
            made,
            mode,
            actuation,
            y,
            end,
            settings,
        )
        self.progression = Progression(Clock(None), end)
        self.driver = integrator.driver(settings.method)
        guards, n = made.guards(mode), made.size
        self.guards = guards
        self.integers, self.real = np.zeros(len(Integer), dtype=np.int64), np.zeros(len(Real))
        self.integers[[Integer.SIZE, Integer.GUARDS, Integer.ROOM]] = (
            n,
            len(guards),
            1 if mode.python_guard else _STEPS,
        )
        self.integers[Integer.LEFT] = settings.most_steps
        self.integers[[Integer.FRESH, Integer.MEASURED]] = 2, n - EXTRA_STATES
        largest = min(settings.largest, settings.largest_with_guards if guards else np.inf)
        # A whole number is subtracted and added without rounding.
        self.origin = max(float(np.trunc(t)), 0.0)
        self.real[:] = t - self.origin, settings.step, settings.rtol, largest, 0.0, self.origin
        self.u, self.p = np.zeros(max(actuation.size, 1)), made.parameters(mode, actuation)
        self.atol = np.full(n, settings.atol)
        self.work = integrator.working(settings.method, n, len(guards))
        self.record = np.empty((_STEPS, integrator.record_size(n)))
        self.armed = np.array([g.name not in waiting for g in guards], dtype=np.int64)
        # Samples of a guard that does not shorten steps are compared with a slack beyond all values.
        self.slacks = np.array([(g.slack or 0.0) if g.shortens else 1e300 for g in guards])
        self.kinds = np.array(
            [g.falling + 2 * g.rising + 4 * g.ends_mode + 8 * (g.slack is not None) for g in guards],
            dtype=np.int64,
        )
        self.noted = np.empty((_STEPS * 4 * len(guards) + _EVENTS, 2))
        self.inputs = (
            Inputs(actuation, made.robot.nq, made.robot.nv) if actuation.function is not None else None
        )
        self.data, self.stops = np.zeros(1), np.array([end - self.origin])
        field, events, project, jacobian = made.functions(mode, settings.method in integrator.IMPLICIT)
        self.functions = [field, events, project, 0, jacobian]
        if actuation.pieces is not None:
            self._piecewise_inputs(actuation.pieces.within(t, end), end)
        if self.inputs is not None and actuation.period is None:  # it evaluates the polynomials, too
            self.functions[3] = ctypes.cast(self.inputs.callback, ctypes.c_void_p).value or 0

    def _piecewise_inputs(self, pieces: PiecewisePolynomial, end: float) -> None:
        """Set the polynomials from now to a stop; steps end where their segments do."""
        count, powers, size = pieces.coefficients.shape
        self.data = np.concatenate([[powers, size, count], pieces.starts, pieces.coefficients.ravel()])
        self.stops, self.integers[Integer.SEGMENT] = np.append(pieces.starts[1:], end) - self.origin, 0
        self.functions[3] = integrator.piecewise().address
        if self.inputs is not None:
            self.inputs.pieces = pieces

    @property
    def t(self) -> float:
        return self.origin + float(self.real[Real.T])

    def run(
        self,
        held: tuple[float, Array] | None,
        limits: StepLimits | None = None,
        stiffness: Stiffness | None = None,
    ) -> Run:
        records: list[Array] = []
        noted: list[tuple[str, float]] = []
        samples: list[tuple[float, Array]] = []
        sampled = self.inputs is not None and self.actuation.period is not None
        status, steps, counted, began = Status.DONE, 0, 0, self.t
        while True:
            if sampled and status == Status.DONE:
                held = self._sample(held)
                samples.append(held)
            self.integers[Integer.STOPS] = len(self.stops)
            status = self._advance(records, noted)
            self.progression.report(self.t, sum(map(len, records)))
            by_python = self._python_guard(records, noted)
            size, t = records[-1].nbytes, self.t
            over = limits.reached(t, self.y, len(records[-1]), size) if limits is not None else None
            if over is not None and status != Status.STUCK:
                status, by_python = over, ""
            elif by_python:
                status = Status.EVENT
            elif status == Status.FULL and stiffness is not None:
                steps += len(records[-1])
                evaluations = int(self.integers[Integer.EVALUATIONS]) - counted
                if not stiffness.switches(steps, evaluations, t - began):
                    if steps >= stiffness.short:  # the next steps are compared among themselves
                        steps, began, counted = 0, t, counted + evaluations
                    continue
                status = Status.STIFF
            elif status == Status.FULL or (sampled and status == Status.DONE and t < self.end):
                continue
            if not np.isfinite(self.y).all():  # the projection onto the constraints failed
                status = Status.STUCK
                self._back_to_interpolant(records)
            if status == Status.STUCK:  # no step was taken with a last sample that is not finite
                samples = [x for x in samples if np.isfinite(x[1]).all()] or samples
            fired = [g.name for g, on in zip(self.guards, self.armed, strict=True) if not on]
            return Run(
                self.made,
                self.mode,
                self.t,
                self.y,
                status,
                np.concatenate(records) if records else self.record[:0],
                noted,
                () if status != Status.EVENT else (by_python,) if by_python else tuple(fired),
                samples,
                float(self.real[Real.H]),
                int(self.integers[Integer.EVALUATIONS]),
                int(self.integers[Integer.REJECTED]),
            )

    def _back_to_interpolant(self, records: list[Array]) -> None:
        """y at the end of the last step, without the projection that failed."""
        if last := [x[-1:] for x in records if len(x)]:
            end, which = last[-1][:, 1], np.zeros(1, dtype=np.int64)
            self.y[:] = interpolated(last[-1], self.made.size, end, which)[0]

    def _advance(self, records: list[Array], noted: list[tuple[str, float]]) -> integrator.Status:
        self.integers[[Integer.STEPS, Integer.NOTED]] = 0
        arrays = (
            self.data, self.integers, self.real, self.y, self.u, self.p, self.atol, self.stops, self.work,
            self.record, self.armed, self.kinds, self.slacks, self.noted,
        )  # fmt: skip
        status = Status(self.driver.advance(*self.functions, *(x.ctypes.data for x in arrays)))
        if self.inputs is not None and self.inputs.error is not None:
            raise self.inputs.error
        records.append(self.record[: self.integers[Integer.STEPS]].copy())
        records[-1][:, :2] += self.origin
        for k, t in self.noted[: self.integers[Integer.NOTED]]:
            noted.append((self.guards[int(k)].name, self.origin + float(t)))
        return status

    def _python_guard(self, records: list[Array], noted: list[tuple[str, float]]) -> str:
        """The name of the mode's Python guard if it fired within the last step, which then ends there."""
        if self.mode.python_guard is None or not len(records[-1]):
            return ""
        step = records[-1][-1]
        found = python_guard_event(self.made, self.mode, self.actuation, step, self.y, self._inputs_at)
        if found is None:
            return ""
        step[1], self.real[Real.T] = found.t, found.t - self.origin
        self.y[:] = found.y
        noted[:] = [(name, t) for name, t in noted if t <= found.t]
        return self.mode.python_guard.name

    def _inputs_at(self, t: float, q: Array, v: Array) -> Array:
        pieces, (first, _) = self.actuation.pieces, input_counts(self.actuation)
        given = np.zeros(0) if pieces is None else pieces(np.array([t]))[0]
        continuous = self.inputs is not None and self.actuation.period is None
        held = self.u[first : self.actuation.size]
        return np.concatenate([given, self.inputs.at(t, q, v) if self.inputs and continuous else held])

    def _sample(self, held: tuple[float, Array] | None) -> tuple[float, Array]:
        """Inputs of a sampled controller from now to the next sample; samples are at whole periods."""
        assert self.inputs is not None
        assert self.actuation.period is not None
        t, nq, period = self.t, self.made.robot.nq, self.actuation.period
        if held is None or due(held[0], t, period):
            held = (t, self.inputs.at(t, self.y[:nq].copy(), self.y[nq:-EXTRA_STATES].copy()))
        self.u[input_counts(self.actuation)[0] :] = held[1]
        self.integers[Integer.FRESH] = max(self.integers[Integer.FRESH], 1)
        stop = min((periods(t, period) + 1) * period, self.end)
        if self.actuation.pieces is None:
            self.stops = np.array([stop - self.origin])
        else:
            self._piecewise_inputs(self.actuation.pieces.within(t, stop), stop)
        return held
