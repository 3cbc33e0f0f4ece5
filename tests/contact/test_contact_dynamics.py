"""Forces and accelerations in contact: against Pinocchio, a paper's anchors, free bodies and similarity."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
import sympy
from contact_reference import Contacts
from plain_numbers import plain_wrenches
from random_robots import random_robot

import rikigaku as rk
from rikigaku.contact import Contact, ContactSystem, Plane, Surface
from rikigaku.core.errors import UnknownName, WrongValue

Z = sympy.Symbol("z")


def slides(system, K=True):
    """One contact that slides, its direction from the velocity."""
    sign = 0 if system.tangents[0] == 2 else 1
    return replace(system.constraints, contacts=((0, 0),), sliding=((0, sign, 1),) if K else ())


@pytest.mark.parametrize("name", ["puma560", "panda", "planar_3r"])
def test_extended_newton_euler_and_the_general_route_agree(name):
    robot = rk.load(name)
    system = ContactSystem(
        robot, [Contact("hand", Surface("z - x^2/3 + y^3"), 0.2, bilateral=True)], joints=()
    )
    rng = np.random.default_rng(1)
    q, v, _ = robot.random_state(rng)
    tau = rng.normal(size=robot.nv)
    paper = system.extended_newton_euler(q, v, tau)
    way = system.state(q, v).sliding[0, 0]
    plan = slides(system)
    if system.tangents[0] == 1:
        plan = replace(plan, sliding=((0, int(np.sign(way)), 1),))
    general = system.forces(plan, q, v, tau)
    assert np.allclose(paper.a, general.a, rtol=0, atol=1e-10 * np.abs(general.a).max())
    assert paper.f_n == pytest.approx(general.f_n[0], rel=1e-10)
    assert np.allclose(paper.M, robot.mass_matrix(q), rtol=0, atol=1e-12)
    inner = plain_wrenches(system, plan, q, v, tau)
    assert np.allclose(paper.wrenches[..., :3], inner[..., :3], rtol=0, atol=1e-9 * np.abs(inner).max())
    assert paper.f_n * paper.A == pytest.approx(paper.a0 - paper.d @ tau, rel=1e-12)
    wrong = system.forces(slides(system, K=False), q, v, tau)
    assert abs(wrong.f_n[0] - paper.f_n) > 1e-6 * abs(paper.f_n)  # friction does act


def test_sticking_points_are_pinocchios_constraint_dynamics():
    robot = random_robot(81, 7, ("revolute", "spherical", "prismatic"), base="free")
    system = ContactSystem(robot, [Contact("tip", Plane((1, 2, 3)), 0.5)])
    rng = np.random.default_rng(0)
    q, v, _ = robot.random_state(rng)
    tau = rng.normal(size=robot.nv)
    ours = system.forces(replace(system.constraints, contacts=((0, 0), (0, 1), (0, 2))), q, v, tau)
    other = Contacts(robot, [("tip", Z)])
    model, L = other.tree.model, other.tree.layout
    frame = model.frames[other.ids[0]]
    contact = pin.RigidConstraintModel(
        pin.ContactType.CONTACT_3D, model, frame.parentJoint, frame.placement, pin.LOCAL_WORLD_ALIGNED
    )
    data = model.createData()
    contacts, holds = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    contacts.append(contact)
    holds.append(contact.createData())
    pin.initConstraintDynamics(model, data, contacts, holds)
    settings = pin.ProximalSettings(1e-13, 1e-16, 100)
    theirs = pin.constraintDynamics(model, data, L.q(q), L.v(q, v), L.tau(q, tau), contacts, holds, settings)
    assert np.allclose(ours.a, L.from_a(q, v, theirs), rtol=0, atol=1e-8 * np.abs(ours.a).max())


def test_the_anchors_of_the_three_link_arm():
    arm = rk.load("planar_3r")
    system = ContactSystem(arm, [Contact("hand", Plane(), 0.2, bilateral=True)])
    q, v = np.array([-np.pi / 6, -np.pi / 3, -np.pi / 3]), np.zeros(3)
    assert system.points[0].plane == (1.0, 0.0, 0.0)
    for tau in np.array([[0, 0, 0], [-3, -3, -3], [1.0, 2.0, 5.0]]):
        smooth = system.forces(replace(system.constraints, contacts=((0, 0),)), q, v, tau)
        stuck = system.forces(replace(system.constraints, contacts=((0, 0), (0, 1))), q, v, tau)
        assert smooth.f_n[0] == pytest.approx(9.81 - tau @ [4, 1, 17] / 9, abs=1e-12)
        assert stuck.f_n[0] == pytest.approx(14.715 + tau @ [-4, -10, 10] / 9, abs=1e-12)


def test_a_lift_carries_its_load_up():
    """A mass on a floor that accelerates upward: f_n = m (g + z'')."""
    robot = random_free_mass()
    system = ContactSystem(robot, [Contact("mass", Surface("z - 0.3*t^2"))])
    plan = replace(system.constraints, contacts=((0, 0),))
    q, v = np.array([0, 0, 0.3 * 4, 1, 0, 0, 0.0]), np.array([0, 0, 1.2, 0, 0, 0])
    result = system.forces(plan, q, v, t=2.0)
    assert result.f_n[0] == pytest.approx(2 * (9.81 + 0.6), rel=1e-13)
    assert system.state(q, v, 2.0).approach[0] == pytest.approx(0, abs=1e-15)


def random_free_mass():
    link = rk.Link(
        "mass",
        "base",
        rk.Joint("free", "free"),
        rk.Placement(),
        rk.Inertia("com", 2, (0, 0, 0), (1, 0, 0, 1, 0, 1)),
    )
    return rk.Robot("mass", (link,))


def test_contacts_and_loops_hold_together():
    robot = rk.load("five_bar")
    frame = robot.links[1].name
    q = robot.assemble([0.9, 1.9])
    system = ContactSystem(robot, [Contact(frame, Surface("y - 100"), bilateral=True)])
    plan = replace(system.constraints, contacts=((0, 0),))
    v = robot.loop_projected_velocity(q, np.full(robot.nv, 0.7))
    a = system.forces(plan, q, v, np.ones(robot.nv)).a
    rows, drift, *_ = system.constraint_equations(q, v, 0.0)
    held = len(system.constraints.loop_equations) + 1
    assert np.abs(rows[:held] @ a + drift[:held]).max() < 1e-9 * np.abs(a).max()


def test_wrong_frames_and_uses_are_named():
    arm = rk.load("planar_3r")
    with pytest.raises(UnknownName, match="hand"):
        ContactSystem(arm, [Contact("hnd", Plane())]).points  # noqa: B018
    with pytest.raises(WrongValue, match="is fixed to the ground"):
        ContactSystem(arm, [Contact("base", Plane())]).points  # noqa: B018
    two = ContactSystem(arm, [Contact("hand", Plane()), Contact("link3", Plane())])
    with pytest.raises(WrongValue, match="one contact of a tree"):
        two.extended_newton_euler(np.zeros(3), np.zeros(3), np.zeros(3))
    with pytest.raises(WrongValue, match="newton"):
        ContactSystem(arm, [], restitution="hertz")


def test_a_configuration_is_put_onto_its_surfaces():
    arm = rk.load("planar_3r")
    system = ContactSystem(arm, [Contact("hand", Surface("z - 0.1*sin(4*y)"))])
    q = system.placed([-0.5, -1.0, -1.1], ["hand"])
    assert abs(system.state(q, np.zeros(3)).gap[0]) < 1e-13
