"""Forward dynamics and the inverse mass matrix.

Forward dynamics has two methods: sparse factors of the mass matrix [Featherstone2005], whose work grows with
the square of the tree's depth, and articulated bodies [Featherstone1983], whose work grows with the number of
bodies but starts higher.
"""

from collections.abc import Mapping, Sequence

from rikigaku.core.errors import WrongValue
from rikigaku.laws.tree import ltdl_factorization
from rikigaku.laws.tree.articulated_body import articulated_dynamics
from rikigaku.laws.tree.composite_body import mass_entries
from rikigaku.laws.tree.newton_euler import inverse_dynamics, smooth_resistance
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.number_kind import Number, Numbers
from rikigaku.spatial.vector import Vector

METHODS = ("auto", "factors", "articulated")

# Operations per body that the articulated-body algorithm takes beyond the depth-independent part of a row of
# the mass matrix; counted on programs of arms, humanoids and chains.
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
    """Joint accelerations under the joint forces: a = M^-1 (tau - h - g - friction + J^T wrenches).

    Args:
        gravity: acceleration of free fall in the world frame [m/s^2], (3); None: the robot's own.
        wrenches: force and moment on the robot at the origin of each named frame [N, N m], world axes.
        friction: include viscous friction and springs of the joints. Coulomb friction, which has no value at
            rest, acts in `simulate` only.
        method: "factors" (mass matrix), "articulated" (articulated bodies), or "auto": the one with fewer
            operations.
    Returns: joint accelerations [rad/s^2, m/s^2], (nv).
    Reference: [Featherstone2005], [Featherstone1983].
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
    """Joint forces that accelerate the robot, M a = tau - h - g - friction + J^T wrenches, (nv)."""
    bias = inverse_dynamics(mechanism, q, v, [0] * mechanism.nv, gravity, wrenches, friction=False)
    if friction:
        bias = [b + r for b, r in zip(bias, smooth_resistance(mechanism, q, v), strict=True)]
    return [t - b for t, b in zip(tau, bias, strict=True)]


def inverse_mass_matrix(mechanism: Mechanism, q: Numbers) -> list[list[Number]]:
    """Inverse mass matrix: M(q)^-1, reflected rotor inertia included.

    Returns: symmetric nv x nv matrix.
    Reference: [Featherstone2005].
    """
    return mass_factors(mechanism, q).inverted.dense()


def mass_factors(mechanism: Mechanism, q: Numbers) -> ltdl_factorization.Factors:
    """Factors M = L^T D L of the mass matrix, as sparse as the tree."""
    return ltdl_factorization.factorize(mass_entries(mechanism, q), mechanism.parent_dofs())


def _is_deep(parents: Sequence[int]) -> bool:
    """Whether articulated bodies take fewer operations: a row and its factors take 12 d + d^2 at depth d."""
    depths = [len(ltdl_factorization.ancestors(parents, i)) for i in range(len(parents))]
    return sum(12 * d + d * d for d in depths) > _ARTICULATED_COST * len(parents)
