"""Shapes: gaps against searches over both shapes, rates and accelerations against differences of gaps."""

import numpy as np
import pytest
from bodies_in_contact import pair
from random_robots import random_robot
from scipy.optimize import minimize

import rikigaku as rk
from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.laws.contact.closest_points import closest_point
from rikigaku.laws.contact.relative_motion import ContactSides
from rikigaku.laws.tree.kinematics import world_poses
from rikigaku.model.mechanism import instantiate
from rikigaku.model.states import random_state
from rikigaku.numbers.number_kind import FLOATS

T = 0.7
PAIR = pair()
GRID = 0.05 * np.random.default_rng(0).normal(size=(8, 9))
WAVES = "0.1*sin(2*x)*cos(y - t)"
CASES = {
    "ball on plane": (rk.Plane((0.1, 0.2, 1)).on("fb"), rk.Ball(0.2, (0.1, 0, 0))),
    "ball on sphere": (rk.Sphere(0.3, (0.1, 0, "0.2*t")).on("fb"), rk.Ball(0.2)),
    "ball in sphere": (rk.Sphere(1.6, (0.1, 0, 0), inside=True).on("fb"), rk.Ball(0.2)),
    "ball on cylinder": (rk.Cylinder(0.3, (1, 2, 0), ("0.1*t", 0, 0)).on("fb"), rk.Ball(0.2)),
    "ball on torus": (rk.Torus(0.3, 0.1, (1, 2, 0)).on("fb"), rk.Ball(0.2)),
    "ball on waves": (rk.HeightField(WAVES).on("fb"), rk.Ball(0.2)),
    "ball on waves of the ground": (rk.Surface("2*z - 0.2*sin(2*x)*cos(y - t) + x*y/10 - t^2"), rk.Ball(0.2)),
    "ball on a grid": (rk.HeightGrid(GRID, 0.5, (-2, -2)).on("fb"), rk.Ball(0.1)),
    "rim on plane": (
        rk.Plane((0.6, 0, 0.8), (0, 0, "0.3*t^2")).on("fb"),
        rk.Rim(0.2, "y", (0.1, 0, 0), 0.03),
    ),
    "rim on turning plane": (rk.Plane((0, "sin(t)", "cos(t)")), rk.Rim(0.2, "x")),
    "ball on ball": (rk.Ball(0.3, (0.1, 0, 0)).on("fb"), rk.Ball(0.2)),
    "ball on capsule": (rk.Capsule(0.1, 1, "y", (0.1, 0, 0)).on("fb"), rk.Ball(0.2)),
    "ball on box": (rk.Box(0.3, 0.7, 0.5, radius=0.02).on("fb"), rk.Ball(0.2)),
    "capsule on ball": (rk.Ball(0.1).on("fb"), rk.Capsule(0.1, 1, "x")),
    "capsule on capsule": (rk.Capsule(0.1, 1, "y", (0.1, 0, 0)).on("fb"), rk.Capsule(0.2, 0.8, "x")),
    "capsule on a fixed capsule": (rk.Capsule(0.1, 4, "y").on("base"), rk.Capsule(0.2, 0.8, "z")),
}


def system(name):
    surface, shape = CASES[name]
    return rk.ContactSystem(PAIR, [rk.Contact("fa", surface, 0.3, shape=shape)])


def states(contact, count=6):
    """States at which the shape is off its surface: near the centre of a shape differences are of no use."""
    found = 0
    for k, q in enumerate(random_state(PAIR, 3, 300).q):
        rng = np.random.default_rng(k)
        if 0.05 < contact.state(q, np.zeros(12), T).gap[0] < 1:
            found += 1
            yield q, rng.normal(size=12), rng.normal(size=12)
        if found == count:
            return
    raise AssertionError(f"only {found} states")


def pose(q, frame):
    return np.eye(4) if frame is None else np.asarray(PAIR.pose(q, frame))


