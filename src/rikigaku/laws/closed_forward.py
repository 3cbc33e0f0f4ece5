"""How a closed robot moves under forces, and how it is brought back onto its loops.

Reference: R. Featherstone, Rigid Body Dynamics Algorithms, chapter 8 (loops by the Schur complement of M).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial

from rikigaku.laws import ltdl
from rikigaku.laws.closed import Equations, Followers, Plan, dot
from rikigaku.laws.forward import mass_factors, net_forces
from rikigaku.laws.loops import loop_bias, loop_residual
from rikigaku.laws.orthogonal import FACTORS
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.functions import is_number, is_zero, sqrt, where
from rikigaku.numbers.kind import Number
from rikigaku.spatial.vector import Vector

Numbers = Sequence[Number]

# The least pivot of J M^-1 J^T, against the diagonal it began with.
_DEPENDENT = 1e-13


def loop_dynamics(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    tau: Numbers,
    plan: Plan,
    gravity: Vector | None = None,
    wrenches: Mapping[str, Numbers] | None = None,
    friction: bool = True,
) -> list[Number]:
    """Accelerations of all joints under forces in all of them, with the loops closed.

    J M^-1 J^T f = -(b + J M^-1 (tau - h - g - friction)), a = M^-1 (tau - h - g - friction + J^T f). No
    choice of independent coordinates enters: postures where they would not serve are no trouble.
    """
    inertia = Constrained(mechanism, q, plan)
    force = net_forces(mechanism, q, v, tau, gravity, wrenches, friction)
    return inertia.solve(force, inertia.equations.of(loop_bias(mechanism, q, v)))


def closed_forward_dynamics(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    tau: Numbers,
    plan: Plan,
    gravity: Vector | None = None,
    wrenches: Mapping[str, Numbers] | None = None,
    friction: bool = True,
) -> list[Number]:
    """Accelerations of all joints under the forces of the driven ones, with the loops closed."""
    forces = in_all_joints(mechanism, plan.driven, tau)
    return loop_dynamics(mechanism, q, v, forces, plan, gravity, wrenches, friction)


def in_all_joints(mechanism: Mechanism, places: Sequence[int], tau: Numbers) -> list[Number]:
    """Forces of some coordinates as those of all: the others have none."""
    forces: list[Number] = [0] * mechanism.nv
    for k, t in zip(places, tau, strict=True):
        forces[k] = t
    return forces


def state_rate(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    tau: Numbers,
    plan: Plan,
    gravity: Vector | None = None,
    friction: bool = True,
) -> list[Number]:
    """Rates of q (quaternions too), then of v, under forces in all joints: what an integrator asks for."""
    rates: list[Number] = [0] * mechanism.nq
    for body in mechanism.bodies:
        own = body.joint.rate([q[k] for k in body.q], [v[k] for k in body.v])
        for k, x in zip(body.q, own, strict=True):
            rates[k] = x
    return [*rates, *loop_dynamics(mechanism, q, v, tau, plan, gravity, friction=friction)]


def reduced_forward_dynamics(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    tau: Numbers,
    plan: Plan,
    gravity: Vector | None = None,
    wrenches: Mapping[str, Numbers] | None = None,
    friction: bool = True,
) -> list[Number]:
    """Accelerations of the independent coordinates under forces along them."""
    forces = in_all_joints(mechanism, plan.independent, tau)
    velocity = Followers(mechanism, q, plan).velocity(v)
    a = loop_dynamics(mechanism, q, velocity, forces, plan, gravity, wrenches, friction)
    return [a[k] for k in plan.independent]


def closing_step(mechanism: Mechanism, q: Numbers, plan: Plan) -> list[Number]:
    """Newton's step of q (in the tangent) that closes small gaps, the least as kinetic energy measures."""
    inertia = Constrained(mechanism, q, plan)
    return inertia.solve([0] * mechanism.nv, inertia.equations.of(loop_residual(mechanism, q)))


def closed_velocity(mechanism: Mechanism, q: Numbers, v: Numbers, plan: Plan) -> list[Number]:
    """The velocities nearest to v, as kinetic energy measures, that keep the loops closed."""
    inertia = Constrained(mechanism, q, plan)
    opening = [dot(row, v) for row in inertia.J]
    step = inertia.solve([0] * mechanism.nv, opening)
    return [x + dx for x, dx in zip(v, step, strict=True)]


