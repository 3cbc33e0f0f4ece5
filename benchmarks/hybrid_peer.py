"""Stick and slip of one point on the floor z = 0 with SciPy and Pinocchio: as a careful user would write it.

Modes in Python, each a smooth field (KKT system over Pinocchio's M and nonlinear effects) for SciPy's DOP853
with events; every change located, the next mode chosen by its own forces.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin
from scipy.integrate import solve_ivp

Array = Any
Torque = Callable[[float, Array, Array], Array]


class PinocchioContact:
    """A planar point (world y, z) of a tree on the floor."""

    def __init__(
        self,
        model: Any,
        frame: str,
        torque: Callable[[float, Array, Array], Array],
        kinetic: float,
        static: float,
    ) -> None:
        self.model, self.data, self.frame = model, model.createData(), model.getFrameId(frame)
        self.torque, self.kinetic, self.static = torque, kinetic, static
        self.turns = np.array([joint.nq == 2 for joint in model.joints[1:]])

    def position(self, q: Array) -> Array:
        """Joints without limits are cosine and sine."""
        return np.concatenate(
            [[np.cos(x), np.sin(x)] if two else [x] for x, two in zip(q, self.turns, strict=True)]
        )

    def solved(self, t: float, q: Array, v: Array, mode: int) -> tuple[Array, Array]:
        """Accelerations and force (y, z); mode 0 sticks, +-1 slides that way."""
        model, data, full = self.model, self.data, self.position(q)
        M = pin.crba(model, data, full)
        M = np.triu(M) + np.triu(M, 1).T
        b = pin.nonLinearEffects(model, data, full, v)
        pin.forwardKinematics(model, data, full, v, np.zeros(model.nv))
        pin.computeJointJacobians(model, data, full)
        pin.updateFramePlacements(model, data)
        axes = pin.LOCAL_WORLD_ALIGNED
        J = pin.getFrameJacobian(model, data, self.frame, axes)[1:3]
        drift = pin.getFrameClassicalAcceleration(model, data, self.frame, axes).linear[1:3]
        force = self.torque(t, q, v) - b
        if mode == 0:
            x = np.linalg.solve(M, np.column_stack([force, J.T]))
            f = np.linalg.solve(J @ x[:, 1:], -(drift + J @ x[:, 0]))
            return x[:, 0] + x[:, 1:] @ f, f
        direction = np.array([-mode * self.kinetic, 1.0])
        x = np.linalg.solve(M, np.column_stack([force, J.T @ direction]))
        f_n = -(drift[1] + J[1] @ x[:, 0]) / (J[1] @ x[:, 1])
        return x[:, 0] + x[:, 1] * f_n, f_n * direction

    def speed(self, q: Array, v: Array) -> float:
        full = self.position(q)
        pin.computeJointJacobians(self.model, self.data, full)
        pin.updateFramePlacements(self.model, self.data)
        return float(pin.getFrameJacobian(self.model, self.data, self.frame, pin.LOCAL_WORLD_ALIGNED)[1] @ v)

    def moved(self, q: Array, v: Array, duration: float, rtol: float, atol: float) -> tuple[Array, int]:
        """State at the end, and how often the mode changed."""
        n, t, y = self.model.nv, 0.0, np.concatenate([q, v])
        mode, changes = self.chosen(t, q, v), 0
        while True:

            def field(s: float, x: Array, now: int = mode) -> Array:
                return np.concatenate([x[n:], self.solved(s, x[:n], x[n:], now)[0]])

            def ends(s: float, x: Array, now: int = mode, begun: float = t) -> float:
                if now:
                    return now * self.speed(x[:n], x[n:]) if s > begun else 1.0
                f = self.solved(s, x[:n], x[n:], 0)[1]
                return self.static * abs(f[1]) - abs(f[0])

            ends.terminal, ends.direction = True, -1  # type: ignore[attr-defined]
            done = solve_ivp(field, (t, duration), y, "DOP853", events=ends, rtol=rtol, atol=atol)
            t, y = float(done.t[-1]), done.y[:, -1]
            if done.status == 0:
                return y, changes
            changes += 1
            if mode == 0:
                mode = int(np.sign(-self.solved(t, y[:n], y[n:], 0)[1][0]))
            else:
                mode = self.chosen(t, y[:n], y[n:])

    def chosen(self, t: float, q: Array, v: Array) -> int:
        """The mode after a stop: stick if friction can hold it."""
        if abs(speed := self.speed(q, v)) > 1e-8:
            return int(np.sign(speed))
        f = self.solved(t, q, v, 0)[1]
        return 0 if abs(f[0]) <= self.static * abs(f[1]) else int(np.sign(-f[0]))
