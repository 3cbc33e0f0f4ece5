"""Kinematics of the constrained mesh: poses, twists and bias accelerations of all nodes from its coordinates.

Node twists are V = T(state) nu. An independent node has its own velocities in nu; a dependent node moves with
its root node and with every joint coordinate between the two.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sparse

from rikigaku.core.types import Array
from rikigaku.fem.mesh_layout import plane_axes
from rikigaku.fem.mpc_jacobian import NodeJacobian, NodePoses, node_jacobian
from rikigaku.fem.multipoint_constraints import Index, MultipointConstraints, State, levels
from rikigaku.fem.multipoint_constraints import coordinates as mesh_coordinates
from rikigaku.fem.quaternion_arrays import conjugate, cross, exponential, logarithm, product, rotation
from rikigaku.model.mechanism import WORLD


@dataclass(frozen=True, eq=False)
class JointRates:
    """Joint rates factor * nu[column]; joints coupled by a gear share a column. size: of nu."""

    columns: Index
    factors: Array
    size: int

    def rates(self, nu: Array) -> Array:
        """Joint rates (samples, joints) of nu (samples, size)."""
        return np.asarray(nu[:, self.columns] * self.factors)

    def forces(self, tau: Array) -> Array:
        """Generalized forces (samples, size) of joint forces (samples, joints)."""
        result = np.zeros((len(tau), self.size))
        np.add.at(result.T, self.columns, (tau * self.factors).T)
        return result

    def diagonal(self, x: Array) -> Array:
        """Entries at (columns, columns) over nu of a diagonal matrix x (..., joints) over the joints."""
        return np.asarray(x * self.factors**2)

    def between(self, X: Array) -> sparse.csr_array:
        """Sparse matrix over nu of a matrix X (joints, joints) over the joints."""
        rows, columns = (x.ravel() for x in np.meshgrid(self.columns, self.columns, indexing="ij"))
        values = (self.factors[:, None] * X * self.factors).ravel()
        return sparse.csr_array((values, (rows, columns)), shape=(self.size, self.size))

    def part(self, rows: Sequence[int]) -> "JointRates":
        """A subset of the joints."""
        return JointRates(self.columns[list(rows)], self.factors[list(rows)], self.size)

    @property
    def matrix(self) -> sparse.csr_array:
        """Sparse matrix with rates = matrix @ nu."""
        count = len(self.columns)
        return sparse.csr_array((self.factors, (np.arange(count), self.columns)), shape=(count, self.size))


class MeshKinematics:
    """Kinematics of a mesh with multipoint constraints; `size` coordinates in nu."""

    def __init__(self, constraints: MultipointConstraints) -> None:
        self.constraints, self.grid, self.nodes = constraints, constraints.grid, constraints.nodes
        normal = self.grid.layout.normal
        self.translations = np.eye(3) if normal is None else plane_axes(normal).T
        self.rotations = np.eye(3) if normal is None else normal[:, None]
        dependent, body = {constraint.node for constraint in constraints.constraints}, self.grid.body
        independent = [n for n in range(len(body)) if body[n] != WORLD and n not in dependent]
        self.free: Index = np.array(independent, dtype=np.intp)
        self.coordinates = mesh_coordinates(constraints.constraints, self.grid.layout.mechanism.gears)
        self.levels = levels(constraints.constraints, self.coordinates)
        y, S = self.coordinates.count
        self.first_y = (self.translations.shape[1] + self.rotations.shape[1]) * len(independent)
        self.first_S = self.first_y + y
        self.size = self.first_S + 3 * S

    @cached_property
    def undeformed(self) -> State:
        """State of the grid's configuration, one sample."""
        y, S = self.coordinates.count
        identity = np.array([1.0, 0.0, 0.0, 0.0])
        free = len(self.free)
        return State(
            self.grid.positions[None, self.free],
            np.tile(identity, (1, free, 1)),
            np.zeros((1, y)),
            np.tile(identity, (1, S, 1)),
        )

    def _split(self, nu: Array) -> tuple[Array, Array, Array, Array]:
        """Velocities and rotation rates of independent nodes, rates of y, of spherical joints."""
        m = self.translations.shape[1]
        nodal = nu[:, : self.first_y].reshape(len(nu), len(self.free), -1)
        sphericals = nu[:, self.first_S :].reshape(len(nu), -1, 3)
        return (
            nodal[..., :m] @ self.translations.T,
            nodal[..., m:] @ self.rotations.T,
            nu[:, self.first_y : self.first_S],
            sphericals,
        )

    @cached_property
    def _spherical_axes(self) -> Array:
        """Axes of the angular velocity of each spherical joint, (sphericals, 3, 3)."""
        result = np.zeros((self.coordinates.count[1], 3, 3))
        for level in self.levels:
            kept = level.spherical < len(result)
            result[level.spherical[kept]] = level.axes[kept]
        return result

    def displaced(self, state: State, nu: Array) -> State:
        """State after a unit of time at constant rates nu (samples, size)."""
        u, t, y, w = self._split(nu)
        rotation_vector = np.einsum("bij,sbj->sbi", self._spherical_axes, w)
        return State(
            state.p + u,
            product(exponential(t), state.Q),
            state.y + y,
            product(state.S, exponential(rotation_vector)),
        )

    def difference(self, a: State, b: State) -> Array:
        """Rates nu with displaced(a, nu) = b, (samples, size)."""
        count = len(a.p)
        u = (b.p - a.p) @ self.translations
        t = logarithm(product(b.Q, conjugate(a.Q))) @ self.rotations
        w = np.einsum("bij,sbi->sbj", self._spherical_axes, logarithm(product(conjugate(a.S), b.S)))
        nodal = np.concatenate([u, t], axis=-1).reshape(count, -1)
        return np.concatenate([nodal, b.y - a.y, w.reshape(count, -1)], axis=1)

    def node_poses(self, state: State) -> NodePoses:
        """Poses of all nodes."""
        count = len(state.p)
        p = np.empty((count, self.nodes, 3))
        p[:, : len(self.grid.positions)] = self.grid.positions
        Q = np.zeros((count, self.nodes, 4))
        Q[..., 0] = 1.0
        p[:, self.free], Q[:, self.free] = state.p, state.Q
        y = np.concatenate([state.y, np.zeros((count, 1))], axis=1)
        S = np.concatenate([state.S, np.tile([1.0, 0, 0, 0], (count, 1, 1))], axis=1)
        for level in self.levels:
            value = (y[:, level.scalar] * level.factor)[..., None]
            upper, own = Q[:, level.reference], S[:, level.spherical]
            own = np.where(level.inverted[:, None], conjugate(own), own)
            Q[:, level.node] = product(upper, product(exponential(level.angular * value), own))
            p[:, level.node] = p[:, level.reference] + _rotated(
                rotation(upper), level.arm + level.linear * value
            )
        return NodePoses(p, Q, rotation(Q))

    def twists_and_bias(self, at: NodePoses, nu: Array) -> tuple[Array, Array]:
        """Twists of all nodes, T nu, and their bias accelerations, Tdot nu."""
        count = len(nu)
        u, t, y, w = self._split(nu)
        V, A = np.zeros((count, self.nodes, 6)), np.zeros((count, self.nodes, 6))
        V[:, self.free, :3], V[:, self.free, 3:] = u, t
        y = np.concatenate([y, np.zeros((count, 1))], axis=1)
        w = np.concatenate([w, np.zeros((count, 1, 3))], axis=1)
        for level in self.levels:
            rate = (y[:, level.scalar] * level.factor)[..., None]
            R, upper, upper_rate = at.R[:, level.reference], V[:, level.reference], A[:, level.reference]
            own = np.where(level.inverted[:, None], -1.0, 1.0) * np.einsum(
                "lij,slj->sli", level.axes, w[:, level.spherical]
            )
            # The axes of a spherical joint are fixed in its body: the reference node if it is inverted.
            axes_R = np.where(level.inverted[:, None, None], R, at.R[:, level.node])
            omega_rel = _rotated(R, level.angular * rate) + _rotated(axes_R, own)
            v_rel = _rotated(R, level.linear * rate)
            r, omega = at.p[:, level.node] - at.p[:, level.reference], upper[..., 3:]
            V[:, level.node, :3] = upper[..., :3] + cross(omega, r) + v_rel
            V[:, level.node, 3:] = omega + omega_rel
            A[:, level.node, :3] = (
                upper_rate[..., :3]
                + cross(upper_rate[..., 3:], r)
                + cross(omega, cross(omega, r) + 2 * v_rel)
            )
            A[:, level.node, 3:] = upper_rate[..., 3:] + cross(omega, omega_rel)
        return V, A

    @cached_property
    def has_no_bias(self) -> bool:
        """Whether the bias acceleration vanishes: planar mechanisms with revolute joints only."""
        no_offset = not any(
            constraint.linear.any() or constraint.arm.any() for constraint in self.constraints.constraints
        )
        return no_offset and self.grid.layout.planar

    @cached_property
    def jacobian(self) -> NodeJacobian:
        """Jacobian of the nodes of the grid."""
        return node_jacobian(self)

    @cached_property
    def joint_rates(self) -> JointRates:
        """Rates of the released joints of the tree, in the order of `joints`; a constant selection of nu."""
        start = {"y": self.first_y, "S": self.first_S}
        columns = [start[kind] + k for _, (kind, k, _) in self._by_joint]
        factors = [factor for _, (_, _, factor) in self._by_joint]
        return JointRates(np.array(columns, dtype=np.intp), np.array(factors, dtype=np.float64), self.size)

    @cached_property
    def joints(self) -> tuple[int, ...]:
        """Index in v of each joint of `joint_rates`."""
        return tuple(k for k, _ in self._by_joint)

    @cached_property
    def _by_joint(self) -> list[tuple[int, tuple[str, int, float]]]:
        found: list[tuple[int, tuple[str, int, float]]] = []
        for name, (k, factor) in self.coordinates.scalar.items():
            if isinstance(name, int):
                found.append((name, ("y", k, factor)))
        for name, k in self.coordinates.spherical.items():
            if isinstance(name, int):
                found += [(name + x, ("S", 3 * k + x, 1.0)) for x in range(3)]
        return sorted(found)


def _rotated(R: Array, x: Array) -> Array:
    return np.asarray((R @ x[..., None])[..., 0])
