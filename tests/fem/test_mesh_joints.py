"""Joints of meshes: pins that several links share, springs and rotors, masses at loops, thin links."""

from dataclasses import replace

import numpy as np
import pytest
from mechanisms import LENGTH, MASS, bar, moving_state, portal, random_chain, rod, tilting, with_sections

import rikigaku as rk
from rikigaku.core.errors import CannotClose, UnknownName, WrongValue
from rikigaku.fem import Motion, Phases
from rikigaku.laws.structure import loop_rows

FEET = (0.0, 0.0), (1.0, 0.0), (0.5, -0.3)
APEX, REACH = np.array([0.45, 0.6]), 0.6


def three_legs(order: tuple[tuple[int, int], ...]) -> tuple[rk.Robot, np.ndarray]:
    """Three legs of two links in a plane whose tips are one pin; order: which leg each loop ties to which."""
    links, q = [], []
    for k, foot in enumerate(FEET):
        links.append(bar(f"linka{k}", "base", (foot[0], 0, foot[1]), length=REACH))
        links.append(bar(f"linkb{k}", f"linka{k}", (0, 0, REACH), length=REACH))
        x, z = APEX - foot
        bend = np.arccos(np.hypot(x, z) / 2 / REACH)
        q += [np.arctan2(x, z) - bend, 2 * bend]
    tip = rk.Placement((0, 0, REACH), (rk.Formula.of("-pi/2"), 0, 0))
    loops = tuple(
        rk.Loop(f"pin{a}{b}", "revolute", rk.LoopEnd(f"linkb{a}", tip), rk.LoopEnd(f"linkb{b}", tip))
        for a, b in order
    )
    return rk.Robot("legs", tuple(links), loops=loops), np.array(q)


@pytest.mark.parametrize("order", [((0, 2), (1, 2)), ((0, 2), (2, 1)), ((2, 0), (2, 1))])
def test_links_that_meet_in_one_pin_turn_each_for_itself(order):
    robot, q = three_legs(order)
    assert np.abs(robot.loop_residual(q)).max() < 1e-12
    assert robot.nv - np.linalg.matrix_rank(robot.loop_jacobian(q), tol=1e-8) == 2
    assert robot.fem().mobility(q) == 2
    assert robot.fem().elastic(elements=2).mobility(q) == 2


@pytest.mark.parametrize("slenderness", [1e-2, 1e-4, 1e-6])
def test_thin_links_have_the_mobility_of_thick_ones(slenderness):
    robot, q = random_chain(1, False, links=5)
    thin = with_sections(robot, EA=1e6, EI=1e6 * slenderness**2 / 12)
    assert thin.fem().mobility(q) == 3


@pytest.mark.parametrize("drive", [{"joint_stiffness": {"root": 10.0}}, {}])
def test_transmissions_springs_and_rotors_act_with_both_models_of_hinges(drive):
    robot = rod(EA=1e8, EI=1e5, kGA=1e8)
    if not drive:
        (link,) = robot.links
        robot = replace(robot, links=(replace(link, joint=replace(link.joint, rotor=5.0, stiffness=50.0)),))
    found = [
        robot.fem().elastic(hinges=hinges, **drive).modes(count=1, locked="none").frequencies[0]
        for hinges in ("released", "integration")
    ]
    stiffness, inertia = (10.0, 1 / 3) if drive else (50.0, 5.0 + 1 / 3)  # of a rod of 1 kg and 1 m
    assert found == pytest.approx([np.sqrt(stiffness / inertia) / (2 * np.pi)] * 2, rel=1e-3)


def test_compliant_transmissions_of_a_ball_yield_about_all_its_axes():
    (link,) = rod(EA=1e8, EI=1e5, kGA=1e8).links
    ball = replace(
        link,
        joint=rk.Joint("root", "spherical"),
        inertia=rk.Inertia("com", 1, (0.5, 0, 0), (0.01, 0, 0, 1 / 12, 0, 1 / 12)),
    )
    found = rk.Robot("ball", (ball,), rod().frames).fem().elastic(joint_stiffness={"root": 10.0})
    square = (2 * np.pi * found.modes(count=3).frequencies) ** 2
    assert square == pytest.approx([30.0, 30.0, 1000.0], rel=1e-2)


