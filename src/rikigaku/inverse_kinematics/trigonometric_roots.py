"""Real zeros of trigonometric polynomials f(x) = a_0 + sum a_k cos kx + b_k sin kx, for batches.

Cells of a grid where f is monotone have one zero or none. Cells where it may reach zero otherwise are
divided, and again; a part that stays unclear has a double zero. Where f is small beside its largest value,
the coefficients hold rounding errors only; there f is computed directly.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array
from rikigaku.numbers.elementary_functions import cos, sin, where
from rikigaku.numbers.number_kind import Number

DEGREE = 8
SAMPLES = 2 * DEGREE + 1
_CELLS = 128
_PARTS = 8  # of a cell that is divided
_LEVELS = 6  # of subdivision; the last parts are 2e-7 rad wide
_STEPS = 3  # of Newton's method within a finer bracket, each guarded by bisection
# Relative to the largest value: below, values from coefficients have too few digits.
_DARK = 1e-11
# Slope of a zero relative to the largest value: below, another two may be hidden by rounding errors.
_FLAT = 1e-9
_NOISE = 1e-14  # rounding errors of values relative to the largest one

_WIDTH = 2 * np.pi / _CELLS

Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Zeros(NamedTuple):
    """Zeros of all polynomials, ordered by polynomial: its index, x, and whether it may be one of several."""

    polynomial: Indices
    x: Array
    double: Mask


@cache
def sample_angles() -> Array:
    """Angles whose values determine the coefficients."""
    return 2 * np.pi * np.arange(SAMPLES) / SAMPLES


def coefficients(samples: Sequence[Number]) -> list[Number]:
    """a_0, a_1, b_1, ... of the polynomial with these values at the sample angles."""
    rows = np.linalg.inv(_monomials(sample_angles())[0])
    return [_inner([float(x) for x in row], samples) for row in rows]


def products(a: Sequence[Number], monomials: Sequence[Sequence[Number]]) -> list[Number]:
    """Sums of coefficients times monomials."""
    return [_inner(a, row) for row in monomials]


def _inner(a: Sequence[Number], b: Sequence[Number]) -> Number:
    total: Number = 0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


@cache
def _grid() -> tuple[Array, Array]:
    """Points of the grid, and (cells, 3, coefficients): f, f' h and f'' h^2 at them, cells of width h."""
    x = 2 * np.pi * (np.arange(_CELLS) + 0.25) / _CELLS
    values, slopes = _monomials(x)
    k = np.repeat(np.arange(DEGREE + 1), 2)[1:]
    return x, np.stack([values, _WIDTH * slopes, -(_WIDTH * _WIDTH) * k * k * values], axis=1)


def _monomials(x: Array) -> tuple[Array, Array]:
    k = np.arange(1, DEGREE + 1)
    c, s = np.cos(np.outer(x, k)), np.sin(np.outer(x, k))
    values, slopes = np.ones((len(x), SAMPLES)), np.zeros((len(x), SAMPLES))
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


def zeros(a: Array, functions: Functions) -> Zeros:
    """The real zeros of polynomials with coefficients (n, 17)."""
    grid, monomials = _grid()
    # the last cell ends where the first begins
    terms = functions.products(a[:, None, :], np.concatenate([monomials, monomials[:1]]))
    size = np.abs(terms[0])
    dark = np.minimum(size[:, :-1], size[:, 1:]) < _DARK * size.max(axis=1)[:, None]
    simple, unclear = _classified(*terms)
    any_dark = bool(dark.any())
    if any_dark:
        simple, unclear = simple & ~dark, unclear & ~dark
    own, cell = np.nonzero(simple)
    low = grid[cell]
    found = [_zeros_of(own, functions.refined(a[own], low, low + _WIDTH))]
    own, cell = np.nonzero(unclear)
    found += _by_subdivision(a, own, grid[cell], _WIDTH, _NOISE * size.max(axis=1), functions)
    if any_dark:
        own, cell = np.nonzero(dark)
        found += _dark_zeros(own, grid[cell], functions)
    joined = _joined(found)
    own = joined.polynomial
    slope = functions.values(a[own], joined.x)[1]
    flat = np.abs(slope) < _FLAT * size.max(axis=1)[own]
    return joined._replace(double=joined.double | flat)


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
    for _ in range(_LEVELS):
        if not len(own):
            return found
        width = width / _PARTS
        x = low[:, None] + width * np.arange(_PARTS + 1)
        f, slope, curvature = functions.values(a[own][:, None, :], x)
        simple, unclear = _classified(f, width * slope, (width * width) * curvature)
        k, part = np.nonzero(simple)
        found.append(_zeros_of(own[k], functions.refined(a[own[k]], x[k, part], x[k, part + 1])))
        size = np.abs(f)
        hidden = ~simple & ~unclear & (np.minimum(size[:, :-1], size[:, 1:]) < noise[own][:, None])
        k, part = np.nonzero(hidden)
        found.append(Zeros(own[k], x[k, part] + 0.5 * width, np.ones(len(k), dtype=bool)))
        k, part = np.nonzero(unclear)
        own, low = own[k], x[k, part]
    return [*found, Zeros(own, low + 0.5 * width, np.ones(len(own), dtype=bool))]


