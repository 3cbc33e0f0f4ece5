"""Contact forces and accelerations are the KKT solution of Pinocchio, SymPy and NumPy, on any robot."""

from dataclasses import replace

import numpy as np
import pytest
import sympy
from closed_robots import closed_configuration, shipped
from contact_reference import Contacts
from plain_numbers import plain_forces
from random_robots import random_robot

import rikigaku as rk
from rikigaku.contact import Contact, ContactSystem, Cylinder, Friction, HeightField, Plane, Sphere, Torus

X, Y, Z, T = sympy.symbols("x y z t")
R = sympy.Rational
SURFACES = {
    "plane": (Plane((1, 2, 3), (0, 0, 1)), X + 2 * Y + 3 * (Z - 1)),
    "sphere": (Sphere(2, (0.5, 0, 0)), (X - R(1, 2)) ** 2 + Y**2 + Z**2 - 4),
    "bowl": (Sphere(3, inside=True), 9 - X**2 - Y**2 - Z**2),
    "cylinder": (Cylinder(1, (0, 1, 1)), X**2 + (Y - Z) ** 2 / 2 - 1),
    "torus": (Torus(2, 1), (sympy.sqrt(X**2 + Y**2) - 2) ** 2 + Z**2 - 1),
    "height field": (HeightField("0.3*sin(2*x)*y"), Z - R(3, 10) * sympy.sin(2 * X) * Y),
    "moving": (rk.Surface("z - 0.2*sin(3*t)*x - t^2/2"), Z - R(1, 5) * sympy.sin(3 * T) * X - T**2 / 2),
}
SURFACES["formula"] = (rk.Surface("x*y*z + sqrt(z^2 + 1) - 2"), X * Y * Z + sympy.sqrt(Z**2 + 1) - 2)
TYPES = ("revolute", "prismatic", "spherical", "free", "universal")
ROBOTS = {
    "arm": lambda seed: random_robot(seed, 6, ("revolute",)),
    "arm with slides": lambda seed: random_robot(seed, 5, ("revolute", "prismatic")),
    "tree": lambda seed: random_robot(seed, 7, TYPES),
    "free base": lambda seed: random_robot(seed, 4, ("revolute", "universal"), base="free"),
}


def random_case(kind, seed):
    """A robot whose tip moves in space, and a state."""
    for trial in range(seed, seed + 900, 100):
        robot = ROBOTS[kind](trial)
        rng = np.random.default_rng(trial)
        q, v, _ = robot.random_state(rng)
        if np.linalg.svd(robot.jacobian(q, "tip")[:3], compute_uv=False)[2] > 0.05:
            return robot, q, v, rng.normal(size=robot.nv)
    raise AssertionError("no robot whose tip moves in space")


def by_floats(*given):
    """a, f, f_n of the law on plain numbers."""
    found = plain_forces(*given)
    return found.a, found.f, found.f_n


def agrees(ours, theirs):
    """Accelerations and forces to 1e-9 of the largest."""
    for mine, other in zip(ours, theirs, strict=True):
        assert np.abs(mine - other).max() < 1e-9 * max(1.0, np.abs(other).max())


def sliding(system, sides):
    """All contacts slide, by their velocities."""
    signs = [0 if count == 2 else None for count in system.tangents]
    return replace(
        system.constraints,
        contacts=tuple((i, 0) for i in range(len(sides))),
        sliding=tuple((i, sign, side) for i, (sign, side) in enumerate(zip(signs, sides, strict=True))),
    )


@pytest.mark.parametrize("kind", ROBOTS)
@pytest.mark.parametrize("name", SURFACES)
def test_a_point_that_slides_on_a_surface_moves_as_pinocchios_kkt_solution(name, kind):
    surface, expression = SURFACES[name]
    for seed in range(2):
        robot, q, v, tau = random_case(kind, seed)
        other = Contacts(robot, [("tip", expression)])
        v, t = other.allowed(q, v, 0.7), 0.7
        system = ContactSystem(robot, [Contact("tip", surface, Friction(0.15), bilateral=True)], joints=())
        a, f, f_n = other.solve(q, v, tau, [0.15], np.zeros(robot.nv), t)
        assert system.tangents == (2,)
        agrees(by_floats(system, sliding(system, np.sign(f_n).astype(int)), q, v, tau, t), (a, f, f_n))


