"""Laws of free-floating robots: Pinocchio's free-flyer with its momentum imposed, and physics."""

from dataclasses import replace

import numpy as np
import pytest
from free_flyers import FreeFlyer, on_floats, places
from random_robots import random_robot, random_state
from random_satellites import random_satellite

import rikigaku as rk
from rikigaku.core.errors import NoFreeBase, WrongValue

Array = np.ndarray


def without_base_drive(robot: rk.Robot) -> rk.Robot:
    """The robot with friction and rotors in its arm alone."""
    bare = [
        replace(link, joint=rk.Joint(link.joint.name, "free")) if link.parent == robot.base else link
        for link in robot.links
    ]
    return replace(robot, links=tuple(bare))


TYPES = ("revolute", "prismatic", "universal", "spherical", "fixed")
# Random trees (branches, links in any order), random satellites (wheels, three arms), two shipped robots.
CASES = {
    **{f"tree {seed}": (random_robot(seed, 8, TYPES, base="free"), "tip") for seed in range(4)},
    "shuffled": (random_robot(11, 7, ("revolute", "prismatic"), base="free", shuffled=True), "tip"),
    "drives": (without_base_drive(random_robot(12, 6, TYPES, base="free", drives=True)), "tip"),
    **{f"satellite {seed}": (random_satellite(seed), f"hand{seed}") for seed in (1, 2, 3)},
    "arm": (rk.load("space_arm_6"), "hand"),
    "two arms": (rk.load("space_dual_arm"), "left_hand"),
}
CLOSE = 1e-10  # of the largest element; both engines lose 1e-14 in the solution with the base's inertia
every = pytest.mark.parametrize("name", CASES)


class Case:
    def __init__(self, name: str) -> None:
        self.robot, self.frame = CASES[name]
        rng = np.random.default_rng(5)
        self.q, self.v, self.a = random_state(self.robot, rng)
        self.theirs = FreeFlyer(self.robot, self.frame, self.q)
        self.base, self.arm = self.theirs.base, self.theirs.arm
        self.momentum = rng.normal(size=6)

    def ours(self, law: str, *inputs: Array, **options) -> Array:
        return on_floats(self.robot, law, *inputs, **options)


def agree(ours: Array, theirs: Array, tolerance: float = CLOSE) -> bool:
    assert ours.shape == theirs.shape
    scale = np.abs(theirs).max()
    assert np.abs(ours - theirs).max() <= tolerance * max(scale, 1e-3)
    return True


@every
def test_rates_times_the_generalized_jacobian_are_the_hand_of_a_free_flyer_without_momentum(
    name: str,
) -> None:
    case = Case(name)
    J = case.ours("generalized_jacobian", case.q, frame=case.frame)
    assert agree(J, case.theirs.jacobian() @ case.theirs.steady())


@every
def test_base_motion_gives_the_whole_its_momentum(name: str) -> None:
    case = Case(name)
    rates = case.v[case.arm]
    v = case.theirs.velocity(rates, case.momentum)
    assert agree(case.ours("base_motion", case.q, rates, case.momentum), v[case.base])
    assert agree(case.ours("floating_velocity", case.q, rates, case.momentum), v)
    assert agree(case.theirs.centroidal() @ v, case.momentum)


@every
def test_the_generalized_inertia_is_the_energy_without_momentum(name: str) -> None:
    case = Case(name)
    N = case.theirs.steady()
    assert agree(case.ours("generalized_inertia", case.q), N.T @ case.theirs.mass_matrix() @ N)


@every
def test_torques_are_those_of_a_free_flyer_whose_momentum_does_not_change(name: str) -> None:
    """At a velocity that carries momentum; no force acts on the base (f_0 = n_0 = 0)."""
    case = Case(name)
    a = case.theirs.acceleration(case.v, case.a[case.arm])
    tau = case.theirs.forces(case.v, a)
    # Pinocchio's own error: forces on the base are differences of larger ones
    assert np.abs(tau[case.base]).max() < 1e-10 * np.abs(tau).max() + 1e-9
    ours = case.ours("floating_inverse_dynamics", case.q, case.v, case.a[case.arm], friction=False)
    assert agree(ours, tau[case.arm])


@every
def test_the_frames_acceleration_without_joint_accelerations_is_a_free_flyers(name: str) -> None:
    case = Case(name)
    a = case.theirs.acceleration(case.v, np.zeros(len(case.arm)))
    ours = case.ours("generalized_jacobian_rate", case.q, case.v, frame=case.frame)
    assert agree(ours, case.theirs.hand_acceleration(case.v, a))


