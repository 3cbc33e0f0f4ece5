"""Rounding of gaps and errors of sliding speeds, of each contact by the coordinates that move it.

A gap is a sum of terms as large as dC/dq_j q_j, a sliding speed one of terms J_ij v_j. Coordinates of other
bodies have no part in them: a body far away, or a rotor that spins fast, changes no event of a contact.
"""

from typing import TYPE_CHECKING

import numpy as np

from rikigaku.core.types import Array

if TYPE_CHECKING:
    from rikigaku.contact.contact_system import ContactSystem

_TOUCHING = 1e-10  # [m]: smaller gaps are closed
_EPS = float(np.finfo(float).eps)
# Rounding of positions relative to coordinates beyond 1 m.
_RESOLUTION = 16 * _EPS


def touching(system: "ContactSystem", t: float, q: Array) -> Array:
    """The largest gap [m] of each contact that is closed: far from the origin coordinates are rounded."""
    return np.maximum(_TOUCHING, 64 * _EPS * _position_sizes(system, t, q))


def resolution(system: "ContactSystem", t: float, q: Array) -> Array:
    """Rounding of the gap [m] of each contact; zero near the origin."""
    return np.asarray(_RESOLUTION * np.maximum(0.0, _position_sizes(system, t, q) - 1.0))


def speed_sizes(system: "ContactSystem", t: float, q: Array, v: Array) -> Array:
    """The largest terms of each contact's sliding speed [m/s]."""
    sums = system.engine.configuration(t, q).finite_magnitudes @ np.abs(v)
    _, tangents, exist = system.layout.contact_rows
    return np.where(exist, sums[tangents], 0.0).max(axis=1, initial=0.0)


def _position_sizes(system: "ContactSystem", t: float, q: Array) -> Array:
    """The sum of the terms of each contact's gap [m]; not above the largest coordinate where that is short.

    A coordinate of a joint moves the gap by the normal's element of J; those of a free joint count alike.
    """
    largest = float(np.abs(q).max(initial=0.0))
    if largest <= 1.0:
        return np.full(len(system.contacts), largest)
    starts, counts = system.engine.joint_coordinates
    sizes = np.repeat(np.maximum.reduceat(np.abs(q), starts), counts)
    normals = system.layout.contact_rows[0]
    return np.minimum(system.engine.configuration(t, q).finite_magnitudes[normals] @ sizes, largest)
