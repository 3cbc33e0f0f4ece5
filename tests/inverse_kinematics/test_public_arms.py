"""All configurations of public robots, of five to eight joints, against Pinocchio's kinematics."""

import sys
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from oracles.public_robots import Case

# file, frame, methods (None: any), dimension of the family of configurations at a pose
ARMS = [
    ("kinova_description/robots/kinova.urdf", "j2s6s200_link_6", ("formulas",), 0),
    ("so_arm_description/urdf/so101.urdf", "gripper_link", ("formulas", "elimination"), 0),  # as time allows
    ("xarm_description/urdf/xarm7.urdf", "link7", None, 1),
    ("tiago_description/robots/tiago_no_hand.urdf", "arm_7_link", None, 2),
]


@pytest.mark.filterwarnings("ignore::rikigaku.core.errors.UnphysicalInertiaWarning")
@pytest.mark.parametrize(("file", "frame", "methods", "dimension"), ARMS, ids=[Path(x[0]).stem for x in ARMS])
def test_configurations_reach_the_poses_that_pinocchio_computes(file, frame, methods, dimension):
    case = Case(file, False)
    robot, model, layout = case.robot, case.model, case.layout
    data, at = model.createData(), model.getFrameId(frame)

    def pose(q):
        pin.framesForwardKinematics(model, data, layout.q(q))
        return data.oMf[at].homogeneous

    q = robot.random_state(3, 12).q
    poses = np.array([pose(x) for x in q])
    found = robot.inverse_kinematics(poses, frame, q0=q[0], all=True)
    assert found.dimension == dimension
    assert methods is None or found.method in methods
    for k, T in enumerate(poses):
        own = found.q[k][found.success[k]]
        assert dimension or len(own)
        for x in own[::9] if dimension else own:
            np.testing.assert_allclose(pose(x), T, atol=1e-9)
        if not dimension:
            moving = [robot.q_slices[j.name].start for j in robot.joints if j.nq == 1]
            moves = [i for i in moving if np.abs(robot.jacobian(q[k], frame)[:, i]).max() > 0]
            gap = (found.q[k][found.success[k]] - q[k])[:, moves]
            gap -= 2 * np.pi * np.round(gap / (2 * np.pi))
            assert np.abs(gap).max(axis=1).min() < 1e-6  # the configuration the pose was computed from
    if dimension:
        assert found.success.any(axis=1).mean() > 0.8
