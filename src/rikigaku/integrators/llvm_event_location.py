"""Event location along a step, as LLVM text: zero crossings of guards, by sampling and bracketing.

Guards are sampled four times a step. Where the parabola through three samples has its extremum between two of
them, the guard is evaluated there too, so that a pair of crossings between two samples is found; not where
the samples are so far from zero, against their range, that the polynomial through them has no zero. A step is
rejected where the fourth difference of the samples is large against their distance from zero: the samples do
not determine the guard between them. Guards therefore bound the step size, as the integration error does. A
body at rest has no integration error, and yet the start of its motion must be found.
"""

from math import prod

from rikigaku.integrators.llvm_runge_kutta import GUARD_SAMPLES, Integer, Real, Step
from rikigaku.integrators.llvm_writer import Array, Cell, Value

_SAMPLE_FRACTIONS = (
    0.0,
    0.237,
    0.5,
    0.783,
    1.0,
)  # of the samples: uneven, so that no period of a guard fits
_DIFFERENCE = [24 / 4**4 / prod(a - b for b in _SAMPLE_FRACTIONS if b != a) for a in _SAMPLE_FRACTIONS]
_FINEST = 1e-5  # of the largest step: guards reject no shorter step
_ITERATIONS, _SECANTS = 100, 3  # of the location of an event, and secants between two bisections
_NARROWEST = 2.0**-51  # fraction of a step
_EXTREMUM_SEARCHES = 3  # parabolic steps towards the extremum of a guard
# The polynomial through the samples leaves their range by less than half of it (Lebesgue constant below 2).
_OVERSHOOT = 0.5


