"""Forces and moments inside a robot in contact: Newton's and Euler's equations of every free body."""

from dataclasses import replace

import numpy as np
import pose_reference as reference
import pytest
from closed_robots import closed_configuration, joint_motion, placement, shipped
from plain_numbers import plain_forces, plain_wrenches
from random_robots import random_robot, random_state
from scipy.spatial.transform import Rotation

import rikigaku as rk
from rikigaku.contact import Contact, ContactSystem, Guide, Plane, Sphere


def balance(robot, system, plan, q, v, tau, loads):
    """What is left of Newton's and Euler's equations of each link, with our wrenches in the joints."""
    result, wrenches = plain_forces(system, plan, q, v, tau), plain_wrenches(system, plan, q, v, tau)
    inner = dict(zip(system.moving_links, wrenches, strict=True))
    frames = reference.jacobians(robot, q)
    tangent = reference.tangent(robot, q) @ v

    def velocities(x):
        at = reference.jacobians(robot, x)
        return np.array([[at[k.name].linear @ v, at[k.name].angular @ v] for k in robot.links])

    drift = reference.slope(velocities, q, tangent)
    left = []
    for k, link in enumerate(robot.links):
        J = frames[link.name]
        m, c, I = reference.about_center(link.inertia)
        c, I, w = J.p + J.R @ c, J.R @ I @ J.R.T, J.angular @ v
        alpha, arm = J.angular @ result.a + drift[k][1], c - J.p
        acceleration = (
            J.linear @ result.a + drift[k][0] + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
        )
        force = -m * (acceleration - reference.gravity(robot))
        moment = -(I @ alpha + np.cross(w, I @ w))
        for at, wrench in [
            (J.p, inner[link.name]),
            *[(frames[o.name].p, -inner[o.name]) for o in robot.links if o.parent == link.name],
            *[(at, wrench) for name, at, wrench in loads(result) if name == link.name],
        ]:
            force = force + wrench[:3]
            moment = moment + wrench[3:] + np.cross(at - c, wrench[:3])
        left += [*force, *moment]
    return np.abs(left).max(), np.abs(list(inner.values())).max()


def test_forces_inside_a_tree_in_contact_balance_every_free_body():
    robot = random_robot(9, 6, ("revolute", "prismatic", "spherical", "universal"), base="free")
    contacts = [Contact("tip", Sphere(1), 0.3, bilateral=True), Contact("l3", Plane((1, 1, 1)), 0.2)]
    system = ContactSystem(robot, [*contacts, Guide("l4", "x", "free")], joints=())
    rng = np.random.default_rng(3)
    q, v, _ = robot.random_state(rng)
    tau = rng.normal(size=robot.nv)
    plan = replace(system.constraints, contacts=((0, 0), (1, 0), (1, 1), (1, 2)), sliding=((0, 0, 1),))

    def loads(result):
        places = [(robot.frame(n).link, robot.pose(q, n)[:3, 3]) for n in ("tip", "l3", "l4")]
        wrenches = [*np.hstack([result.f, np.zeros((2, 3))]), result.guides[0]]
        return [(link, at, w) for (link, at), w in zip(places, wrenches, strict=True)]

    left, largest = balance(robot, system, plan, q, v, tau, loads)
    assert left < 1e-9 * largest


def test_forces_inside_a_closed_robot_in_contact_balance_every_free_body():
    """The cut joint's own wrench is found from the balance of one side and must serve the other."""
    robot = shipped("five_bar")
    frame = robot.frames[0].name if robot.frames else robot.links[1].name
    system = ContactSystem(robot, [Contact(frame, rk.Surface("y - x/3 - 9"), 0.3, bilateral=True)], joints=())
    q = closed_configuration(robot, 0)
    v = system.allowed_velocity(q, np.linspace(0.5, -0.7, robot.nv))
    tau = np.linspace(-1, 2, robot.nv)
    way = int(np.sign(system.state(q, v).sliding[0, 0]))
    plan = replace(system.constraints, contacts=((0, 0),), sliding=((0, way, 1),))
    loop = robot.loops[0]
    X = reference.steps_pose((*loop.end.geometry.before(), *loop.end.geometry.after()))
    at = (robot.tree.pose(q, loop.end.link) @ X)[:3, 3].real
    multipliers = []

    def loads(result):
        # what the joints on one side do not balance is the pin's force on it; it acts back on the other
        if not multipliers:
            multipliers.append(np.zeros(6))
            base = balance_of_end(robot, system, plan, q, v, tau, result, loop, at)
            multipliers[0] = base
        point = (robot.frame(frame).link, robot.tree.pose(q, frame)[:3, 3], np.r_[result.f[0], 0, 0, 0])
        return [point, (loop.end.link, at, multipliers[0]), (loop.start.link, at, -multipliers[0])]

    left, largest = balance(robot, system, plan, q, v, tau, loads)
    assert left < 1e-8 * largest
    assert np.abs(multipliers[0][:3]).max() > 1e-3 * largest  # the pin does carry


