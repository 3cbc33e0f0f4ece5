"""A step of the Radau IIA method of order 5 for stiff equations, as LLVM text.

The increments Z (3 n) of the stages satisfy Z = h A f(y + Z). Newton's method with the Jacobian at the step's
start solves for W = T^-1 Z, in which real and complex parts separate (see `radau`). The polynomial through
the stages is the interpolant. The Jacobian is a compiled program, or finite differences of the field.

Reference: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed., section IV.8; starting
values, stopping rule and step control as in their program RADAU5.
"""

from rikigaku.integrators.butcher_tableaus import Tableau
from rikigaku.integrators.llvm_runge_kutta import ROWS, SAFETY, Integer, Real, Step
from rikigaku.integrators.llvm_writer import Array, Value
from rikigaku.integrators.radau_coefficients import radau

NEWTON = 7  # iterations at most
# Smallest error of Newton's method that is asked for, relative to the tolerances of the step: at rest smaller
# corrections are rounding of the constraint forces.
_FINEST_NEWTON = 1e-3
_DIFFERENCE = 1.5e-8  # sqrt of the rounding error

RADAU = Tableau("radau", (0.0,), ({},), {0: 1.0}, errors=({0: 1.0},))  # K: slopes at the start and the end


def radau_memory(n: int) -> int:
    """Numbers of working memory beyond those of an explicit method."""
    return 4 * n * n + 13 * n


