"""Real zeros of trigonometric polynomials f(x) = a_0 + sum a_k cos kx + b_k sin kx, for batches.

Cells of a grid where f is monotone have one zero or none. Cells where it may reach zero otherwise are
divided, and again; a part that stays unclear has a double zero. Where f is small beside its largest value,
the coefficients hold rounding errors only; there f is computed directly.

Values at 24 angles determine 17 coefficients and seven of higher degree, which are zero up to rounding: they
measure the noise. A determinant that vanishes identically is noise alone; its zeros mean nothing.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array
from rikigaku.numbers.elementary_functions import cos, sin, where
from rikigaku.numbers.number_kind import Number

DEGREE = 8
SAMPLES = 2 * DEGREE + 1  # coefficients
POINTS = 24  # angles at which f is sampled; a multiple of the width of vectors
CELLS = 128
PARTS = 8  # of a cell that is divided
LEVELS = 6  # of subdivision; the last parts are 2e-7 rad wide
DIRECT_LEVELS = 4
_STEPS = 3  # of Newton's method within a finer bracket, each guarded by bisection
# Relative to the largest value: below, values from coefficients have too few digits.
SMALL = 1e-9
# Slope of a zero relative to the largest value: below, another two may be hidden by rounding errors.
FLAT = 1e-9
# Least errors of values relative to the largest one. Equations with rounding errors have a determinant of the
# right degree: the higher coefficients do not show them (4e-13 were seen at a double zero).
NOISE = 1e-11
NOISE_OF_VALUES = 8.0  # errors of values are below this multiple of the largest coefficient of higher degree
NOISE_OF_DIFFERENCES = 0.5  # the same for fourth differences of direct values, which have norm sqrt(70)

WIDTH = 2 * np.pi / CELLS

Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Zeros(NamedTuple):
    """Zeros of all polynomials, ordered by polynomial: its index, x, and whether it may be one of several.

    unclear: indices of the polynomials whose values are rounding errors, in part or all over.
    """

    polynomial: Indices
    x: Array
    double: Mask
    unclear: Indices


@cache
def sample_angles() -> Array:
    """Angles whose values determine the coefficients and the noise."""
    return 2 * np.pi * np.arange(POINTS) / POINTS


@cache
def interpolation() -> Array:
    """(24, 24): from values at the sample angles to a_0, a_1, b_1, ..., the last seven of higher degree."""
    return np.asarray(np.linalg.inv(monomials(sample_angles(), POINTS // 2)[0][:, :POINTS]), dtype=np.float64)


def coefficients(samples: Sequence[Number]) -> list[Number]:
    """a_0, a_1, b_1, ... of the polynomial with these values at the sample angles, then those of noise."""
    return [_inner([float(x) for x in row], samples) for row in interpolation()]


def products(a: Sequence[Number], rows: Sequence[Sequence[Number]]) -> list[Number]:
    """Sums of coefficients times monomials."""
    return [_inner(a, row) for row in rows]


def _inner(a: Sequence[Number], b: Sequence[Number]) -> Number:
    total: Number = 0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


@cache
def grid() -> tuple[Array, Array]:
    """Points of the grid, and (cells, 3, coefficients): f, f' h and f'' h^2 at them, cells of width h."""
    x = 2 * np.pi * (np.arange(CELLS) + 0.25) / CELLS
    values, slopes = monomials(x)
    k = np.repeat(np.arange(DEGREE + 1), 2)[1:]
    return x, np.stack([values, WIDTH * slopes, -(WIDTH * WIDTH) * k * k * values], axis=1)


def monomials(x: Array, degree: int = DEGREE) -> tuple[Array, Array]:
    """1, cos x, sin x, cos 2x, ... at points, and their derivatives (points, 2 degree + 1)."""
    k = np.arange(1, degree + 1)
    c, s = np.cos(np.outer(x, k)), np.sin(np.outer(x, k))
    values, slopes = np.ones((len(x), 2 * degree + 1)), np.zeros((len(x), 2 * degree + 1))
    values[:, 1::2], values[:, 2::2] = c, s
    slopes[:, 1::2], slopes[:, 2::2] = -k * s, k * c
    return values, slopes


def value(a: Sequence[Number], x: Number) -> list[Number]:
    """f, f' and f'' at x, by the recurrence of multiple angles."""
    c1, s1 = cos(x), sin(x)
    c, s = c1, s1
    f, first, second = a[0], 0, 0
    for k in range(1, DEGREE + 1):
        even, odd = a[2 * k - 1] * c + a[2 * k] * s, a[2 * k] * c - a[2 * k - 1] * s
        f, first, second = f + even, first + k * odd, second - (k * k) * even
        if k < DEGREE:
            c, s = c * c1 - s * s1, s * c1 + c * s1
    return [f, first, second]


