"""The paper's own equations, written out body by body, and its table of operations."""

import numpy as np
import pytest
from free_flyers import on_floats
from paper_bodies import Bodies
from random_robots import random_state

import rikigaku as rk
from benchmarks.space_operations import (
    GROUND_ARM,
    general_arm,
    line_through,
    paper_inverse_dynamics,
    paper_kinematics,
    paper_total,
    unified_operations,
    unified_parts,
)

Array = np.ndarray
N = 6


def cross_matrix(r: Array) -> Array:
    return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


def D(r: Array) -> Array:
    return cross_matrix(r).T @ cross_matrix(r)


class Paper:
    """Equations 5, 7, 13-19 and 42 in inertial axes, from the poses and inertias of the links."""

    def __init__(self, robot: rk.Robot, q: Array) -> None:
        bodies = Bodies(robot, q)
        m, w, I, r, p, Z = bodies.m, bodies.w, bodies.I, bodies.r, bodies.p, bodies.Z
        p_E, r_G = bodies.p_E, bodies.r_G
        J_A = [self.columns(Z[j] if j <= i else 0 * Z[j] for j in range(1, N + 1)) for i in range(N + 1)]
        J_L = [
            self.columns(np.cross(Z[j], r[i] - p[j]) if j <= i else 0 * Z[j] for j in range(1, N + 1))
            for i in range(N + 1)
        ]
        J_LE = self.columns(np.cross(Z[j], p_E - p[j]) for j in range(1, N + 1))
        J_LG = sum(m[i] * J_L[i] for i in range(1, N + 1)) / w
        arm = range(1, N + 1)
        self.I_s = sum(I[i] + m[i] * D(r[i]) for i in arm) + I[0] - w * D(r_G)
        self.I_m = sum(I[i] @ J_A[i] + m[i] * cross_matrix(r[i]) @ J_L[i] for i in arm)
        self.I_m = self.I_m - w * cross_matrix(r_G) @ J_LG
        turning = np.linalg.solve(self.I_s, self.I_m)
        self.J = np.vstack([J_LE - J_LG + cross_matrix(p_E - r_G) @ turning, J_A[N] - turning])
        H = sum(J_A[i].T @ I[i] @ J_A[i] + m[i] * J_L[i].T @ J_L[i] for i in arm)
        self.H = H - w * J_LG.T @ J_LG - self.I_m.T @ turning
        self.base = np.vstack([-(J_LG + cross_matrix(r_G) @ turning), -turning])  # eq 4

    def columns(self, vectors) -> Array:
        return np.array(list(vectors)).T


@pytest.fixture(scope="module", params=["shipped", "general"])
def robot(request: pytest.FixtureRequest) -> rk.Robot:
    return rk.load("space_arm_6") if request.param == "shipped" else general_arm(N)


def test_the_papers_equations_are_our_laws(robot: rk.Robot) -> None:
    q, _, _ = random_state(robot, np.random.default_rng(1))
    paper = Paper(robot, q)
    pairs = (
        (paper.I_s, on_floats(robot, "locked_inertia", q)),
        (paper.I_m, on_floats(robot, "coupling_inertia", q)),
        (paper.J, on_floats(robot, "generalized_jacobian", q, frame="hand")),
        (paper.H, on_floats(robot, "generalized_inertia", q)),
    )
    for theirs, ours in pairs:
        assert np.abs(theirs - ours).max() < 1e-12 * np.abs(theirs).max()


def test_equation_4_moves_the_satellites_centre_of_mass() -> None:
    robot = rk.load("space_arm_6")  # whose satellite frame stands there
    q, v, _ = random_state(robot, np.random.default_rng(2))
    R = robot.pose(q, "satellite")[:3, :3]
    base = robot.space.base_motion(q, v[6:], np.zeros(6))
    ours = np.concatenate([R @ base[:3], R @ base[3:]])
    assert np.abs(Paper(robot, q).base @ v[6:] - ours).max() < 1e-13


def test_the_general_arm_takes_less_than_half_of_the_papers_operations() -> None:
    count = unified_operations(general_arm(6))
    paper = paper_total(6)
    assert (paper.mul, paper.add) == (3501, 3176)
    assert count.mul < paper.mul / 2
    assert count.add < paper.add / 2


def test_parts_of_the_unified_computation_add_up_and_torques_cost_little_once_the_rest_is_there() -> None:
    robot = general_arm(6)
    parts, whole = unified_parts(robot), unified_operations(robot)
    assert sum(x.mul for x in parts.values()) == whole.mul
    assert sum(x.add for x in parts.values()) == whole.add
    assert parts["D.K."].mul < paper_kinematics(6).mul / 2
    assert parts["I.D."].mul < paper_inverse_dynamics(6).mul / 4


def test_operations_grow_with_a_straight_line_and_stay_below_half_from_five_joints_on() -> None:
    counts = {n: unified_operations(general_arm(n)) for n in range(1, 13)}
    for part in ("mul", "add"):
        slope, start, worst = line_through({n: getattr(count, part) for n, count in counts.items()})
        assert worst < 25  # the first joint differs; nothing grows faster than the number of joints
        assert slope * 12 + start < getattr(paper_total(12), part) / 2
    assert all(2 * counts[n].mul < paper_total(n).mul for n in range(5, 13))


def test_a_customised_space_arm_takes_hardly_more_than_the_papers_arm_on_the_ground() -> None:
    count = unified_operations(rk.load("space_arm_6"))
    assert count.mul < 1.15 * GROUND_ARM.mul
    assert count.add < 1.15 * GROUND_ARM.add


def test_the_unified_program_gives_what_the_laws_give_one_by_one() -> None:
    robot = general_arm(3)
    rng = np.random.default_rng(3)
    q, v, a = random_state(robot, rng)
    target = np.array([0.3, -0.2, 0.5, 0.5, 0.5, -0.5, 0.5])
    twist, push, gains = rng.normal(size=6), rng.normal(size=6), np.array([3.0, 2.0])
    found = robot.space.unified_computation(q, v, target, twist, push, gains, a[6:], frame="hand")
    X = robot.pose(q, "hand")
    # the quaternion (1, 1, -1, 1)/2 takes x to z, y to -x, z to -y
    R = np.array([[0, -1.0, 0], [0, 0, -1], [1, 0, 0]])
    error = sum(np.cross(X[:3, k], R[:, k]) for k in range(3)) / 2
    pull = 3 * (twist - robot.velocity(q, v, "hand")) + 2 * np.concatenate([target[:3] - X[:3, 3], error])
    demand = push + pull - robot.space.generalized_jacobian_rate(q, v, "hand")
    assert np.allclose(found.pose, X, atol=1e-14)
    assert np.allclose(found.J, robot.space.generalized_jacobian(q, "hand"), atol=1e-13)
    assert np.allclose(found.demand, demand, atol=1e-12)
    assert np.allclose(found.tau, robot.space.floating_inverse_dynamics(q, v, a[6:]), atol=1e-12)


def test_general_arms_have_physical_links_none_of_them_special() -> None:
    robot = general_arm(4)
    assert robot.nv == 10
    for link in robot.links:
        values = [float(x) for x in (*link.inertia.position, *link.inertia.tensor)]
        assert all(values)
