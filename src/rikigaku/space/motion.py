"""Motion of free-floating robots that keeps its momentum and stays on its manifold.

What is integrated: the arm's rates, the momentum (constant unless wrenches act) and q in exponential
coordinates of each step, so that quaternions are unit without being made so. The base's velocity follows
from rates and momentum at every instant: momentum has no error to grow. The method is explicit Runge-Kutta of
order 8 with steps by its own error estimate (SciPy's DOP853) on those coordinates (Runge-Kutta-Munthe-Kaas).
Reference: E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, section IV.8.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import DOP853

from rikigaku.errors import WrongSize, WrongValue
from rikigaku.model.robot import Robot
from rikigaku.space.charts import REACH, chart_rates, turned_by
from rikigaku.space.places import Split, as_array, split
from rikigaku.states import as_position

Array = NDArray[np.float64]
Torque = Callable[[float, Array, Array], Any]
Wrenches = Callable[[float, Array, Array], Mapping[str, Any]]


@dataclass(frozen=True, eq=False)
class FloatingMotion:
    """A motion at the steps the integrator took, or at the times asked for.

    t (n,), q (n, nq), v (n, nv); work (n,): what the torques and wrenches have done since the start [J].
    status: "ok", or the sentence that says why the motion ends before its time; what was found is kept.
    """

    robot: Robot
    t: Array
    q: Array
    v: Array
    work: Array
    status: str = "ok"

    @property
    def energy(self) -> Array:
        """Kinetic energy at each time [J]."""
        return np.asarray(cast(Any, self.robot).kinetic_energy(self.q, self.v))

    @property
    def momentum(self) -> Array:
        """Linear and angular momentum about the centre of mass, world axes, (n, 6)."""
        return np.asarray(cast(Any, self.robot).momentum(self.q, self.v))

    @property
    def center_of_mass(self) -> Array:
        """Of the whole, in the world, (n, 3)."""
        return np.asarray(cast(Any, self.robot).center_of_mass(self.q))


def floating_motion(
    robot: Robot,
    q: Any,
    v: Any,
    duration: float,
    torque: Torque | None = None,
    *,
    wrenches: Wrenches | None = None,
    times: Any = None,
    tolerance: float = 1e-10,
    breaks: Any = (),
) -> FloatingMotion:
    """The motion of a robot in space from a state, under torques of its arm.

    Args:
        v: of all coordinates (`robot.floating_velocity` gives it from rates and momentum).
        torque: of the arm's coordinates, as a function of t, q and v; none if left out. Where it raises
            ArithmeticError or returns a number that is not finite the motion ends, with what was found.
        wrenches: from outside (thrusters), by frame, as a function of t, q and v: {"satellite": six numbers}.
        times: of the results [s], increasing; the integrator's own steps if left out.
        tolerance: of each step, relative to the size of the state.
        breaks: times where torque or wrenches jump, which no step may pass over [s].
    """
    if not duration > 0:
        raise WrongValue(f"A motion takes a duration above 0 s; {duration} was given.")
    if any(float(g) for g in robot.gravity):
        raise WrongValue(
            f"Robot {robot.name!r} has gravity: nothing floats there. robot.with_gravity((0, 0, 0)) is the "
            "robot in orbit, where everything falls alike."
        )
    field = _Field(robot, as_position(robot, q), as_array(v), torque, wrenches)
    ends = sorted({float(x) for x in breaks if 0 < x < duration} | {float(duration)})
    asked = None if times is None else [float(x) for x in as_array(times) if 0 <= x <= duration]
    found = [field.state()] if asked is None or (asked and asked[0] == 0) else []
    status, step = "ok", None
    for end in ends:
        status, step = field.advance(found, end, tolerance, step, asked)
        if status != "ok":
            break
    if status != "ok" and asked is not None:
        found.append(field.state())  # where it ended
    columns = zip(*found, strict=True) if found else ([],) * 4
    t, q, v, work = (np.array(x) for x in columns)
    return FloatingMotion(robot, t, q, v, work, status)


class _Field:
    """The state and how it moves: y = (u, rates, momentum, work) with q = q0 exp(u)."""

    def __init__(
        self, robot: Robot, q: Array, v: Array, torque: Torque | None, wrenches: Wrenches | None
    ) -> None:
        if v.shape != (robot.nv,):
            raise WrongSize(f"v of robot {robot.name!r} has {robot.nv} numbers; shape {v.shape} was given.")
        self.robot, self.laws, self.torque, self.wrenches = robot, cast(Any, robot), torque, wrenches
        self.places: Split = split(robot)
        self.chart, self.angle = chart_rates(robot), turned_by(robot)
        self.q, self.t = q, 0.0
        n = len(self.places.arm)
        self.n, self.none = n, np.zeros(n)
        momentum = self.laws.momentum(q, v)
        self.y = np.concatenate([np.zeros(robot.nv), v[self.places.arm], momentum, [0.0]])

    def velocity(self, y: Array, q: Array) -> Array:
        nv, n = self.robot.nv, self.n
        return np.asarray(
            self.laws.floating_velocity(q, y[nv : nv + n].copy(), y[nv + n : nv + n + 6].copy())
        )

    def state(self) -> tuple[float, Array, Array, float]:
        return self.t, self.q, self.velocity(self.y, self.q), float(self.y[-1])

    def between(self, t: float, y: Array) -> tuple[float, Array, Array, float]:
        """The state at a point of the chart in use."""
        q = np.asarray(self.laws.integrate(self.q, y[: self.robot.nv].copy()))
        return t, q, self.velocity(y, q), float(y[-1])

    def __call__(self, t: float, y: Array) -> Array:
        nv, n = self.robot.nv, self.n
        q = np.asarray(self.laws.integrate(self.q, y[:nv].copy()))
        v = self.velocity(y, q)
        tau = self.none if self.torque is None else as_array(self.torque(t, q, v))
        if tau.shape != (n,):
            raise WrongSize(f"The torque has shape {tau.shape}; the arm has {n} coordinates.")
        rate = np.zeros_like(y)
        outer = {} if self.wrenches is None else {k: as_array(w) for k, w in self.wrenches(t, q, v).items()}
        given = {"wrenches": outer} if outer else {}
        rate[:nv] = self.chart(y[:nv], v)
        rate[nv : nv + n] = self.laws.floating_forward_dynamics(q, v, tau, **given)[self.places.arm]
        rate[-1] = tau @ v[self.places.arm]
        for frame, w in outer.items():
            lever = self.laws.pose(q, frame)[:3, 3] - self.laws.center_of_mass(q)
            rate[nv + n : nv + n + 3] += w[:3]
            rate[nv + n + 3 : nv + n + 6] += w[3:] + np.cross(lever, w[:3])
            rate[-1] += w @ self.laws.velocity(q, v, frame)
        return rate

    def advance(
        self, found: list[Any], end: float, tolerance: float, step: float | None, asked: list[float] | None
    ) -> tuple[str, float | None]:
        """Go to a time; each step starts a new chart. Returns the status and the last step's size."""
        nv = self.robot.nv
        options = {"rtol": tolerance, "atol": 1e-2 * tolerance, "max_step": self._reach()}
        try:
            if step is not None:
                options["first_step"] = min(step, end - self.t, self._reach())
            solver = DOP853(self, self.t, self.y, end, **options)
            while solver.status == "running":
                solver.max_step = self._reach()
                message = solver.step()
                if solver.status == "failed" or not np.isfinite(solver.y).all():
                    return self._ended(message or "a number is not finite"), None
                if inside := [x for x in asked or () if self.t < x <= solver.t]:
                    path = solver.dense_output()
                    found += [self.between(x, path(x) if x < solver.t else solver.y) for x in inside]
                self.q = np.asarray(self.laws.integrate(self.q, solver.y[:nv].copy()))
                self.t, self.y = float(solver.t), solver.y.copy()
                self.y[:nv] = 0.0
                solver.y = self.y.copy()
                solver.f = self(self.t, solver.y)
                if asked is None:
                    found.append(self.state())
        except ArithmeticError as error:
            return self._ended(str(error)), None
        return "ok", float(solver.h_abs)

    def _reach(self) -> float:
        """The longest step that stays on a chart [s]."""
        angle = self.angle(self.velocity(self.y, self.q))
        return REACH / angle if angle > 0 else np.inf

    def _ended(self, why: str) -> str:
        return f"the motion ends at t = {self.t:.6g} s: {why}"