def searched_distance(surface, shape, q):
    """The distance by a search over the points of both cores, without closest points of our own."""
    X = np.linalg.inv(pose(q, surface.body)) @ pose(q, "fa")
    centre, R = X[:3, :3] @ shape.at + X[:3, 3], X[:3, :3]

    def on_core(s):
        if isinstance(shape, rk.Rim):
            k = "xyz".index(shape.axis)
            e = np.eye(3)
            return centre + R @ (shape.radius * (np.cos(s) * e[(k + 1) % 3] + np.sin(s) * e[(k + 2) % 3]))
        return centre + (R @ shape.direction * s if isinstance(shape, rk.Capsule) else 0)

    if isinstance(shape, rk.Rim):
        samples = [float(C_at(surface, on_core(s))) for s in np.linspace(0, 2 * np.pi, 400)]
        start = np.linspace(0, 2 * np.pi, 400)[int(np.argmin(samples))]
        found = minimize(lambda s: C_at(surface, on_core(s[0])), [start], method="Nelder-Mead", tol=1e-13)
        return found.fun - shape.edge
    if not isinstance(surface, rk.Surface):
        half = shape.length / 2 if isinstance(shape, rk.Capsule) else 0
        h = np.array(surface.core)
        bounds = [(-half, half), *zip(-h, h, strict=True)]

        def square(x):
            return np.sum((on_core(x[0]) - x[1:] - surface.at) ** 2)

        found = minimize(
            square, np.zeros(4), bounds=bounds, method="L-BFGS-B", options={"ftol": 0, "gtol": 1e-12}
        )
        return np.sqrt(found.fun) - shape.radius - surface.radius
    constraint = {"type": "eq", "fun": lambda x: C_at(surface, x)}
    nearest = min(
        (
            minimize(
                lambda x: np.sum((x - centre) ** 2), centre + shift, constraints=constraint, method="SLSQP",
                options={"ftol": 1e-16, "maxiter": 200},
            )
            for shift in np.random.default_rng(0).normal(size=(6, 3))
        ),
        key=lambda x: x.fun if x.success else np.inf,
    )  # fmt: skip
    return np.sign(C_at(surface, centre)) * np.sqrt(nearest.fun) - shape.radius


def C_at(surface, x):
    return float(surface.formula.evaluate(FLOATS, surface.variables(x, T)))


@pytest.mark.parametrize("name", CASES)
def test_gaps_are_the_smallest_distances(name):
    surface, shape = CASES[name]
    contact = system(name)
    for q, v, _ in states(contact):
        gap = contact.state(q, v, T).gap[0]
        assert gap == pytest.approx(searched_distance(surface, shape, q), abs=2e-6)


@pytest.mark.parametrize("name", CASES)
def test_rates_and_bias_accelerations_are_differences_of_gaps(name):
    contact, step = system(name), 1e-4
    for q, v, a in states(contact):

        def at(h, q=q, v=v, a=a):
            return contact.state(PAIR.integrate(q, v * h + a * h * h / 2), v + a * h, T + h)

        before, now, after = at(-step), at(0.0), at(step)
        equations = contact.constraint_equations(q, v, T)
        rate, acceleration = (
            (y - x) / (2 * step) for x, y in ((before.gap, after.gap), (before.approach, after.approach))
        )
        expected = equations.J[0] @ a + equations.bias[0]
        assert now.approach[0] == pytest.approx(rate[0], abs=3e-6 * (1 + abs(rate[0])))
        assert expected == pytest.approx(acceleration[0], abs=3e-5 * (1 + abs(expected)))


@pytest.mark.parametrize("name", CASES)
def test_sliding_is_that_of_the_material_points(name):
    """Velocities of both bodies' points at the contact point, by differences of positions of fixed points."""
    surface, _ = CASES[name]
    contact, step = system(name), 1e-5
    for q, v, _ in states(contact, 3):
        at = contact_point(contact, q)
        velocity = np.zeros(3)
        for frame, sign in (("fa", 1), (surface.body, -1)):
            local = np.linalg.inv(pose(q, frame)) @ [*at, 1]
            ends = [pose(PAIR.integrate(q, v * h), frame) @ local for h in (step, -step)]
            velocity += sign * (ends[0] - ends[1])[:3] / (2 * step)
        equations = contact.constraint_equations(q, v, T)
        assert equations.J @ v == pytest.approx(equations.directions @ velocity, abs=1e-6)


