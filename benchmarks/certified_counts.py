"""Number of real configurations of an arm at poses, certified in arithmetic of 256 bits.

`complex_paths` leads to all configurations at a pose; each is refined in FLINT's ball arithmetic and
enclosed by Krawczyk's operator: exactly one configuration is in its box, and no other box meets it. Complex
ones must come in pairs; where they do not, or a path is lost, other paths are taken.
"""

from typing import Any, NamedTuple

import flint
import numpy as np

from benchmarks.complex_paths import MOST, GeneralPose, Screws, all_ends, distance, extended, scaled

Array = Any
BITS = 256
_REFINEMENTS = 2  # 1e-15, 1e-30, 1e-60
_RADIUS = flint.arb(2) ** -100  # of the box in which a configuration is enclosed
_REAL, _CLEAR = 1e-12, 1e-7  # imaginary parts [rad, reach] of a real configuration, and of a complex one
_ATTEMPTS = 6


class Counts(NamedTuple):
    """Of poses (m,): certified real configurations, -1 where there is no count; least distance of two."""

    real: Array
    apart: Array


def certified_counts(arm: Screws, start: GeneralPose, H: Array) -> Counts:
    """Real configurations at poses (m, 4, 4).

    Where ends do not come in pairs at more than a tenth of the poses, the general pose lacks configurations.
    """
    real, apart = np.full(len(H), -1), np.zeros(len(H))
    for attempt in range(_ATTEMPTS):
        left = np.nonzero(real < 0)[0]
        if not len(left):
            break
        x, arrived = all_ends(arm, start, scaled(arm, H[left]), attempt)
        gaps = [_paired(arm, own) if good else None for own, good in zip(x, arrived.all(axis=1), strict=True)]
        unpaired = sum(gap is None for gap in gaps)
        if unpaired > 0.1 * len(H) and len(start.x) < MOST:
            before, start = len(start.x), extended(arm, start, 100 + attempt)
            if len(start.x) > before:
                real[:] = -1
                continue
        for k, own, gap in zip(left, x, gaps, strict=True):
            if gap is not None:
                apart[k], real[k] = gap, _certified(arm, own, H[k])
    return Counts(real, apart)


def _paired(arm: Screws, x: Array) -> float | None:
    """The least distance of two configurations (k, n); None if they are not closed under conjugation."""
    gaps = [distance(arm, a, b) for i, a in enumerate(x) for b in x[:i]]
    for own in x:
        if min(distance(arm, own.conj(), other) for other in x) > 1e-6:
            return None
    least = min(gaps, default=np.inf)
    return None if least < 1e-9 else least


def _certified(arm: Screws, x: Array, H: Array) -> int:
    """Number of real configurations among ends of paths (k, n); -1 if one cannot be enclosed."""
    with flint.ctx.workprec(BITS):
        system = _System(arm, H)
        count = 0
        for own in x:
            size = np.abs(own.imag).max()
            if _REAL <= size < _CLEAR:
                return -1
            real = size < _REAL
            if not real and own.imag[np.abs(own.imag).argmax()] < 0:
                continue  # the conjugate of another, which is enclosed
            box = system.enclosed([flint.acb(float(z.real), 0.0 if real else float(z.imag)) for z in own])
            # A box about a real point is its own conjugate: so is the one configuration in it, which is real.
            if box is None or real != all(z.imag.contains(0) for z in box):
                return -1
            count += real
    return count


