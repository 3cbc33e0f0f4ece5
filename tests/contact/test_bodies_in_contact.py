"""Contacts between bodies: Newton's third law, momentum, pushed and carried bodies, Pinocchio's equations."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from bodies_in_contact import balance, ball, pair
from pinocchio_tree import Tree

import rikigaku as rk
from rikigaku.core.errors import IgnoredWarning, WrongValue
from rikigaku.model.states import random_state

G = 9.81
TIGHT = {"rtol": 1e-11, "atol": 1e-13}
WEIGHTLESS = (0, 0, 0)


def momentum(solution):
    """Linear and angular momentum about the origin of the world, along a motion."""
    return np.asarray(solution.robot.momentum(solution.q, solution.v))


def test_two_balls_collide_centrally_as_the_textbook_says():
    two = rk.Robot("two", (ball("a", m=1.0), ball("b", m=3.0)), gravity=WEIGHTLESS)
    contact = rk.Contact("a", rk.Ball(0.1).on("b"), restitution=0.6, shape=rk.Ball(0.1))
    q, v = np.zeros(14), np.zeros(12)
    q[[3, 10]], q[7], v[0], v[6] = 1, 1.2, 2.0, -1.0
    solution = rk.simulate(two, q, v, duration=1, contacts=[contact], **TIGHT)
    assert solution.events[0].t == pytest.approx(1 / 3, abs=1e-12)
    common = (1 * 2 - 3 * 1) / 4
    after = [common - 0.6 * 3 / 4 * 3, common + 0.6 * 1 / 4 * 3]
    assert solution.v[-1, [0, 6]] == pytest.approx(after, abs=1e-12)


@pytest.mark.parametrize("mu", [0.0, 0.3, 5.0])
def test_oblique_collisions_with_friction_keep_momentum(mu):
    two = rk.Robot("two", (ball("a", 0.15, 1.0), ball("b", 0.1, 3.0)), gravity=WEIGHTLESS)
    contact = rk.Contact("a", rk.Ball(0.1).on("b"), mu, restitution=0.7, shape=rk.Ball(0.15))
    q = [0, 0.05, 0.02, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0]
    v = [1, 0, 0, 1, 2, 3, -0.5, 0, 0, 0, 1, 0]
    solution = rk.simulate(two, q, v, duration=1, contacts=[contact], **TIGHT)
    assert [event.name for event in solution.events] == ["a lands"]
    p = momentum(solution)
    assert np.abs(p - p[0]).max() < 1e-13
    spins = np.abs(solution.v[-1, [3, 4, 5, 9, 10, 11]] - np.array(v)[[3, 4, 5, 9, 10, 11]]).max()
    assert (spins > 0.1) == (mu > 0)  # friction changes the rotation of both
    assert balance(solution) < 1e-11


@pytest.mark.parametrize("mu", [0.0, 0.1, 0.9])
def test_a_ball_in_a_free_hollow_sphere_keeps_momentum(mu):
    """Lasting contact of two free bodies without gravity, sliding and rolling."""
    shell = rk.free_body("shell", rk.Ball(0.5), 3.0)
    two = replace(rk.world([rk.free_body("ball", rk.Ball(0.1), 1.0), shell]), gravity=WEIGHTLESS)
    inner = rk.Contact("ball", rk.Sphere(0.5, inside=True).on("shell"), mu, shape=rk.Ball(0.1))
    q = [0.4, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    v = [0, 1.0, 0.3, 2, 0, -3, 0, 0, 0, 1, 2, 0]
    solution = rk.simulate(two, q, v, duration=3, contacts=[inner], **TIGHT)
    p = momentum(solution)
    assert np.abs(p - p[0]).max() < 1e-9
    assert balance(solution) < 1e-9
    gap = np.linalg.norm(solution.q[:, :3] - solution.q[:, 7:10], axis=1) - 0.4
    assert np.abs(gap).max() < 1e-10
    assert (solution.dissipated[-1] > 1e-3) == (mu > 0)
    assert ("ball stops" in [event.name for event in solution.events]) == (mu > 0.5)


def pusher():
    """A hand on a rail along x beside a box on the floor."""
    rail = rk.Joint("rail", "prismatic", (1, 0, 0))
    hand = rk.Robot(
        "pusher", (rk.Link("hand", "base", rail, rk.Placement((0, 0, 0.1)), rk.Inertia("com", 1.5)),)
    )
    return rk.world([hand, rk.free_body("box", rk.Box(0.4, 0.3, 0.2), 3.0)])


def test_a_hand_pushes_a_box_with_action_equal_to_reaction():
    robot, mu, push = pusher(), 0.3, 20.0
    face = rk.Plane((-1, 0, 0), (-0.2, 0, 0)).on("box")
    contacts = [
        rk.Contact("hand", face),
        *rk.shape_contacts("box", rk.Box(0.4, 0.3, 0.2), rk.Plane(), mu),
    ]
    start = [0, 0.2, 0, 0.1, 1, 0, 0, 0]
    solution = rk.simulate(
        robot, start, torque=[str(push), *"000000"], duration=0.5, contacts=contacts, **TIGHT
    )
    a = (push - mu * 3 * G) / 4.5
    assert solution.q[-1, :2] == pytest.approx([a / 8, 0.2 + a / 8], abs=1e-9)
    on_hand = solution.forces["forces"][1:, :3]
    assert on_hand == pytest.approx(np.tile([-(push - 1.5 * a), 0, 0], (len(on_hand), 1)), abs=1e-7)
    links = solution.labels["joint wrenches"]
    wrenches = solution.forces["joint wrenches"][1:].reshape(len(on_hand), -1)
    through = {label: wrenches[:, k] for k, label in enumerate(links)}
    assert through["hand force x [N]"] == pytest.approx(push, abs=1e-7)
    assert through["hand force z [N]"] == pytest.approx(1.5 * G, abs=1e-7)
    for k in range(6):  # nothing goes through the free joint: the box's own forces balance
        assert np.abs(wrenches[:, 6 + k]).max() < 1e-7
    assert balance(solution) < 1e-9


def test_a_hand_with_friction_sticks_to_the_box_that_it_pushes():
    """Friction of the hand and the four corners share the weight: many forces give this motion.

    The minimum-norm forces are beyond the friction of the hand, others are not.
    """
    contacts = [
        rk.Contact("hand", rk.Plane((-1, 0, 0), (-0.2, 0, 0)).on("box"), friction=0.3),
        *rk.shape_contacts("box", rk.Box(0.4, 0.3, 0.2), rk.Plane(), friction=0.2),
    ]
    start = [0, 0.2, 0, 0.1, 1, 0, 0, 0]
    solution = rk.simulate(pusher(), start, torque=["20", *["0"] * 6], duration=1, contacts=contacts)
    assert solution.status == "done"
    assert solution.events == ()
    assert len(solution.t) < 400  # steps of 1e-7 s while the hand is taken as sliding
    assert "hand stick" in solution.modes[0]
    a = (20 - 0.2 * 3 * G) / 4.5  # no vertical force of the hand is the one farthest from all limits
    assert solution.q[-1, 0] == pytest.approx(a / 2, rel=1e-9)
    hand, corners = solution.forces["forces"][-1, :3], solution.forces["forces"][-1, 4:20].reshape(4, 4)
    assert np.hypot(hand[1], hand[2]) <= 0.3 * abs(hand[0])
    assert corners[:, 2].sum() - hand[2] == pytest.approx(3 * G, rel=1e-9)


def test_two_hands_squeeze_a_ball_and_lift_it():
    """Friction of both hands carries the ball's weight if 2 mu F > m (g + a)."""
    lift = rk.Link("lift", "base", rk.Joint("up", "prismatic"), rk.Placement(), rk.Inertia("com", 1.0))
    hands = [
        rk.Link(
            name, "lift", rk.Joint(f"{name}_rail", "prismatic", (1, 0, 0)), rk.Placement((side * 0.1, 0, 0)),
            rk.Inertia("com", 0.5),
        )
        for name, side in (("left", -1), ("right", 1))
    ]  # fmt: skip
    robot = rk.world([rk.Robot("gripper", (lift, *hands)), rk.free_body("ball", rk.Ball(0.1), 1.0)])
    contacts = [
        rk.Contact("ball", rk.Plane((1, 0, 0)).on("left"), 0.5, shape=rk.Ball(0.1)),
        rk.Contact("ball", rk.Plane((-1, 0, 0)).on("right"), 0.5, shape=rk.Ball(0.1)),
    ]
    start = [0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    for squeeze, held in ((13.0, True), (4.0, False)):
        a = 2.0
        lift_force = 2 * (G + a) + (a + G if held else squeeze)
        torque = [str(lift_force), str(squeeze), str(-squeeze), *"000000"]
        solution = rk.simulate(robot, start, torque=torque, duration=0.2, contacts=contacts, **TIGHT)
        lifted = solution.q[-1, 5] - solution.q[-1, 0]
        assert (abs(lifted) < 1e-12) == held
        fall = 2 * 0.5 * squeeze / 1.0 - G
        assert solution.q[-1, 5] == pytest.approx((a if held else fall) * 0.02, abs=1e-9)


def test_a_box_on_a_platform_sticks_until_the_platform_is_too_fast():
    rail = rk.Joint("rail", "prismatic", (1, 0, 0))
    platform = rk.Robot("cart", (rk.Link("cart", "base", rail, rk.Placement(), rk.Inertia("com", 2.0)),))
    robot = rk.world([platform, rk.free_body("box", rk.Box(0.4, 0.3, 0.2), 3.0)])
    deck = rk.Plane(point=(0, 0, 0.05)).on("cart")
    contacts = rk.shape_contacts("box", rk.Box(0.4, 0.3, 0.2), deck, 0.2)
    start = [0, 0, 0, 0.15, 1, 0, 0, 0]
    for force, together in ((5.0, True), (25.0, False)):
        solution = rk.simulate(robot, start, torque=[str(force), *"000000"], duration=0.5, contacts=contacts)
        box = force / 5 if together else 0.2 * G
        cart = force / 5 if together else (force - 0.2 * 3 * G) / 2
        assert solution.q[-1, :2] == pytest.approx([cart / 8, box / 8], abs=1e-8)
        assert balance(solution) < 1e-9


def test_a_ball_rolls_off_a_box_and_a_fixed_ball():
    """A ball that rolls without slip off a ball of radius R leaves it at cos = 10/17 (textbook)."""
    dome = rk.Ball(1.0).on("base")
    contact = rk.Contact("ball", dome, 5.0, shape=rk.Ball(0.1))
    tip = 1e-3
    start = [1.1 * np.sin(tip), 0, 1.1 * np.cos(tip), 1, 0, 0, 0]
    solution = rk.simulate(rk.Robot("ball", (ball(),)), start, duration=3, contacts=[contact], **TIGHT)
    lift = next(event for event in solution.events if "lifts" in event.name)
    slid = [event.name for event in solution.events if event.t < lift.t]
    cosine = lift.q[2] / 1.1
    assert slid == ["ball slips"]  # just before: friction has no limit only where the normal force vanishes
    assert cosine == pytest.approx((10 * np.cos(tip)) / 17, abs=3e-3)
    assert balance(solution) < 1e-9


@pytest.mark.parametrize("sticks", [True, False])
def test_forces_between_an_arm_and_a_box_satisfy_pinocchios_equations(sticks):
    """M a + h = tau + (J_hand - J_box)^T f at the contact point, all of Pinocchio, in random states."""
    arm = rk.load("planar_3r")
    robot = rk.world([arm.bind(**arm.declared_values), rk.free_body("box", rk.Box(0.4, 0.3, 0.2), 3.0)])
    face = rk.Plane((0.6, 0, 0.8), (0, 0.1, 0.1)).on("box")
    system = rk.ContactSystem(robot, [rk.Contact("hand", face, 0.3, shape=rk.Ball(0.05))])
    plan = replace(system.constraints, contacts=((0, 0), (0, 1), (0, 2)))
    if not sticks:
        plan = replace(plan, contacts=((0, 0),), sliding=((0, 0, 1),))
    tree, n = Tree(robot), np.array([0.6, 0, 0.8])
    model, L = tree.model, tree.layout
    for seed in range(5):
        rng = np.random.default_rng(seed)
        q, v, tau = random_state(robot, seed, 1).q[0], rng.normal(size=robot.nv), rng.normal(size=robot.nv)
        q = system.placed(q, ["hand"])
        v = system.engine.projected_velocity(plan, 0.0, q, v)
        found = system.forces(plan, q, v, tau)
        R = np.asarray(robot.pose(q, "box"))[:3, :3]
        at = np.asarray(robot.pose(q, "hand"))[:3, 3] - 0.05 * R @ n
        data = model.createData()
        theirs = L.q(q)
        pin.computeJointJacobians(model, data, theirs)
        J = []
        for link in ("hand", "box"):
            joint, _ = tree.places[robot.frame(link).link]
            world = pin.getJointJacobian(model, data, joint, pin.WORLD)
            J.append(tree.ours((world[:3] + np.cross(world[3:].T, at).T).T).T)
        relative = J[0] - J[1]
        viscous = np.zeros(robot.nv)
        for joint in robot.joints:
            viscous[robot.v_slices[joint.name]] = float(joint.viscous or 0) if joint.nv == 1 else 0
        left = tree.forces(q, v, found.a) + viscous * v - tau - relative.T @ found.f[0]
        assert np.abs(left).max() < 1e-10 * (
            1 + np.abs(tau).max() + np.abs(found.f).max() + np.abs(found.a).max()
        )
        # the material points neither separate nor, if they stick, slide
        speed = relative @ v
        assert abs(n @ R.T @ speed) < 1e-11
        assert (np.abs(speed).max() < 1e-10) == sticks
        if not sticks:
            along = speed / np.linalg.norm(speed)
            assert found.f[0] == pytest.approx(
                found.f_n[0] * (R @ n - 0.3 * along), abs=1e-9 * abs(found.f_n[0]) + 1e-9
            )


def test_nothing_goes_through_free_joints_whatever_touches():
    """Newton and Euler of both bodies under contact forces alone, of every kind of shape."""
    robot = pair()
    for shape, surface in (
        (rk.Rim(0.2), rk.Plane((0, 0.6, 0.8)).on("fb")),
        (rk.Ball(0.2), rk.Cylinder(0.3, point=("0.1*t", 0, 0)).on("fb")),
        (rk.Capsule(0.1, 0.5), rk.Capsule(0.1, 0.5, "x").on("fb")),
        (rk.Vertex((0.1, 0, 0)), rk.Plane((0, 0.6, 0.8)).on("fb")),
    ):
        system = rk.ContactSystem(robot, [rk.Contact("fa", surface, 0.3, shape=shape)])
        plan = replace(system.constraints, contacts=((0, 0), (0, 1), (0, 2)))
        state = random_state(robot, 4, 1)
        q = system.placed(state.q[0], ["fa"], 0.4)
        forces = system.forces(plan, q, state.v[0], np.zeros(12), 0.4).f[0]
        wrenches = system.joint_wrenches(plan, q, state.v[0], np.zeros(12), 0.4)
        assert np.linalg.norm(forces) > 0.01
        assert np.abs(wrenches).max() < 1e-10 * (1 + np.linalg.norm(forces))


def test_worlds():
    box = rk.free_body("box", rk.Box(0.4, 0.3, 0.2), 3.0)
    robot = rk.world([rk.load("planar_3r"), box, box, (rk.load("planar_3r"), rk.Placement((2, 0, 0)))])
    assert robot.nq == 3 + 7 + 7 + 3
    assert {"hand", "box", "box_box", "planar_3r_hand"} <= set(robot.frame_names)
    q = random_state(robot, 0, 1).q[0]
    alone = rk.load("planar_3r")
    assert robot.pose(q, "hand") == pytest.approx(alone.pose(q[:3], "hand"))
    moved = np.array(alone.pose(q[-3:], "hand"))
    moved[0, 3] += 2
    assert robot.pose(q, "planar_3r_hand") == pytest.approx(moved)
    loops = rk.world([rk.load("five_bar"), box, rk.load("five_bar")])
    assert len(loops.loops) == 2
    with pytest.raises(WrongValue, match="at least one"):
        rk.world([])
    with pytest.raises(WrongValue, match="takes robots"):
        rk.world(["arm"])
    with pytest.raises(WrongValue, match="placed by a Placement"):
        rk.world([(box, 3)])
    with pytest.warns(IgnoredWarning, match="gravity"):
        rk.world([box, replace(box, name="b", gravity=WEIGHTLESS)])


@pytest.mark.parametrize(
    "shape", [rk.Ball(0.3), rk.Box(0.4, 0.3, 0.2), rk.Capsule(0.1, 0.5, "x"), rk.SolidCylinder(0.2, 0.5, "y")]
)
def test_inertias_of_uniform_bodies_are_sums_over_their_points(shape):
    rng = np.random.default_rng(0)
    x = rng.uniform(-0.4, 0.4, size=(400_000, 3))
    if isinstance(shape, rk.Box):
        inside = np.all(np.abs(x) < shape.core, axis=1)
    elif isinstance(shape, rk.SolidCylinder):
        inside = (np.abs(x[:, 1]) < 0.25) & (np.hypot(x[:, 0], x[:, 2]) < 0.2)
    else:
        inside = np.linalg.norm(x - np.clip(x, -np.array(shape.core), shape.core), axis=1) < shape.radius
    points = x[inside]
    body = rk.free_body("body", shape, 2.0)
    tensor = body.mass_matrix([0, 0, 0, 1, 0, 0, 0])[3:, 3:]
    sums = 2.0 * np.mean([np.eye(3) * (p @ p) - np.outer(p, p) for p in points[:60_000]], axis=0)
    assert tensor == pytest.approx(sums, abs=0.015 * np.trace(tensor))
    with pytest.raises(WrongValue, match="above 0 kg"):
        rk.free_body("body", shape, 0)
    with pytest.raises(WrongValue, match="uniform density"):
        rk.free_body("body", rk.Rim(1), 1)
