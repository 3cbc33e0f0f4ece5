"""Mobility, redundant equations and independent coordinates; linkages that move though they should not."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from closed_robots import random_closed, shipped

import rikigaku as rk
from rikigaku.closure.rank_sampling import chosen_rank
from rikigaku.core.errors import NoValue, WrongSize, WrongValue
from rikigaku.model.geometry import ModifiedDH, Placement
from rikigaku.model.joints.joint_types import CUT_JOINTS
from rikigaku.model.robot_model import Link, Loop, LoopEnd
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot

MOBILITY = {"four_bar": 1, "five_bar": 2, "three_rrr": 3, "stewart": 6, "slider_crank": 1, "delta": 3}


def F(x: object) -> Formula:
    return Formula.of(str(x))


def bob() -> rk.Inertia:
    return rk.Inertia(
        "com", F(1), (F("0.1"), F(0), F(0)), (F("0.01"), F(0), F(0), F("0.02"), F(0), F("0.02"))
    )


def bennett(short: str = "1/2") -> Robot:
    """Four hinges, opposite bars alike: bars of 1 m twisted by 90 degrees, of 1/2 m by 30 degrees."""
    inertia = rk.Inertia(
        "com", F(1), (F("0.3"), F("0.1"), F("0.2")), (F("0.02"), F(0), F(0), F("0.03"), F(0), F("0.04"))
    )
    shapes = (ModifiedDH(), ModifiedDH(alpha=F("pi/2"), a=F(1)), ModifiedDH(alpha=F("pi/6"), a=F(short)))
    links = tuple(
        Link(
            f"bar{k}", f"bar{k - 1}" if k else "base", rk.Joint(f"hinge{k}", actuated=k == 0), shape, inertia
        )
        for k, shape in enumerate(shapes)
    )
    cut = Loop(
        "cut",
        "revolute",
        LoopEnd("bar2", ModifiedDH(alpha=F("pi/2"), a=F(1))),
        LoopEnd("base", ModifiedDH(alpha=F("-pi/6"), a=F(f"-({short})"))),
    )
    return Robot("bennett", links, loops=(cut,))


@pytest.mark.parametrize("name", MOBILITY)
def test_mobility_is_the_published_one(name: str) -> None:
    plan = shipped(name).closure()
    assert plan.mobility == MOBILITY[name]
    assert plan.mobility + len(plan.equations) == shipped(name).nv
    assert len(plan.equations) + plan.redundancy == len(shipped(name).loop_rows())


def test_a_bennett_linkage_moves_with_three_redundant_equations() -> None:
    robot = bennett()
    plan = robot.closure()
    assert (plan.mobility, plan.redundancy, plan.actuated) == (1, 3, ("hinge0",))
    q = robot.assemble(np.linspace(0.3, 2.8, 40)[:, None], path=True)
    assert np.abs(robot.loop_residual(q)).max() < 1e-13
    # Bennett's own relation between neighbouring angles: tan(x/2) tan(y/2) is constant up to sign
    product = np.tan(q[:, 0] / 2) * np.tan(q[:, 1] / 2)
    assert (
        np.ptp(np.abs(product)) < 1e-12 or np.ptp(np.abs(np.tan(q[:, 0] / 2) / np.tan(q[:, 1] / 2))) < 1e-12
    )
    v, a = robot.complete(q, np.ones(1), np.zeros(1))
    assert np.abs(np.einsum("kij,kj->ki", robot.loop_jacobian(q), v)).max() < 1e-12
    tau = robot.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(robot.forward_dynamics(q, v, tau), a, atol=1e-10)


def test_a_linkage_whose_lengths_do_not_fit_is_rigid() -> None:
    assert bennett("0.4").closure().mobility == 0


def tilted(tilt: str) -> Robot:
    """A four-bar in space whose rocker's axis is a little off: as a file with rounded angles has it."""
    four = shipped("four_bar")
    links = tuple(
        replace(link, joint=replace(link.joint, axis=(F(tilt), F(0), F(1))))
        if link.name == "rocker"
        else link
        for link in four.links
    )
    return replace(four, name=f"tilted by {tilt}", links=links)