class _System:
    """Six equations of a pose in balls: position, and the skew part of the rotation between both."""

    def __init__(self, arm: Screws, H: Array) -> None:
        self.arm = arm
        self.rotation = flint.acb_mat([[flint.acb(float(z)) for z in row[:3]] for row in H[:3]])
        self.position = _column(H[:3, 3], flint.arb(arm.reach))
        self.axes = [_unit(w) if turns else _column(w) for w, turns in zip(arm.w, arm.revolute, strict=True)]
        self.crosses = [_cross(w) for w in self.axes]
        self.points = [_column(c) for c in arm.c]
        self.home = flint.acb_mat([[flint.acb(float(z)) for z in row[:3]] for row in arm.home[:3]])
        self.last = _column(arm.home[:3, 3])

    def enclosed(self, x: list[Any]) -> list[Any] | None:
        """A box with exactly one zero, by Krawczyk's operator; None if it proves nothing."""
        for _ in range(_REFINEMENTS):
            inverse = self._slopes(x).inv().mid()
            step = inverse * self._residual(x)
            x = [(a - step[k, 0]).mid() for k, a in enumerate(x)]
        radius = flint.arb(0, _RADIUS)
        box = [a + flint.acb(radius, radius) for a in x]
        widths = flint.acb_mat([[b - a] for a, b in zip(x, box, strict=True)])
        spread = (_identity(len(x)) - inverse * self._slopes(box)) * widths
        moved = inverse * self._residual(x)
        found = [a - moved[k, 0] + spread[k, 0] for k, a in enumerate(x)]
        inside = all(
            b.real.contains_interior(z.real) and b.imag.contains_interior(z.imag)
            for b, z in zip(box, found, strict=True)
        )
        return found if inside else None

    def _reached(self, x: list[Any]) -> tuple[Any, Any, list[Any], list[Any]]:
        """Rotation and position of the end, and direction and point of each axis."""
        R, p = _identity(3), flint.acb_mat(3, 1)
        directions, points = [], []
        for k, z in enumerate(x):
            w, point = R * self.axes[k], p + R * self.points[k]
            directions.append(w)
            points.append(point)
            if self.arm.revolute[k]:
                S = self.crosses[k]
                R = R * (_identity(3) + z.sin() * S + (1 - z.cos()) * (S * S))
                p = point - R * self.points[k]
            else:
                p = p + z * w
        return R * self.home, p + R * self.last, directions, points

    def _residual(self, x: list[Any]) -> Any:
        """Position minus the target's, and the vector of the skew part of R* R^T."""
        R, p, _, _ = self._reached(x)
        gap = p - self.position
        return flint.acb_mat([[gap[k, 0]] for k in range(3)] + _skew(self.rotation * R.transpose()))

    def _slopes(self, x: list[Any]) -> Any:
        """Derivatives of the residual (6, n)."""
        R, p, directions, points = self._reached(x)
        M = self.rotation * R.transpose()
        columns = []
        for k, (w, point) in enumerate(zip(directions, points, strict=True)):
            S = _cross(w)
            if self.arm.revolute[k]:
                linear, angular = S * (p - point), _skew(-1 * (M * S))
            else:
                linear, angular = w, [[flint.acb(0)]] * 3
            columns.append([*(linear[i, 0] for i in range(3)), *(z[0] for z in angular)])
        return flint.acb_mat([list(row) for row in zip(*columns, strict=True)])


def _identity(n: int) -> Any:
    return flint.acb_mat([[flint.acb(int(i == j)) for j in range(n)] for i in range(n)])


def _column(x: Array, scale: Any = 1) -> Any:
    return flint.acb_mat([[flint.acb(float(z)) / scale] for z in x])


def _unit(w: Array) -> Any:
    """The unit vector along w, in balls."""
    x = [flint.arb(float(z)) for z in w]
    length = sum((z * z for z in x), flint.arb(0)).sqrt()
    return flint.acb_mat([[flint.acb(z / length)] for z in x])


def _cross(w: Any) -> Any:
    a, b, c = (w[k, 0] for k in range(3))
    return flint.acb_mat([[flint.acb(0), -c, b], [c, flint.acb(0), -a], [-b, a, flint.acb(0)]])


def _skew(A: Any) -> list[list[Any]]:
    """The vector of the skew part, as rows of one element."""
    return [[(A[2, 1] - A[1, 2]) / 2], [(A[0, 2] - A[2, 0]) / 2], [(A[1, 0] - A[0, 1]) / 2]]
