"""Arms that move in a coordinate plane: their pose is two coordinates and an angle."""

from dataclasses import dataclass
from typing import Any

from rikigaku.numbers.exact_number import Exact
from rikigaku.numbers.formula import Formula
from rikigaku.spatial.vector import multiply
from rikigaku.symbolic.inverse_kinematics.serial_chain import TARGET, Chain


@dataclass(frozen=True)
class Plane:
    """The plane: the world axis that is normal to it, and the frame's rotation R0 at phi = 0.

    R = (rotation by phi about the normal) R0, where R0 is that of the configuration q = 0.
    """

    normal: int
    zero: tuple[tuple[int, int, int], ...]

    @property
    def across(self) -> tuple[int, int]:
        """The two world axes in the plane."""
        a, b = (k for k in range(3) if k != self.normal)
        return a, b

    def rotation_rows(self, s: Any, c: Any) -> list[list[Any]]:
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
        """Formulas of the nine generators of a target's rotation."""
        rows = self.rotation_rows(phi.sin(), phi.cos())
        return {TARGET[3 + 3 * i + j]: Formula.of(rows[i][j]) for i in range(3) for j in range(3)}

    def sin_cos(self, R: Any) -> tuple[Any, Any]:
        """Sine and cosine of phi from the elements of R, any numbers."""
        i, j = (self.normal + 1) % 3, (self.normal + 2) % 3
        k = next(k for k in range(3) if self.zero[i][k])
        return R[j][k] * self.zero[i][k], R[i][k] * self.zero[i][k]


def plane_of(chain: Chain) -> Plane | None:
    """The plane of motion, if it is a coordinate plane and R0 maps axes to axes; else None."""
    pose = chain.pose()
    at_zero = _at_zero(chain)
    for k in range(3):
        still = not isinstance(pose.p[k], Exact)
        turning = any(isinstance(x, Exact) for row in pose.R for x in row)
        if still and turning and not any(isinstance(x, Exact) for x in pose.R[k]):
            if all(x in (-1, 0, 1) for row in at_zero for x in row):
                return Plane(k, tuple((int(a), int(b), int(c)) for a, b, c in at_zero))
            return None
    return None


def _at_zero(chain: Chain) -> list[list[Any]]:
    R = chain.constants[0].R
    for X in chain.constants[1:]:
        R = multiply(R, X.R)
    return [list(row) for row in R]
