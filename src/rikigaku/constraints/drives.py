"""Forces of the drives where there are more of them than the robot has freedom: how they share the work.

Along the independent coordinates A tau = b: b is what the motion takes, A what the drives give. All solutions
are tau + N z, with the columns of N the internal forces that move nothing.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from rikigaku.arrays import sized
from rikigaku.constraints.plan import ClosurePlan, closure
from rikigaku.constraints.tree import tree
from rikigaku.errors import MissingValue, NoValue, UnknownName, WrongValue
from rikigaku.model.robot import Robot

Array = NDArray[np.float64]

_STEPS = 60


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

    Of all solutions the one of least sum of weights * tau^2 is taken.

    Args:
        q, v, a: of all joints, (..., nq), (..., nv); v and a as `complete` gives them.
        weights: one for each drive (`robot.closure().driven`), all 1 if left out.
        ratios: {joint: number}: the forces of these drives are to each other as these numbers.
        limits: True for the joints' own limits of effort, or one bound (either way) for each drive.
        forces: that act in the joints besides the drives (springs), (..., nv).
        options: those of inverse_dynamics: gravity, wrenches, friction, symbols.
    Raises:
        NoValue: if the drives are fewer than the mobility. WrongValue: if no forces within the limits,
            or with these ratios, produce the motion.
    """
    plan = closure(robot)
    A, b = _asked(plan, q, v, a, forces, options)
    W = np.ones(A.shape[-1]) if weights is None else sized("weights", weights, A.shape[-1])
    if not (W > 0).all():
        raise WrongValue(f"Weights of drives are above zero; {W} was given.")
    R = _shared(plan, ratios or {}, A.shape[-1])
    AR = A @ R
    if AR.shape[-1] < AR.shape[-2]:
        raise WrongValue(
            f"{len(ratios or {})} drives in fixed ratios leave {AR.shape[-1]} free forces for the mobility "
            f"{plan.mobility} of robot {robot.name!r}: give fewer ratios."
        )
    WR = np.einsum("ij,i,ik->jk", R, W, R)
    right = np.linalg.solve(WR, np.swapaxes(AR, -1, -2))
    s = np.einsum("...ij,...j->...i", right, np.linalg.solve(AR @ right, b[..., None])[..., 0])
    tau = s @ R.T
    if limits is not None and limits is not False:
        tau = _within(AR, b, WR, R, tau, _bounds(plan, limits))
    rank = A.shape[-2]
    internal = np.swapaxes(np.linalg.svd(A)[2][..., rank:, :], -1, -2)
    return DriveForces(tau, internal)


def _asked(
    plan: ClosurePlan, q: Any, v: Any, a: Any, forces: Any, options: Mapping[str, Any]
) -> tuple[Array, Array]:
    robot = plan.robot
    if plan.spare_drives < 0:
        raise NoValue(
            f"Robot {robot.name!r} has mobility {plan.mobility} and {len(plan.driven)} driven coordinates: "
            "they cannot produce a motion at will. robot.reduced.inverse_dynamics gives the forces it takes."
        )
    symbols = {name: x for name, x in options.items() if name in robot.free_symbols}
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
        column[together] = [float(x) for x in ratios.values()]
        columns.append(column)
    return np.array(columns).T


def _bounds(plan: ClosurePlan, limits: Any) -> Array:
    robot = plan.robot
    if limits is not True:
        return np.abs(sized("limits", limits, len(plan.driven)))
    bounds = []
    for k in plan.places.driven:
        joint = next(
            j for j in robot.joints if robot.v_slices[j.name].start <= k < robot.v_slices[j.name].stop
        )
        bounds.append(np.inf if joint.limits.effort is None else joint.limits.effort)
    if not np.isfinite(bounds).any():
        raise MissingValue(
            f"No driven joint of robot {robot.name!r} has a limit of effort: give limits=[...]."
        )
    return np.array(bounds)


def _within(A: Array, b: Array, W: Array, R: Array, tau: Array, bounds: Array) -> Array:
    """Those beyond the bounds solved again, one by one."""
    result = np.array(tau)
    # bounds of the unknowns: of several drives in fixed ratios the tightest
    with np.errstate(divide="ignore"):
        tight = np.min(np.where(R != 0, bounds[:, None] / np.abs(np.where(R != 0, R, 1)), np.inf), axis=0)
    for place in np.ndindex(tau.shape[:-1]):
        if (np.abs(tau[place]) > bounds).any():
            result[place] = R @ _bounded(A[place], b[place], np.diag(W), tight, place)
    return result


def _bounded(A: Array, b: Array, w: Array, bounds: Array, place: tuple[int, ...]) -> Array:
    """min sum w s^2 with A s = b and |s| <= bounds: Newton's method on the forces that ask for A s = b."""
    size = np.abs(b).max(initial=0.0) or 1.0
    dual = np.asarray(np.linalg.solve((A / w) @ A.T, b), dtype=np.float64)
    for _ in range(_STEPS):
        s = np.clip(dual @ A / w, -bounds, bounds)
        left = b - A @ s
        if np.abs(left).max() < 1e-13 * size:
            return s
        free = np.abs(dual @ A / w) < bounds
        slope = (A[:, free] / w[free]) @ A[:, free].T + 1e-13 * np.trace((A / w) @ A.T) * np.eye(len(b))
        step = np.asarray(np.linalg.solve(slope, left), dtype=np.float64)
        value, reach = _dual_value(A, b, w, bounds, dual), 1.0
        while _dual_value(A, b, w, bounds, dual + reach * step) < value and reach > 1e-10:
            reach /= 2
        dual = np.asarray(dual + reach * step, dtype=np.float64)
    least = linprog(
        np.r_[np.zeros(len(w)), 1.0],
        A_ub=np.vstack([np.c_[np.eye(len(w)), -bounds], np.c_[-np.eye(len(w)), -bounds]]),
        b_ub=np.zeros(2 * len(w)),
        A_eq=np.c_[A, np.zeros(len(b))],
        b_eq=b,
        bounds=[(None, None)] * len(w) + [(0, None)],
    )
    where = f" (of the batch: {place})" if place else ""
    raise WrongValue(
        f"No forces within the limits produce this motion{where}: the limits would have to be "
        f"{least.x[-1] if least.success else np.inf:.4g} times as large."
    )


def _dual_value(A: Array, b: Array, w: Array, bounds: Array, dual: Array) -> float:
    s = np.clip(dual @ A / w, -bounds, bounds)
    return float(b @ dual - ((dual @ A) * s - 0.5 * w * s * s).sum())
