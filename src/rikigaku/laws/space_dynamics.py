"""Dynamics of free-floating robots: generalized inertia, its Christoffel matrix, torques and accelerations.

tau = H* a + C* rates at zero momentum; the momentum of v adds gyroscopic terms, outer wrenches theirs. All of
it follows from one Newton-Euler pass without accelerations and the momenta of composite bodies.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rikigaku.laws.coriolis import coriolis_matrix
from rikigaku.laws.floating import Floating, floating
from rikigaku.laws.forward import forward_dynamics
from rikigaku.laws.shaped import shaped
from rikigaku.laws.space_base import free_base
from rikigaku.laws.space_bias import Bias, bias
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.functions import sign
from rikigaku.numbers.kind import Number
from rikigaku.spatial import vector
from rikigaku.spatial.twist import Twist, Wrench
from rikigaku.spatial.vector import Vector

Numbers = Sequence[Number]

NO_WRENCH = Wrench(vector.ZERO, vector.ZERO)


def generalized_inertia(mechanism: Mechanism, q: Numbers) -> Any:
    """H* with kinetic energy rates^T H* rates / 2 at zero momentum, n x n, rotors included (eq 42)."""
    state = floating(mechanism, q, in_base_axes=True)
    parents, rotors, arm = mechanism.parent_dofs(), _rotors(mechanism), list(state.momenta)
    H: list[list[Number]] = [[0] * len(arm) for _ in arm]
    for i, k in enumerate(arm):
        carriers = set(_carriers(parents, k))
        for j, other in enumerate(arm):
            if other in carriers:
                entry = state.momenta[k].power(state.directions[other].plus(state.answers[other]))
            elif k not in _carriers(parents, other) and j < i:  # on two arms: through the base alone
                entry = state.momenta[k].power(state.answers[other])
            else:
                continue
            H[i][j] = H[j][i] = entry + rotors[k] if i == j else entry
    return shaped(H, (0,))


def generalized_coriolis(mechanism: Mechanism, q: Numbers, rates: Numbers) -> Any:
    """C* with C* rates the velocity forces at zero momentum: the Christoffel matrix of H*, n x n.

    With N the motion of all coordinates per unit rate of the arm, C* = N^T C N: what N changes by is a motion
    of the base, and N^T M has no part along those.
    """
    state = floating(mechanism, q)
    base = state.base
    columns = []
    for i, twist in enumerate(state.answers.values()):
        unit = [int(i == j) for j in range(len(base.arm))]
        columns.append(base.whole(base.rates(state.at_origin(twist)), unit))
    v = [
        _sum(column[k] * rate for column, rate in zip(columns, rates, strict=True))
        for k in range(mechanism.nv)
    ]
    C = coriolis_matrix(mechanism, q, v)
    moved = [[_sum(x * y for x, y in zip(row, column, strict=True)) for row in C] for column in columns]
    return shaped(
        [[_sum(x * y for x, y in zip(column, other, strict=True)) for other in moved] for column in columns],
        (0,),
    )


def floating_inverse_dynamics(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    accelerations: Numbers,
    wrenches: Mapping[str, Numbers] | None = None,
    friction: bool = True,
) -> list[Number]:
    """Torques of the arm that give its joints these accelerations while the base floats (eqs 28-41).

    Args:
        v: velocities of all coordinates; they carry the momentum.
        wrenches: on the robot from outside (thrusters, contact), as for `inverse_dynamics`. A field of
            gravity changes no torque: everything falls alike.
    """
    state = floating(mechanism, q)
    return torques(state, q, bias(state, q, v, wrenches), v, accelerations, friction)


def inertial_torques(mechanism: Mechanism, q: Numbers, accelerations: Numbers) -> list[Number]:
    """H* accelerations: the torques without the products of velocities (eq 44)."""
    state = floating(mechanism, q, in_base_axes=True)
    return _carried(state, NO_WRENCH, accelerations)


def floating_forward_dynamics(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    torques: Numbers,
    gravity: Vector | None = None,
    wrenches: Mapping[str, Numbers] | None = None,
    friction: bool = True,
) -> list[Number]:
    """Accelerations of all coordinates under torques of the arm; nothing drives the base but wrenches."""
    base = free_base(mechanism, q)
    tau = base.whole([0] * len(base.own), torques)
    return forward_dynamics(mechanism, q, v, tau, gravity, wrenches, friction)


def torques(
    state: Floating, q: Numbers, velocity_terms: Bias, v: Numbers, accelerations: Numbers, friction: bool
) -> list[Number]:
    """The arm's torques from its accelerations and the velocity terms."""
    result = _carried(state, velocity_terms.reaction, accelerations)
    tau = [x + velocity_terms.forces[k] for x, k in zip(result, state.momenta, strict=True)]
    if friction:
        bodies = state.mechanism.bodies[state.base.body + 1 :]
        felt = {k: body for body in bodies for k in body.v}
        for i, k in enumerate(state.momenta):
            body = felt[k]
            tau[i] = tau[i] + body.viscous * v[k] + body.coulomb * sign(v[k]) + body.spring(q)
    return tau


def _carried(state: Floating, reaction: Wrench, accelerations: Numbers) -> list[Number]:
    """Torques of the arm's accelerations, and of the base's that follow from them and from the reaction.

    Twice along the tree: outward the acceleration A_k of what coordinate k carries, inward the momenta P_k of
    what moves beyond it; tau_k = (momentum_k) . A_k + (direction_k) . P_k, the product of H with the
    accelerations without H.
    """
    asked = dict(zip(state.momenta, accelerations, strict=True))
    parents, rotors = state.mechanism.parent_dofs(), _rotors(state.mechanism)
    outward = sorted(asked, key=lambda k: len(_carriers(parents, k)))
    beyond: dict[int, Wrench] = {}  # by carrier; the base's is under its last coordinate
    for k in reversed(outward):
        force, moment = (vector.scale(asked[k], x) for x in state.momenta[k])
        moved = Wrench(force, moment).plus(beyond.get(k, NO_WRENCH))
        beyond[parents[k]] = beyond.get(parents[k], NO_WRENCH).plus(moved)
    base = state.answer(beyond.get(state.base.own[-1], NO_WRENCH).plus(reaction))
    motion: dict[int, Twist] = {}
    tau: dict[int, Number] = {}
    for k in outward:
        motion[k] = motion.get(parents[k], base).plus(state.directions[k].times(asked[k]))
        tau[k] = state.momenta[k].power(motion[k]) + rotors[k] * asked[k]
        if k in beyond:
            tau[k] = tau[k] + beyond[k].power(state.directions[k])
    return [tau[k] for k in asked]


def _rotors(mechanism: Mechanism) -> dict[int, Number]:
    return {k: body.rotor for body in mechanism.bodies for k in body.v}


def _carriers(parents: Sequence[int], k: int) -> list[int]:
    """The coordinate itself and those it rides on."""
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
