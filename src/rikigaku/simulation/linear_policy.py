"""A linear policy: joint forces tau = K (x - x_0) + k of the state x = (q, v)."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.checked_calls import checked
from rikigaku.core.validation import numbers
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.number_kind import Number
from rikigaku.robot import Robot
from rikigaku.simulation.actuation import Function, Numbers, TorqueSource
from rikigaku.simulation.pd_control import actuated_indices
from rikigaku.simulation.piecewise_polynomial import PiecewisePolynomial


class LinearPolicy(TorqueSource):
    """tau = gain (x - state) + offset in the actuated joints, x = (q, v): linear state feedback, as of LQR.

    Args:
        gain: (n, nq + nv), n the number of actuated coordinates, a free base excluded [N m, N per unit of x].
        offset: (n,) [N m, N]; state: (nq + nv,). Zeros if left out.
    Gains are read at run time: another policy of the same robot compiles nothing.
    """

    size = 0
    pieces: PiecewisePolynomial | None = None
    function: Function | None = None
    period: float | None = None

    @checked
    def __init__(
        self, robot: Robot, gain: ArrayLike, offset: ArrayLike | None = None, state: ArrayLike | None = None
    ) -> None:
        self.v, self.nv, width = actuated_indices(robot), robot.nv, robot.nq + robot.nv
        n = len(self.v)
        K = numbers("gain", gain, (n, width))
        k = np.zeros(n) if offset is None else numbers("offset", offset, (n,))
        x = np.zeros(width) if state is None else numbers("state", state, (width,))
        self.parameters = tuple(float(y) for y in (*K.ravel(), *(k - K @ x)))

    @property
    def identity(self) -> str:
        return f"LinearPolicy {self.v}"

    def forces(
        self, mechanism: Mechanism, t: Number, q: Numbers, v: Numbers, u: Numbers, p: Numbers
    ) -> list[Number]:
        x: list[Any] = [*q, *v]
        tau: list[Number] = [0] * mechanism.nv
        offsets = p[len(self.v) * len(x) :]
        for i, k in enumerate(self.v):
            row = p[i * len(x) : (i + 1) * len(x)]
            tau[k] = sum((a * b for a, b in zip(row, x, strict=True)), start=offsets[i])
        return tau
