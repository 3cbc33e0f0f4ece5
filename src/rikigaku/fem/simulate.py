"""The motion of a flexible mechanism in time: the generalized-alpha method with Newton's steps.

M a + forces(z, v) = weight + turning^T tau. Reference: J. Chung, G. M. Hulbert, A time integration algorithm
for structural dynamics with improved numerical dissipation: the generalized-alpha method, J. Appl. Mech. 60
(1993). rho = 1 keeps all vibrations (Newmark's average acceleration is its neighbour), rho = 0 removes the
fast ones.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu_factor, lu_solve
from scipy.sparse.linalg import splu

from rikigaku.errors import NotConverged, UnknownName, WrongSize, WrongValue
from rikigaku.fem.assembly import plane_axes
from rikigaku.fem.corotational import PlanarBeams
from rikigaku.fem.linear import Shape

if TYPE_CHECKING:
    from rikigaku.fem.elastic import Elastic

Array = NDArray[np.float64]
Torque = Callable[[float, Array, Array], Any]

_STEPS = 20
_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Simulated:
    """Times, free values z and their rates, and what they mean.

    q, v: of the joints, as their hinges turn (samples, nv); torques: (samples, nv).
    """

    elastic: "Elastic"
    beams: PlanarBeams
    t: Array
    z: Array
    rate: Array
    q: Array
    v: Array
    torques: Array

    @property
    def nodes(self) -> Array:
        """Places of all nodes in the plane, (samples, nodes, 2), axes of the plane."""
        x = (self.beams.P @ self.z.T).T.reshape(len(self.t), -1, 3)
        return np.asarray(self.beams.places + x[..., :2])

    def at(self, frame: str) -> Array:
        """Path of a frame in the world, (samples, 3)."""
        layout = self.elastic.layout
        if frame not in layout.frames:
            raise UnknownName("frame in the mesh", frame, layout.frames, "the mesh")
        return np.asarray(self.nodes[:, layout.frames[frame]] @ plane_axes(np.asarray(layout.normal)))

    @property
    def energy(self) -> Array:
        """Kinetic, elastic and potential energy, (samples, 3) [J]; potential is zero where it began."""
        M, W = self.beams.mass, self.beams.weight
        kinetic = 0.5 * np.einsum("ti,ti->t", self.rate, (M @ self.rate.T).T)
        bent = np.array([self.beams.energy(z) for z in self.z])
        return np.stack([kinetic, bent, -(self.z @ W)], axis=1)

    def shape(self, sample: int = -1) -> Shape:
        """The deformed mechanism at one sample, to be drawn."""
        x = np.asarray(self.beams.assembly.Z @ self.z[sample]).reshape(-1, 6)
        return Shape(self.beams.assembly, x[:, :3], x[:, 3:])

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Shapes of the mechanism over the motion; see `rikigaku.fem.pictures.plot_motion`."""
        from rikigaku.fem.pictures import plot_motion

        return plot_motion(self, ax, **options)


def planar_beams(elastic: "Elastic", q: Array, locked: Any = "none") -> PlanarBeams:
    """The beams of an elastic planar mesh about a posture; hinges by rotations of their own."""
    if elastic.hinges != "released":
        raise WrongValue("Large motions take hinges='released'.")
    _no_slides(elastic)
    return PlanarBeams(elastic.assembly(q, locked), elastic.damping[1])


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
) -> Simulated:
    """The motion from a posture, links unbent (or bent by their weight, joints held, with rest=True).

    Args:
        q, v: positions and velocities of the joints at the start; links move as if rigid there.
        duration, step: [s]. rho: damping of fast vibrations by the method, 0 (all) to 1 (none).
        torque: forces of all joints as a function of t, q, v (all joints, (nv,)); none if left out.
        locked: joints held: "motors", "all", "none", or names. every: steps between samples kept.
    Viscous friction of the joints acts; Coulomb friction does not.
    Raises:
        NotConverged: if a step cannot be taken: take shorter ones.
    """
    if not (duration > 0 and step > 0 and np.isfinite([duration, step]).all()):
        raise WrongValue(f"Duration and step are above 0 s; {duration} and {step} were given.")
    if not 0 <= rho <= 1:
        raise WrongValue(f"rho lies between 0 and 1; {rho} was given.")
    robot = elastic.layout.robot
    q0 = np.asarray(q, dtype=np.float64)
    beams = planar_beams(elastic, q0, locked)
    run = _Run(elastic, beams, q0, torque)
    z, rate = np.zeros(beams.assembly.size), np.zeros(beams.assembly.size)
    if rest:
        z = equilibrium(beams, run.held())
    if v is not None:
        v = np.asarray(v, dtype=np.float64)
        if v.shape != (robot.nv,):
            raise WrongSize(f"v of robot {robot.name!r} has {robot.nv} numbers; shape {v.shape} was given.")
        h = 1e-6  # rates of places: the motion of rigid links is smooth, and odd in h
        pair = beams.rigid(np.stack([q0 + h * v, q0 - h * v]))
        rate = (pair[0] - pair[1]) / (2 * h)
    count = max(1, round(duration / step))
    return run.go(z, rate, duration / count, count, rho, max(1, every))