def _dark_zeros(own: Indices, low: Array, functions: Functions) -> list[Zeros]:
    """Zeros in cells where only values computed directly have enough digits: brackets, then secants."""
    # one more point on either side: a bowl may lie at the border of two cells
    x = low[:, None] + _WIDTH / _PARTS * np.arange(-1, _PARTS + 2)
    f = functions.direct(np.broadcast_to(own[:, None], x.shape), x)
    before, after = f[:, :-1], f[:, 1:]
    k, part = np.nonzero((before > 0) != (after > 0))
    simple = _by_secants(own[k], x[k, part], x[k, part + 1], f[k, part], f[k, part + 1], functions)
    # A least |f| between larger neighbours of the same sign: two close zeros, a double one, or none.
    size, positive = np.abs(f), f > 0
    bowl = (size[:, 1:-1] < size[:, :-2]) & (size[:, 1:-1] < size[:, 2:])
    bowl &= (positive[:, 1:-1] == positive[:, :-2]) & (positive[:, 1:-1] == positive[:, 2:])
    i, j = np.nonzero(bowl)
    return [_zeros_of(own[k], simple), *_in_bowls(own[i], x[i, j], x[i, j + 2], f[i, j + 1], functions)]


def _in_bowls(own: Indices, low: Array, high: Array, at: Array, functions: Functions) -> list[Zeros]:
    """Zeros beside a least |f|, which is located by dividing its bracket."""
    x = 0.5 * (low + high)
    crossed = np.zeros(len(own), dtype=bool)
    for _ in range(8):
        tries = [0.5 * (low + x), 0.5 * (x + high)]
        values = [functions.direct(own, y) for y in tries]
        for y, f in zip(tries, values, strict=True):  # a point with the other sign ends the search
            other = ((f > 0) != (at > 0)) & ~crossed
            x, at = np.where(other, y, x), np.where(other, f, at)
            crossed |= other
        left = ~crossed & (np.abs(values[0]) < np.abs(at))
        right = ~crossed & ~left & (np.abs(values[1]) < np.abs(at))
        middle = ~crossed & ~left & ~right
        low, high = (
            np.where(right, x, np.where(middle, tries[0], low)),
            np.where(left, x, np.where(middle, tries[1], high)),
        )
        x = np.where(left, tries[0], np.where(right, tries[1], x))
        at = np.where(left, values[0], np.where(right, values[1], at))
    pairs = []
    c = own[crossed]
    for a, b in ((low[crossed], x[crossed]), (x[crossed], high[crossed])):
        ends = functions.direct(c, a), functions.direct(c, b)
        pairs.append(_zeros_of(c, _by_secants(c, a, b, *ends, functions)))
    rest = ~crossed
    return [*pairs, Zeros(own[rest], x[rest], np.ones(int(rest.sum()), dtype=bool))]


def _zeros_of(own: Indices, x: Array) -> Zeros:
    """Simple zeros."""
    return Zeros(own, x, np.zeros(len(own), dtype=bool))


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
    )
