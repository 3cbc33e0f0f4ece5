"""Projection of a state onto the loops of a closed robot.

Positions by Newton's method, velocities by a linear projection, both with the smallest change in the norm of
the kinetic energy. The projection has no parameter to tune and adds no stiffness, unlike Baumgarte
stabilization.
Reference: E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, section IV.4 (projection).
"""

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.closure.closure_plan import closure
from rikigaku.closure.loop_closure_newton import NEARLY_CLOSED
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import CannotClose
from rikigaku.core.types import Array
from rikigaku.core.validation import numbers
from rikigaku.robot import Robot

_CLOSED = 1e-13  # [m, or sines of angles]: residual at which Newton's method ends
_ITERATIONS = 6


@checked
def onto_loops(robot: Robot, q: ArrayLike, v: ArrayLike | None = None) -> tuple[Array, Array]:
    """Positions and velocities of one state near the loops, projected onto them.

    Raises:
        CannotClose: if a few Newton steps do not close the loops.
    """
    q = numbers(f"q of robot {robot.name!r}", q, (robot.nq,)).copy()
    v = np.zeros(robot.nv) if v is None else numbers(f"v of robot {robot.name!r}", v, (robot.nv,))
    equations = list(closure(robot).structure.used_equations)
    gap = _gap(robot.loop_residual(q)[equations])
    for _ in range(_ITERATIONS):
        if gap < _CLOSED:
            break
        moved = robot.integrate(q, robot.loop_projection_step(q))
        left = _gap(robot.loop_residual(moved)[equations])
        if not left < gap:  # no progress beyond rounding
            break
        q, gap = moved, left
    if not (gap < 1e-10 and _gap(robot.loop_residual(q)) < NEARLY_CLOSED):
        raise _still_open(robot, q)
    largest = np.abs(robot.loop_jacobian(q)) @ np.abs(v)
    if _gap(robot.loop_jacobian(q) @ v) <= 1e-15 * _gap(largest):  # zero, or rounding
        return q, v
    return q, np.asarray(robot.loop_projected_velocity(q, v))


def _still_open(robot: Robot, q: Array) -> CannotClose:
    residual = np.abs(robot.loop_residual(q))
    name = robot.loop_rows()[int(np.argmax(residual))]
    why = robot.loop_projection_step.status(q)
    return CannotClose(
        f"Robot {robot.name!r}: the loops are open by {residual.max():.3g} (equation {name!r}) and are not "
        f"closed by small steps{'' if why == 'ok' else f': {why}'}. Begin at a closed configuration: "
        "robot.assemble(...).",
        name.split(":")[0],
        "" if why == "ok" else "singular",
    )


def _gap(residual: Array) -> float:
    return float(np.abs(residual).max(initial=0.0))
