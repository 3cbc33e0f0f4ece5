"""Arms with parallel, perpendicular and meeting axes: no configuration is lost, none is refused."""

import zlib

import numpy as np
import pytest
from test_all_configurations import random_arm, states

from benchmarks.structured_arms import outcomes, structured_arm
from rikigaku.inverse_kinematics.pose_continuation import PoseContinuation, displaced, parameters
from rikigaku.inverse_kinematics.serial_arm import SerialArm, serial_arm


@pytest.mark.parametrize("types", ["RRRPRP", "RRPPRR", "PRRRRR", "RRPRRP"])
def test_the_known_configuration_is_found_where_eliminations_vanish(types):
    seed = zlib.crc32(f"{types} 0".encode())
    arm = structured_arm(types, np.random.default_rng(seed))
    assert outcomes(arm, 10, seed) == {"found": 10}


def test_general_arms_have_sixteen_complex_configurations_and_all_real_ones_are_ends_of_paths():
    robot = random_arm(3, "RRRRRR")
    arm = serial_arm(robot, "l6", {})
    links = arm.links.copy()
    links[:, :3, 3] /= arm.reach
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


def test_parameters_give_their_real_and_complex_poses():
    rng = np.random.default_rng(0)
    T = displaced(rng.normal(size=(5, 6)) + 1j * rng.normal(size=(5, 6)))
    np.testing.assert_allclose(displaced(parameters(T)), T, atol=1e-12)
    special = np.array([[0.3, 0, 0, 1, 2, 3], [0.3, np.pi, 0, 1, 2, 3], [0, np.pi / 2, 0, 0, 0, 0]])
    T = displaced(special).real
    np.testing.assert_allclose(displaced(parameters(T)), T, atol=1e-12)
