"""A driver that integrates any compiled vector field in native code, as LLVM text.

    i64 advance(ptr field, ptr guards, ptr project, ptr input, ptr jacobian, ptr data, ptr integers, ptr real,
                ptr y, ptr u, ptr p, ptr atol, ptr stops, ptr work, ptr record, ptr armed, ptr kinds,
                ptr slacks, ptr noted)

takes steps of a Runge-Kutta method, explicit or implicit, until the end, until a terminal event, or until the
memory for records is full. A later call continues from the numbers in `integers` and `real` (Integer, Real).
The driver knows no robot: field(t, y, u, p, out), guards(...), project(...) and jacobian(...) are
addresses of compiled programs, and input(data, t, y, u, segment) fills the inputs, natively or by a call back
into Python.

Reference: E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, II.4 to II.6.
"""

from rikigaku.integrators.butcher_tableaus import Tableau
from rikigaku.integrators.llvm_event_location import GuardedStep
from rikigaku.integrators.llvm_linear_solve import linear_text
from rikigaku.integrators.llvm_radau import RADAU, RadauStep
from rikigaku.integrators.llvm_runge_kutta import ROWS, Integer, Real, Status
from rikigaku.integrators.llvm_writer import DECLARED, Array, Cell, Value, Writer

_LEAST, _MOST = 0.2, 10.0  # bounds of the ratio of consecutive steps
_SAMPLING_ERROR = 0.25  # of guards (see `llvm_event_location`): at which the step size is kept


class _Driver(GuardedStep):
    """The loop over steps: error control, event location, records."""

    def record(self, t: Value, t_new: Value, h: Value) -> None:
        w, n = self.w, self.n
        steps = self.integers[Integer.STEPS]
        row = Array(w, "%record").at(steps * (n * (1 + ROWS) + 3))
        row[0], row[1], row[2] = t, t_new, h
        with w.loop(n) as i:
            row[3 + i] = self.y[i]
        with w.loop(n * ROWS) as i:
            row[n + 3 + i] = self.F[i]
        self.integers[Integer.STEPS] = steps + 1

    def land(self, t_new: Value) -> None:
        """y at the end of the step, projected onto the constraints; the slope there starts the next step."""
        w, slope = self.w, self.K[len(self.table.stages)]
        self.copy(self.new, self.y)
        self.copy(slope, self.K[0])
        with w.when(self.has_function("project")):
            self.call("project", t_new, self.y, self.projected)
            self.copy(self.projected, self.y)
            self.rates(t_new, self.y, self.K[0])
        self.real[Real.T] = t_new

    def text(self) -> str:
        w, integers, real = self.w, self.integers, self.real
        adaptive = bool(self.table.errors)
        with w.repeat():
            t = real[Real.T]
            stop = Array(w, "%stops")[integers[Integer.SEGMENT]]
            with w.when(t >= stop):
                with w.when(integers[Integer.SEGMENT] + 1 >= integers[Integer.STOPS]):
                    w.leave(Status.DONE)
                integers[Integer.SEGMENT] = integers[Integer.SEGMENT] + 1
                integers[Integer.FRESH] = w.select(integers[Integer.FRESH] > 0, integers[Integer.FRESH], 1)
            stop = Array(w, "%stops")[integers[Integer.SEGMENT]]
            with w.when(integers[Integer.FRESH] > 0):
                self.rates(t, self.y, self.K[0])
                real[Real.BEFORE], integers[Integer.KNOWN] = 0.0, 0
                with w.when((integers[Integer.FRESH] > 1) & (self.guards > 0)):
                    self.begin(t)
                integers[Integer.FRESH] = 0
            with w.when(integers[Integer.STEPS] >= integers[Integer.ROOM]):
                w.leave(Status.FULL)
            with w.when(integers[Integer.LEFT] <= 0):
                w.leave(Status.LIMIT)
            integers[Integer.LEFT] = integers[Integer.LEFT] - 1
            if adaptive:
                with w.when(real[Real.H] <= 0.0):
                    self.first_step(t)
            self.take_step(t, stop, adaptive)
        return w.function(_HEAD)

    def take_step(self, t: Value, stop: Value, adaptive: bool) -> None:
        w, real = self.w, self.real
        grow = w.cell(_MOST)
        step, t_new = w.cell(0.0), w.cell(0.0)
        with w.repeat() as resolved:
            self.try_steps(t, stop, adaptive, grow, step, t_new)
            h = step.value
            self.interpolant(t, h)
            finite = self.finite()
            with w.when(~finite):
                if not adaptive:
                    w.leave(Status.STUCK)
                real[Real.H] = h * _LEAST
                self.refuse(grow)
            with w.when(finite):
                with w.when(self.guards < 1):
                    w.jump(resolved)
                self.sample(t, h, t_new.value)
                if adaptive:
                    unresolved = self.sampling_error(h)
                    factor = w.max(w.sqrt(w.sqrt(_SAMPLING_ERROR / unresolved)), _LEAST)  # may be infinite
                    real[Real.H] = w.min(real[Real.H], h * factor)
                    with w.when(unresolved > 1.0):
                        self.refuse(grow)
                    with w.when(~(unresolved > 1.0)):
                        w.jump(resolved)
                else:
                    w.jump(resolved)
        h, end = step.value, t_new.value
        with w.when(self.guards > 0):
            x = self.first_terminal_event(t, h)
            with w.when(x <= 1.0):
                at = t + x * h
                self.record(t, at, h)
                self.between(x, self.new)
                self.land(at)
                w.leave(Status.EVENT)
        self.record(t, end, h)
        self.land(end)

    def refuse(self, grow: Cell) -> None:
        """Count a step that is tried again, shorter."""
        grow.value = 1.0
        self.integers[Integer.REJECTED] = self.integers[Integer.REJECTED] + 1
        self.forget()

    def finite(self) -> Value:
        """Whether the step has a finite end, rates there and interpolant: the error estimate reads no rates
        at the end, and tolerances may be too large to see anything."""
        w, slope = self.w, self.K[len(self.table.stages)]
        zero = w.cell(0.0)
        with w.loop(self.n) as i:
            zero.value = zero.value + (self.new[i] + slope[i]) * 0.0
        with w.loop(self.n * ROWS) as i:
            zero.value = zero.value + self.F[i] * 0.0
        return zero.value.equals(0.0)

    def try_steps(self, t: Value, stop: Value, adaptive: bool, grow: Cell, step: Cell, t_new: Cell) -> None:
        """Try steps until the error of one is within the tolerances; its length and its end."""
        w, integers, real = self.w, self.integers, self.real
        with w.repeat() as accepted:
            wanted = w.min(real[Real.H], real[Real.LARGEST])
            clipped = t + 1.0000001 * wanted >= stop
            step.value = h = w.select(clipped, stop - t, wanted)
            t_new.value = w.select(clipped, stop, t + h)
            with w.when(wanted <= 2.3e-15 * (w.abs(t) + 1e-18)):
                w.leave(Status.STUCK)
            self.stages(t, h, t_new.value)
            if not adaptive:
                finite = w.cell(0.0)
                with w.loop(self.n) as i:
                    finite.value = finite.value + self.new[i] * 0.0
                with w.when(~finite.value.equals(0.0)):
                    w.leave(Status.STUCK)
                w.jump(accepted)
            error = self.error(h) if adaptive else w.value(0.0, "double")
            factor = self.growth(error)
            with w.when(error <= 1.0):
                following = h * w.min(factor, grow.value)
                real[Real.H] = w.select(clipped, w.max(wanted, following), following)
                w.jump(accepted)
            grow.value = 1.0  # no growth right after a rejection
            real[Real.H] = h * w.max(factor, _LEAST)
            integers[Integer.REJECTED] = integers[Integer.REJECTED] + 1
            self.rejected()


