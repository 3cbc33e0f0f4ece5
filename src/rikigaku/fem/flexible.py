"""Inverse dynamics of a flexible arm: the hand follows its path exactly, joints and torques are computed.

Driven by its joints, the tip of a flexible link answers the wrong way first: integrated forward, its inverse
grows without bound. The bounded answer exists and begins before the hand does (the links are bent in
advance). It is found for the whole motion at once: equations of motion at all times, second differences for
accelerations, unbent rest (under weight) well before and well after; one sparse system for each step of
Newton's method. References: E. Bayo, A finite-element approach to control the end-point motion of a
single-link flexible robot, J. Robotic Systems 4 (1987); G. Bastos, R. Seifried, O. Brüls, Inverse dynamics
of serial and parallel underactuated multibody systems using a DAE optimal control approach, Multibody Syst.
Dyn. 30 (2013).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

from rikigaku.errors import NotConverged, UnknownName, WrongValue
from rikigaku.fem.assembly import plane_axes
from rikigaku.fem.inverse_dynamics import inverse_dynamics
from rikigaku.fem.simulate import Simulated, planar_beams
from rikigaku.fem.targets import target_motion

if TYPE_CHECKING:
    from rikigaku.fem.elastic import Elastic

Array = NDArray[np.float64]

_STEPS = 25


@dataclass(frozen=True, eq=False)
class FlexibleMotion(Simulated):
    """The motion found, with the torques a rigid arm would need and how far it would be off.

    torques: (samples, nv); rigid_torques: of the same path with rigid links; path: of the frame, (samples,
    3).
    """

    frame: str
    rigid_torques: Array
    rigid_q: Array

    @property
    def path(self) -> Array:
        """Where the frame goes, in the world."""
        return self.at(self.frame)

    def plot_torques(self, ax: Any = None, **options: Any) -> Any:
        """Torques of flexible and rigid links side by side."""
        from rikigaku.fem.pictures import plot_flexible

        return plot_flexible(self, ax, **options)


def follow(
    elastic: "Elastic",
    target: Any,
    frame: str,
    *,
    step: float = 2e-3,
    before: float | None = None,
    after: float | None = None,
    near: Any = None,
) -> FlexibleMotion:
    """Joint motion and torques with which the frame makes the motion that rigid links would make.

    Args:
        target: as for the rigid arm: joint paths, or {frame: path}; from rest to rest.
        frame: what follows it: with one motor its place across the arm, with two its place, with three its
            angle too.
        step: of time [s]; before, after: rest added at both ends [s], a quarter of the motion if left out.
    Raises:
        NotConverged: if no bounded motion was found (often: step too long, or too little rest).
    """
    robot, layout = elastic.layout.robot, elastic.layout
    if frame not in layout.frames:
        raise UnknownName("frame in the mesh", frame, layout.frames, "the mesh")
    if robot.loops or robot.couplings or not all(joint.actuated for joint in robot.joints):
        raise WrongValue(
            "The hand of a flexible arm follows where the arm is open and all its joints are driven."
        )
    duration = float(getattr(target, "duration", 0.0)) or max(x.duration for x in target.values())
    before, after = (duration / 4 if x is None else float(x) for x in (before, after))
    count = max(8, round((before + duration + after) / step))
    t = np.linspace(-before, duration + after, count + 1)
    motion = target_motion(robot, target, t, near=near)
    if np.abs(motion.v[[0, -1]]).max() > 1e-9:
        raise WrongValue("The path must begin and end at rest.")
    rigid = inverse_dynamics(layout, motion)
    problem = _Whole(elastic, frame, motion.q, float(t[1] - t[0]))
    z, tau = problem.solved(rigid.torques)
    S = problem.beams.assembly.turning
    rate = np.gradient(z, t, axis=0)
    q = motion.q[0] + (S @ z.T).T
    return FlexibleMotion(
        elastic, problem.beams, t, z, rate, q, (S @ rate.T).T, tau, frame, rigid.torques, motion.q
    )


class _Whole:
    """All times at once: unknowns z_k and tau_k, equations of motion and of the frame."""

    def __init__(self, elastic: "Elastic", frame: str, q: Array, h: float) -> None:
        self.elastic, self.h = elastic, h
        self.beams = planar_beams(elastic, q[0])
        self.beams_rigid = self.beams.rigid(q)
        layout = elastic.layout
        node = layout.frames[frame]
        P = self.beams.P.toarray()[3 * node : 3 * node + 3]
        motors = layout.robot.nv
        if motors > 3:
            raise WrongValue(
                f"{motors} motors, and a frame in the plane has three coordinates: fewer joints, please."
            )
        rows = [P] * len(q) if motors == 3 else [P[:2]] * len(q)
        if motors == 1:  # across the arm: along the direction the rigid tip moves in
            J = (
                np.asarray(cast(Any, layout.robot).jacobian(q, frame))[:, :3, 0]
                @ plane_axes(np.asarray(layout.normal)).T
            )
            rows = [(j / np.linalg.norm(j))[None] @ P[:2] for j in J]
        self.outputs = rows
        self.wanted = [H @ z for H, z in zip(rows, self.beams_rigid, strict=True)]
        self.viscous = np.array([float(body.viscous) for body in layout.mechanism.bodies for _ in body.v])
        S = self.beams.assembly.turning.toarray()
        alpha = elastic.damping[0]
        self.S = S
        self.C0 = S.T @ (self.viscous[:, None] * S) + alpha * np.asarray(self.beams.assembly.M.toarray())

    def static(self, z: Array, tau: Array, k: int) -> tuple[Array, Array]:
        """At rest, the frame where it is to be."""
        S, H, n = self.S, self.outputs[k], len(z)
        for _ in range(_STEPS):
            left = np.concatenate(
                [self.beams.forces(z) - self.beams.weight - S.T @ tau, H @ z - self.wanted[k]]
            )
            K = _full(self.beams.tangent(z)[0])
            slope = np.block([[K, -S.T], [H, np.zeros((len(H), len(S)))]])
            step = np.linalg.solve(slope, -left)
            z, tau = z + step[:n], tau + step[n:]
            if np.abs(step[:n]).max() < 1e-12:
                return z, tau
        raise NotConverged("No posture at rest brings the frame there: the links are too soft.")

    def solved(self, tau: Array) -> tuple[Array, Array]:
        z, count = np.array(self.beams_rigid), len(tau)
        tau = np.array(tau)
        first, last = (self.static(z[k], tau[k], k) for k in (0, -1))
        (z[0], tau[0]), (z[-1], tau[-1]) = first, last
        M, S, h, n, m = _full(self.beams.mass), self.S, self.h, z.shape[1], tau.shape[1]
        for _ in range(_STEPS):
            blocks: list[tuple[Array, Array, Array]] = []
            right = []
            for k in range(1, count - 1):
                a, v = (z[k + 1] - 2 * z[k] + z[k - 1]) / h**2, (z[k + 1] - z[k - 1]) / (2 * h)
                K, C = (_full(x) for x in self.beams.tangent(z[k]))
                C = C + self.C0
                left = M @ a + self.beams.forces(z[k], v) + self.C0 @ v - self.beams.weight - S.T @ tau[k]
                right += [left, self.outputs[k] @ z[k] - self.wanted[k]]
                own = np.block([[K - 2 * M / h**2, -S.T], [self.outputs[k], np.zeros((m, m))]])
                back, on = (np.zeros((n + m, n + m)) for _ in range(2))
                back[:n, :n], on[:n, :n] = M / h**2 - C / (2 * h), M / h**2 + C / (2 * h)
                blocks.append((back, own, on))
            step = -splu(_tridiagonal(blocks, n + m)).solve(np.concatenate(right)).reshape(count - 2, n + m)
            z[1:-1] += step[:, :n]
            tau[1:-1] += step[:, n:]
            if np.abs(step[:, :n]).max() < 1e-10:
                return z, tau
        raise NotConverged("No bounded motion was found: take a shorter step, more rest, or a slower path.")


def _tridiagonal(blocks: list[tuple[Array, Array, Array]], size: int) -> Any:
    """Blocks before, on and after the diagonal as one sparse matrix."""
    rows, columns, values = [], [], []
    for i, row in enumerate(blocks):
        for j, block in zip((i - 1, i, i + 1), row, strict=True):
            if 0 <= j < len(blocks):
                r, c = np.nonzero(block)
                rows.append(r + size * i)
                columns.append(c + size * j)
                values.append(block[r, c])
    whole = size * len(blocks)
    data = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return sparse.csc_array(data, shape=(whole, whole))


def _full(x: Any) -> Array:
    return np.asarray(x if isinstance(x, np.ndarray) else x.toarray())
