"""Flexible inverse dynamics as a boundary-value problem over the whole motion, solved by Newton's method.

Unknowns are the shapes at all samples and the forces of the motors. The equations are the equations of motion
at every sample and the tracking of a frame; both ends are at rest. Velocities are defined between samples, by
the differences of successive shapes; accelerations are their central differences. Each Newton iteration
solves one sparse block-tridiagonal system.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import splu

from rikigaku.binding.bound_law import bound_law
from rikigaku.core.errors import NotConverged, UnknownName, WrongValue
from rikigaku.core.progress import Clock
from rikigaku.core.types import Array
from rikigaku.fem.flexible_forces import Beams, JointForces
from rikigaku.fem.mpc_jacobian import NodePoses
from rikigaku.fem.multipoint_constraints import State, concatenated
from rikigaku.fem.quaternion_arrays import conjugate, logarithm, product
from rikigaku.model.states import velocity_indices

_SINGULAR = 1e-4  # smallest relative singular value of a direction that can be tracked
_ITERATIONS = 40
_STATIC_ITERATIONS = 15
_LARGEST_STEP = 1.0  # [m, rad]: Newton's method has diverged beyond this step


@dataclass(frozen=True, eq=False)
class TrackedOutputs:
    """Directions (samples, motors, 6) in which a node tracks p, Q: its pose if the links were rigid."""

    node: int
    directions: Array
    p: Array
    Q: Array

    def error(self, at: NodePoses, samples: slice = slice(None)) -> Array:
        """Tracking error of the node along its directions, (samples, motors)."""
        displacement = at.p[:, self.node] - self.p[samples]
        rotation = logarithm(product(at.Q[:, self.node], conjugate(self.Q[samples])))
        off = np.concatenate([displacement, rotation], axis=1)
        return np.asarray((self.directions[samples] @ off[..., None])[..., 0])


def tracked_outputs(beams: Beams, frame: str, q: Array, rigid: State) -> TrackedOutputs:
    """Directions in which the rigid mechanism moves the frame at the configurations q (samples, nq).

    They are the left singular vectors of the frame's Jacobian over the independent coordinates.

    Raises:
        WrongValue: if the number of motors differs from the mobility, exceeds the coordinates of the frame,
            or if the motors cannot move the frame in as many directions.
    """
    layout = beams.assembly.grid.layout
    robot = layout.robot
    if frame not in layout.frames:
        raise UnknownName("frame", frame, layout.frames, "the mesh")
    J = np.asarray(bound_law(robot, "tree.jacobian")(q, frame))
    if robot.loops or robot.couplings:
        J = J @ _loop_null_space(np.asarray(bound_law(robot, "tree.loop_jacobian")(q)))
    motors, free = sum(joint.nv for joint in robot.joints if joint.actuated), J.shape[2]
    if motors != free:
        raise WrongValue(
            f"A frame of a flexible arm is tracked with as many motors as freedoms; robot {robot.name!r} has "
            f"{motors} motors and {free} freedoms (robot.with_actuated says which joints are actuated)."
        )
    most, space = (3, "in a plane") if layout.planar else (6, "in space")
    if motors > most:
        raise WrongValue(
            f"A frame {space} has {most} coordinates to track, and robot {robot.name!r} has {motors} "
            f"motors: tracking does not determine all of them. Hold {motors - most} of them (robot.lock), "
            "or give joint paths to the rigid arm (mesh.inverse_dynamics)."
        )
    size = float(np.ptp(beams.assembly.grid.positions, axis=0).max())
    at = beams.kinematics.node_poses(rigid)
    node = layout.frames[frame]
    position_only = np.where(np.arange(6) < 3, 1.0, 0.0)
    for weights in (position_only, np.where(np.arange(6) < 3, 1.0, size)):
        U, s, _ = np.linalg.svd(weights[:, None] * J, full_matrices=False)
        reachable = s[:, motors - 1] > _SINGULAR * s.max()
        if reachable.all():
            return TrackedOutputs(node, np.swapaxes(U, 1, 2) * weights, at.p[:, node], at.Q[:, node])
        if reachable.any():  # the position suffices, except at singular samples
            break
    moved = int((s > _SINGULAR * s.max()).sum(axis=1).max())
    if moved < motors:
        raise WrongValue(
            f"Frame {frame!r} of robot {robot.name!r} moves in {moved} directions, and there are {motors} "
            "motors: some do not move the frame (its position is on their axis), or move it alike. "
            "Choose a frame farther out, or hold joints (robot.lock)."
        )
    k = int(np.argmin(s[:, -1]))
    raise WrongValue(
        f"The motors of robot {robot.name!r} cannot move frame {frame!r} in {motors} directions at sample "
        f"{k} of the path (q = {np.array2string(q[k], precision=3)}): the arm is singular there, or the "
        "frame sits on a joint's axis. Choose another path or frame."
    )


def _loop_null_space(G: Array) -> Array:
    """Basis of the velocities that keep the loops closed, (samples, nv, mobility)."""
    _, s, Vt = np.linalg.svd(G)
    rank = int((s > 1e-9 * s[:, :1]).sum(axis=1).max())
    return np.swapaxes(Vt[:, rank:], 1, 2)


class BoundaryValueProblem:
    """Boundary-value problem of one tracked frame; actuated: indices of the motors in v."""

    def __init__(self, joints: JointForces, outputs: TrackedOutputs, h: float, clock: Clock) -> None:
        self.clock = clock
        self.joints, self.outputs, self.h = joints, outputs, h
        self.beams, self.kinematics = joints.beams, joints.beams.kinematics
        robot = joints.robot
        actuated = list(velocity_indices(robot, [joint.name for joint in robot.joints if joint.actuated]))
        self.actuated = actuated
        self.motors = joints.joint_rates.part([joints.joints.index(k) for k in actuated])

    def rates(self, state: State) -> Array:
        """Rates nu at all samples: mean of the differences on both sides; zero at both ends."""
        half = self._halves(state)
        return np.concatenate([0 * half[:1], (half[1:] + half[:-1]) / 2, 0 * half[:1]])

    def _halves(self, state: State) -> Array:
        return self.kinematics.difference(state.at(slice(None, -1)), state.at(slice(1, None))) / self.h

    def _residual(
        self, state: State, nu: Array, rate: Array, tau: Array, samples: slice
    ) -> tuple[NodePoses, Array, Array, Array]:
        """Node poses, their Jacobian T, geometric terms, and the residual (samples, size + motors)."""
        at = self.kinematics.node_poses(state)
        T = self.beams.jacobian.values(at)
        nodal = self.beams.forces(at, T, nu, rate)
        own = self.joints.passive_forces(state, nu) + self.joints.inertia(rate) - self.motors.forces(tau)
        motion = self.beams.jacobian.generalized_forces(T, nodal) + own
        axes = self.beams.jacobian.geometric_terms(T, at, nodal)[2]
        return at, T, axes, np.concatenate([motion, self.outputs.error(at, samples)], axis=1)

    def _pattern(self) -> tuple[Array, Array]:
        """Row and column of each entry of a block: K, M, C; joints; axes; motors; tracked outputs."""
        n, m = self.kinematics.size, len(self.actuated)
        joint_columns = self.joints.joint_rates.columns
        columns = self.beams.jacobian.columns[self.outputs.node]
        x, y = np.meshgrid(n + np.arange(m), columns[columns < n], indexing="ij")
        assembler, jacobian = self.beams.assembler, self.beams.jacobian
        at = self.kinematics.node_poses(self.kinematics.undeformed)
        up, down, _ = jacobian.geometric_terms(jacobian.values(at), at, np.zeros((1, self.beams.count, 6)))
        return (
            np.concatenate([assembler.row, joint_columns, up, self.motors.columns, x.ravel()]),
            np.concatenate([assembler.column, joint_columns, down, n + np.arange(m), y.ravel()]),
        )

    def _entries(
        self, T: Array, blocks: Array, joints: Array, axes: Array, samples: slice, own: bool
    ) -> Array:
        """Entries of blocks at `_pattern`; motors and outputs appear in the diagonal blocks (own) only."""
        count = len(T)
        columns = self.beams.jacobian.columns[self.outputs.node] < self.kinematics.size
        output_rows = (self.outputs.directions[samples] @ T[:, self.outputs.node])[..., columns].reshape(
            count, -1
        )
        motors = np.broadcast_to(-self.motors.factors, (count, len(self.actuated)))
        parts = [self.beams.assembler.data(T, blocks), joints, axes * own, motors * own, output_rows * own]
        return np.concatenate(parts, axis=1)

    def static_solution(self, state: State, tau: Array) -> tuple[State, Array]:
        """Static shapes with the frame on its path, and the motor forces that hold them, for all samples.

        Newton's method may diverge for soft links; then the weight is applied in increments.
        """
        for parts in ((1.0,), (0.25, 0.5, 0.75, 1.0), tuple(np.arange(1, 13) / 12)):
            shape, forces = state, parts[0] * tau
            for part in parts:
                shape, forces, converged = self._static_newton(shape, forces, part)
                if not converged:
                    break
            else:
                return shape, forces
        raise NotConverged("No static equilibrium has the frame on its path: the links are too soft.")

    def _static_newton(self, state: State, tau: Array, part: float) -> tuple[State, Array, bool]:
        count, n = len(tau), self.kinematics.size
        zero, every = np.zeros((count, n)), slice(None)
        rows, columns = self._pattern()
        for k in range(_STATIC_ITERATIONS):
            self.clock.report(f"static equilibria, iteration {k + 1} of Newton's method")
            at, T, axes, residual = self._residual(state, zero, zero, tau, every)
            removed_weight = (1 - part) * np.broadcast_to(self.beams.weight, (count, self.beams.count, 6))
            residual[:, :n] += self.beams.jacobian.generalized_forces(T, removed_weight)
            springs = self.joints.derivatives(zero)[0]
            entries = self._entries(T, self.beams.stiffness(at)[0], springs, axes, every, True)
            iteration_matrix = _block_tridiagonal(
                0 * entries, entries, 0 * entries, rows, columns, residual.shape[1]
            )
            try:
                step = -splu(iteration_matrix).solve(residual.ravel()).reshape(residual.shape)
            except RuntimeError:  # singular matrix far from the solution
                return state, tau, False
            if not np.abs(step[:, :n]).max() < _LARGEST_STEP:
                return state, tau, False
            state, tau = self.kinematics.displaced(state, step[:, :n]), tau + step[:, n:]
            if np.abs(step[:, :n]).max() < 1e-11:
                return state, tau, True
        return state, tau, False

    def solve(self, state: State, tau: Array) -> tuple[State, Array]:
        """Shapes and motor forces (samples, motors) at all samples, from an initial guess.

        Raises:
            NotConverged: if Newton's method finds no bounded motion.
        """
        state, tau = self.static_solution(state, tau)
        for parts in ((1.0,), (0.25, 0.5, 0.75, 1.0)):
            shape, forces = state, tau
            for part in parts:
                shape, forces, found = self._dynamic_newton(shape, forces, part)
                if not found:
                    break
            else:
                return shape, forces
        raise NotConverged("No bounded motion was found: choose a shorter step, more rest, or a slower path.")

    def _dynamic_newton(self, state: State, tau: Array, part: float) -> tuple[State, Array, bool]:
        """Newton's method for the motion slowed down so that `part` of the inertial forces remains."""
        count, n, h = len(tau), self.kinematics.size, self.h / np.sqrt(part)
        first, inner, last = (state.at(part) for part in (slice(0, 1), slice(1, -1), slice(count - 1, count)))
        samples, tau = slice(1, count - 1), np.array(tau)
        rows, columns = self._pattern()
        for k in range(_ITERATIONS):
            self.clock.report(
                f"boundary-value problem, {part:.0%} of the inertia, iteration {k + 1} of Newton's method"
            )
            half = self._halves(concatenated([first, inner, last])) * (self.h / h)
            nu, rate = (half[1:] + half[:-1]) / 2, (half[1:] - half[:-1]) / h
            at, T, axes, residual = self._residual(inner, nu, rate, tau[1:-1], samples)
            M, (K, C) = self.beams.mass(at), self.beams.stiffness(at, self.beams.jacobian.twists(T, nu))
            C = C + self.beams.alpha * M
            springs, damp, rotor = self.joints.derivatives(nu)
            own = self._entries(T, K - 2 / h**2 * M, springs - 2 / h**2 * rotor, axes, samples, True)
            before = self._entries(
                T, M / h**2 - C / (2 * h), rotor / h**2 - damp / (2 * h), axes, samples, False
            )
            after = self._entries(
                T, M / h**2 + C / (2 * h), rotor / h**2 + damp / (2 * h), axes, samples, False
            )
            iteration_matrix = _block_tridiagonal(before, own, after, rows, columns, residual.shape[1])
            try:
                step = -splu(iteration_matrix).solve(residual.ravel()).reshape(residual.shape)
            except RuntimeError:  # singular matrix far from the solution
                break
            if not np.abs(step[:, :n]).max() < _LARGEST_STEP:
                break
            inner = self.kinematics.displaced(inner, step[:, :n])
            tau[1:-1] += step[:, n:]
            if np.abs(step[:, :n]).max() < 1e-10:
                return concatenated([first, inner, last]), tau, True
        return state, tau, False


def _block_tridiagonal(
    before: Array, own: Array, after: Array, rows: Array, columns: Array, size: int
) -> sparse.csc_array:
    """Sparse matrix of the blocks before, on and after the diagonal."""
    count = len(own)
    start = size * np.arange(count)[:, None]
    blocks = [
        (start + rows, start + columns, own),
        (start[1:] + rows, start[:-1] + columns, before[1:]),
        (start[:-1] + rows, start[1:] + columns, after[:-1]),
    ]
    r, c, x = (np.concatenate([part[k].ravel() for part in blocks]) for k in range(3))
    kept = x != 0
    return sparse.csc_array((x[kept], (r[kept], c[kept])), shape=(size * count, size * count))
