"""Dynamics of free-floating robots: generalized inertia H*, Christoffel matrix C*, inverse and forward.

tau = H* a + C* v of the arm at zero momentum. Momentum adds gyroscopic and centrifugal terms, external
wrenches their own. The method is one Newton-Euler pass at zero accelerations and the momenta of composite
bodies. Equation numbers are those of Part X of Umetani, Yoshida and Kurazume.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rikigaku.laws.shaped import shaped
from rikigaku.laws.space.bias_acceleration import Bias, bias
from rikigaku.laws.space.floating_state import FloatingState, floating_state
from rikigaku.laws.space.free_base import free_base
from rikigaku.laws.tree.coriolis_matrix import coriolis_matrix
from rikigaku.laws.tree.forward_dynamics import forward_dynamics
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.elementary_functions import sign
from rikigaku.numbers.number_kind import Number, Numbers
from rikigaku.spatial import vector
from rikigaku.spatial.twist import Twist, Wrench
from rikigaku.spatial.vector import Vector

NO_WRENCH = Wrench(vector.ZERO, vector.ZERO)


def generalized_inertia(mechanism: Mechanism, q: Numbers) -> Any:
    """H* with kinetic energy v^T H* v / 2 at zero momentum, v of the arm; n x n (eq 42).

    Rotor inertias are included.
    """
    state = floating_state(mechanism, q, in_base_axes=True)
    parents, rotors, arm = mechanism.parent_dofs(), _rotors(mechanism), list(state.momenta)
    H: list[list[Number]] = [[0] * len(arm) for _ in arm]
    for i, k in enumerate(arm):
        supporting = set(_supporting(parents, k))
        for j, other in enumerate(arm):
            if other in supporting:
                entry = state.momenta[k].power(state.directions[other].plus(state.base_responses[other]))
            elif k not in _supporting(parents, other) and j < i:  # on two arms: coupled by the base alone
                entry = state.momenta[k].power(state.base_responses[other])
            else:
                continue
            H[i][j] = H[j][i] = entry + rotors[k] if i == j else entry
    return shaped(H, (0,))


def generalized_coriolis(mechanism: Mechanism, q: Numbers, v: Numbers) -> Any:
    """C* with C* v the velocity forces at zero momentum, v of the arm: the Christoffel matrix of H*, n x n.

    C* = N^T C N, where N gives the velocities of all coordinates per unit velocity of the arm and C is the
    Christoffel matrix of the whole robot. The term N^T M dN/dt vanishes: dN/dt is a motion of the base, and
    N^T M is zero along these.
    """
    state = floating_state(mechanism, q)
    base = state.base
    columns = []
    for i, twist in enumerate(state.base_responses.values()):
        unit = [int(i == j) for j in range(len(base.arm))]
        columns.append(base.all_coordinates(base.velocities(state.at_origin(twist)), unit))
    v_all = [_sum(column[k] * x for column, x in zip(columns, v, strict=True)) for k in range(mechanism.nv)]
    C = coriolis_matrix(mechanism, q, v_all)
    C_N = [[_sum(x * y for x, y in zip(row, column, strict=True)) for row in C] for column in columns]
    return shaped(
        [[_sum(x * y for x, y in zip(column, other, strict=True)) for other in C_N] for column in columns],
        (0,),
    )


def floating_inverse_dynamics(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    a: Numbers,
    wrenches: Mapping[str, Numbers] | None = None,
    friction: bool = True,
) -> list[Number]:
    """Joint forces tau of the arm that produce its accelerations a while the base floats (eqs 28-41).

    Args:
        v: velocities of all coordinates, (nv,); they determine the momentum. a: of the arm, (n,).
        wrenches: external wrenches by frame (thrusters, contact), as for `inverse_dynamics`. Uniform gravity
            changes no joint force: all bodies fall alike.
    """
    state = floating_state(mechanism, q)
    return arm_forces(state, q, bias(state, q, v, wrenches), v, a, friction)


def inertial_torques(mechanism: Mechanism, q: Numbers, a: Numbers) -> list[Number]:
    """H* a: joint forces of the arm without the velocity terms (eq 44); a: of the arm, (n,)."""
    state = floating_state(mechanism, q, in_base_axes=True)
    return _inertial_forces(state, NO_WRENCH, a)


def floating_forward_dynamics(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    tau: Numbers,
    gravity: Vector | None = None,
    wrenches: Mapping[str, Numbers] | None = None,
    friction: bool = True,
) -> list[Number]:
    """Accelerations of all coordinates, (nv,), under joint forces tau of the arm, (n,); the base is free."""
    base = free_base(mechanism, q)
    tau_all = base.all_coordinates([0] * len(base.base), tau)
    return forward_dynamics(mechanism, q, v, tau_all, gravity, wrenches, friction)


def arm_forces(
    state: FloatingState, q: Numbers, velocity_terms: Bias, v: Numbers, a: Numbers, friction: bool
) -> list[Number]:
    """Joint forces of the arm from its accelerations a and the velocity terms; v: of all coordinates."""
    inertial = _inertial_forces(state, velocity_terms.reaction, a)
    tau = [x + velocity_terms.forces[k] for x, k in zip(inertial, state.momenta, strict=True)]
    if friction:
        bodies = state.mechanism.bodies[state.base.body + 1 :]
        body_of = {k: body for body in bodies for k in body.v}
        for i, k in enumerate(state.momenta):
            body = body_of[k]
            tau[i] = tau[i] + body.viscous * v[k] + body.coulomb * sign(v[k]) + body.spring(q)
    return tau


def _inertial_forces(state: FloatingState, reaction: Wrench, a: Numbers) -> list[Number]:
    """H* a plus the joint forces of the base acceleration that the reaction causes; a: of the arm.

    The product is formed without H*, by two sums along the tree: inward the momentum rates P_k of the bodies
    outside coordinate k, outward the acceleration A_k of the body that coordinate k moves;
    tau_k = momentum_k . A_k + direction_k . P_k.
    """
    a_of = dict(zip(state.momenta, a, strict=True))
    parents, rotors = state.mechanism.parent_dofs(), _rotors(state.mechanism)
    outward = sorted(a_of, key=lambda k: len(_supporting(parents, k)))
    outer: dict[int, Wrench] = {}  # by coordinate; the base's under its last coordinate
    for k in reversed(outward):
        force, moment = (vector.scale(a_of[k], x) for x in state.momenta[k])
        total = Wrench(force, moment).plus(outer.get(k, NO_WRENCH))
        outer[parents[k]] = outer.get(parents[k], NO_WRENCH).plus(total)
    base = state.base_response(outer.get(state.base.base[-1], NO_WRENCH).plus(reaction))
    acceleration: dict[int, Twist] = {}
    tau: dict[int, Number] = {}
    for k in outward:
        acceleration[k] = acceleration.get(parents[k], base).plus(state.directions[k].times(a_of[k]))
        tau[k] = state.momenta[k].power(acceleration[k]) + rotors[k] * a_of[k]
        if k in outer:
            tau[k] = tau[k] + outer[k].power(state.directions[k])
    return [tau[k] for k in a_of]


def _rotors(mechanism: Mechanism) -> dict[int, Number]:
    return {k: body.rotor for body in mechanism.bodies for k in body.v}


def _supporting(parents: Sequence[int], k: int) -> list[int]:
    """The coordinate itself and those between it and the root."""
    result = []
    while k >= 0:
        result.append(k)
        k = parents[k]
    return result


def _sum(terms: Iterable[Number]) -> Number:
    total: Number = 0
    for x in terms:
        total = total + x
    return total
