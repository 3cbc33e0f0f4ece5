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

Array = NDArray[np.float64]

_STEPS = 40


class WholeMotion:
    """The problem of one frame that follows; driven: places in v of the motors."""

    def __init__(self, joints: JointForces, outputs: Outputs, h: float) -> None:
        self.joints, self.outputs, self.h = joints, outputs, h
        self.beams, self.joined = joints.beams, joints.beams.joined
        robot = joints.robot
        actuated = [
            k for j in robot.joints if j.actuated for k in range(*robot.v_slices[j.name].indices(robot.nv))
        ]
        self.driven = actuated
        self.S = joints.S[[joints.joints.index(k) for k in actuated]]

    def rates(self, state: State) -> Array:
        """Rates nu at all samples: means of the ways on both sides; none at the ends."""
        half = self._halves(state)
        return np.concatenate([0 * half[:1], (half[1:] + half[:-1]) / 2, 0 * half[:1]])

    def _halves(self, state: State) -> Array:
        return self.joined.way(state.at(slice(None, -1)), state.at(slice(1, None))) / self.h

    def _left(
        self, state: State, nu: Array, rate: Array, tau: Array, samples: Any
    ) -> tuple[Any, Array, Array]:
        """Nodes, their T, and what is missing in both equations, (samples, size + motors)."""
        at = self.joined.placed(state)
        T = self.beams.rows.values(at)
        nodal = self.beams.forces(at, T, nu, rate)
        own = (
            self.joints.resisting(state, nu) + (self.joints.rotors * (rate @ self.joints.S.T)) @ self.joints.S
        )
        motion = self.beams.rows.gathered(T, nodal) + own - tau @ self.S
        return at, T, np.concatenate([motion, self.outputs.missing(at, samples)], axis=1)

    def _places(self) -> tuple[Array, Array]:
        """Rows and columns of the numbers of one block: of K, M, C; of joints; of motors; of the output."""
        n, m = self.joined.size, len(self.driven)
        r, c = np.nonzero(np.abs(self.joints.S).T @ np.abs(self.joints.S))
        a, b = np.nonzero(self.S.T)
        columns = self.beams.rows.columns[self.outputs.node]
        x, y = np.meshgrid(n + np.arange(m), columns[columns < n], indexing="ij")
        spread = self.beams.spread
        rows = np.concatenate([spread.row, r, a, x.ravel()])
        return rows, np.concatenate([spread.column, c, n + b, y.ravel()])

    def _numbers(self, T: Array, blocks: Array, joints: Array, samples: Any, own: bool) -> Array:
        """Numbers of blocks at `_places`; motors and outputs only on the diagonal (own)."""
        r, c = np.nonzero(np.abs(self.joints.S).T @ np.abs(self.joints.S))
        a, b = np.nonzero(self.S.T)
        count = len(T)
        columns = self.beams.rows.columns[self.outputs.node] < self.joined.size
        seen = (self.outputs.directions[samples] @ T[:, self.outputs.node])[..., columns].reshape(count, -1)
        motors = np.broadcast_to(-self.S.T[a, b], (count, len(a)))
        parts = [self.beams.spread.data(T, blocks), joints[:, r, c], motors * own, seen * own]
        return np.concatenate(parts, axis=1)

    def at_rest(self, state: State, tau: Array, sample: int) -> tuple[State, Array]:
        """The shape of one sample at rest, the frame where it is to be, and the motors' forces then."""
        n, still = self.joined.size, np.zeros((1, self.joined.size))
        samples, tau = slice(sample, sample + 1), tau[None]
        rows, columns = self._places()
        size = n + len(self.driven)
        for _ in range(_STEPS):
            at, T, left = self._left(state, still, still, tau, samples)
            springs = self.joints.slopes(still)[0][None]
            numbers = self._numbers(T, self.beams.stiffness(at)[0], springs, samples, True)
            slope = sparse.csc_array((numbers[0], (rows, columns)), shape=(size, size))
            step = -splu(slope).solve(left[0])
            state, tau = self.joined.moved(state, step[None, :n]), tau + step[n:]
            if np.abs(step[:n]).max() < 1e-12:
                return state, tau[0]
        raise NotConverged("No posture at rest brings the frame there: the links are too soft.")

    def solved(self, state: State, tau: Array) -> tuple[State, Array]:
        """All samples from a guess: shapes and forces of the motors (samples, motors).

        Raises:
            NotConverged: if Newton's method finds no bounded motion.
        """
        count, n, h, tau = len(tau), self.joined.size, self.h, np.array(tau)
        ends = [self.at_rest(state.at(slice(k, k + 1)), tau[k], k) for k in (0, count - 1)]
        tau[0], tau[-1] = ends[0][1], ends[1][1]
        inner = state.at(slice(1, -1))
        samples = slice(1, count - 1)
        rows, columns = self._places()
        for _ in range(_STEPS):
            half = self._halves(stacked([ends[0][0], inner, ends[1][0]]))
            nu, rate = (half[1:] + half[:-1]) / 2, (half[1:] - half[:-1]) / h
            at, T, left = self._left(inner, nu, rate, tau[1:-1], samples)
            M, (K, C) = self.beams.mass(at), self.beams.stiffness(at)
            C = C + self.beams.damping[0] * M
            springs, damp = self.joints.slopes(nu)
            rotor = np.broadcast_to(
                self.joints.S.T @ (self.joints.rotors[:, None] * self.joints.S), damp.shape
            )
            own = self._numbers(T, K - 2 / h**2 * M, springs - 2 / h**2 * rotor, samples, True)
            back = self._numbers(T, M / h**2 - C / (2 * h), rotor / h**2 - damp / (2 * h), samples, False)
            on = self._numbers(T, M / h**2 + C / (2 * h), rotor / h**2 + damp / (2 * h), samples, False)
            slope = _tridiagonal(back, own, on, rows, columns, left.shape[1])
            step = -splu(slope).solve(left.ravel()).reshape(left.shape)
            inner = self.joined.moved(inner, step[:, :n])
            tau[1:-1] += step[:, n:]
            if np.abs(step[:, :n]).max() < 1e-10:
                return stacked([ends[0][0], inner, ends[1][0]]), tau
        raise NotConverged("No bounded motion was found: take a shorter step, more rest, or a slower path.")


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
