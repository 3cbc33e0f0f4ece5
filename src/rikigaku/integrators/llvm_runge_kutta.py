"""One step of an explicit Runge-Kutta method for any vector field, as LLVM text.

Reference: E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, II.4 to II.6.
"""

from enum import IntEnum

from rikigaku.integrators.butcher_tableaus import Row, Tableau
from rikigaku.integrators.llvm_writer import Array, Value, Writer

ROWS = 7  # of the interpolant
GUARD_SAMPLES = 4  # of the guards in a step
SAFETY = 0.9  # of the next step


class Integer(IntEnum):
    """Indices of the driver's integers."""

    SIZE = 0
    GUARDS = 1
    ROOM = 2  # steps the record holds
    STEPS = 3  # steps recorded
    LEFT = 4  # steps still allowed
    NOTED = 5  # events recorded that did not end the contact mode
    SEGMENT = 6  # number of the current stop
    STOPS = 7
    FRESH = 8  # 1: the field changed, evaluate it again; 2: so did the guards
    EVALUATIONS = 9
    REJECTED = 10
    MEASURED = 11  # elements of the state that determine the first step
    KNOWN = 12  # whether the Jacobian at the start of an implicit step is computed
    FRESHLY = 13  # whether the step before was rejected


class Real(IntEnum):
    """Indices of the driver's real numbers."""

    T = 0  # since ORIGIN: a step may be shorter than the rounding of a large t
    H = 1  # the next step; 0: find one; negative: find one that is not longer than its absolute value
    RTOL = 2
    LARGEST = 3  # largest step
    BEFORE = 4  # length of the step whose interpolant an implicit step extrapolates; 0: none
    ORIGIN = 5  # time from which all times of the driver are counted


class Status(IntEnum):
    """Why the driver returned."""

    DONE = 0
    FULL = 1
    EVENT = 2
    STUCK = 3
    LIMIT = 4
    # of the caller, not of the driver: see `simulation.step_limits`
    DIVERGED = 5
    SHORT = 6
    MEMORY = 7
    STIFF = 8


def record_size(n: int) -> int:
    """Doubles of a recorded step: start, end, step of the interpolant, y at the start, its rows."""
    return 3 + (1 + ROWS) * n


def work_size(tableau: Tableau, n: int, guards: int) -> int:
    """Numbers of working memory."""
    return (len(tableau.stages) + 1 + len(tableau.more_stages) + 3 + ROWS) * n + (4 + GUARD_SAMPLES) * guards


