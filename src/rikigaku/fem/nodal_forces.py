"""Joint torques from nodal forces, tau = [L][T]{P}, as a backward sum that is linear in the links.

{P} contains the force and moment (F, N) at each body's centre of mass and the sum of all forces beyond each
of its outer joints; [T] transforms them to link axes; [L] contains the lengths (equations 4 to 7 of Isobe's
paper, here in space). The sum is accumulated inwards once, so no matrix is formed to evaluate the product.
Reference: D. Isobe, Calculation of inverse dynamics for closed-loop link mechanisms using FEM.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse
from numpy.typing import ArrayLike

from rikigaku.core.types import Array, Mask
from rikigaku.core.validation import by_name, numbers
from rikigaku.fem.body_kinematics import BodyMotion
from rikigaku.fem.loop_phases import Problem
from rikigaku.fem.quaternion_arrays import cross
from rikigaku.model.mechanism import WORLD, Mechanism
from rikigaku.model.robot_model import RobotModel

NEWTON, NEWTON_METRE = "N", "N m"
_UNITS = {
    "prismatic": (NEWTON,),
    "planar": (NEWTON, NEWTON, NEWTON_METRE),
    "free": (NEWTON,) * 3 + (NEWTON_METRE,) * 3,
}


def actuated(robot: RobotModel) -> Mask:
    """Whether the joint of each coordinate is actuated, (nv,)."""
    return np.array([joint.actuated for joint in robot.joints for _ in range(joint.nv)], dtype=bool)


def force_units(robot: RobotModel) -> tuple[str, ...]:
    """Unit of the force of each coordinate: N for translations, N m for rotations."""
    return tuple(
        unit for joint in robot.joints for unit in _UNITS.get(joint.type, (NEWTON_METRE,) * joint.nv)
    )


class Load(NamedTuple):
    """Force and moment that a body exerts at one of its nodes, at a world position, (samples, 3)."""

    body: int
    node: int
    position: Array
    force: Array
    moment: Array


@dataclass(frozen=True, eq=False)
class NodalForces:
    """Force F [N] and moment N [N m] that move each body, at its centre of mass, (bodies, samples, 3)."""

    F: Array
    N: Array


class JointWrenches(NamedTuple):
    """Wrench through each joint on its subtree: force S and moment about the body's origin."""

    S: Array
    moment: Array


def nodal_forces(state: BodyMotion) -> NodalForces:
    """F = m (a - g), N = I alpha + omega x I omega; a constant mass matrix lacks the gyroscopic term."""
    F = state.bodies.mass[:, None, None] * state.a_minus_g
    I_omega, I_alpha = ((state.tensor @ x[..., None])[..., 0] for x in (state.omega, state.alpha))
    return NodalForces(F, I_alpha + cross(state.omega, I_omega))


def joint_wrenches(state: BodyMotion, forces: NodalForces) -> JointWrenches:
    """Subtree sums of equation (4), accumulated from the tips inwards; moments about a common point."""
    if not state.bodies.count:
        return JointWrenches(forces.F, forces.N)
    point = state.p[0]
    both = state.bodies.accumulate_inward(
        np.concatenate([forces.F, forces.N + cross(state.c - point, forces.F)], axis=2)
    )
    S = both[..., :3]
    return JointWrenches(S, both[..., 3:] - cross(state.p - point, S))


def joint_forces(state: BodyMotion, wrenches: JointWrenches) -> Array:
    """Joint forces (samples, nv): projections on the joint axes, z_k . moment (or z_k . force)."""
    bodies = state.bodies
    tau = np.zeros((state.p.shape[1], state.mechanism.nv))
    R = state.R[bodies.body]
    for axes, x in ((bodies.angular, wrenches.moment), (bodies.linear, wrenches.S)):
        if axes.any():
            tau[:, bodies.v_index] += ((R @ axes[:, None, :, None])[..., 0] * x[bodies.body]).sum(axis=-1).T
    return tau


def wrench_forces(state: BodyMotion, body: int, position: Array, force: Array, moment: Array) -> Array:
    """Joint forces (samples, nv) with which a body exerts a force and moment at a point on its environment.

    Only the joints between the base and the body contribute.
    """
    tau = np.zeros((state.p.shape[1], state.mechanism.nv))
    for i in state.mechanism.support(body):
        at = moment + np.cross(position - state.p[i], force)
        own = state.mechanism.bodies[i]
        for direction, k in zip(own.joint.directions(), own.v, strict=True):
            angular = state.R[i] @ np.array(direction.angular, dtype=np.float64)
            linear = state.R[i] @ np.array(direction.linear, dtype=np.float64)
            tau[:, k] = (angular * at).sum(-1) + (linear * force).sum(-1)
    return tau


class Matrices(NamedTuple):
    """tau = L @ T @ P of one sample, sparse; P: [F, N] of each body, then the sums beyond inner joints."""

    L: sparse.csr_array
    T: sparse.csr_array
    P: Array


