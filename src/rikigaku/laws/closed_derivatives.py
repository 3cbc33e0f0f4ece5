"""Derivatives of closed robots' forward dynamics, by differentiating what it solves rather than the solution.

M a + h + g + friction - J^T f = tau and J a + b = 0. With a and f found, a change of q, v or tau gives da by

    M da - J^T df = d tau - d(inverse dynamics of the tree at a) + dJ^T f,    J da = -d(J a + b)

the same equations with other right-hand sides, so one factorisation serves all columns. The tree's part comes
by structure (`dynamics_derivatives`); J and b change with numbers that carry their rates.
"""

from collections.abc import Sequence
from functools import partial

from rikigaku.laws import ltdl
from rikigaku.laws.closed import Equations, Plan, dot
from rikigaku.laws.closed_forward import (
    Constrained,
    cholesky,
    constrained_motion,
    in_all_joints,
    substituted,
)
from rikigaku.laws.dynamics_derivatives import ForwardDerivative, inverse_derivatives
from rikigaku.laws.forward import net_forces
from rikigaku.laws.loops import loop_bias
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.dual import dual, parts
from rikigaku.numbers.functions import is_zero
from rikigaku.numbers.kind import Number
from rikigaku.numbers.repeat import repeated
from rikigaku.spatial.vector import Vector

Numbers = Sequence[Number]
Entries = dict[tuple[int, int], Number]


def loop_dynamics_derivatives(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    tau: Numbers,
    plan: Plan,
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
    plan: Plan,
    gravity: Vector | None = None,
    friction: bool = True,
) -> ForwardDerivative:
    """Derivatives of `closed_forward_dynamics` with respect to q (tangent), v and forces of the drives."""
    forces = in_all_joints(mechanism, plan.driven, tau)
    return _derivatives(mechanism, q, v, forces, plan, gravity, friction, plan.driven)


def _derivatives(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    tau: Numbers,
    plan: Plan,
    gravity: Vector | None,
    friction: bool,
    driven: Sequence[int],
) -> ForwardDerivative:
    n = range(mechanism.nv)
    factors = _Factors(Constrained(mechanism, q, plan))
    bias = loop_bias(mechanism, q, v)
    force = net_forces(mechanism, q, v, tau, gravity, friction=friction)
    a, f = factors.motion(force, factors.equations.of(bias))
    tree = inverse_derivatives(mechanism, q, v, a, gravity, friction)
    rest = [0] * len(f)
    columns: list[list[Number]] = []
    for j in n:
        moving = _moved(mechanism, q, j)
        equations = Equations(mechanism, moving, plan)
        J = [[parts(x)[1] for x in row] for row in equations.J]
        drift = [parts(x)[1] for x in equations.of(loop_bias(mechanism, moving, v))]
        pulled = [dot([row[k] for row in J], f) - tree.q[k][j] for k in n]
        columns.append([*pulled, *(b + dot(row, a) for b, row in zip(drift, J, strict=True))])
    for j in n:
        faster = [dual(x, 1) if k == j else x for k, x in enumerate(v)]
        drift = [parts(x)[1] for x in factors.equations.of(loop_bias(mechanism, q, faster))]
        columns.append([*(-row[j] for row in tree.v), *drift])
    columns += [[*(int(k == j) for k in n), *rest] for j in driven]
    solved = factors.motions(columns)
    by_q, by_v, by_tau = (
        [[column[i] for column in part] for i in n]
        for part in (solved[: len(n)], solved[len(n) : 2 * len(n)], solved[2 * len(n) :])
    )
    return ForwardDerivative(by_q, by_v, by_tau)


def _moved(mechanism: Mechanism, q: Numbers, k: int) -> list[Number]:
    """q with the rates that one coordinate of v gives it."""
    moving = list(q)
    for body in mechanism.bodies:
        if k in body.v:
            own = [q[i] for i in body.q]
            rates = body.joint.rate(own, [int(i == k) for i in body.v])
            for i, x, rate in zip(body.q, own, rates, strict=True):
                moving[i] = dual(x, rate)
    return moving


class _Factors:
    """The factors of `Constrained` as plain numbers: a loop in a program can go through many columns."""

    def __init__(self, inertia: Constrained) -> None:
        self.equations, self.mass = inertia.equations, inertia.mass
        C, self.inverse = cholesky(inertia.schur)
        self.C = _entries(C)
        self.Y = _entries(inertia.Y)

    def motion(self, force: Numbers, drift: Numbers) -> tuple[list[Number], list[Number]]:
        """a and f with M a = force + J^T f and J a + drift = 0."""
        size, n = len(self.inverse), len(self.mass.parents)
        Y, C = ([[part.get((i, k), 0) for k in range(n)] for i in range(size)] for part in (self.Y, self.C))
        return constrained_motion(
            self.mass,
            Y,
            partial(substituted, [row[:i] for i, row in enumerate(C)], self.inverse),
            force,
            drift,
        )

    def motions(self, columns: Sequence[Numbers]) -> list[Numbers]:
        """The motion for every column, force and drift one after the other."""
        parts_of = (self.mass.L, self.mass.inverse_D, self.Y, self.C, self.inverse)
        shared = [x for part in parts_of for x in (part.values() if isinstance(part, dict) else part)]
        return repeated(self._motion, shared, columns)

    def _motion(self, shared: Numbers, column: Numbers) -> list[Number]:
        n, size, given = len(self.mass.parents), len(self.inverse), iter(shared)
        one = _Factors.__new__(_Factors)
        L = {place: next(given) for place in self.mass.L}
        one.mass = ltdl.Factors(L, [next(given) for _ in range(n)], self.mass.parents)
        one.Y = {place: next(given) for place in self.Y}
        one.C = {place: next(given) for place in self.C}
        one.inverse = [next(given) for _ in range(size)]
        return one.motion(column[:n], column[n:])[0]


def _entries(rows: Sequence[Numbers]) -> Entries:
    return {(i, k): x for i, row in enumerate(rows) for k, x in enumerate(row) if not is_zero(x)}
