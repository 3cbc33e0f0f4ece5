"""Loops that close and open during a motion, the impact of closing, and errors for bad input."""

from dataclasses import replace

import numpy as np
import pytest
from mechanisms import bar, configuration, portal, random_chain, rod, tilting

import rikigaku as rk
from rikigaku.core.errors import CannotClose, MissingValue, NoValue, UnknownName, WrongSize, WrongValue
from rikigaku.fem import Motion, Phases, Ratio, Weighted
from rikigaku.trajectory import cubic, quintic


def test_phases_blend_between_the_open_mechanism_and_the_shared_one():
    robot = portal()
    mesh, path, t = robot.fem(masses={"top": 1.0}), tilting(robot, 1.0), np.linspace(0, 1, 401)
    phases = Phases({"top": [(0.3, 0.7)]}, blend=0.1)
    found = mesh.inverse_dynamics(path, t, sharing=0.5, phases=phases).torques
    closed, alone = (mesh.inverse_dynamics(path, t, sharing=x).torques for x in (0.5, 1.0))
    outside, inside = (t < 0.3) | (t > 0.7), (t > 0.41) & (t < 0.59)
    assert found[outside] == pytest.approx(alone[outside], abs=1e-12)
    assert found[inside] == pytest.approx(closed[inside], abs=1e-12)
    assert np.abs(np.diff(found, axis=0)).max() < 0.4  # no jump, where without blending there is one
    hard = mesh.inverse_dynamics(path, t, sharing=0.5, phases=replace(phases, blend=0.0)).torques
    assert np.abs(np.diff(hard, axis=0)).max() > 2


def test_an_open_loop_leaves_both_arms_to_themselves():
    robot = portal()
    path = cubic(
        configuration(robot, 0.0), np.add(configuration(robot, 0.0), (0.1, 0, 0, 0.2, 0, 0)), 1.0
    )  # ends part
    found = robot.fem(masses={"top": 1.0}).inverse_dynamics(path, samples=11, phases=Phases({"top": []}))
    loaded = robot.tree.fem(masses={}).inverse_dynamics(path, samples=11)
    assert found.torque("joint6") == pytest.approx(loaded.torque("joint6"), abs=1e-12)
    assert np.abs(found.torque("joint3") - loaded.torque("joint3")).min() > 1  # carries the mass
    other = robot.fem(masses={"top": 1.0}).inverse_dynamics(
        path, samples=11, phases=Phases({"top": []}, mass_on="end")
    )
    assert other.torque("joint3") == pytest.approx(loaded.torque("joint3"), abs=1e-12)
    with pytest.raises(CannotClose, match="leaves loop 'top'"):
        robot.fem().inverse_dynamics(path, samples=11, sharing="least_norm")


def test_the_impact_of_closing_keeps_momentum_and_loses_the_energy_it_says():
    robot = portal()
    t = np.linspace(0, 1, 101)
    q0 = np.array(configuration(robot, 0.1))
    v = np.array([0.4, 0.1, -0.3, -0.5, 0.2, 0.1])  # ends meet at t = 0.5 with different speeds
    q = q0 + np.where(t < 0.5, t - 0.5, 0.0)[:, None] * v
    motion = Motion(robot, t, q, np.where(t < 0.5, 1.0, 0.0)[:, None] * v, np.zeros_like(q))
    found = robot.fem().inverse_dynamics(motion, sharing="least_norm", phases=Phases({"top": [(0.5, 1.0)]}))
    (blow,) = found.impulses
    M, J = robot.tree.mass_matrix(q0), robot.loop_jacobian(q0)[:3]
    assert J @ blow.after == pytest.approx(np.zeros(3), abs=1e-12)
    change = M @ (blow.after - v)  # by forces at the loop alone
    assert change == pytest.approx(np.linalg.lstsq(J.T, change, rcond=1e-10)[0] @ J, abs=1e-12)
    assert blow.energy == pytest.approx(0.5 * v @ M @ v - 0.5 * blow.after @ M @ blow.after)
    assert blow.energy > 0
    assert blow.t == 0.5
    assert "impact" in repr(found)


