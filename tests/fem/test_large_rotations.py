"""The pieces of elastic motion in space: quaternions, ties, slopes of forces, rigid configurations."""

import numpy as np
import pytest
from closed_robots import shipped
from mechanisms import with_sections
from random_robots import random_robot
from scipy.spatial.transform import Rotation

from rikigaku.core.errors import CannotClose
from rikigaku.fem import quaternion_arrays as quaternions
from rikigaku.fem.flexible_configuration import joint_state, rigid_rates, rigid_state
from rikigaku.fem.flexible_forces import Beams

RNG = np.random.default_rng(0)
KINDS = ("revolute", "spherical", "universal", "prismatic")


def mesh(name, elements=4):
    """Beams of a robot: a shipped one, or a random tree."""
    if isinstance(name, int):
        robot = random_robot(name, 5, KINDS)
        q = robot.random_state(name).q
    else:
        robot = shipped(name)
        q = robot.closure().samples[0] if robot.loops else robot.random_state(0).q
    robot = with_sections(robot, EA=1e3, EI=2.0, kGA=500.0, GJ=1.5)
    return Beams(robot.fem().elastic(elements=elements, damping=(0.0, 0.1)).assembly(q))


def bent(beams, size=0.2):
    kinematics = beams.kinematics
    return kinematics.displaced(kinematics.undeformed, size * RNG.normal(size=(1, kinematics.size)))


def test_quaternions_turn_as_scipys_rotations():
    a, b = Rotation.from_rotvec(RNG.normal(size=(2, 7, 3)).reshape(-1, 3)), Rotation.random(14, rng=1)
    x, y = (quaternions.of_matrix(R.as_matrix()) for R in (a, b))
    assert quaternions.rotation(quaternions.product(x, y)) == pytest.approx((a * b).as_matrix(), abs=1e-14)
    assert quaternions.logarithm(x) == pytest.approx(a.as_rotvec(), abs=1e-14)
    assert quaternions.rotation(quaternions.exponential(b.as_rotvec())) == pytest.approx(
        b.as_matrix(), abs=1e-14
    )


@pytest.mark.parametrize("name", [0, 1, "five_bar", "stewart", "delta"])
def test_twists_and_their_bias_are_the_rates_of_places(name):
    beams = mesh(name)
    kinematics, state, h = beams.kinematics, bent(beams), 1e-6
    nu = RNG.normal(size=(1, kinematics.size))
    at = kinematics.node_poses(state)
    V, A = kinematics.twists_and_bias(at, nu)
    ahead, behind = (kinematics.node_poses(kinematics.displaced(state, s * h * nu)) for s in (1, -1))
    turned = quaternions.logarithm(quaternions.product(ahead.Q, quaternions.conjugate(behind.Q)))
    assert pytest.approx(np.concatenate([ahead.p - behind.p, turned], axis=-1) / (2 * h), abs=1e-8) == V
    rates = [kinematics.twists_and_bias(x, nu)[0] for x in (ahead, behind)]
    assert pytest.approx((rates[0] - rates[1]) / (2 * h), abs=1e-8) == A
    assert kinematics.jacobian.twists(kinematics.jacobian.values(at), nu) == pytest.approx(
        V[:, : beams.count], abs=1e-12
    )
    assert kinematics.difference(state, kinematics.displaced(state, 0.1 * nu)) == pytest.approx(
        0.1 * nu, abs=1e-12
    )


@pytest.mark.parametrize("name", [0, "five_bar", "stewart"])
def test_forces_are_slopes_of_the_energy_and_blocks_those_of_forces(name):
    beams = mesh(name, 2)
    kinematics, state, h = beams.kinematics, bent(beams), 1e-6
    still = np.zeros((1, kinematics.size))

    def forces(state):
        at = kinematics.node_poses(state)
        T = kinematics.jacobian.values(at)
        return at, T, beams.forces(at, T, still, still)

    at, T, f = forces(state)
    pushed = kinematics.jacobian.generalized_forces(T, f)[0]
    for _ in range(4):
        way = RNG.normal(size=(1, kinematics.size))
        sides = [kinematics.displaced(state, s * h * way) for s in (1, -1)]
        up, down = (beams.energies(kinematics.node_poses(x), still)[0, 1:].sum() for x in sides)
        assert pushed @ way[0] == pytest.approx((up - down) / (2 * h), abs=1e-6 * np.abs(pushed).max())
        # nodal forces change by the blocks between nodes times the turns and ways of nodes
        change = (forces(sides[0])[2] - forces(sides[1])[2])[0] / (2 * h)
        V = kinematics.jacobian.twists(T, way)[0]
        i, j = beams.assembler.pairs.T
        expected = np.zeros_like(change)
        np.add.at(expected, i, (beams.stiffness(at)[0][0] @ V[j][..., None])[..., 0])
        assert change == pytest.approx(expected, abs=1e-6 * np.abs(change).max())


@pytest.mark.parametrize("name", [0, 2, "five_bar", "stewart", "delta"])
def test_rigid_configurations_bend_nothing_and_joints_read_what_was_given(name):
    beams = mesh(name, 2)
    kinematics, robot = beams.kinematics, beams.assembly.grid.layout.robot
    q = beams.assembly.grid.q
    v = RNG.normal(size=robot.nv)
    if robot.loops:
        J = robot.loop_jacobian(q)
        v = v - np.linalg.pinv(J, rcond=1e-9) @ (J @ v)
        other = robot.closure().samples[1]
        with pytest.raises(CannotClose, match="pull the loops"):
            rigid_rates(kinematics, v + np.linalg.pinv(J, rcond=1e-9) @ np.ones(len(J)))
    else:
        other = robot.integrate(q, 0.5 * v)
    state = rigid_state(kinematics, other)
    at = kinematics.node_poses(state)
    energy = beams.energies(at, np.zeros((1, kinematics.size)))[0]
    assert energy[1] == pytest.approx(0, abs=1e-12)
    nu = rigid_rates(kinematics, v)
    read, rates = joint_state(
        kinematics, kinematics.undeformed, kinematics.node_poses(kinematics.undeformed), nu
    )
    assert rates[0] == pytest.approx(v, abs=1e-10)
    assert read[0] == pytest.approx(q, abs=1e-12)
    found = joint_state(kinematics, state, at, nu)[0][0]
    frames = [robot.poses(x) for x in (found, other)]
    assert frames[0] == pytest.approx(frames[1], abs=1e-7)
    kinetic = beams.energies(kinematics.node_poses(kinematics.undeformed), nu)[0, 0]
    S = beams.assembly.joint_rates.toarray()
    kinetic += 0.5 * (beams.assembly.rotors * (S @ nu[0]) ** 2).sum()
    assert kinetic == pytest.approx(0.5 * v @ robot.tree.mass_matrix(q) @ v, rel=1e-9)