def refined(a: Sequence[Number], low: Number, high: Number) -> Number:
    """The zero of f between two points where it has different signs."""
    at_low = value(a, low)[0]
    x = 0.5 * (low + high)
    for _ in range(_STEPS):
        f, slope, _ = value(a, x)
        left = f * at_low > 0
        low, high = where(left, x, low), where(left, high, x)
        newton = x - f / where(slope * slope < 1e-290, 1.0, slope)
        x = where((newton - low) * (high - newton) < 0, 0.5 * (low + high), newton)
    return x


class Functions(NamedTuple):
    """Compiled functions of batches.

    values: (a, x) -> f, f', f''. refined: (a, low, high) -> x.
    direct: (polynomial, x) -> f without the errors of the coefficients.
    products: (a, monomials (..., 3, 17)) -> the three sums of a times monomials.
    """

    values: Callable[[Array, Array], Sequence[Array]]
    refined: Callable[[Array, Array, Array], Array]
    direct: Callable[[Indices, Array], Array]
    products: Callable[[Array, Array], Sequence[Array]]


def zeros(coefficients: Array, functions: Functions) -> Zeros:
    """The real zeros of polynomials with coefficients (n, 24), the last seven of them noise."""
    a = np.ascontiguousarray(coefficients[:, :SAMPLES])
    points, table = grid()
    # the last cell ends where the first begins
    terms = functions.products(a[:, None, :], np.concatenate([table, table[:1]]))
    size = np.abs(terms[0])
    largest = size.max(axis=1)
    noise = NOISE_OF_VALUES * np.abs(coefficients[:, SAMPLES:]).max(axis=1)
    noisy = np.nonzero(~(noise < SMALL * largest))[0]
    noise = np.fmax(noise, NOISE * largest)
    small = np.minimum(size[:, :-1], size[:, 1:]) < SMALL * largest[:, None]
    small[noisy] = False  # values all over are noise: computing them directly does not help
    simple, unclear = _classified(*terms)
    any_small = bool(small.any())
    if any_small:
        simple, unclear = simple & ~small, unclear & ~small
    own, cell = np.nonzero(simple)
    low = points[cell]
    found = [_zeros_of(own, functions.refined(a[own], low, low + WIDTH))]
    own, cell = np.nonzero(unclear)
    found += _by_subdivision(a, own, points[cell], WIDTH, noise, functions)
    if any_small:
        own, cell = np.nonzero(small)
        found += _direct_zeros(own, points[cell], functions)
    joined = _joined(found)
    own = joined.polynomial
    slope = functions.values(a[own], joined.x)[1]
    flat = np.abs(slope) < FLAT * largest[own]
    unclear_ones = np.unique(np.concatenate([noisy, joined.unclear]))
    return joined._replace(double=joined.double | flat, unclear=unclear_ones)


def _classified(f: Array, step: Array, bend: Array) -> tuple[Mask, Mask]:
    """Cells with one simple zero, and cells where f may have any; f, f' h and f'' h^2 at the ends of cells.

    Where the slope is larger than the curvature can change it, f is monotone. Elsewhere slope and curvature
    bound what f can lose on its way from the ends.
    """
    positive, size, steep, bend = f > 0, np.abs(f), np.abs(step), np.abs(bend)
    most_bent = np.maximum(bend[:, :-1], bend[:, 1:])
    rises = step > 0
    monotone = rises[:, :-1] == rises[:, 1:]
    monotone &= np.minimum(steep[:, :-1], steep[:, 1:]) > 0.5 * most_bent
    changes = positive[:, :-1] != positive[:, 1:]
    loss = 0.5 * np.maximum(steep[:, :-1], steep[:, 1:]) + 0.25 * most_bent
    near = changes | (np.minimum(size[:, :-1], size[:, 1:]) < loss)
    return changes & monotone, near & ~monotone