def contact_point(contact, q):
    """The contact point of the laws, on plain numbers."""
    mechanism = instantiate(PAIR, FLOATS, {})
    sides = ContactSides(mechanism, world_poses(mechanism, list(q)), contact.points[0], T)
    return np.array(sides.contact_point, float)


@pytest.mark.parametrize("name", CASES)
def test_tangential_bias_is_the_rate_of_sliding_where_nothing_slides(name):
    contact, step = system(name), 1e-5
    for q, v, a in states(contact):
        equations = contact.constraint_equations(q, v, T)
        v = v - np.linalg.pinv(equations.J) @ equations.rates  # neither slides nor approaches
        bias = contact.constraint_equations(q, v, T).bias

        def rates(h, q=q, v=v, a=a):
            return contact.constraint_equations(
                PAIR.integrate(q, v * h + a * h * h / 2), v + a * h, T + h
            ).rates

        slopes = (rates(step) - rates(-step)) / (2 * step)
        assert equations.J @ a + bias == pytest.approx(slopes, abs=2e-4 * (1 + np.abs(slopes).max()))


@pytest.mark.parametrize(
    ("formula", "radius"),
    [("z - 0.1*sin(3*x)", 1 / 0.9), ("z - 0.1*sin(2*x)*cos(3*y)", 1 / 0.9), ("2*z - x^2 - y^2", 1.0)],
)
def test_newtons_method_finds_closest_points_of_formulas_to_rounding(formula, radius):
    """A point at half a radius of curvature along the normal of a known point of the surface."""
    surface = rk.Surface(formula)
    for x, y in np.random.default_rng(0).uniform(-1, 1, size=(50, 2)):
        scale = float(surface.gradient[2])
        foot = np.array([x, y, -C_at(surface, (x, y, 0.0)) / scale])
        at = dict(zip("xyz", foot, strict=True), t=T)
        normal = np.array([float(g.evaluate(FLOATS, at)) for g in surface.gradient])
        centre = foot + 0.5 * radius * normal / np.linalg.norm(normal)
        found = closest_point(surface, tuple(float(c) for c in centre), T, None)
        assert np.array(found.p, float) == pytest.approx(foot, abs=1e-14)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["ball on plane", "ball on sphere", "capsule on capsule", "rim on plane"])
def test_two_links_of_one_tree(kind, seed):
    """Coordinates that carry both links do not matter; rates and accelerations are differences of gaps."""
    robot = random_robot(seed, 7, ("revolute", "prismatic", "spherical", "universal"), base="free")
    surface, shape = CASES[kind]
    first, *_, last = (link.name for link in robot.links[2:])
    surface = surface.on(first) if isinstance(surface, rk.Surface) else rk.Capsule(0.1, 0.7).on(first)
    contact = rk.ContactSystem(robot, [rk.Contact(last, surface, 0.2, shape=shape)], joints=())
    rng, step = np.random.default_rng(seed), 1e-4
    q, v, _ = robot.random_state(rng)
    a = rng.normal(size=robot.nv)

    def at(h):
        return contact.state(robot.integrate(q, v * h + a * h * h / 2), v + a * h, T + h)

    before, now, after = at(-step), at(0.0), at(step)
    equations = contact.constraint_equations(q, v, T)
    rate = (after.gap - before.gap)[0] / (2 * step)
    acceleration = (after.approach - before.approach)[0] / (2 * step)
    assert now.approach[0] == pytest.approx(rate, abs=1e-5 * (1 + abs(rate)))
    expected = equations.J[0] @ a + equations.bias[0]
    assert expected == pytest.approx(acceleration, abs=1e-4 * (1 + abs(expected)))
    assert not equations.J[:, :6].any()  # the free base


def test_parallel_capsules_touch_at_two_points():
    contacts = rk.shape_contacts("a", rk.Capsule(0.1, 1.0), rk.Capsule(0.2, 0.6).on("b"), friction=0.3)
    contact = rk.ContactSystem(PAIR, contacts)
    apart = np.array([0.3, 0, 0.25, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0.0])  # both along z, 0.55 m side by side
    gaps = dict(zip(contact.labels, contact.state(apart, np.zeros(12)).gap, strict=True))
    touching = sorted(label for label, gap in gaps.items() if abs(gap) < 1e-12)
    assert touching == ["a (1)", "a (2)", "b (2)"]  # the closest points, lower end of a, upper end of b
    crossed = apart.copy()
    crossed[3:7] = np.cos(np.pi / 4), np.sin(np.pi / 4), 0, 0
    crossed[2] = 0
    gaps = contact.state(crossed, np.zeros(12)).gap
    assert abs(gaps[0]) < 1e-12
    assert min(gaps[1:]) > 0.01


