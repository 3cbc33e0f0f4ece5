"""Motions of closed robots that keep their loops closed."""

import numpy as np

import rikigaku as rk

Array = np.ndarray


def motion(robot: rk.Robot, seed: int = 0, count: int = 3) -> tuple[Array, Array, Array]:
    """Closed configurations with velocities and accelerations that keep them closed."""
    plan = robot.closure()
    rng = np.random.default_rng(seed)
    q = plan.samples[:count]
    return (q, *robot.complete(q, *rng.uniform(-1, 1, (2, len(q), plan.mobility))))


def agree(mine: Array, other: Array, digits: float = 1e-10) -> bool:
    assert np.abs(mine - other).max() <= digits * max(np.abs(other).max(), 1e-3)
    return True
