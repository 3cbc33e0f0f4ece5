"""Rates of exponential coordinates: how u moves where q = q0 exp(u) moves with the rates v.

Each joint has its own group: free joints rigid motions, spherical ones rotations, all others lines, on which
u moves as v does. du/dt = v + [u, v]/2 + sum over k of B_2k/(2k)! ad_u^2k v, the inverse of the differential
of the exponential map; the series is cut where |u| < 1 leaves nothing of it.
Reference: E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, section III.4.2 and IV.7.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rikigaku.model.robot import Robot

Array = NDArray[np.float64]

# B_2k / (2k)! for k = 1 ... 8; the next is 3e-14 where |ad_u| = 1.
_BERNOULLI = (
    1 / 12,
    -1 / 720,
    1 / 30240,
    -1 / 1209600,
    1 / 47900160,
    -691 / 1307674368000,
    1 / 74724249600,
    -3617 / 10670622842880000,
)
_NOTHING = 1e-18
# How far a chart reaches: turns up to this angle [rad].
REACH = 0.7


def chart_rates(robot: Robot) -> Callable[[Array, Array], Array]:
    """The function (u, v) -> du/dt of a robot."""
    free, turning = _groups(robot)

    def rates(u: Array, v: Array) -> Array:
        du = v.copy()
        for place in free:
            du[place] = _series(_rigid(u[place]), v[place])
        for place in turning:
            du[place] = _series(cross_matrix(u[place]), v[place])
        return du

    return rates


def turned_by(robot: Robot) -> Callable[[Array], float]:
    """The function u -> largest angle [rad] of its rotations that are not about one fixed line."""
    free, turning = _groups(robot)
    places = [slice(place.start + 3, place.stop) for place in free] + turning

    def angle(u: Array) -> float:
        return max((float(np.linalg.norm(u[place])) for place in places), default=0.0)

    return angle


def _groups(robot: Robot) -> tuple[list[slice], list[slice]]:
    slices = {joint.type: [] for joint in robot.joints}  # type: dict[str, list[slice]]
    for joint in robot.joints:
        slices[joint.type].append(robot.v_slices[joint.name])
    return slices.get("free", []), slices.get("spherical", [])


def _series(ad: Array, v: Array) -> Array:
    first = ad @ v
    total = v + first / 2
    size = float(np.abs(ad).sum(axis=1).max())
    square = ad @ ad
    term = square @ v
    bound = size * size
    for coefficient in _BERNOULLI:
        total += coefficient * term
        bound *= size * size
        if bound * abs(coefficient) < _NOTHING:  # the next coefficient is smaller still
            break
        term = square @ term
    return total


def cross_matrix(w: Array) -> Array:
    """The matrix of x -> w x x, 3 x 3."""
    x, y, z = w
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _rigid(u: Array) -> Array:
    """ad_u on twists, linear part first."""
    ad = np.zeros((6, 6))
    ad[:3, :3] = ad[3:, 3:] = cross_matrix(u[3:])
    ad[:3, 3:] = cross_matrix(u[:3])
    return ad
