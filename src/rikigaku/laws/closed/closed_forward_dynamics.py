"""Forward dynamics of closed robots, and projection of positions and velocities onto the loops.

Reference: R. Featherstone, Rigid Body Dynamics Algorithms, chapter 8 (loops by the Schur complement of M).
"""

from collections.abc import Mapping, Sequence

from rikigaku.laws.closed.dependent_coordinates import (
    ClosureStructure,
    DependentCoordinates,
    IndependentLoopEquations,
    Numbers,
)
from rikigaku.laws.closed.loop_equations import loop_bias, loop_residual
from rikigaku.laws.constrained_dynamics import ConstrainedDynamics, dot
from rikigaku.laws.tree.forward_dynamics import mass_factors, net_forces
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
    """Accelerations of the independent coordinates under forces along them."""
    forces = forces_in_all_joints(mechanism, plan.independent, tau)
    velocity = DependentCoordinates(mechanism, q, plan).velocity(v)
    a = loop_dynamics(mechanism, q, velocity, forces, plan, gravity, wrenches, friction)
    return [a[k] for k in plan.independent]


def loop_projection_step(mechanism: Mechanism, q: Numbers, plan: ClosureStructure) -> list[Number]:
    """Newton step dq (in the tangent space, nv) that closes small gaps: J dq = -r, |dq| in M minimal."""
    constrained, equations = loop_constrained_dynamics(mechanism, q, plan)
    return constrained.solve([0] * mechanism.nv, equations.combine(loop_residual(mechanism, q)))


def loop_projected_velocity(
    mechanism: Mechanism, q: Numbers, v: Numbers, plan: ClosureStructure
) -> list[Number]:
    """Projection of v onto J v = 0: the nearest such velocities in the norm of the kinetic energy."""
    constrained, _ = loop_constrained_dynamics(mechanism, q, plan)
    rates = [dot(row, v) for row in constrained.J]
    step = constrained.solve([0] * mechanism.nv, rates)
    return [x + dx for x, dx in zip(v, step, strict=True)]


def loop_constrained_dynamics(
    mechanism: Mechanism, q: Numbers, plan: ClosureStructure
) -> tuple[ConstrainedDynamics, IndependentLoopEquations]:
    """M and the Jacobian of the independent loop equations, factored, and these equations."""
    mass, equations = mass_factors(mechanism, q), IndependentLoopEquations(mechanism, q, plan)
    return ConstrainedDynamics(mass, equations.J), equations