@pytest.mark.parametrize("tilt", ["0.000000001", "0.0000001"])
def test_redundant_equations_hold_as_far_as_rounded_numbers_fit(tilt: str) -> None:
    plan = tilted(tilt).closure()
    exact = shipped("four_bar").closure()
    assert (plan.mobility, plan.equations) == (exact.mobility, exact.equations)
    assert exact.slack == 0
    assert 0.1 * float(F(tilt)) < plan.slack < 10 * float(F(tilt))
    assert "rounded numbers in the file" in repr(plan)
    robot = plan.robot
    counted = list(plan.structure.equations)
    q = robot.assemble(np.linspace(0.3, 6, 20)[:, None], path=True)
    assert np.abs(robot.loop_residual(q)[:, counted]).max() < 1e-13
    assert robot.assembly_mode(q[3]).closed
    swing = rk.simulate(robot, q[0], duration=1.0)
    assert np.abs(robot.loop_residual(swing.q)[:, counted]).max() < 1e-13
    assert swing.residual.max() < 10 * plan.slack
    assert swing.energy_audit().relative < 1e-8


def test_a_linkage_that_is_off_by_more_does_not_close() -> None:
    with pytest.raises(rk.errors.CannotClose, match="no configuration closes"):
        tilted("0.001").closure()


@pytest.mark.parametrize("joint", CUT_JOINTS)
def test_random_trees_with_every_cut_joint_are_completed(joint: str) -> None:
    robot, q = random_closed(3, joint, 5)
    plan = robot.closure()
    rng = np.random.default_rng(0)
    v, a = robot.complete(q, *rng.normal(size=(2, plan.mobility)))
    J = robot.loop_jacobian(q)
    assert np.abs(J @ v).max() < 1e-9 * np.abs(v).max()
    assert np.abs(J @ a + robot.loop_bias(q, v)).max() < 1e-9 * max(np.abs(a).max(), 1)
    tau = rng.normal(size=robot.nv)
    forward = robot.loop_dynamics(q, v, tau, friction=False)
    left = (
        robot.tree.mass_matrix(q) @ forward + robot.tree.inverse_dynamics(q, v, 0 * v, friction=False) - tau
    )
    f = np.linalg.lstsq(J.T, left, rcond=None)[0]
    assert np.abs(J.T @ f - left).max() < 1e-8 * np.abs(left).max()  # nothing but forces of the loops
    assert np.abs(J @ forward + robot.loop_bias(q, v)).max() < 1e-8 * max(np.abs(forward).max(), 1)


def test_gears_alone_have_a_plan_and_reduced_laws() -> None:
    arm = rk.load("planar_2r").bind(l1=0.5, l2=0.4, m1=1, m2=1)
    first, second = (joint.name for joint in arm.joints)
    geared = replace(arm, couplings=(rk.Coupling(second, first, F(-2), F("0.1")),))
    plan = geared.closure()
    assert plan.mobility == 1
    q = np.array([0.3, -0.5])
    own = plan.structure.independent[0]
    ratio = np.array([1.0, -2.0]) / (1.0 if own == 0 else -2.0)
    M = ratio @ arm.mass_matrix(q) @ ratio
    np.testing.assert_allclose(geared.reduced.mass_matrix(q), [[M]], rtol=1e-12)
    assert geared.inverse_dynamics(q, 0 * q, 0 * q).shape == (2,)  # without loops the laws are the tree's


def test_what_the_robot_names_as_independent_is_checked() -> None:
    five = shipped("five_bar")
    with pytest.raises(WrongSize, match="mobility 2"):
        replace(five, independent=("left_motor",)).closure()
    with pytest.raises(WrongValue, match="no loops"):
        rk.load("planar_2r").closure()
    carried = rk.load("rosam_loop")
    stuck = replace(carried, independent=("theta12", "d22", "theta31"))
    assert stuck.closure().mobility == 3


def test_independent_coordinates_are_chosen_among_the_actuators() -> None:
    # the delta also closes in a way that has one freedom more: most ways have three
    for name in ("four_bar", "five_bar", "three_rrr", "stewart", "delta"):
        robot = replace(shipped(name), independent=())
        assert set(robot.closure().independent) == set(robot.closure().actuated)


def test_the_rank_is_that_of_the_named_joints_else_the_neutral_configuration_else_the_actuators() -> None:
    free = replace(shipped("five_bar"), independent=())  # four coordinates, two actuators
    named = replace(free, independent=("left_motor",))
    for ranks, robot, at_home, meant in (
        ([3, 2, 3], free, True, 3),  # so the neutral configuration closes
        ([3, 2, 3], free, False, 2),  # as many freedoms as actuators
        ([3, 1, 1], free, False, 3),  # the nearest
        ([4, 4, 3], free, True, 3),  # rank 4 cannot move
        ([2, 2, 3], named, True, 3),  # one independent coordinate is named
        ([2, 2, 2], named, False, 2),
        ([4, 4, 4], free, False, 4),
    ):
        assert chosen_rank(robot, np.array(ranks), at_home) == meant