@every
def test_thrusters_enter_torques_and_accelerations(name: str) -> None:
    """A wrench on a frame changes the momentum, and acts on joints and hand."""
    case = Case(name)
    wrench = np.array([3.0, -2.0, 5.0, 1.0, 4.0, -1.0])
    robot, frame = case.robot, case.frame
    lever = robot.pose(case.q, frame)[:3, 3] - robot.center_of_mass(case.q)
    rate = np.concatenate([wrench[:3], wrench[3:] + np.cross(lever, wrench[:3])])
    a = case.theirs.acceleration(case.v, case.a[case.arm], rate)
    tau = case.theirs.forces(case.v, a) - case.theirs.jacobian().T @ wrench
    outer = {frame: wrench.tolist()}
    ours = case.ours(
        "floating_inverse_dynamics", case.q, case.v, case.a[case.arm], friction=False, wrenches=outer
    )
    assert agree(ours, tau[case.arm])
    still = case.theirs.acceleration(case.v, np.zeros(len(case.arm)), rate)
    found = case.ours("generalized_jacobian_rate", case.q, case.v, frame=frame, wrenches=outer)
    assert agree(found, case.theirs.hand_acceleration(case.v, still))


def test_friction_of_the_arm_is_added_to_its_torques() -> None:
    case = Case("drives")
    with_it, without = (
        case.ours("floating_inverse_dynamics", case.q, case.v, case.a[case.arm], friction=friction)
        for friction in (True, False)
    )
    joints = sorted(case.robot.joints, key=lambda joint: case.robot.v_slices[joint.name].start)
    felt = [(float(j.viscous), float(j.coulomb)) for j in joints for _ in range(j.nv)]
    viscous, coulomb = np.array(felt)[case.arm].T
    rates = case.v[case.arm]
    assert agree(with_it - without, viscous * rates + coulomb * np.sign(rates))


def test_a_base_with_friction_is_no_free_base() -> None:
    robot = random_robot(12, 6, TYPES, base="free", drives=True)
    with pytest.raises(WrongValue, match="friction or rotor inertia in the joint of its base"):
        robot.space.generalized_inertia  # noqa: B018 - a property


@every
def test_forward_dynamics_undo_the_torques(name: str) -> None:
    case = Case(name)
    a = case.theirs.acceleration(case.v, case.a[case.arm])
    tau = case.ours("floating_inverse_dynamics", case.q, case.v, case.a[case.arm], friction=False)
    found = case.ours("floating_forward_dynamics", case.q, case.v, tau, gravity=[0, 0, 0], friction=False)
    assert agree(found, a, 1e-8)  # the mass matrix of light wrists on a satellite: condition 1e6
    asked = np.zeros(case.robot.nv)
    asked[case.arm] = tau
    assert agree(case.theirs.forces(case.v, found), asked)  # to rounding: Pinocchio needs these very torques


@every
def test_torques_are_inertia_times_acceleration_and_the_coriolis_matrix_times_rates(name: str) -> None:
    case = Case(name)
    rates, asked = case.v[case.arm], case.a[case.arm]
    v = case.ours("floating_velocity", case.q, rates, np.zeros(6))
    tau = case.ours("floating_inverse_dynamics", case.q, v, asked, friction=False)
    H = case.ours("generalized_inertia", case.q)
    C = case.ours("generalized_coriolis", case.q, rates)
    assert agree(H @ asked + C @ rates, tau)
    assert agree(case.ours("inertial_torques", case.q, asked), H @ asked)


@every
def test_the_generalized_inertia_does_not_depend_on_the_base(name: str) -> None:
    case = Case(name)
    other = case.q.copy()
    base = next(link.joint.name for link in case.robot.links if link.parent == case.robot.base)
    other[case.robot.q_slices[base]] = [7, -3, 2, 0.5, 0.5, -0.5, 0.5]
    assert (case.ours("generalized_inertia", other) == case.ours("generalized_inertia", case.q)).all()
    for axes in ("base", "local"):
        first, second = (
            case.ours("generalized_jacobian", q, frame=case.frame, axes=axes) for q in (case.q, other)
        )
        assert (first == second).all()