class _Run:
    def __init__(self, elastic: "Elastic", beams: PlanarBeams, q0: Array, torque: Torque | None) -> None:
        self.elastic, self.beams, self.q0, self.torque = elastic, beams, q0, torque
        self.S, self.joints = beams.turning, list(beams.assembly.joints)
        bodies = elastic.layout.mechanism.bodies
        viscous = {k: float(body.viscous) for body in bodies for k in body.v}
        self.friction = np.array([viscous[k] for k in self.joints])
        springs = elastic.joint_stiffness or {}
        robot = elastic.layout.robot
        stiff = {robot.v_slices[name].start: x for name, x in springs.items()}
        self.springs = np.array([stiff.get(k, 0.0) for k in self.joints])

    def held(self) -> Array:
        """A basis in which all joints stay where they are, as the columns of a matrix."""
        S = self.beams.assembly.turning.toarray()
        if not len(S):
            return np.eye(self.beams.assembly.size)
        return np.asarray(np.linalg.svd(S)[2][np.linalg.matrix_rank(S) :].T)

    def joint_state(self, z: Array, rate: Array) -> tuple[Array, Array]:
        q, v = np.array(self.q0), np.zeros(self.elastic.layout.robot.nv)
        q[self.joints] += self.S @ z
        v[self.joints] = self.S @ rate
        return q, v

    def tau(self, t: float, z: Array, rate: Array) -> Array:
        nv = self.elastic.layout.robot.nv
        if self.torque is None:
            return np.zeros(nv)
        q, v = self.joint_state(z, rate)
        tau = np.asarray(self.torque(t, q, v), dtype=np.float64)
        if tau.shape != (nv,):
            raise WrongSize(f"torque(t, q, v) gives {nv} numbers; an array of shape {tau.shape} came back.")
        return tau

    def feedback(self, t: float, z: Array, rate: Array) -> tuple[Array, Array]:
        """Slopes of the torques in q and v (controllers), by differences, over the released joints."""
        n = len(self.joints)
        if self.torque is None:
            return np.zeros((n, n)), np.zeros((n, n))
        q, v = self.joint_state(z, rate)
        now, h = self.tau(t, z, rate)[self.joints], 1e-6
        slopes = []
        for place in (0, 1):
            columns = []
            for k in self.joints:
                moved = [q.copy(), v.copy()]
                moved[place][k] += h
                pushed = np.asarray(self.torque(t, *moved), dtype=np.float64)
                columns.append((pushed[self.joints] - now) / h)
            slopes.append(np.array(columns).T.reshape(n, n))
        return slopes[0], slopes[1]

    def residual(self, t: float, z: Array, rate: Array) -> Array:
        """Internal forces less those from outside, over z."""
        alpha = self.elastic.damping[0]
        own = self.S.T @ (self.friction * (self.S @ rate) + self.springs * (self.S @ z))
        pushed = self.S.T @ self.tau(t, z, rate)[self.joints]
        damped = alpha * (self.beams.mass @ rate) if alpha else 0.0
        return np.asarray(self.beams.forces(z, rate) + damped + own - pushed - self.beams.weight)

    def go(self, z: Array, rate: Array, h: float, count: int, rho: float, every: int) -> Simulated:
        am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        gamma = 0.5 - am + af
        beta = 0.25 * (1 - am + af) ** 2
        M = self.beams.mass
        alpha = self.elastic.damping[0]
        a = _start(M, -self.residual(0.0, z, rate))
        kept = [(0.0, z, rate, self.tau(0.0, z, rate))]
        own_damping = self.S.T @ (self.friction[:, None] * self.S) + alpha * M
        own_stiffness = self.S.T @ (self.springs[:, None] * self.S)
        before = self.residual(0.0, z, rate)
        for k in range(count):
            t = (k + 1) * h
            z1 = z + h * rate + h * h / 2 * a  # as if the acceleration stayed; z and rate follow from it
            rate1, a1 = rate + h * a, a.copy()
            stiff, damp = self.feedback(t, z1, rate1)
            K0, C0 = own_stiffness - self.S.T @ (stiff @ self.S), own_damping - self.S.T @ (damp @ self.S)
            for _ in range(_STEPS):
                inside = self.residual(t, z1, rate1)
                left = M @ ((1 - am) * a1 + am * a) + (1 - af) * inside + af * before
                K, C = self.beams.tangent(z1)
                slope = (1 - am) * M + (1 - af) * (gamma * h * (C + C0) + beta * h * h * (K + K0))
                step = -_solve(slope, left)
                a1 = a1 + step
                rate1 = rate1 + gamma * h * step
                z1 = z1 + beta * h * h * step
                moved = float(np.abs(beta * h * h * step).max(initial=0.0))
                if moved < _TOLERANCE * max(1e-3, float(np.abs(z1 - z).max(initial=0.0))):
                    break
            else:
                raise NotConverged(f"No next step at t = {t:.6g} s: take a shorter one than step={h:g}.")
            z, rate, a = z1, rate1, a1
            before = self.residual(t, z, rate)
            if (k + 1) % every == 0 or k + 1 == count:
                kept.append((t, z, rate, self.tau(t, z, rate)))
        t_, z_, rate_, tau_ = (np.array(part) for part in zip(*kept, strict=True))
        states = [self.joint_state(x, y) for x, y in zip(z_, rate_, strict=True)]
        q, v = (np.array(part) for part in zip(*states, strict=True))
        return Simulated(self.elastic, self.beams, t_, z_, rate_, q, v, tau_)


