"""A Gymnasium environment of any robot: torques as actions, (q, v) as observations, native steps."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from rikigaku.closure.closure_plan import closure
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import by_name, number, numbers, short, whole
from rikigaku.hybrid.loop_projection import onto_loops
from rikigaku.hybrid.smooth_motion import is_closed
from rikigaku.robot import Robot
from rikigaku.rollout.rollout_arguments import method_of
from rikigaku.simulation.simulate import actuated_coordinates
from rikigaku.simulation.simulate_arguments import start_of

Reward = Callable[[Array, Array, Array], float]
Start = Callable[[np.random.Generator], tuple[Array, Array]]


class RobotEnvironment(gymnasium.Env[Array, Array]):
    """One robot; an action is the torques of its actuated joints in parts of their limits, -1 to 1.

    An observation is (q, v). An episode ends (`terminated`) when the state is not finite, and is cut off
    (`truncated`) after `horizon` steps. Each step is `substeps` steps of `robot.rollout`.

    Args:
        dt, substeps: length of an integration step [s], and how many of them are one action.
        reward: a function of q, v and the torques; by default -|q - q_ref|^2 - 0.1 |v|^2 - 0.001 |tau|^2 in
            the tangent space. q_ref is the neutral configuration; with loops, the closed configuration at
            which their mobility was determined.
        start: makes q and v from a random generator; by default near q_ref, at rest. Initial states near the
            loops are projected onto them.
        torque_limit: torque of an action of 1 [N m, N] where a joint has no limit of effort.
        contacts, method: as in `robot.rollout`.
    Raises:
        WrongValue: for a robot with symbols and for arguments that do not fit.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - declared so by Gymnasium

    @checked
    def __init__(
        self,
        robot: Robot,
        *,
        dt: float = 0.01,
        substeps: int = 1,
        horizon: int = 500,
        reward: Reward | None = None,
        start: Start | None = None,
        torque_limit: float = 100.0,
        contacts: Any = None,
        method: str | None = None,
    ) -> None:
        if robot.free_symbols:
            raise WrongValue(
                f"Robot {robot.name!r} has symbols without values: {', '.join(robot.free_symbols)}. Bind "
                "them: robot.bind(...)."
            )
        for name, function in (("reward", reward), ("start", start)):
            if function is not None and not callable(function):
                raise WrongValue(f"{name} is a function; {short(function)} was given.")
        self.robot, self.dt, self.substeps = robot, number("dt", dt, above=0), whole("substeps", substeps)
        self.horizon, torque_limit = whole("horizon", horizon), number("torque_limit", torque_limit, above=0)
        self._reward, self._start = reward or self._distance, start or self._near_reference
        self._options = {"contacts": contacts, "method": method_of(robot, method, contacts)}
        self.torque_limits = np.array(
            [_effort(robot, k, torque_limit) for k in actuated_coordinates(robot)], dtype=np.float64
        )
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, self.torque_limits.shape, np.float64)
        shape = (robot.nq + robot.nv,)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, shape, np.float64)
        self.reference = closure(robot).samples[0] if is_closed(robot) else robot.neutral()
        self.q, self.v, self.steps = self.reference.copy(), np.zeros(robot.nv), 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """A new episode. options: {"q": ..., "v": ...} begins it there, projected onto the loops.

        Raises:
            UnknownName, WrongSize, WrongValue: for other options and states that do not fit the robot.
            CannotClose: if the state is not near the loops.
        """
        super().reset(seed=seed)
        given = by_name("options", options or {}, '{"q": [...]}')
        for name in given:
            if name not in ("q", "v"):
                raise UnknownName("option", name, ("q", "v"), "RobotEnvironment.reset")
        q, v = self._start(self.np_random)
        q, v = start_of(self.robot, given.get("q", q), given.get("v", v))
        self.q, self.v = onto_loops(self.robot, q, v) if is_closed(self.robot) else (q, v.copy())
        self.steps = 0
        return self._observation(), {}

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Apply the torques, cut to their limits, for one step.

        A step whose state or reward is not finite ends the episode: state and reward are those before it.
        """
        tau = self.torque_limits * np.clip(numbers("action", action, self.torque_limits.shape), -1.0, 1.0)
        motion = self.robot.rollout(
            self.q, self.v, tau[None, None], steps=self.substeps, dt=self.dt, every=0, **self._options
        )
        self.steps += 1
        q, v = motion.q[0], motion.v[0]
        finite = bool(np.isfinite(q).all() and np.isfinite(v).all())
        reward = self._finite_reward(q, v, tau) if finite else None
        if reward is None:
            reward = self._finite_reward(self.q, self.v, tau)
            if reward is None:
                raise WrongValue("The reward is not finite at a finite state: it returned NaN or infinity.")
            return self._observation(), reward, True, self.steps >= self.horizon, {}
        self.q, self.v = q, v
        return self._observation(), reward, False, self.steps >= self.horizon, {}

    def _finite_reward(self, q: Array, v: Array, tau: Array) -> float | None:
        with np.errstate(over="ignore"):
            reward = float(self._reward(q, v, tau))
        return reward if np.isfinite(reward) else None

    def _observation(self) -> Array:
        return np.concatenate([self.q, self.v])

    def _distance(self, q: Array, v: Array, tau: Array) -> float:
        away = self.robot.difference(self.reference, q)
        return float(-away @ away - 0.1 * v @ v - 0.001 * tau @ tau)

    def _near_reference(self, random: np.random.Generator) -> tuple[Array, Array]:
        step = random.uniform(-0.1, 0.1, self.robot.nv)
        return self.robot.integrate(self.reference, step), np.zeros(self.robot.nv)


def _effort(robot: Robot, coordinate: int, otherwise: float) -> float:
    """The largest torque of a coordinate."""
    for joint in robot.joints:
        place = robot.v_slices[joint.name]
        if place.start <= coordinate < place.stop and joint.limits is not None:
            return otherwise if joint.limits.effort is None else float(joint.limits.effort)
    return otherwise