@pytest.mark.parametrize("grounded", [0, 1])
def test_a_mass_at_a_loop_on_the_ground_is_carried_by_the_link(grounded):
    (link,) = rod(EA=1e7, EI=1e3, kGA=1e7).links
    slide = replace(link, joint=replace(link.joint, type="prismatic", axis=(1, 0, 0)))
    ends = [
        rk.LoopEnd(name, rk.Placement((1, 0, 0), (0, rk.Formula.of("pi/2"), 0))) for name in ("base", "rod")
    ]
    if grounded:
        ends.reverse()
    robot = rk.Robot("slide", (slide,), loops=(rk.Loop("guide", "prismatic", *ends),))
    mesh = robot.fem(masses={"guide": 100.0})
    assert mesh.elastic(elements=2).assembly([0.0]).nodal_mass[::6, ::6].sum() == pytest.approx(101.0)
    pushed = Motion(robot, np.zeros(1), np.zeros((1, 1)), np.zeros((1, 1)), np.ones((1, 1)))
    force = mesh.inverse_dynamics(pushed, sharing="least_norm", gravity=(0, 0, 0)).torques
    assert force == pytest.approx(np.array([[101.0]]))


@pytest.mark.parametrize(
    ("error", "match", "options"),
    [
        (UnknownName, "moving joint named 'knee'", {"joint_stiffness": {"knee": 1.0}}),
        (WrongValue, "finite number above 0", {"joint_stiffness": {"root": -10.0}}),
        (WrongValue, "finite number above 0", {"joint_stiffness": {"root": np.inf}}),
        (WrongValue, "even number of beams", {"elements": 4.0}),
    ],
)
def test_options_that_make_no_elastic_mesh_are_reported(error, match, options):
    with pytest.raises(error, match=match):
        rod().fem().elastic(**options)


def with_ends_that_meet(closing: tuple[str, ...]) -> tuple[rk.Robot, np.ndarray, np.ndarray, tuple]:
    """Three legs, the first link of two geared together; v before an impact in which some loops close."""
    robot, q = three_legs(((0, 2), (1, 2)))
    robot = replace(robot, couplings=(rk.Coupling("jointa1", "jointa0", 1.5, q[2] - 1.5 * q[0]),))
    J = robot.loop_jacobian(q)
    rows = [k for k, row in enumerate(loop_rows(robot)) if not row.startswith(closing)]
    kept = J[rows]
    v = np.random.default_rng(0).normal(size=6)
    v -= np.linalg.pinv(kept, rcond=1e-9) @ (kept @ v)
    t = np.array([0.499999, 0.5, 0.6])
    first = q - 1e-6 * v
    a = -np.linalg.pinv(robot.loop_jacobian(first)[rows], rcond=1e-9) @ robot.loop_bias(first, v)[rows]
    motion = Motion(
        robot, t, np.array([first, q, q]), np.array([v, 0 * v, 0 * v]), np.array([a, 0 * a, 0 * a])
    )
    phases = Phases({name: [(0.5, 1.0)] for name in closing})
    return robot, q, v, robot.fem().inverse_dynamics(motion, sharing="least_norm", phases=phases).impulses


@pytest.mark.parametrize("closing", [("pin12",), ("pin02", "pin12")])
def test_an_impact_keeps_other_loops_and_gears_closed_and_goes_through_them(closing):
    robot, q, v, blows = with_ends_that_meet(closing)
    J, M = robot.loop_jacobian(q), robot.tree.mass_matrix(q)
    assert [blow.loop for blow in blows] == ["pin02", "pin12"]
    assert [blow.speed > 0.01 for blow in blows] == [blow.loop in closing for blow in blows]
    after = blows[0].after
    assert J @ after == pytest.approx(np.zeros(len(J)), abs=1e-9)
    # least change of v in kinetic energy that closes all rows: Gauss's principle
    root = np.linalg.cholesky(M).T
    expected = v - np.linalg.solve(root, np.linalg.pinv(J @ np.linalg.inv(root), rcond=1e-9) @ (J @ v))
    assert after == pytest.approx(expected, abs=1e-5)  # the configuration is 1e-6 s off
    assert blows[0].energy == pytest.approx(0.5 * (v @ M @ v - expected @ M @ expected), abs=1e-4)


