"""Equalities of MJCF files: loops, gears and locked joints, as in MuJoCo."""

import numpy as np
import pytest
from mjcf_files import AXIS, EVERYTHING, FOUR_BAR, POINT, both, mistakes
from mujoco_reference import closed, equality_rows, null_projector, tree_law
from readers import parse_mjcf


def test_a_gear_holds_where_mujoco_says_the_joint_equality_holds() -> None:
    robot, model = both(EVERYTHING)
    q, _, _ = robot.random_state(4)
    residual, J = equality_rows(robot, model, q)
    assert tree_law(robot, "loop_residual", q) == pytest.approx(residual, abs=1e-15)
    assert tree_law(robot, "loop_jacobian", q) == pytest.approx(J, abs=1e-15)


@pytest.mark.parametrize(
    ("equality", "joint"),
    [
        (POINT, "spherical"),
        (AXIS, "revolute"),
        ('<weld body1="coupler" body2="rocker" anchor="0.1 0.2 0.3"/>', "fixed"),
        ('<weld body1="coupler" body2="rocker" anchor="0 0 .3" torquescale="0"/>', "spherical"),
        ('<weld body1="coupler" body2="rocker" relpose=".3 .01 .1 1 0 .5 0"/>', "fixed"),
    ],
)
def test_our_closed_configurations_are_closed_in_mujoco_and_move_alike(equality: str, joint: str) -> None:
    robot, model = both(FOUR_BAR.format(equality=equality))
    assert [loop.joint for loop in robot.loops] == [joint]
    q = closed(robot, np.array([0.3, 0.1, 0.2]))
    theirs, J = equality_rows(robot, model, q)
    if "relpose" in equality:  # it cannot be closed in the plane: the residuals differ by their units only
        assert np.abs(tree_law(robot, "loop_residual", q)).max() > 1e-3
    else:
        assert np.abs(tree_law(robot, "loop_residual", q)).max() < 1e-13
        assert np.abs(theirs).max() < 1e-12
    assert null_projector(tree_law(robot, "loop_jacobian", q)) == pytest.approx(null_projector(J), abs=1e-9)


def test_the_gap_of_a_connect_has_the_length_mujoco_gives_it_in_any_configuration() -> None:
    robot, model = both(FOUR_BAR.format(equality=POINT))
    for q in np.random.default_rng(1).uniform(-2, 2, (5, 3)):
        theirs, _ = equality_rows(robot, model, q)
        assert np.linalg.norm(tree_law(robot, "loop_residual", q)) == pytest.approx(
            np.linalg.norm(theirs), abs=1e-13
        )


def test_sites_close_a_loop_where_they_are_not_where_the_drawing_has_them() -> None:
    sites = FOUR_BAR.replace('<body name="rocker"', '<site name="t"/><body name="rocker"').replace(
        '<body name="coupler" pos=".2 0 0">',
        '<body name="coupler" pos=".2 0 0"><site name="s" pos=".4 0 .35"/>',
    )
    robot, model = both(sites.format(equality='<connect site1="s" site2="t"/>'))
    q = np.array([0.4, -0.3, 0.2])
    theirs, _ = equality_rows(robot, model, q)
    assert np.linalg.norm(tree_law(robot, "loop_residual", q)) == pytest.approx(
        np.linalg.norm(theirs), abs=1e-13
    )


def test_a_joint_held_by_an_equality_is_locked_there() -> None:
    robot = parse_mjcf(FOUR_BAR.format(equality='<joint joint1="b" polycoef="0.25"/>'))
    assert [joint.name for joint in robot.joints] == ["a", "c"]
    free = parse_mjcf(FOUR_BAR.format(equality=""))
    assert tree_law(robot, "pose", np.array([0.1, 0.2]), frame="coupler") == pytest.approx(
        tree_law(free, "pose", np.array([0.1, 0.25, 0.2]), frame="coupler"), abs=1e-15
    )


def test_nonlinear_gears_and_tendon_equalities_are_refused_with_the_reason() -> None:
    curved = '<joint name="cam" joint1="b" joint2="a" polycoef="0 1 0.5 0 0"/>'
    assert "polycoef has the higher terms [0.5, 0.0, 0.0]; a gear is linear" in mistakes(
        FOUR_BAR.format(equality=curved)
    )
    assert "<tendon>: is not read; connect, weld and joint are" in mistakes(
        FOUR_BAR.format(equality='<tendon tendon1="t"/>')
    )
    assert "Did you mean 'crank'" in mistakes(
        FOUR_BAR.format(equality='<connect body1="krank" anchor="0 0 0"/>')
    )
