"""Forces of the drives where there are more of them than the robot has freedom: how they share the work.

Along the independent coordinates A tau = b: b is what the motion takes, A what the drives give. All solutions
are tau + N z, with the columns of N the internal forces that move nothing.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.arrays import sized
from rikigaku.constraints.bounded import least_factor, least_within
from rikigaku.constraints.plan import ClosurePlan, closure
from rikigaku.constraints.records import underactuated
from rikigaku.constraints.tree import tree
from rikigaku.errors import MissingValue, UnknownName, WrongSize, WrongValue
from rikigaku.model.robot import Robot

Array = NDArray[np.float64]

_SINGULAR = 1e-12  # singular values below this part of the largest count as zero


class DriveForces(NamedTuple):
    """tau: forces of the drives, (..., drives); internal: N, (..., drives, spare drives), orthonormal."""

    tau: Array
    internal: Array


def drive_forces(
    robot: Robot,
    q: Any,
    v: Any,
    a: Any,
    *,
    weights: Any = None,
    ratios: Mapping[str, float] | None = None,
    limits: Any = None,
    forces: Any = None,
    **options: Any,
) -> DriveForces:
    """Forces of the drives that produce a motion of the closed robot, shared as asked.

    Of all solutions the one of least sum of weights * tau^2 is taken. Where the drives cannot produce every
    motion (singular states), the state's own row is NaN.

    Args:
        q, v, a: of all joints, (..., nq), (..., nv); v and a as `complete` gives them.
        weights: one for each drive (`robot.closure().driven`), all 1 if left out.
        ratios: {joint: number}: the forces of these drives are to each other as these numbers.
        limits: True for the joints' own limits of effort, or one bound (either way) for each drive.
        forces: that act in the joints besides the drives (springs), (..., nv).
        options: those of inverse_dynamics: gravity, wrenches, friction, symbols.
    Raises:
        NoValue: if the drives do not decide all freedoms. WrongValue: if no forces within the limits,
            or with these ratios, produce the motion.
    """
    plan = closure(robot)
    A, b = _asked(plan, q, v, a, forces, options)
    W = np.ones(A.shape[-1]) if weights is None else _numbers("weights", weights, A.shape[-1])
    if not ((W > 0) & np.isfinite(W)).all():
        raise WrongValue(f"Weights of drives are above zero; {W} was given.")
    R = _shared(plan, ratios or {}, A.shape[-1])
    AR = A @ R
    if AR.shape[-1] < AR.shape[-2]:
        raise WrongValue(
            f"{len(ratios or {})} drives in fixed ratios leave {AR.shape[-1]} free forces for the mobility "
            f"{plan.mobility} of robot {robot.name!r}: give fewer ratios."
        )
    w = W @ R**2  # drives in fixed ratios share no unknown with others: the weights stay diagonal
    bounds = None if limits is None or limits is False else _bounds(plan, limits)
    tau = np.full((*b.shape[:-1], A.shape[-1]), np.nan)
    internal = np.full((*tau.shape, A.shape[-1] - A.shape[-2]), np.nan)
    regular = _regular(AR / np.sqrt(w), b)
    if regular.any():
        tau[regular] = _least(AR[regular], b[regular], w) @ R.T
        if bounds is not None:
            tau = _within(AR, b, w, R, tau, bounds)
        internal[regular] = np.swapaxes(np.linalg.svd(A[regular])[2][..., A.shape[-2] :, :], -1, -2)
    return DriveForces(tau, internal)


def _regular(A: Array, b: Array) -> NDArray[np.bool_]:
    """At which states the drives can produce every motion: A finite and of full row rank."""
    good = np.asarray(np.isfinite(A).all(axis=(-1, -2)) & np.isfinite(b).all(axis=-1))
    s = np.linalg.svd(np.where(good[..., None, None], A, 0.0), compute_uv=False)
    if not s.shape[-1]:
        return good
    return np.asarray(good & (s[..., -1] > _SINGULAR * s[..., 0]))


def _least(A: Array, b: Array, w: Array) -> Array:
    """The s of least sum of w s^2 with A s = b."""
    root = np.sqrt(w)
    return np.asarray(np.einsum("...ij,...j->...i", np.linalg.pinv(A / root), b) / root)


def _asked(
    plan: ClosurePlan, q: Any, v: Any, a: Any, forces: Any, options: Mapping[str, Any]
) -> tuple[Array, Array]:
    robot = plan.robot
    if plan.undriven:
        raise underactuated(plan)
    symbols = {name: x for name, x in options.items() if name in robot.free_symbols}
    with np.errstate(all="ignore"):  # singular states are NaN in their own rows, which is told
        P = cast(Any, robot).reduced.jacobian(q, **symbols)
    needed = cast(Any, tree(robot)).inverse_dynamics(q, v, a, **options)
    if forces is not None:
        needed = needed - sized(f"forces of robot {robot.name!r}", forces, robot.nv)
    A = np.swapaxes(P[..., list(plan.places.driven), :], -1, -2)
    return A, np.einsum("...ij,...i->...j", P, needed)


def _shared(plan: ClosurePlan, ratios: Mapping[str, float], count: int) -> Array:
    """R with tau = R s: drives in fixed ratios have one unknown together."""
    names = plan.driven
    for name in ratios:
        if name not in names:
            raise UnknownName("driven coordinate", name, names, f"robot {plan.robot.name!r}")
    together = [names.index(name) for name in ratios]
    columns = [np.eye(count)[k] for k in range(count) if k not in together]
    if together:
        column = np.zeros(count)
        column[together] = _numbers("ratios", list(ratios.values()), len(together))
        if not column.any() or not np.isfinite(column).all():
            raise WrongValue(f"Ratios of drives are finite and not all zero; {dict(ratios)} was given.")
        columns.append(column)
    return np.array(columns).T


def _numbers(what: str, given: Any, count: int) -> Array:
    """One number for each of so many drives."""
    array = sized(what, given, count)
    if array.ndim != 1:
        raise WrongSize(f"{what} are {count} numbers for all states; an array of {array.shape} was given.")
    return array


def _bounds(plan: ClosurePlan, limits: Any) -> Array:
    robot = plan.robot
    if limits is not True:
        bounds = _numbers("limits", limits, len(plan.driven))
        if not (bounds >= 0).all():
            raise WrongValue(
                f"Limits of drives are not below zero, they hold either way; {bounds} was given."
            )
        return bounds
    efforts = []
    for k in plan.places.driven:
        joint = next(
            j for j in robot.joints if robot.v_slices[j.name].start <= k < robot.v_slices[j.name].stop
        )
        efforts.append(np.inf if joint.limits.effort is None else joint.limits.effort)
    if not np.isfinite(efforts).any():
        raise MissingValue(
            f"No driven joint of robot {robot.name!r} has a limit of effort: give limits=[...]."
        )
    return np.array(efforts)


def _within(A: Array, b: Array, w: Array, R: Array, tau: Array, bounds: Array) -> Array:
    """Those beyond the bounds solved again, one by one."""
    result = np.array(tau)
    # bounds of the unknowns: of several drives in fixed ratios the tightest
    tight = np.min(np.where(R != 0, bounds[:, None] / np.abs(np.where(R != 0, R, 1.0)), np.inf), axis=0)
    for place in np.ndindex(tau.shape[:-1]):
        if (np.abs(tau[place]) > bounds).any():
            s = least_within(A[place], b[place], w, tight)
            if s is None:
                raise _too_tight(least_factor(A[place], b[place], tight), place)
            result[place] = R @ s
    return result


def _too_tight(factor: float, place: tuple[int, ...]) -> WrongValue:
    where = f" (of the batch: {place})" if place else ""
    help = (
        f"the limits would have to be {factor:.4g} times as large"
        if np.isfinite(factor)
        else "limits larger in proportion do not help, as some drives are limited to zero"
    )
    return WrongValue(f"No forces within the limits produce this motion{where}: {help}.")
