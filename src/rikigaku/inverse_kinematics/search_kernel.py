"""One Levenberg-Marquardt step toward targets, compiled for a robot and kinds of targets.

    dv = J^T (J J^T + damping)^-1 e [Sugihara2011]

over the coordinates that no limit holds: J, e of the targets and of closed loops. Targets of lower priority
have no part in it (`null_space_descent`).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rikigaku.compiler.kernel import Kernel
from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.pose_newton import factors, solution
from rikigaku.inverse_kinematics.target_kinds import Row, Target
from rikigaku.laws.closed.loop_equations import loop_jacobian, loop_residual
from rikigaku.laws.tree.kinematics import world_poses
from rikigaku.model.joints.joint_types import added_definitions
from rikigaku.model.mechanism import instantiate
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.states import coupled
from rikigaku.numbers.elementary_functions import is_zero, where
from rikigaku.numbers.number_kind import FLOATS, Number
from rikigaku.numbers.program import Program, trace


class SearchKernel:
    """The step of one robot toward targets of these kinds; the numbers of targets are data."""

    def __init__(self, robot: RobotModel, targets: Sequence[Target], symbols: Mapping[str, float]) -> None:
        self.robot, self.targets = robot, tuple(targets)
        self.symbols = {**robot.declared_values, **symbols}
        self.directions = independent_directions(robot)
        self.sizes = [target.numbers().shape[-1] for target in targets]
        kinds = [f"{t.text} {t.weight!r} {t.priority}" for t in targets]
        values = str(sorted((k, float(v)) for k, v in self.symbols.items()))
        types = added_definitions(joint.type for joint in robot.joints)
        identity = "\n".join([f"{robot.mechanics_digest}{types}", values, *kinds])
        self.kernel = Kernel(f"{self.name}\n{identity}", self._program)

    name = "search step"

    def _program(self) -> Program:
        nq, ns = self.robot.nq, self.robot.nv
        inputs = [("q", (nq,)), ("x", (sum(self.sizes),)), ("lower", (ns,)), ("upper", (ns,)), ("factor", ())]
        return trace("search step", inputs, self._step)

    def _step(self, q: Any, x: Any, lower: Any, upper: Any, factor: Any) -> dict[str, Any]:
        (rows, _), errors = self.levels(q, x)
        J, e = self.reduced(rows)
        cost = sum((x * x for x in e), 0.0)
        n = self.directions.shape[1]
        downhill = [sum((row[k] * y for row, y in zip(J, e, strict=True)), 0.0) for k in range(n)]
        free = [self._free(k, q, downhill[k], lower, upper) for k in range(n)]
        J = [[x * m for x, m in zip(row, free, strict=True)] for row in J]
        dw = _damped(J, e, factor * cost + 1e-12)
        dw = [x * m for x, m in zip(dw, free, strict=True)]
        S = self.directions
        dv = [sum((float(S[i, k]) * dw[k] for k in range(n) if S[i, k]), 0.0) for i in range(len(S))]
        return {"dv": dv, "errors": [cost, *errors]}

    def levels(self, q: Any, x: Any) -> tuple[tuple[list[Row], list[Row]], list[Number]]:
        """Weighted residuals of each priority; squared residual of loops, then two errors of each target."""
        mechanism = instantiate(self.robot, FLOATS, self.symbols)
        bodies = world_poses(mechanism, q)
        levels: tuple[list[Row], list[Row]] = ([], [])
        errors: list[Number] = []
        start = 0
        for target, size in zip(self.targets, self.sizes, strict=True):
            found = target.rows(mechanism, bodies, q, x[start : start + size])
            start += size
            levels[target.priority].extend(
                (target.weight * e, {k: target.weight * r for k, r in rates.items()})
                for e, rates in found.rows
            )
            errors += [found.position, found.rotation]
        closure: Number = 0.0
        if self.robot.loops:
            residual, rows = loop_residual(mechanism, q), loop_jacobian(mechanism, q)
            levels[0].extend((-e, dict(enumerate(row))) for e, row in zip(residual, rows, strict=True))
            closure = sum((e * e for e in residual), 0.0)
        return levels, [closure, *errors]

    def reduced(self, rows: Sequence[Row]) -> tuple[list[list[Number]], list[Number]]:
        """Rows over the independent coordinates, and residuals."""
        S = self.directions
        J: list[list[Number]] = []
        for _, rates in rows:
            J.append(
                [
                    sum((float(S[i, k]) * r for i, r in rates.items() if S[i, k] and not is_zero(r)), 0.0)
                    for k in range(S.shape[1])
                ]
            )
        return J, [e for e, _ in rows]

    def _free(self, k: int, q: Any, downhill: Number, lower: Any, upper: Any) -> Number:
        """1, or 0 if the coordinate would take itself or a coupled joint beyond a limit."""
        free: Number = 1.0
        for joint in self.robot.joints:
            if joint.nq != 1:
                continue
            at, i = self.robot.q_slices[joint.name].start, self.robot.v_slices[joint.name].start
            if not self.directions[i, k]:
                continue
            motion = float(self.directions[i, k]) * downhill
            down = where(q[at] > lower[i], 1.0, where(motion < 0, 0.0, 1.0))
            up = where(q[at] < upper[i], 1.0, where(motion > 0, 0.0, 1.0))
            free = free * down * up
        return free


def _damped(J: list[list[Number]], e: list[Number], damping: Number) -> list[Number]:
    """J^T (J J^T + damping)^-1 e."""
    m, n = len(J), len(J[0])
    A = [[_inner(J[i], J[j]) for j in range(m)] for i in range(m)]
    for i in range(m):
        A[i][i] = A[i][i] + damping
    L, D = factors(A)
    mu = solution(L, D, e)
    return [sum((J[i][k] * mu[i] for i in range(m)), 0.0) for k in range(n)]


def _inner(a: Sequence[Number], b: Sequence[Number]) -> Number:
    return sum((x * y for x, y in zip(a, b, strict=True) if not (is_zero(x) or is_zero(y))), 0.0)


def independent_directions(robot: RobotModel) -> Array:
    """Columns: unit rates of the independent joints, with those of the joints coupled to them."""
    followers = {coupling.joint for coupling in robot.couplings}
    own = [
        k for j in robot.joints if j.name not in followers for k in range(robot.nv)[robot.v_slices[j.name]]
    ]
    return np.array([coupled(robot, np.eye(robot.nv)[k], rates=True) for k in own]).reshape(-1, robot.nv).T
