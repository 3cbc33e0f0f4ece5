"""Forward dynamics and the inverse mass matrix, by sparse factors of the mass matrix."""

from collections.abc import Mapping, Sequence

from rikigaku.laws import ltdl
from rikigaku.laws.composite_body import mass_entries
from rikigaku.laws.newton_euler import inverse_dynamics
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.kind import Number
from rikigaku.spatial.vector import Vector

Numbers = Sequence[Number]


def forward_dynamics(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    tau: Numbers,
    gravity: Vector | None = None,
    wrenches: Mapping[str, Numbers] | None = None,
    friction: bool = True,
) -> list[Number]:
    """Accelerations under the joint forces: a = M^-1 (tau - h - g - viscous friction + J^T wrenches).

    Coulomb friction is left out: what it does at rest is a matter for `simulate`.
    """
    bias = inverse_dynamics(mechanism, q, v, [0] * mechanism.nv, gravity, wrenches, friction=False)
    if friction:
        for body in mechanism.bodies:
            for k in body.v:
                bias[k] = bias[k] + body.viscous * v[k]
    return mass_factors(mechanism, q).solve([t - b for t, b in zip(tau, bias, strict=True)])


def inverse_mass_matrix(mechanism: Mechanism, q: Numbers) -> list[list[Number]]:
    """M^-1, nv x nv."""
    return ltdl.inverse(mass_factors(mechanism, q))


def mass_factors(mechanism: Mechanism, q: Numbers) -> ltdl.Factors:
    """Sparse factors of the mass matrix."""
    return ltdl.factorize(mass_entries(mechanism, q), mechanism.parent_dofs())
