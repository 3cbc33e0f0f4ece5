"""The motion of a flexible mechanism in time: the generalized-alpha method with Newton's steps.

Bodies turn in space, so the method is that on a Lie group: rates nu are numbers, shapes move along them. At
the end of each step the equations of motion hold,

    T^T (inertia(nu, nu') + bending + damping - weight) + friction + springs = S^T tau.

References: J. Chung, G. M. Hulbert, A time integration algorithm for structural dynamics with improved
numerical dissipation: the generalized-alpha method, J. Appl. Mech. 60 (1993); O. Brüls, A. Cardona, On the
use of Lie group time integrators in multibody dynamics, J. Comput. Nonlinear Dynam. 5 (2010). rho = 1 keeps
all vibrations (Newmark's average acceleration is its neighbour), rho = 0 removes the fast ones.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

from rikigaku.errors import NotConverged, WrongValue
from rikigaku.fem.beams import Beams
from rikigaku.fem.coordinates import State, stacked
from rikigaku.fem.joint_forces import JointForces, Motors, Torque
from rikigaku.fem.postures import joint_state, rigid_rates
from rikigaku.fem.progress import Clock, Progress
from rikigaku.fem.rows import Placed
from rikigaku.fem.simulated import Simulated
from rikigaku.given import flag, function_of, names_its_options, number, numbers, whole
from rikigaku.states import as_position

if TYPE_CHECKING:
    from rikigaku.fem.elastic import Elastic

Array = NDArray[np.float64]

_STEPS = 25
_TOLERANCE = 1e-9
_QUICK = 0.1  # of the last step: Newton's steps that shrink less take a new slope


def large_beams(elastic: "Elastic", q: Array, locked: Any = "none") -> Beams:
    """The beams of an elastic mesh about a posture; hinges by rotations of their own."""
    if elastic.hinges != "released":
        raise WrongValue("Large motions take hinges='released'.")
    return Beams(elastic.assembly(q, locked))


@names_its_options
def simulate(
    elastic: "Elastic",
    q: Any,
    v: Any = None,
    *,
    duration: float,
    step: float = 1e-3,
    torque: Torque | None = None,
    rho: float = 1.0,
    rest: bool = False,
    locked: Any = "none",
    every: int = 1,
    slip_speed: float | None = None,
    progress: Progress | None = None,
) -> Simulated:
    """The motion of the elastic mechanism in time, from a posture.

    Args:
        q, v: positions and velocities of the joints at the start; links move as if rigid there.
        duration, step: [s].
        torque: forces of all joints as a function of t, q, v (all joints, (nv,)); none if left out.
        rho: fast vibrations that the method itself keeps, from 1 (all, energy too) to 0 (none).
        rest: True to start with links bent by their weight (joints held), False with links unbent.
        locked: joints held: "motors", "all", "none", or names.
        every: steps between samples that are kept; the last is kept always.
        slip_speed: over which Coulomb friction F of joints is smoothed, F v / sqrt(v^2 + slip_speed^2).
        progress: called with a line every two seconds (progress=print).
    Raises:
        NotConverged: if a step cannot be taken: take shorter ones.
        CannotClose: if q or v pulls a loop apart. WrongValue: for Coulomb friction without slip_speed.
    """
    duration, step = number("duration [s]", duration, above=0), number("step [s]", step, above=0)
    rho, every = number("rho", rho, least=0, most=1), whole("every, steps between samples kept,", every)
    clock = Clock(progress)
    if torque is not None:
        function_of("torque", "t q v", torque)
    robot = elastic.layout.robot
    beams = large_beams(elastic, as_position(robot, q), locked)
    run = _Run(beams, JointForces(elastic, beams, slip_speed), torque)
    nu = np.zeros((1, beams.joined.size))
    state = equilibrium(beams) if flag("rest", rest) else beams.joined.start
    if v is not None:
        nu = rigid_rates(beams.joined, numbers(f"v of robot {robot.name!r}", v, (robot.nv,)))
    count = max(1, round(duration / step))
    kept = run.go(state, nu, duration / count, count, rho, every, clock)
    t, tau = (np.array([row[k] for row in kept]) for k in (0, 3))
    shapes, rates = stacked([row[1] for row in kept]), np.concatenate([row[2] for row in kept])
    q, v = joint_state(beams.joined, shapes, beams.joined.placed(shapes), rates)
    return Simulated(elastic, beams, t, shapes, rates, q, v, tau)


class _Run:
    def __init__(self, beams: Beams, joints: JointForces, torque: Torque | None) -> None:
        self.beams, self.joined, self.joints = beams, beams.joined, joints
        self.motors = Motors(joints, torque)

    def residual(self, t: float, state: State, at: Placed, T: Array, nu: Array, rate: Array) -> Array:
        """What is missing in the equations of motion, (size,)."""
        nodal = self.beams.forces(at, T, nu, rate)
        own = self.joints.resisting(state, nu) + self.joints.inertia(rate)
        if self.motors.torque is not None:
            tau = self.motors.forces(t, state, nu, at)[self.joints.joints]
            own -= self.joints.turning.forces(tau[None])
        return np.asarray((self.beams.rows.gathered(T, nodal) + own)[0])

    def slope(
        self, at: Placed, T: Array, nu: Array, damp: float, stiff: float, feedback: tuple[Array, Array] | None
    ) -> Any:
        """Mass + damp * damping + stiff * stiffness over the rates, as far as Newton's steps need them."""
        M, (K, C) = self.beams.mass(at), self.beams.stiffness(at)
        M *= 1 + damp * self.beams.alpha
        (springs,), (friction,), (rotors,) = self.joints.slopes(nu)
        turning = self.joints.turning
        places, size = (turning.columns, turning.columns), turning.size
        own = sparse.csr_array((rotors + damp * friction + stiff * springs, places), shape=(size, size))
        if feedback is not None:
            own = own - turning.between(stiff * feedback[0] + damp * feedback[1])
        return self.beams.spread.matrix(T, M + damp * C + stiff * K) + own

    def go(
        self, state: State, nu: Array, h: float, count: int, rho: float, every: int, clock: Clock
    ) -> list[tuple[float, State, Array, Array]]:
        am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        gamma = 0.5 - am + af
        beta = 0.25 * (1 - am + af) ** 2
        scale = (1 - af) / (1 - am)
        rate = self.start(state, nu, beta * scale * h * h)
        a = rate
        kept = [(0.0, state, nu, self.motors.forces(0.0, state, nu))]
        factor = None
        for k in range(count):
            t = (k + 1) * h
            known = (af * rate - am * a) / (1 - am)
            new, last = rate, np.inf
            for _ in range(_STEPS):
                guess = known + scale * new
                way = h * nu + h * h * ((0.5 - beta) * a + beta * guess)
                nu1 = nu + h * ((1 - gamma) * a + gamma * guess)
                shape = self.joined.moved(state, way)
                at = self.joined.placed(shape)
                T = self.beams.rows.values(at)
                left = self.residual(t, shape, at, T, nu1, new)
                if factor is None:
                    feedback = self.motors.slopes(t, shape, at, nu1)
                    slope = self.slope(at, T, nu1, scale * gamma * h, scale * beta * h * h, feedback)
                    factor = _factor(slope, t)
                change = -factor.solve(left)[None]
                part = self.joints.allowed(nu1, scale * gamma * h * change)
                new = new + part * change
                moved = float(np.abs(scale * beta * h * h * change).max(initial=0.0))
                # steps shrink by about this much each: what is still missing is the sum of those to come
                shrink = moved / last
                missing = moved * min(1.0, shrink / (1 - shrink)) if 0 < shrink < 1 else moved
                if part == 1 and missing < _TOLERANCE * max(1e-3, float(np.abs(way).max(initial=0.0))):
                    break
                if part < 1 or not moved < _QUICK * last:  # the slope has aged: take a new one
                    factor = None
                last = moved if part == 1 else np.inf
            else:
                raise NotConverged(f"No next step at t = {t:.6g} s: take a shorter one than step={h:g}.")
            guess = known + scale * new
            way = h * nu + h * h * ((0.5 - beta) * a + beta * guess)
            state, nu = self.joined.moved(state, way), nu + h * ((1 - gamma) * a + gamma * guess)
            a, rate = guess, new
            clock.tell(f"{t:.4g} s of {count * h:.4g} s")
            if (k + 1) % every == 0 or k + 1 == count:
                kept.append((t, state, nu, self.motors.forces(t, state, nu)))
        return kept

    def start(self, state: State, nu: Array, soft: float) -> Array:
        """Rates of nu at the start; rotations without mass follow the others as bending says."""
        at = self.joined.placed(state)
        T = self.beams.rows.values(at)
        left = self.residual(0.0, state, at, T, nu, np.zeros_like(nu))
        slope = self.slope(at, T, nu, 0.0, soft, self.motors.slopes(0.0, state, at, nu))
        return np.asarray(-_factor(slope, 0.0).solve(left)[None])


