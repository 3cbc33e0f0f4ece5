"""Frames held in part of their pose: the KKT solution of what they hold, geometry in motion, mistakes."""

import numpy as np
import pytest
import sympy
from contact_reference import Contacts
from plain_numbers import plain_forces
from random_robots import random_robot

import rikigaku as rk
from rikigaku.contact import Contact, ContactSystem, Guide, Plane
from rikigaku.core.errors import PullingWarning, UnknownName, WrongSize, WrongValue

HELD = {  # axes of the place along which the frame's origin stays, axes about which it does not rotation
    ("z", "fixed"): (2, 3, 4, 5),
    ("xy", "z"): (0, 1, 3, 4),
    ("xyz", "x"): (0, 1, 2, 4, 5),
    ("", "y"): (3, 5),
}


@pytest.mark.parametrize("which", HELD)
def test_a_guide_gives_the_kkt_solution_of_the_components_it_holds(which):
    """Where the frame is at its place, up to motions left free, the held components of its twist vanish."""
    keep, rotation = which
    robot = random_robot(5, 7, ("revolute", "universal"))
    rng = np.random.default_rng(0)
    q, v, _ = robot.random_state(rng)
    tau = rng.normal(size=robot.nv)
    guide = Guide.here(robot, q, "tip", keep, rotation)
    system = ContactSystem(robot, [guide], joints=())
    A, other = guide.pose[:3, :3], Contacts(robot, [("tip", sympy.Symbol("z"))])
    axes = np.block([[A.T, np.zeros((3, 3))], [np.zeros((3, 3)), A.T]])[list(HELD[which])]
    J = axes @ robot.jacobian(q, "tip")
    v = v - np.linalg.pinv(J) @ (J @ v)
    M, nv = other.tree.mass_matrix(q), robot.nv
    b = other.tree.forces(q, v, np.zeros(nv))
    step = 1e-4  # the rows along the motion: what is left free moves the frame's own axes
    ways = [rows_at(robot, q, v, k * step, guide, which) @ v for k in (-2, -1, 1, 2)]
    drift = (ways[0] - 8 * ways[1] + 8 * ways[2] - ways[3]) / (12 * step)
    x = np.linalg.solve(np.block([[M, -J.T], [J, np.zeros((len(J), len(J)))]]), np.r_[tau - b, -drift])
    ours = plain_forces(system, system.constraints, q, v, tau)
    assert len(system.constraints.guide_equations) == len(J)
    assert np.abs(ours.a - x[:nv]).max() < 1e-7 * np.abs(x[:nv]).max()  # the oracle differentiates by steps
    assert np.abs(ours.guides[0] - axes.T @ x[nv:]).max() < 1e-7 * np.abs(x[nv:]).max()
    # no work along what is free, and the balance of forces is exact
    power = robot.jacobian(q, "tip").T @ ours.guides[0]
    assert np.abs(M @ ours.a + b - tau - power).max() < 1e-10 * np.abs(tau).max() * 10


def rows_at(robot, q, v, s, guide, which):
    """Jacobian of the difference of the frame's pose from the guide's, at the configuration q + s v."""
    keep, rotation = which
    q = robot.integrate(q, s * v)
    J, X, A = robot.jacobian(q, "tip"), robot.pose(q, "tip"), guide.pose[:3, :3]
    rows = [A[:, "xyz".index(axis)] @ J[:3] for axis in keep]
    if rotation == "fixed":  # the rotation from the place is none: its vector, by SciPy
        return np.array([*rows, *(A.T @ J[3:])])
    if rotation != "free":
        k = "xyz".index(rotation)
        rows += [np.cross(X[:3, k], A[:, i]) @ J[3:] * s_ for i, s_ in _across(k)]
    return np.array(rows)


def _across(k):
    """Axes of the place that stay square to the frame's axis k, so that rows are about the others."""
    i, j = (k + 1) % 3, (k + 2) % 3
    return [(j, -1.0), (i, 1.0)] if i < j else [(j, -1.0), (i, 1.0)][::-1]