@every
def test_locked_and_coupling_inertia_are_those_of_the_momentum(name: str) -> None:
    case = Case(name)
    A = case.theirs.centroidal()
    turning = A[3:, case.base[3:]]  # the base's angular directions, about the centre of mass
    assert np.abs(A[3:, case.base[:3]]).max() < 1e-9 * np.abs(turning).max()
    I_s = case.ours("locked_inertia", case.q)
    angular = case.theirs.jacobian()[3:, case.base[3:]]  # their axes in the world
    assert agree(I_s @ angular, turning)
    assert agree(case.ours("coupling_inertia", case.q), A[3:, case.arm])


def test_planar_bases_move_as_their_mass_matrix_says() -> None:
    robot = random_robot(5, 6, ("revolute", "prismatic"), base="planar")
    q, v, a = random_state(robot, np.random.default_rng(3))
    base, arm = places(robot)
    M, J = robot.mass_matrix(q), robot.jacobian(q, "tip")
    N = -np.linalg.solve(M[np.ix_(base, base)], M[np.ix_(base, arm)])
    assert agree(on_floats(robot, "generalized_jacobian", q, frame="tip"), J[:, arm] + J[:, base] @ N)
    assert agree(on_floats(robot, "generalized_inertia", q), M[np.ix_(arm, arm)] + M[np.ix_(arm, base)] @ N)
    h = robot.velocity_forces(q, v)
    own = np.linalg.solve(M[np.ix_(base, base)], -h[base] - M[np.ix_(base, arm)] @ a[arm])
    whole = np.zeros(robot.nv)
    whole[base], whole[arm] = own, a[arm]
    tau = robot.inverse_dynamics(q, v, whole, gravity=np.zeros(3), friction=False)
    assert agree(on_floats(robot, "floating_inverse_dynamics", q, v, a[arm], friction=False), tau[arm])
    still = whole.copy()
    still[arm] = 0
    still[base] = np.linalg.solve(M[np.ix_(base, base)], -h[base])
    found = on_floats(robot, "generalized_jacobian_rate", q, v, frame="tip")
    assert agree(found, robot.acceleration(q, v, still, "tip"))
    assert agree(on_floats(robot, "base_motion", q, v[arm], robot.momentum(q, v)), v[base])


def test_compiled_laws_take_batches_and_say_what_plain_numbers_say() -> None:
    robot = rk.load("space_arm_6")
    q, v, a = random_state(robot, np.random.default_rng(9), 5)
    arm = places(robot).arm
    J = robot.space.generalized_jacobian(q, "hand")
    tau = robot.space.floating_inverse_dynamics(q, v, a[:, arm])
    assert J.shape == (5, 6, 6)
    for k in range(5):
        assert agree(J[k], on_floats(robot, "generalized_jacobian", q[k], frame="hand"), 1e-13)
        assert agree(tau[k], on_floats(robot, "floating_inverse_dynamics", q[k], v[k], a[k, arm]), 1e-12)


def test_the_derivative_of_the_generalized_jacobian_times_velocity_is_its_rate() -> None:
    robot = rk.load("space_arm_6")
    q, v, _ = random_state(robot, np.random.default_rng(4))
    arm = places(robot).arm
    v = robot.space.floating_velocity(q, v[arm], np.zeros(6))
    dJ = robot.space.generalized_jacobian.derivative(q, frame="hand").q
    assert agree(dJ @ v @ v[arm], robot.space.generalized_jacobian_rate(q, v, "hand"))


def test_reaction_free_rates_leave_the_base_as_it_is_turned() -> None:
    robot = rk.load("space_dual_arm")
    q, v, _ = random_state(robot, np.random.default_rng(6))
    P = robot.space.reaction_projector(q)
    rates = P @ v[6:]
    assert np.abs(robot.space.base_motion(q, rates, np.zeros(6))[3:]).max() < 1e-12
    assert np.abs(P @ P - P).max() < 1e-12
    assert np.abs(P - P.T).max() < 1e-12
    assert np.trace(P) == pytest.approx(12)


def test_wheels_turn_the_base_and_leave_the_hand_where_angular_momentum_says() -> None:
    """A wheel spun up about z turns the satellite back by the ratio of the inertias."""
    robot = rk.load("space_dual_arm")
    q = robot.neutral()
    I_s = robot.space.locked_inertia(q)
    rates = np.zeros(15)
    rates[2] = 100.0
    turning = robot.space.base_motion(q, rates, np.zeros(6))[3:]
    assert agree(I_s @ turning, -np.array([0, 0, 0.225 * 100]))