class RadauStep(Step):
    """An implicit step; its working memory follows that of the explicit methods."""

    def __init__(self, tableau: Tableau) -> None:
        super().__init__(tableau)
        self.method = radau()
        w, n = self.w, self.n
        at = self.g_try.at(self.guards)
        square = n * n
        self.J, at = at, at.at(square)
        self.real_system, at = at, at.at(square)
        self.re, at = at, at.at(square)
        self.im, at = at, at.at(square)
        self.Z, at = [at.at(k * n) for k in range(3)], at.at(3 * n)
        self.W, at = [at.at(k * n) for k in range(3)], at.at(3 * n)
        self.G, at = [at.at(k * n) for k in range(3)], at.at(3 * n)
        self.e, at = at, at.at(n)
        self.right, at = at, at.at(n)
        self.pivots, self.more_pivots = Array(w, at.pointer, "i64"), Array(w, at.at(n).pointer, "i64")
        self.converged, self.iterations = w.cell(0.0), w.cell(0.0)

    # -- the matrix -----------------------------------------------------------------------------------------
    def differentiate(self, t: Value) -> None:
        """J = df/dy at the start of the step, unless it is known already."""
        w, n = self.w, self.n
        with w.when(self.integers[Integer.KNOWN].equals(0)):
            with w.when(self.has_function("jacobian")):
                self.call("jacobian", t, self.y, self.J)
            with w.when(~self.has_function("jacobian")):
                self.copy(self.y, self.trial)
                with w.loop(n) as j:
                    x = self.y[j]
                    moved = x + _DIFFERENCE * w.max(w.abs(x), 1e-3)
                    self.trial[j] = moved
                    self.rates(t, self.trial, self.right)
                    self.trial[j] = x
                    with w.loop(n) as i:
                        self.J[i * n + j] = (self.right[i] - self.K[0][i]) / (moved - x)
            self.integers[Integer.KNOWN] = 1

    def factorise(self, h: Value) -> None:
        """g/h I - J and (a - i b)/h I - J as L U."""
        w, n, m = self.w, self.n, self.method
        with w.loop(n) as i, w.loop(n) as j:
            at, diagonal = i * n + j, i.equals(j)
            slope = self.J[at]
            self.real_system[at] = w.select(diagonal, m.g / h, 0.0) - slope
            self.re[at] = w.select(diagonal, m.a / h, 0.0) - slope
            self.im[at] = w.select(diagonal, -m.b / h, 0.0)
        size = f"i64 {n.name}"
        real, pivots = f"ptr {self.real_system.pointer}", f"ptr {self.pivots.pointer}"
        pair = f"ptr {self.re.pointer}, ptr {self.im.pointer}, ptr {self.more_pivots.pointer}"
        w.line(f"call void @factor_real({size}, {real}, ptr null, {pivots})")
        w.line(f"call void @factor_complex({size}, {pair})")

    def solved(self, x: Array) -> None:
        """x becomes (g/h I - J)^-1 x."""
        self.w.line(
            f"call void @solve_real(i64 {self.n.name}, ptr {self.real_system.pointer}, ptr null, "
            f"ptr {self.pivots.pointer}, ptr {x.pointer}, ptr null)"
        )

    # -- the step -------------------------------------------------------------------------------------------
    def stages(self, t: Value, h: Value, t_new: Value) -> None:
        """Newton's method for the stages; y at the end of the step."""
        w, m = self.w, self.method
        self.differentiate(t)
        self.factorise(h)
        self.guess(h)
        rtol = self.real[Real.RTOL]
        tolerance = w.max(w.min(w.sqrt(rtol), 0.03), w.max(2.3e-15 / rtol, _FINEST_NEWTON))
        before, rate = w.cell(0.0), w.cell(0.0)
        self.converged.value, self.iterations.value = 0.0, 0.0
        with w.repeat() as done:
            with w.when(self.iterations.value >= float(NEWTON)):
                w.jump(done)
            for k in range(3):
                with w.loop(self.n) as i:
                    self.trial[i] = self.y[i] + self.Z[k][i]
                self.rates(t + m.nodes[k] * h, self.trial, self.G[k])
            size = self.corrected(h)
            self.iterations.value = self.iterations.value + 1.0
            with w.when(before.value > 0.0):
                rate.value = size / before.value
                left = w.cell(1.0)
                with w.loop(NEWTON) as later:
                    count = w.real(later)
                    more = count < NEWTON - self.iterations.value
                    left.value = w.select(more, left.value * rate.value, left.value)
                late = (rate.value / (1.0 - rate.value)) * left.value * size > tolerance
                with w.when((rate.value >= 1.0) | late):
                    w.jump(done)
            self.increments()
            close = (before.value > 0.0) & ((rate.value / (1.0 - rate.value)) * size < tolerance)
            with w.when(close | size.equals(0.0)):
                self.converged.value = 1.0
                w.jump(done)
            with w.when(~(size < 1e300)):  # not finite
                w.jump(done)
            before.value = size
        with w.loop(self.n) as i:
            self.new[i] = self.y[i] + self.Z[2][i]

    def guess(self, h: Value) -> None:
        """Start values of Z: the interpolant of the step before, extrapolated; zero where there is none."""
        w, n, m = self.w, self.n, self.method
        ratio = h / self.real[Real.BEFORE]
        follows = self.real[Real.BEFORE] > 0.0
        with w.loop(n) as i:
            for k in range(3):
                x = 1.0 + m.nodes[k] * ratio
                total = ((self.F[2 * n + i] * x + self.F[n + i]) * (1.0 - x) + self.F[i]) * x
                self.Z[k][i] = w.select(follows, total - self.F[i], 0.0)
            for k, row in enumerate(m.inverse):
                self.W[k][i] = row[0] * self.Z[0][i] + row[1] * self.Z[1][i] + row[2] * self.Z[2][i]

    def corrected(self, h: Value) -> Value:
        """One iteration on W with the slopes G; the size of the correction against the tolerances."""
        w, n, m = self.w, self.n, self.method
        g, a, b = m.g / h, m.a / h, m.b / h
        with w.loop(n) as i:
            x, y, z = (self.G[k][i] for k in range(3))
            f = [row[0] * x + row[1] * y + row[2] * z for row in m.inverse]
            u, p, q = (self.W[k][i] for k in range(3))
            self.G[0][i] = f[0] - g * u
            self.G[1][i] = f[1] - (a * p + b * q)
            self.G[2][i] = f[2] - (a * q - b * p)
        self.solved(self.G[0])
        w.line(
            f"call void @solve_complex(i64 {n.name}, ptr {self.re.pointer}, ptr {self.im.pointer}, "
            f"ptr {self.more_pivots.pointer}, ptr {self.G[1].pointer}, ptr {self.G[2].pointer})"
        )
        total = w.cell(0.0)
        with w.loop(n) as i:
            s = self.scale(i, self.y)
            for k in range(3):
                part = self.G[k][i] / s
                total.value = total.value + part * part
        count = w.real(n)
        return w.sqrt(total.value / (3.0 * count))

    def increments(self) -> None:
        """W with the correction, and Z = T W."""
        with self.w.loop(self.n) as i:
            W = []
            for k in range(3):
                W.append(self.W[k][i] + self.G[k][i])
                self.W[k][i] = W[k]
            for k, row in enumerate(self.method.T):
                self.Z[k][i] = row[0] * W[0] + row[1] * W[1] + row[2] * W[2]

    def error(self, h: Value) -> Value:
        """Error estimate of order 3, filtered by the step's matrix; NaN where Newton's method failed."""
        w = self.w
        weights = self.method.error
        with w.loop(self.n) as i:
            self.right[i] = sum(
                (c * self.Z[k][i] for k, c in enumerate(weights[1:], 1)), start=weights[0] * self.Z[0][i]
            ) / h  # fmt: skip
            self.e[i] = self.right[i] + self.K[0][i]
        self.solved(self.e)
        size = w.cell(self.size_of_error())
        again = (size.value > 1.0) & ((self.integers[Integer.FRESHLY] > 0) | (self.real[Real.BEFORE] <= 0.0))
        with w.when(
            again & (self.converged.value > 0.0)
        ):  # large only because stiff components start away from the smooth solution
            with w.loop(self.n) as i:
                self.trial[i] = self.y[i] + self.e[i]
            self.rates(self.real[Real.T], self.trial, self.e)
            with w.loop(self.n) as i:
                self.e[i] = self.e[i] + self.right[i]
            self.solved(self.e)
            size.value = self.size_of_error()
        return w.select(self.converged.value > 0.0, size.value, float("nan"))

    def size_of_error(self) -> Value:
        w = self.w
        total = w.cell(0.0)
        with w.loop(self.n) as i:
            part = self.e[i] / self.scale(i, self.new)
            total.value = total.value + part * part
        return w.sqrt(total.value / w.real(self.n))

    def growth(self, error: Value) -> Value:
        """Factor for the next step; one half where Newton's method failed."""
        w = self.w
        slow = SAFETY * (2 * NEWTON + 1) / (2.0 * NEWTON + self.iterations.value)
        return w.select(self.converged.value > 0.0, slow / w.sqrt(w.sqrt(error)), 0.5)

    def rejected(self) -> None:
        self.integers[Integer.FRESHLY] = 1

    def interpolant(self, t: Value, h: Value) -> None:
        """The polynomial of degree 3 through the stages, and the slope at the end."""
        w, n, (c1, c2, _) = self.w, self.n, self.method.nodes
        self.rates(t + h, self.new, self.K[1])
        with w.loop(n) as i:
            rise = self.Z[2][i]
            first, second = ((self.Z[k][i] / c - rise) / (1.0 - c) for k, c in enumerate((c1, c2)))
            bend = (second - first) / (c2 - c1)
            rows = [rise, first - c1 * bend, bend] + [w.value(0.0, "double")] * (ROWS - 3)
            for k, x in enumerate(rows):
                self.F[n * k + i] = x
        self.real[Real.BEFORE] = h
        self.integers[Integer.KNOWN] = 0
        self.integers[Integer.FRESHLY] = 0