def test_a_hand_slides_on_a_wall_with_its_orientation_kept():
    """A seven-joint arm with a contact (friction) and a guide (orientation), dropped under gravity."""
    robot = rk.load("panda")
    q = np.array([0.3, 0.4, 0.1, -1.8, 0.2, 2.0, 0.4])
    X = robot.pose(q, "hand")
    wall = Plane((1, 0, 0), X[:3, 3])
    contacts = [
        Contact("hand", wall, 0.2, bilateral=True),
        Guide.here(robot, q, "hand", rotation="fixed"),
    ]
    with pytest.warns(PullingWarning, match="pulls"):
        solution = rk.simulate(robot, q, duration=0.3, contacts=contacts, rtol=1e-10)
    assert solution.done
    poses = robot.pose(solution.q, "hand")
    assert np.abs(poses[:, 0, 3] - X[0, 3]).max() < 1e-12
    assert np.abs(poses[:, :3, :3] - X[:3, :3]).max() < 1e-12
    assert np.linalg.norm(poses[-1, 1:3, 3] - X[1:3, 3]) > 0.05  # it does slide
    assert solution.energy_audit().relative < 1e-9


@pytest.mark.filterwarnings("ignore::rikigaku.core.errors.PullingWarning")
def test_a_door_handle_and_a_line_are_kept_without_work():
    """A handle on a circle about a hinge, its axis upright: cylinder and guides. A line: one guide."""
    robot = rk.load("panda")
    q = np.array([0.3, 0.4, 0.1, -1.8, 0.2, 2.0, 0.4])
    p = robot.pose(q, "hand")[:3, 3]
    hinge = p + np.array([0.5, 0.3, 0.0])
    radius = np.hypot(0.5, 0.3)
    upright = np.eye(4)
    upright[:3, 3] = p
    door = [
        Contact("hand", rk.Cylinder(radius, (0, 0, 1), hinge), bilateral=True),
        Guide("hand", keep="z", pose=upright),
        Guide.here(robot, q, "hand", rotation="z"),
    ]
    line = [Guide("hand", keep="xz", pose=upright)]
    v = np.array([0.2, 0.5, -0.3, 0.4, 0.1, -0.6, 0.2])
    for contacts in (door, line):
        system = ContactSystem(robot, contacts, joints=())
        start = system.allowed_velocity(q, v)
        solution = rk.simulate(robot, q, start, duration=0.25, contacts=contacts, rtol=1e-10)
        r = robot.pose(solution.q, "hand")[:, :3, 3]
        if contacts is door:
            assert np.abs(np.hypot(*(r - hinge)[:, :2].T) - radius).max() < 1e-12
            tilt = robot.pose(solution.q, "hand")[:, :3, 2] - robot.pose(q, "hand")[:3, 2]
            assert np.abs(tilt).max() < 1e-12
            assert np.abs(r[:, 2] - p[2]).max() < 1e-12
        else:
            assert np.abs(r[:, [0, 2]] - p[[0, 2]]).max() < 1e-12
        assert np.linalg.norm(r[-1] - r[0]) > 0.02
        assert solution.energy_audit().relative < 1e-9


def test_an_arm_in_a_plane_is_held_by_the_rows_that_are_independent():
    arm = rk.load("planar_3r")
    q = np.array([-0.5, -1.0, -1.1])
    system = ContactSystem(arm, [Guide.here(arm, q, "hand", "xz", "fixed")])
    assert (
        len(system.constraints.guide_equations) == 2
    )  # its z is the joints' axis: it moves along x, and has one rotation
    assert np.isfinite(system.forces(system.constraints, q, np.zeros(3), np.zeros(3)).a).all()


def test_mistakes_in_guides_are_named():
    arm = rk.load("planar_3r")
    with pytest.raises(WrongValue, match="keep names axes"):
        Guide("hand", "xw")
    with pytest.raises(WrongValue, match="rotation is one of"):
        Guide("hand", "x", "roll")
    with pytest.raises(WrongValue, match="constrains nothing"):
        Guide("hand")
    with pytest.raises(WrongSize, match=r"\(4, 4\)"):
        Guide("hand", "x", pose=np.eye(3))
    with pytest.raises(WrongValue, match="is not valid"):
        Guide("hand", "x", pose=2 * np.eye(4))
    with pytest.raises(UnknownName, match="hand"):
        ContactSystem(arm, [Guide("hnd", "y")]).constraints  # noqa: B018
    with pytest.raises(WrongValue, match="open by"):
        rk.simulate(arm, [0.1, 0.2, 0.3], duration=0.1, contacts=[Guide("hand", "z")])
    system = ContactSystem(arm, [Guide("hand", "z")])
    q = system.placed([-0.5, -1.0, -1.1])
    assert abs(arm.pose(q, "hand")[2, 3]) < 1e-13