def _factor(slope: Any, t: float) -> Any:
    try:
        return splu(slope.tocsc())
    except RuntimeError:
        raise NotConverged(
            f"Something moves at t = {t:.6g} s that has neither mass nor stiffness, so nothing says how: "
            "give the links inertia, or hold the joint (locked=...)."
        ) from None


def equilibrium(beams: Beams) -> State:
    """The shape in which bending holds the weight, joints of the tree held, weight growing in quarters."""
    joined, state = beams.joined, beams.joined.start
    free = np.setdiff1d(np.arange(joined.size), joined.turning.columns)
    still = np.zeros((1, joined.size))
    for part in (0.25, 0.5, 0.75, 1.0):
        for _ in range(_STEPS):
            at = joined.placed(state)
            T = beams.rows.values(at)
            left = beams.rows.gathered(T, beams.forces(at, T, still, still) + (1 - part) * beams.weight)[0]
            K = beams.spread.matrix(T, beams.stiffness(at)[0])
            step = np.zeros((1, joined.size))
            step[0, free] = -splu(K[free][:, free].tocsc()).solve(left[free])
            state = joined.moved(state, step)
            if np.abs(step).max(initial=0.0) < 1e-12:
                break
        else:
            raise NotConverged(
                "No equilibrium under the weight was found: the links are too soft, or buckle."
            )
    return state