def test_motions_that_part_what_is_closed_are_reported():
    robot, q = three_legs(((0, 2), (1, 2)))

    def found(robot, q, v):
        return robot.fem().inverse_dynamics(
            Motion(robot, np.zeros(1), q[None], v[None], 0 * v[None]), sharing="least_norm"
        )

    with pytest.raises(CannotClose, match="pull loop 'pin02'"):
        found(robot, q, np.ones(6))
    geared = replace(robot.tree, couplings=(rk.Coupling("jointb0", "jointa0", 2.0),))
    with pytest.raises(CannotClose, match="leaves gear of jointb0"):
        found(geared, np.ones(6), np.zeros(6))
    with pytest.raises(CannotClose, match="pull gear of jointb0"):
        found(geared, np.zeros(6), np.ones(6))


def test_loops_closed_with_axes_reversed_or_askew_are_reported():
    chain, q = random_chain(1, True, links=8, loop="fixed")
    loop = chain.loops[0]
    x, y, z, *rest = (*loop.start.geometry.xyz, *loop.start.geometry.rpy)
    half = rk.Placement((x, y, z), (rest[0] + rk.Formula.of("pi"), *rest[1:]))  # half a revolution about x
    over = replace(loop, start=replace(loop.start, geometry=half))
    still = Motion(chain, np.zeros(1), q[None], np.zeros((1, 8)), np.zeros((1, 8)))
    turned = replace(chain, loops=(over,))
    assert np.abs(turned.loop_residual(q)).max() < 1e-9  # sines of half a revolution
    for call in (
        lambda: turned.fem().inverse_dynamics(still, sharing="least_norm"),
        lambda: turned.fem().elastic().modes(q),
    ):
        with pytest.raises(CannotClose, match="its axes reversed"):
            call()
    ball, q = random_chain(1, True, links=7)
    askew = replace(ball, loops=(replace(ball.loops[0], joint="revolute"),))
    with pytest.raises(CannotClose, match=r"leaves loop 'cut' .* open by"):
        askew.fem().elastic().modes(q)


@pytest.mark.parametrize(  # odd: to the ground, even: to another link
    ("kind", "seed"),
    [("revolute", 1), ("universal", 2), ("cylindrical", 1), ("planar", 2), ("prismatic", 1), ("fixed", 2)],
)
def test_cuts_of_every_kind_pass_what_the_null_space_of_the_loops_says(kind, seed):
    robot, q = random_chain(seed, True, links=8, loop=kind)
    assert (robot.loop_alignment(q) > 0).all()
    v, a = moving_state(robot, q, seed)
    motion = Motion(robot, np.zeros(1), q[None], v[None], a[None])
    found = robot.fem().inverse_dynamics(motion, sharing="least_norm").torques[0]
    J = robot.loop_jacobian(q)
    free = np.linalg.svd(J)[2][np.linalg.matrix_rank(J, tol=1e-8) :]  # least norm: along the freedoms alone
    expected = free.T @ (free @ robot.tree.inverse_dynamics(q, v, a))
    assert found == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())


def test_a_gear_passes_its_ratio_of_the_torque():
    arm = rk.load("planar_2r")
    arm = arm.bind(**arm.declared_values)
    geared = replace(arm, couplings=(rk.Coupling("q2", "q1", 2.0),)).with_actuated(["q1"])
    q, v, a = np.array([0.3, 0.6]), np.array([1.0, 2.0]), np.array([0.5, 1.0])
    found = geared.fem().inverse_dynamics(Motion(geared, np.zeros(1), q[None], v[None], a[None])).torques[0]
    tau = arm.inverse_dynamics(q, v, a)
    assert found == pytest.approx([tau[0] + 2 * tau[1], 0.0], abs=1e-12)


@pytest.mark.parametrize("part", [0.5, 0.8])
def test_a_ratio_shares_the_moving_mass_as_if_it_were_split_between_the_tips(part):
    robot, t = portal(), np.linspace(0, 1, 11)
    path = tilting(robot, 1.0)

    def laden(link, m):
        across = MASS * LENGTH**2 / 3 + m * LENGTH**2
        first = MASS * LENGTH / 2 + m * LENGTH
        return replace(
            link, inertia=rk.Inertia("origin", MASS + m, (0, 0, first), (across, 0, 0, across, 0, 0))
        )

    tips = {"link3": part, "link4": 1 - part}
    split = replace(robot, links=tuple(laden(link, tips.get(link.name, 0.0)) for link in robot.links)).tree
    found = robot.fem(masses={"top": 1.0}).inverse_dynamics(path, t, sharing=part).torques
    assert found == pytest.approx(split.inverse_dynamics(*path(t)), abs=1e-10)
