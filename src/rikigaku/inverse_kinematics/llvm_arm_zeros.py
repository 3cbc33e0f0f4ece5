"""All configurations of a general arm as LLVM text: zeros of a determinant, then Newton's method.

    void solve(ptr block)

The determinant, a trigonometric polynomial of degree 8 in one joint, is sampled, and its zeros are isolated
as `trigonometric_roots` does: cells where it is monotone have one zero or none, unclear cells are divided.
Where it is small beside its largest value it is computed directly. The other joints follow from compiled
kernels, which are called with addresses in memory that `native_arm` prepares. A pose where anything stays in
doubt (a double zero, an odd number, two equal configurations, a singular one) gets a status; it is left to
`general_arm`.
"""

from enum import IntEnum

from rikigaku.integrators.llvm_writer import DECLARED, Array, Cell, Value, Writer
from rikigaku.inverse_kinematics.cut_solver import KEPT
from rikigaku.inverse_kinematics.elimination import UPPER
from rikigaku.inverse_kinematics.pose_newton import ACCEPTED, FARTHEST, FINISHED, MOST, STEPS
from rikigaku.inverse_kinematics.singular_configurations import SINGULAR, SUSPECT
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

PLANE = CELLS + 4  # values of a function at the ends of all cells; a multiple of vectors
_JOINTS = 6
_KEPT, _ROWS = 32, 8  # points of the kept joints (27) and equations (6); multiples of vectors
_SECANTS = 6
_REVOLUTION = 6.283185307179586
_NAN = float("nan")
_UNCLEAR, _DARK_CELLS, _ZEROS = 256, 64, 64  # most cells to divide, those with direct values, zeros
DIVIDED, SURROUNDED = PARTS + 1, PARTS + 5  # points of a divided cell, and with two more on either side

# Doubles of working memory. Constants come first.
CONSTANTS = {
    "kept": 6 * _KEPT, "angles": POINTS, "inverse": POINTS * POINTS, "monomials": SAMPLES * 3 * PLANE,
    "grid": PLANE,
}  # fmt: skip
WORK = {
    "functions": 14 * _KEPT, "E": 27 * _ROWS, "R": _ZEROS * UPPER,
    "samples": POINTS, "a": POINTS, "terms": 3 * PLANE, "cells": _UNCLEAR, "next": _UNCLEAR,
    "points": _UNCLEAR * DIVIDED, "f": _UNCLEAR * DIVIDED, "slope": _UNCLEAR * DIVIDED,
    "curvature": _UNCLEAR * DIVIDED, "low": _ZEROS, "high": _ZEROS, "x": _ZEROS, "zero_f": _ZEROS,
    "zero_slope": _ZEROS, "zero_curvature": _ZEROS, "dark": _DARK_CELLS, "dark_x": _DARK_CELLS * SURROUNDED,
    "dark_f": _DARK_CELLS * SURROUNDED, "left": _ZEROS,
    "right": _ZEROS, "at_left": _ZEROS, "at_right": _ZEROS, "secant": _ZEROS, "secant_f": _ZEROS,
    "others": _ZEROS * 5, "q": _ZEROS * 6, "step": _ZEROS * 6, "errors": _ZEROS * 3, "done": _ZEROS,
    "moved": _ZEROS,
}  # fmt: skip


class Slot(IntEnum):
    """Whole numbers of the block: number of poses, addresses of memory and results, then the calls."""

    POSES, MEMORY, PLACES, SCALES, Q, RESIDUAL, FOUND, STATUS = range(8)
    CALLS = 8


class Call(IntEnum):
    """Kernels that are called at a pose."""

    FUNCTIONS, EQUATIONS, SAMPLES, DIVIDED, REFINED, SLOPES, DARK, SECANT, FACTORS, JOINTS, NEWTON = range(11)


