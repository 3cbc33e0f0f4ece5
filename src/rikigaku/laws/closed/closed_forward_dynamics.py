"""Forward dynamics of closed robots, and projection of positions and velocities onto the loops.

Reference: R. Featherstone, Rigid Body Dynamics Algorithms, chapter 8 (loops by the Schur complement of M).
"""

from collections.abc import Mapping, Sequence

from rikigaku.laws.closed.dependent_coordinates import ClosureStructure, IndependentLoopEquations, Numbers
from rikigaku.laws.closed.loop_equations import loop_bias, loop_residual
from rikigaku.laws.closed.projected_dynamics import ProjectedDynamics, has_singular_mass
from rikigaku.laws.constrained_dynamics import ConstrainedDynamics, dot
from rikigaku.laws.tree import ltdl_factorization
from rikigaku.laws.tree.composite_body import mass_entries
from rikigaku.laws.tree.forward_dynamics import net_forces
from rikigaku.laws.tree.newton_euler import inverse_dynamics, smooth_resistance
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial.vector import Vector


def loop_dynamics(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    tau: Numbers,
    plan: ClosureStructure,
    gravity: Vector | None = None,
    wrenches: Mapping[str, Numbers] | None = None,
    friction: bool = True,
) -> list[Number]:
    """Accelerations of all joints under forces tau in all of them, loop-closure constraints satisfied.

    J M^-1 J^T f = -(b + J M^-1 (tau - h - g - friction)), a = M^-1 (tau - h - g - friction + J^T f). The
    result does not depend on the choice of independent coordinates, and is finite where these are singular.
    Where links without mass make M singular, the equations are projected onto these coordinates instead.
    """
    constrained, equations = loop_constrained_dynamics(mechanism, q, plan)
    force = net_forces(mechanism, q, v, tau, gravity, wrenches, friction)
    return constrained.solve(force, equations.combine(loop_bias(mechanism, q, v)))


def closed_forward_dynamics(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    tau: Numbers,
    plan: ClosureStructure,
    gravity: Vector | None = None,
    wrenches: Mapping[str, Numbers] | None = None,
    friction: bool = True,
) -> list[Number]:
    """Accelerations of all joints under forces tau of the actuated ones, loop constraints satisfied."""
    forces = forces_in_all_joints(mechanism, plan.actuated, tau)
    return loop_dynamics(mechanism, q, v, forces, plan, gravity, wrenches, friction)


def forces_in_all_joints(mechanism: Mechanism, coordinates: Sequence[int], tau: Numbers) -> list[Number]:
    """Forces tau of some coordinates as a vector over all of v; zero elsewhere."""
    forces: list[Number] = [0] * mechanism.nv
    for k, t in zip(coordinates, tau, strict=True):
        forces[k] = t
    return forces


def state_rate(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    tau: Numbers,
    plan: ClosureStructure,
    gravity: Vector | None = None,
    friction: bool = True,
) -> list[Number]:
    """dq/dt (quaternions included), then dv/dt, under forces in all joints: the right side of the ODE."""
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
    plan: ClosureStructure,
    gravity: Vector | None = None,
    wrenches: Mapping[str, Numbers] | None = None,
    friction: bool = True,
) -> list[Number]:
    """Accelerations of the independent coordinates under forces along them.

    P^T M P a = tau - P^T (h + g + friction + M dP/dt v): links of the tree may be massless.
    """
    projected = ProjectedDynamics(mechanism, q, plan)
    coordinates = projected.coordinates
    velocity = coordinates.velocity(v)
    bias = coordinates.acceleration(velocity, [0] * len(plan.independent))
    tree = inverse_dynamics(mechanism, q, velocity, bias, gravity, wrenches, friction=False)
    if friction:
        tree = [x + r for x, r in zip(tree, smooth_resistance(mechanism, q, velocity), strict=True)]
    own = coordinates.along_independent(tree)
    return projected.independent_motion([t - x for t, x in zip(tau, own, strict=True)])


def loop_projection_step(mechanism: Mechanism, q: Numbers, plan: ClosureStructure) -> list[Number]:
    """Newton step dq (in the tangent space, nv) that closes small gaps: J dq = -r, |dq| in M minimal."""
    constrained, equations = loop_constrained_dynamics(mechanism, q, plan)
    return constrained.solve([0] * mechanism.nv, equations.combine(loop_residual(mechanism, q)))


def loop_projected_velocity(
    mechanism: Mechanism, q: Numbers, v: Numbers, plan: ClosureStructure
) -> list[Number]:
    """Projection of v onto J v = 0: the nearest such velocities in the norm of the kinetic energy."""
    constrained, equations = loop_constrained_dynamics(mechanism, q, plan)
    rates = [dot(row, v) for row in equations.J]
    step = constrained.solve([0] * mechanism.nv, rates)
    return [x + dx for x, dx in zip(v, step, strict=True)]


def loop_constrained_dynamics(
    mechanism: Mechanism, q: Numbers, plan: ClosureStructure
) -> tuple[ConstrainedDynamics | ProjectedDynamics, IndependentLoopEquations]:
    """M and the Jacobian of the independent loop equations, factored, and these equations."""
    entries, equations = mass_entries(mechanism, q), IndependentLoopEquations(mechanism, q, plan)
    if has_singular_mass(entries, mechanism.nv):
        return ProjectedDynamics(mechanism, q, plan, entries), equations
    mass = ltdl_factorization.factorize(entries, mechanism.parent_dofs())
    return ConstrainedDynamics(mass, equations.J), equations