def test_ends_that_meet_gently_lose_next_to_no_energy():
    robot = portal()
    path, t = tilting(robot, 1.0), np.linspace(0, 1, 101)
    found = robot.fem().inverse_dynamics(
        path, t, sharing="least_norm", phases=Phases({"top": [(0.505, 1.0)]})
    )
    assert all(blow.energy < 1e-6 for blow in found.impulses)


@pytest.mark.parametrize("spatial", [False, True])
def test_internal_forces_hold_each_other_at_every_joint(spatial):
    robot, q = random_chain(1, spatial)
    still = Motion(robot, np.zeros(1), q[None], np.zeros((1, robot.nv)), np.zeros((1, robot.nv)))
    found = robot.fem().inverse_dynamics(still, sharing="least_norm")
    inside = found.internal_forces
    layout = found.layout
    for k, beam in enumerate(layout.beams):
        if beam.start == layout.origin[beam.body]:  # bending at the own joint about its axis is the torque
            joint = layout.robot.joints[beam.body]
            force = inside.values[k, 0, 0]
            length = beam.length
            # moments along the beam grow by shear times length
            assert inside.values[k, 0, 1, 5] - force[5] == pytest.approx(-force[1] * length, abs=1e-9)
            if not spatial:
                assert -force[5] == pytest.approx(found.torque(joint.name)[0], abs=1e-9)
    x, y = inside.along("l2", "bending")
    assert len(x) == len(y) == 4


def test_a_hanging_rod_is_in_tension_and_a_level_one_bends():
    robot = rod(mass=2.0)
    for q, axial, bending in ((np.pi / 2, 2 * 9.81, 0.0), (0.0, 0.0, 9.81)):
        still = Motion(robot, np.zeros(1), np.array([[q]]), np.zeros((1, 1)), np.zeros((1, 1)))
        values = robot.fem().inverse_dynamics(still).internal_forces
        assert values.component("axial")[0, 0, 0] == pytest.approx(axial, abs=1e-12)
        assert abs(values.component("bending")[0, 0, 0]) == pytest.approx(bending, abs=1e-12)
        assert values.values[0, 0, 1, 3:] == pytest.approx(np.zeros(3), abs=1e-12)  # none at the lumped mass


def test_a_closed_chain_with_too_many_motors_and_no_rule_is_reported():
    robot = portal(joint="fixed")  # no passive joint at all
    with pytest.raises(WrongValue, match=r"3 motors more .*least_norm"):
        robot.fem().inverse_dynamics(tilting(robot, 1.0), samples=3)
    assert robot.fem().inverse_dynamics(
        tilting(robot, 1.0), samples=3, sharing="least_norm"
    ).torques.shape == (3, 6)
    with pytest.raises(WrongValue, match="2 motors more"):
        portal().fem().inverse_dynamics(tilting(portal(), 1.0), samples=3)


def test_a_disconnected_mechanism_is_reported():
    with pytest.raises(WrongValue, match=r"in pieces: .* free joint"):
        rk.load("space_arm_6").fem()


def test_a_link_of_no_length_is_reported():
    links = (
        bar("link1", "base", (0, 0, 0)),
        bar("link2", "link1", (0, 0, 0), length=0.0),
        bar("link3", "link2", (0, 0, 0)),
    )
    moved = (links[0], replace(links[1], geometry=rk.Placement((0, 0, 0.5))), links[2])
    with pytest.raises(WrongValue, match="'link2' has no length"):
        rk.Robot("r", moved).fem()


def test_a_motion_that_leaves_the_workspace_is_reported_with_its_time():
    robot = rk.load("five_bar")
    with pytest.raises(CannotClose, match=r"leaves the workspace .* at t = 0\.") as told:
        robot.fem().inverse_dynamics({"hand": quintic([0.0, 0.55], [0.0, 0.9], 1.0)}, samples=21)
    assert told.value.reason == "unreachable"


