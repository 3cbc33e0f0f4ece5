"""Forward dynamics and a quadratic cost with derivatives, as solvers of optimal control want them.

Constrained dynamics by the KKT system of contacts that stick: M a + h - J^T f = S^T tau, J a + (dJ/dt) v = 0.
Its derivatives follow by differentiation of both equations at constant a and f [Carpentier2018]: the first is
inverse dynamics with wrenches f, the second the acceleration of the frames.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array
from rikigaku.robot import Robot


@dataclass(frozen=True)
class QuadraticCost:
    """1/2 sum w r^2 of the residuals x - x_ref, u - u_ref and p(q) - target of a frame.

    The Hessian is that of Gauss and Newton, as in Crocoddyl's costs. Weights: one number, or one a residual.
    """

    x_ref: Array
    x_weights: float | Array = 0.0
    u_ref: float | Array = 0.0
    u_weights: float | Array = 0.0
    frame: str = ""
    target: Array = field(default_factory=lambda: np.zeros(3))
    frame_weight: float = 0.0


@dataclass
class Evaluation:
    """Acceleration, contact forces and cost at a state, and their derivatives by x = (q, v) and u."""

    a: Array
    forces: Array
    cost: float
    Fx: Array
    Fu: Array
    Lx: Array
    Lu: Array
    Lxx: Array
    Luu: Array


class ActionModel:
    """Free or contact dynamics of a robot with a cost.

    Args:
        robot: without quaternions (nq = nv) and without loops.
        contacts: frames whose origins do not move; () for free motion.
    """

    def __init__(self, robot: Robot, cost: QuadraticCost, contacts: Sequence[str] = ()) -> None:
        if robot.nq != robot.nv or robot.loops:
            raise WrongValue(
                f"Robot {robot.name!r} has {'loops' if robot.loops else 'quaternions'}: an action model "
                "needs a tree whose q and v have the same size."
            )
        self.robot, self.cost, self.contacts = robot, cost, tuple(contacts)
        self.n = robot.nv
        self._jacobians = [robot.jacobian.fix(frame=frame) for frame in self.contacts]
        self._biases = [robot.jacobian_rate.fix(frame=frame) for frame in self.contacts]
        self._accelerations = [robot.acceleration.fix(frame=frame) for frame in self.contacts]

    def dynamics(self, q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
        """Accelerations, and the contact forces in world axes (3 numbers for each contact)."""
        if not self.contacts:
            return self.robot.forward_dynamics(q, v, tau, friction=False), np.zeros(0)
        J = np.vstack([jacobian(q)[:3] for jacobian in self._jacobians])
        bias = np.concatenate([law(q, v)[:3] for law in self._biases])
        M = self.robot.mass_matrix(q)
        force = tau - self.robot.inverse_dynamics(q, v, np.zeros(self.n), friction=False)
        solution = np.linalg.solve(_kkt(M, J), np.concatenate([force, -bias]))
        return solution[: self.n], -solution[self.n :]

    def value(self, x: Array, u: Array | None) -> tuple[Array, Array, float]:
        """Acceleration, contact forces and cost; u None (the last node): no torques, and no cost of them."""
        q, v = x[: self.n], x[self.n :]
        a, forces = self.dynamics(q, v, np.zeros(self.n) if u is None else u)
        cost, away = self.cost, x - self.cost.x_ref
        total = float(0.5 * np.sum(cost.x_weights * away**2))
        if u is not None:
            total += 0.5 * float(np.sum(cost.u_weights * (u - cost.u_ref) ** 2))
        if cost.frame:
            distance = self.robot.pose(q, cost.frame)[:3, 3] - cost.target
            total += 0.5 * cost.frame_weight * float(distance @ distance)
        return a, forces, total

    def evaluation(self, x: Array, u: Array | None) -> Evaluation:
        """Values as `value`, and their derivatives."""
        n, robot, cost = self.n, self.robot, self.cost
        q, v = x[:n], x[n:]
        a, forces, total = self.value(x, u)
        if self.contacts:
            wrenches = {
                frame: np.concatenate([forces[3 * k : 3 * k + 3], np.zeros(3)])
                for k, frame in enumerate(self.contacts)
            }
            first = robot.inverse_dynamics.derivative(q, v, a, wrenches=wrenches, friction=False)
            moved = [law.derivative(q, v, a) for law in self._accelerations]
            J = np.vstack([x.a[:3] for x in moved])
            right = np.zeros((n + len(J), 3 * n))
            right[:n] = np.hstack([-first.q, -first.v, np.eye(n)])
            right[n:, : 2 * n] = -np.vstack([np.hstack([x.q[:3], x.v[:3]]) for x in moved])
            slopes: Any = np.linalg.solve(_kkt(first.a, J), right)[:n]
            Fx, Fu = slopes[:, : 2 * n], slopes[:, 2 * n :]
        else:
            tau = np.zeros(n) if u is None else u
            d = robot.forward_dynamics.derivative(q, v, tau, friction=False)
            Fx, Fu = np.hstack([d.q, d.v]), d.tau
        away = x - cost.x_ref
        Lx, Lxx = cost.x_weights * away, np.diag(np.broadcast_to(cost.x_weights, (2 * n,)).astype(float))
        if cost.frame:
            J = robot.jacobian(q, cost.frame)[:3]
            distance = robot.pose(q, cost.frame)[:3, 3] - cost.target
            Lx = Lx + np.concatenate([cost.frame_weight * J.T @ distance, np.zeros(n)])
            Lxx[:n, :n] += cost.frame_weight * J.T @ J
        Lu, Luu = np.zeros(n), np.zeros((n, n))
        if u is not None:
            Lu = np.broadcast_to(cost.u_weights * (u - cost.u_ref), (n,)).astype(float)
            Luu = np.diag(np.broadcast_to(cost.u_weights, (n,)).astype(float))
        return Evaluation(a, forces, total, Fx, Fu, Lx, Lu, Lxx, Luu)


def _kkt(M: Array, J: Array) -> Array:
    return np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
