"""Links on fixed joints and locked ones bend as links of their own; links of no length move."""

from dataclasses import replace

import numpy as np
import pytest
from mechanisms import random_chain, rod, with_sections

import rikigaku as rk
from rikigaku.core.errors import WrongValue
from rikigaku.fem import Motion
from rikigaku.fem.flexible_configuration import rigid_rates
from rikigaku.model.beam_section import section

TUBE = section(tube=(0.06, 0.052), material="steel")
THIN = section(tube=(0.04, 0.036), material="steel")
BEND = np.pi / 2
G = 9.81


def link(name, parent, xyz, axis=(0, 1, 0), profile=TUBE, mass=6.0, **joint):
    """A tube of 1 m along x."""
    inertia = rk.Inertia("com", mass, (0.5, 0, 0), (0.01, 0, 0, mass / 12, 0, mass / 12))
    return rk.Link(
        name, parent, rk.Joint(f"q_{name}", axis=axis, **joint), rk.Placement(xyz), inertia, profile
    )


def arm(profiles=(TUBE, THIN, TUBE), axes=((0, 1, 0),) * 3):
    names = "abcd"[: len(profiles)]
    links = tuple(
        link(name, names[k - 1] if k else "base", (1.0 if k else 0.0, 0, 0), axes[k], profiles[k])
        for k, name in enumerate(names)
    )
    return rk.Robot("arm", links, (rk.Frame("tip", names[-1], rk.Placement((1, 0, 0))),))


@pytest.mark.parametrize("axes", [((0, 1, 0),) * 3, ((0, 1, 0), (0, 0, 1), (0, 1, 0))])
def test_a_locked_joint_bends_as_a_motor_that_holds(axes):
    robot, q = arm(axes=axes), np.array([0.2, BEND, -0.7])
    locked = robot.lock("q_b", BEND)
    held, fixed = (x.fem(masses={"tip": 20.0}, spatial=True).elastic(elements=4) for x in (robot, locked))
    left = q[[0, 2]]
    assert fixed.modes(left).frequencies == pytest.approx(held.modes(q).frequencies, rel=1e-7)
    loads = {"tip": (3.0, 5.0, -10.0)}
    assert fixed.deflection(left, loads).at("tip") == pytest.approx(
        held.deflection(q, loads).at("tip"), rel=1e-9
    )
    swung = [
        x.simulate(y, duration=0.02, step=2e-3, locked=z).at("tip")[-1]
        for x, y, z in ((held, q, ["q_b"]), (fixed, left, "none"))
    ]
    assert swung[1] == pytest.approx(swung[0], abs=1e-9)


def test_an_elbow_of_a_fixed_joint_sags_as_on_paper():
    """Level for 1 m, then down for 1 m, 20 kg at its end; Euler and Bernoulli, tubes without weight."""
    robot = arm((TUBE, TUBE))
    light = tuple(
        replace(x, inertia=rk.Inertia("com", 1e-6, (0.5, 0, 0), (0, 0, 0, 1e-7, 0, 1e-7)))
        for x in robot.links
    )
    robot = replace(robot, links=light).lock("q_b", BEND)
    found = robot.fem(masses={"tip": 20.0}).elastic(elements=4).deflection([0.0]).at("tip")
    EI, P = TUBE.stiffness.EI_flat, 20 * G
    # the level tube turns by P/(2 EI) at its end, and carries the other round by as much
    assert found == pytest.approx([-P / (2 * EI), 0, -P / (3 * EI)], rel=2e-2)


def test_internal_forces_pass_through_fixed_joints_as_through_motors():
    robot, q = arm(), np.array([0.2, BEND, -0.7])
    rng = np.random.default_rng(0)
    v, a = rng.normal(size=(2, 3))
    v[1] = a[1] = 0.0
    locked = robot.lock("q_b", BEND)
    inside = []
    for one, keep in ((robot, [0, 1, 2]), (locked, [0, 2])):
        motion = Motion(one, np.zeros(1), q[None, keep], v[None, keep], a[None, keep])
        found = one.fem(masses={"tip": 2.0}).inverse_dynamics(motion)
        inside.append(found.internal_forces)
    assert set(inside[0].links) == set(inside[1].links) == {"a", "b", "c"}
    for name in "abc":
        for component in ("axial", "shear", "bending"):
            x, y = (np.array(one.along(name, component)) for one in inside)
            assert y == pytest.approx(x, abs=1e-9)


