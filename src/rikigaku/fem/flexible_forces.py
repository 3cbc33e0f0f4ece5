"""Inertial, elastic, damping and joint forces of a flexible mechanism in large motion.

Forces are summed at the nodes (world axes) and projected to the coordinates by T^T, T the Jacobian of
`rikigaku.fem.mpc_jacobian`. Matrices are sparse sums over pairs of nodes; many samples are computed at once.
"""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sparse
from numpy.typing import ArrayLike

from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import number, numbers
from rikigaku.fem.corotational_beam import CorotationalBeams, strain_rate_derivative
from rikigaku.fem.flexible_configuration import joint_state
from rikigaku.fem.matrix_assembly import Assembly
from rikigaku.fem.mpc_jacobian import Index, NodePoses, PairAssembler
from rikigaku.fem.multipoint_constraints import State
from rikigaku.fem.quaternion_arrays import cross
from rikigaku.fem.static_deflection import weight

if TYPE_CHECKING:
    from rikigaku.fem.elastic import Elastic

Torque = Callable[[float, Array, Array], ArrayLike]
_DIFFERENCE = 1e-6  # [rad, m] and per second: finite differences of a controller


class Beams:
    """Forces and matrices of the beams of an assembly, whose configuration is the undeformed one."""

    def __init__(self, assembly: Assembly) -> None:
        self.assembly, self.kinematics, self.elements = assembly, assembly.kinematics, assembly.elements
        self.alpha, self.damped = assembly.alpha, bool(assembly.elements.damping.any())
        self.count = len(assembly.grid.positions)
        self.jacobian = assembly.kinematics.jacobian

    @cached_property
    def _mass(self) -> sparse.csr_array:
        """Mass matrix of the node translations, (nodes, nodes)."""
        return sparse.csr_array(self.assembly.nodal_mass[::6, ::6])

    @cached_property
    def assembler(self) -> PairAssembler:
        """Sparse assembly over all pairs of nodes that share mass or an element."""
        return PairAssembler(self.jacobian, self._pairs[0])

    @cached_property
    def _pairs(self) -> tuple[Index, Index, Index]:
        """All pairs of nodes; the indices among them of the mass, and of the elements (2, 2, elements)."""
        mass = self._mass.tocoo()
        a, b = self.elements.ends.T
        element_pairs = np.stack([a, a, b, b, a, b, a, b]).reshape(2, 4, -1)
        nodes = np.arange(self.count)
        rows = np.concatenate([nodes, mass.coords[0], element_pairs[0].ravel()])
        columns = np.concatenate([nodes, mass.coords[1], element_pairs[1].ravel()])
        found, index = np.unique(rows * self.count + columns, return_inverse=True)
        both = np.stack([found // self.count, found % self.count], axis=1).astype(np.intp)
        start = self.count + mass.nnz
        return both, index[self.count : start], index[start:].reshape(2, 2, -1)

    @cached_property
    def _node_tensors(self) -> Array:
        """Rotary inertia of each node at the undeformed configuration, (nodes, 3, 3)."""
        every = sparse.kron(np.ones((self.count, 1)), sparse.eye_array(6))
        return np.asarray((self.assembly.nodal_mass @ every).toarray().reshape(-1, 6, 6)[:, 3:, 3:])

    @cached_property
    def weight(self) -> Array:
        """Gravity forces at the nodes, (nodes, 6); constant."""
        return weight(self.assembly).reshape(-1, 6)

    def tensors(self, at: NodePoses) -> Array:
        """Rotary inertia of the nodes in world axes, rotated with them, (samples, nodes, 3, 3)."""
        R = at.R[:, : self.count]
        return np.asarray(R @ self._node_tensors @ np.swapaxes(R, -1, -2))

    def _mass_times(self, x: Array) -> Array:
        """Mass matrix times vectors at nodes, (samples, nodes, 3)."""
        return _sparse_times(self._mass, x)

    def forces(self, at: NodePoses, T: Array, nu: Array, rate: Array) -> Array:
        """Nodal forces (samples, nodes, 6) of inertia, elasticity and damping, minus weight.

        nu: rates of the coordinates; rate: their time derivative. The gyroscopic moment omega x I omega of
        the rotary inertia at the nodes is included.
        """
        beams = CorotationalBeams(self.elements, at.p, at.Q)
        V, A = self.jacobian.twists(T, nu), self.jacobian.twists(T, rate)
        if not self.kinematics.has_no_bias:
            A = A + self.kinematics.twists_and_bias(at, nu)[1][:, : self.count]
        A = A + self.alpha * V if self.alpha else A
        tensors = self.tensors(at)
        I_omega = (tensors @ V[..., 3:, None])[..., 0]
        result = np.empty_like(A)
        result[..., :3] = self._mass_times(A[..., :3])
        result[..., 3:] = (tensors @ A[..., 3:, None])[..., 0] + cross(V[..., 3:], I_omega)
        result -= self.weight
        strain = beams.strain + self._damping_strain(beams, V) if self.damped else beams.strain
        return result + _sparse_times(self._ends, beams.forces(strain).reshape(len(at.p), -1, 6))

    def _damping_strain(self, beams: CorotationalBeams, V: Array) -> Array:
        """Strain rate times the damping time of each element, (samples, elements, 6)."""
        ends = V[:, self.elements.ends].reshape(len(V), -1, 12)
        return np.asarray(self.elements.damping[:, None] * (beams.B @ ends[..., None])[..., 0])

    @cached_property
    def _ends(self) -> sparse.csr_array:
        """Incidence matrix of nodes and element ends, (nodes, 2 elements)."""
        flat = self.elements.ends.ravel()
        return sparse.csr_array(
            (np.ones(len(flat)), (flat, np.arange(len(flat)))), shape=(self.count, len(flat))
        )

    def mass(self, at: NodePoses) -> Array:
        """Blocks of the mass matrix between nodes, (samples, pairs, 6, 6)."""
        pairs, own, _ = self._pairs
        result = np.zeros((len(at.p), len(pairs), 6, 6))
        result[:, own, :3, :3] = self._mass.tocoo().data[:, None, None] * np.eye(3)
        diagonal = np.flatnonzero(pairs[:, 0] == pairs[:, 1])  # in the order of the nodes
        result[:, diagonal, 3:, 3:] = self.tensors(at)
        return result

    def stiffness(self, at: NodePoses, V: Array | None = None) -> tuple[Array, Array]:
        """Blocks of the stiffness and of the damping matrix between nodes, (samples, pairs, 6, 6).

        V: twists of nodes (samples, nodes, 6); with them the stiffness includes the derivative of the damping
        forces.
        """
        beams = CorotationalBeams(self.elements, at.p, at.Q)
        material, strain = beams.material_stiffness(), beams.strain
        stress: Array = 0 * material
        damping = self.elements.damping[:, None, None]
        if self.damped and V is not None:
            strain = strain + self._damping_strain(beams, V)
            p, Q = at.p[:, : self.count], at.Q[:, : self.count]
            stress = damping * beams.material_stiffness(strain_rate_derivative(self.elements, p, Q, V))
        stiff = self._by_pair(material + beams.geometric_stiffness(strain) + stress)
        return stiff, (self._by_pair(damping * material) if self.damped else np.zeros_like(stiff))

    def _by_pair(self, blocks: Array) -> Array:
        pairs, _, element_pairs = self._pairs
        result = np.zeros((len(blocks), len(pairs), 6, 6))
        by_pair = np.moveaxis(result, 1, 0)
        for i in range(2):
            for j in range(2):
                part = blocks[..., 6 * i : 6 * i + 6, 6 * j : 6 * j + 6]
                np.add.at(by_pair, element_pairs[i, j], np.moveaxis(part, 1, 0))
        return result

    def energies(self, at: NodePoses, nu: Array) -> Array:
        """Kinetic, elastic and potential energy, (samples, 3) [J].

        Potential energy is zero at the undeformed configuration.
        """
        n = self.count
        V = self.kinematics.twists_and_bias(at, nu)[0][:, :n]
        I_omega = (self.tensors(at) @ V[..., 3:, None])[..., 0]
        kinetic = 0.5 * (
            (self._mass_times(V[..., :3]) * V[..., :3]).sum(axis=(1, 2))
            + (I_omega * V[..., 3:]).sum(axis=(1, 2))
        )
        elastic = CorotationalBeams(self.elements, at.p, at.Q).energy().sum(axis=1)
        potential = -((at.p[:, :n] - self.assembly.grid.positions) * self.weight[:, :3]).sum(axis=(1, 2))
        return np.stack([kinetic, elastic, potential], axis=1)


def _sparse_times(A: sparse.csr_array, x: Array) -> Array:
    """Product A x for x (samples, nodes, components), all samples at once."""
    samples, nodes, count = x.shape
    flat = A @ np.moveaxis(x, 1, 0).reshape(nodes, -1)
    return np.moveaxis(np.asarray(flat).reshape(-1, samples, count), 0, 1)


class JointForces:
    """Friction, springs and rotor inertia of the released joints of an assembly.

    slip_speed: speed at which the smoothed Coulomb friction reaches 71 per cent of its full value [rad/s,
    m/s].
    """

    def __init__(self, elastic: "Elastic", beams: Beams, slip_speed: float | None = None) -> None:
        self.beams, self.robot = beams, elastic.layout.robot
        self.joint_rates = beams.kinematics.joint_rates
        self.joints = list(beams.assembly.joints)
        bodies = {k: body for body in elastic.layout.mechanism.bodies for k in body.v}
        own = [bodies[k] for k in self.joints]
        self.coulomb = np.array([float(body.coulomb) for body in own])
        self.springs, self.viscous, self.rotors = (
            beams.assembly.springs,
            beams.assembly.viscous,
            beams.assembly.rotors,
        )
        q = beams.assembly.grid.q
        # Springs of the model have a rest position; elastic transmissions are relaxed at the start.
        self.preload = np.array(
            [float(body.stiffness) * (q[body.q.start] - float(body.rest)) for body in own]
        )
        self.slip_speed = (
            1.0 if slip_speed is None else number("slip_speed [rad/s, m/s]", slip_speed, above=0)
        )
        self._check(slip_speed)

    def _check(self, slip_speed: float | None) -> None:
        coulomb = {k for k, force in zip(self.joints, self.coulomb, strict=True) if force}
        with_friction = [
            joint.name for joint in self.robot.joints if self.robot.v_slices[joint.name].start in coulomb
        ]
        if with_friction and slip_speed is None:
            raise WrongValue(
                f"Joint {with_friction[0]!r} has Coulomb friction, which elastic motion has only smoothed: "
                "F v / sqrt(v^2 + slip_speed^2). Give slip_speed=... [rad/s, m/s], small beside speeds of "
                "interest."
            )

    def passive_forces(self, state: State, nu: Array) -> Array:
        """Generalized forces of friction and springs, (samples, size)."""
        v, phi = self.joint_rates.rates(nu), self._displacements(state)
        coulomb = self.coulomb * v / np.hypot(v, self.slip_speed)
        return self.joint_rates.forces(self.viscous * v + coulomb + self.springs * phi + self.preload)

    def inertia(self, rate: Array) -> Array:
        """Generalized forces of rotor inertia for the time derivative of nu, (samples, size)."""
        return self.joint_rates.forces(self.rotors * self.joint_rates.rates(rate))

    def _displacements(self, state: State) -> Array:
        """Displacement of the released joints since the start; spherical joints have no spring."""
        kinematics, count = self.beams.kinematics, len(state.y)
        nu = np.zeros((count, kinematics.size))
        nu[:, kinematics.first_y : kinematics.first_S] = state.y
        return self.joint_rates.rates(nu)

    def derivatives(self, nu: Array) -> tuple[Array, Array, Array]:
        """Stiffness and damping of `passive_forces`, and rotor inertia, (samples, joints), of each joint."""
        v = self.joint_rates.rates(nu)
        speed = np.hypot(v, self.slip_speed)
        damp = self.viscous + self.coulomb * (self.slip_speed / speed) ** 2 / speed
        springs, rotors = (np.broadcast_to(x, damp.shape) for x in (self.springs, self.rotors))
        stiff, damped, rotor = (self.joint_rates.diagonal(x) for x in (springs, damp, rotors))
        return stiff, damped, rotor

    def friction_step_limit(self, nu: Array, change: Array) -> float:
        """Largest fraction of a Newton step at which no joint with Coulomb friction reverses its velocity.

        The derivative of the friction force used for the step is invalid beyond zero velocity.
        """
        v, step = (self.joint_rates.rates(x)[0] for x in (nu, change))
        reverses = (self.coulomb > 0) & (v * (v + step) < 0) & (np.abs(v) > 1e-6 * self.slip_speed)
        return float(np.min(np.abs(v[reverses] / step[reverses]), initial=1.0))

    def energy(self, state: State) -> Array:
        """Energy stored in springs, (samples,) [J]; zero at the start of the motion."""
        phi = self._displacements(state)
        return np.asarray((0.5 * self.springs * phi**2 + self.preload * phi).sum(axis=1))


class Motors:
    """Forces of all joints as a function torque(t, q, v), and its derivatives by finite differences."""

    def __init__(self, joints: JointForces, torque: Torque | None) -> None:
        self.joint_forces, self.torque = joints, torque

    def forces(self, t: float, state: State, nu: Array, at: NodePoses | None = None) -> Array:
        """Joint forces at one state, (nv,)."""
        if self.torque is None:
            return np.zeros(self.joint_forces.robot.nv)
        kinematics = self.joint_forces.beams.kinematics
        q, v = joint_state(kinematics, state, kinematics.node_poses(state) if at is None else at, nu)
        return self._evaluated(t, q[0], v[0])

    def _evaluated(self, t: float, q: Array, v: Array) -> Array:
        nv = self.joint_forces.robot.nv
        tau = self.torque(t, q, v) if self.torque else np.zeros(nv)
        return numbers(f"The result of torque(t, q, v) at t = {t:.6g} s", tau, (nv,))

    def derivatives(self, t: float, state: State, at: NodePoses, nu: Array) -> tuple[Array, Array] | None:
        """Derivatives of joint forces with respect to q, v of released joints, (joints, joints), or None."""
        if self.torque is None:
            return None
        joints = self.joint_forces.joints
        none = np.zeros((len(joints), len(joints)))
        q, v = (x[0] for x in joint_state(self.joint_forces.beams.kinematics, state, at, nu))
        tau_0 = self._evaluated(t, q, v)[joints]
        by_q, by_v = none.copy(), none.copy()
        index = {k: body.q.start for body in self.joint_forces.beams.assembly.grid.layout.mechanism.bodies
                 for k in body.v if len(body.v) == 1}  # fmt: skip
        for column, k in enumerate(joints):
            shifted = v.copy()
            shifted[k] += _DIFFERENCE
            by_v[:, column] = (self._evaluated(t, q, shifted)[joints] - tau_0) / _DIFFERENCE
            if k in index:  # omitted for spherical joints: Newton's method converges without these terms
                shifted = q.copy()
                shifted[index[k]] += _DIFFERENCE
                by_q[:, column] = (self._evaluated(t, shifted, v)[joints] - tau_0) / _DIFFERENCE
        return by_q, by_v