def _by_subdivision(
    a: Array, own: Indices, low: Array, width: float, noise: Array, functions: Functions
) -> list[Zeros]:
    """Zeros in cells that are divided until each part is clear; what stays unclear is a double zero.

    A part without zero whose values are within the noise (n,) of rounding errors may have two: it is unclear.
    """
    found: list[Zeros] = []
    for _ in range(LEVELS):
        if not len(own):
            return found
        width = width / PARTS
        x = low[:, None] + width * np.arange(PARTS + 1)
        f, slope, curvature = functions.values(a[own][:, None, :], x)
        simple, unclear = _classified(f, width * slope, (width * width) * curvature)
        k, part = np.nonzero(simple)
        found.append(_zeros_of(own[k], functions.refined(a[own[k]], x[k, part], x[k, part + 1])))
        size = np.abs(f)
        hidden = ~simple & ~unclear & (np.minimum(size[:, :-1], size[:, 1:]) < noise[own][:, None])
        k, part = np.nonzero(hidden)
        found.append(_double_zeros(own[k], x[k, part] + 0.5 * width))
        k, part = np.nonzero(unclear)
        own, low = own[k], x[k, part]
    return [*found, _double_zeros(own, low + 0.5 * width)]


def _direct_zeros(own: Indices, low: Array, functions: Functions) -> list[Zeros]:
    """Zeros in cells where only values computed directly have enough digits.

    Cells are divided as in `_by_subdivision`, with derivatives from differences.
    """
    found: list[Zeros] = []
    width = WIDTH
    for _ in range(DIRECT_LEVELS):
        if not len(own):
            return found
        width = width / PARTS
        x = low[:, None] + width * np.arange(-2, PARTS + 3)
        f = functions.direct(np.broadcast_to(own[:, None], x.shape), x)
        five = [f[:, j : PARTS + 1 + j] for j in range(5)]
        steps, bends = differences(five)
        noise = NOISE_OF_DIFFERENCES * np.abs(fourth_difference(five))
        x, f = x[:, 2:-2], f[:, 2:-2]
        simple, unclear = _classified(f, steps, bends)
        noisy = ~unclear & (np.abs(f[:, :-1]) < noise[:, :-1]) & (np.abs(f[:, 1:]) < noise[:, 1:])
        k, part = np.nonzero(noisy)
        found.append(_zeros_of(own[:0], x[:0, 0])._replace(unclear=own[k]))
        k, part = np.nonzero(simple)
        bracket = x[k, part], x[k, part + 1], f[k, part], f[k, part + 1]
        found.append(_zeros_of(own[k], _by_secants(own[k], *bracket, functions)))
        k, part = np.nonzero(unclear)
        own, low = own[k], x[k, part]
    return [*found, _double_zeros(own, low + 0.5 * width)]


def differences(f: Sequence[Any]) -> tuple[Any, Any]:
    """f' h and f'' h^2 at the middle one of five points at distances h."""
    near, far = (f[3] - f[1]), (f[4] - f[0])
    step = near * (2 / 3) - far * (1 / 12)
    bend = (f[1] + f[3]) * (4 / 3) - (f[0] + f[4]) * (1 / 12) - f[2] * 2.5
    return step, bend


def fourth_difference(f: Sequence[Any]) -> Any:
    """Of five values at equal distances: small beside smooth functions, so that rounding errors remain."""
    return (f[0] + f[4]) - (f[1] + f[3]) * 4.0 + f[2] * 6.0


def _zeros_of(own: Indices, x: Array) -> Zeros:
    """Simple zeros."""
    return Zeros(own, x, np.zeros(len(own), dtype=bool), own[:0])


def _double_zeros(own: Indices, x: Array) -> Zeros:
    return Zeros(own, x, np.ones(len(own), dtype=bool), own[:0])


def _by_secants(
    own: Indices, low: Array, high: Array, at_low: Array, at_high: Array, functions: Functions
) -> Array:
    """A zero within each bracket by the Illinois variant of the secant method."""
    low, high, at_low, at_high = low.copy(), high.copy(), at_low.copy(), at_high.copy()
    x = 0.5 * (low + high)
    for _ in range(5):
        gap = at_high - at_low
        x = np.where(
            gap == 0, 0.5 * (low + high), (low * at_high - high * at_low) / np.where(gap == 0, 1, gap)
        )
        f = functions.direct(own, x)
        right = (f > 0) == (at_high > 0)
        at_low = np.where(right, 0.5 * at_low, f)
        at_high = np.where(right, f, 0.5 * at_high)
        low, high = np.where(right, low, x), np.where(right, x, high)
    return x


def _joined(parts: Sequence[Zeros]) -> Zeros:
    polynomial = np.concatenate([part.polynomial for part in parts])
    order = np.argsort(polynomial, kind="stable")
    return Zeros(
        polynomial[order],
        np.concatenate([part.x for part in parts])[order],
        np.concatenate([part.double for part in parts])[order],
        np.concatenate([part.unclear for part in parts]),
    )
