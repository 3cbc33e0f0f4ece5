"""Numbers of configurations against other computations; multiplicities, families, compiled closed forms."""

from dataclasses import replace

import mpmath
import numpy as np
import pytest
from test_all_configurations import JACO, gaps, modified_dh_arm, random_arm, states

import rikigaku as rk
from benchmarks.exact_counts import real_zeros
from rikigaku.core import disk_cache
from rikigaku.core.errors import NotSolvable, WrongValue
from rikigaku.inverse_kinematics.cut_choice import chosen_cuts
from rikigaku.inverse_kinematics.exact_solver import exact_solver
from rikigaku.inverse_kinematics.serial_arm import serial_arm

DEGREE = np.pi / 180


def standard_dh_arm(name, rows):
    """rows: a, d, alpha after the joint's rotation."""
    links, alpha, a = [], 0.0, 0.0
    for k, (length, d, twist) in enumerate(rows):
        geometry = rk.ModifiedDH(alpha=alpha, a=a, d=d)
        links.append(rk.Link(f"l{k + 1}", f"l{k}" if k else "base", rk.Joint(f"q{k + 1}"), geometry))
        alpha, a = twist, length
    tool = rk.Frame("tool", "l6", rk.ModifiedDH(alpha=alpha, a=a))
    return rk.Robot(name, tuple(links), frames=(tool,))


def test_the_arm_of_manseur_and_doty_has_sixteen_configurations():
    # R. Manseur, K. Doty, A robot manipulator with 16 real inverse kinematic solution sets, 1989
    rows = [
        (0.3, 0, np.pi / 2), (1, 0, DEGREE), (0, 0.2, np.pi / 2),
        (1.5, 0, DEGREE), (0, 0, np.pi / 2), (0, 0, DEGREE),
    ]  # fmt: skip
    arm = standard_dh_arm("manseur_doty", rows)
    pose = np.array([
        [-0.760117, -0.641689, 0.102262, -1.140165],
        [0.133333, 0, 0.991071, 0],
        [-0.635959, 0.766965, 0.085558, 0],
        [0, 0, 0, 1],
    ])  # fmt: skip
    U, _, Vt = np.linalg.svd(pose[:3, :3])  # printed with six digits
    pose[:3, :3] = U @ Vt
    found = arm.inverse_kinematics(pose, "tool", all=True)
    assert found.method == "elimination"
    assert len(found) == 16
    np.testing.assert_allclose(arm.pose(found.q, "tool"), np.broadcast_to(pose, (16, 4, 4)), atol=1e-13)
    own = serial_arm(arm, "tool", {})
    cut = exact_solver(arm, "tool", {}, ()).general.solvers[0].cut
    assert real_zeros(own, pose, cut)[0] == 16  # in arithmetic of 256 bits
    distances = np.abs(np.exp(1j * found.q[:, None]) - np.exp(1j * found.q[None])).max(axis=2)
    assert (distances + np.eye(16)).min() > 0.01
    check_in_long_arithmetic(rows, pose, found.q)


def check_in_long_arithmetic(rows, pose, configurations):
    """Each configuration continues to a zero of the textbook's equations in 256 bits, in mpmath.

    The arm and pose are quoted without a print at hand. That they have 16 real configurations is shown here
    without our kinematics; there are never more than 16 [Primrose1986].
    """
    with mpmath.workprec(256):
        wanted = mpmath.matrix(pose.tolist())

        def residual(*q):
            X = mpmath.eye(4)
            for x, (a, d, twist) in zip(q, rows, strict=True):  # standard Denavit-Hartenberg matrices
                c, s, C, S = mpmath.cos(x), mpmath.sin(x), mpmath.cos(twist), mpmath.sin(twist)
                X = X * mpmath.matrix([
                    [c, -s * C, s * S, a * c], [s, c * C, -c * S, a * s], [0, S, C, d], [0, 0, 0, 1],
                ])  # fmt: skip
            turned = X[:3, :3].T * wanted[:3, :3]
            skew = [turned[2, 1] - turned[1, 2], turned[0, 2] - turned[2, 0], turned[1, 0] - turned[0, 1]]
            return [*(X[k, 3] - wanted[k, 3] for k in range(3)), *skew]

        h = mpmath.mpf(10) ** -30
        for q in configurations:
            x = [mpmath.mpf(float(y)) for y in q]
            e = residual(*x)
            columns = [residual(*(y + h * (j == k) for j, y in enumerate(x))) for k in range(6)]
            J = np.array(
                [[float((b - a) / h) for a, b in zip(e, column, strict=True)] for column in columns]
            ).T
            inverse = np.linalg.inv(J)
            for _ in range(7):  # with a constant inverse each step gains some 12 digits
                e = residual(*x)
                steps = [sum(float(w) * y for w, y in zip(row, e, strict=True)) for row in inverse]
                x = [y - step for y, step in zip(x, steps, strict=True)]
            assert max(map(abs, residual(*x))) < mpmath.mpf(10) ** -60
            assert max(abs(y - float(z)) for y, z in zip(x, q, strict=True)) < 1e-11