def test_shapes_with_several_points():
    corners = rk.shape_contacts("a", rk.Box(0.4, 0.3, 0.2, at=(0.1, 0, 0)), rk.Plane(), 0.5, 0.2)
    assert len(corners) == 8
    assert corners[0].shape.at == pytest.approx((-0.1, -0.15, -0.1))
    assert {(c.friction.kinetic, c.restitution) for c in corners} == {(0.5, 0.2)}
    rims = rk.shape_contacts("a", rk.SolidCylinder(0.2, 0.5, "x"), rk.Plane())
    assert [type(c.shape) for c in rims] == [rk.Rim] * 2 + [rk.Vertex] * 6
    assert all(np.hypot(*c.shape.at[1:]) == pytest.approx(0.2, rel=2e-5) for c in rims[2:])
    assert len(rk.shape_contacts("a", rk.Capsule(0.1, 1), rk.Plane())) == 2
    assert len(rk.shape_contacts("a", rk.Capsule(0.1, 1), rk.Ball(1).on("b"))) == 1
    assert len(rk.shape_contacts("a", rk.Ball(0.1), rk.Plane())) == 1


def test_mistakes_are_named():
    with pytest.raises(WrongValue, match="radius of a Ball is above zero"):
        rk.Ball(0)
    with pytest.raises(WrongValue, match="three numbers"):
        rk.Ball(1, (0, 0))
    with pytest.raises(WrongValue, match="axis of a Rim"):
        rk.Rim(1, "w")
    with pytest.raises(WrongValue, match="edge of a Rim"):
        rk.Rim(1, edge=-1)
    with pytest.raises(WrongValue, match="edges of a Box"):
        rk.Box(1, 1, 1, radius=-1)
    with pytest.raises(WrongValue, match="length of a SolidCylinder"):
        rk.SolidCylinder(1, -1)
    with pytest.raises(WrongValue, match="is a shape: fix it"):
        rk.Contact("a", rk.Ball(1))
    with pytest.raises(WrongValue, match="is on the same frame"):
        rk.Contact("a", rk.Plane().on("a"))
    with pytest.raises(WrongValue, match="what touches a ball"):
        rk.Contact("a", rk.Ball(1).on("b"))
    with pytest.raises(WrongValue, match="balls at its ends"):
        rk.Contact("a", rk.Plane(), shape=rk.Capsule(1, 1))
    with pytest.raises(WrongValue, match="balls at its ends"):
        rk.Contact("a", rk.Box(1, 1, 1).on("b"), shape=rk.Capsule(1, 1))
    with pytest.raises(WrongValue, match="planes only"):
        rk.Contact("a", rk.Sphere(1), shape=rk.Rim(1))
    with pytest.raises(WrongValue, match="Meshes are not supported"):
        rk.shape_contacts("a", "mesh.stl", rk.Plane())
    with pytest.raises(WrongValue, match="other points would touch"):
        rk.shape_contacts("a", rk.Box(1, 1, 1), rk.Sphere(1))
    with pytest.raises(UnknownName, match="fc"):
        rk.ContactSystem(PAIR, [rk.Contact("fa", rk.Plane().on("fc"))]).points  # noqa: B018
    with pytest.raises(WrongValue, match="is fixed to 'a'"):
        rk.ContactSystem(PAIR, [rk.Contact("fa", rk.Plane().on("a"))]).points  # noqa: B018
    with pytest.raises(WrongValue, match="a name"):
        rk.Plane().on(3)
    with pytest.raises(WrongValue, match="point on a surface of the ground"):
        rk.ContactSystem(PAIR, [rk.Contact("a", rk.Plane(), shape=rk.Ball(1))]).extended_newton_euler(
            np.zeros(14), np.zeros(12), np.zeros(12)
        )
