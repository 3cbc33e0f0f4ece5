"""Random scenes with contact: discs and rims, moving surfaces, stacks, joint stops."""

from typing import Any

import numpy as np
from scene_kinds import Kinds, Scene, above, attitude

import rikigaku as rk


def disc(rng: np.random.Generator) -> Scene:
    """A disc on its rim, a tyre, or a cylinder on both rims: thrown, or set down leaning and spinning."""
    radius, mu = float(rng.uniform(0.05, 0.3)), float(rng.uniform(0.1, 1.0))
    e = float(rng.choice([0.0, rng.uniform(0, 0.7)]))
    solid, mass = rng.random() < 0.4, float(rng.uniform(0.3, 5))
    shape = rk.SolidCylinder(radius, float(rng.uniform(0.05, 0.3)) if solid else 0.0)
    robot = rk.free_body("disc", shape, mass=mass)
    contacts: list[Any]
    if solid:
        contacts = list(rk.shape_contacts("disc", shape, rk.Plane(), friction=mu, restitution=e))
    else:
        edge = float(rng.choice([0.0, rng.uniform(0.01, 0.03)]))
        contacts = [rk.Contact("disc", rk.Plane(), mu, e, shape=rk.Rim(radius, edge=edge))]
    q = above(robot, contacts, np.array([0, 0, 1, *attitude(rng, False)]), rng.choice([1e-3, 0.3]))
    return Scene("cylinder" if solid else "disc", robot, q, rng.normal(size=6) * [1, 1, 1, 4, 4, 4], contacts)


def platform(rng: np.random.Generator) -> Scene:
    """A box on a floor that heaves, or on a belt whose speed changes."""
    a, b, c = (float(x) for x in rng.uniform(0.1, 0.4, 3))
    shape = rk.Box(a, b, c)
    robot = rk.free_body("box", shape, mass=float(rng.uniform(0.5, 5)))
    height, w = rng.uniform(0.005, 0.05), rng.uniform(2, 10)
    belt = (f"{rng.uniform(0, 1):.4f}*cos({rng.uniform(1, 6):.4f}*t)", 0, 0)
    heaves = rng.random() < 0.5
    ground = rk.Surface(f"z - {height:.4f}*sin({w:.4f}*t)") if heaves else rk.Plane(belt=belt)
    mu, e = float(rng.uniform(0.1, 0.9)), float(rng.choice([0.0, rng.uniform(0, 0.6)]))
    contacts: list[Any] = list(rk.shape_contacts("box", shape, ground, friction=mu, restitution=e))
    q = above(robot, contacts, np.array([0, 0, 1, *attitude(rng, rng.random() < 0.5)]), rng.uniform(0, 0.2))
    v = rng.normal(size=6) * [0.5, 0.5, 0, 1, 1, 1]
    return Scene("heaving floor" if heaves else "belt", robot, q, v, contacts)


def stack(rng: np.random.Generator) -> Scene:
    """Two or three boxes on one another, nearly aligned; the lowest one slides."""
    count = int(rng.integers(2, 4))
    robots, contacts, q, v, height = [], list[Any](), list[float](), list[float](), 0.0
    top = 0.0  # of the box below, from its centre
    for i in range(count):
        a, b, c = (float(x) for x in rng.uniform(0.2, 0.5, 3) * [1, 1, 0.5])
        robots.append(rk.free_body(f"b{i}", rk.Box(a, b, c), mass=float(rng.uniform(0.5, 4))))
        below = rk.Plane((0, 0, 1), (0, 0, top)).on(f"b{i - 1}") if i else rk.Plane()
        mu = float(rng.uniform(0.2, 0.9))
        for x in (a / 2, -a / 2):
            for y in (b / 2, -b / 2):
                contacts.append(rk.Contact(f"b{i}", below, mu, shape=rk.Vertex((x, y, -c / 2))))
        top = c / 2
        half = float(rng.uniform(-0.3, 0.3))
        q += [
            *(float(x) for x in rng.uniform(-0.03, 0.03, 2)),
            height + top,
            np.cos(half),
            0,
            0,
            np.sin(half),
        ]
        v += [float(rng.normal()) if i == 0 else 0.0, 0, 0, 0, 0, 0]
        height += c
    return Scene("stack", rk.world(robots), np.array(q), np.array(v), contacts)


def stopped_arm(rng: np.random.Generator) -> Scene:
    """A planar arm between joint stops, some with restitution and dry friction, driven by sines."""
    count = int(rng.integers(1, 4))
    links, parent = [], "base"
    for i in range(count):
        limits = rk.Limits(float(rng.uniform(-1.5, -0.3)), float(rng.uniform(0.3, 1.5)))
        dry = float(rng.choice([0.0, rng.uniform(0.05, 0.5)]))
        joint = rk.Joint(f"j{i}", "revolute", (1, 0, 0), limits=limits, coulomb=dry)
        body = rk.Inertia("com", float(rng.uniform(0.5, 2)), (0, 0, 0.2), (0.03, 0, 0, 0.03, 0, 0.005))
        links.append(rk.Link(f"l{i}", parent, joint, rk.Placement((0, 0, 0.4 * (i > 0))), body))
        parent = f"l{i}"
    robot = rk.Robot("arm", tuple(links))
    contacts = rk.joint_stops(robot, restitution=float(rng.choice([0.0, rng.uniform(0, 0.8)])))
    waves = zip(*(rng.uniform(0, most, count) for most in (6, 9, 6)), strict=True)
    torque = [f"{a:.4f}*sin({w:.4f}*t + {p:.4f})" for a, w, p in waves]
    return Scene(
        "joint stops", robot, rng.uniform(-0.2, 0.2, count), rng.normal(size=count), contacts, torque
    )


OTHERS: Kinds = (disc, platform, stack, stopped_arm)
