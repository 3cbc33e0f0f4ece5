"""Layers of recorded motions: contact points and forces, surfaces as triangles, beams."""

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.contact.surfaces import Surface
from rikigaku.core.errors import TooLarge
from rikigaku.model.beam_section import section
from rikigaku.web.beam_meshes import beam_mesh, flexible_motion
from rikigaku.web.motions import _solids, recorded_motion
from rikigaku.web.surface_meshes import surface_mesh

BALL = rk.free_body("ball", rk.Ball(0.1), mass=2.0)


def points(numbers: list[float]) -> np.ndarray:
    return np.array(numbers).reshape(-1, 3)


def test_a_ball_on_a_floor_shows_its_weight_at_its_lowest_point() -> None:
    contact = rk.Contact("ball", rk.Plane(), friction=0.5, shape=rk.Ball(0.1))
    rest = rk.simulate(BALL, [0.3, 0.2, 0.1, 1, 0, 0, 0], duration=0.2, contacts=[contact])
    motion = recorded_motion(rest, "rest")
    (track,) = motion.contacts
    (ball,) = motion.shapes
    assert (ball.shape, ball.size) == ("sphere", [0.1])
    assert track.name == "ball"
    np.testing.assert_allclose(points(track.points), np.tile([0.3, 0.2, 0.0], (13, 1)), atol=1e-9)
    np.testing.assert_allclose(points(track.forces)[1:], np.tile([0, 0, 2 * 9.81], (12, 1)), atol=1e-6)


def test_an_open_contact_has_no_force_and_a_fall_ends_in_one() -> None:
    contact = rk.Contact("ball", rk.Plane(), friction=0.5, shape=rk.Ball(0.1))
    fall = rk.simulate(BALL, [0, 0, 0.3, 1, 0, 0, 0], duration=0.5, contacts=[contact])
    motion = recorded_motion(fall, "fall")
    force = points(motion.contacts[0].forces)[:, 2]
    landed = np.array(motion.times) > np.sqrt(2 * 0.2 / 9.81)
    assert (force[~landed] == 0).all()
    np.testing.assert_allclose(force[landed], 2 * 9.81, rtol=1e-5)


def test_a_contact_at_fixed_steps_and_a_joint_limit_are_recorded_too() -> None:
    contact = rk.Contact("ball", rk.Plane(), friction=0.5, shape=rk.Ball(0.1))
    options = {"method": "time_stepping", "step": 0.002, "contacts": [contact]}
    rest = rk.simulate(BALL, [0, 0, 0.1, 1, 0, 0, 0], duration=0.1, **options)
    np.testing.assert_allclose(points(recorded_motion(rest, "").contacts[0].forces)[-1, 2], 19.62, rtol=1e-4)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (
            rk.Capsule(0.1, 0.3, "x", (0.1, 0.2, 0.3)),
            [("cylinder", (1, 0, 0)), ("sphere", None), ("sphere", None)],
        ),
        (rk.Rim(0.2, "y"), [("cylinder", (0, 1, 0))]),
        (rk.Box(0.1, 0.2, 0.3), [("box", None)]),
    ],
)
def test_shapes_of_contacts_are_drawn_along_their_axes(shape: object, expected: list) -> None:
    found = _solids(shape)
    assert [kind for kind, _, _ in found] == [kind for kind, _ in expected]
    for (_, _, pose), (_, axis) in zip(found, expected, strict=True):
        assert np.linalg.det(pose[:3, :3]) == pytest.approx(1)
        if axis is not None:
            np.testing.assert_allclose(pose[:3, 2], axis)


def test_a_motion_without_contacts_has_none_and_may_be_too_long() -> None:
    arm = rk.load("planar_2r")
    fall = rk.simulate(arm, [0.3, 0.4], [0.0, 0.0], duration=0.1)
    assert recorded_motion(fall, "").contacts == []
    with pytest.raises(TooLarge, match="rate below"):
        recorded_motion(fall, "", rate=1e7)


SURFACES = {
    "plane": rk.Plane((1, 0, 2), (0, 0, 0.1)),
    "sphere": rk.Sphere(0.4, center=(0.1, 0, 0.2)),
    "cylinder": rk.Cylinder(0.3, axis=(1, 1, 0)),
    "torus": rk.Torus(0.5, 0.2),
    "height field": rk.HeightField("0.1*sin(3*x)*cos(2*y)"),
    "height grid": rk.HeightGrid(np.random.default_rng(0).normal(size=(6, 6)) * 0.1, 0.3, (-0.8, -0.8)),
    "formula": Surface("z^3 + z - x*y"),
}