def equilibrium(beams: PlanarBeams, basis: Array) -> Array:
    """z in the span of a basis where bending holds the weight, by Newton's method with growing weight."""
    z = np.zeros(beams.assembly.size)
    for part in (0.25, 0.5, 0.75, 1.0):
        for _ in range(_STEPS):
            left = basis.T @ (beams.forces(z) - part * beams.weight)
            K = beams.tangent(z)[0]
            step = basis @ np.linalg.solve(basis.T @ (K @ basis), -left)
            z = z + step
            if np.abs(step).max(initial=0.0) < 1e-12:
                break
        else:
            raise NotConverged(
                "No equilibrium under the weight was found: the links are too soft, or buckle."
            )
    return z


def _start(M: Any, right: Array) -> Array:
    """Accelerations at the start; values without mass have none."""
    full = M if isinstance(M, np.ndarray) else M.toarray()
    return np.asarray(np.linalg.lstsq(full, right, rcond=1e-12)[0])


def _solve(A: Any, right: Array) -> Array:
    if isinstance(A, np.ndarray):
        return np.asarray(lu_solve(lu_factor(A, check_finite=False), right, check_finite=False))
    return np.asarray(splu(A.tocsc()).solve(right))


def _no_slides(elastic: "Elastic") -> None:
    layout = elastic.layout
    if layout.normal is None:
        raise WrongValue(
            f"Large motions of elastic links are computed in a plane; robot {layout.robot.name!r} moves in "
            "space. Its vibrations and small deflections are: modes(q), deflection(q)."
        )
    for joint in layout.robot.joints:
        if joint.type not in ("revolute", "fixed"):
            raise WrongValue(
                f"Joint {joint.name!r} is {joint.type}: large motions of elastic links know hinges only."
            )
