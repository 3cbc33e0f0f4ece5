"""Random scenes with contact: robots, initial states, contacts and actuation by seed.

POINTS: boxes, rods, point masses, arms and legged bodies on inclines, some with dry friction in their joints,
up to twelve contacts. SHAPES: balls and capsules on inclines and hills, some with torsional and rolling
friction; balls on a sliding crate and on one another; two capsules.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import rikigaku as rk
from rikigaku.contact.contact_system import ContactSystem

Array = Any
G = 9.81


@dataclass(frozen=True)
class Scene:
    """A robot, its initial state, its contacts and actuation."""

    kind: str
    robot: rk.Robot
    q: Array
    v: Array
    contacts: Any
    torque: Any = None


def _inertia(mass: float, sides: Array) -> rk.Inertia:
    a, b, c = (float(x) ** 2 for x in sides)
    moments = (mass * (b + c) / 12, 0, 0, mass * (a + c) / 12, 0, mass * (a + b) / 12)
    return rk.Inertia("com", float(mass), (0, 0, 0), moments)


def _free_body(name: str, mass: float, sides: Array, points: list[Array]) -> rk.Robot:
    link = rk.Link(name, "base", rk.Joint("fly", "free"), rk.Placement(), _inertia(mass, sides))
    frames = tuple(
        rk.Frame(f"p{i}", name, rk.Placement(tuple(float(x) for x in p))) for i, p in enumerate(points)
    )
    return rk.Robot(name, (link,), frames)


def _ground(rng: np.random.Generator) -> rk.Surface:
    slope = rng.choice([0.0, rng.uniform(0, 0.6)])
    heading = rng.uniform(0, 2 * np.pi)
    normal = (np.sin(slope) * np.cos(heading), np.sin(slope) * np.sin(heading), np.cos(slope))
    return rk.Plane(tuple(float(x) for x in normal), (0, 0, 0))


def _contacts(rng: np.random.Generator, frames: list[str], ground: rk.Surface) -> list[Any]:
    mu, e = rng.choice([0.0, rng.uniform(0.05, 1.2)]), rng.choice([0.0, 0.0, rng.uniform(0, 0.9)])
    friction: Any = float(mu)
    if mu and rng.random() < 0.2:
        friction = rk.Friction(float(mu), static=float(mu * rng.uniform(1, 1.5)))
    return [rk.Contact(frame, ground, friction=friction, restitution=float(e)) for frame in frames]


def above(robot: rk.Robot, contacts: list[Any], q: Array, height: float) -> Array:
    """The configuration lifted until the lowest contact is at that height."""
    system = ContactSystem(robot, contacts)
    for _ in range(3):
        gaps = system.state(q, np.zeros(robot.nv)).gap
        q = q.copy()
        q[2] += height - gaps.min()
    return q


def attitude(rng: np.random.Generator, flat: bool) -> Array:
    if flat:
        return np.array([1.0, 0, 0, 0])
    x = rng.normal(size=4)
    return x / np.linalg.norm(x)


def box(rng: np.random.Generator) -> Scene:
    """A box on its lower four or all eight corners, flat on the ground, sliding, or thrown."""
    sides, eight = rng.uniform(0.1, 0.6, 3), rng.random() < 0.6
    a, b, c = sides / 2
    heights = (-c, c) if eight else (-c,)
    points = [np.array([x, y, z]) for z in heights for x in (a, -a) for y in (b, -b)]
    robot = _free_body("box", rng.uniform(0.3, 20), sides, points)
    ground = _ground(rng)
    flat = rng.random() < 0.4
    if flat:
        ground = rk.Plane()
        slope = rng.choice([0.0, rng.uniform(0, 0.6)])
        robot = robot.with_gravity((float(G * np.sin(slope)), 0, float(-G * np.cos(slope))))
    contacts = _contacts(rng, [f.name for f in robot.frames], ground)
    q = np.array([0, 0, 0, *attitude(rng, flat)])
    q = above(robot, contacts, q, 0.0 if flat else rng.uniform(0, 0.5))
    v = rng.normal(size=6) * [
        1,
        1,
        0 if flat else 1,
        *([0, 0, rng.choice([0, 1e-3, 1.0])] if flat else [3] * 3),
    ]
    return Scene("flat box" if flat else "thrown box", robot, q, v, contacts)


def rod(rng: np.random.Generator) -> Scene:
    """A rod of two to six points along it."""
    length, count = rng.uniform(0.2, 1.0), int(rng.integers(2, 7))
    points = [np.array([x, 0, 0]) for x in np.linspace(-length / 2, length / 2, count)]
    robot = _free_body("rod", rng.uniform(0.2, 5), np.array([length, 0.03, 0.03]), points)
    contacts = _contacts(rng, [f.name for f in robot.frames], _ground(rng))
    q = above(robot, contacts, np.array([0, 0, 0, *attitude(rng, False)]), rng.uniform(0, 0.5))
    return Scene("rod", robot, q, rng.normal(size=6) * [1, 1, 1, 2, 2, 2], contacts)


def mass(rng: np.random.Generator) -> Scene:
    """A point mass in a bowl or between two or three inclines."""
    robot = _free_body("mass", rng.uniform(0.2, 5), np.full(3, 0.05), [np.zeros(3)])
    e, mu = rng.uniform(0, 0.9), rng.uniform(0, 1)
    if rng.random() < 0.4:
        surfaces: list[rk.Surface] = [rk.HeightField("0.5*x^2 + 0.3*y^2")]
    else:
        count, slope = int(rng.integers(2, 4)), rng.uniform(0.2, 1.0)
        angles = 2 * np.pi * np.arange(count) / count
        s, c = np.sin(slope), np.cos(slope)
        surfaces = [rk.Plane((float(s * np.cos(a)), float(s * np.sin(a)), float(c))) for a in angles]
    contacts = [rk.Contact("p0", s, friction=float(mu), restitution=float(e)) for s in surfaces]
    q = np.array([*rng.uniform(-0.3, 0.3, 2), 1.0, 1, 0, 0, 0])
    return Scene("mass", robot, q, np.array([*rng.normal(size=3), 0, 0, 0]), contacts)


def arm(rng: np.random.Generator) -> Scene:
    """A planar or spatial arm whose end, and perhaps elbow, meets an incline; some joints with stiction."""
    count = int(rng.integers(2, 5))
    spatial = rng.random() < 0.4
    links, parent = [], "base"
    for i in range(count):
        axis = (1, 0, 0) if not spatial or i % 2 else tuple(float(x) for x in np.eye(3)[int(rng.integers(3))])
        coulomb = float(rng.choice([0.0, rng.uniform(0.05, 2.0)]))
        viscous = float(rng.choice([0.0, rng.uniform(0.01, 1.0)]))
        joint = rk.Joint(f"j{i}", "revolute", axis, coulomb=coulomb, viscous=viscous)
        xyz = (0, 0, 1.0 if i == 0 else 0.5)
        body = rk.Inertia("com", float(rng.uniform(0.5, 2)), (0, 0, 0.25), (0.03, 0, 0, 0.03, 0, 0.005))
        links.append(rk.Link(f"l{i}", parent, joint, rk.Placement(xyz), body))
        parent = f"l{i}"
    frames = (rk.Frame("tip", parent, rk.Placement((0, 0, 0.5))), rk.Frame("elbow", "l1", rk.Placement()))
    robot = rk.Robot("arm", tuple(links), frames[: 1 + (count > 2)])
    slope = rng.uniform(-0.4, 0.4)
    ground = rk.Plane((0, float(np.sin(slope)), float(np.cos(slope))), (0, 0, float(rng.uniform(-0.2, 0.4))))
    contacts = _contacts(rng, [f.name for f in robot.frames], ground)
    q = rng.uniform(-0.7, 0.7, count)
    try:
        gaps = ContactSystem(robot, contacts).state(q, np.zeros(count)).gap
    except rk.errors.WrongValue:  # the elbow is on a vertical axis and does not move
        contacts = contacts[:1]
        gaps = ContactSystem(robot, contacts).state(q, np.zeros(count)).gap
    if gaps.min() < 0:
        q = np.zeros(count)
    waves = zip(*(rng.uniform(0, most, count) for most in (6, 9, 6)), strict=True)
    torque = [f"{a:.4f}*sin({w:.4f}*t + {p:.4f})" for a, w, p in waves]
    return Scene("arm", robot, q, rng.normal(size=count), contacts, torque)


def legged(rng: np.random.Generator) -> Scene:
    """A body on two to four legs of two joints under PD control, dropped; some joints with stiction."""
    legs = int(rng.integers(2, 5))
    trunk = rk.Link("trunk", "base", rk.Joint("fly", "free"), rk.Placement(), _inertia(5.0, [0.4, 0.3, 0.1]))
    links, frames = [trunk], []
    for i in range(legs):
        angle = 2 * np.pi * i / legs + 0.3
        hip = (float(0.2 * np.cos(angle)), float(0.15 * np.sin(angle)), 0.0)
        parent = "trunk"
        for part, (axis, xyz) in enumerate((((0, 1, 0), hip), ((0, 1, 0), (0, 0, -0.2)))):
            dry = float(rng.choice([0.0, rng.uniform(0.05, 0.5)]))
            joint = rk.Joint(f"leg{i}_{part}", "revolute", axis, coulomb=dry, viscous=0.01)
            body = rk.Inertia("com", 0.3, (0, 0, -0.1), (0.002, 0, 0, 0.002, 0, 0.0005))
            links.append(rk.Link(f"leg{i}_{part}", parent, joint, rk.Placement(xyz), body))
            parent = f"leg{i}_{part}"
        points = rng.integers(1, 4)
        for k in range(points):
            place = (0.03 * (k - (points - 1) / 2), 0.02 * (k % 2), -0.2)
            frames.append(rk.Frame(f"foot{i}_{k}", parent, rk.Placement(tuple(float(x) for x in place))))
    robot = rk.Robot("legged", tuple(links), tuple(frames))
    contacts = _contacts(rng, [f.name for f in frames], _ground(rng))
    bent = np.tile([0.5, -1.0], legs)
    q = np.array([0, 0, 0.5, 1, 0, 0, 0, *bent])
    q = above(robot, contacts, q, rng.uniform(0, 0.1))
    torque = rk.PD(robot, bent, float(rng.uniform(20, 80)), float(rng.uniform(0.5, 2)), gravity=False)
    return Scene("legged", robot, q, rng.normal(size=robot.nv) * 0.3, contacts, torque)


def ball(rng: np.random.Generator) -> Scene:
    """A ball, or a capsule, thrown on an incline or hills; some with torsional and rolling friction."""
    radius, length = float(rng.uniform(0.05, 0.2)), float(rng.uniform(0.1, 0.5))
    is_ball = rng.random() < 0.6
    shape: Any = rk.Ball(radius) if is_ball else rk.Capsule(radius, length)
    robot = rk.free_body("body", shape, mass=float(rng.uniform(0.2, 5)))
    ground = rk.HeightField("0.1*sin(2*x)*cos(3*y)") if is_ball and rng.random() < 0.3 else _ground(rng)
    plain = _contacts(rng, ["body"], ground)[0]
    parts: Any = (shape,) if is_ball else shape.ends
    moments: dict[str, Any] = {}
    if rng.random() < 0.5:
        moments = {"torsional_friction": 0.1 * radius * rng.random(), "rolling_friction": 0.05 * radius}
    e = plain.restitution
    contacts = [rk.Contact("body", ground, plain.friction, e, shape=p, **moments) for p in parts]
    q = above(robot, contacts, np.array([0, 0, 0.5, *attitude(rng, False)]), rng.uniform(0, 0.4))
    return Scene(
        "ball" if is_ball else "capsule", robot, q, rng.normal(size=6) * [1, 1, 1, 5, 5, 5], contacts
    )


def pile(rng: np.random.Generator) -> Scene:
    """A crate that slides on the floor, with one or two balls dropped on it, which may fall to the floor."""
    sides = [float(x) for x in rng.uniform(0.3, 0.8, 3) * [1, 1, 0.5]]
    crate = rk.Box(sides[0], sides[1], sides[2])
    mu, e = float(rng.uniform(0.1, 0.9)), float(rng.choice([0.0, rng.uniform(0, 0.8)]))
    robots = [rk.free_body("crate", crate, mass=float(rng.uniform(1, 10)))]
    corners: list[Any] = list(rk.shape_contacts("crate", crate, rk.Plane(), friction=mu))
    contacts = [corner for corner in corners if corner.shape.at[2] < 0]
    q: list[float] = [0, 0, sides[2] / 2, 1, 0, 0, 0]
    height, names = sides[2], list[tuple[str, float]]()
    for i in range(int(rng.integers(1, 3))):
        radius, name = float(rng.uniform(0.05, 0.12)), f"ball{i}"
        shape = rk.Ball(radius)
        robots.append(rk.free_body(name, shape, mass=float(rng.uniform(0.2, 3))))
        surfaces: list[Any] = [crate.on("crate"), rk.Plane(), *(rk.Ball(r).on(other) for other, r in names)]
        for surface in surfaces:
            contacts.append(rk.Contact(name, surface, friction=mu, restitution=e, shape=shape))
        height += radius + float(rng.uniform(0, 0.1))
        q += [*(float(x) for x in rng.uniform(-0.05, 0.05, 2)), height, 1, 0, 0, 0]
        height += radius
        names.append((name, radius))
    world = rk.world(robots)
    v = np.concatenate([[*rng.normal(size=2), 0, 0, 0, 0], *(rng.normal(size=6) * 0.5 for _ in names)])
    return Scene("pile", world, np.array(q), v, contacts)


def capsules(rng: np.random.Generator) -> Scene:
    """Two capsules on an incline that meet, or lie on one another."""
    shapes = [rk.Capsule(float(rng.uniform(0.05, 0.1)), float(rng.uniform(0.1, 0.4))) for _ in range(2)]
    world = rk.world(
        [rk.free_body(f"c{i}", s, mass=float(rng.uniform(0.5, 3))) for i, s in enumerate(shapes)]
    )
    ground, mu = _ground(rng), float(rng.uniform(0.1, 0.9))
    contacts: list[Any] = []
    for i, shape in enumerate(shapes):
        contacts += rk.shape_contacts(f"c{i}", shape, ground, friction=mu)
    contacts += rk.shape_contacts("c0", shapes[0], shapes[1].on("c1"), friction=mu)
    q = np.array([0, 0, 0.6, *attitude(rng, False), *rng.uniform(-0.1, 0.1, 2), 1.2, *attitude(rng, False)])
    return Scene("capsules", world, q, rng.normal(size=12) * 0.5, contacts)


Kinds = tuple[Callable[[np.random.Generator], Scene], ...]
POINTS: Kinds = (box, box, rod, mass, arm, arm, legged)
SHAPES: Kinds = (ball, pile, capsules, ball, pile)
