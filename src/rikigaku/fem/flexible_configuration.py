"""Joint coordinates q, v and the shape of a flexible mesh: rigid configurations, and joint readings."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse.linalg import splu

from rikigaku.core.errors import CannotClose
from rikigaku.core.types import Array
from rikigaku.fem.body_kinematics import body_motion
from rikigaku.fem.mpc_jacobian import NodePoses
from rikigaku.fem.mpc_kinematics import MeshKinematics
from rikigaku.fem.multipoint_constraints import State
from rikigaku.fem.quaternion_arrays import conjugate, logarithm, of_matrix, product
from rikigaku.model.mechanism import Body

_ITERATIONS = 30
_CLOSED = 1e-7


def rigid_state(kinematics: MeshKinematics, q: ArrayLike) -> State:
    """Shape of the mesh at other configurations q (samples, nq), with undeformed links.

    Raises:
        CannotClose: if a configuration leaves a loop open.
    """
    q = np.atleast_2d(np.asarray(q, dtype=np.float64))
    p, Q = _rigid_nodes(kinematics, q)
    bodies, grid = {k: body for body in _bodies(kinematics) for k in body.v}, kinematics.grid
    scalars, sphericals = kinematics.coordinates.count
    y, S = np.zeros((len(q), scalars)), np.tile([1.0, 0, 0, 0], (len(q), sphericals, 1))
    for name, (k, factor) in kinematics.coordinates.scalar.items():
        if isinstance(name, int) and factor == 1.0:
            y[:, k] = q[:, bodies[name].q.start] - grid.q[bodies[name].q.start]
    for name, k in kinematics.coordinates.spherical.items():
        if isinstance(name, int):
            own = bodies[name].q
            axes = of_matrix(grid.R[[b.v.start for b in _bodies(kinematics)].index(name)])
            change = product(conjugate(grid.q[own]), q[:, list(own)])
            S[:, k] = product(axes, product(change, conjugate(axes)))
    return _closed_loops(kinematics, State(p[:, kinematics.free], Q[:, kinematics.free], y, S), p, Q)


def _bodies(kinematics: MeshKinematics) -> list[Body]:
    """Bodies of the mechanism."""
    return list(kinematics.grid.layout.mechanism.bodies)


def _rigid_nodes(kinematics: MeshKinematics, q: Array) -> tuple[Array, Array]:
    """Positions and rotations of all nodes of the grid, if the links were rigid."""
    grid, mechanism = kinematics.grid, kinematics.grid.layout.mechanism
    zero, bodies = np.zeros((len(q), mechanism.nv)), grid.layout.bodies
    current = body_motion(bodies, q, zero, zero)
    initial = body_motion(bodies, grid.q[None], zero[:1], zero[:1])
    p = np.tile(grid.positions, (len(q), 1, 1))
    Q = np.tile([1.0, 0, 0, 0], (len(q), len(grid.positions), 1))
    normal = grid.layout.normal
    projection = np.eye(3) if normal is None else np.eye(3) - np.outer(normal, normal)
    relative_R = current.R @ np.swapaxes(initial.R, -1, -2)  # (bodies, samples, 3, 3)
    for i in range(len(mechanism.bodies)):
        on = np.flatnonzero(grid.body == i)
        r = grid.positions[on] - projection @ initial.p[i, 0]
        p[:, on] = (current.p[i] @ projection)[:, None] + np.einsum("sij,nj->sni", relative_R[i], r)
        Q[:, on] = of_matrix(relative_R[i])[:, None]
    return p, Q


def _closed_loops(kinematics: MeshKinematics, state: State, p: Array, Q: Array) -> State:
    """Coordinates of the loops by Newton's method on the node positions, from the known joint coordinates."""
    n = len(kinematics.grid.positions)
    gap = np.inf
    for _ in range(_ITERATIONS):
        at = kinematics.node_poses(state)
        error = np.concatenate(
            [p - at.p[:, :n], logarithm(product(Q, conjugate(at.Q[:, :n])))], axis=-1
        ).reshape(len(p), -1)
        gap = float(np.abs(error).max(initial=0.0))
        if gap < 1e-13 or not any(
            isinstance(name, str)
            for name in (*kinematics.coordinates.scalar, *kinematics.coordinates.spherical)
        ):
            break
        state = kinematics.displaced(state, _least_squares_rates(kinematics, at, error))
    if not gap < _CLOSED:
        raise CannotClose(
            f"A configuration leaves the loops of robot {kinematics.grid.layout.robot.name!r} open by "
            f"{gap:.3g} (m or rad). Give one that closes them: q = robot.assemble(...)."
        )
    return state


