"""Between the joints of a robot and the shape of its flexible mesh: rigid postures, and what joints read."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

from rikigaku.errors import CannotClose
from rikigaku.fem.coordinates import State
from rikigaku.fem.joined import Joined
from rikigaku.fem.kinematics import moving
from rikigaku.fem.quaternions import conjugate, logarithm, of_matrix, product
from rikigaku.fem.rows import Placed

Array = NDArray[np.float64]

_STEPS = 30
_CLOSED = 1e-7


def rigid_state(joined: Joined, q: Any) -> State:
    """The mesh in other postures q (samples, nq), links unbent.

    Raises:
        CannotClose: if a posture leaves a loop open.
    """
    q = np.atleast_2d(q)
    p, Q = _rigid_nodes(joined, q)
    places, net = {k: body for body in net_bodies(joined) for k in body.v}, joined.grid
    y, S = (
        np.zeros((len(q), joined.numbers.count[0])),
        np.tile([1.0, 0, 0, 0], (len(q), joined.numbers.count[1], 1)),
    )
    for name, (k, factor) in joined.numbers.scalar.items():
        if isinstance(name, int) and factor == 1.0:
            y[:, k] = q[:, places[name].q.start] - net.q[places[name].q.start]
    for name, k in joined.numbers.ball.items():
        if isinstance(name, int):
            own = places[name].q
            axes = of_matrix(net.R[[b.v.start for b in net_bodies(joined)].index(name)])
            change = product(conjugate(net.q[own]), q[:, list(own)])
            S[:, k] = product(axes, product(change, conjugate(axes)))
    return _closed(joined, State(p[:, joined.free], Q[:, joined.free], y, S), p, Q)


def net_bodies(joined: Joined) -> list[Any]:
    """The bodies of the mechanism."""
    return list(joined.grid.layout.mechanism.bodies)


def _rigid_nodes(joined: Joined, q: Array) -> tuple[Array, Array]:
    """Places and turns of all nodes of the grid if links were rigid."""
    net, mechanism = joined.grid, joined.grid.layout.mechanism
    zero, bodies = np.zeros((len(q), mechanism.nv)), net.layout.bodies
    now, then = moving(bodies, q, zero, zero), moving(bodies, net.q[None], zero[:1], zero[:1])
    p = np.tile(net.places, (len(q), 1, 1))
    Q = np.tile([1.0, 0, 0, 0], (len(q), len(net.places), 1))
    normal = net.layout.normal
    flat = np.eye(3) if normal is None else np.eye(3) - np.outer(normal, normal)
    turned = now.R @ np.swapaxes(then.R, -1, -2)  # (bodies, samples, 3, 3)
    for i in range(len(mechanism.bodies)):
        on = np.flatnonzero(net.body == i)
        r = net.places[on] - flat @ then.p[i, 0]
        p[:, on] = (now.p[i] @ flat)[:, None] + np.einsum("sij,nj->sni", turned[i], r)
        Q[:, on] = of_matrix(turned[i])[:, None]
    return p, Q


def _closed(joined: Joined, state: State, p: Array, Q: Array) -> State:
    """Coordinates of loops follow: Newton's steps on the nodes of the grid, from where joints are known."""
    n = len(joined.grid.places)
    gap = np.inf
    for _ in range(_STEPS):
        at = joined.placed(state)
        left = np.concatenate(
            [p - at.p[:, :n], logarithm(product(Q, conjugate(at.Q[:, :n])))], axis=-1
        ).reshape(len(p), -1)
        gap = float(np.abs(left).max(initial=0.0))
        if gap < 1e-13 or not any(
            isinstance(name, str) for name in (*joined.numbers.scalar, *joined.numbers.ball)
        ):
            break
        state = joined.moved(state, _nearest(joined, at, left))
    if not gap < _CLOSED:
        raise CannotClose(
            f"A posture leaves the loops of robot {joined.grid.layout.robot.name!r} open by {gap:.3g} (m or "
            "rad). Give one that closes them: q = robot.assemble(...)."
        )
    return state