@pytest.mark.parametrize("name", SURFACES)
def test_vertices_lie_on_their_surface_and_triangles_fill_it(name: str) -> None:
    surface = SURFACES[name]
    mesh = surface_mesh(BALL, surface, np.zeros(3), 1.0)
    assert mesh is not None
    assert mesh.body == -1
    (row,) = mesh.vertices
    p = points(row)
    from rikigaku.numbers.number_kind import FLOATS

    C = surface.formula.evaluate(FLOATS, surface.variables((p[:, 0], p[:, 1], p[:, 2]), 0.0))
    assert np.abs(C).max() < 1e-4
    corners = p[np.array(mesh.triangles).reshape(-1, 3)]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    if name == "sphere":  # free outside
        assert ((corners.mean(axis=1) - [0.1, 0, 0.2]) * normals).sum(axis=1).min() >= 0
    exact = {"sphere": 4 * np.pi * 0.4**2, "torus": 4 * np.pi**2 * 0.5 * 0.2, "plane": 4.0}
    if name in exact:
        assert area.sum() == pytest.approx(exact[name], rel=0.02)
    else:
        assert area.sum() > 1.0


def test_a_surface_that_moves_has_a_row_for_each_time() -> None:
    lift = rk.Plane(point=(0, 0, "0.5*t"))
    mesh = surface_mesh(BALL, lift, np.zeros(3), 1.0, (0.0, 1.0, 2.0))
    assert mesh is not None
    assert [points(row)[0, 2] for row in mesh.vertices] == pytest.approx([0, 0.5, 1.0])


def test_a_surface_on_a_body_is_in_the_axes_of_the_body() -> None:
    arm = rk.load("planar_2r")
    frame = arm.frames[0]
    mesh = surface_mesh(arm, rk.Plane((1, 0, 0)).on(frame.name), np.zeros(3), 0.2)
    assert mesh is not None
    q = np.array([0.4, 0.7])
    from rikigaku.web.page_laws import BODY_POSES

    pose = np.asarray(arm.law(BODY_POSES)(q)).reshape(-1, 3, 4)[mesh.body]
    world = points(mesh.vertices[0]) @ pose[:, :3].T + pose[:, 3]
    X = arm.pose(q, frame.name)
    np.testing.assert_allclose((world - X[:3, 3]) @ X[:3, 0], 0, atol=1e-6)


def elastic_arm() -> rk.Robot:
    rod = section(rod=0.01, material="aluminium")
    m = rod.area * rod.material.density
    inertia = rk.Inertia("com", m, (0.5, 0, 0), (m * 1e-5, 0, 0, m / 12, 0, m / 12))
    link = rk.Link("rod", "base", rk.Joint("shoulder", axis=(0, 1, 0)), rk.Placement(), inertia, rod)
    return rk.Robot("arm", (link,), (rk.Frame("hand", "rod", rk.Placement((1, 0, 0))),))


def test_vibration_modes_and_deflections_become_beams() -> None:
    elastic = elastic_arm().fem().elastic(elements=4, damping=(0.1, 1e-4))
    modes = elastic.modes([0.3], count=3)
    mesh = beam_mesh(modes, "modes")
    assert mesh.q == [0.3]
    assert [shape.frequency for shape in mesh.shapes] == pytest.approx(list(modes.frequencies))
    assert all(len(shape.displacements) == len(mesh.nodes) for shape in mesh.shapes)
    assert all(shape.imaginary == [] for shape in mesh.shapes)
    assert max(mesh.elements) < len(mesh.nodes) // 3
    sag = elastic.deflection([0.0])
    (shape,) = beam_mesh(sag).shapes
    assert shape.frequency is None
    assert points(shape.displacements)[:, 2].min() == pytest.approx(sag.at("hand")[2], rel=1e-5)
    damped = beam_mesh(elastic.damped_modes([0.0], count=2))
    assert len(damped.shapes[0].imaginary) == len(damped.nodes)


def test_the_motion_of_a_flexible_arm_has_its_nodes() -> None:
    elastic = elastic_arm().fem().elastic(elements=2, damping=(0.0, 2e-4))
    swing = elastic.simulate([0.0], duration=0.1, step=5e-3)
    motion = flexible_motion(swing, "swing")
    assert motion.beams is not None
    assert len(motion.beams.nodes) == len(motion.times) == len(motion.positions)
    np.testing.assert_allclose(points(motion.beams.nodes[-1]), swing.nodes[-1], rtol=1e-5, atol=1e-9)
