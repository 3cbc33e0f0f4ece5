"""Zeros of the determinant of an elimination as LLVM text.

It is a trigonometric polynomial of degree 8 in one joint. It is sampled, and its zeros are isolated as
`trigonometric_roots` does: cells where it is monotone have one zero or none, unclear cells are divided. Where
it is small beside its largest value it is computed directly.
"""

from rikigaku.integrators.llvm_writer import Cell, Value
from rikigaku.inverse_kinematics.cut_solver import KEPT
from rikigaku.inverse_kinematics.llvm_pose_writer import PoseWriter
from rikigaku.inverse_kinematics.native_arm_block import (
    DIVIDED,
    MOST_SMALL_CELLS,
    MOST_UNCLEAR,
    MOST_ZEROS,
    PLANE,
    SURROUNDED,
    Call,
    Fallback,
)
from rikigaku.inverse_kinematics.trigonometric_roots import (
    CELLS,
    DIRECT_LEVELS,
    FLAT,
    LEVELS,
    NOISE,
    NOISE_OF_DIFFERENCES,
    NOISE_OF_VALUES,
    PARTS,
    POINTS,
    SAMPLES,
    SMALL,
    WIDTH,
    differences,
    fourth_difference,
)

_SECANTS = 6


class DeterminantZeros(PoseWriter):
    """Zeros of the determinant at a pose, stored in `x`."""

    def isolated(self) -> None:
        """All zeros at a pose."""
        w = self.w
        self.sampled()
        self.scanned()
        with w.loop(LEVELS) as level, w.when(self.unclear.value > 0):
            self.divided(level)
        with w.when(self.unclear.value > 0):
            self.flag(Fallback.HIDDEN)
        self.refined()
        with w.when(self.small.value > 0):
            self.direct()

    def sampled(self) -> None:
        """Coefficients from samples; f, f' h and f'' h^2 at the ends of all cells."""
        w, m = self.w, self.m
        self.call(Call.FUNCTIONS, w.value(KEPT, "i64"))
        self.call(Call.EQUATIONS, w.value(6, "i64"))
        self.call(Call.SAMPLES, w.value(POINTS, "i64"))
        with w.loop(POINTS) as i:
            m["a"][i] = w.dot(POINTS, m["inverse"].at(i * POINTS), m["samples"])
        with w.loop(3 * PLANE) as i:
            m["terms"][i] = 0.0
        with w.loop(SAMPLES) as i:
            w.add_multiple(m["terms"], 3 * PLANE, m["a"][i], m["monomials"].at(i * (3 * PLANE)))
        self.largest.value = 0.0
        with w.loop(CELLS) as i:
            self.largest.value = w.max(w.abs(m["terms"][i]), self.largest.value)
        beyond = w.cell(0.0)  # the largest coefficient of higher degree: rounding errors
        with w.loop(POINTS, SAMPLES) as i:
            beyond.value = w.max(w.abs(m["a"][i]), beyond.value)
        noise = NOISE_OF_VALUES * beyond.value
        with w.when(~(noise < SMALL * self.largest.value)):
            self.flag(Fallback.NOISE)
        self.noise.value = w.max(noise, NOISE * self.largest.value)

    def classified(self, f: list[Value], step: list[Value], bend: list[Value]) -> tuple[Value, Value, Value]:
        """Whether a cell has one zero, whether it is unclear, and the smaller |f| of its ends."""
        w = self.w
        size, steep = [w.abs(x) for x in f], [w.abs(x) for x in step]
        bent = w.max(w.abs(bend[0]), w.abs(bend[1]))
        least = w.min(size[0], size[1])
        monotone = ~self.differ(step[0] > 0, step[1] > 0) & (w.min(steep[0], steep[1]) > 0.5 * bent)
        changes = self.differ(f[0] > 0, f[1] > 0)
        loss = 0.5 * w.max(steep[0], steep[1]) + 0.25 * bent
        return changes & monotone, (changes | (least < loss)) & ~monotone, least

    def scanned(self) -> None:
        w, m = self.w, self.m
        with w.loop(CELLS) as k:
            parts = [[m["terms"][k + (i * PLANE + j)] for j in (0, 1)] for i in range(3)]
            simple, unclear, least = self.classified(*parts)
            small = least < SMALL * self.largest.value
            low = m["grid"][k]
            with w.when(small):
                self.appended(self.small, MOST_SMALL_CELLS, {"small": low})
            with w.when(simple & ~small):
                self.appended(self.brackets, MOST_ZEROS, {"low": low, "high": low + WIDTH})
            with w.when(unclear & ~small):
                self.appended(self.unclear, MOST_UNCLEAR, {"cells": low})

    def divided(self, level: Value) -> None:
        """All unclear cells of a level divided into parts."""
        w, m = self.w, self.m
        width = w.cell(WIDTH / PARTS)
        with w.loop(level):
            width.value = width.value * (1 / PARTS)
        count = self.unclear.value
        with w.loop(count) as k, w.loop(DIVIDED) as i:
            m["points"][k * DIVIDED + i] = m["cells"][k] + w.real(i) * width.value
        self.padded("points", count * DIVIDED)
        self.call(Call.DIVIDED, count * DIVIDED)
        self.unclear.value = 0
        h = width.value
        noise = self.noise.value
        with w.loop(count) as k, w.loop(PARTS) as i:
            at = k * DIVIDED + i
            f, slope, curvature = ([m[name][at + j] for j in (0, 1)] for name in ("f", "slope", "curvature"))
            simple, unclear, least = self.classified(
                f, [h * x for x in slope], [h * h * x for x in curvature]
            )
            low = m["points"][at]
            with w.when(simple):
                self.appended(self.brackets, MOST_ZEROS, {"low": low, "high": low + h})
            with w.when(unclear):
                self.appended(self.unclear, MOST_UNCLEAR, {"next": low})
            with w.when((least < noise) & ~simple & ~unclear):
                self.flag(Fallback.HIDDEN)
        with w.loop(self.unclear.value) as k:
            m["cells"][k] = m["next"][k]

    def refined(self) -> None:
        """Zeros within the brackets, and their slopes."""
        w, m = self.w, self.m
        count = self.brackets.value
        with w.when(count > 0):
            self.padded("low", count)
            self.padded("high", count)
            self.call(Call.REFINED, count)
            self.call(Call.SLOPES, count)
            flat = FLAT * self.largest.value
            with w.loop(count) as k, w.when(~(w.abs(m["zero_slope"][k]) > flat)):
                self.flag(Fallback.FLAT)
        self.zeros.value = count

    # -- direct values --------------------------------------------------------------------------------------
    def direct(self) -> None:
        """Zeros in cells where f is small, from direct values, whose derivatives are differences."""
        w = self.w
        width, brackets = w.cell(WIDTH / PARTS), w.cell(0, "i64")
        with w.loop(DIRECT_LEVELS):
            with w.when(self.small.value > 0):
                self.divided_directly(width.value, brackets)
            width.value = width.value * (1 / PARTS)
        with w.when(self.small.value > 0):
            self.flag(Fallback.SMALL)
        self.secants(brackets.value)

    def divided_directly(self, h: Value, brackets: Cell) -> None:
        """All cells where f is small, of a level divided; two points on either side serve the differences."""
        w, m = self.w, self.m
        count = self.small.value
        with w.loop(count) as k, w.loop(SURROUNDED) as i:
            m["small_x"][k * SURROUNDED + i] = m["small"][k] + w.real(i - 2) * h
        self.padded("small_x", count * SURROUNDED)
        self.call(Call.SMALL, count * SURROUNDED)
        self.small.value = 0
        with w.loop(count) as k, w.loop(PARTS) as i:
            at = k * SURROUNDED + i
            f = [m["small_f"][at + j] for j in range(6)]
            steps, bends = zip(*(differences(f[j : j + 5]) for j in (0, 1)), strict=True)
            simple, unclear, _ = self.classified(f[2:4], list(steps), list(bends))
            low = m["small_x"][at + 2]
            noise = [NOISE_OF_DIFFERENCES * w.abs(fourth_difference(f[j : j + 5])) for j in (0, 1)]
            with w.when(~unclear & (w.abs(f[2]) < noise[0]) & (w.abs(f[3]) < noise[1])):
                self.flag(Fallback.NOISE)
            with w.when(simple):
                values = {"left": low, "right": low + h, "at_left": f[2], "at_right": f[3]}
                self.appended(brackets, MOST_ZEROS, values)
            with w.when(unclear):
                self.appended(self.small, MOST_SMALL_CELLS, {"next": low})
        with w.loop(self.small.value) as k:
            m["small"][k] = m["next"][k]

    def secants(self, count: Value) -> None:
        """The Illinois variant of the secant method in all brackets; the zeros follow the others."""
        w, m = self.w, self.m
        a, b, fa, fb, x, fx = (m[k] for k in ("left", "right", "at_left", "at_right", "secant", "secant_f"))
        with w.when(count > 0):
            with w.loop(_SECANTS):
                with w.loop(count) as k:
                    x[k] = (a[k] * fb[k] - b[k] * fa[k]) / (fb[k] - fa[k])
                self.padded("secant", count)
                self.call(Call.SECANT, count)
                with w.loop(count) as k:
                    right = ~self.differ(fx[k] > 0, fb[k] > 0)
                    fa[k], fb[k] = (
                        w.select(right, 0.5 * fa[k], fx[k]),
                        w.select(right, fx[k], 0.5 * fb[k]),
                    )
                    a[k], b[k] = w.select(right, a[k], x[k]), w.select(right, x[k], b[k])
            with w.loop(count) as k:
                self.appended(self.zeros, MOST_ZEROS, {"x": x[k]})
