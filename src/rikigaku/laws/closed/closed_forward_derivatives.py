"""Derivatives of closed robots' forward dynamics by implicit differentiation of the equations it solves.

M a + h + g + friction - J^T f = tau and J a + b = 0. With a and f known, a change of q, v or tau gives da by

    M da - J^T df = d tau - d(inverse dynamics of the tree at a) + dJ^T f,    J da = -d(J a + b)

the same equations with other right-hand sides, so that one factorization solves all columns. The tree's part
is `dynamics_derivatives`; the derivatives of J and b are taken with dual numbers.
"""

from collections.abc import Sequence
from functools import partial

from rikigaku.laws.closed.closed_forward_dynamics import forces_in_all_joints, loop_constrained_dynamics
from rikigaku.laws.closed.dependent_coordinates import ClosureStructure, IndependentLoopEquations
from rikigaku.laws.closed.loop_equations import loop_bias
from rikigaku.laws.closed.projected_dynamics import ProjectedDynamics
from rikigaku.laws.constrained_dynamics import (
    ConstrainedDynamics,
    cholesky,
    cholesky_solve,
    constrained_motion,
    dot,
)
from rikigaku.laws.tree import ltdl_factorization
from rikigaku.laws.tree.dynamics_derivatives import ForwardDerivative, inverse_derivatives
from rikigaku.laws.tree.forward_dynamics import net_forces
from rikigaku.laws.tree.ltdl_factorization import Entries
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.dual_numbers import dual, parts
from rikigaku.numbers.elementary_functions import is_zero
from rikigaku.numbers.number_kind import Number, Numbers
from rikigaku.numbers.repeated_function import repeated
from rikigaku.spatial.vector import Vector


def loop_dynamics_derivatives(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    tau: Numbers,
    plan: ClosureStructure,
    gravity: Vector | None = None,
    friction: bool = True,
) -> ForwardDerivative:
    """Derivatives of `loop_dynamics` with respect to q (tangent), v and the forces in all joints."""
    return _derivatives(mechanism, q, v, tau, plan, gravity, friction, range(mechanism.nv))


def forward_dynamics_derivatives(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    tau: Numbers,
    plan: ClosureStructure,
    gravity: Vector | None = None,
    friction: bool = True,
) -> ForwardDerivative:
    """Derivatives of `closed_forward_dynamics` with respect to q (tangent), v and the actuator forces."""
    forces = forces_in_all_joints(mechanism, plan.actuated, tau)
    return _derivatives(mechanism, q, v, forces, plan, gravity, friction, plan.actuated)


def _derivatives(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    tau: Numbers,
    plan: ClosureStructure,
    gravity: Vector | None,
    friction: bool,
    actuated: Sequence[int],
) -> ForwardDerivative:
    n = range(mechanism.nv)
    constrained, independent = loop_constrained_dynamics(mechanism, q, plan)
    factors = constrained if isinstance(constrained, ProjectedDynamics) else _Factors(constrained)
    bias = loop_bias(mechanism, q, v)
    force = net_forces(mechanism, q, v, tau, gravity, friction=friction)
    a, f = factors.motion(force, independent.combine(bias))
    tree = inverse_derivatives(mechanism, q, v, a, gravity, friction)
    zeros = [0] * len(f)
    columns: list[list[Number]] = []
    for j in n:
        moving = _moved(mechanism, q, j)
        equations = IndependentLoopEquations(mechanism, moving, plan)
        J = [[parts(x)[1] for x in row] for row in equations.J]
        db = [parts(x)[1] for x in equations.combine(loop_bias(mechanism, moving, v))]
        force_change = [dot([row[k] for row in J], f) - tree.q[k][j] for k in n]
        columns.append([*force_change, *(b + dot(row, a) for b, row in zip(db, J, strict=True))])
    for j in n:
        faster = [dual(x, 1) if k == j else x for k, x in enumerate(v)]
        db = [parts(x)[1] for x in independent.combine(loop_bias(mechanism, q, faster))]
        columns.append([*(-row[j] for row in tree.v), *db])
    columns += [[*(int(k == j) for k in n), *zeros] for j in actuated]
    solved = factors.motions(columns)
    by_q, by_v, by_tau = (
        [[column[i] for column in part] for i in n]
        for part in (solved[: len(n)], solved[len(n) : 2 * len(n)], solved[2 * len(n) :])
    )
    return ForwardDerivative(by_q, by_v, by_tau)


def _moved(mechanism: Mechanism, q: Numbers, k: int) -> list[Number]:
    """q as dual numbers: derivatives with respect to coordinate k of v."""
    moving = list(q)
    for body in mechanism.bodies:
        if k in body.v:
            own = [q[i] for i in body.q]
            rates = body.joint.rate(own, [int(i == k) for i in body.v])
            for i, x, rate in zip(body.q, own, rates, strict=True):
                moving[i] = dual(x, rate)
    return moving


class _Factors:
    """The factors of `ConstrainedDynamics` as plain numbers, so that a program's loop solves many columns."""

    def __init__(self, constrained: ConstrainedDynamics) -> None:
        self.mass = constrained.mass
        C, self.inverse = cholesky(constrained.delassus)
        self.C = _entries(C)
        self.Y = _entries(constrained.Y)

    def motion(self, force: Numbers, bias: Numbers) -> tuple[list[Number], list[Number]]:
        """a and f with M a = force + J^T f and J a + bias = 0."""
        size, n = len(self.inverse), len(self.mass.parents)
        Y, C = ([[part.get((i, k), 0) for k in range(n)] for i in range(size)] for part in (self.Y, self.C))
        return constrained_motion(
            self.mass,
            Y,
            partial(cholesky_solve, [row[:i] for i, row in enumerate(C)], self.inverse),
            force,
            bias,
        )

    def motions(self, columns: Sequence[Numbers]) -> list[Numbers]:
        """a for every column (force, bias)."""
        parts_of = (self.mass.L, self.mass.inverse_D, self.Y, self.C, self.inverse)
        shared = [x for part in parts_of for x in (part.values() if isinstance(part, dict) else part)]
        return repeated(self._motion, shared, columns)

    def _motion(self, shared: Numbers, column: Numbers) -> list[Number]:
        n, size, values = len(self.mass.parents), len(self.inverse), iter(shared)
        one = _Factors.__new__(_Factors)
        L = {place: next(values) for place in self.mass.L}
        one.mass = ltdl_factorization.Factors(L, [next(values) for _ in range(n)], self.mass.parents)
        one.Y = {place: next(values) for place in self.Y}
        one.C = {place: next(values) for place in self.C}
        one.inverse = [next(values) for _ in range(size)]
        return one.motion(column[:n], column[n:])[0]


def _entries(rows: Sequence[Numbers]) -> Entries:
    return {(i, k): x for i, row in enumerate(rows) for k, x in enumerate(row) if not is_zero(x)}
