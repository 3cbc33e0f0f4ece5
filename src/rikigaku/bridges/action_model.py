"""Forward dynamics and a quadratic cost with derivatives, as solvers of optimal control want them.

States are x = (q, v); derivatives by x are by the tangent (dq, dv) of 2 nv numbers, rotations in body axes.

Constrained dynamics by the KKT system of contacts that stick: M a + h - J^T f = S^T tau, J a + (dJ/dt) v = 0.
Its derivatives follow by differentiation of both equations at constant a and f [Carpentier2018]: the first is
inverse dynamics with wrenches f, the second the acceleration of the frames.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rikigaku.bridges.exponential_derivatives import difference_derivatives
from rikigaku.core.errors import UnknownName, WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.hybrid.smooth_motion import is_closed
from rikigaku.numbers.formula import ZERO
from rikigaku.robot import Robot
from rikigaku.simulation.pd_control import actuated_indices


@dataclass(frozen=True)
class QuadraticCost:
    """1/2 sum w r^2 of the residuals x - x_ref, u - u_ref and p(q) - target of a frame.

    x - x_ref is the difference of configurations (`robot.difference`) and that of velocities, 2 nv numbers.
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
    """Acceleration, contact forces and cost at a state, and their derivatives by x (2 nv) and u."""

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
    """Free or contact dynamics of a robot with a cost; u: forces of the joints that have an actuator.

    Viscous friction and springs of the joints act; dry friction, which has no derivative at rest, does not.

    Args:
        robot: a tree without gears; its base may be free.
        contacts: frames whose origins do not move; () for free motion.
    """

    def __init__(self, robot: Robot, cost: QuadraticCost, contacts: Sequence[str] = ()) -> None:
        check_tree(robot)
        smooth = [replace(link, joint=replace(link.joint, coulomb=ZERO)) for link in robot.links]
        robot = replace(robot, links=tuple(smooth)) if any(x.coulomb for x in robot.joints) else robot
        self.robot, self.cost, self.contacts = robot, cost, tuple(contacts)
        self.n, self.actuated = robot.nv, list(actuated_indices(robot))
        if len(cost.x_ref) != robot.nq + robot.nv:
            raise WrongValue(
                f"x_ref has {len(cost.x_ref)} numbers; a state (q, v) of robot {robot.name!r} has "
                f"{robot.nq} + {robot.nv}."
            )
        for frame in (*self.contacts, *filter(None, (cost.frame,))):
            if frame not in robot.frame_names:
                raise UnknownName("frame", frame, robot.frame_names, f"robot {robot.name!r}")
        self._jacobians = [robot.jacobian.fix(frame=frame) for frame in self.contacts]
        self._biases = [robot.jacobian_rate.fix(frame=frame) for frame in self.contacts]
        self._accelerations = [robot.acceleration.fix(frame=frame) for frame in self.contacts]

    def dynamics(self, q: Array, v: Array, u: Array | None) -> tuple[Array, Array]:
        """Accelerations, and the contact forces in world axes (3 numbers for each contact)."""
        tau = self._forces(u)
        if not self.contacts:
            return self.robot.forward_dynamics(q, v, tau), np.zeros(0)
        J = np.vstack([jacobian(q)[:3] for jacobian in self._jacobians])
        bias = np.concatenate([law(q, v)[:3] for law in self._biases])
        M = self.robot.mass_matrix(q)
        force = tau - self.robot.inverse_dynamics(q, v, np.zeros(self.n))
        solution = np.linalg.solve(_kkt(M, J), np.concatenate([force, -bias]))
        return solution[: self.n], -solution[self.n :]

    def value(self, x: Array, u: Array | None) -> tuple[Array, Array, float]:
        """Acceleration, contact forces and cost; u None (the last node): no torques, and no cost of them."""
        q, v = self._split(x)
        a, forces = self.dynamics(q, v, u)
        cost, away = self.cost, self._away(x)
        total = float(0.5 * np.sum(cost.x_weights * away**2))
        if u is not None:
            total += 0.5 * float(np.sum(cost.u_weights * (u - cost.u_ref) ** 2))
        if cost.frame:
            distance = self.robot.pose(q, cost.frame)[:3, 3] - cost.target
            total += 0.5 * cost.frame_weight * float(distance @ distance)
        return a, forces, total

    def evaluation(self, x: Array, u: Array | None) -> Evaluation:
        """Values as `value`, and their derivatives."""
        a, forces, total = self.value(x, u)
        Fx, Fu = self._acceleration_derivatives(x, u, a, forces)
        Lx, Lxx = self._cost_derivatives(x)
        size = len(self.actuated)
        Lu, Luu = np.zeros(size), np.zeros((size, size))
        if u is not None:
            Lu = np.broadcast_to(self.cost.u_weights * (u - self.cost.u_ref), (size,)).astype(float)
            Luu = np.diag(np.broadcast_to(self.cost.u_weights, (size,)).astype(float))
        return Evaluation(a, forces, total, Fx, Fu, Lx, Lu, Lxx, Luu)

    def _acceleration_derivatives(
        self, x: Array, u: Array | None, a: Array, forces: Array
    ) -> tuple[Array, Array]:
        """Derivatives of the accelerations by x and u."""
        n, robot = self.n, self.robot
        q, v = self._split(x)
        if not self.contacts:
            d = robot.forward_dynamics.derivative(q, v, self._forces(u))
            return np.hstack([d.q, d.v]), d.tau[:, self.actuated]
        wrenches = {
            frame: np.concatenate([forces[3 * k : 3 * k + 3], np.zeros(3)])
            for k, frame in enumerate(self.contacts)
        }
        first = robot.inverse_dynamics.derivative(q, v, a, wrenches=wrenches)
        moved = [law.derivative(q, v, a) for law in self._accelerations]
        J = np.vstack([x.a[:3] for x in moved])
        right = np.zeros((n + len(J), 2 * n + len(self.actuated)))
        right[:n] = np.hstack([-first.q, -first.v, np.eye(n)[:, self.actuated]])
        right[n:, : 2 * n] = -np.vstack([np.hstack([x.q[:3], x.v[:3]]) for x in moved])
        found: Any = np.linalg.solve(_kkt(first.a, J), right)[:n]
        return found[:, : 2 * n], found[:, 2 * n :]

    def _cost_derivatives(self, x: Array) -> tuple[Array, Array]:
        """Gradient and Gauss-Newton Hessian of the cost of the state."""
        n, robot, cost = self.n, self.robot, self.cost
        q, _ = self._split(x)
        away = self._away(x)
        weights = np.broadcast_to(cost.x_weights, (2 * n,)).astype(float)
        R = np.eye(2 * n)  # derivative of the residual
        R[:n, :n] = difference_derivatives(robot, away[:n])[1]
        Lx, Lxx = R.T @ (weights * away), (R.T * weights) @ R
        if cost.frame:
            J = robot.jacobian(q, cost.frame)[:3]
            distance = robot.pose(q, cost.frame)[:3, 3] - cost.target
            Lx[:n] += cost.frame_weight * J.T @ distance
            Lxx[:n, :n] += cost.frame_weight * J.T @ J
        return Lx, Lxx

    def _split(self, x: Array) -> tuple[Array, Array]:
        nq, nv = self.robot.nq, self.robot.nv
        if np.shape(x) != (nq + nv,):
            raise WrongSize(
                f"x has the shape {np.shape(x)}; a state (q, v) of robot {self.robot.name!r} has {nq} + {nv} "
                "numbers."
            )
        return x[:nq], x[nq:]

    def _away(self, x: Array) -> Array:
        (q, v), (q_ref, v_ref) = self._split(x), self._split(self.cost.x_ref)
        return np.concatenate([self.robot.difference(q_ref, q), v - v_ref])

    def _forces(self, u: Array | None) -> Array:
        tau = np.zeros(self.n)
        if u is not None:
            if np.shape(u) != (len(self.actuated),):
                raise WrongSize(
                    f"u has the shape {np.shape(u)}; robot {self.robot.name!r} has {len(self.actuated)} "
                    "actuated coordinates."
                )
            tau[self.actuated] = u
        return tau


def check_tree(robot: Robot) -> None:
    """Raises WrongValue for robots with loops or gears."""
    if is_closed(robot):
        raise WrongValue(
            f"Robot {robot.name!r} has loops or gears: this needs a tree. Open the loops, and hold their "
            "ends together by a cost."
        )


def _kkt(M: Array, J: Array) -> Array:
    return np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
