"""A Gymnasium environment of any robot: torques as actions, (q, v) as observations, native steps."""

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import numpy as np

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import number, whole
from rikigaku.robot import Robot
from rikigaku.simulation.simulate import actuated_coordinates

Reward = Callable[[Array, Array, Array], float]
Start = Callable[[np.random.Generator], tuple[Array, Array]]


class RobotEnvironment(gymnasium.Env[Array, Array]):
    """One robot; an action is the torques of its actuated joints in parts of their limits, -1 to 1.

    An observation is (q, v). An episode ends (`terminated`) when the state is not finite, and is cut off
    (`truncated`) after `horizon` steps. Each step is `substeps` steps of `robot.rollout`.

    Args:
        dt, substeps: length of an integration step [s], and how many of them are one action.
        reward: a function of q, v and the torques; by default -|q - neutral|^2 - 0.1 |v|^2 - 0.001 |tau|^2 in
            the tangent space.
        start: makes q and v from a random generator; by default near the neutral configuration, at rest.
        torque_limit: torque of an action of 1 [N m, N] where a joint has no limit of effort.
        contacts, method: as in `robot.rollout`.
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
        self.robot, self.dt, self.substeps = robot, number("dt", dt), whole("substeps", substeps)
        self.horizon = whole("horizon", horizon)
        self._reward, self._start = reward or self._distance, start or self._near_neutral
        self._options: Mapping[str, Any] = {"contacts": contacts, "method": method}
        self.torque_limits = np.array(
            [_effort(robot, k, torque_limit) for k in actuated_coordinates(robot)], dtype=np.float64
        )
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, self.torque_limits.shape, np.float64)
        shape = (robot.nq + robot.nv,)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, shape, np.float64)
        self.q, self.v, self.steps = robot.neutral(), np.zeros(robot.nv), 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """A new episode. options: {"q": ..., "v": ...} begins it there."""
        super().reset(seed=seed)
        q, v = self._start(self.np_random)
        given = options or {}
        self.q = np.array(given.get("q", q), dtype=np.float64)
        self.v = np.array(given.get("v", v), dtype=np.float64)
        self.steps = 0
        return self._observation(), {}

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Apply the torques, cut to their limits, for one step."""
        tau = self.torque_limits * np.clip(action, -1.0, 1.0)
        motion = self.robot.rollout(
            self.q, self.v, tau[None, None], steps=self.substeps, dt=self.dt, every=0, **self._options
        )
        self.steps += 1
        finite = bool(np.all(np.isfinite(motion.q)) and np.all(np.isfinite(motion.v)))
        if finite:
            self.q, self.v = motion.q[0], motion.v[0]
        reward = float(self._reward(self.q, self.v, tau))
        return self._observation(), reward, not finite, self.steps >= self.horizon, {}

    def _observation(self) -> Array:
        return np.concatenate([self.q, self.v])

    def _distance(self, q: Array, v: Array, tau: Array) -> float:
        away = self.robot.difference(self.robot.neutral(), q)
        return float(-away @ away - 0.1 * v @ v - 0.001 * tau @ tau)

    def _near_neutral(self, random: np.random.Generator) -> tuple[Array, Array]:
        step = random.uniform(-0.1, 0.1, self.robot.nv)
        return self.robot.integrate(self.robot.neutral(), step), np.zeros(self.robot.nv)


def _effort(robot: Robot, coordinate: int, otherwise: float) -> float:
    """The largest torque of a coordinate."""
    for joint in robot.joints:
        place = robot.v_slices[joint.name]
        if place.start <= coordinate < place.stop and joint.limits is not None:
            return otherwise if joint.limits.effort is None else float(joint.limits.effort)
    return otherwise
