"""Forces and accelerations in contact: against Pinocchio, a paper's anchors, free bodies and similarity."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
import sympy
from contact_reference import PointOnSurface
from pinocchio_tree import pinocchio_tree
from random_robots import random_robot

import rikigaku as rk
from rikigaku.contact import Contact, ContactSystem, Friction, Plane, Sphere, Surface
from rikigaku.errors import UnknownName, WrongValue

X, Y, Z = sympy.symbols("x y z")
TYPES = ("revolute", "prismatic", "spherical", "free", "universal")
SURFACES = [
    ("z + 0.2*x - 3", Z + X / 5 - 3),
    ("x^2 + y^2 + z^2 - 4", X**2 + Y**2 + Z**2 - 4),
    ("z - 0.3*sin(2*x)*y", Z - sympy.Rational(3, 10) * sympy.sin(2 * X) * Y),
]


def slides(system, K=True):
    """One contact that slides, its direction from the velocity."""
    sign = 0 if system.tangents[0] == 2 else 1
    return replace(system.plan, rows=((0, 0),), slips=((0, sign, 1),) if K else ())


@pytest.mark.parametrize("seed", [0, 3, 5])
@pytest.mark.parametrize("which", range(len(SURFACES)))
def test_sliding_contact_is_the_kkt_solution_of_pinocchio(seed, which):
    text, expression = SURFACES[which]
    robot = random_robot(40 + seed, 5, TYPES, base="free" if seed % 2 else None)
    if len(robot.joints) < 3 or robot.nv < 4:
        robot = random_robot(140 + seed, 6, TYPES)
    other = PointOnSurface(robot, "tip", expression)
    contact = Contact("tip", Surface(text), Friction(0.15), bilateral=True)
    system = ContactSystem(robot, [contact])
    rng = np.random.default_rng(seed)
    q, v, _ = robot.random_state(rng)
    tau = rng.normal(size=robot.nv)
    if system.tangents[0] == 1:
        pytest.fail("choose a robot whose tip moves in space")
    a, f_n, n, th = other.solve(q, v, tau, 0.15, np.zeros(robot.nv))
    ours = system.forces(slides(system), q, v, tau)
    size = np.abs(a).max()
    assert np.allclose(ours.a, a, atol=1e-9 * size)
    assert ours.f_n[0] == pytest.approx(f_n, rel=1e-9, abs=1e-9)
    assert np.allclose(ours.f[0], f_n * (n - 0.15 * th), rtol=1e-8, atol=1e-9)


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
        plan = replace(plan, slips=((0, int(np.sign(way)), 1),))
    general = system.forces(plan, q, v, tau)
    assert np.allclose(paper.a, general.a, atol=1e-10 * np.abs(general.a).max())
    assert paper.f_n == pytest.approx(general.f_n[0], rel=1e-10)
    assert np.allclose(paper.M, robot.mass_matrix(q), atol=1e-12)
    assert paper.f_n * paper.A == pytest.approx(paper.a0 - paper.d @ tau, rel=1e-12)
    wrong = system.forces(slides(system, K=False), q, v, tau)
    assert abs(wrong.f_n[0] - paper.f_n) > 1e-6 * abs(paper.f_n)  # friction does act


def test_scaling_the_formula_of_a_surface_changes_nothing():
    robot = rk.load("panda")
    q, v, _ = robot.random_state(3)
    results = []
    for text in ("z - x*y - 0.4", "1000*(z - x*y - 0.4)"):
        system = ContactSystem(robot, [Contact("hand", Surface(text), 0.2, bilateral=True)])
        results.append(system.extended_newton_euler(q, v, np.ones(robot.nv)))
    assert np.allclose(results[0].a, results[1].a, rtol=1e-11, atol=1e-11)
    assert results[0].f_n == pytest.approx(results[1].f_n, rel=1e-11)


def test_sticking_points_are_pinocchios_constraint_dynamics():
    robot = random_robot(81, 7, ("revolute", "spherical", "prismatic"), base="free")
    system = ContactSystem(robot, [Contact("tip", Plane((1, 2, 3)), 0.5)])
    rng = np.random.default_rng(0)
    q, v, _ = robot.random_state(rng)
    tau = rng.normal(size=robot.nv)
    ours = system.forces(replace(system.plan, rows=((0, 0), (0, 1), (0, 2))), q, v, tau)
    tree = pinocchio_tree(robot)
    other = PointOnSurface(robot, "tip", Z)
    model, L = tree.model, tree.layout
    frame = model.frames[other.id]
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
    assert np.allclose(ours.a, L.from_a(q, v, theirs), atol=1e-8 * np.abs(ours.a).max())


def test_the_anchors_of_the_three_link_arm():
    arm = rk.load("planar_3r")
    system = ContactSystem(arm, [Contact("hand", Plane(), 0.2, bilateral=True)])
    q, v = np.array([-np.pi / 6, -np.pi / 3, -np.pi / 3]), np.zeros(3)
    assert system.points[0].plane == (1.0, 0.0, 0.0)
    for tau in np.array([[0, 0, 0], [-3, -3, -3], [1.0, 2.0, 5.0]]):
        smooth = system.forces(replace(system.plan, rows=((0, 0),)), q, v, tau)
        stuck = system.forces(replace(system.plan, rows=((0, 0), (0, 1))), q, v, tau)
        assert smooth.f_n[0] == pytest.approx(9.81 - tau @ [4, 1, 17] / 9, abs=1e-12)
        assert stuck.f_n[0] == pytest.approx(14.715 + tau @ [-4, -10, 10] / 9, abs=1e-12)


def test_forces_in_the_joints_balance_every_free_body():
    robot = rk.load("puma560")
    system = ContactSystem(robot, [Contact("hand", Sphere(0.3, (0.2, 0.1, 0.1)), 0.3, bilateral=True)])
    q, v, _ = robot.random_state(5)
    tau = np.linspace(-2, 3, 6)
    result = system.extended_newton_euler(q, v, tau)
    # the ground carries weight and what moves: d(momentum)/dt = gravity + contact + base, by differences
    f = system.forces(slides(system), q, v, tau).f[0]
    step, sides = 1e-6, []
    for s in (step, -step):
        moved = robot.integrate(q, v * s + 0.5 * s * s * result.a)
        sides.append(robot.momentum(moved, v + s * result.a))
    rate = (sides[0] - sides[1]) / (2 * step)
    mass = sum(float(link.inertia.m) for link in robot.links if link.inertia is not None)
    # Puma's first link turns about z in its place: every moving body counts
    weight = mass * np.array([float(g) for g in robot.gravity])
    assert np.allclose(result.wrenches[0][:3] + f + weight, rate[:3], atol=1e-5)


def test_a_lift_carries_its_load_up():
    """A mass on a floor that accelerates upward: f_n = m (g + z'')."""
    robot = random_free_mass()
    system = ContactSystem(robot, [Contact("mass", Surface("z - 0.3*t^2"))])
    plan = replace(system.plan, rows=((0, 0),))
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
    plan = replace(system.plan, rows=((0, 0),))
    v = robot.closed_velocity(q, np.full(robot.nv, 0.7))
    a = system.forces(plan, q, v, np.ones(robot.nv)).a
    rows, drift, _ = system.rows(q, v, 0.0)
    held = len(system.plan.loops) + 1
    assert np.abs(rows[:held] @ a + drift[:held]).max() < 1e-9 * np.abs(a).max()


def test_wrong_frames_and_uses_are_named():
    arm = rk.load("planar_3r")
    with pytest.raises(UnknownName, match="hand"):
        ContactSystem(arm, [Contact("hnd", Plane())]).points  # noqa: B018
    with pytest.raises(WrongValue, match="stands on the ground"):
        ContactSystem(arm, [Contact("base", Plane())]).points  # noqa: B018
    two = ContactSystem(arm, [Contact("hand", Plane()), Contact("link3", Plane())])
    with pytest.raises(WrongValue, match="one contact of a tree"):
        two.extended_newton_euler(np.zeros(3), np.zeros(3), np.zeros(3))
    with pytest.raises(WrongValue, match="newton"):
        ContactSystem(arm, [], restitution="hertz")


def test_a_posture_is_put_onto_its_surfaces():
    arm = rk.load("planar_3r")
    system = ContactSystem(arm, [Contact("hand", Surface("z - 0.1*sin(4*y)"))])
    q = system.placed([-0.5, -1.0, -1.1], ["hand"])
    assert abs(system.state(q, np.zeros(3)).gap[0]) < 1e-13