class GuardedStep(Step):
    """A step with the guards of a contact mode along it."""

    def has(self, i: Value, bit: int) -> Value:
        """Whether guard i has a property: 1 falling, 2 rising, 4 terminal (ends the mode), 8 sinking."""
        masked = self.w.result("i64", f"and i64 {self.kinds[i].name}, {bit}")
        return ~masked.equals(0)

    def has_event(self, i: Value, g: Array, slack: Value | float) -> Value:
        """Whether guard i has an event between g_old and g: it crosses zero falling or rising, or it sinks.

        A guard at or below zero sinks where it falls by the slack below its highest value so far, g_old.
        """
        old, new = self.g_old[i], g[i]
        falls = (old > 0.0) & (new <= 0.0) & self.has(i, 1)
        sinks = (old <= 0.0) & (new < old - slack) & self.has(i, 8)
        return falls | sinks | ((old < 0.0) & (new >= 0.0) & self.has(i, 2))

    def begin(self, t: Value) -> None:
        """Guards at the start of a contact mode; one whose event has just occurred is inactive near zero.

        So is a guard within its slack above zero, where rounding decides the sign.
        """
        w = self.w
        self.call("guards", t, self.y, self.g_old)
        with w.loop(self.guards) as i:
            low = w.select(self.has(i, 8), w.min(self.g_old[i], 0.0), 0.0)
            near = self.has(i, 8) & (self.g_old[i] < self.slacks[i])
            self.g_old[i] = w.select(self.armed[i].equals(0) | near, low, self.g_old[i])
            self.armed[i] = 1

    def guarded(self, x: Value, t: Value, out: Array) -> None:
        """The guards at the fraction x of the step, at the state projected onto the constraints."""
        w = self.w
        self.between(x, self.trial)
        with w.when(self.has_function("project")):
            self.call("project", t, self.trial, self.projected)
            self.copy(self.projected, self.trial)
        self.call("guards", t, self.trial, out)

    def located(self, i: Value, low: Value, high: Value, t: Value, h: Value) -> Value:
        """The fraction of the step where guard i crosses zero, by the Illinois method with bisections.

        Where it begins to sink is found by bisection alone.
        """
        w = self.w
        a, b = w.cell(low), w.cell(high)
        old, new = self.g_old[i], self.g_new[i]
        g_a, g_b, last = w.cell(old), w.cell(new), w.cell(0.0)  # last: the end that moved last
        crosses = (old > 0.0) | ((old < 0.0) & (new >= 0.0))
        bisected = w.cell(0, "i64")  # secants since the last bisection
        with w.loop(_ITERATIONS), w.when(b.value - a.value > 2 * _NARROWEST):
            secant = b.value - g_b.value * ((b.value - a.value) / (g_b.value - g_a.value))
            near = w.max(w.min(secant, b.value - _NARROWEST), a.value + _NARROWEST)
            ordinary = crosses & (bisected.value < _SECANTS) & (secant >= a.value) & (secant <= b.value)
            x = w.select(ordinary, near, 0.5 * (a.value + b.value))
            bisected.value = w.select(ordinary, bisected.value + 1, 0)
            self.guarded(x, t + x * h, self.g_try)
            g, passed = self.g_try[i], self.has_event(i, self.g_try, 0.0)
            again = w.select(passed, last.value > 0.0, last.value < 0.0)
            kept = w.select(again, 0.5, w.value(1.0, "double"))
            g_a.value, g_b.value = (
                w.select(passed, kept * g_a.value, g),
                w.select(passed, g, kept * g_b.value),
            )
            a.value, b.value = w.select(passed, a.value, x), w.select(passed, x, b.value)
            last.value = w.select(passed, 1.0, w.value(-1.0, "double"))
        return b.value

    def sample(self, t: Value, h: Value, t_new: Value) -> None:
        """Sample the guards along the step."""
        w = self.w
        with w.loop(self.guards) as i:
            self.samples[i] = self.g_old[i]
        with w.loop(GUARD_SAMPLES, 1) as k:
            x = self.sample_fraction(k)
            self.guarded(x, t + x * h, self.samples.at(k * self.guards))
        self.guarded(w.value(1.0, "double"), t_new, self.samples.at(GUARD_SAMPLES * self.guards))

    def sample_fraction(self, k: Value) -> Value:
        """The fraction of the step at sample k."""
        x = self.w.value(_SAMPLE_FRACTIONS[-1], "double")
        for j, fraction in reversed(list(enumerate(_SAMPLE_FRACTIONS[:-1]))):
            x = self.w.select(k.equals(j), fraction, x)
        return x

    def sampling_error(self, h: Value) -> Value:
        """Fourth difference of the samples over their distance from zero: the largest of the guards that keep
        their sign."""
        w = self.w
        worst = w.cell(0.0)
        with w.loop(self.guards) as i:
            values = [self.samples[k * self.guards + i] for k in range(GUARD_SAMPLES + 1)]
            bend = sum((c * y for c, y in zip(_DIFFERENCE[1:], values[1:], strict=True)),
                       start=_DIFFERENCE[0] * values[0])  # fmt: skip
            sign = w.select(values[1] > 0.0, 1.0, w.value(-1.0, "double"))
            least, most = sign * values[1], sign * values[1]
            for y in values[2:]:
                least, most = w.min(sign * y, least), w.max(sign * y, most)
            left = least + self.slacks[i] + 1e-9 * most
            worst.value = w.select(least > 0.0, w.max(w.abs(bend) / left, worst.value), worst.value)
        fine = h < _FINEST * self.real[Real.LARGEST]
        return w.select(fine, 0.0, worst.value)

    def first_terminal_event(self, t: Value, h: Value) -> Value:
        """Record the events along the sampled step; the fraction at the first terminal event, or 2."""
        w = self.w
        end = w.cell(2.0)
        with w.repeat() as done:
            with w.loop(GUARD_SAMPLES) as k:
                low, high = self.sample_fraction(k), self.sample_fraction(k + 1)
                crossing = self.hidden_crossing(k, low, high, t, h)
                before = w.cell(low)
                with w.repeat() as through:
                    after = w.select(before.value < crossing, crossing, high)
                    with w.when(after < high):
                        self.guarded(after, t + after * h, self.g_new)
                    with w.when(after >= high), w.loop(self.guards) as i:
                        self.g_new[i] = self.samples[(k + 1) * self.guards + i]
                    self.locate_events(before.value, after, t, h, end)
                    with w.when(end.value <= 1.0):
                        w.jump(done)
                    before.value = after
                    with w.when(after >= high):
                        w.jump(through)
            w.jump(done)
        return end.value

    def locate_events(self, low: Value, high: Value, t: Value, h: Value, end: Cell) -> None:
        """Events between two fractions of the step: terminal ones first, then the others before these."""
        w = self.w
        for ending in (True, False):
            with w.loop(self.guards) as i:
                counts = self.has(i, 4)
                passed = self.has_event(i, self.g_new, self.slack(i))
                with w.when(passed & (counts if ending else ~counts)), w.repeat() as over:
                    if ending:
                        with w.when(end.value <= 1.0):  # an event after the first one is not located
                            self.guarded(end.value, t + end.value * h, self.g_try)
                            with w.when(~self.has_event(i, self.g_try, 0.0)):
                                w.jump(over)
                    x = self.located(i, low, high, t, h)
                    if ending:
                        with w.when(x < end.value):
                            with w.loop(self.guards) as j:
                                self.armed[j] = 1
                            end.value = x
                        with w.when(x <= end.value):
                            self.armed[i] = 0
                    else:
                        with w.when(x <= end.value):
                            self.record_event(i, t + x * h)
                    w.jump(over)
        with w.loop(self.guards) as i:
            old, new = self.g_old[i], self.g_new[i]
            low_still = (old <= 0.0) & (new <= 0.0) & self.has(i, 8)
            self.g_old[i] = w.select(low_still, w.max(old, new), new)

    def slack(self, i: Value) -> Value:
        """How far guard i may fall below its start without an event.

        Methods of fixed step have an error of their own: a guard that should grow as t^2 may fall at first.
        A fall below the second difference of the guard is taken as that error, unless the guard rises first.
        """
        if self.table.errors:
            return self.slacks[i]
        samples = (0, GUARD_SAMPLES // 2, GUARD_SAMPLES)
        first, middle, last = (self.samples[k * self.guards + i] for k in samples)
        bend, slope = first - 2.0 * middle + last, 4.0 * middle - 3.0 * first - last
        return self.slacks[i] + self.w.select(slope > 0.0, 0.0, self.w.abs(bend))

    def hidden_crossing(self, k: Value, low: Value, high: Value, t: Value, h: Value) -> Value:
        """A fraction between two samples of one sign where a guard has the other sign; `high` if none."""
        w = self.w
        found = w.cell(high)
        first = w.select(w.real(k) < GUARD_SAMPLES / 2, 0, w.value(GUARD_SAMPLES - 2, "i64"))
        with w.loop(self.guards) as i:
            y0, y1, y2 = (self.samples[(first + j) * self.guards + i] for j in range(3))
            a, b = self.samples[k * self.guards + i], self.samples[(k + 1) * self.guards + i]
            sign = w.select(a > 0.0, 1.0, w.value(-1.0, "double"))
            x0, x1, x2 = (self.sample_fraction(first + j) for j in range(3))
            left, right = (x1 - x0) * (y1 - y2), (x1 - x2) * (y1 - y0)
            x = w.cell(x1 - 0.5 * ((x1 - x0) * left - (x1 - x2) * right) / (left - right))
            dips = sign * (left - right) < 0.0  # y1 below the chord, on the side of zero
            dips = dips & (w.min(sign * a, sign * b) > 0.0) & self.may_vanish(i, sign)
            with w.when(dips), w.repeat() as over:
                with w.loop(_EXTREMUM_SEARCHES):
                    with w.when(~((x.value > low) & (x.value < high))):
                        w.jump(over)
                    self.guarded(x.value, t + x.value * h, self.g_try)
                    y = self.g_try[i]
                    with w.when(sign * y <= 0.0):
                        found.value = w.min(x.value, found.value)
                        w.jump(over)
                    left, right = x.value - low, x.value - high
                    p, q = left * (y - b), right * (y - a)
                    x.value = x.value - 0.5 * (left * p - right * q) / (p - q)
                w.jump(over)
        return found.value

    def may_vanish(self, i: Value, sign: Value) -> Value:
        """Whether the polynomial through the samples of guard i, most of that sign, may have a zero."""
        w = self.w
        values = [sign * self.samples[k * self.guards + i] for k in range(GUARD_SAMPLES + 1)]
        least, most = values[0], values[0]
        for y in values[1:]:
            least, most = w.min(y, least), w.max(y, most)
        return ~(least > _OVERSHOOT * (most - least))

    def record_event(self, i: Value, t: Value) -> None:
        noted, count = Array(self.w, "%noted"), self.integers[Integer.NOTED]
        noted[2 * count] = self.w.real(i)
        noted[2 * count + 1] = t
        self.integers[Integer.NOTED] = count + 1
