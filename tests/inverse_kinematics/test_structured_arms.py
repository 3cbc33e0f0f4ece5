"""Arms with parallel, perpendicular and meeting axes: no configuration is lost, none is refused."""

import zlib

import numpy as np
import pytest
from test_all_configurations import random_arm, states

from benchmarks.inverse_kinematics_arms import arms
from benchmarks.structured_arms import outcomes, structured_arm
from rikigaku.inverse_kinematics.pose_continuation import PoseContinuation, displaced, parameters
from rikigaku.inverse_kinematics.serial_arm import SerialArm, serial_arm


def scaled_links(arm):
    links = arm.links.copy()
    links[:, :3, 3] /= arm.reach
    return links


@pytest.mark.parametrize("types", ["RRRPRP", "RRPPRR", "PRRRRR", "RRPRRP"])
def test_the_known_configuration_is_found_where_eliminations_vanish(types):
    seed = zlib.crc32(f"{types} 0".encode())
    arm = structured_arm(types, np.random.default_rng(seed))
    assert outcomes(arm, 10, seed) == {"found": 10}


def test_general_arms_have_sixteen_complex_configurations_and_all_real_ones_are_ends_of_paths():
    robot = random_arm(3, "RRRRRR")
    arm = serial_arm(robot, "l6", {})
    links = scaled_links(arm)
    q = states(robot, 4, 5)
    with np.errstate(all="ignore"):
        paths = PoseContinuation(links, arm.revolute)
        assert len(paths.q) == 16  # [Primrose1986]
        ends = paths.ends(SerialArm(links, arm.revolute, arm.coordinates).pose(q), list(links))
    assert not ends.unclear.any()
    real = np.abs(ends.q.imag).max(axis=1) < 1e-9
    found = robot.inverse_kinematics(robot.pose(q, "l6"), "l6", all=True, limits=False)
    for k in range(len(q)):
        own = ends.q[real & (ends.pose == k)].real
        assert len(own) == (found.multiplicity[k] > 0).sum()  # by elimination
        gap = own - q[k]
        assert np.abs(gap - 2 * np.pi * np.round(gap / (2 * np.pi))).max(axis=1).min() < 1e-8


def test_a_nearly_degenerate_arm_has_sixteen_complex_configurations_too():
    """Some are near infinity: random configurations with small imaginary parts found 14."""
    robot = next(robot for name, robot, _ in arms() if name == "PiPER (lengths), calibrated")
    arm = serial_arm(robot, "l6", {})
    with np.errstate(all="ignore"):
        assert len(PoseContinuation(scaled_links(arm), arm.revolute).q) == 16


def test_a_configuration_that_no_path_reaches_adds_its_path():
    robot = random_arm(77, "RRRRRR")
    arm = serial_arm(robot, "l6", {})
    links = scaled_links(arm)
    q = states(robot, 1, 5)[0]
    pose = SerialArm(links, arm.revolute, arm.coordinates).pose(q[None])
    with np.errstate(all="ignore"):
        paths = PoseContinuation(links, arm.revolute)
        ends = paths.ends(pose, list(links)).q
        gap = np.where(arm.revolute, np.exp(1j * ends) - np.exp(1j * q), ends - q)
        whole, own = paths.q, int(np.abs(gap).max(axis=1).argmin())
        paths.q = np.delete(whole, own, axis=0)
        assert paths.extend(q[None], pose, list(links))
        assert len(paths.q) == len(whole)
        ends = paths.ends(pose, list(links)).q
    assert np.abs(np.exp(1j * ends) - np.exp(1j * q)).max(axis=1).min() < 1e-8


def test_parameters_give_their_real_and_complex_poses():
    rng = np.random.default_rng(0)
    T = displaced(rng.normal(size=(5, 6)) + 1j * rng.normal(size=(5, 6)))
    np.testing.assert_allclose(displaced(parameters(T)), T, atol=1e-12)
    special = np.array([[0.3, 0, 0, 1, 2, 3], [0.3, np.pi, 0, 1, 2, 3], [0, np.pi / 2, 0, 0, 0, 0]])
    T = displaced(special).real
    np.testing.assert_allclose(displaced(parameters(T)), T, atol=1e-12)
