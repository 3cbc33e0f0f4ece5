"""Fixed-step time stepping with contact, friction and impacts: Moreau's scheme, damping implicit.

Each step solves for the velocities at its end, impulses in their cones, surfaces as at its middle:

    (M + h D/2)(v' - v) = h (tau - b) + J^T P,      q' = q + h (v + v')/2,

then closes the gaps of active contacts. First order where modes change; no events are located. Stable for
strong joint damping D, where an explicit step is not. `rk.simulate` locates events; this scheme is for
comparison with fixed-step results, and for contacts too many to follow one by one. Python runs at every step
(a millisecond).
Reference: J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics (1988).
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.contact.complementarity import consistent_solutions
from rikigaku.contact.constraint_blocks import BlockMode, ConstraintBlock, ModeSolution, candidate_modes
from rikigaku.contact.contact_system import ConstraintEquations, ContactState, ContactSystem
from rikigaku.contact.mode_enumeration import ModeAssignment
from rikigaku.contact.mode_selection import CLOSED
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import NoConsistentMode, WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import number
from rikigaku.model.states import as_position
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot
from rikigaku.simulation.actuation import actuation_of
from rikigaku.simulation.actuation_program import ActuationForces
from rikigaku.simulation.simulate import actuated_coordinates


@dataclass(frozen=True, eq=False)
class SteppedSolution:
    """A motion at fixed steps.

    Attributes:
        t, q, v: times (n,), positions (n, nq), velocities (n, nv).
        f, f_n: mean force on the robot at each contact over the step before, world axes (n, k, 3), and its
            normal component (n, k) [N].
        contact_modes: "free", "stick" or "slip" of each contact.
    """

    robot: Robot
    t: Array
    q: Array
    v: Array
    f: Array
    f_n: Array
    contact_modes: tuple[tuple[str, ...], ...]


@checked
def time_stepping(
    robot: Robot,
    q0: ArrayLike | None,
    v0: ArrayLike | None = None,
    torque: Any = None,
    *,
    duration: float,
    step: float,
    contacts: Any,
) -> SteppedSolution:
    """The motion of a robot with contacts at fixed steps.

    Args:
        q0, v0, torque, duration, contacts: as for `simulate`. step: [s].
    Raises:
        NoConsistentMode: if no impulses within friction solve a step.
        WrongValue, WrongSize: for inputs that do not fit, and torques that are not finite.
    """
    duration, step = number("duration [s]", duration, above=0), number("step [s]", step, above=0)
    if step > duration:
        raise WrongValue(f"A step is above 0 s and at most the duration; {step} of {duration} was given.")
    system = contacts if isinstance(contacts, ContactSystem) else ContactSystem(robot, contacts)
    q, v = as_position(robot, q0), np.zeros(robot.nv) if v0 is None else np.array(v0, dtype=np.float64)
    if v.shape != (robot.nv,):
        raise WrongSize(f"v of robot {robot.name!r} has {robot.nv} numbers; shape {v.shape} was given.")
    tau = ActuationForces(robot, actuation_of(robot.nv, actuated_coordinates(robot), torque))
    stepper = _Stepper(system, step)
    count = round(duration / step)
    states, forces = [(q, v)], [np.zeros((len(system.contacts), 4))]
    modes: list[tuple[str, ...]] = [()]
    for k in range(count):
        q, v, force, contact_modes = stepper(k * step, q, v, tau)
        states.append((q, v))
        forces.append(force)
        modes.append(contact_modes)
    modes[0] = modes[1]
    all_forces = np.array(forces)
    all_forces[0] = all_forces[1]
    qs, vs = (np.array(x) for x in zip(*states, strict=True))
    t = np.arange(count + 1, dtype=np.float64) * step
    return SteppedSolution(robot, t, qs, vs, all_forces[..., :3], all_forces[..., 3], tuple(modes))


class _Stepper:
    """Advances the state by one step."""

    def __init__(self, system: ContactSystem, step: float) -> None:
        self.system, self.h = system, step
        values = system.robot.declared_values
        self.damping = np.array(
            [
                float(joint.viscous.evaluate(FLOATS, values))
                for joint in system.robot.joints
                for _ in range(joint.nv)
            ]
        )
        self.indices, self.joints = system.equation_indices()
        self.last_modes: dict[int, BlockMode] = {}

    def __call__(
        self, t: float, q: Array, v: Array, tau: ActuationForces
    ) -> tuple[Array, Array, Array, tuple[str, ...]]:
        system, h = self.system, self.h
        middle, when = system.engine.integrate(q, 0.5 * h * v), t + 0.5 * h
        force = tau(when, middle, v)
        if not np.isfinite(force).all():
            raise WrongValue(f"The torque is not finite at t = {when:.9g} s: {force}.")
        equations = system.constraint_equations(middle, v, when, force, 0.5 * h * self.damping)
        before = system.contact_state(equations.residual, equations.rates)
        J, directions = equations.J, equations.directions
        W, response, a = self._with_viscous_friction(equations, before)
        free = v + h * a
        w0 = equations.rates + J @ (free - v)
        blocks, owners = [], []
        for i, (contact, (normal, tangents)) in enumerate(zip(system.contacts, self.indices, strict=True)):
            if before.gap[i] > CLOSED and not contact.bilateral:
                continue
            friction = contact.friction
            mu = friction.coefficient(float(np.linalg.norm(before.sliding[i])))
            bounce = contact.restitution * max(-before.approach[i], 0.0)
            friction_tangents = tangents if friction.limit else ()
            blocks.append(
                ConstraintBlock(
                    normal, friction_tangents, friction.limit, mu, bounce, None, contact.bilateral
                )
            )
            owners.append(i)
        for joint, row in zip(system.joints, self.joints, strict=True):
            blocks.append(ConstraintBlock(None, (row,), h * joint.limit, h * joint.coulomb))
        solution = self._first(W, w0, blocks, owners, before.sliding, t)
        v = free + solution.F @ response
        q = self._closed(system.engine.integrate(middle, 0.5 * h * v), t + h, owners, solution)
        force = np.zeros((len(system.contacts), 4))
        contact_modes = ["free"] * len(system.contacts)
        first = system.constraints.permanent
        for mode, i in zip(solution.modes, owners, strict=False):
            rows = [self.indices[i][0], *self.indices[i][1]]
            force[i, :3] = solution.F[rows] @ directions[[row - first for row in rows]] / h
            force[i, 3] = solution.F[rows[0]] / h
            contact_modes[i] = mode.kind
        return q, v, force, tuple(contact_modes)

    def _with_viscous_friction(
        self, equations: ConstraintEquations, state: ContactState
    ) -> tuple[Array, Array, Array]:
        """W, M^-1 J^T (transposed) and accelerations with the viscous friction of closed contacts implicit.

        Viscous forces -V J (v + h a / 2) of the tangents add h/2 J^T V J to M. By the Woodbury identity
        M^-1 x becomes M^-1 x - M^-1 J^T K J M^-1 x, K = (h/2) V (1 + (h/2) W V)^-1.
        """
        W, response, a = equations.W, equations.response, equations.a
        coefficients, sliding = np.zeros(len(W)), np.zeros(len(W))
        for i, (contact, (_, tangents)) in enumerate(zip(self.system.contacts, self.indices, strict=True)):
            if contact.friction.viscous and (contact.bilateral or state.gap[i] <= CLOSED):
                coefficients[list(tangents)] = contact.friction.viscous
                sliding[list(tangents)] = state.sliding[i][: len(tangents)]
        rows = np.flatnonzero(coefficients)
        if not len(rows):
            return W, response, a
        half, columns, own = 0.5 * self.h * coefficients[rows], W[:, rows], response[rows]
        K = half[:, None] * np.linalg.inv(np.eye(len(rows)) + columns[rows] * half)
        a = a - (coefficients * sliding)[rows] @ own
        a = a - (K @ (equations.J[rows] @ a)) @ own
        return W - columns @ K @ columns.T, response - columns @ K @ own, a

    def _first(
        self, W: Array, w0: Array, blocks: list[ConstraintBlock], owners: list[int], sliding: Array, t: float
    ) -> ModeSolution:
        """Consistent impulses; the modes of the step before are tried first."""
        numbers = [*owners, *range(-len(self.joints), 0)]
        likely = tuple(
            self.last_modes.get(i, candidate_modes(block)[0])
            for i, block in zip(numbers, blocks, strict=True)
        )
        slides = {k: sliding[i] / s for k, i in enumerate(owners) if (s := float(np.hypot(*sliding[i]))) > 0}
        first = (ModeAssignment(likely, slides),)
        for solution in consistent_solutions(W, w0, blocks, range(self.system.constraints.permanent), first):
            self.last_modes = dict(zip(numbers, solution.modes, strict=True))
            return solution
        raise NoConsistentMode(
            f"No impulses within friction solve the step at t = {t:.9g} s. Try a shorter one."
        )

    def _closed(self, q: Array, t: float, owners: list[int], solution: ModeSolution) -> Array:
        """Gaps of loaded contacts closed by one Newton step."""
        carrying = [i for i, c in zip(owners, solution.modes, strict=False) if c.kind != "free"]
        normals = {normal: i for i, (normal, _) in enumerate(self.indices)}
        contacts = tuple((normals[row], 0) for row in solution.independent if normals.get(row) in carrying)
        if not contacts and not self.system.constraints.permanent:
            return q
        step = self.system.engine.newton_step(replace(self.system.constraints, contacts=contacts), t, q)
        return self.system.engine.integrate(q, step)
