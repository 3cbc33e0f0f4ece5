"""How fast the released joints of a tied mesh turn: each is one number of nu times its gear's factor."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Turning:
    """Rates of joints are factor * nu[column]; joints that a gear couples have one column. size: of nu."""

    columns: Index
    factors: Array
    size: int

    def rates(self, nu: Array) -> Array:
        """Of the joints, (samples, joints), from nu (samples, size)."""
        return np.asarray(nu[:, self.columns] * self.factors)

    def forces(self, tau: Array) -> Array:
        """Over nu (samples, size), of forces in the joints (samples, joints)."""
        result = np.zeros((len(tau), self.size))
        np.add.at(result.T, self.columns, (tau * self.factors).T)
        return result

    def diagonal(self, x: Array) -> Array:
        """Of a matrix over nu, at (columns, columns), where the joints have x (..., joints) each."""
        return np.asarray(x * self.factors**2)

    def between(self, X: Array) -> sparse.csr_array:
        """Over nu, of what joints do to joints, X (joints, joints)."""
        rows, columns = (x.ravel() for x in np.meshgrid(self.columns, self.columns, indexing="ij"))
        values = (self.factors[:, None] * X * self.factors).ravel()
        return sparse.csr_array((values, (rows, columns)), shape=(self.size, self.size))

    def part(self, rows: Sequence[int]) -> "Turning":
        """Some of the joints."""
        return Turning(self.columns[list(rows)], self.factors[list(rows)], self.size)

    @property
    def matrix(self) -> sparse.csr_array:
        """With rates = matrix @ nu."""
        count = len(self.columns)
        return sparse.csr_array((self.factors, (np.arange(count), self.columns)), shape=(count, self.size))
