"""Forward dynamics and the inverse mass matrix.

Two ways to the same accelerations: sparse factors of the mass matrix, whose work grows with the square of how
deep the tree is, and articulated bodies, whose work grows with the number of bodies and starts higher.
"""

from collections.abc import Mapping, Sequence

from rikigaku.errors import WrongValue
from rikigaku.laws import ltdl
from rikigaku.laws.articulated_body import articulated_dynamics
from rikigaku.laws.composite_body import mass_entries
from rikigaku.laws.newton_euler import inverse_dynamics, smooth_resistance
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.kind import Number
from rikigaku.spatial.vector import Vector

Numbers = Sequence[Number]

METHODS = ("auto", "factors", "articulated")

# Operations an articulated body costs more than its row of the mass matrix costs without its depth; counted
# on the programs of arms, humanoids and chains.
_ARTICULATED_COST = 140


def forward_dynamics(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    tau: Numbers,
    gravity: Vector | None = None,
    wrenches: Mapping[str, Numbers] | None = None,
    friction: bool = True,
    method: str = "auto",
) -> list[Number]:
    """Accelerations under the joint forces: M^-1 (tau - h - g - friction - springs + J^T wrenches).

    Friction is the viscous one: what Coulomb friction does at rest is a matter for `simulate`.
    method: "factors" (mass matrix), "articulated" (articulated bodies), or "auto", the one with less work.
    """
    if method not in METHODS:
        raise WrongValue(f"The method {method!r} is not known. Known: {', '.join(METHODS)}.")
    if method == "articulated" or (method == "auto" and _is_deep(mechanism.parent_dofs())):
        return articulated_dynamics(mechanism, q, v, tau, gravity, wrenches, friction)
    return mass_factors(mechanism, q).solve(net_forces(mechanism, q, v, tau, gravity, wrenches, friction))


def net_forces(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    tau: Numbers,
    gravity: Vector | None = None,
    wrenches: Mapping[str, Numbers] | None = None,
    friction: bool = True,
) -> list[Number]:
    """What is left of the joint forces to accelerate the robot: M a."""
    bias = inverse_dynamics(mechanism, q, v, [0] * mechanism.nv, gravity, wrenches, friction=False)
    if friction:
        bias = [b + r for b, r in zip(bias, smooth_resistance(mechanism, q, v), strict=True)]
    return [t - b for t, b in zip(tau, bias, strict=True)]


def inverse_mass_matrix(mechanism: Mechanism, q: Numbers) -> list[list[Number]]:
    """M^-1, nv x nv."""
    return mass_factors(mechanism, q).inverted.dense()


def mass_factors(mechanism: Mechanism, q: Numbers) -> ltdl.Factors:
    """Sparse factors of the mass matrix."""
    return ltdl.factorize(mass_entries(mechanism, q), mechanism.parent_dofs())


def _is_deep(parents: Sequence[int]) -> bool:
    """Whether articulated bodies take less work: rows and factors cost about 12 d + d^2 at depth d."""
    depths = [len(ltdl.ancestors(parents, i)) for i in range(len(parents))]
    return sum(12 * d + d * d for d in depths) > _ARTICULATED_COST * len(parents)