def matrices(state: BodyMotion, forces: NodalForces, sample: int = 0) -> Matrices:
    """[L], [T] and {P} of one sample, for inspection; their product costs more than the backward sum.

    {P} contains F and N of every body, then for every body whose parent moves the sum S of the forces beyond
    its joint; [T] transforms each to the axes of the link it acts on; a row of [L] contains, for every body
    beyond joint k, z_k in link axes times [r_C x], 1 and [l x].
    """
    mechanism: Mechanism = state.mechanism
    bodies = mechanism.bodies
    S = joint_wrenches(state, forces).S[:, sample]
    R, p, c = state.R[:, sample], state.p[:, sample], state.c[:, sample]
    inner = [i for i, body in enumerate(bodies) if body.parent != WORLD]
    column = {i: 6 * len(bodies) + 3 * k for k, i in enumerate(inner)}
    P = np.concatenate([*(np.r_[forces.F[i, sample], forces.N[i, sample]] for i in range(len(bodies))),
                        *(S[i] for i in inner)])  # fmt: skip
    rotations = [R[i].T for i in range(len(bodies)) for _ in range(2)] + [
        R[bodies[i].parent].T for i in inner
    ]
    known = state.bodies
    angular, linear = ((R[known.body] @ x[..., None])[..., 0] for x in (known.angular, known.linear))
    of_body: dict[int, list[int]] = {}
    for k, i in enumerate(known.body.tolist()):
        of_body.setdefault(i, []).append(k)
    rows: list[Array] = []
    columns: list[Array] = []
    values: list[Array] = []

    def add(free: list[int], start: int, three: Array) -> None:
        rows.append(np.repeat(known.v_index[free], 3))
        columns.append(np.tile(np.arange(start, start + 3), len(free)))
        values.append(three.ravel())

    below: dict[int, list[int]] = {WORLD: []}  # coordinates that move the parent of a body
    for i, body in enumerate(bodies):
        inner, below[i] = below[body.parent], below[body.parent] + of_body.get(i, [])
        z = angular[below[i]]
        # z . (r x F) = (z x r) . F, in link axes.
        add(below[i], 6 * i, (np.cross(z, c[i] - p[i]) + linear[below[i]]) @ R[i])
        add(below[i], 6 * i + 3, z @ R[i])
        if i in column:
            parent = body.parent
            add(inner, column[i], np.cross(angular[inner], p[i] - p[parent]) @ R[parent])
    data = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    L = sparse.csr_array(data, shape=(mechanism.nv, len(P)))
    return Matrices(L, sparse.csr_array(sparse.block_diag(rotations)), P)


def loaded_joint_wrenches(state: BodyMotion, loads: list[Load]) -> JointWrenches:
    """Joint wrenches of the bodies' inertia and additional loads."""
    forces = nodal_forces(state)
    F, N = forces.F.copy(), forces.N.copy()
    for load in loads:
        F[load.body] += load.force
        N[load.body] += load.moment + cross(load.position - state.c[load.body], load.force)
    return joint_wrenches(state, NodalForces(F, N))


def joint_torques(problem: Problem, loads: list[Load]) -> Array:
    """Joint forces (samples, nv) of inertia and loads, with rotor inertia, friction and joint springs."""
    state, motion = problem.state, problem.motion
    tau = joint_forces(state, loaded_joint_wrenches(state, loads))
    own = state.bodies.joint_parameters
    tau += own.rotor * motion.a
    if problem.friction:
        tau += own.viscous * motion.v + own.coulomb * np.sign(motion.v)
        tau[:, own.spring_index] += own.stiffness * (motion.q[:, own.q_index] - own.rest)
    return tau


def node_of_mass(problem: Problem, name: str) -> tuple[int, int]:
    """Node and body of an extra mass."""
    node = problem.layout.node_of_mass(name, problem.phases.mass_on_end(name))
    return node, problem.layout.nodes[node].body


def mass_loads(problem: Problem) -> list[Load]:
    """Inertial loads of the extra point masses."""
    loads = []
    for name, mass in problem.layout.masses.items():
        node, body = node_of_mass(problem, name)
        if body != WORLD:
            position = problem.layout.nodes[node].position
            force = mass * problem.state.a_minus_g_at(body, position)
            loads.append(
                Load(body, node, problem.state.position(body, position), force, np.zeros_like(force))
            )
    return loads


def wrench_loads(problem: Problem, wrenches: Mapping[str, ArrayLike]) -> list[Load]:
    """Loads of external wrenches on the robot at frames: the joints balance them."""
    loads, size = [], len(problem.motion.t)
    for name, wrench in by_name("Wrenches", wrenches, "wrenches={frame: six numbers}").items():
        problem.layout.robot.frame(name)
        body, pose = problem.layout.mechanism.frames[name]
        what = f"The wrench at {name!r}, (force, moment) of six numbers or six for each sample,"
        w = np.broadcast_to(numbers(what, wrench, (6,), (1, 6), (size, 6)), (size, 6))
        if body != WORLD:
            node = problem.layout.frames.get(name, problem.layout.origin[body])
            loads.append(Load(body, node, problem.state.position(body, pose.p), -w[:, :3], -w[:, 3:]))
    return loads
