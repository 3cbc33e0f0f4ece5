"""Iterative LQR (iLQR): a cart-pole swings up, by exact derivatives of its rollout.

Each iteration linearizes all steps of the motion, solves the quadratic problem backward in time, and tries
twelve step lengths at once, as the worlds of one rollout.
"""

import numpy as np

import rikigaku as rk

STEPS, DT = 150, 0.02
GOAL = np.array([0.0, np.pi, 0.0, 0.0])  # cart at the origin, pole upright, at rest
RUNNING, FINAL, EFFORT = np.diag([0.1, 0.1, 0.01, 0.01]), np.diag([500.0, 1000.0, 200.0, 200.0]), 0.01
LENGTHS = 0.6 ** np.arange(12)


def cart_pole() -> rk.Robot:
    """A cart of 1 kg on a rail and a pole of 0.2 kg, 0.5 m; the pole hangs at q = 0."""
    rail = rk.Joint("rail", "prismatic", axis=(1, 0, 0))
    pivot = rk.Joint("pivot", "revolute", axis=(0, 1, 0), actuated=False)
    rod = rk.Inertia("com", 0.2, (0, 0, -0.25), (0.0042, 0, 0, 0.0042, 0, 1e-5))
    cart = rk.Link("cart", "base", rail, rk.Placement(), rk.Inertia("com", 1.0))
    return rk.Robot("cart-pole", (cart, rk.Link("pole", "cart", pivot, rk.Placement(), rod)))


def cost(motion: rk.Rollout, forces: np.ndarray) -> np.ndarray:
    """Of each world, from its states and forces."""
    e = np.concatenate([motion.q, motion.v], axis=-1) - GOAL
    running = np.einsum("kwi,ij,kwj->w", e[:-1], RUNNING, e[:-1])
    final = np.einsum("wi,ij,wj->w", e[-1], FINAL, e[-1])
    return 0.5 * (running + final + EFFORT * np.sum(forces**2, axis=(0, 2)))


def changes(motion: rk.Rollout, forces: np.ndarray) -> np.ndarray:
    """The changes of the forces for all step lengths, (steps, lengths, 1)."""
    steps = motion.linearization()
    A, B = steps.A[:, 0], steps.B[:, 0, :, :1]
    e = np.concatenate([motion.q[:, 0], motion.v[:, 0]], axis=-1) - GOAL
    s, S = FINAL @ e[-1], FINAL
    feedforward, feedback = np.zeros((STEPS, 1)), np.zeros((STEPS, 1, 4))
    for k in reversed(range(STEPS)):
        weight = EFFORT + B[k].T @ S @ B[k]
        feedforward[k] = -np.linalg.solve(weight, EFFORT * forces[k, 0] + B[k].T @ s)
        feedback[k] = -np.linalg.solve(weight, B[k].T @ S @ A[k])
        closed = A[k] + B[k] @ feedback[k]
        s = closed.T @ s + feedback[k].T @ (EFFORT * forces[k, 0])
        S = closed.T @ S @ A[k]
        if k:
            s, S = s + RUNNING @ e[k - 1], S + RUNNING
    found, x = np.zeros((STEPS, len(LENGTHS), 1)), np.zeros((len(LENGTHS), 4))
    for k in range(STEPS):
        found[k] = LENGTHS[:, None] * feedforward[k] + x @ feedback[k].T
        x = x @ A[k].T + found[k] @ B[k].T
    return found


def swing_up(iterations: int = 120) -> tuple[np.ndarray, float]:
    """The final state, and the cost."""
    robot = cart_pole()
    forces = 0.1 * np.sin(np.linspace(0, 6, STEPS))[:, None, None] * np.ones((1, 1, 1))

    def rolled(forces: np.ndarray) -> rk.Rollout:
        both = np.concatenate([forces, np.zeros_like(forces)], axis=-1)  # the pivot has no motor
        return robot.rollout([0.0, 0.0], None, both, steps=STEPS, dt=DT)

    motion = rolled(forces)
    value = cost(motion, forces)[0]
    count = 0
    while count < iterations:
        count += 1
        tried = forces + changes(motion, forces)
        values = np.nan_to_num(cost(rolled(tried), tried), nan=np.inf)
        best = int(np.argmin(values))
        if values[best] > value * (1 - 1e-6):
            break
        forces, value = tried[:, best : best + 1], values[best]
        motion = rolled(forces)
    print(f"{count} iterations, cost {value:.3f}, largest force {np.abs(forces).max():.1f} N")
    return np.concatenate([motion.q[-1, 0], motion.v[-1, 0]]), float(value)


def main() -> None:
    end, _ = swing_up()
    print("error at the end:", np.round(np.abs(end - GOAL), 3))
    assert np.abs(end - GOAL).max() < 0.3


if __name__ == "__main__":
    main()
