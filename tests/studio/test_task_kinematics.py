"""Branches, formulas and loops of tasks satisfy the pose and the closure that Pinocchio and geometry give."""

import numpy as np
import pytest
from task_robots import shipped

from rikigaku.studio.tasks.assembly_task import AssemblyRequest, assembly_modes
from rikigaku.studio.tasks.base_parameters_task import BaseParametersRequest, base_parameters
from rikigaku.studio.tasks.inverse_kinematics_task import (
    BranchesRequest,
    JointFormulasRequest,
    branches,
    joint_formulas,
)
from rikigaku.studio.tasks.loops_task import LoopsRequest, loops


def test_a_puma_has_eight_branches_with_one_pose():
    puma, q = shipped("puma560"), np.array([0.3, 0.5, 0.2, 0.4, 0.7, 0.1])
    found = branches(puma, BranchesRequest("hand", list(q), limits=False))
    assert len(found.positions) == 8
    assert found.method == "formulas"
    np.testing.assert_allclose(found.positions[0], q, atol=1e-9)  # the nearest comes first
    poses = puma.pose(np.array(found.positions), "hand")
    np.testing.assert_allclose(poses, np.broadcast_to(puma.pose(q, "hand"), poses.shape), atol=1e-12)


def test_branches_of_a_closed_robot_come_from_its_formulas():
    five = shipped("five_bar")
    q = five.assemble([0.3, 1.2])
    found = branches(five, BranchesRequest("hand", list(q), limits=False))
    assert len(found.positions) >= 2
    assert np.abs(five.loop_residual(np.array(found.positions))).max() < 1e-12
    places = five.pose(np.array(found.positions), "hand")[:, :3, 3]
    assert np.abs(places - five.pose(q, "hand")[:3, 3]).max() < 1e-12


def test_branches_out_of_the_limits_say_so():
    found = branches(shipped("scara"), BranchesRequest("", [0.3] * 4, limits=True))
    assert found.positions == []
    assert "limits" in found.problem


def test_formulas_of_a_puma_have_eight_branches_and_a_redundant_arm_says_what_is_missing():
    found = joint_formulas(shipped("puma560"), JointFormulasRequest("hand", 30.0))
    assert found.branches == 8
    assert found.steps[-1].left
    assert "given" in joint_formulas(shipped("panda"), JointFormulasRequest("", 30.0)).problem


def test_the_papers_robot_has_ten_base_parameters_and_its_tree_eleven():
    robot = shipped("rosam_loop")
    closed = base_parameters(robot, BaseParametersRequest("own", joint_parameters=False, tree=False))
    tree = base_parameters(robot, BaseParametersRequest("own", joint_parameters=False, tree=True))
    assert len(closed.parameters) == 10
    assert len(tree.parameters) == 11
    masses = next(one for one in closed.parameters if one.name == "m21")
    assert masses.members == ["m of l21", "m of l31", "m of l22"]
    assert masses.links == ["l21", "l31", "l22"]
    assert masses.value == pytest.approx(sum(robot.declared_values[f"m{k}"] for k in (21, 31, 22)))
    assert "m11" in closed.unobservable


def test_base_parameters_determine_the_joint_forces_of_a_puma():
    """The count is that of Gautier and Khalil; friction and rotors add three a joint at most."""
    found = base_parameters(
        shipped("puma560"), BaseParametersRequest("own", joint_parameters=False, tree=False)
    )
    assert len(found.parameters) == 36
    more = base_parameters(
        shipped("puma560"), BaseParametersRequest("own", joint_parameters=True, tree=False)
    )
    joint = [one for one in more.parameters if any(x.startswith(("viscous", "coulomb")) for x in one.members)]
    assert len(joint) == 12
    assert joint[0].links == ["link1"]


def test_loop_constraints_are_those_that_the_paper_prints():
    robot = shipped("rosam_loop")
    found = loops(robot, LoopsRequest([], 20.0))
    assert (found.mobility, found.equations) == (3, 2)
    printed = r"2 \, L \, \cos(\theta_{11} + \theta_{31})"
    printed += r" + d_{21} \, \sin(\theta_{11}) - d_{22} \, \sin(\theta_{12})"
    assert found.constraints[0].latex == printed
    root = r"4 \, L^{2} + d_{21}^{2} - 4 \, L \, d_{21} \, \sin(\theta_{31})"
    assert rf"d_{{22}} &= \pm\sqrt{{{root}}}" in found.explicit[0]


def test_singularity_of_loops_vanishes_where_the_forearms_are_in_line():
    five = shipped("five_bar")
    far = loops(five, LoopsRequest(list(five.assemble([0.3, 1.2])), 0.5))
    assert far.actuation_singularity is not None
    assert far.actuation_singularity > 1e-3


def test_assembly_modes_of_a_five_bar_share_their_motors():
    five = shipped("five_bar")
    found = np.array(assembly_modes(five, AssemblyRequest(list(five.assemble([0.3, 1.2])))).positions)
    assert len(found) == 2
    assert np.abs(five.loop_residual(found)).max() < 1e-12
    own = [five.q_slices[name].start for name in five.closure().independent]
    assert np.abs(found[:, own] - found[0, own]).max() < 1e-12