def balance_of_end(robot, system, plan, q, v, tau, result, loop, at):
    """The pin's force and moment on the link at the loop's end, by Newton and Euler for that link alone."""
    link = robot.link(loop.end.link)
    k = [x.name for x in robot.links].index(link.name)
    J = reference.jacobians(robot, q)[link.name]

    def velocity(x):
        other = reference.jacobians(robot, x)[link.name]
        return np.r_[other.linear @ v, other.angular @ v]

    drift = reference.slope(velocity, q, reference.tangent(robot, q) @ v)
    m, c, I = reference.about_center(link.inertia)
    arm, I, w = J.R @ c, J.R @ I @ J.R.T, J.angular @ v
    alpha = J.angular @ result.a + drift[3:]
    acceleration = J.linear @ result.a + drift[:3] + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
    wrench = plain_wrenches(system, plan, q, v, tau)[k]
    force = m * (acceleration - reference.gravity(robot)) - wrench[:3]
    moment = I @ alpha + np.cross(w, I @ w) - wrench[3:] - np.cross(-arm, wrench[:3])
    if robot.frame(system.contacts[0].frame).link == link.name:
        point = robot.tree.pose(q, system.contacts[0].frame)[:3, 3]
        force = force - result.f[0]
        moment = moment - np.cross(point - J.p - arm, result.f[0])
    return np.r_[force, moment - np.cross(at - J.p - arm, force)]


def closed_chain(seed, joint):
    """A random chain of eight revolute joints whose end is tied to its first link by that joint."""
    rng = np.random.default_rng(seed)
    tree = random_robot(seed, 8, ("revolute",))
    q, _, _ = random_state(tree, rng)
    poses = reference.link_poses(tree, q)
    X = reference.homogeneous(Rotation.random(random_state=seed).as_matrix(), rng.normal(size=3)).real
    start = rk.LoopEnd("l8", placement(X))
    S = (poses["l8"] @ reference.steps_pose(start.geometry.before())).real
    end = rk.LoopEnd("l1", placement(np.linalg.inv(poses["l1"].real) @ S @ joint_motion(joint, rng)))
    return replace(tree, loops=(rk.Loop("cut", joint, start, end),)), q


@pytest.mark.parametrize("joint", ["prismatic", "cylindrical", "universal", "fixed"])
def test_along_each_joint_the_force_inside_is_what_drives_it_whatever_closes_the_loop(joint):
    """The wrench through a joint does the work of its drive along its own free motion, and nothing more."""
    robot, q = closed_chain(21, joint)
    system = ContactSystem(robot, [Contact("l5", Sphere(1), 0.2, bilateral=True)], joints=())
    rng = np.random.default_rng(0)
    v, tau = system.allowed_velocity(q, rng.normal(size=robot.nv)), rng.normal(size=robot.nv)
    plan = replace(system.constraints, contacts=((0, 0),), sliding=((0, 0, 1),))
    assert np.isfinite(plain_forces(system, plan, q, v, tau).a).all()
    inner = dict(zip(system.moving_links, plain_wrenches(system, plan, q, v, tau), strict=True))
    frames = reference.jacobians(robot, q)
    shares = np.zeros(robot.nv)
    for link in robot.links:
        J, parent = frames[link.name], frames[link.parent]
        i = robot.v_slices[link.joint.name].start
        carried = parent.linear[:, i] + np.cross(parent.angular[:, i], J.p - parent.p)
        way = np.r_[J.linear[:, i] - carried, J.angular[:, i] - parent.angular[:, i]]
        shares[i] = way @ inner[link.name]
    assert np.abs(shares - tau).max() < 1e-9 * max(np.abs(wrench).max() for wrench in inner.values())


def test_a_solution_has_the_forces_in_all_joints_at_all_times():
    """The arm on the floor: vertical forces of ground and floor carry weight and acceleration."""
    arm = rk.load("planar_3r")
    q = np.array([-np.pi / 6, -np.pi / 3, -np.pi / 3])
    solution = rk.simulate(
        arm, q, duration=0.5, contacts=[Contact("hand", Plane(), 0.2, bilateral=True)], output=0.1
    )
    inner, f = solution.forces["joint wrenches"], solution.forces["forces"]
    assert inner.shape == (len(solution.t), 3, 6)
    M = arm.momentum_matrix(solution.q)[:, :3]
    step = 1e-6
    ahead, behind = (
        arm.momentum_matrix(arm.integrate(solution.q, s * solution.v))[:, :3] for s in (step, -step)
    )
    rate = (M @ solution.a[..., None] + (ahead - behind) @ solution.v[..., None] / (2 * step))[..., 0]
    weight = np.array([0, 0, -3 * 9.81])
    assert np.abs(inner[:, 0, :3] + f[:, :3] + weight - rate).max() < 1e-7
