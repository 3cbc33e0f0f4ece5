"""Arms that move in a coordinate plane: their pose is two coordinates and an angle."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.numbers.exact import Exact
from rikigaku.numbers.formula import Formula
from rikigaku.spatial.vector import multiply
from rikigaku.symbolic.closed_form.chain import TARGET, Chain

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Plane:
    """The plane: the world axis that is normal to it, and the frame's rotation R0 at phi = 0.

    R = (turn by phi about the normal) R0, where R0 is that of the posture q = 0.
    """

    normal: int
    zero: tuple[tuple[int, int, int], ...]

    @property
    def across(self) -> tuple[int, int]:
        """The two world axes in the plane."""
        a, b = (k for k in range(3) if k != self.normal)
        return a, b

    def turned(self, s: Any, c: Any) -> list[list[Any]]:
        """R for the sine and cosine of phi."""
        i, j = (self.normal + 1) % 3, (self.normal + 2) % 3
        R0 = self.zero
        rows: list[list[Any]] = [[0, 0, 0] for _ in range(3)]
        for k in range(3):
            rows[self.normal][k] = R0[self.normal][k]
            rows[i][k] = c * R0[i][k] - s * R0[j][k]
            rows[j][k] = s * R0[i][k] + c * R0[j][k]
        return rows

    def rotation(self, phi: Formula) -> dict[str, Formula]:
        """What the nine generators of a target's rotation are."""
        rows = self.turned(phi.sin(), phi.cos())
        return {TARGET[3 + 3 * i + j]: Formula.of(rows[i][j]) for i in range(3) for j in range(3)}

    def sin_cos(self, R: Any) -> tuple[Any, Any]:
        """Sine and cosine of phi from the elements of R, any numbers."""
        i, j = (self.normal + 1) % 3, (self.normal + 2) % 3
        k = next(k for k in range(3) if self.zero[i][k])
        return R[j][k] * self.zero[i][k], R[i][k] * self.zero[i][k]


def plane_of(chain: Chain) -> Plane | None:
    """The plane of motion, where it is a coordinate plane and R0 turns axes into axes."""
    pose = chain.pose()
    at_zero = _at_zero(chain)
    for k in range(3):
        still = not isinstance(pose.p[k], Exact)
        turning = any(isinstance(x, Exact) for row in pose.R for x in row)
        if still and turning and not any(isinstance(x, Exact) for x in pose.R[k]):
            if all(x in (-1, 0, 1) for row in at_zero for x in row):
                return Plane(k, tuple(tuple(int(x) for x in row) for row in at_zero))  # type: ignore[misc]
            return None
    return None


def _at_zero(chain: Chain) -> list[list[Any]]:
    R = chain.constants[0].R
    for X in chain.constants[1:]:
        R = multiply(R, X.R)
    return [list(row) for row in R]