class _ImplicitDriver(_Driver, RadauStep):
    """The same loop around implicit steps."""


_HEAD = (
    "define i64 @advance(ptr %field, ptr %guards, ptr %project, ptr %input, ptr %jacobian, ptr %data, "
    "ptr noalias %integers, ptr noalias %real, ptr noalias %y, ptr noalias %u, ptr noalias %p, "
    "ptr noalias %atol, ptr noalias %stops, ptr noalias %work, ptr noalias %record, ptr noalias %armed, "
    "ptr noalias %kinds, ptr noalias %slacks, ptr noalias %noted)"
)


def piecewise_text() -> str:
    """Inputs as piecewise polynomials: data holds rows, size, count, starts (count), then coefficients
    (count, rows, size), the highest power first."""
    w = Writer()
    data, u = Array(w, "%data"), Array(w, "%u")
    rows, size, count = (w.result("i64", f"fptosi double {data[k].name} to i64") for k in range(3))
    segment = Value(w, "i64", "%segment")
    x = Array(w, "%t")[0] - data[segment + 3]
    table = data.at(count + 3 + segment * rows * size)
    with w.loop(size) as i:
        total = w.cell(0.0)
        with w.loop(rows) as k:
            total.value = total.value * x + table[k * size + i]
        u[i] = total.value
    w.line("ret void")
    return w.function("define void @piecewise(ptr %data, ptr %t, ptr %y, ptr noalias %u, i64 %segment)")


def driver_text(tableau: Tableau) -> str:
    """LLVM text of @advance for a method, and of @piecewise."""
    if tableau is RADAU:
        return "\n".join([DECLARED, linear_text(), _ImplicitDriver(tableau).text(), piecewise_text()])
    return "\n".join([DECLARED, _Driver(tableau).text(), piecewise_text()])
