"""Forces of redundantly actuated closed robots: weighted least norm, fixed ratios, limits, internal forces.

Along the independent coordinates A tau = b: b are the generalized forces of the motion, A = P^T of the
actuated coordinates. All solutions are tau + N z; the columns of N are internal forces, which produce no
motion.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.binding.bound_law import bound_law
from rikigaku.closure.bounded_least_squares import bounded_least_norm, smallest_bound_factor
from rikigaku.closure.closed_laws import closed_law, underactuated
from rikigaku.closure.closure_plan import ClosurePlan, closure
from rikigaku.closure.open_tree import tree
from rikigaku.core.arrays import sized
from rikigaku.core.errors import MissingValue, UnknownName, WrongSize, WrongValue
from rikigaku.core.types import Array, Mask
from rikigaku.laws.catalogue import LAWS
from rikigaku.model.robot_model import RobotModel

_SINGULAR = 1e-12  # relative to the largest singular value: smaller ones are zero


class ActuationForces(NamedTuple):
    """Forces of the actuated joints and the internal forces that may be added.

    tau: (..., n). internal: N, orthonormal columns, (..., n, actuation redundancy).
    """

    tau: Array
    internal: Array


def actuation_forces(
    robot: RobotModel,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    *,
    weights: Any = None,
    ratios: Mapping[str, float] | None = None,
    limits: Any = None,
    forces: Any = None,
    **options: Any,
) -> ActuationForces:
    """Forces of the actuated joints that produce a motion, with the least sum of weights * tau^2.

    At singular states, where the actuated joints cannot produce every motion, the state's row is NaN.

    Args:
        q, v, a: of all joints, (..., nq), (..., nv); v and a as `complete` returns them.
        weights: one for each actuated coordinate (`robot.closure().actuated`); all 1 if None.
        ratios: {joint: number}: the forces of these joints have the ratios of these numbers.
        limits: True for the joints' own effort limits, or one bound on abs(tau) for each actuated coordinate.
        forces: other forces in the joints (springs), (..., nv).
        options: those of inverse_dynamics: gravity, wrenches, friction, symbols.
    Raises:
        NoValue: if the actuated joints do not determine all freedoms.
        WrongValue: if no forces within the limits, or with these ratios, produce the motion.
    """
    plan = closure(robot)
    A, b = _equations(plan, q, v, a, forces, options)
    W = np.ones(A.shape[-1]) if weights is None else _numbers("weights", weights, A.shape[-1])
    if not ((W > 0) & np.isfinite(W)).all():
        raise WrongValue(f"Weights of actuated joints are above zero; {W} was given.")
    R = _ratio_matrix(plan, ratios or {}, A.shape[-1])
    AR = A @ R
    if AR.shape[-1] < AR.shape[-2]:
        raise WrongValue(
            f"{len(ratios or {})} joints in fixed ratios leave {AR.shape[-1]} free forces for the mobility "
            f"{plan.mobility} of robot {robot.name!r}: give fewer ratios."
        )
    w = W @ R**2  # each column of R has joints of its own: the weights stay diagonal
    bounds = None if limits is None or limits is False else _bounds(plan, limits)
    tau = np.full((*b.shape[:-1], A.shape[-1]), np.nan)
    internal = np.full((*tau.shape, A.shape[-1] - A.shape[-2]), np.nan)
    regular = _regular(AR / np.sqrt(w), b)
    if regular.any():
        tau[regular] = _least_norm(AR[regular], b[regular], w) @ R.T
        if bounds is not None:
            tau = _within_bounds(AR, b, w, R, tau, bounds)
        internal[regular] = np.swapaxes(np.linalg.svd(A[regular])[2][..., A.shape[-2] :, :], -1, -2)
    return ActuationForces(tau, internal)


def _regular(A: Array, b: Array) -> Mask:
    """At which states the actuated joints can produce every motion: A is finite and has full row rank."""
    good = np.asarray(np.isfinite(A).all(axis=(-1, -2)) & np.isfinite(b).all(axis=-1))
    s = np.linalg.svd(np.where(good[..., None, None], A, 0.0), compute_uv=False)
    if not s.shape[-1]:
        return good
    return np.asarray(good & (s[..., -1] > _SINGULAR * s[..., 0]))


def _least_norm(A: Array, b: Array, w: Array) -> Array:
    """The s that minimises sum of w s^2 subject to A s = b."""
    root = np.sqrt(w)
    return np.asarray(np.einsum("...ij,...j->...i", np.linalg.pinv(A / root), b) / root)


def _equations(
    plan: ClosurePlan, q: Any, v: Any, a: Any, forces: Any, options: Mapping[str, Any]
) -> tuple[Array, Array]:
    robot = plan.robot
    if plan.unactuated:
        raise underactuated(plan)
    symbols = {name: x for name, x in options.items() if name in robot.free_symbols}
    with np.errstate(all="ignore"):  # singular states give NaN in their own rows
        P = bound_law(robot, closed_law(robot, LAWS["reduced.jacobian"]))(q, **symbols)
    tree_forces = bound_law(tree(robot), "tree.inverse_dynamics")(q, v, a, **options)
    if forces is not None:
        tree_forces = tree_forces - sized(f"forces of robot {robot.name!r}", forces, robot.nv)
    A = np.swapaxes(P[..., list(plan.structure.actuated), :], -1, -2)
    b = np.einsum("...ij,...i->...j", P, tree_forces)
    return np.broadcast_to(A, (*b.shape[:-1], *A.shape[-2:])), b  # many motions at one configuration


def _ratio_matrix(plan: ClosurePlan, ratios: Mapping[str, float], count: int) -> Array:
    """R with tau = R s: joints in fixed ratios share one unknown."""
    names = plan.actuated
    for name in ratios:
        if name not in names:
            raise UnknownName("actuated coordinate", name, names, f"robot {plan.robot.name!r}")
    together = [names.index(name) for name in ratios]
    columns = [np.eye(count)[k] for k in range(count) if k not in together]
    if together:
        column = np.zeros(count)
        column[together] = _numbers("ratios", list(ratios.values()), len(together))
        if not column.any() or not np.isfinite(column).all():
            raise WrongValue(f"Ratios of forces are finite and not all zero; {dict(ratios)} was given.")
        columns.append(column)
    return np.array(columns).T


def _numbers(what: str, values: Any, count: int) -> Array:
    """`count` numbers, the same for all states."""
    array = sized(what, values, count)
    if array.ndim != 1:
        raise WrongSize(f"{what} are {count} numbers for all states; an array of {array.shape} was given.")
    return array


def _bounds(plan: ClosurePlan, limits: Any) -> Array:
    robot = plan.robot
    if limits is not True:
        bounds = _numbers("limits", limits, len(plan.actuated))
        if not (bounds >= 0).all():
            raise WrongValue(f"Limits are bounds of |tau|, not below zero; {bounds} was given.")
        return bounds
    efforts = []
    for k in plan.structure.actuated:
        joint = next(
            j for j in robot.joints if robot.v_slices[j.name].start <= k < robot.v_slices[j.name].stop
        )
        efforts.append(np.inf if joint.limits.effort is None else joint.limits.effort)
    if not np.isfinite(efforts).any():
        raise MissingValue(
            f"No actuated joint of robot {robot.name!r} has an effort limit: give limits=[...]."
        )
    return np.array(efforts)


def _within_bounds(A: Array, b: Array, w: Array, R: Array, tau: Array, bounds: Array) -> Array:
    """tau with the states beyond the bounds solved again, one by one."""
    result = np.array(tau)
    # bounds of the unknowns; joints in fixed ratios share the tightest of theirs
    tight = np.min(np.where(R != 0, bounds[:, None] / np.abs(np.where(R != 0, R, 1.0)), np.inf), axis=0)
    for place in np.ndindex(tau.shape[:-1]):
        if (np.abs(tau[place]) > bounds).any():
            s = bounded_least_norm(A[place], b[place], w, tight)
            if s is None:
                raise _infeasible(smallest_bound_factor(A[place], b[place], tight), place)
            result[place] = R @ s
    return result


def _infeasible(factor: float, place: tuple[int, ...]) -> WrongValue:
    where = f" (of the batch: {place})" if place else ""
    advice = (
        f"the limits would have to be {factor:.4g} times as large"
        if np.isfinite(factor)
        else "limits larger in proportion do not help, as some joints are limited to zero"
    )
    return WrongValue(f"No forces within the limits produce this motion{where}: {advice}.")