def _least_squares_rates(kinematics: MeshKinematics, at: NodePoses, V: Array) -> Array:
    """Rates nu that fit the twists V (samples, 6 nodes) of all nodes in the least-squares sense."""
    T = kinematics.jacobian.values(at)
    found = np.empty((len(V), kinematics.size))
    for k in range(len(V)):
        one = kinematics.jacobian.matrix(T[k : k + 1]).tocsc()
        found[k] = splu((one.T @ one).tocsc()).solve(one.T @ V[k])
    return found


def rigid_rates(kinematics: MeshKinematics, v: Array) -> Array:
    """Rates nu (1, size) at the undeformed configuration for joint velocities v of rigid links.

    Raises:
        CannotClose: if v violates a loop-closure constraint.
    """
    grid, mechanism = kinematics.grid, kinematics.grid.layout.mechanism
    current = body_motion(grid.layout.bodies, grid.q[None], v[None], np.zeros((1, mechanism.nv)))
    V = np.zeros((len(grid.positions), 6))
    for n, i in enumerate(grid.body):
        if i >= 0:
            V[n, 3:] = current.omega[i, 0]
            V[n, :3] = current.velocity[i, 0] + np.cross(
                current.omega[i, 0], grid.positions[n] - current.c[i, 0]
            )
    if grid.layout.normal is not None:
        V[:, :3] -= np.outer(V[:, :3] @ grid.layout.normal, grid.layout.normal)
    at = kinematics.node_poses(kinematics.undeformed)
    nu = _least_squares_rates(kinematics, at, V.reshape(1, -1))
    gap = float(np.abs(kinematics.twists_and_bias(at, nu)[0][0, : len(V)] - V).max(initial=0.0))
    if gap > _CLOSED * max(1.0, float(np.abs(V).max(initial=0.0))):
        raise CannotClose(
            f"The velocities given pull the loops of robot {grid.layout.robot.name!r} apart (by "
            f"{gap:.3g} m/s or rad/s). Complete those of the independent joints: "
            "v, a = robot.complete(q, v_act, a_act)."
        )
    return nu


def joint_state(kinematics: MeshKinematics, state: State, at: NodePoses, nu: Array) -> tuple[Array, Array]:
    """Joint coordinates q (samples, nq) and v (samples, nv) of shapes; locked joints keep theirs."""
    grid, count = kinematics.grid, len(nu)
    q, v = np.tile(grid.q, (count, 1)), np.zeros((count, grid.layout.mechanism.nv))
    v[:, list(kinematics.joints)] = kinematics.joint_rates.rates(nu)
    twists = kinematics.twists_and_bias(at, nu)[0] if kinematics.constraints.free_bodies else None
    for i, body in enumerate(_bodies(kinematics)):
        name = body.v.start if len(body.v) else None
        if name in kinematics.coordinates.scalar:
            k, factor = kinematics.coordinates.scalar[name]
            q[:, body.q.start] += factor * state.y[:, k]
        elif name in kinematics.coordinates.spherical:
            axes = of_matrix(grid.R[i])
            change = product(
                conjugate(axes), product(state.S[:, kinematics.coordinates.spherical[name]], axes)
            )
            q[:, list(body.q)] = product(grid.q[list(body.q)], change)
        elif i in kinematics.constraints.free_bodies and twists is not None:
            _free_body_state(kinematics, i, at, twists, q, v)
    return q, v


def _free_body_state(
    kinematics: MeshKinematics, i: int, at: NodePoses, twists: Array, q: Array, v: Array
) -> None:
    """Write pose and twist of a free body relative to its parent node into q and v."""
    grid, body = kinematics.grid, kinematics.grid.layout.mechanism.bodies[i]
    own, parent_node = grid.layout.origin[i], grid.layout.parent_node[i]
    frame = at.R[:, parent_node] @ (grid.axes(body.parent) @ np.array(body.placement.R, dtype=np.float64))
    axes = at.R[:, own] @ grid.R[i]
    r = at.p[:, own] - at.p[:, parent_node]
    q[:, list(body.q)[:3]] = np.einsum("sji,sj->si", frame, r)
    rotation = of_matrix(np.swapaxes(frame, -1, -2) @ axes)
    before = np.concatenate([grid.q[None, list(body.q)[3:]], rotation[:-1]])
    # q and -q are the same rotation: keep the sign continuous.
    sign = np.where((rotation * before).sum(axis=1) < 0, -1.0, 1.0)
    q[:, list(body.q)[3:]] = np.cumprod(sign)[:, None] * rotation
    relative = twists[:, own] - twists[:, parent_node]
    relative[:, :3] -= np.cross(twists[:, parent_node, 3:], r)
    v[:, list(body.v)[:3]] = np.einsum("sji,sj->si", axes, relative[:, :3])
    v[:, list(body.v)[3:]] = np.einsum("sji,sj->si", axes, relative[:, 3:])
