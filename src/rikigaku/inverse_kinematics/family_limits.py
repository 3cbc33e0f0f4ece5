"""Members of families of configurations that lie within the joint limits.

At a singular pose an exact method lists some member of each family, wherever its formulas put it. The curve
of the family is followed; each of its parts within the limits is represented by its member that is nearest to
a start.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.core.types import Array, Mask
from rikigaku.inverse_kinematics.exact_chain import ExactChain, scaled
from rikigaku.inverse_kinematics.found_configurations import wrapped
from rikigaku.inverse_kinematics.joint_ranges import AT_LIMIT
from rikigaku.inverse_kinematics.singular_configurations import family_tangents
from rikigaku.inverse_kinematics.singular_curves import STEP, PoseEquations, SingularCurve, followed

Indices = NDArray[np.int64]
_GOLDEN = 0.5 * (np.sqrt(5) - 1)
_REDUCTIONS = 24  # of the interval that contains the nearest member: to 2e-6
_OUTSIDE = 1e6  # more than any squared distance of configurations


class Members(NamedTuple):
    """Configurations (m, joints) within the limits, and the index of the member whose family has each."""

    owner: Indices
    q: Array


def members_within(
    chain: ExactChain,
    given: Mapping[str, Array],
    poses: Array,
    q: Array,
    start: Array,
    group: Indices,
    listed: Array,
) -> Members:
    """One member for each part within the limits of the families through q (m, joints) at poses (m, 4, 4).

    Families of dimension one are followed as a whole. Of a larger one, curves through the member are.

    Args:
        given: values (m,) of the given joints. start: (joints,).
        group: (m,) number of the pose; the curves of equal numbers are compared, and each counts once.
        listed: (m, k, joints) members within the limits that are known at the pose, or NaN; curves through
            them are left out.
    """
    limits, free = _Limits(chain, start), list(chain.free)
    links, H = [scaled(x, chain.reach) for x in chain.chain_links(given)], scaled(poses, chain.reach)
    owner, x, tangent = family_tangents(links, chain.free_revolute, H, q[:, free] / chain.units)
    fixed = [k for k in range(q.shape[1]) if k not in chain.free]
    inside = limits.given_inside(q[:, fixed], fixed)[owner]
    owner, x, tangent = owner[inside], x[inside], tangent[inside]
    equations = PoseEquations(links, chain.free_revolute, H)
    curves = followed(equations.at(owner), x, tangent)
    kept = _distinct(curves, group[owner], listed[owner][..., free] / chain.units, limits)
    owner, curves = owner[kept], [curves[k] for k in kept]
    places = [limits.least(curve) for curve in curves]
    which = np.repeat(np.arange(len(curves)), [len(own) for own in places])
    if not len(which):
        return Members(owner[:0], q[:0])
    refined = _Refinement(limits, equations.at(owner[which]), curves, which).nearest(np.concatenate(places))
    members = q[owner[which]]
    members[:, free] = refined.x * chain.units
    chosen: dict[tuple[int, int], int] = {}
    parts = [limits.parts(curve) for curve in curves]
    for k in np.argsort(refined.cost, kind="stable"):
        if refined.cost[k] < _OUTSIDE:
            own = int(which[k])
            sample = int(np.concatenate(places)[k])
            chosen.setdefault((own, int(parts[own][sample])), int(k))
    order = sorted(chosen.values(), key=lambda k: (which[k], refined.cost[k]))
    return Members(owner[which[order]], members[order])


def _distinct(curves: list[SingularCurve], group: Indices, known: Array, limits: "_Limits") -> list[int]:
    """Indices of the curves that pass neither through known members nor along an earlier one of the pose."""
    kept: list[int] = []
    for k, curve in enumerate(curves):
        members = known[k][np.isfinite(known[k]).all(axis=1)]
        if any(limits.distances(curve.x, x).min() < STEP for x in members):
            continue
        # curves may meet: compare a point that is away from where this one was begun
        middle = curve.x[len(curve.x) // 2]
        if all(limits.distances(curves[i].x, middle).min() > STEP for i in kept if group[i] == group[k]):
            kept.append(k)
    return kept


class _Limits:
    """Limits of the free joints of a chain and a start, with the reach as unit of length."""

    def __init__(self, chain: ExactChain, start: Array) -> None:
        lower, upper = (x[chain.coordinates] for x in chain.bounds)
        self.lower, self.upper, self.angles = lower, upper, chain.angles
        free = list(chain.free)
        self.revolute = np.array(chain.free_revolute, dtype=bool)
        low, high = lower[free] / chain.units, upper[free] / chain.units
        # angles count up to full revolutions: limits on one side are none
        unlimited = self.revolute & ~(np.isfinite(low) & np.isfinite(high))
        self.low, self.high = np.where(unlimited, -np.inf, low), np.where(unlimited, np.inf, high)
        self.start = start[free] / chain.units

    def given_inside(self, q: Array, places: list[int]) -> Mask:
        """Whether given joints (m, k) are within their limits, up to full revolutions."""
        return np.asarray(
            (_violation(q, self.lower[places], self.upper[places], self.angles[places]) == 0).all(axis=1)
        )

    def distances(self, x: Array, other: Array) -> Array:
        return np.asarray(np.linalg.norm(wrapped(x - other, self.revolute), axis=-1))

    def costs(self, x: Array) -> tuple[Array, Mask]:
        """Squared distances from the start (m,), beyond all of them outside the limits; which are inside."""
        beyond = _violation(x, self.low, self.high, self.revolute).max(axis=1)
        far = self.distances(x, self.start) ** 2
        return np.where(beyond > 0, _OUTSIDE * (1 + beyond), far), beyond == 0

    def parts(self, curve: SingularCurve) -> Indices:
        """Numbers (m,) of the samples of a curve; those of one part within the limits are equal."""
        inside = self.costs(curve.x)[1]
        part: Indices = np.cumsum((~inside).astype(np.int64))
        if curve.closed and inside[0] and inside[-1]:
            part[part == part[-1]] = part[0]
        return part

    def least(self, curve: SingularCurve) -> Indices:
        """Samples of a curve that are nearer to the start, or to the limits, than both neighbours."""
        cost, inside = self.costs(curve.x)
        before, after = np.roll(cost, 1), np.roll(cost, -1)
        if not curve.closed:
            before[0] = after[-1] = np.inf
        # a part between samples is at most a step away from one of them
        near = inside | (cost < _OUTSIDE * (1 + 2 * STEP))
        return np.nonzero((cost <= before) & (cost <= after) & near)[0]


class _Nearest(NamedTuple):
    cost: Array
    x: Array


class _Refinement:
    """Least costs between samples of curves, by golden sections of intervals; which: curve of each."""

    def __init__(
        self, limits: _Limits, equations: PoseEquations, curves: list[SingularCurve], which: Indices
    ) -> None:
        self.limits, self.equations = limits, equations
        counts = np.array([len(curve.x) for curve in curves])
        self.samples = np.concatenate([curve.x for curve in curves])
        self.offset, self.count = (np.cumsum(counts) - counts)[which], counts[which]
        self.closed = np.array([curve.closed for curve in curves])[which]

    def nearest(self, sample: Indices) -> _Nearest:
        """The configurations of least cost between the neighbours of samples."""
        low = np.where(self.closed, sample - 1.0, np.maximum(sample - 1.0, 0.0))
        high = np.where(self.closed, sample + 1.0, np.minimum(sample + 1.0, self.count - 1.0))
        best = self._at(sample.astype(np.float64))
        places = [high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)]
        a, b = (self._at(place) for place in places)
        for _ in range(_REDUCTIONS):
            best = _less(_less(best, a), b)
            left = a.cost < b.cost
            low, high = np.where(left, low, places[0]), np.where(left, places[1], high)
            new = np.where(left, high - _GOLDEN * (high - low), low + _GOLDEN * (high - low))
            places = [np.where(left, new, places[1]), np.where(left, places[0], new)]
            point = self._at(new)
            a, b = _chosen(left, point, b), _chosen(left, a, point)
        return best

    def _at(self, place: Array) -> _Nearest:
        """Costs and configurations (k, n) at places between samples, returned to the pose."""
        first = np.floor(place).astype(np.int64)
        after = np.where(self.closed, (first + 1) % self.count, np.minimum(first + 1, self.count - 1))
        begin, end = self.samples[self.offset + first % self.count], self.samples[self.offset + after]
        gap = wrapped(end - begin, self.limits.revolute)
        x = self.equations.corrected(begin + (place - first)[:, None] * gap, gap).x
        return _Nearest(self.limits.costs(x)[0], x)


def _chosen(first: Mask, a: _Nearest, b: _Nearest) -> _Nearest:
    return _Nearest(np.where(first, a.cost, b.cost), np.where(first[:, None], a.x, b.x))


def _less(a: _Nearest, b: _Nearest) -> _Nearest:
    return _chosen(a.cost <= b.cost, a, b)


def _violation(x: Array, low: Array, high: Array, revolute: Mask) -> Array:
    """Distances (m, n) beyond the limits, 0 within them up to rounding; angles up to full revolutions."""
    both = np.isfinite(low) & np.isfinite(high)
    middle = 0.5 * (np.where(both, low, 0.0) + np.where(both, high, 0.0))
    x = np.where(revolute, middle + wrapped(x - middle, revolute), x)
    beyond = np.maximum(low - x, x - high)
    return np.where(beyond <= AT_LIMIT, 0.0, beyond)
