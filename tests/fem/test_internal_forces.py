"""Internal forces in space against statics by hand: torsion, bending and shear in and out of the plane."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import rikigaku as rk
from rikigaku.fem import Motion

L, A, M, LOAD, G = 0.8, 0.5, 2.0, 3.0, 9.81


def crank(turned=(0.0, 0.0, 0.0)) -> rk.Robot:
    """A rod along x on a hinge about z (upright), and across its end a rod along y on a hinge about x.

    The second carries a load at its end, so the first is bent and twisted by weight that its hinge does not
    feel. turned: how the whole stands in the world.
    """
    thin = M * L**2 / 12
    first = rk.Link("rod", "base", rk.Joint("yaw"), rk.Placement((0, 0, 0), turned),
                    rk.Inertia("com", M, (L / 2, 0, 0), (0, 0, 0, thin, 0, thin)))  # fmt: skip
    second = rk.Link("arm", "rod", rk.Joint("roll", axis=(1, 0, 0)), rk.Placement((L, 0, 0)),
                     rk.Inertia("com", 0, (0, 0, 0)))  # fmt: skip
    return rk.Robot("crank", (first, second), (rk.Frame("end", "arm", rk.Placement((0, A, 0))),))


def inside(robot, q=(0.0, 0.0), v=(0.0, 0.0), a=(0.0, 0.0), **options):
    one = Motion(robot, np.zeros(1), *(np.array([x], dtype=float) for x in (q, v, a)))
    return robot.fem(masses={"end": LOAD}).inverse_dynamics(one, **options).internal_forces


def ends(found, link, component):
    """Distances from the joint and values, both ends of the beams of a link."""
    return np.array(found.along(link, component))


def test_weight_across_the_end_of_a_rod_bends_it_upright_shears_and_twists_it():
    found = inside(crank())
    for link, twist in (("rod", LOAD * G * A), ("arm", 0.0)):
        assert np.abs(ends(found, link, "torsion")[1]) == pytest.approx(np.full(4, twist), abs=1e-12)
    x, moment = ends(found, "rod", "bending_upright")
    # the load beyond, and half of the rod's own weight lumped at its middle
    by_hand = LOAD * G * (L - x) + M * G * np.maximum(L / 2 - x, 0)
    assert np.abs(moment) == pytest.approx(by_hand, abs=1e-12)
    shear = ends(found, "rod", "shear_upright")[1]
    assert np.abs(shear) == pytest.approx([(LOAD + M) * G] * 2 + [LOAD * G] * 2, abs=1e-12)
    # moments fall off as shear says, with one sign throughout
    assert np.diff(moment)[::2] == pytest.approx(-np.sign(moment[0]) * np.abs(shear[::2]) * L / 2, abs=1e-12)
    for component in ("axial", "shear", "bending"):  # nothing in the plane the hinge turns in
        assert ends(found, "rod", component)[1] == pytest.approx(np.zeros(4), abs=1e-12)
    # the arm's own hinge is about x: its plane is upright, and the load bends it there
    x, moment = ends(found, "arm", "bending")
    assert np.abs(moment) == pytest.approx(LOAD * G * (A - x), abs=1e-12)


def test_spinning_pulls_along_the_rod_and_bends_the_arm_sideways():
    spin = 3.0
    found = inside(crank(), v=(spin, 0.0), gravity=(0, 0, 0))
    # toward the axis at (0, 0): the load at (L, A), the rod's mass at L/2; a spin of constant speed
    pull = ends(found, "rod", "axial")[1]
    assert pull == pytest.approx([spin**2 * (LOAD * L + M * L / 2)] * 2 + [spin**2 * LOAD * L] * 2, abs=1e-12)
    assert np.abs(ends(found, "rod", "shear")[1]) == pytest.approx(np.full(4, LOAD * spin**2 * A), abs=1e-12)
    x, moment = ends(found, "rod", "bending")
    # the load's own pull, -w^2 (L, A) m, about a point x along the rod: m w^2 A x
    assert np.abs(moment) == pytest.approx(LOAD * spin**2 * A * x, abs=1e-12)
    # the arm, seen from its hinge about x: pulled along itself, and sideways out of its plane
    assert ends(found, "arm", "axial")[1] == pytest.approx(np.full(4, LOAD * spin**2 * A), abs=1e-12)
    y, upright = ends(found, "arm", "bending_upright")
    assert np.abs(upright) == pytest.approx(LOAD * spin**2 * L * (A - y), abs=1e-12)
    assert np.abs(ends(found, "arm", "shear_upright")[1]) == pytest.approx(np.full(4, LOAD * spin**2 * L))


def test_a_spinning_rod_whose_inertia_is_askew_is_bent_at_its_middle():
    spin, askew = 3.0, 0.07
    inertia = rk.Inertia("com", M, (L / 2, 0, 0), (0.3, 0, askew, 0.3, 0, 0.3))
    link = rk.Link("rod", "base", rk.Joint("yaw"), rk.Placement(), inertia)
    robot = rk.Robot("askew", (link,), (rk.Frame("end", "rod", rk.Placement((L, 0, 0))),))
    found = inside(robot, (0.4,), (spin,), (0.0,), gravity=(0, 0, 0))
    moment = ends(found, "rod", "bending_upright")[1]  # w x I w, about the axis across
    assert np.abs(moment) == pytest.approx([askew * spin**2] * 2 + [0, 0], abs=1e-12)


def test_a_wrench_at_the_end_twists_the_rod_by_its_moment():
    found = inside(crank(), gravity=(0, 0, 0), wrenches={"end": (0, 0, 0, 5.0, 7.0, 2.0)})
    assert np.abs(ends(found, "rod", "torsion")[1]) == pytest.approx(np.full(4, 5.0), abs=1e-12)
    assert np.abs(ends(found, "rod", "bending_upright")[1]) == pytest.approx(np.full(4, 7.0), abs=1e-12)
    assert np.abs(ends(found, "rod", "bending")[1]) == pytest.approx(np.full(4, 2.0), abs=1e-12)
    # along the arm (y) it is 7 that twists, and 5 and 2 that bend
    assert np.abs(ends(found, "arm", "torsion")[1]) == pytest.approx(np.full(4, 7.0), abs=1e-12)


def test_internal_forces_do_not_depend_on_how_the_whole_stands_in_the_world():
    turned = (0.4, -0.7, 1.1)
    R = Rotation.from_euler("xyz", turned).as_matrix()
    state = {"q": (0.3, 0.8), "v": (1.0, -2.0), "a": (0.5, 3.0)}
    first = inside(crank(), gravity=(0, 0, -G), **state).values
    second = inside(crank(turned), gravity=R @ (0, 0, -G), **state).values
    assert second == pytest.approx(first, abs=1e-10)
    assert (np.abs(first).max(axis=(0, 1, 2)) > 0.1).all()  # all six are there