def test_too_few_actuators_are_reported() -> None:
    five = shipped("five_bar")
    links = tuple(replace(link, joint=replace(link.joint, actuated=False)) for link in five.links)
    limp = replace(five, links=links)
    with pytest.raises(NoValue, match=r"mobility 2 and 0 actuated .* left_motor, .*right_elbow can"):
        limp.inverse_dynamics  # noqa: B018 - the access is what refuses
    q = limp.assemble([1.2, 1.8])
    fall = limp.loop_dynamics(q, np.zeros(4), np.zeros(4))
    assert np.array_equal(limp.forward_dynamics(q, np.zeros(4), np.zeros(0)), fall)
    assert limp.reduced.inverse_dynamics(limp.assemble([1.2, 1.8]), np.ones(2), np.ones(2)).shape == (2,)


def test_actuators_suffice_by_the_freedoms_they_determine_not_by_their_number() -> None:
    four = shipped("four_bar")
    hung = Link("load", "rocker", rk.Joint("hook", actuated=False), Placement((F("0.1"), F(0), F(0))), bob())
    joints = {"crank": True, "coupler": True}  # two actuators in one loop, none at the hook
    links = tuple(
        replace(link, joint=replace(link.joint, actuated=link.name in joints)) for link in four.links
    )
    robot = replace(four, name="hoist", links=(*links, hung), independent=())
    plan = robot.closure()
    assert (plan.mobility, len(plan.actuated), plan.actuated_freedoms, plan.actuation_redundancy) == (
        2,
        2,
        1,
        1,
    )
    assert plan.unactuated == ("hook",)
    assert "unactuated:  hook" in repr(plan)
    q = robot.assemble({"crank_angle": 0.5, "hook": 0.2})
    assert robot.singularity(q).actuation == 0.0
    refused = "which determine 1: .* With all actuators locked hook can still move"
    with pytest.raises(NoValue, match=refused):
        robot.inverse_dynamics  # noqa: B018 - the access is what refuses
    with pytest.raises(NoValue, match=refused):
        robot.actuation_forces(q, np.zeros(4), np.zeros(4))
    # other actuated joints: the crank and the hook
    moved = tuple(
        replace(link, joint=replace(link.joint, actuated=link.name in ("crank", "load")))
        for link in robot.links
    )
    able = replace(robot, links=moved)
    assert able.closure().unactuated == ()
    assert able.singularity(q).actuation > 0.1
    v, a = able.complete(q, [0.3, -0.2], [1.0, 2.0])
    np.testing.assert_allclose(able.forward_dynamics(q, v, able.inverse_dynamics(q, v, a)), a, atol=1e-10)


def test_singular_states_are_nan_in_their_own_row_and_say_why() -> None:
    five = shipped("five_bar")
    good = five.assemble([1.2, 1.8])
    bad = np.array([np.pi, 0.0, 0.0, -np.pi])  # everything flat; forearms on one line
    q = np.stack([good, bad, good])
    with np.errstate(all="ignore"):
        tau = five.inverse_dynamics(q, np.ones(4), np.ones(4))
    assert np.isfinite(tau[[0, 2]]).all()
    assert not np.isfinite(tau[1]).any()
    status = five.inverse_dynamics.status(q, np.ones(4), np.ones(4))
    assert status[0] == "ok"
    assert "actuated joints locked" in status[1]


def test_the_plan_prints_itself_and_closed_laws_travel() -> None:
    five = shipped("five_bar")
    text = repr(five.closure())
    assert "mobility 2" in text
    assert "redundant" in text
    assert "left_elbow" in text
    q = five.assemble([1.2, 1.8])
    for law in (five.reduced.mass_matrix, five.loop_projection_step):
        again = pickle.loads(pickle.dumps(law))
        assert np.array_equal(again(q), law(q))
    assert "mass_matrix" in dir(five.reduced)
    assert "independent" in repr(five.reduced)
    with pytest.raises(rk.errors.UnknownName, match="mass_matrix"):
        five.reduced.mass_matrx  # noqa: B018
    with pytest.raises(WrongSize, match="left_motor, right_motor"):
        five.forward_dynamics(q, np.zeros(4), np.zeros(4))
    assert "left_motor, right_motor" in five.forward_dynamics.export("c")
