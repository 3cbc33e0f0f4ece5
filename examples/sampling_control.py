"""Model-predictive path integral control (MPPI): a cart-pole swings up, a Panda reaches a point.

Every control step samples torque sequences around the last plan, rolls all of them out in native code, and
averages them with weights exp(-cost / temperature) [Williams2017].
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import rikigaku as rk

Array = np.ndarray


@dataclass
class PathIntegralControl:
    """A plan of torques (horizon, nv) that is improved by sampled rollouts.

    Samples are accelerations, constant over `held` steps, times the mass matrix: light and heavy joints are
    moved alike, and few numbers are sampled.
    """

    robot: rk.Robot
    cost: Callable[[rk.Rollout, Array], Array]  # of each world, from its motion and torques
    plan: Array
    spread: Array  # standard deviation of the samples [rad/s^2, m/s^2]
    limit: Array
    dt: float
    samples: int
    held: int
    temperature: float
    random: np.random.Generator

    def step(self, q: Array, v: Array) -> Array:
        """The torque at this state; the plan moves on by one step."""
        count, n = self.plan.shape
        noise = self.spread * self.random.normal(size=(count // self.held, self.samples, n))
        noise = np.repeat(noise @ self.robot.mass_matrix(q), self.held, axis=0)
        noise[:, 0] = 0.0  # the last plan itself
        torques = np.clip(self.plan[:, None] + noise, -self.limit, self.limit)
        motion = self.robot.rollout(q, v, torques, steps=len(self.plan), dt=self.dt, method="implicit")
        cost = np.nan_to_num(self.cost(motion, torques), nan=np.inf)
        weights = np.exp(-(cost - cost.min()) / self.temperature)
        self.plan = np.einsum("w,kwn->kn", weights / weights.sum(), torques)
        torque = self.plan[0].copy()
        self.plan = np.vstack([self.plan[1:], self.plan[-1:]])
        return torque


def cart_pole() -> rk.Robot:
    """A cart of 1 kg on a rail and a pole of 0.2 kg, 0.5 m; the pole hangs at q = 0."""
    cart = rk.Link(
        "cart", "base", rk.Joint("rail", "prismatic", axis=(1, 0, 0)), rk.Placement(), rk.Inertia("com", 1.0)
    )
    rod = rk.Inertia("com", 0.2, (0, 0, -0.25), (0.0042, 0, 0, 0.0042, 0, 1e-5))
    pole = rk.Link(
        "pole", "cart", rk.Joint("pivot", "revolute", axis=(0, 1, 0), actuated=False), rk.Placement(), rod
    )
    return rk.Robot("cart-pole", (cart, pole))


def swing_up() -> float:
    """The largest angle from upright in the last half second [rad]."""
    robot = cart_pole()

    def cost(motion: rk.Rollout, torques: Array) -> Array:
        x, angle = motion.q[..., 0], motion.q[..., 1]
        rates = np.sum(motion.v**2, axis=-1)
        running = 4 * (1 + np.cos(angle)) + x**2 + 0.02 * rates + 1e-4 * torques[..., 0] ** 2
        return running.sum(axis=0) + 20 * (1 + np.cos(angle[-1]))

    control = PathIntegralControl(
        robot, cost, np.zeros((60, 2)), np.array([7.0, 0.0]), np.array([20.0, 0.0]), 0.02, 500, 2, 2.0,
        np.random.default_rng(1),
    )  # fmt: skip
    q, v = np.zeros(2), np.zeros(2)
    angles, began = [], time.process_time()
    for _ in range(200):
        torque = control.step(q, v)
        ahead = robot.rollout(q, v, torque[None, None], steps=1, dt=0.02, method="rk4")
        q, v = ahead.q[0, 0], ahead.v[0, 0]
        angles.append(abs((q[1] % (2 * np.pi)) - np.pi))
    spent = (time.process_time() - began) / 200
    print(
        f"cart-pole: {max(angles[-25:]):.2f} rad from upright after 4 s; {1000 * spent:.1f} ms a control step"
    )
    return max(angles[-25:])


def reach() -> float:
    """The distance of the Panda's hand from its target at the end [m]."""
    panda = rk.load("panda")
    q, v = np.array([0.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.8]), np.zeros(7)
    target = panda.pose(q, "hand")[:3, 3] + [-0.05, 0.25, -0.1]

    def cost(motion: rk.Rollout, torques: Array) -> Array:
        hand = panda.pose(motion.q, "hand")[..., :3, 3]
        distance = np.sum((hand - target) ** 2, axis=-1)
        rates = np.sum(motion.v**2, axis=-1)
        return 400 * distance.sum(axis=0) + 0.5 * rates.sum(axis=0) + 5 * rates[-1]

    weight = panda.gravity_forces(q)
    limit = np.array([87.0, 87, 87, 87, 12, 12, 12])
    control = PathIntegralControl(
        panda, cost, np.tile(weight, (15, 1)), np.full(7, 3.0), limit, 0.02, 400, 5, 0.5,
        np.random.default_rng(2),
    )  # fmt: skip
    began = time.process_time()
    for _ in range(100):
        torque = control.step(q, v)
        ahead = panda.rollout(q, v, torque[None, None], steps=4, dt=0.005, method="rk4", every=0)
        control.plan += panda.gravity_forces(ahead.q[0]) - panda.gravity_forces(q)  # the weight moves along
        q, v = ahead.q[0], ahead.v[0]
    spent = (time.process_time() - began) / 100
    distance = float(np.linalg.norm(panda.pose(q, "hand")[:3, 3] - target))
    print(
        f"Panda: the hand is {1000 * distance:.0f} mm from its target after 2 s; {1000 * spent:.1f} ms a step"
    )
    return distance


def main() -> None:
    assert swing_up() < 0.3
    assert reach() < 0.05


if __name__ == "__main__":
    main()
