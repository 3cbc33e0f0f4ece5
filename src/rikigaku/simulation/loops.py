"""States brought onto the loops of a closed robot.

Positions are closed by Newton's method and velocities made to keep the loops closed, both by the least change
as kinetic energy measures: no constant has to be tuned, nor do springs at the loops add energy.
Reference: E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, section IV.4 (projection).
"""

from typing import Any, cast

import numpy as np

from rikigaku.constraints.equations import NEARLY
from rikigaku.constraints.plan import closure
from rikigaku.errors import CannotClose
from rikigaku.model.robot import Robot
from rikigaku.simulation.modes import Array

_CLOSED = 1e-13  # [m, or sines of angles]: what positions are brought to
_CORRECTIONS = 6
_LOOKED_AT = 200  # steps
_SINGULAR = 1e-4  # least singular value of the loops, against that of good postures


def onto_loops(robot: Robot, q: Any, v: Any = None) -> tuple[Array, Array]:
    """Positions and velocities brought onto the loops from near by, one state.

    Raises:
        CannotClose: if a few steps of Newton's method do not close the loops.
    """
    laws = cast(Any, robot)
    q = np.array(q, dtype=np.float64)
    v = np.zeros(robot.nv) if v is None else np.asarray(v, dtype=np.float64)
    rows = list(closure(robot).places.kept)  # the others follow
    gap = _gap(laws.loop_residual(q)[rows])
    for _ in range(_CORRECTIONS):
        if gap < _CLOSED:
            break
        moved = laws.integrate(q, laws.closing_step(q))
        left = _gap(laws.loop_residual(moved)[rows])
        if not left < gap:  # rounding decides from here on
            break
        q, gap = moved, left
    if not (gap < 1e-10 and _gap(laws.loop_residual(q)) < NEARLY):
        raise CannotClose(
            f"Robot {robot.name!r}: the loops are open by {gap:.3g} and are not closed by small steps. "
            f"{laws.closing_step.status(q)}.",
            reason="singular" if not np.isfinite(laws.closing_step(q)).all() else "",
        )
    opening = np.abs(laws.loop_jacobian(q)) @ np.abs(v)
    if _gap(laws.loop_jacobian(q) @ v) <= 1e-15 * _gap(opening):  # at rest, or as good as it can be
        return q, v
    return q, np.asarray(laws.closed_velocity(q, v))


def singular_passages(robot: Robot, records: Array) -> list[str]:
    """A note where the motion came so near to a singular posture of the loops that it is not to be trusted.

    records: steps of the integrator, (steps, start, end, length, q ...). The shortest are looked at: steps
    shrink where accelerations grow; a singular posture that is stepped over does no harm.
    """
    plan, laws = closure(robot), cast(Any, robot)
    rows, rank = list(plan.places.kept), len(plan.places.rows)
    if not rows or not len(records):
        return []

    def clear(q: Array) -> Array:
        s = np.linalg.svd(laws.loop_jacobian(q)[:, rows], compute_uv=False)
        return np.asarray(s[:, rank - 1] / s[:, 0])

    shortest = np.sort(np.argsort(records[:, 1] - records[:, 0])[:_LOOKED_AT])
    near = clear(records[shortest, 3 : 3 + robot.nq]) < _SINGULAR * np.median(clear(plan.samples))
    if not near.any():
        return []
    t = records[shortest[int(np.argmax(near))], 0]
    return [
        f"t = {t:.9g} s: the loops come near a singular posture, where they may branch. What follows depends "
        "on rounding: compare energy_audit()."
    ]


def _gap(residual: Array) -> float:
    return float(np.abs(residual).max(initial=0.0))