class Step:
    """The working memory of a driver, and the operations of a step on it."""

    def __init__(self, tableau: Tableau) -> None:
        self.table = tableau
        self.w = w = Writer()
        self.integers = Array(w, "%integers", "i64")
        self.real = Array(w, "%real")
        self.y, self.u, self.p = (Array(w, f"%{name}") for name in "yup")
        self.n, self.guards = self.integers[Integer.SIZE], self.integers[Integer.GUARDS]
        self.armed, self.kinds = Array(w, "%armed", "i64"), Array(w, "%kinds", "i64")
        self.slacks = Array(w, "%slacks")
        self.clock = w.cell(0.0)
        work, used = Array(w, "%work"), w.value(0, "i64")
        last = len(tableau.stages) + 1 + len(tableau.more_stages)
        self.K: list[Array] = []
        for _ in range(last):
            self.K.append(work.at(used))
            used = used + self.n
        self.new, used = work.at(used), used + self.n
        self.trial, used = work.at(used), used + self.n
        self.projected, used = work.at(used), used + self.n
        self.F, used = work.at(used), used + self.n * ROWS
        self.g_old, used = work.at(used), used + self.guards
        self.g_new, used = work.at(used), used + self.guards
        self.samples, used = work.at(used), used + self.guards * (GUARD_SAMPLES + 1)
        self.g_try = work.at(used)

    # -- operations -----------------------------------------------------------------------------------------
    def call(self, what: str, t: Value, y: Array, out: Array) -> None:
        """Call a function of the caller, after its inputs at time t are computed; `project` has no inputs."""
        w = self.w
        self.clock.value = t + self.real[Real.ORIGIN]
        if what != "project":
            with w.when(self.has_function("input")):
                segment = self.integers[Integer.SEGMENT]
                w.line(
                    f"call void %input(ptr %data, ptr {self.clock.pointer}, ptr {y.pointer}, ptr %u, "
                    f"i64 {segment.name})"
                )
        w.line(
            f"call void %{what}(ptr {self.clock.pointer}, ptr {y.pointer}, ptr %u, ptr %p, ptr {out.pointer})"
        )

    def rates(self, t: Value, y: Array, out: Array) -> None:
        self.call("field", t, y, out)
        self.integers[Integer.EVALUATIONS] = self.integers[Integer.EVALUATIONS] + 1

    def has_function(self, what: str) -> Value:
        return self.w.result("i1", f"icmp ne ptr %{what}, null")

    def copy(self, source: Array, target: Array) -> None:
        with self.w.loop(self.n) as i:
            target[i] = source[i]

    def combined(self, row: Row, i: Value) -> Value:
        """sum_j row[j] K_j[i]."""
        terms = [self.K[j][i] * a for j, a in row.items()]
        total = terms[0]
        for term in terms[1:]:
            total = total + term
        return total

    def moved(self, row: Row, h: Value, out: Array) -> None:
        """out = y + h sum_j row[j] K_j."""
        with self.w.loop(self.n) as i:
            out[i] = self.y[i] + h * self.combined(row, i)

    def scale(self, i: Value, other: Array) -> Value:
        w = self.w
        size = w.max(w.abs(self.y[i]), w.abs(other[i]))
        return Array(w, "%atol")[i] + size * self.real[Real.RTOL]

    def eighth_root(self, x: Value) -> Value:
        return self.w.sqrt(self.w.sqrt(self.w.sqrt(x)))

    def growth(self, error: Value) -> Value:
        """Factor of the step size for the next step, from the error estimate."""
        return SAFETY / self.eighth_root(error)

    def rejected(self) -> None:
        """Update the method's own state after a rejected step."""

    def forget(self) -> None:
        """Discard the interpolant of a step that the guards reject: the next step must not extrapolate it."""
        self.real[Real.BEFORE] = 0.0

    # -- the parts of the loop ------------------------------------------------------------------------------
    def first_step(self, t: Value) -> None:
        """A step from the sizes of y and its first two derivatives (section II.4)."""
        w, K = self.w, self.K
        d0, d1, d2 = w.cell(0.0), w.cell(0.0), w.cell(0.0)
        measured = self.integers[Integer.MEASURED]
        bound = w.select(self.real[Real.H] < 0.0, w.abs(self.real[Real.H]), self.real[Real.LARGEST])
        with w.loop(measured) as i:
            s = self.scale(i, self.y)
            a, b = self.y[i] / s, K[0][i] / s
            d0.value = d0.value + a * a
            d1.value = d1.value + b * b
        count = w.real(measured)
        d0.value, d1.value = w.sqrt(d0.value / count), w.sqrt(d1.value / count)
        small = (d0.value < 1e-5) | (d1.value < 1e-5)
        h = w.min(w.select(small, 1e-6, 0.01 * (d0.value / d1.value)), self.real[Real.LARGEST])
        self.moved({0: 1.0}, h, self.trial)
        self.rates(t + h, self.trial, K[1])
        with w.loop(measured) as i:
            b = (K[1][i] - K[0][i]) / self.scale(i, self.y)
            d2.value = d2.value + b * b
        bend = w.sqrt(d2.value / count) / h
        flat = (d1.value <= 1e-15) & (bend <= 1e-15)
        steep = self.eighth_root(0.01 / w.max(d1.value, bend))
        found = w.min(100.0 * h, w.select(flat, w.max(h * 1e-3, 1e-6), steep))
        self.real[Real.H] = w.min(found, bound)

    def stages(self, t: Value, h: Value, t_new: Value) -> None:
        """Slopes of the step, y at its end and the slope there."""
        table, count = self.table, len(self.table.stages)
        for k in range(1, count):
            self.moved(table.stages[k], h, self.trial)
            self.rates(t + table.nodes[k] * h, self.trial, self.K[k])
        self.moved(table.weights, h, self.new)
        self.rates(t_new, self.new, self.K[count])

    def error(self, h: Value) -> Value:
        """Size of the error against the tolerances: of order 5, damped where that of order 3 is larger."""
        w = self.w
        sums = [w.cell(0.0) for _ in self.table.errors]
        with w.loop(self.n) as i:
            s = self.scale(i, self.new)
            for cell, row in zip(sums, self.table.errors, strict=True):
                e = self.combined(row, i) / s
                cell.value = cell.value + e * e
        five, three = (cell.value for cell in sums)
        count = w.real(self.n)
        measured = h * five / w.sqrt((five + 0.01 * three) * count)
        return w.select(five.equals(0.0) & three.equals(0.0), 0.0, measured)

    def interpolant(self, t: Value, h: Value) -> None:
        """Rows F of y(t + x h) = y + x (F0 + (1 - x)(F1 + x (F2 + ...)))."""
        w, table, count = self.w, self.table, len(self.table.stages)
        for k, row in enumerate(table.more_stages):
            self.moved(row, h, self.trial)
            self.rates(t + table.more_nodes[k] * h, self.trial, self.K[count + 1 + k])
        with w.loop(self.n) as i:
            rise, start, end = self.new[i] - self.y[i], h * self.K[0][i], h * self.K[count][i]
            rows = [rise, start - rise, 2.0 * rise - (start + end)]
            rows += [h * self.combined(row, i) for row in table.dense]
            rows += [w.value(0.0, "double")] * (ROWS - len(rows))
            for k, x in enumerate(rows):
                self.F[self.n * k + i] = x

    def between(self, x: Value, out: Array) -> None:
        """out = y at the part x of the step."""
        rest = 1.0 - x
        with self.w.loop(self.n) as i:
            total = self.F[self.n * (ROWS - 1) + i] * x
            for k in range(ROWS - 2, -1, -1):
                total = (total + self.F[self.n * k + i]) * (x if k % 2 == 0 else rest)
            out[i] = self.y[i] + total