def test_a_fixed_link_without_a_section_is_made_as_the_one_that_carries_it():
    one, other = (arm((TUBE, profile)).lock("q_b", 0.0).fem().elastic(elements=2) for profile in (None, TUBE))
    assert one.modes([0.0]).frequencies == pytest.approx(other.modes([0.0]).frequencies, rel=1e-12)


def test_loops_frames_and_branches_on_fixed_links_keep_their_mobility():
    robot, q = random_chain(1, True, links=8, loop="revolute")
    for name in ("q3", "q7"):
        at = next(k for k, joint in enumerate(robot.joints) if joint.name == name)
        robot, q = robot.lock(name, float(q[at])), np.delete(q, at)
    expected = robot.nv - np.linalg.matrix_rank(robot.loop_jacobian(q), tol=1e-8)
    for hinges in ("integration", "released"):
        assert robot.fem().elastic(elements=2, hinges=hinges).mobility(q) == expected
    stiff = with_sections(robot, EA=1e9, EI=1e6)
    rigid = stiff.fem().elastic(elements=2, mass="lumped").assembly(q)
    assert rigid.nodal_mass[::6, ::6].sum() == pytest.approx(sum(float(x.inertia.m) for x in robot.links))


def test_links_fixed_one_on_the_other_bend_one_after_the_other():
    robot, q = arm((TUBE, THIN, TUBE, THIN), ((0, 1, 0),) * 4), np.array([0.2, BEND, -0.7, 0.4])
    locked = robot.lock("q_b", q[1]).lock("q_c", q[2])
    held, fixed = (x.fem(masses={"tip": 5.0}).elastic(elements=2) for x in (robot, locked))
    assert fixed.deflection(q[[0, 3]]).at("tip") == pytest.approx(held.deflection(q).at("tip"), rel=1e-9)


def test_a_link_fixed_at_the_joint_of_another_turns_with_it():
    first = link("a", "base", (0, 0, 0))
    second = replace(link("b", "a", (0, 0, 0)), geometry=rk.Placement((0, 0, 0), (0, 1.0, 0)))
    robot = rk.Robot("vee", (first, replace(second, joint=rk.Joint("weld", "fixed"))))
    for hinges in ("integration", "released"):
        assert robot.fem().elastic(elements=2, hinges=hinges).mobility([0.3]) == 1


@pytest.mark.parametrize("place", [0.25, 0.6, 1.2, -0.2])
def test_a_frame_on_the_line_of_a_link_bends_with_it_and_changes_nothing_else(place):
    plain = rod(EA=1e6, EI=100.0, kGA=1e9)
    named = replace(plain, frames=(*plain.frames, rk.Frame("sensor", "rod", rk.Placement((place, 0, 0)))))
    load, still = {"tip": (0, 0, -1.0)}, {"gravity": (0, 0, 0)}
    one, other = (x.fem().elastic(elements=8) for x in (plain, named))
    found = other.deflection(loads=load, **still)
    x = min(place, 1.0)
    # a cantilever under 1 N at its tip; straight beyond the tip and before the root, which is held
    exact = -(x**2 * (3 - x) / 6 + max(place - 1, 0) / 2) / 100 if place > 0 else 0.0
    assert found.at("sensor")[2] == pytest.approx(exact, rel=1e-5, abs=1e-12)
    assert found.at("tip") == pytest.approx(one.deflection(loads=load, **still).at("tip"), rel=1e-9)
    if 0 < place < 1:  # no farther than the link: its mass is spread alike, over more beams
        assert other.modes(count=2).frequencies == pytest.approx(one.modes(count=2).frequencies, rel=1e-2)
    one, other = (
        x.fem().inverse_dynamics(Motion(x, np.zeros(1), *np.zeros((3, 1, 1)))).internal_forces
        for x in (plain, named)
    )
    for component in ("shear", "bending") if place > 0 else ():
        y = [np.interp([0.1, 0.3, 0.55, 0.9], *x.along("rod", component)) for x in (one, other)]
        assert y[1] == pytest.approx(y[0], abs=1e-12)


