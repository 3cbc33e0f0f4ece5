"""Generalized-alpha integration of a flexible mechanism: a sparse second-order system on a Lie group.

Shapes contain rotations, so positions are updated by the exponential map and the rates nu are vectors. At the
end of each step the equations of motion hold,

    T^T (inertia(nu, nu') + elasticity + damping - weight) + friction + springs = S^T tau,

and are solved by Newton's method with a sparse iteration matrix that is reused while it converges.
References: J. Chung, G. M. Hulbert, A time integration algorithm for structural dynamics with improved
numerical dissipation: the generalized-alpha method, J. Appl. Mech. 60 (1993); O. Brüls, A. Cardona, On the
use of Lie group time integrators in multibody dynamics, J. Comput. Nonlinear Dynam. 5 (2010). The spectral
radius at infinite frequency is rho: rho = 1 has no numerical dissipation, rho = 0 annihilates high
frequencies.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import ArrayLike
from scipy.sparse.linalg import splu

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import NotConverged, WrongValue
from rikigaku.core.progress import Clock, Progress
from rikigaku.core.types import Array
from rikigaku.core.validation import flag, function_of, number, numbers, whole
from rikigaku.fem.flexible_configuration import joint_state, rigid_rates
from rikigaku.fem.flexible_forces import Beams, JointForces, Motors, Torque
from rikigaku.fem.flexible_solution import FlexibleSolution
from rikigaku.fem.mpc_jacobian import NodePoses
from rikigaku.fem.multipoint_constraints import State, concatenated
from rikigaku.model.states import as_position

if TYPE_CHECKING:
    from rikigaku.fem.elastic import Elastic


_ITERATIONS = 25
_TOLERANCE = 1e-9
_CONTRACTION = 0.1  # contraction of the corrections above which the matrix is refactored


def large_beams(elastic: "Elastic", q: Array, locked: str | Sequence[str] = "none") -> Beams:
    """Beams of an elastic mesh about a configuration, with released joints."""
    if elastic.hinges != "released":
        raise WrongValue("Large motions need hinges='released'.")
    return Beams(elastic.assembly(q, locked))


@checked
def simulate(
    elastic: "Elastic",
    q: ArrayLike,
    v: ArrayLike | None = None,
    *,
    duration: float,
    step: float = 1e-3,
    torque: Torque | None = None,
    rho: float = 1.0,
    rest: bool = False,
    locked: str | Sequence[str] = "none",
    every: int = 1,
    slip_speed: float | None = None,
    progress: Progress | None = None,
) -> FlexibleSolution:
    """Motion of the elastic mechanism in time, from an initial state.

    Args:
        q, v: initial joint positions and velocities; the links start with the velocities of rigid links.
        duration, step: [s].
        torque: joint forces as a function of t, q, v, (nv,); none by default.
        rho: spectral radius at infinite frequency, from 1 (no numerical dissipation) to 0 (strongest).
        rest: True to start with links deflected by their weight (joints held), False with undeformed links.
        locked: joints held: "motors", "all", "none", or names.
        every: steps between saved samples; the last step is always saved.
        slip_speed: of the smoothed Coulomb friction F of the joints, F v / sqrt(v^2 + slip_speed^2).
        progress: called with a line every two seconds (progress=print).
    Raises:
        NotConverged: if a step does not converge: choose a shorter one.
        CannotClose: if q or v violates a loop closure. WrongValue: for Coulomb friction without slip_speed.
    """
    duration, step = number("duration [s]", duration, above=0), number("step [s]", step, above=0)
    rho, every = number("rho", rho, least=0, most=1), whole("every, steps between samples kept,", every)
    clock = Clock(progress)
    if torque is not None:
        function_of("torque", "t q v", torque)
    robot = elastic.layout.robot
    beams = large_beams(elastic, as_position(robot, q), locked)
    run = _Integrator(beams, JointForces(elastic, beams, slip_speed), torque)
    nu = np.zeros((1, beams.kinematics.size))
    state = equilibrium(beams) if flag("rest", rest) else beams.kinematics.undeformed
    if v is not None:
        nu = rigid_rates(beams.kinematics, numbers(f"v of robot {robot.name!r}", v, (robot.nv,)))
    count = max(1, round(duration / step))
    kept = run.integrate(state, nu, duration / count, count, rho, every, clock)
    t, tau = (np.array([row[k] for row in kept]) for k in (0, 3))
    shapes, rates = concatenated([row[1] for row in kept]), np.concatenate([row[2] for row in kept])
    q, v = joint_state(beams.kinematics, shapes, beams.kinematics.node_poses(shapes), rates)
    return FlexibleSolution(elastic, beams, t, shapes, rates, q, v, tau)


class _Integrator:
    """One run: the equations of motion, their iteration matrix and the time loop."""

    def __init__(self, beams: Beams, joints: JointForces, torque: Torque | None) -> None:
        self.beams, self.kinematics, self.joints = beams, beams.kinematics, joints
        self.motors = Motors(joints, torque)

    def residual(self, t: float, state: State, at: NodePoses, T: Array, nu: Array, rate: Array) -> Array:
        """Residual of the equations of motion, (size,)."""
        nodal = self.beams.forces(at, T, nu, rate)
        joint_terms = self.joints.passive_forces(state, nu) + self.joints.inertia(rate)
        if self.motors.torque is not None:
            tau = self.motors.forces(t, state, nu, at)[self.joints.joints]
            joint_terms -= self.joints.joint_rates.forces(tau[None])
        return np.asarray((self.beams.jacobian.generalized_forces(T, nodal) + joint_terms)[0])

    def iteration_matrix(
        self,
        at: NodePoses,
        T: Array,
        nu: Array,
        damp: float,
        stiff: float,
        feedback: tuple[Array, Array] | None,
    ) -> sparse.csr_array:
        """Newton iteration matrix: mass + damp * damping + stiff * stiffness over the coordinates."""
        M, (K, C) = self.beams.mass(at), self.beams.stiffness(at)
        M *= 1 + damp * self.beams.alpha
        (springs,), (friction,), (rotors,) = self.joints.derivatives(nu)
        joint_rates = self.joints.joint_rates
        indices, size = (joint_rates.columns, joint_rates.columns), joint_rates.size
        joint_terms = sparse.csr_array(
            (rotors + damp * friction + stiff * springs, indices), shape=(size, size)
        )
        if feedback is not None:
            joint_terms = joint_terms - joint_rates.between(stiff * feedback[0] + damp * feedback[1])
        return self.beams.assembler.matrix(T, M + damp * C + stiff * K) + joint_terms

    def integrate(
        self, state: State, nu: Array, h: float, count: int, rho: float, every: int, clock: Clock
    ) -> list[tuple[float, State, Array, Array]]:
        """Saved samples (t, state, nu, joint forces) of `count` steps of h [s].

        a is the auxiliary acceleration of the method, (1 - am) a1 + am a = (1 - af) rate1 + af rate; alpha_m,
        alpha_f, gamma and beta as functions of rho: [Chung1993], eqs 17, 20, 25.
        """
        am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        gamma = 0.5 - am + af
        beta = 0.25 * (1 - am + af) ** 2
        scale = (1 - af) / (1 - am)
        rate = self.start(state, nu, beta * scale * h * h)
        a = rate
        saved = [(0.0, state, nu, self.motors.forces(0.0, state, nu))]
        factor = None
        for k in range(count):
            t = (k + 1) * h
            history = (af * rate - am * a) / (1 - am)
            rate1, last = rate, np.inf
            for _ in range(_ITERATIONS):
                a1 = history + scale * rate1
                displacement = h * nu + h * h * ((0.5 - beta) * a + beta * a1)
                nu1 = nu + h * ((1 - gamma) * a + gamma * a1)
                shape = self.kinematics.displaced(state, displacement)
                at = self.kinematics.node_poses(shape)
                T = self.beams.jacobian.values(at)
                residual = self.residual(t, shape, at, T, nu1, rate1)
                if factor is None:
                    feedback = self.motors.derivatives(t, shape, at, nu1)
                    iteration_matrix = self.iteration_matrix(
                        at, T, nu1, scale * gamma * h, scale * beta * h * h, feedback
                    )
                    factor = _factor(iteration_matrix, t)
                change = -factor.solve(residual)[None]
                fraction = self.joints.friction_step_limit(nu1, scale * gamma * h * change)
                rate1 = rate1 + fraction * change
                correction = float(np.abs(scale * beta * h * h * change).max(initial=0.0))
                # Linear convergence: the remaining error is the geometric sum of the corrections to come.
                contraction = correction / last
                remaining = (
                    correction * min(1.0, contraction / (1 - contraction))
                    if 0 < contraction < 1
                    else correction
                )
                if fraction == 1 and remaining < _TOLERANCE * max(
                    1e-3, float(np.abs(displacement).max(initial=0.0))
                ):
                    break
                if fraction < 1 or not correction < _CONTRACTION * last:  # refactor the matrix
                    factor = None
                last = correction if fraction == 1 else np.inf
            else:
                raise NotConverged(
                    f"The step to t = {t:.6g} s did not converge: choose one shorter than step={h:g}."
                )
            a1 = history + scale * rate1
            displacement = h * nu + h * h * ((0.5 - beta) * a + beta * a1)
            state = self.kinematics.displaced(state, displacement)
            nu = nu + h * ((1 - gamma) * a + gamma * a1)
            a, rate = a1, rate1
            clock.report(f"{t:.4g} s of {count * h:.4g} s")
            if (k + 1) % every == 0 or k + 1 == count:
                saved.append((t, state, nu, self.motors.forces(t, state, nu)))
        return saved

    def start(self, state: State, nu: Array, stiffness_factor: float) -> Array:
        """Initial time derivative of nu; massless rotations follow from the stiffness."""
        at = self.kinematics.node_poses(state)
        T = self.beams.jacobian.values(at)
        residual = self.residual(0.0, state, at, T, nu, np.zeros_like(nu))
        iteration_matrix = self.iteration_matrix(
            at, T, nu, 0.0, stiffness_factor, self.motors.derivatives(0.0, state, at, nu)
        )
        return np.asarray(-_factor(iteration_matrix, 0.0).solve(residual)[None])


def _factor(iteration_matrix: sparse.csr_array, t: float) -> Any:
    try:
        return splu(iteration_matrix.tocsc())
    except RuntimeError:
        raise NotConverged(
            f"At t = {t:.6g} s a coordinate has neither mass nor stiffness, so its motion is undetermined: "
            "give the links inertia, or hold the joint (locked=...)."
        ) from None


def equilibrium(beams: Beams) -> State:
    """Static equilibrium under weight with the joints held; the weight is applied in four increments."""
    kinematics, state = beams.kinematics, beams.kinematics.undeformed
    free = np.setdiff1d(np.arange(kinematics.size), kinematics.joint_rates.columns)
    zero = np.zeros((1, kinematics.size))
    for fraction in (0.25, 0.5, 0.75, 1.0):
        for _ in range(_ITERATIONS):
            at = kinematics.node_poses(state)
            T = beams.jacobian.values(at)
            residual = beams.jacobian.generalized_forces(
                T, beams.forces(at, T, zero, zero) + (1 - fraction) * beams.weight
            )[0]
            K = beams.assembler.matrix(T, beams.stiffness(at)[0])
            step = np.zeros((1, kinematics.size))
            step[0, free] = -splu(K[free][:, free].tocsc()).solve(residual[free])
            state = kinematics.displaced(state, step)
            if np.abs(step).max(initial=0.0) < 1e-12:
                break
        else:
            raise NotConverged(
                "No equilibrium under the weight was found: the links are too soft, or buckle."
            )
    return state
