"""Terms of all constraints of a state: factors of the mass matrix, Jacobian, Delassus matrix."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rikigaku.core.types import Array


@dataclass(frozen=True, eq=False)
class ConfigurationTerms:
    """The terms of positions and time (see `laws.contact.contact_terms`).

    M = L^T D L, L (nv, nv). J: (m, nv). rate: of the residuals at v = 0 (m,). directions: normal and
    tangents of each contact (k, 3, 3).
    """

    L: Array
    inverse_D: Array
    J: Array
    rate: Array
    residual: Array
    directions: Array

    def kinetic_energy(self, v: Array) -> float:
        """v^T M v / 2 [J]."""
        x = self.L @ v
        return float(0.5 * x @ (x / self.inverse_D))

    @cached_property
    def inverse_L(self) -> Array:
        """L^-1 (nv, nv)."""
        return np.asarray(np.linalg.inv(self.L), dtype=np.float64)

    @cached_property
    def magnitudes(self) -> Array:
        """The absolute values of J."""
        return np.abs(self.J)

    @cached_property
    def finite_magnitudes(self) -> Array:
        """The absolute values of J, zero where a constraint has no direction."""
        return np.nan_to_num(self.magnitudes)

    @cached_property
    def undefined(self) -> list[int]:
        """Constraints without a direction, as at the centre of a sphere."""
        return np.flatnonzero(~np.isfinite(self.J).all(axis=1)).tolist()

    @cached_property
    def delassus(self) -> tuple[Array, Array]:
        """M^-1 J^T, transposed (m, nv), and the Delassus matrix W = J M^-1 J^T (m, m)."""
        with np.errstate(divide="ignore", invalid="ignore"):  # a sphere has no normal at its centre: NaN
            response, W = delassus(self.J, self.inverse_L, self.inverse_D)
        W.flags.writeable = False
        return response, W


class Terms(NamedTuple):
    """Terms of a state: of its configuration, generalized forces (nv,), bias accelerations (m,)."""

    configuration: ConfigurationTerms
    force: Array
    bias: Array


def delassus(J: Array, U: Array, inverse_D: Array) -> tuple[Array, Array]:
    """M^-1 J^T, transposed, and J M^-1 J^T, with M^-1 = U D^-1 U^T."""
    Y = J @ U
    scaled = Y * inverse_D
    W = scaled @ Y.T
    return scaled @ U.T, 0.5 * (W + W.T)