@pytest.mark.parametrize(
    "robot",
    [
        random_arm(1, "RRRRRR"),
        random_arm(2, "RRRRRR"),
        modified_dh_arm("jaco", JACO),
        random_arm(3, "RRPRRR"),
    ],
    ids=["random1", "random2", "jaco", "prismatic"],
)
def test_the_number_of_configurations_is_that_of_arithmetic_with_256_bits(robot):
    poses = robot.pose(states(robot, 25, seed=11), "l6")
    found = robot.inverse_kinematics(poses, "l6", all=True)
    solver = exact_solver(robot, "l6", {}, ())
    for k, T in enumerate(poses):
        count, gap = real_zeros(solver.arm, T, solver.general.solvers[0].cut)
        if gap > 1e-6:
            assert (found.multiplicity[k] > 0).sum() == count
            assert found.multiplicity[k].max() == 1


def test_two_solutions_that_meet_are_one_of_multiplicity_two():
    # q3 = 0 stretches two parallel links: the elbow's two solutions meet there
    rows = [
        (0, 0, 0.3),
        (np.pi / 2, 0.05, 0.1),
        (0, 0.5, 0),
        (np.pi / 2, 0.4, 0.2),
        (0.7, 0.1, 0.1),
        (1.1, 0, 0.2),
    ]
    arm = modified_dh_arm("general", rows)
    rng = np.random.default_rng(2)
    lower, upper, q = rng.uniform(-1, 1, 6), rng.uniform(-1, 1, 6), None
    sign = np.sign([np.linalg.det(arm.jacobian(x, "l6")) for x in (lower, upper)])
    while sign[0] == sign[1]:
        upper = rng.uniform(-2, 2, 6)
        sign[1] = np.sign(np.linalg.det(arm.jacobian(upper, "l6")))
    for _ in range(60):  # a singular configuration by bisection of det J
        q = (lower + upper) / 2
        if np.sign(np.linalg.det(arm.jacobian(q, "l6"))) == sign[0]:
            lower = q
        else:
            upper = q
    found = arm.inverse_kinematics(arm.pose(q, "l6"), "l6", all=True, limits=False)
    at = np.nanargmin(np.abs(np.exp(1j * found.q) - np.exp(1j * q)).max(axis=1))
    np.testing.assert_allclose(np.exp(1j * found.q[at]), np.exp(1j * q), atol=1e-5)
    assert found.multiplicity[at] == 2
    assert found.family[at] == 0
    assert found.multiplicity.sum() % 2 == 0


def test_simple_solutions_have_multiplicity_one():
    for robot in (random_arm(1, "RRRRRR"), modified_dh_arm("jaco", JACO)):
        found = robot.inverse_kinematics(robot.pose(states(robot, 300), "l6"), "l6", all=True)
        assert set(np.unique(found.multiplicity)) == {0, 1}
        assert not found.family.any()


def test_a_wrist_in_line_gives_a_family():
    puma = rk.load("puma560")
    q = np.array([0.3, -0.4, 0.5, 0.6, 0.0, 0.2])
    found = puma.inverse_kinematics(puma.pose(q, "hand"), "hand", all=True, limits=False)
    members = found.family > 0
    assert members.any()
    assert (found.family[members] == 1).all()
    assert "family of dimension 1" in str(found.message)
    np.testing.assert_allclose(found.q[members][:, 4], 0, atol=1e-7)
    isolated = found.success & ~members
    assert isolated.any()  # other elbows and shoulders have their wrist out of line
    assert (found.multiplicity[isolated] == 1).all()


