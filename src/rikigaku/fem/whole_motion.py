"""A whole motion at once: equations of motion and of what a frame follows, at all times together.

Unknown are the shapes at all samples and the forces of the motors. Rates lie between samples, along the ways
from shape to shape; accelerations are their differences. One sparse system, block by block along time, for
each step of Newton's method.
"""

from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

from rikigaku.errors import NotConverged
from rikigaku.fem.coordinates import State, stacked
from rikigaku.fem.joint_forces import JointForces
from rikigaku.fem.outputs import Outputs
from rikigaku.fem.progress import Clock

Array = NDArray[np.float64]

_STEPS = 40
_STATIC = 15
_FAR = 1.0  # [m, rad]: a longer step of Newton's method leads nowhere


class WholeMotion:
    """The problem of one frame that follows; driven: places in v of the motors."""

    def __init__(self, joints: JointForces, outputs: Outputs, h: float, clock: Clock) -> None:
        self.clock = clock
        self.joints, self.outputs, self.h = joints, outputs, h
        self.beams, self.joined = joints.beams, joints.beams.joined
        robot = joints.robot
        actuated = [
            k for j in robot.joints if j.actuated for k in range(*robot.v_slices[j.name].indices(robot.nv))
        ]
        self.driven = actuated
        self.motors = joints.turning.part([joints.joints.index(k) for k in actuated])

    def rates(self, state: State) -> Array:
        """Rates nu at all samples: means of the ways on both sides; none at the ends."""
        half = self._halves(state)
        return np.concatenate([0 * half[:1], (half[1:] + half[:-1]) / 2, 0 * half[:1]])

    def _halves(self, state: State) -> Array:
        return self.joined.way(state.at(slice(None, -1)), state.at(slice(1, None))) / self.h

    def _left(
        self, state: State, nu: Array, rate: Array, tau: Array, samples: Any
    ) -> tuple[Any, Array, Array, Array]:
        """Nodes, their T, slopes of turning axes; what is missing, (samples, size + motors)."""
        at = self.joined.placed(state)
        T = self.beams.rows.values(at)
        nodal = self.beams.forces(at, T, nu, rate)
        own = self.joints.resisting(state, nu) + self.joints.inertia(rate) - self.motors.forces(tau)
        motion = self.beams.rows.gathered(T, nodal) + own
        axes = self.beams.rows.turned(T, at, nodal)[2]
        return at, T, axes, np.concatenate([motion, self.outputs.missing(at, samples)], axis=1)

    def _places(self) -> tuple[Array, Array]:
        """Rows and columns of the numbers of one block: of K, M, C; of joints; axes; motors; the output."""
        n, m = self.joined.size, len(self.driven)
        turned = self.joints.turning.columns
        columns = self.beams.rows.columns[self.outputs.node]
        x, y = np.meshgrid(n + np.arange(m), columns[columns < n], indexing="ij")
        spread, rows = self.beams.spread, self.beams.rows
        at = self.joined.placed(self.joined.start)
        up, down, _ = rows.turned(rows.values(at), at, np.zeros((1, self.beams.count, 6)))
        return (
            np.concatenate([spread.row, turned, up, self.motors.columns, x.ravel()]),
            np.concatenate([spread.column, turned, down, n + np.arange(m), y.ravel()]),
        )

    def _numbers(self, T: Array, blocks: Array, joints: Array, axes: Array, samples: Any, own: bool) -> Array:
        """Numbers of blocks at `_places`; motors and outputs only on the diagonal (own)."""
        count = len(T)
        columns = self.beams.rows.columns[self.outputs.node] < self.joined.size
        seen = (self.outputs.directions[samples] @ T[:, self.outputs.node])[..., columns].reshape(count, -1)
        motors = np.broadcast_to(-self.motors.factors, (count, len(self.driven)))
        parts = [self.beams.spread.data(T, blocks), joints, axes * own, motors * own, seen * own]
        return np.concatenate(parts, axis=1)

    def at_rest(self, state: State, tau: Array) -> tuple[State, Array]:
        """Shapes at rest with the frame where it is to be, and the motors' forces then, of all samples.

        Soft links sag far: where Newton's method does not get there at once, the weight grows in parts.
        """
        for parts in ((1.0,), (0.25, 0.5, 0.75, 1.0), tuple(np.arange(1, 13) / 12)):
            shape, forces = state, parts[0] * tau
            for part in parts:
                shape, forces, settled = self._settled(shape, forces, part)
                if not settled:
                    break
            else:
                return shape, forces
        raise NotConverged("No posture at rest brings the frame there: the links are too soft.")

    def _settled(self, state: State, tau: Array, part: float) -> tuple[State, Array, bool]:
        count, n = len(tau), self.joined.size
        still, every = np.zeros((count, n)), slice(None)
        rows, columns = self._places()
        for k in range(_STATIC):
            self.clock.tell(f"postures at rest, step {k + 1} of Newton's method")
            at, T, axes, left = self._left(state, still, still, tau, every)
            light = (1 - part) * np.broadcast_to(self.beams.weight, (count, self.beams.count, 6))
            left[:, :n] += self.beams.rows.gathered(T, light)
            springs = self.joints.slopes(still)[0]
            numbers = self._numbers(T, self.beams.stiffness(at)[0], springs, axes, every, True)
            slope = _tridiagonal(0 * numbers, numbers, 0 * numbers, rows, columns, left.shape[1])
            try:
                step = -splu(slope).solve(left.ravel()).reshape(left.shape)
            except RuntimeError:  # far off, where the slope is singular
                return state, tau, False
            if not np.abs(step[:, :n]).max() < _FAR:
                return state, tau, False
            state, tau = self.joined.moved(state, step[:, :n]), tau + step[:, n:]
            if np.abs(step[:, :n]).max() < 1e-11:
                return state, tau, True
        return state, tau, False

    def solved(self, state: State, tau: Array) -> tuple[State, Array]:
        """All samples from a guess: shapes and forces of the motors (samples, motors).

        Raises:
            NotConverged: if Newton's method finds no bounded motion.
        """
        state, tau = self.at_rest(state, tau)
        for parts in ((1.0,), (0.25, 0.5, 0.75, 1.0)):
            shape, forces = state, tau
            for part in parts:
                shape, forces, found = self._moving(shape, forces, part)
                if not found:
                    break
            else:
                return shape, forces
        raise NotConverged("No bounded motion was found: take a shorter step, more rest, or a slower path.")

    def _moving(self, state: State, tau: Array, part: float) -> tuple[State, Array, bool]:
        """The motion with its speed slowed so far that `part` of the forces of inertia is left."""
        count, n, h = len(tau), self.joined.size, self.h / np.sqrt(part)
        first, inner, last = (state.at(part) for part in (slice(0, 1), slice(1, -1), slice(count - 1, count)))
        samples, tau = slice(1, count - 1), np.array(tau)
        rows, columns = self._places()
        for k in range(_STEPS):
            self.clock.tell(f"the whole motion, {part:.0%} of its inertia, step {k + 1} of Newton's method")
            half = self._halves(stacked([first, inner, last])) * (self.h / h)
            nu, rate = (half[1:] + half[:-1]) / 2, (half[1:] - half[:-1]) / h
            at, T, axes, left = self._left(inner, nu, rate, tau[1:-1], samples)
            M, (K, C) = self.beams.mass(at), self.beams.stiffness(at, self.beams.rows.twists(T, nu))
            C = C + self.beams.alpha * M
            springs, damp, rotor = self.joints.slopes(nu)
            own = self._numbers(T, K - 2 / h**2 * M, springs - 2 / h**2 * rotor, axes, samples, True)
            back = self._numbers(
                T, M / h**2 - C / (2 * h), rotor / h**2 - damp / (2 * h), axes, samples, False
            )
            on = self._numbers(T, M / h**2 + C / (2 * h), rotor / h**2 + damp / (2 * h), axes, samples, False)
            slope = _tridiagonal(back, own, on, rows, columns, left.shape[1])
            try:
                step = -splu(slope).solve(left.ravel()).reshape(left.shape)
            except RuntimeError:  # singular: far from any motion
                break
            if not np.abs(step[:, :n]).max() < _FAR:
                break
            inner = self.joined.moved(inner, step[:, :n])
            tau[1:-1] += step[:, n:]
            if np.abs(step[:, :n]).max() < 1e-10:
                return stacked([first, inner, last]), tau, True
        return state, tau, False


def _tridiagonal(back: Array, own: Array, on: Array, rows: Array, columns: Array, size: int) -> Any:
    """Blocks before, on and after the diagonal as one sparse matrix."""
    count = len(own)
    start = size * np.arange(count)[:, None]
    places = [
        (start + rows, start + columns, own),
        (start[1:] + rows, start[:-1] + columns, back[1:]),
        (start[:-1] + rows, start[1:] + columns, on[:-1]),
    ]
    r, c, x = (np.concatenate([part[k].ravel() for part in places]) for k in range(3))
    kept = x != 0
    return sparse.csc_array((x[kept], (r[kept], c[kept])), shape=(size * count, size * count))
