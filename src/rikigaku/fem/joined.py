"""How a tied mesh moves: places and twists of all nodes from the coordinates of its shape, as arrays.

Twists of all nodes are V = T(state) nu. A node on its own has its velocities in nu; one that hangs moves with
the node at the root of its ties and with every coordinate on the way there.
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rikigaku.fem.coordinates import Index, State, coordinates, levels
from rikigaku.fem.grid import plane_axes
from rikigaku.fem.quaternions import conjugate, cross, exponential, logarithm, product, rotation
from rikigaku.fem.rows import Placed, Rows, rows_of
from rikigaku.fem.ties import Ties
from rikigaku.fem.turning import Turning
from rikigaku.model.mechanism import WORLD

Array = NDArray[np.float64]


class Joined:
    """The kinematics of ties; `size` numbers in nu."""

    def __init__(self, ties: Ties) -> None:
        self.ties, self.grid, self.nodes = ties, ties.grid, ties.nodes
        normal = self.grid.layout.normal
        self.moves = np.eye(3) if normal is None else plane_axes(normal).T
        self.turns = np.eye(3) if normal is None else normal[:, None]
        hung, body = {tie.node for tie in ties.ties}, self.grid.body
        alone = [n for n in range(len(body)) if body[n] != WORLD and n not in hung]
        self.free: Index = np.array(alone, dtype=np.intp)
        self.numbers = coordinates(ties.ties, self.grid.layout.mechanism.gears)
        self.levels = levels(ties.ties, self.numbers)
        y, S = self.numbers.count
        self.first_y = (self.moves.shape[1] + self.turns.shape[1]) * len(alone)
        self.first_S = self.first_y + y
        self.size = self.first_S + 3 * S

    @cached_property
    def start(self) -> State:
        """The posture of the grid, one sample."""
        y, S = self.numbers.count
        still = np.array([1.0, 0.0, 0.0, 0.0])
        free = len(self.free)
        return State(
            self.grid.places[None, self.free],
            np.tile(still, (1, free, 1)),
            np.zeros((1, y)),
            np.tile(still, (1, S, 1)),
        )

    def _parts(self, nu: Array) -> tuple[Array, Array, Array, Array]:
        """Velocities and turns of free nodes, rates of y, of balls; samples first."""
        m = self.moves.shape[1]
        nodal = nu[:, : self.first_y].reshape(len(nu), len(self.free), -1)
        balls = nu[:, self.first_S :].reshape(len(nu), -1, 3)
        return (
            nodal[..., :m] @ self.moves.T,
            nodal[..., m:] @ self.turns.T,
            nu[:, self.first_y : self.first_S],
            balls,
        )

    @cached_property
    def _ball_axes(self) -> Array:
        """Axes of each ball's angular velocity, (balls, 3, 3)."""
        result = np.zeros((self.numbers.count[1], 3, 3))
        for level in self.levels:
            kept = level.ball < len(result)
            result[level.ball[kept]] = level.axes[kept]
        return result

    def moved(self, state: State, nu: Array) -> State:
        """The shape after a unit of time at constant rates nu (samples, size)."""
        u, t, y, w = self._parts(nu)
        turn = np.einsum("bij,sbj->sbi", self._ball_axes, w)
        return State(
            state.p + u,
            product(exponential(t), state.Q),
            state.y + y,
            product(state.S, exponential(turn)),
        )

    def way(self, a: State, b: State) -> Array:
        """nu with moved(a, nu) = b, (samples, size)."""
        count = len(a.p)
        u = (b.p - a.p) @ self.moves
        t = logarithm(product(b.Q, conjugate(a.Q))) @ self.turns
        w = np.einsum("bij,sbi->sbj", self._ball_axes, logarithm(product(conjugate(a.S), b.S)))
        nodal = np.concatenate([u, t], axis=-1).reshape(count, -1)
        return np.concatenate([nodal, b.y - a.y, w.reshape(count, -1)], axis=1)

    def placed(self, state: State) -> Placed:
        """All nodes of shapes."""
        count = len(state.p)
        p = np.empty((count, self.nodes, 3))
        p[:, : len(self.grid.places)] = self.grid.places
        Q = np.zeros((count, self.nodes, 4))
        Q[..., 0] = 1.0
        p[:, self.free], Q[:, self.free] = state.p, state.Q
        y = np.concatenate([state.y, np.zeros((count, 1))], axis=1)
        S = np.concatenate([state.S, np.tile([1.0, 0, 0, 0], (count, 1, 1))], axis=1)
        for level in self.levels:
            value = (y[:, level.scalar] * level.factor)[..., None]
            above, own = Q[:, level.to], S[:, level.ball]
            own = np.where(level.back[:, None], conjugate(own), own)
            Q[:, level.node] = product(above, product(exponential(level.turn * value), own))
            p[:, level.node] = p[:, level.to] + _turn(rotation(above), level.arm + level.slide * value)
        return Placed(p, Q, rotation(Q))

    def rates(self, at: Placed, nu: Array) -> tuple[Array, Array]:
        """Twists of all nodes, and their accelerations at constant nu (the rate of T times nu)."""
        count = len(nu)
        u, t, y, w = self._parts(nu)
        V, A = np.zeros((count, self.nodes, 6)), np.zeros((count, self.nodes, 6))
        V[:, self.free, :3], V[:, self.free, 3:] = u, t
        y = np.concatenate([y, np.zeros((count, 1))], axis=1)
        w = np.concatenate([w, np.zeros((count, 1, 3))], axis=1)
        for level in self.levels:
            rate = (y[:, level.scalar] * level.factor)[..., None]
            R, above, up = at.R[:, level.to], V[:, level.to], A[:, level.to]
            own = np.where(level.back[:, None], -1.0, 1.0) * np.einsum(
                "lij,slj->sli", level.axes, w[:, level.ball]
            )
            # a ball's axes go with its own body, which is the upper node if it hangs the other way round
            carrier = np.where(level.back[:, None, None], R, at.R[:, level.node])
            spin = _turn(R, level.turn * rate) + _turn(carrier, own)
            slide = _turn(R, level.slide * rate)
            r, omega = at.p[:, level.node] - at.p[:, level.to], above[..., 3:]
            V[:, level.node, :3] = above[..., :3] + cross(omega, r) + slide
            V[:, level.node, 3:] = omega + spin
            A[:, level.node, :3] = (
                up[..., :3] + cross(up[..., 3:], r) + cross(omega, cross(omega, r) + 2 * slide)
            )
            A[:, level.node, 3:] = up[..., 3:] + cross(omega, spin)
        return V, A

    @cached_property
    def steady(self) -> bool:
        """Whether accelerations of all nodes are T nu' alone: hinges in a plane."""
        still = not any(tie.slide.any() or tie.arm.any() for tie in self.ties.ties)
        return still and self.grid.layout.planar

    @cached_property
    def rows(self) -> Rows:
        """The rows of motion of the nodes of the grid."""
        return rows_of(self)

    @cached_property
    def turning(self) -> Turning:
        """How fast each released joint of the tree turns, in the order of `joints`; constant."""
        start = {"y": self.first_y, "S": self.first_S}
        columns = [start[kind] + k for _, (kind, k, _) in self._by_joint]
        factors = [factor for _, (_, _, factor) in self._by_joint]
        return Turning(np.array(columns, dtype=np.intp), np.array(factors, dtype=np.float64), self.size)

    @cached_property
    def joints(self) -> tuple[int, ...]:
        """Place in v of each joint of `turning`."""
        return tuple(k for k, _ in self._by_joint)

    @cached_property
    def _by_joint(self) -> list[tuple[int, tuple[str, int, float]]]:
        found: list[tuple[int, tuple[str, int, float]]] = []
        for name, (k, factor) in self.numbers.scalar.items():
            if isinstance(name, int):
                found.append((name, ("y", k, factor)))
        for name, k in self.numbers.ball.items():
            if isinstance(name, int):
                found += [(name + x, ("S", 3 * k + x, 1.0)) for x in range(3)]
        return sorted(found)


def _turn(R: Array, x: Array) -> Array:
    return np.asarray((R @ x[..., None])[..., 0])