@pytest.mark.parametrize("kind", ["tree", "free base"])
@pytest.mark.parametrize("stuck", [(), (1,), (0, 1)])
def test_several_points_at_once_slide_and_stick_as_pinocchios_kkt_solution(kind, stuck):
    places = [("tip", "moving"), ("l2", "torus"), ("l3", "sphere")]
    for seed in (2, 5):
        robot, q, v, tau = random_case(kind, seed)
        names = [(frame, SURFACES[name]) for frame, name in places]
        if stuck:  # what sticks to a moving surface moves with it: here they stand still
            names[0] = ("tip", SURFACES["plane"])
        movable = [pair for pair in names if np.abs(robot.jacobian(q, pair[0])[:3]).max() > 0]
        spans = np.vstack([robot.jacobian(q, frame)[:3] for frame, _ in movable])
        while np.linalg.matrix_rank(spans, tol=1e-3) < len(spans):
            movable.pop()
            spans = spans[:-3]
        held = tuple(i for i in stuck if i < len(movable))
        other = Contacts(robot, [(frame, expression) for frame, (_, expression) in movable])
        mu = [0.1 * (1 + i) for i in range(len(movable))]
        system = ContactSystem(
            robot,
            [Contact(f, s, m, bilateral=True) for (f, (s, _)), m in zip(movable, mu, strict=True)],
            joints=(),
        )
        v, t = other.allowed(q, v, 0.4, held), 0.4
        a, f, f_n = other.solve(q, v, tau, mu, np.zeros(robot.nv), t, held)
        plan = sliding(system, np.sign(f_n).astype(int))
        rows = [(i, k) for i in range(len(mu)) for k in range(3 if i in held else 1)]
        plan = replace(plan, contacts=tuple(rows), sliding=tuple(s for s in plan.sliding if s[0] not in held))
        agrees(by_floats(system, plan, q, v, tau, t), (a, f, f_n))


@pytest.mark.parametrize("name", ["five_bar", "three_rrr", "stewart"])
def test_contacts_of_robots_with_loops_are_pinocchios_kkt_solution(name):
    robot = shipped(name)
    frame = robot.frames[-1].name if robot.frames else robot.links[-1].name
    q = closed_configuration(robot, 1)
    rng = np.random.default_rng(4)
    surface, expression = rk.Surface("x + 2*y + z^2/3 - x*y - 5"), X + 2 * Y + Z**2 / 3 - X * Y - 5
    other = Contacts(robot, [(frame, expression)])
    v = other.allowed(q, rng.normal(size=robot.nv), 0.0)
    tau = rng.normal(size=robot.nv)
    system = ContactSystem(robot, [Contact(frame, surface, 0.2, bilateral=True)], joints=())
    viscous = np.array([float(joint.viscous) for joint in robot.joints for _ in range(joint.nv)])
    a, f, f_n = other.solve(q, v, tau, [0.2], viscous)
    plan = sliding(system, [int(np.sign(f_n[0]))])
    if system.tangents == (1,):
        way = int(np.sign(system.state(q, v).sliding[0, 0]))
        plan = replace(plan, sliding=((0, way, plan.sliding[0][2]),))
    agrees(by_floats(system, plan, q, v, tau, 0.0), (a, f, f_n))


@pytest.mark.parametrize("kind", ["arm", "free base"])
def test_compiled_contacts_give_what_plain_numbers_give(kind):
    robot, q, v, tau = random_case(kind, 1)
    system = ContactSystem(robot, [Contact("tip", SURFACES["moving"][0], 0.3, bilateral=True)], joints=())
    plan = sliding(system, [1])
    a, f, f_n = by_floats(system, plan, q, v, tau, 0.3)
    ours = system.forces(plan, q, v, tau, 0.3)
    agrees((ours.a, ours.f, ours.f_n), (a, f, f_n))


def test_a_point_that_moves_in_a_plane_slides_along_the_line_the_surface_leaves_it():
    """An arm in the plane y, z on a surface that leans out of it: friction goes along the line of motion."""
    arm = shipped("planar_3r")
    q, tau = np.array([-0.4, -0.9, -0.7]), np.array([1.0, -2.0, 0.5])
    for text, expression in (("z + 0.5*x + 0.2*y^2 - 1", Z + X / 2 + Y**2 / 5 - 1), ("z - 0.2*y", Z - Y / 5)):
        other = Contacts(arm, [("hand", expression)])
        v = other.allowed(q, np.array([0.3, 0.8, -0.2]), 0.0)
        a, f, f_n = other.solve(q, v, tau, [0.25], np.full(3, 3.0))
        system = ContactSystem(arm, [Contact("hand", rk.Surface(text), 0.25, bilateral=True)])
        way = int(np.sign(system.state(q, v).sliding[0, 0]))
        plan = replace(system.constraints, contacts=((0, 0),), sliding=((0, way, int(np.sign(f_n[0]))),))
        agrees(by_floats(system, plan, q, v, tau, 0.0), (a, f, f_n))


@pytest.mark.parametrize("scale", ["1000", "0.001", "(1 + x^2)"])
def test_scaling_the_formula_of_a_surface_changes_nothing_on_it(scale):
    robot = rk.load("panda")
    q, v, _ = robot.random_state(3)
    plain = ContactSystem(robot, [Contact("hand", rk.Surface("z - x*y - 0.4"), 0.2, bilateral=True)])
    q = plain.placed(q)
    v = plain.allowed_velocity(q, v)
    scaled = ContactSystem(
        robot, [Contact("hand", rk.Surface(f"{scale}*(z - x*y - 0.4)"), 0.2, bilateral=True)]
    )
    one, two = (by_floats(s, sliding(s, [1]), q, v, np.ones(robot.nv), 0.0) for s in (plain, scaled))
    agrees(two, one)