def _nearest(joined: Joined, at: Placed, V: Array) -> Array:
    """nu of twists V (samples, 6 nodes) of all nodes, by least squares."""
    T = joined.rows.values(at)
    found = np.empty((len(V), joined.size))
    for k in range(len(V)):
        one = joined.rows.matrix(T[k : k + 1]).tocsc()
        found[k] = splu((one.T @ one).tocsc()).solve(one.T @ V[k])
    return found


def rigid_rates(joined: Joined, v: Array) -> Array:
    """nu (1, size) in the posture of the grid for joint velocities v, links moving as if rigid."""
    net, mechanism = joined.grid, joined.grid.layout.mechanism
    now = moving(net.layout.bodies, net.q[None], v[None], np.zeros((1, mechanism.nv)))
    V = np.zeros((len(net.places), 6))
    for n, i in enumerate(net.body):
        if i >= 0:
            V[n, 3:] = now.omega[i, 0]
            V[n, :3] = now.velocity[i, 0] + np.cross(now.omega[i, 0], net.places[n] - now.c[i, 0])
    if net.layout.normal is not None:
        V[:, :3] -= np.outer(V[:, :3] @ net.layout.normal, net.layout.normal)
    at = joined.placed(joined.start)
    nu = _nearest(joined, at, V.reshape(1, -1))
    gap = float(np.abs(joined.rates(at, nu)[0][0, : len(V)] - V).max(initial=0.0))
    if gap > _CLOSED * max(1.0, float(np.abs(V).max(initial=0.0))):
        raise CannotClose(
            f"The velocities given pull the loops of robot {net.layout.robot.name!r} apart (by {gap:.3g} m/s "
            "or rad/s). Complete those of the independent joints: v, a = robot.complete(q, v_act, a_act)."
        )
    return nu


def joint_state(joined: Joined, state: State, at: Placed, nu: Array) -> tuple[Array, Array]:
    """q (samples, nq) and v (samples, nv) of the joints; locked ones stay."""
    net, count = joined.grid, len(nu)
    q, v = np.tile(net.q, (count, 1)), np.zeros((count, net.layout.mechanism.nv))
    v[:, list(joined.joints)] = joined.turning.rates(nu)
    twists = joined.rates(at, nu)[0] if joined.ties.free_bodies else None
    for i, body in enumerate(net_bodies(joined)):
        name = body.v.start if len(body.v) else None
        if name in joined.numbers.scalar:
            k, factor = joined.numbers.scalar[name]
            q[:, body.q.start] += factor * state.y[:, k]
        elif name in joined.numbers.ball:
            axes = of_matrix(net.R[i])
            change = product(conjugate(axes), product(state.S[:, joined.numbers.ball[name]], axes))
            q[:, list(body.q)] = product(net.q[list(body.q)], change)
        elif i in joined.ties.free_bodies and twists is not None:
            _read_free(joined, i, at, twists, q, v)
    return q, v


def _read_free(joined: Joined, i: int, at: Placed, twists: Array, q: Array, v: Array) -> None:
    """Pose and twist of a free body against its seat."""
    net, body = joined.grid, joined.grid.layout.mechanism.bodies[i]
    own, seat = net.layout.origin[i], net.layout.seat[i]
    frame = at.R[:, seat] @ (net.axes(body.parent) @ np.array(body.placement.R, dtype=np.float64))
    axes = at.R[:, own] @ net.R[i]
    r = at.p[:, own] - at.p[:, seat]
    q[:, list(body.q)[:3]] = np.einsum("sji,sj->si", frame, r)
    turn = of_matrix(np.swapaxes(frame, -1, -2) @ axes)
    before = np.concatenate([net.q[None, list(body.q)[3:]], turn[:-1]])
    sign = np.where((turn * before).sum(axis=1) < 0, -1.0, 1.0)  # q and -q are one rotation: no jumps
    q[:, list(body.q)[3:]] = np.cumprod(sign)[:, None] * turn
    against = twists[:, own] - twists[:, seat]
    against[:, :3] -= np.cross(twists[:, seat, 3:], r)
    v[:, list(body.v)[:3]] = np.einsum("sji,sj->si", axes, against[:, :3])
    v[:, list(body.v)[3:]] = np.einsum("sji,sj->si", axes, against[:, 3:])