def test_passive_joints_that_nothing_drives_are_reported():
    robot = rk.load("planar_2r")
    robot = robot.bind(**robot.declared_values).with_actuated(["q1"])
    with pytest.raises(NoValue, match="Joint 'q2' is passive"):
        robot.fem().inverse_dynamics(cubic([0.1, 0.2], [0.3, 0.4], 1.0))


CORNER = quintic([0.2, 0, 0.9], [0.3, 0, 0.8], 1.0)
PUSH = {"hand": [1.0, 2.0, 3.0]}
SPATIAL, UP = rk.load("panda"), cubic(np.zeros(7), np.ones(7), 1.0)


def inside(mesh, path):
    return mesh.inverse_dynamics(path, sharing=0.5).internal_forces


@pytest.mark.parametrize(
    ("error", "match", "call"),
    [
        (WrongValue, "no sharing rule 'equal'", lambda m, p: m.inverse_dynamics(p, sharing="equal")),
        (WrongValue, "there is none", lambda m, p: portal().fem().inverse_dynamics(p, sharing=0.5)),
        (UnknownName, "named 'knee'", lambda m, p: m.inverse_dynamics(p, sharing=Weighted({"knee": 1}))),
        (UnknownName, "loop named 'bot", lambda m, p: m.inverse_dynamics(p, sharing=Ratio({"bottom": 0.5}))),
        (WrongSize, "201 samples", lambda m, p: m.inverse_dynamics(p, sharing=Ratio(np.ones(3)))),
        (UnknownName, "loop named 'x'", lambda m, p: m.inverse_dynamics(p, phases=Phases({"x": [(0, 1)]}))),
        (WrongValue, "increase", lambda m, p: m.inverse_dynamics(p, phases=Phases({"top": [(0.5, 0.2)]}))),
        (WrongValue, "no method 'euler'", lambda m, p: m.inverse_dynamics(p, method="euler")),
        (WrongSize, "takes 6 joints, or the 4", lambda m, p: m.inverse_dynamics(cubic([0.0], [1.0], 1.0))),
        (WrongValue, "How long", lambda m, p: m.inverse_dynamics(lambda t: p(t))),
        (WrongValue, "increase", lambda m, p: m.inverse_dynamics(p, [0.3, 0.2])),
        (WrongValue, r"leave robot 'portal' \d freedoms", lambda m, p: m.motion({"link3": CORNER})),
        (UnknownName, "joint or frame named 'knee'", lambda m, p: m.motion({"knee": cubic(0.0, 1.0, 1.0)})),
        (UnknownName, "loop, frame or joint", lambda m, p: portal().fem(masses={"corner": 1.0})),
        (WrongValue, "0 or more; -1.0 was", lambda m, p: portal().fem(masses={"top": -1.0})),
        (WrongValue, "motion in a plane", lambda m, p: SPATIAL.fem().inverse_dynamics(UP, method="newmark")),
        (MissingValue, "without values", lambda m, p: rk.load("planar_2r").bind(l1="k").fem()),
        (WrongSize, r"shape \(3,\)", lambda m, p: SPATIAL.fem().inverse_dynamics(UP, wrenches=PUSH)),
        (WrongSize, "Gravity.* three", lambda m, p: m.inverse_dynamics(p, sharing=0.5, gravity=(0, 0))),
        (WrongSize, "Gravity.* three", lambda m, p: rod().fem().elastic().deflection(gravity=(0, 0))),
        (WrongValue, "How long", lambda m, p: rod().fem().elastic().inverse_dynamics(lambda t: None, "tip")),
        (WrongValue, "No path was given", lambda m, p: m.motion({}, [0.0, 1.0])),
        (UnknownName, "no internal force named 'stress'", lambda m, p: inside(m, p).component("stress")),
    ],
)  # fmt: skip
def test_bad_input_is_reported_with_the_known_choices(error, match, call):
    robot = portal()
    with pytest.raises(error, match=match):
        call(robot.fem(masses={"top": 1.0}), tilting(robot, 1.0))