@pytest.mark.parametrize("mass", ["consistent", "lumped", "centre"])
@pytest.mark.parametrize("place", [None, 0.2, 0.7])
def test_a_link_whose_centre_is_not_in_its_middle_keeps_its_inertia_however_it_is_spread(mass, place):
    (link,) = rod(EA=1e9, EI=1e7).links
    askew = replace(link, inertia=rk.Inertia("com", 2.0, (0.3, 0, 0), (0, 0, 0, 0.2, 0, 0.2)))
    frames = [("tip", 1.0)] if place is None else [("tip", 1.0), ("sensor", place)]
    robot = rk.Robot("rod", (askew,), tuple(rk.Frame(n, "rod", rk.Placement((x, 0, 0))) for n, x in frames))
    assembly = robot.fem().elastic(elements=4, mass=mass).assembly([0.4])
    nu = rigid_rates(assembly.kinematics, np.ones(1))[0]
    assert nu @ (assembly.M @ nu) == pytest.approx(robot.mass_matrix([0.4])[0, 0], rel=1e-9)
    assert assembly.nodal_mass[::6, ::6].sum() == pytest.approx(2.0)


def test_what_cannot_bend_is_reported():
    robot = arm((TUBE, TUBE)).lock("q_a", 0.3)
    with pytest.raises(WrongValue, match="Link 'a' is fixed to the ground, which does not bend"):
        robot.fem().elastic().modes([0.0])
    disc = rk.Link(
        "disc", "base", rk.Joint("q"), rk.Placement(), rk.Inertia("com", 1, (0, 0, 0), (1, 0, 0, 1, 0, 1))
    )
    with pytest.raises(WrongValue, match="Nothing of robot 'r' is left to move"):
        rk.Robot("r", (disc,)).fem().elastic().modes([0.0])


@pytest.mark.parametrize("length", [0.0, 1e-9, 1e-6, 1e-3, 1.0])
def test_links_of_hardly_any_length_have_the_mobility_of_long_ones(length):
    short = rk.Inertia("com", 1, (length / 2, 0, 0), (0.1, 0, 0, 0.1, 0, 0.1))
    first = replace(link("a", "base", (0, 0, 0), profile=None), inertia=short)
    robot = rk.Robot("two", (first, link("b", "a", (length, 0, 0), profile=None)))
    assert robot.fem().mobility([0.3, 0.4]) == 2
    assert robot.fem().elastic(elements=2).mobility([0.3, 0.4]) == 2


def test_a_planar_arm_sags_out_of_its_plane_as_within_it():
    """A tube bends alike in all directions: a force along the joint axes, and one across them."""
    robot, q, force = arm((TUBE, TUBE, TUBE)), np.zeros(3), 50.0
    across = robot.fem().elastic(elements=4).deflection(q, {"tip": (0, 0, force)}, gravity=(0, 0, 0))
    model = robot.fem(spatial=True).elastic(elements=4)
    along = model.deflection(q, {"tip": (0, force, 0)}, gravity=(0, 0, 0))
    assert along.at("tip")[1] == pytest.approx(across.at("tip")[2], rel=1e-9)
    assert along.at("tip")[1] == pytest.approx(force * 3**3 / (3 * TUBE.stiffness.EI_flat), rel=1e-2)
    assert model.deflection(q, {"tip": (0, 0, force)}, gravity=(0, 0, 0)).at("tip") == pytest.approx(
        across.at("tip"), rel=1e-9, abs=1e-12
    )


@pytest.mark.parametrize(
    ("load", "gravity"),
    [((0, 5, 0), (0, 0, 0)), ((0, 0, 0, 3, 0, 0), (0, 0, 0)), ((0, 0, 5), (0, -9.81, 0))],
)
def test_a_planar_mesh_refuses_loads_out_of_its_plane(load, gravity):
    with pytest.raises(WrongValue, match=r"robot\.fem\(spatial=True\)"):
        arm().fem().elastic(elements=2).deflection(None, {"tip": load}, gravity=gravity)
