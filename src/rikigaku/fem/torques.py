"""From nodal forces to joint torques: tau = [L][T]{P}, applied as a backward sum in time linear in links.

Each body's force at its centre of mass (F, N) and the sum of all forces beyond each of its outer joints make
{P}; [T] turns it into link axes, [L] holds the lengths (equations 4 to 7 of Isobe's paper and their form in
space). The sum of what lies beyond is carried inwards once, so no matrix is needed to apply the product.
Reference: D. Isobe, Calculation of inverse dynamics for closed-loop link mechanisms using FEM.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from rikigaku.fem.kinematics import Moving
from rikigaku.fem.quaternions import cross
from rikigaku.model.mechanism import WORLD, Mechanism

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NodalForces:
    """What each body's centre of mass must be pushed with: F [N] and N [N m], (bodies, samples, 3)."""

    F: Array
    N: Array


class Carried(NamedTuple):
    """What each joint passes on to its body and all beyond: force S and moment about the body's origin."""

    S: Array
    moment: Array


def nodal_forces(state: Moving) -> NodalForces:
    """F = m (a - g), N = I alpha + omega x I omega; a constant mass matrix lacks the gyroscopic term."""
    F = state.bodies.mass[:, None, None] * state.felt
    spin, push = ((state.tensor @ x[..., None])[..., 0] for x in (state.omega, state.alpha))
    return NodalForces(F, push + cross(state.omega, spin))


def carried(state: Moving, forces: NodalForces) -> Carried:
    """The sums of equation (4), from the tips inwards; moments about one point, so that they only add."""
    if not state.bodies.count:
        return Carried(forces.F, forces.N)
    point = state.p[0]
    both = state.bodies.beyond(
        np.concatenate([forces.F, forces.N + cross(state.c - point, forces.F)], axis=2)
    )
    S = both[..., :3]
    return Carried(S, both[..., 3:] - cross(state.p - point, S))


def joint_forces(state: Moving, held: Carried) -> Array:
    """Along the free directions of every joint, (samples, nv): tau_k = z_k . moment (or . force)."""
    bodies = state.bodies
    tau = np.zeros((state.p.shape[1], state.mechanism.nv))
    R = state.R[bodies.body]
    for axes, x in ((bodies.turn, held.moment), (bodies.slide, held.S)):
        if axes.any():
            tau[:, bodies.place] += ((R @ axes[:, None, :, None])[..., 0] * x[bodies.body]).sum(axis=-1).T
    return tau


def wrench_forces(state: Moving, body: int, place: Array, force: Array, moment: Array) -> Array:
    """Joint forces that hold a force and moment acting *from* a point of a body outwards, (samples, nv).

    What the joints must give so that the body pushes with that force there: only those below the body do.
    """
    tau = np.zeros((state.p.shape[1], state.mechanism.nv))
    for i in state.mechanism.support(body):
        at = moment + np.cross(place - state.p[i], force)
        own = state.mechanism.bodies[i]
        for direction, k in zip(own.joint.directions(), own.v, strict=True):
            angular = state.R[i] @ np.array(direction.angular, dtype=np.float64)
            linear = state.R[i] @ np.array(direction.linear, dtype=np.float64)
            tau[:, k] = (angular * at).sum(-1) + (linear * force).sum(-1)
    return tau


class Matrices(NamedTuple):
    """tau = L @ T @ P for one sample, sparse; columns of P: [F, N] of each body, then the sum beyond it."""

    L: sparse.csr_array
    T: sparse.csr_array
    P: Array


def matrices(state: Moving, forces: NodalForces, sample: int = 0) -> Matrices:
    """[L], [T] and {P} themselves, for those who want to see them; their product costs more than the sum.

    {P} holds F and N of every body, then for every body carried by another the sum S of the forces beyond
    its joint; [T] turns each into the axes of the link it acts on; a row of [L] reads, for every body beyond
    joint k, z_k in link axes times [r_C x], 1 and [l x].
    """
    mechanism: Mechanism = state.mechanism
    bodies = mechanism.bodies
    S = carried(state, forces).S[:, sample]
    R, p, c = state.R[:, sample], state.p[:, sample], state.c[:, sample]
    inner = [i for i, body in enumerate(bodies) if body.parent != WORLD]
    column = {i: 6 * len(bodies) + 3 * k for k, i in enumerate(inner)}
    P = np.concatenate([*(np.r_[forces.F[i, sample], forces.N[i, sample]] for i in range(len(bodies))),
                        *(S[i] for i in inner)])  # fmt: skip
    turns = [R[i].T for i in range(len(bodies)) for _ in range(2)] + [R[bodies[i].parent].T for i in inner]
    known = state.bodies
    turn, slide = ((R[known.body] @ x[..., None])[..., 0] for x in (known.turn, known.slide))
    of_body: dict[int, list[int]] = {}
    for k, i in enumerate(known.body.tolist()):
        of_body.setdefault(i, []).append(k)
    rows: list[Array] = []
    columns: list[Array] = []
    values: list[Array] = []

    def add(free: list[int], start: int, three: Array) -> None:
        rows.append(np.repeat(known.place[free], 3))
        columns.append(np.tile(np.arange(start, start + 3), len(free)))
        values.append(three.ravel())

    below: dict[int, list[int]] = {WORLD: []}  # directions of v that move the carrier of a body
    for i, body in enumerate(bodies):
        inner, below[i] = below[body.parent], below[body.parent] + of_body.get(i, [])
        z = turn[below[i]]
        # z . (r x F) = (z x r) . F, all in the axes of the link
        add(below[i], 6 * i, (np.cross(z, c[i] - p[i]) + slide[below[i]]) @ R[i])
        add(below[i], 6 * i + 3, z @ R[i])
        if i in column:
            parent = body.parent
            add(inner, column[i], np.cross(turn[inner], p[i] - p[parent]) @ R[parent])
    data = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    L = sparse.csr_array(data, shape=(mechanism.nv, len(P)))
    return Matrices(L, sparse.csr_array(sparse.block_diag(turns)), P)
