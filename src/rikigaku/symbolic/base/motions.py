"""The motions that the loops of a robot allow at a closed posture, in long numbers."""

from typing import Any

import numpy as np
from flint import arb_mat

from rikigaku.numbers.balls import ball
from rikigaku.symbolic.loops.closing import ConsistentState, pivots


def motions(state: ConsistentState) -> tuple[list[list[Any]], Any]:
    """N with J N = 0, the identity on some of the rates; and the accelerations a velocity asks for."""
    nv, J = state.laws.robot.nv, state.jacobian
    if not J:
        return [[ball(int(i == j)) for j in range(nv)] for i in range(nv)], lambda v: [ball(0)] * nv
    dependent, rows = pivots(np.array([[float(x.mid()) for x in row] for row in J]))
    independent = [k for k in range(nv) if k not in dependent]
    A = arb_mat([[J[i][k] for k in dependent] for i in rows])
    B = arb_mat([[-J[i][k] for k in independent] for i in rows])
    X = A.solve(B)
    N: list[list[Any]] = [[ball(0)] * len(independent) for _ in range(nv)]
    for c, k in enumerate(independent):
        N[k][c] = ball(1)
    for r, k in enumerate(dependent):
        for c in range(len(independent)):
            N[k][c] = X[r, c]

    def particular(v: list[Any]) -> list[Any]:
        bias = state.laws.bias([*state.numbers, *state.q, *v])[0]
        right = A.solve(arb_mat([[-ball(bias[i])] for i in rows]))
        result = [ball(0)] * nv
        for r, k in enumerate(dependent):
            result[k] = right[r, 0]
        return result

    return N, particular
