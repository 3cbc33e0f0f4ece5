"""Equations 28 to 41 of the paper, body by body: the base, the rate of J*, torques by Newton-Euler."""

import numpy as np
import pytest
from free_flyers import on_floats
from paper_bodies import Bodies
from random_robots import random_state

import rikigaku as rk
from benchmarks.space_operations import general_arm

Array = np.ndarray
ROBOTS = {"shipped": rk.load("space_arm_6"), "general 6": general_arm(6), "general 3": general_arm(3, 1)}
cross = np.cross


class Dynamics:
    """At rates and accelerations of the arm, the satellite turning with Omega (rad/s, inertial axes)."""

    def __init__(self, robot: rk.Robot, q: Array, Omega: Array, rates: Array, accelerations: Array) -> None:
        b = self.bodies = Bodies(robot, q)
        self.relative(rates, accelerations)
        v_G = sum(m * v for m, v in zip(b.m, self.v, strict=True)) / b.w
        a_G = sum(m * a for m, a in zip(b.m, self.v_rate, strict=True)) / b.w
        self.Omega = Omega
        shift = -(a_G + 2 * cross(Omega, v_G) + cross(Omega, cross(Omega, b.r_G)))  # eq 31
        primed = [self.carried(a, v, r) + shift for a, v, r in zip(self.v_rate, self.v, b.r, strict=True)]
        turning = [Omega + w for w in self.w]  # eq 34
        total = cross(Omega, b.I[0] @ Omega)
        for i in b.arm:  # eq 28
            total = total + b.I[i] @ (self.w_rate[i] + cross(Omega, self.w[i]))
            total = total + cross(turning[i], b.I[i] @ turning[i]) + b.m[i] * cross(b.r[i], primed[i])
        self.Omega_rate = np.linalg.solve(self.locked(), -total)
        self.V_rate = shift - cross(self.Omega_rate, b.r_G)  # eq 29
        self.torques = self.newton_euler(turning)

    def locked(self) -> Array:
        """I_s of eq 5."""
        b = self.bodies
        about = sum(I + m * _D(r) for I, m, r in zip(b.I, b.m, b.r, strict=True))
        return about - b.w * _D(b.r_G)

    def relative(self, rates: Array, accelerations: Array) -> None:
        """Motion of centres of mass and hand as seen on the satellite, outward from joint to joint."""
        b, zero = self.bodies, np.zeros(3)
        self.w, self.w_rate, self.v, self.v_rate = [zero], [zero], [zero], [zero]
        p_v, p_a, last = zero, zero, b.p[0]  # of the joint
        for i in b.arm:
            way = b.p[i] - last
            w, w_rate = self.w[-1], self.w_rate[-1]
            p_v, p_a = p_v + cross(w, way), p_a + cross(w_rate, way) + cross(w, cross(w, way))
            turn = rates[i - 1] * b.Z[i]
            self.w.append(w + turn)
            self.w_rate.append(w_rate + accelerations[i - 1] * b.Z[i] + cross(w, turn))
            v, a = self.moved(p_v, p_a, b.r[i] - b.p[i])
            self.v.append(v)
            self.v_rate.append(a)
            last = b.p[i]
        self.hand_v, self.hand_a = self.moved(p_v, p_a, b.p_E - last)

    def moved(self, v: Array, a: Array, arm: Array) -> tuple[Array, Array]:
        w, w_rate = self.w[-1], self.w_rate[-1]
        return v + cross(w, arm), a + cross(w_rate, arm) + cross(w, cross(w, arm))

    def carried(self, a: Array, v: Array, r: Array) -> Array:
        return a + 2 * cross(self.Omega, v) + cross(self.Omega, cross(self.Omega, r))

    def newton_euler(self, turning: list[Array]) -> Array:
        """Eqs 35 to 41: forces f_i, n_i inward from the hand; what is left at the satellite is kept."""
        b = self.bodies
        f, n, tau = np.zeros(3), np.zeros(3), np.zeros(b.n)
        ends = [*b.p[1:], b.p_E]
        for i in reversed(range(b.n + 1)):
            push = self.carried(self.v_rate[i], self.v[i], b.r[i]) + cross(self.Omega_rate, b.r[i])
            F = b.m[i] * (push + self.V_rate)
            spun = self.Omega_rate + self.w_rate[i] + cross(self.Omega, self.w[i])
            N = b.I[i] @ spun + cross(turning[i], b.I[i] @ turning[i])
            n = n + cross(ends[i] - b.p[i], f) + cross(b.r[i] - b.p[i], F) + N
            f = f + F
            if i > 0:
                tau[i - 1] = n @ b.Z[i]
        self.left = np.concatenate([f, n])
        return tau

    def hand_rate(self) -> Array:
        """Eqs 32 and 33."""
        b = self.bodies
        linear = self.carried(self.hand_a, self.hand_v, b.p_E) + cross(self.Omega_rate, b.p_E) + self.V_rate
        return np.concatenate([linear, self.Omega_rate + self.w_rate[-1] + cross(self.Omega, self.w[-1])])


def _D(r: Array) -> Array:
    return r @ r * np.eye(3) - np.outer(r, r)


@pytest.fixture(params=[0.0, 1.0], ids=["at rest", "with momentum"])
def momentum(request: pytest.FixtureRequest) -> Array:
    return request.param * np.array([3.0, -2.0, 1.0, 4.0, -5.0, 2.0])


@pytest.mark.parametrize("name", ROBOTS)
def test_the_papers_newton_euler_gives_our_torques_and_leaves_the_satellite_alone(
    name: str, momentum: Array
) -> None:
    robot = ROBOTS[name]
    q, v, a = random_state(robot, np.random.default_rng(4))
    v = on_floats(robot, "floating_velocity", q, v[6:], momentum)
    paper = Dynamics(robot, q, Bodies(robot, q).R @ v[3:6], v[6:], a[6:])
    ours = on_floats(robot, "floating_inverse_dynamics", q, v, a[6:], friction=False)
    scale = np.abs(ours).max()
    assert np.abs(paper.left).max() < 1e-11 * scale  # f_0 = n_0 = 0
    assert np.abs(paper.torques - ours).max() < 1e-11 * scale


@pytest.mark.parametrize("name", ROBOTS)
def test_equations_28_to_33_give_the_base_and_the_hand_their_accelerations(
    name: str, momentum: Array
) -> None:
    robot = ROBOTS[name]
    q, v, _ = random_state(robot, np.random.default_rng(5))
    v = on_floats(robot, "floating_velocity", q, v[6:], momentum)
    none = np.zeros(robot.nv - 6)
    paper = Dynamics(robot, q, Bodies(robot, q).R @ v[3:6], v[6:], none)
    ours = on_floats(robot, "generalized_jacobian_rate", q, v, frame="hand")
    assert np.abs(paper.hand_rate() - ours).max() < 1e-11 * np.abs(ours).max()
    tau = on_floats(robot, "floating_inverse_dynamics", q, v, none, friction=False)
    a = on_floats(robot, "floating_forward_dynamics", q, v, tau, friction=False)
    R = paper.bodies.R
    assert np.abs(paper.Omega_rate - R @ a[3:6]).max() < 1e-9 * np.abs(ours).max()