@pytest.mark.parametrize("name", ["puma560", "ur5", "scara", "stanford"])
def test_compiled_closed_forms_are_those_of_the_formulas(name):
    robot = rk.load(name)
    q = robot.random_state(1, 60).q
    poses = robot.pose(q, "hand")
    found = robot.inverse_kinematics(poses, "hand", all=True, limits=False)
    assert found.method == "formulas"
    assert gaps(found.q, q).max() < 1e-6
    slow = robot.inverse_kinematics_formulas("hand").solve(poses)
    # every branch of the formulas is among the compiled ones and conversely
    assert (found.success.sum(axis=1) == slow.valid.sum(axis=1)).all()
    for k in range(len(q)):
        d = found.q[k][found.success[k]][:, None] - slow.q[k][slow.valid[k]]
        d = np.where([j.type == "revolute" for j in robot.joints], d - 2 * np.pi * np.round(d / 2 / np.pi), d)
        assert np.abs(d).max(axis=2).min(axis=1).max() < 1e-6
    alone = robot.inverse_kinematics(poses[7], "hand", all=True, limits=False)
    np.testing.assert_array_equal(alone.q, found.q[7])


def test_a_given_joint_enters_the_compiled_closed_form():
    panda = rk.load("panda")
    q = panda.random_state(2, 40).q
    poses = panda.pose(q, "hand")
    found = panda.inverse_kinematics(poses, "hand", all=True, given={"panda_joint7": q[:, 6]})
    assert found.method == "formulas"
    assert gaps(found.q, q).max() < 1e-7


def test_a_rotation_matrix_with_small_errors_is_corrected():
    robot = random_arm(1, "RRRRRR")
    q = states(robot, 3)
    poses = robot.pose(q, "l6")
    poses[:, :3, :3] += 3e-7 * np.random.default_rng(0).uniform(-1, 1, (3, 3, 3))
    found = robot.inverse_kinematics(poses, "l6", all=True)
    assert gaps(found.q, q).max() < 1e-4
    poses[1, :3, :3] *= 1.001
    with pytest.raises(WrongValue, match=r"the 1-th of 3\) is no pose.*off by 0.002"):
        robot.inverse_kinematics(poses, "l6", all=True)
    mirror = np.diag([1.0, 1.0, -1.0, 1.0])
    with pytest.raises(WrongValue, match="is no pose"):
        robot.inverse_kinematics(mirror, "l6")


def test_a_frame_that_no_free_joint_moves_has_no_configuration_to_solve_for():
    robot = random_arm(1, "RRRRRR")
    with pytest.raises(NotSolvable, match="All joints that move frame 'l1' were given"):
        robot.inverse_kinematics(np.eye(4), "l1", all=True, given={"q1": 0.1})
    found = robot.inverse_kinematics(np.eye(4), "base")
    assert found.success
    assert "where it is" not in str(found.message)
    elsewhere = robot.inverse_kinematics(np.eye(4) + np.eye(4, k=3), "base")
    assert not elsewhere.success
    assert "No joint moves frame 'base'" in str(elsewhere.message)


def test_angles_are_moved_by_revolutions_into_their_limits():
    robot = random_arm(1, "RRRRRR")
    limits = rk.Limits(lower=2.0, upper=2.0 + 2 * np.pi)
    shifted = replace(
        robot, links=tuple(replace(link, joint=replace(link.joint, limits=limits)) for link in robot.links)
    )
    q = 2 + 2 * np.pi * np.random.default_rng(3).uniform(0, 1, (30, 6))
    poses = shifted.pose(q, "l6")
    found = shifted.inverse_kinematics(poses, "l6", all=True)
    good = found.multiplicity > 0
    assert found.success[good].all()
    assert (found.q[good] >= 2).all()
    assert (found.q[good] <= 2 + 2 * np.pi).all()
    assert gaps(found.q, q).max() < 1e-7
    near = shifted.inverse_kinematics(poses, "l6", q0=q[0])
    assert np.abs(near.q[0] - q[0]).max() < 1e-7


def test_the_choice_of_cuts_is_read_from_disk(monkeypatch):
    arm = serial_arm(random_arm(21, "RRRRRR"), "l6", {})
    first = chosen_cuts(arm)
    if disk_cache.directory() is None:
        pytest.skip("the cache is off")
    monkeypatch.setattr("rikigaku.inverse_kinematics.cut_choice._measured_cuts", lambda arm: 1 / 0)
    again = chosen_cuts(arm)
    assert [cut.cut for cut in again] == [cut.cut for cut in first]
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a.basis, b.basis)
