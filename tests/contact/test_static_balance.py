"""Robots set down on flat feet and in static balance: against inverse dynamics, and they stay at rest."""

import warnings
from dataclasses import replace
from functools import cache
from importlib.metadata import distribution

import numpy as np
import pytest
from simple_bodies import body

import rikigaku as rk

FLAT = {"heel": 0.5, "toe": 0.5, "swing_heel": 0.5, "swing_toe": 0.5}
TALOS = "cmeel.prefix/share/example-robot-data/robots/talos_data/robots/talos_reduced.urdf"
SOLES = [(x, y) for x in (0.1, -0.1) for y in (0.06, -0.06)]


def box_on_corners() -> rk.Robot:
    """A box that flies, with its four lower corners c0 to c3."""
    corners = [(x, y, -0.1) for x in (0.2, -0.2) for y in (0.15, -0.15)]
    frames = tuple(rk.Frame(f"c{i}", "box", rk.Placement(xyz)) for i, xyz in enumerate(corners))
    return rk.Robot("box", (body("box", rk.Joint("fly", "free"), 3.0, (0.02, 0, 0, 0.03, 0, 0.04)),), frames)


@cache
def talos() -> rk.Robot:
    """Talos with four points on each sole."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = rk.load(str(distribution("example-robot-data").locate_file(TALOS)), free_base=True)
    points = [
        rk.Frame(f"{side} {k}", f"leg_{side}_6_link", rk.Placement((x, y, -0.107)))
        for side in ("left", "right")
        for k, (x, y) in enumerate(SOLES)
    ]
    return replace(robot, frames=(*robot.frames, *points))


def crouched(robot: rk.Robot) -> np.ndarray:
    q = robot.neutral()
    q[2] = 1.0
    for side in ("left", "right"):
        for joint, angle in (("3", -0.41), ("4", 0.86), ("5", -0.45)):
            q[robot.q_slices[f"leg_{side}_{joint}_joint"]] = angle
    return q


def on_its_feet(name: str) -> tuple[rk.ContactSystem, np.ndarray, float]:
    """A robot with redundant contacts, a configuration above the floor, and a scale of random deviations."""
    if name == "box":
        box = box_on_corners()
        return (
            rk.ContactSystem(box, [rk.Contact(f.name, rk.Plane(), 0.3) for f in box.frames]),
            box.neutral(),
            0.3,
        )
    if name == "humanoid":
        robot = rk.load("humanoid_feet")
        return (
            rk.ContactSystem(robot, [rk.Contact(x, rk.Plane(), mu) for x, mu in FLAT.items()]),
            robot.neutral(),
            0.3,
        )
    robot = talos()
    soles = [
        rk.Contact(f.name, rk.Plane(), 0.6) for f in robot.frames if f.name.split()[0] in ("left", "right")
    ]
    assert len(soles) == 8
    return rk.ContactSystem(robot, soles), crouched(robot), 0.1


@pytest.mark.parametrize("name", ["box", "humanoid", "talos"])
def test_redundant_contacts_are_set_down_from_random_configurations(name) -> None:
    """Without names all contacts close, and light feet do not rotate more than once on the way."""
    system, q, scale = on_its_feet(name)
    random = np.random.default_rng(4)
    for _ in range(12):
        start = system.robot.integrate(q, scale * random.standard_normal(system.robot.nv))
        assert np.abs(system.state(start, np.zeros(system.robot.nv)).gap).max() > 1e-3
        placed = system.placed(start)
        assert np.abs(system.state(placed, np.zeros(system.robot.nv)).gap).max() < 1e-12
        assert np.abs(placed - start).max() < 2.0


def test_a_box_is_set_down_on_a_sphere_and_on_named_corners_only() -> None:
    box = box_on_corners()
    names = [frame.name for frame in box.frames]
    ball = rk.ContactSystem(box, [rk.Contact(name, rk.Sphere(3.0), 0.3) for name in names])
    q = ball.placed([0.1, -0.2, 3.2, *np.array([1, 0.1, 0.2, 0.3]) / np.sqrt(1.14)])
    assert np.abs([np.linalg.norm(box.pose(q, name)[:3, 3]) - 3.0 for name in names]).max() < 1e-12
    floor = rk.ContactSystem(box, [rk.Contact(name, rk.Plane(), 0.3) for name in names])
    tilted = np.array([0, 0, 0.5, np.cos(0.2), np.sin(0.2), 0, 0])
    gap = floor.state(floor.placed(tilted, names[:2]), np.zeros(6)).gap
    assert np.abs(gap[:2]).max() < 1e-12
    assert np.abs(gap[2:]).min() > 1e-2
    assert np.array_equal(floor.placed(tilted, []), tilted)


def test_contacts_that_cannot_close_together_say_how_much_is_left() -> None:
    box = box_on_corners()
    names = [frame.name for frame in box.frames]
    surfaces = [rk.Plane(), rk.Plane(), rk.Plane(), rk.Plane(point=(0, 0, 0.1))]
    system = rk.ContactSystem(box, [rk.Contact(n, s) for n, s in zip(names, surfaces, strict=True)])
    with pytest.raises(rk.RikigakuError, match=r"c0, c1, c2, c3 do not close together.*0\.025 m remains"):
        system.placed(box.neutral())
    with pytest.raises(rk.RikigakuError, match="no contact named 'c9'"):
        system.placed(box.neutral(), ["c9"])


@pytest.mark.parametrize("name", ["box", "humanoid", "talos"])
def test_balanced_robots_satisfy_inverse_dynamics_and_stay_at_rest(name) -> None:
    system, q, _ = on_its_feet(name)
    robot, rest = system.robot, np.zeros(system.robot.nv)
    start = system.balanced(q)
    wrenches = {c.frame: [*f, 0, 0, 0] for c, f in zip(system.contacts, start.f, strict=True)}
    needed = robot.inverse_dynamics(start.q, rest, rest, wrenches=wrenches, friction=False)
    assert np.abs(needed - start.tau).max() < 1e-9 * np.abs(start.f).max()
    assert (start.f_n > 0).all()
    tangential = np.linalg.norm(start.f[:, :2], axis=1)
    assert (
        tangential <= [c.friction.limit * f for c, f in zip(system.contacts, start.f_n, strict=True)]
    ).all()
    passive = [
        k
        for j in robot.joints
        if j.type == "free" or not j.actuated
        for k in range(robot.nv)[robot.v_slices[j.name]]
    ]
    assert not start.tau[passive].any()
    motion = rk.simulate(robot, start.q, torque=start.tau, duration=0.1, contacts=system, rtol=1e-6)
    assert motion.done
    assert not motion.events
    assert np.abs(motion.v).max() < 1e-9


def test_balance_of_a_closed_robot_needs_its_actuated_joints_only() -> None:
    five = rk.load("five_bar")
    start = rk.ContactSystem(five).balanced(five.assemble([0.3, 1.2]))
    assert start.tau.shape == (2,)
    motion = rk.simulate(five, start.q, torque=start.tau, duration=0.2)
    assert np.abs(motion.a[0]).max() < 1e-9


def test_forces_come_to_their_cones_where_the_minimum_norm_is_outside() -> None:
    """A box on an incline of 20 degrees needs mu >= tan(20 degrees); above the limit it rests, below not."""
    box, slope = box_on_corners(), np.radians(20)
    plane = rk.Plane((0, -np.sin(slope), np.cos(slope)))
    q = np.array([0, 0, 0.2, np.cos(slope / 2), np.sin(slope / 2), 0, 0])
    names = [frame.name for frame in box.frames]
    rests = rk.ContactSystem(box, [rk.Contact(n, plane, 1.01 * np.tan(slope)) for n in names]).balanced(q)
    assert np.abs(rests.f.sum(axis=0) - [0, 0, 3 * 9.81]).max() < 1e-9
    with pytest.raises(rk.RikigakuError, match="cannot rest at this configuration on c0, c1, c2, c3"):
        rk.ContactSystem(box, [rk.Contact(n, plane, 0.99 * np.tan(slope)) for n in names]).balanced(q)
    with pytest.raises(rk.RikigakuError, match="cannot rest at this configuration on c0, c1"):
        rk.ContactSystem(box, [rk.Contact(n, rk.Plane(), 0.5) for n in names]).balanced(
            box.neutral(), names[:2]
        )


def test_a_system_prints_its_contacts_with_their_friction() -> None:
    arm = rk.load("planar_3r")
    text = repr(rk.ContactSystem(arm, [rk.Contact("hand", rk.Plane())]))
    assert text == "<ContactSystem of robot 'planar_3r': 1 contacts: hand (friction 0)>"
