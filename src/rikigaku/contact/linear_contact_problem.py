"""The linear contact problem of a state: Jacobian, bias accelerations, Delassus matrix."""

from collections.abc import Sequence

import numpy as np

from rikigaku.contact.constraint_terms import Terms, delassus
from rikigaku.contact.contact_results import ConstraintEquations
from rikigaku.core.types import Array


def linear_problem(
    terms: Terms, v: Array, direction_rows: Sequence[int], added_inertia: Array | None = None
) -> ConstraintEquations:
    """The linear contact problem of the terms of a state.

    direction_rows: of normals and tangents among the three axes of each contact. added_inertia: added to the
        diagonal of M (nv,).
    """
    one = terms.configuration
    J, U, inverse_D = one.J, one.inverse_L, one.inverse_D
    with np.errstate(divide="ignore", invalid="ignore"):  # a sphere has no normal at its centre: NaN
        if added_inertia is None:
            response, W = one.delassus
        else:  # M = L^T D L with another diagonal, factored anew
            M = one.L.T @ (one.L / inverse_D[:, None]) + np.diag(added_inertia)
            U, inverse_D = np.linalg.inv(np.linalg.cholesky(M)).T, np.ones(len(M))
            response, W = delassus(J, U, inverse_D)
        a = U @ (inverse_D * (terms.force @ U))
        directions = one.directions.reshape(-1, 3)[direction_rows]
        sums = one.magnitudes @ np.abs(a) + np.abs(terms.bias)
        return ConstraintEquations(
            J, terms.bias, directions, response, W, a, J @ a + terms.bias, J @ v + one.rate,
            one.residual, np.where(np.isfinite(sums), sums, 0.0),
        )  # fmt: skip