def test_manipulability_is_the_product_of_singular_values() -> None:
    for name, frame, rows, velocity_indices in (
        ("space_arm_6", "hand", "all", range(6)),
        ("space_arm_6", "hand", "linear", range(3)),
        ("space_planar_2r", "hand", "xy", range(2)),
        ("space_dual_arm", "left_hand", "all", range(6)),
    ):
        robot = rk.load(name)
        q, _, _ = random_state(robot, np.random.default_rng(8))
        J = robot.space.generalized_jacobian(q, frame)[list(velocity_indices)]
        s = np.linalg.svd(J, compute_uv=False)
        assert robot.space.generalized_manipulability(q, frame, rows) == pytest.approx(np.prod(s), rel=1e-9)


def test_a_stretched_arm_is_dynamically_singular() -> None:
    robot = rk.load("space_planar_2r")
    q = np.array([0.3, 0.1, 0.4, 0.0, 0.0])
    assert robot.space.generalized_manipulability(q, "hand", "xy") < 1e-12
    with np.errstate(all="ignore"):
        rates = robot.space.resolved_rate(q, np.ones(6), np.zeros(6), "hand", "xy")
    assert np.isnan(rates).all()
    status = robot.space.resolved_rate.status(q, np.ones(6), np.zeros(6), "hand", "xy")
    assert "dynamically singular" in status


def test_robots_on_the_ground_are_sent_to_their_jacobian() -> None:
    with pytest.raises(NoFreeBase, match=r"robot\.jacobian") as error:
        rk.load("panda").space.generalized_jacobian  # noqa: B018 - a property
    assert error.value.roots == ("panda_link1",)
    with pytest.raises(NoFreeBase, match="2 links move on the ground"):
        on_floats(random_two_roots(), "generalized_inertia", [0.0, 0.0])


def random_two_roots() -> rk.Robot:
    inertia = rk.Inertia("com", 1, (0, 0, 0), (1, 0, 0, 1, 0, 1))
    links = [rk.Link(f"l{k}", "base", rk.Joint(f"j{k}"), rk.Placement(), inertia) for k in range(2)]
    return rk.Robot("two", tuple(links))


def test_too_few_joints_for_a_task_are_named_with_what_they_can_do() -> None:
    robot = rk.load("space_planar_2r")
    with pytest.raises(WrongValue, match="Rows it can serve: xy"):
        robot.space.resolved_rate(np.zeros(5), np.zeros(6), np.zeros(6), "hand")
    with pytest.raises(WrongValue, match="Known: world, local, base"):
        robot.space.generalized_jacobian(np.zeros(5), "hand", axes="spatial")
    with pytest.raises(WrongValue, match="no velocities are left over"):
        rk.load("space_target").space.reaction_projector(rk.load("space_target").neutral())


def test_space_laws_are_exported_with_words_for_their_inputs() -> None:
    robot = rk.load("space_arm_6")
    text = robot.space.resolved_acceleration.export("c", frame="hand")
    assert "target (7): position [m] and unit quaternion" in text
    assert "v (6): joint velocities [rad/s, m/s] of q1, q2" in robot.space.base_motion.export("c")


def test_laws_of_several_results_have_a_status_and_say_that_they_have_no_derivative() -> None:
    robot = rk.load("space_planar_2r")
    task = (np.array([1, 1, 0, 1, 0, 0, 0.0]), np.zeros(6), np.zeros(6), np.ones(2))
    straight, bent = np.zeros(5), np.array([0, 0, 0, 1.0, 1.0])
    both = np.stack([straight, bent])
    words = robot.space.resolved_acceleration.status(both, np.zeros(5), *task, frame="hand", rows="xy")
    assert "dynamically singular" in words[0]
    assert words[1] == "ok"
    with pytest.raises(WrongValue, match="several results"):
        robot.space.resolved_acceleration.derivative(bent, np.zeros(5), *task, frame="hand", rows="xy")


def test_formulas_of_the_planar_satellite_are_its_numbers() -> None:
    robot = rk.load("space_planar_2r")
    q = np.array([0.3, -0.2, 0.7, 0.4, -1.1])
    H = robot.space.generalized_inertia.symbolic
    assert {"I0", "m0", "m1", "m2", "b", "l1", "l2", "q1", "q2"} == H.names
    assert np.abs(H.value(q=q) - robot.space.generalized_inertia(q)).max() < 1e-12
    J = robot.space.generalized_jacobian.formulas("hand")
    assert np.abs(J.value(q=q) - robot.space.generalized_jacobian(q, "hand")).max() < 1e-13
    V = robot.space.base_motion.formulas()
    assert {"q1_dot", "momentum_1", "momentum_6"} <= V.names
