"""Real zeros of trigonometric polynomials f(x) = a_0 + sum a_k cos kx + b_k sin kx, for batches.

A coarse grid shows where f may vanish; those cells are sampled more finely. Sign changes bracket simple zeros.
Where f is not monotone and may reach zero, cells are divided again; a part that stays so has a double zero.
Where all values are small beside the largest one, the coefficients hold their rounding errors only; there the
values are computed directly.
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
_PARTS = 8  # finer cells of a cell
_LEVELS = 6  # of subdivision; the last parts are 2e-7 rad wide
_STEPS = 3  # of Newton's method within a finer bracket, each guarded by bisection
# Relative to the largest value: below, values from coefficients have too few digits.
_DARK = 1e-11

_WIDTH = 2 * np.pi / _CELLS

Indices = NDArray[np.int64]


class Zeros(NamedTuple):
    """Zeros of all polynomials, ordered by polynomial: its index, x, and whether the zero is double."""

    polynomial: Indices
    x: Array
    double: NDArray[np.bool_]


@cache
def sample_angles() -> Array:
    """Angles whose values determine the coefficients."""
    return 2 * np.pi * np.arange(SAMPLES) / SAMPLES


@cache
def interpolation() -> Array:
    """(samples, coefficients): coefficients a_0, a_1, b_1, ... of the polynomial with given samples."""
    return np.linalg.inv(_monomials(sample_angles())[0]).T


@cache
def _grid() -> tuple[Array, Array]:
    """Points of the coarse grid, and (coefficients, 3 cells): f, f' h and f'' h^2 at them, cells of width h."""
    x = 2 * np.pi * (np.arange(_CELLS) + 0.25) / _CELLS
    values, slopes = _monomials(x)
    k = np.repeat(np.arange(DEGREE + 1), 2)[1:]
    return x, np.concatenate([values, _WIDTH * slopes, -(_WIDTH * _WIDTH) * k * k * values]).T.copy()


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
    """

    values: Callable[[Array, Array], Sequence[Array]]
    refined: Callable[[Array, Array, Array], Array]
    direct: Callable[[Indices, Array], Array]


def zeros(a: Array, functions: Functions) -> Zeros:
    """The real zeros of polynomials with coefficients (n, 17)."""
    _, monomials = _grid()
    f, slope, curvature = np.split(a @ monomials, 3, axis=1)
    size = np.abs(f).max(axis=1)
    after = _shifted(f)
    least = np.minimum(np.abs(f), np.abs(after))
    # |f| may reach zero within the cell: slope and curvature at its ends may take it there
    change = 0.5 * np.abs(slope) + 0.25 * np.abs(curvature)
    near = ((f > 0) != (after > 0)) | (least < np.maximum(change, _shifted(change)))
    dark = least < _DARK * size[:, None]
    own, cell = np.nonzero(near & ~dark)
    found = _bright_zeros(a, own, _grid()[0][cell], _WIDTH, functions)
    if dark.any():
        found += _dark_zeros(*np.nonzero(dark), functions)
    return _joined(found)


def _bright_zeros(a: Array, own: Indices, low: Array, width: float, functions: Functions) -> list[Zeros]:
    """Zeros in cells where the coefficients give enough digits, by subdivision.

    A part where f is monotone has a zero if the sign changes; a part whose slope and curvature cannot take f to
    zero has none; other parts are divided again. In the last parts a least |f| is a double zero.
    """
    found: list[Zeros] = []
    for _ in range(_LEVELS):
        if not len(own):
            break
        width = width / _PARTS
        x = low[:, None] + width * np.arange(_PARTS + 1)
        f, slope, curvature = functions.values(a[own][:, None, :], x)
        size, steep, bend = np.abs(f), width * np.abs(slope), width * width * np.abs(curvature)
        least, steepest, most_bent = (
            pick(y[:, :-1], y[:, 1:])
            for pick, y in ((np.minimum, size), (np.maximum, steep), (np.maximum, bend))
        )
        changes = (f[:, :-1] > 0) != (f[:, 1:] > 0)
        monotone = (slope[:, :-1] > 0) == (slope[:, 1:] > 0)
        monotone &= np.minimum(steep[:, :-1], steep[:, 1:]) > 0.5 * most_bent
        k, part = np.nonzero(changes & monotone)
        zero = functions.refined(a[own[k]], x[k, part], x[k, part + 1])
        found.append(_zeros_of(own[k], zero))
        k, part = np.nonzero(~monotone & (changes | (least < 0.5 * steepest + 0.25 * most_bent)))
        own, low = own[k], x[k, part]
    if len(own):
        middle = low + 0.5 * width
        found.append(Zeros(own, middle, np.ones(len(own), dtype=bool)))
    return found


def _dark_zeros(own: Indices, cell: Indices, functions: Functions) -> list[Zeros]:
    """Zeros in cells where only values computed directly have enough digits: brackets, then secants."""
    # one more point on either side: a bowl may lie at the border of two cells
    x = _grid()[0][cell][:, None] + _WIDTH / _PARTS * np.arange(-1, _PARTS + 2)
    f = functions.direct(np.broadcast_to(own[:, None], x.shape), x)
    before, after = f[:, :-1], f[:, 1:]
    k, part = np.nonzero((before > 0) != (after > 0))
    simple = _by_secants(own[k], x[k, part], x[k, part + 1], f[k, part], f[k, part + 1], functions)
    # A least |f| between larger neighbours of the same sign: two zeros closer than the grid, a double one, or none.
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


def _shifted(x: Array) -> Array:
    """The columns moved by one to the left, cyclically."""
    return np.concatenate([x[:, 1:], x[:, :1]], axis=1)


def _joined(parts: Sequence[Zeros]) -> Zeros:
    polynomial = np.concatenate([part.polynomial for part in parts])
    order = np.argsort(polynomial, kind="stable")
    return Zeros(
        polynomial[order],
        np.concatenate([part.x for part in parts])[order],
        np.concatenate([part.double for part in parts])[order],
    )
