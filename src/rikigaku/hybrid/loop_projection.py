"""Projection of states onto the loops of a closed robot.

Positions by Newton's method, velocities by a linear projection, both with the smallest change in the norm of
the kinetic energy. The projection has no parameter to tune and adds no stiffness, unlike Baumgarte
stabilization.
Reference: E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, section IV.4 (projection).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.closure.closure_plan import closure
from rikigaku.closure.loop_closure_newton import NEARLY_CLOSED
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import CannotClose
from rikigaku.core.types import Array, Mask
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
    q = numbers(f"q of robot {robot.name!r}", q, (robot.nq,))
    v = np.zeros(robot.nv) if v is None else numbers(f"v of robot {robot.name!r}", v, (robot.nv,))
    states_q, states_v, is_open = states_onto_loops(robot, q[None], v[None], {})
    if is_open[0]:
        raise still_open(robot, states_q[0], {})
    return states_q[0], states_v[0]


def states_onto_loops(
    robot: Robot, q: Array, v: Array, symbols: Mapping[str, Array]
) -> tuple[Array, Array, Mask]:
    """States (N, nq), (N, nv) projected onto the loops, and which of them a few Newton steps do not close.

    symbols: values of the robot's symbols, each (1,) or (N,). A state does not depend on the others.
    """
    equations = list(closure(robot).structure.used_equations)
    q, v = q.copy(), v.copy()

    def values(rows: Any) -> dict[str, Array]:
        return {name: x[rows] if len(x) > 1 else x for name, x in symbols.items()}

    gap = _gaps(robot.loop_residual(q, **symbols)[:, equations])
    rows = np.flatnonzero(gap >= _CLOSED)
    for _ in range(_ITERATIONS):
        if not len(rows):
            break
        with np.errstate(all="ignore"):  # the loops are singular there: reported by `still_open`
            moved = robot.integrate(q[rows], robot.loop_projection_step(q[rows], **values(rows)))
            left = _gaps(robot.loop_residual(moved, **values(rows))[:, equations])
        better = left < gap[rows]  # elsewhere no progress beyond rounding
        q[rows[better]], gap[rows[better]] = moved[better], left[better]
        rows = rows[better & (left >= _CLOSED)]
    is_closed = (gap < 1e-10) & (_gaps(robot.loop_residual(q, **symbols)) < NEARLY_CLOSED)
    J = robot.loop_jacobian(q, **symbols)
    rates, largest = (J * v[:, None]).sum(axis=2), (np.abs(J) * np.abs(v)[:, None]).sum(axis=2)
    rows = np.flatnonzero(is_closed & (_gaps(rates) > 1e-15 * _gaps(largest)))  # others: zero, or rounding
    if len(rows):
        v[rows] = robot.loop_projected_velocity(q[rows], v[rows], **values(rows))
    return q, v, ~is_closed


def still_open(robot: Robot, q: Array, symbols: Mapping[str, Any]) -> CannotClose:
    """The error of a configuration whose loops are open."""
    residual = np.abs(robot.loop_residual(q, **symbols))
    name = robot.loop_rows()[int(np.argmax(residual))]
    why = robot.loop_projection_step.status(q, **symbols)
    return CannotClose(
        f"Robot {robot.name!r}: the loops are open by {residual.max():.3g} (equation {name!r}) and are not "
        f"closed by small steps{'' if why == 'ok' else f': {why}'}. Begin at a closed configuration: "
        "robot.assemble(...).",
        name.split(":")[0],
        "" if why == "ok" else "singular",
    )


def _gaps(residual: Array) -> Array:
    return np.asarray(np.abs(residual).max(axis=1, initial=0.0))