class CallSlot(IntEnum):
    """Numbers of a call: addresses of the function and its arguments.

    The first MOVING arguments are FIRST at the first pose and ADVANCE bytes further at each next one.
    """

    FUNCTION, ARGUMENTS, DIMENSIONS, STRIDES, FIRST, ADVANCE, MOVING = range(7)
    SIZE = 7


class Doubt(IntEnum):
    """Why a pose is left to the slower method (bits of its status)."""

    MANY, HIDDEN, FLAT, DARK, NEWTON, EQUAL, SINGULAR, ODD, NOISE, FAR = (1 << k for k in range(10))


class _Text:
    def __init__(self, width: int) -> None:
        self.w = w = Writer()
        self.width = width
        self.block = Array(w, "%block", "i64")
        memory = w.array(self.block[Slot.MEMORY])
        self.m: dict[str, Array] = {}
        used = 0
        for name, size in {**CONSTANTS, **WORK}.items():
            self.m[name] = memory.at(used)
            used += size
        self.status, self.brackets = w.cell(0, "i64"), w.cell(0, "i64")
        self.unclear, self.dark = w.cell(0, "i64"), w.cell(0, "i64")
        self.zeros, self.largest, self.noise = w.cell(0, "i64"), w.cell(0.0), w.cell(0.0)

    # -- parts of programs ----------------------------------------------------------------------------------
    def text(self) -> str:
        w = self.w
        with w.loop(self.block[Slot.POSES]) as pose:
            self.placed(pose)
            for cell in (self.status, self.brackets, self.unclear, self.dark, self.zeros):
                cell.value = 0
            self.sampled()
            self.scanned()
            with w.loop(LEVELS) as level, w.when(self.unclear.value > 0):
                self.divided(level)
            with w.when(self.unclear.value > 0):
                self.doubt(Doubt.HIDDEN)
            self.refined()
            with w.when(self.dark.value > 0):
                self.direct()
            with w.when(self.zeros.value > 0):
                self.configurations()
            self.stored(pose)
        w.leave_void()
        return "\n".join([DECLARED, w.function("define void @solve(ptr %block)")])

    def doubt(self, reason: Doubt) -> None:
        w = self.w
        value = self.status.value
        self.status.value = w.result("i64", f"or i64 {value.name}, {int(reason)}")

    def call(self, which: Call, count: Value) -> None:
        """A kernel over as many states as fill the vectors."""
        w = self.w
        call = self.block.at(Slot.CALLS + CallSlot.SIZE * which)
        w.array(call[CallSlot.DIMENSIONS], "i64")[0] = self.filled(count)
        slots = (CallSlot.ARGUMENTS, CallSlot.DIMENSIONS, CallSlot.STRIDES)
        w.call(w.array(call[CallSlot.FUNCTION]).pointer, *(w.array(call[k]) for k in slots), Array(w, "null"))

    def filled(self, count: Value) -> Value:
        return (count + (self.width - 1)) / self.width * self.width

    def padded(self, name: str, count: Value, size: int = 1) -> None:
        """Repeat the last row until the vectors are full."""
        w, x = self.w, self.m[name]
        with w.loop(self.filled(count), count) as k:
            for i in range(size):
                x[k * size + i] = x[(count - 1) * size + i]

    def appended(self, cell: Cell, most: int, values: dict[str, Value]) -> None:
        w = self.w
        with w.when(cell.value >= most):
            self.doubt(Doubt.MANY)
        with w.when(cell.value < most):
            for name, x in values.items():
                self.m[name][cell.value] = x
            cell.value = cell.value + 1

    def differ(self, a: Value, b: Value) -> Value:
        return (a & ~b) | (b & ~a)

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
            self.doubt(Doubt.NOISE)
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
            dark = least < SMALL * self.largest.value
            low = m["grid"][k]
            with w.when(dark):
                self.appended(self.dark, _DARK_CELLS, {"dark": low})
            with w.when(simple & ~dark):
                self.appended(self.brackets, _ZEROS, {"low": low, "high": low + WIDTH})
            with w.when(unclear & ~dark):
                self.appended(self.unclear, _UNCLEAR, {"cells": low})

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
                self.appended(self.brackets, _ZEROS, {"low": low, "high": low + h})
            with w.when(unclear):
                self.appended(self.unclear, _UNCLEAR, {"next": low})
            with w.when((least < noise) & ~simple & ~unclear):
                self.doubt(Doubt.HIDDEN)
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
                self.doubt(Doubt.FLAT)
        self.zeros.value = count

    # -- direct values --------------------------------------------------------------------------------------
    def direct(self) -> None:
        """Zeros in cells where f is small, from direct values, whose derivatives are differences."""
        w = self.w
        width, brackets = w.cell(WIDTH / PARTS), w.cell(0, "i64")
        with w.loop(DIRECT_LEVELS):
            with w.when(self.dark.value > 0):
                self.divided_directly(width.value, brackets)
            width.value = width.value * (1 / PARTS)
        with w.when(self.dark.value > 0):
            self.doubt(Doubt.DARK)
        self.secants(brackets.value)

    def divided_directly(self, h: Value, brackets: Cell) -> None:
        """All dark cells of a level divided; two points on either side serve the differences."""
        w, m = self.w, self.m
        count = self.dark.value
        with w.loop(count) as k, w.loop(SURROUNDED) as i:
            m["dark_x"][k * SURROUNDED + i] = m["dark"][k] + w.real(i - 2) * h
        self.padded("dark_x", count * SURROUNDED)
        self.call(Call.DARK, count * SURROUNDED)
        self.dark.value = 0
        with w.loop(count) as k, w.loop(PARTS) as i:
            at = k * SURROUNDED + i
            f = [m["dark_f"][at + j] for j in range(6)]
            steps, bends = zip(*(differences(f[j : j + 5]) for j in (0, 1)), strict=True)
            simple, unclear, _ = self.classified(f[2:4], list(steps), list(bends))
            low = m["dark_x"][at + 2]
            noise = [NOISE_OF_DIFFERENCES * w.abs(fourth_difference(f[j : j + 5])) for j in (0, 1)]
            with w.when(~unclear & (w.abs(f[2]) < noise[0]) & (w.abs(f[3]) < noise[1])):
                self.doubt(Doubt.NOISE)
            with w.when(simple):
                values = {"left": low, "right": low + h, "at_left": f[2], "at_right": f[3]}
                self.appended(brackets, _ZEROS, values)
            with w.when(unclear):
                self.appended(self.dark, _DARK_CELLS, {"next": low})
        with w.loop(self.dark.value) as k:
            m["dark"][k] = m["next"][k]

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
                self.appended(self.zeros, _ZEROS, {"x": x[k]})

    # -- configurations -------------------------------------------------------------------------------------
    def configurations(self) -> None:
        """All joints at each zero, Newton's method, and what may be in doubt."""
        w, m = self.w, self.m
        count = self.zeros.value
        self.padded("x", count)
        self.call(Call.FACTORS, count)
        self.call(Call.JOINTS, count)
        places = w.array(self.block[Slot.PLACES], "i64")
        with w.loop(count) as k:
            q = m["q"].at(k * _JOINTS)
            q[places[3]] = m["x"][k]
            for i, place in enumerate((0, 1, 2, 4, 5)):
                q[places[place]] = m["others"][k * 5 + i]
            m["done"][k] = m["moved"][k] = 0.0
        self.padded("q", count, _JOINTS)
        steps = w.cell(0, "i64")
        with w.repeat() as finished:
            self.call(Call.NEWTON, count)
            with w.when(steps.value >= STEPS):
                w.jump(finished)
            busy = w.cell(0.0)
            with w.loop(count) as k, w.when(m["done"][k] < 0.5):
                longest = w.cell(0.0)
                for i in range(_JOINTS):
                    at = k * _JOINTS + i
                    m["q"][at] = m["q"][at] + m["step"][at]
                    longest.value = w.max(w.abs(m["step"][at]), longest.value)
                m["done"][k] = 1.0
                m["moved"][k] = m["moved"][k] + longest.value
                with w.when(longest.value > FINISHED):
                    m["done"][k] = 0.0
                busy.value = 1.0
            with w.when(busy.value < 0.5):
                w.jump(finished)
            self.padded("q", count, _JOINTS)
            steps.value = steps.value + 1

    def stored(self, pose: Value) -> None:
        w, m = self.w, self.m
        scales = w.array(self.block[Slot.SCALES])
        q = w.array(self.block[Slot.Q]).at(pose * (MOST * _JOINTS))
        residual = w.array(self.block[Slot.RESIDUAL]).at(pose * MOST)
        found = w.array(self.block[Slot.FOUND], "i64").at(pose * MOST)
        count = self.zeros.value
        with w.when(count > MOST):
            self.doubt(Doubt.MANY)
        odd = count - count / 2 * 2
        with w.when(odd > 0):
            self.doubt(Doubt.ODD)
        kept = w.min(count, MOST)
        with w.loop(MOST, kept) as k:
            residual[k], found[k] = _NAN, 0
        with w.loop(MOST * _JOINTS, kept * _JOINTS) as k:
            q[k] = _NAN
        with w.when(self.status.value.equals(0)), w.loop(count) as k:
            errors = m["errors"].at(3 * k)
            size = w.sqrt(errors[0] * errors[0] + errors[1] * errors[1])
            with w.when(~(size < ACCEPTED)):
                self.doubt(Doubt.NEWTON)
            with w.when(~(errors[2] > SUSPECT)):
                self.doubt(Doubt.SINGULAR)
            with w.when(~(m["moved"][k] < FARTHEST)):
                self.doubt(Doubt.FAR)
            residual[k], found[k] = size, 1
            own = m["q"].at(_JOINTS * k)
            for i in range(_JOINTS):
                x = own[i]
                with w.when(scales[_JOINTS + i] > 0):  # an angle
                    own[i] = x - _REVOLUTION * self.nearest(x * (1 / _REVOLUTION))
                q[k * _JOINTS + i] = own[i] * scales[i]
            with w.loop(k) as j:
                self.compared(own, m["q"].at(_JOINTS * j), scales)
        w.array(self.block[Slot.STATUS], "i64")[pose] = self.status.value

    def compared(self, a: Array, b: Array, scales: Array) -> None:
        """A doubt where two configurations are equal."""
        w = self.w
        gap = w.cell(0.0)
        for i in range(_JOINTS):
            x = a[i] - b[i]
            turned = x - _REVOLUTION * self.nearest(x * (1 / _REVOLUTION))
            x = w.abs(w.select(scales[_JOINTS + i] > 0, turned, x))
            gap.value = w.max(x, gap.value)
        with w.when(gap.value < SINGULAR):
            self.doubt(Doubt.EQUAL)

    def nearest(self, x: Value) -> Value:
        """The nearest whole number."""
        half = x + 0.5
        return self.w.result("double", f"call double @llvm.floor.f64(double {half.name})")

    def placed(self, pose: Value) -> None:
        """Arguments of all calls that differ from pose to pose."""
        w = self.w
        for which in Call:
            call = self.block.at(Slot.CALLS + CallSlot.SIZE * which)
            slots = (CallSlot.ARGUMENTS, CallSlot.FIRST, CallSlot.ADVANCE)
            arguments, first, advance = (w.array(call[slot], "i64") for slot in slots)
            with w.loop(call[CallSlot.MOVING]) as k:
                arguments[k] = first[k] + pose * advance[k]


def arm_zeros_text(width: int) -> str:
    """@solve for vectors of that many doubles."""
    return _Text(width).text()
