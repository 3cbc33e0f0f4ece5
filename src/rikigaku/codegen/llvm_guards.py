"""Guards watched along a step, as LLVM text: where functions of the state pass zero, to the last bit.

Guards are sampled four times a step. Where the parabola through three samples turns between two of them the
guard is asked there too, so that a pair of passages between is seen as well. A step is refused where the
samples bend more than a cubic does (by their fourth difference) as against what is left to zero: there they
do not tell what happens between. So the guards bound the steps, as the error of the motion does: a body at
rest has none, and yet must see the force that moves it.
"""

from math import prod

from rikigaku.codegen.llvm_step import GUARD_SAMPLES, Real, Step, Whole
from rikigaku.codegen.llvm_writer import Array, Cell, Value

_PLACES = (0.0, 0.237, 0.5, 0.783, 1.0)  # of the samples: not evenly, lest a period fit them
_DIFFERENCE = [24 / 4**4 / prod(a - b for b in _PLACES if b != a) for a in _PLACES]  # the fourth
_FINEST = 1e-5  # of the longest step: no shorter ones are asked for by guards
_BISECTIONS = 60
_TURNS = 3  # how often the place where a guard turns is looked for


class Watch(Step):
    """The guards of a mode along a step."""

    def has(self, i: Value, bit: int) -> Value:
        """Kinds are sums of 1 (falling counts), 2 (rising counts), 4 (the mode ends), 8 (sinking counts)."""
        masked = self.w.result("i64", f"and i64 {self.kinds[i].name}, {bit}")
        return ~masked.equals(0)

    def passes(self, i: Value, g: Array, slack: Value | float) -> Value:
        """Whether guard i passes zero from g_old to g in a way that counts.

        Where sinking counts and the guard was not above zero, g_old is the highest it was: it must not fall
        below that by the slack.
        """
        old, new = self.g_old[i], g[i]
        falls = (old > 0.0) & (new <= 0.0) & self.has(i, 1)
        sinks = (old <= 0.0) & (new < old - slack) & self.has(i, 8)
        return falls | sinks | ((old < 0.0) & (new >= 0.0) & self.has(i, 2))

    def begin(self, t: Value) -> None:
        """Guards at the start of a mode: one that has just fired waits until it leaves zero."""
        w = self.w
        self.call("guards", t, self.y, self.g_old)
        with w.loop(self.guards) as i:
            low = w.select(self.has(i, 8), w.min(self.g_old[i], 0.0), 0.0)
            self.g_old[i] = w.select(self.armed[i].equals(0), low, self.g_old[i])
            self.armed[i] = 1

    def guarded(self, x: Value, t: Value, out: Array) -> None:
        """The guards at the part x of the step, at a state that is settled: as events and outputs are."""
        w = self.w
        self.between(x, self.trial)
        with w.when(self.given("settle")):
            self.call("settle", t, self.trial, self.settled)
            self.copy(self.settled, self.trial)
        self.call("guards", t, self.trial, out)

    def located(self, i: Value, low: Value, high: Value, t: Value, h: Value) -> Value:
        """The part of the step where guard i has just passed zero, to the last bit; where it sinks, the part
        from which on it does: a flight from zero back to zero ends there, however short it is."""
        w = self.w
        a, b = w.cell(low), w.cell(high)
        with w.loop(_BISECTIONS):
            middle = 0.5 * (a.value + b.value)
            self.guarded(middle, t + middle * h, self.g_try)
            passed = self.passes(i, self.g_try, 0.0)
            b.value, a.value = w.select(passed, middle, b.value), w.select(passed, a.value, middle)
        return b.value

    def sample(self, t: Value, h: Value, t_new: Value) -> None:
        """Guards along the step."""
        w = self.w
        with w.loop(self.guards) as i:
            self.samples[i] = self.g_old[i]
        with w.loop(GUARD_SAMPLES, 1) as k:
            x = self.place(k)
            self.guarded(x, t + x * h, self.samples.at(k * self.guards))
        self.guarded(w.value(1.0, "double"), t_new, self.samples.at(GUARD_SAMPLES * self.guards))

    def place(self, k: Value) -> Value:
        """Of sample k."""
        x = self.w.value(_PLACES[-1], "double")
        for j, place in reversed(list(enumerate(_PLACES[:-1]))):
            x = self.w.select(k.equals(j), place, x)
        return x

    def bends(self, h: Value) -> Value:
        """How much the samples bend beyond a cubic, against what is left to zero: the largest of all guards
        that keep their sign."""
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

    def watch(self, t: Value, h: Value) -> Value:
        """Note passages along the sampled step; the part of the step where the mode ends, or 2."""
        w = self.w
        end = w.cell(2.0)
        with w.repeat() as done:
            with w.loop(GUARD_SAMPLES) as k:
                low, high = self.place(k), self.place(k + 1)
                turn = self.turning(k, low, high, t, h)
                before = w.cell(low)
                with w.repeat() as through:
                    after = w.select(before.value < turn, turn, high)
                    with w.when(after < high):
                        self.guarded(after, t + after * h, self.g_new)
                    with w.when(after >= high), w.loop(self.guards) as i:
                        self.g_new[i] = self.samples[(k + 1) * self.guards + i]
                    self.compare(before.value, after, t, h, end)
                    with w.when(end.value <= 1.0):
                        w.jump(done)
                    before.value = after
                    with w.when(after >= high):
                        w.jump(through)
            w.jump(done)
        return end.value

    def compare(self, low: Value, high: Value, t: Value, h: Value, end: Cell) -> None:
        """Passages between two parts of the step: those that end the mode first, then others up to there."""
        w = self.w
        for ending in (True, False):
            with w.loop(self.guards) as i:
                counts = self.has(i, 4)
                passed = self.passes(i, self.g_new, self.slack(i))
                with w.when(passed & (counts if ending else ~counts)):
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
                            self.note(i, t + x * h)
        with w.loop(self.guards) as i:
            old, new = self.g_old[i], self.g_new[i]
            low_still = (old <= 0.0) & (new <= 0.0) & self.has(i, 8)
            self.g_old[i] = w.select(low_still, w.max(old, new), new)

    def slack(self, i: Value) -> Value:
        """What guard i may sink where it starts.

        Steps of one length are as wrong as they are: what begins to slide as t^2 does slides back by them at
        first. What sinks by no more than the guard bends within the step is the step's own error, unless it
        rises first: a hop shorter than the step.
        """
        if self.table.errors:
            return self.slacks[i]
        places = (0, GUARD_SAMPLES // 2, GUARD_SAMPLES)
        first, middle, last = (self.samples[k * self.guards + i] for k in places)
        bend, slope = first - 2.0 * middle + last, 4.0 * middle - 3.0 * first - last
        return self.slacks[i] + self.w.select(slope > 0.0, 0.0, self.w.abs(bend))

    def turning(self, k: Value, low: Value, high: Value, t: Value, h: Value) -> Value:
        """Where, between two samples of one sign, a guard has the other; `high` where none is found to."""
        w = self.w
        found = w.cell(high)
        first = w.select(w.real(k) < GUARD_SAMPLES / 2, 0, w.value(GUARD_SAMPLES - 2, "i64"))
        with w.loop(self.guards) as i:
            y0, y1, y2 = (self.samples[(first + j) * self.guards + i] for j in range(3))
            a, b = self.samples[k * self.guards + i], self.samples[(k + 1) * self.guards + i]
            sign = w.select(a > 0.0, 1.0, w.value(-1.0, "double"))
            x0, x1, x2 = (self.place(first + j) for j in range(3))
            left, right = (x1 - x0) * (y1 - y2), (x1 - x2) * (y1 - y0)
            x = w.cell(x1 - 0.5 * ((x1 - x0) * left - (x1 - x2) * right) / (left - right))
            dips = sign * (left - right) < 0.0  # y1 below the chord, on the side of zero
            with w.when((w.min(sign * a, sign * b) > 0.0) & dips), w.repeat() as over:
                with w.loop(_TURNS):
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

    def note(self, i: Value, t: Value) -> None:
        noted, count = Array(self.w, "%noted"), self.whole[Whole.NOTED]
        noted[2 * count] = self.w.real(i)
        noted[2 * count + 1] = t
        self.whole[Whole.NOTED] = count + 1
