"""What joints give to a flexible mechanism: motors, friction, springs, rotors; over its released joints."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import WrongValue
from rikigaku.fem.beams import Beams
from rikigaku.fem.coordinates import State
from rikigaku.fem.postures import joint_state
from rikigaku.fem.rows import Placed
from rikigaku.given import number, numbers

if TYPE_CHECKING:
    from rikigaku.fem.elastic import Elastic

Array = NDArray[np.float64]
Torque = Callable[[float, Array, Array], Any]

_H = 1e-6  # [rad, m] and their rates: over which slopes of a controller are taken


class JointForces:
    """Of the released joints of an assembly, which `turning` finds in the rates nu.

    slip_speed: speed at which dry friction has 71 per cent of its full force [rad/s, m/s].
    """

    def __init__(self, elastic: "Elastic", beams: Beams, slip_speed: float | None = None) -> None:
        self.beams, self.robot = beams, elastic.layout.robot
        self.turning = beams.joined.turning
        self.joints = list(beams.assembly.joints)
        bodies = {k: body for body in elastic.layout.mechanism.bodies for k in body.v}
        own = [bodies[k] for k in self.joints]
        self.dry = np.array([float(body.coulomb) for body in own])
        self.springs, self.viscous, self.rotors = (
            beams.assembly.springs,
            beams.assembly.viscous,
            beams.assembly.rotors,
        )
        q = beams.assembly.grid.q
        # springs of the model pull from where they rest; drives that give rest in the posture of the start
        self.pull = np.array([float(body.stiffness) * (q[body.q.start] - float(body.rest)) for body in own])
        self.slip = 1.0 if slip_speed is None else number("slip_speed [rad/s, m/s]", slip_speed, above=0)
        self._check(slip_speed)

    def _check(self, slip_speed: float | None) -> None:
        dry = {k for k, force in zip(self.joints, self.dry, strict=True) if force}
        rough = [joint.name for joint in self.robot.joints if self.robot.v_slices[joint.name].start in dry]
        if rough and slip_speed is None:
            raise WrongValue(
                f"Joint {rough[0]!r} has Coulomb friction, which elastic motion knows only smoothed: "
                "F v / sqrt(v^2 + slip_speed^2). Give slip_speed=... [rad/s, m/s], small beside speeds of "
                "interest."
            )

    def resisting(self, state: State, nu: Array) -> Array:
        """Friction and springs over nu, (samples, size)."""
        v, phi = self.turning.rates(nu), self._turned(state)
        dry = self.dry * v / np.sqrt(v * v + self.slip**2)
        return self.turning.forces(self.viscous * v + dry + self.springs * phi + self.pull)

    def inertia(self, rate: Array) -> Array:
        """What rotors ask for over nu, of its changes, (samples, size)."""
        return self.turning.forces(self.rotors * self.turning.rates(rate))

    def _turned(self, state: State) -> Array:
        """How far released joints have turned since the start; balls have no spring."""
        joined, count = self.beams.joined, len(state.y)
        whole = np.zeros((count, joined.size))
        whole[:, joined.first_y : joined.first_S] = state.y
        return self.turning.rates(whole)

    def slopes(self, nu: Array) -> tuple[Array, Array, Array]:
        """Stiffness and damping of `resisting`, and rotors; (samples, joints), at (columns, columns)."""
        v = self.turning.rates(nu)
        damp = self.viscous + self.dry * self.slip**2 / (v * v + self.slip**2) ** 1.5
        springs, rotors = (np.broadcast_to(x, damp.shape) for x in (self.springs, self.rotors))
        stiff, damped, heavy = (self.turning.diagonal(x) for x in (springs, damp, rotors))
        return stiff, damped, heavy

    def allowed(self, nu: Array, change: Array) -> float:
        """The part of a step of Newton's method after which no joint with dry friction has turned round.

        Beyond a standstill the slope the step was taken with is wrong; from a standstill on it is not.
        """
        v, step = (self.turning.rates(x)[0] for x in (nu, change))
        turned = (self.dry > 0) & (v * (v + step) < 0) & (np.abs(v) > 1e-6 * self.slip)
        return float(np.min(np.abs(v[turned] / step[turned]), initial=1.0))

    def energy(self, state: State) -> Array:
        """Stored in springs, (samples,) [J]; zero where the motion begins."""
        phi = self._turned(state)
        return np.asarray((0.5 * self.springs * phi**2 + self.pull * phi).sum(axis=1))


class Motors:
    """Forces of all joints as a function of t, q, v, and the slopes a controller has."""

    def __init__(self, joints: JointForces, torque: Torque | None) -> None:
        self.own, self.torque = joints, torque

    def forces(self, t: float, state: State, nu: Array, at: Placed | None = None) -> Array:
        """(nv,)."""
        if self.torque is None:
            return np.zeros(self.own.robot.nv)
        joined = self.own.beams.joined
        q, v = joint_state(joined, state, joined.placed(state) if at is None else at, nu)
        return self._called(t, q[0], v[0])

    def _called(self, t: float, q: Array, v: Array) -> Array:
        nv = self.own.robot.nv
        answer = self.torque(t, q, v) if self.torque else np.zeros(nv)
        return numbers(f"The answer of torque(t, q, v) at t = {t:.6g} s", answer, (nv,))

    def slopes(self, t: float, state: State, at: Placed, nu: Array) -> tuple[Array, Array] | None:
        """Of the forces of released joints over their positions and rates, (joints, joints); by differences.

        None without motors.
        """
        if self.torque is None:
            return None
        joints = self.own.joints
        none = np.zeros((len(joints), len(joints)))
        q, v = (x[0] for x in joint_state(self.own.beams.joined, state, at, nu))
        now = self._called(t, q, v)[joints]
        by_q, by_v = none.copy(), none.copy()
        place = {k: body.q.start for body in self.own.beams.assembly.grid.layout.mechanism.bodies
                 for k in body.v if len(body.v) == 1}  # fmt: skip
        for column, k in enumerate(joints):
            moved = v.copy()
            moved[k] += _H
            by_v[:, column] = (self._called(t, q, moved)[joints] - now) / _H
            if k in place:  # balls: Newton's steps do without
                moved = q.copy()
                moved[place[k]] += _H
                by_q[:, column] = (self._called(t, moved, v)[joints] - now) / _H
        return by_q, by_v