class Constrained:
    """M and J of one posture in factors: M = L^T D L, Y = L^-T J^T, Y^T D^-1 Y = C C^T."""

    def __init__(self, mechanism: Mechanism, q: Numbers, plan: Plan) -> None:
        self.mass = mass_factors(mechanism, q)
        self.equations = Equations(mechanism, q, plan)
        self.J = self.equations.J
        self.Y = [half_solved(self.mass, row) for row in self.J]

    @cached_property
    def schur(self) -> list[list[Number]]:
        """J M^-1 J^T, on and below the diagonal."""
        scaled = [[d * y for d, y in zip(self.mass.inverse_D, row, strict=True)] for row in self.Y]
        return [[dot(x, y) for y in self.Y[: i + 1]] for i, x in enumerate(scaled)]

    @cached_property
    def loops(self) -> Callable[[Numbers], list[Number]]:
        return _factored(self.schur)

    def solve(self, force: Numbers, drift: Numbers) -> list[Number]:
        """a with M a = force + J^T f and J a + drift = 0."""
        return constrained_motion(self.mass, self.Y, self.loops, force, drift)[0]


def constrained_motion(
    mass: ltdl.Factors,
    Y: Sequence[Numbers],
    loops: Callable[[Numbers], list[Number]],
    force: Numbers,
    drift: Numbers,
) -> tuple[list[Number], list[Number]]:
    """a and f with M a = force + J^T f and J a + drift = 0, from factors as in `Constrained`."""
    half = half_solved(mass, force)
    scaled = [d * y for d, y in zip(mass.inverse_D, half, strict=True)]
    f = loops([-(b + dot(row, scaled)) for b, row in zip(drift, Y, strict=True)])
    for row, x in zip(Y, f, strict=True):
        half = [y if is_zero(z) else y + x * z for y, z in zip(half, row, strict=True)]
    return second_half(mass, [d * y for d, y in zip(mass.inverse_D, half, strict=True)]), f


def _factored(S: list[list[Number]]) -> Callable[[Numbers], list[Number]]:
    """What solves with a symmetric positive matrix, of which what is on and below the diagonal is given."""
    if (other := FACTORS.get()) is not None:
        n = range(len(S))
        return other([[S[max(i, j)][min(i, j)] for j in n] for i in n], len(S)).solve
    return partial(substituted, *cholesky(S))


def half_solved(mass: ltdl.Factors, b: Numbers) -> list[Number]:
    """L^-T b."""
    x = list(b)
    for i in ltdl.outermost_first(mass.parents):
        if not is_zero(x[i]):
            for j in ltdl.ancestors(mass.parents, i):
                x[j] = x[j] - mass.L[i, j] * x[i]
    return x


def second_half(mass: ltdl.Factors, y: Numbers) -> list[Number]:
    """L^-1 y."""
    x = list(y)
    for i in reversed(ltdl.outermost_first(mass.parents)):
        for j in reversed(ltdl.ancestors(mass.parents, i)):
            x[i] = x[i] - mass.L[i, j] * x[j]
    return x


def cholesky(S: list[list[Number]]) -> tuple[list[list[Number]], list[Number]]:
    """C (below the diagonal) and the reciprocals of its diagonal; NaN where rows depend on each other."""
    C: list[list[Number]] = []
    inverse: list[Number] = []
    for i, row in enumerate(S):
        new: list[Number] = []
        for j in range(i):
            new.append((row[j] - dot(new, C[j][:j])) * inverse[j])
        d = row[i] - dot(new, new)
        checked = d if is_number(d) else where(d < _DEPENDENT * row[i], -1, d)
        inverse.append(1 / sqrt(checked))
        C.append(new)
    return C, inverse


def substituted(C: list[list[Number]], inverse: list[Number], b: Numbers) -> list[Number]:
    """(C C^T)^-1 b."""
    x: list[Number] = []
    for i, row in enumerate(C):
        x.append((b[i] - dot(row, x)) * inverse[i])
    for i in reversed(range(len(C))):
        x[i] = x[i] * inverse[i]
        for j in range(i):
            x[j] = x[j] - C[i][j] * x[i]
    return x
