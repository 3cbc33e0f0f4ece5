"""Elastic links against beam theory: frequencies, deflections, the order of convergence, mobility."""

import numpy as np
import pytest
from closed_robots import shipped
from mechanisms import configuration, portal, random_chain, rod, with_sections
from random_robots import random_robot

import rikigaku as rk
from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.fem.flexible_configuration import rigid_rates
from rikigaku.model.beam_section import section

EI, THIN = 100.0, {"EA": 1e6, "EI": 100.0, "kGA": 1e9}
CLAMPED = np.array([1.8751040687, 4.6940911330, 7.8547574382])  # cosh x cos x = -1
PINNED_FREE = np.array([3.9266023120, 7.0685827456])  # tan x = tanh x


def rates(errors):
    return np.log2(np.abs(errors[:-1]) / np.abs(errors[1:]))


@pytest.mark.parametrize("refined", [True, False])
@pytest.mark.parametrize("mass", ["consistent", "lumped"])
def test_frequencies_of_a_thin_cantilever_converge_with_order_two(mass, refined):
    exact = CLAMPED[:2] ** 2 * np.sqrt(EI)

    def frequencies(n):
        elastic = rod(**THIN).fem().elastic(elements=n, mass=mass, refined=refined)
        return 2 * np.pi * elastic.modes(count=2).frequencies

    found = np.array([frequencies(n) for n in (8, 16, 32)])
    errors = found / exact - 1
    assert np.abs(errors[-1]).max() < 3e-3
    assert rates(errors) == pytest.approx(2.0, abs=0.15)


def test_a_free_hinge_adds_a_motion_without_stiffness_and_pinned_free_vibrations():
    found = 2 * np.pi * rod(**THIN).fem().elastic(elements=32).modes(count=3, locked="none").frequencies
    assert found[0] == 0
    assert found[1:] == pytest.approx(PINNED_FREE**2 * np.sqrt(EI), rel=5e-3)


def simply_supported(EI=EI):
    """A rod with its end on the ground by a second hinge."""
    robot = rod(EA=1e6, EI=EI, kGA=1e9)
    turn = rk.Placement((1, 0, 0), (rk.Formula.of("-pi/2"), 0, 0))
    return rk.Robot(
        "beam",
        robot.links,
        robot.frames,
        (rk.Loop("end", "revolute", rk.LoopEnd("rod", turn), rk.LoopEnd("base", turn)),),
    )


def test_frequencies_and_sag_of_a_simply_supported_beam():
    robot = simply_supported()
    errors, sags = [], []
    for n in (8, 16, 32):
        elastic = robot.fem().elastic(elements=n)
        errors.append(
            2 * np.pi * elastic.modes(count=1, locked="none").frequencies[0] / (np.pi**2 * np.sqrt(EI)) - 1
        )
        middle = elastic.layout.centre[0]
        sags.append(elastic.deflection(locked="none").u[middle, 2])
    assert rates(np.array(errors)) == pytest.approx(2.0, abs=0.1)
    assert sags[-1] == pytest.approx(-5 * 9.81 / (384 * EI), rel=2e-3)


@pytest.mark.parametrize("slenderness", [10, 1e3, 1e4])
def test_thin_beams_do_not_lock(slenderness):
    height = 1 / slenderness
    stiff = section(bar=(0.05, height), E=1e9 * slenderness**3, G=4e8 * slenderness**3).stiffness
    robot = rod(EA=stiff.EA, EI=stiff.EI_flat, kGA=stiff.shear_flat)
    exact = 1 / (3 * stiff.EI_flat) + 1 / stiff.shear_flat  # Timoshenko, force of 1 N at the tip
    for refined, tolerance in ((True, 1e-6), (False, 0.004)):
        found = (
            robot.fem()
            .elastic(elements=8, refined=refined)
            .deflection(loads={"tip": (0, 0, 1)}, gravity=(0, 0, 0))
        )
        assert found.at("tip")[2] == pytest.approx(exact, rel=tolerance)


def test_a_thick_cantilever_vibrates_as_timoshenko_says():
    """w from the transcendental equation of the clamped-free Timoshenko beam, rotary inertia and shear."""
    L, A, I, E, G, k, rho = 1.0, 0.02, 2e-4, 7e9, 2.6e9, 0.85, 1000.0

    def determinant(w):
        # u'' and t'' as a first-order system; clamped at 0, free of moment and shear at L
        S = np.array(
            [
                [0, 1, 1 / (k * G * A), 0],
                [0, 0, 0, 1 / (E * I)],
                [-rho * A * w**2, 0, 0, 0],
                [0, -rho * I * w**2, -1, 0],
            ]
        )
        from scipy.linalg import expm

        return np.linalg.det(expm(S * L)[2:, 2:])

    from scipy.optimize import brentq

    guess = CLAMPED[0] ** 2 * np.sqrt(E * I / (rho * A))
    exact = brentq(determinant, 0.8 * guess, 1.05 * guess)
    robot = rod(L, rho * A * L, extra=rho * I * L, EA=E * A, EI=E * I, kGA=k * G * A)
    found = [
        2 * np.pi * robot.fem().elastic(elements=n).modes(count=1).frequencies[0] / exact - 1
        for n in (8, 16, 32)
    ]
    assert abs(guess / exact - 1) > 0.02  # Euler and Bernoulli are off
    assert abs(found[-1]) < 2e-3
    assert rates(np.array(found)) == pytest.approx(2.0, abs=0.2)


def test_weight_bends_a_cantilever_as_on_paper():
    errors = [
        rod(**THIN).fem().elastic(elements=n).deflection().at("tip")[2] / (-9.81 / (8 * EI)) - 1
        for n in (4, 8, 16)
    ]
    assert rates(np.array(errors)) == pytest.approx(2.0, abs=0.1)
    lumped = rod(**THIN).fem().elastic(elements=4, mass="lumped").deflection().at("tip")[2]
    assert lumped == pytest.approx(-9.81 / (8 * EI), rel=1e-5)


def test_however_mass_is_spread_a_link_moves_rigidly_as_its_file_says():
    robot = with_sections(rk.load("planar_2r").bind(**rk.load("planar_2r").declared_values), EA=1e9, EI=1e7)
    q = np.array([0.4, -0.9])
    for mass in ("consistent", "lumped", "centre"):
        for n in (2, 6):
            assembly = robot.fem().elastic(elements=n, mass=mass).assembly(q)
            T = np.concatenate([rigid_rates(assembly.kinematics, v) for v in np.eye(2)]).T
            assert pytest.approx(robot.mass_matrix(q), rel=1e-8) == T.T @ (assembly.M @ T)


@pytest.mark.parametrize("hinges", ["integration", "released"])
@pytest.mark.parametrize("seed", range(4))
def test_the_null_space_of_the_stiffness_is_the_mobility_of_random_mechanisms(seed, hinges):
    for spatial in (False, True):
        robot, q = random_chain(seed, spatial, links=5 + seed)
        mobility = robot.nv - np.linalg.matrix_rank(robot.loop_jacobian(q), tol=1e-8)
        assert robot.fem().elastic(elements=2, hinges=hinges).mobility(q) == mobility
    tree = random_robot(seed, 6, ("revolute", "spherical", "universal", "prismatic"))
    assert tree.fem().elastic(elements=2, hinges=hinges).mobility(tree.random_state(seed).q) == tree.nv


@pytest.mark.parametrize("name", ["four_bar", "five_bar", "three_rrr", "panda", "ur5", "delta"])
def test_the_null_space_of_the_stiffness_is_the_mobility_of_shipped_robots(name):
    robot = shipped(name)
    q = robot.closure().samples[0] if robot.loops else robot.random_state(0).q
    assert robot.fem().mobility(q) == (robot.closure().mobility if robot.loops else robot.nv)


def test_hinges_by_integration_point_converge_to_released_ones():
    found = [
        rod(**THIN)
        .fem()
        .elastic(elements=n, hinges="integration")
        .modes(count=2, locked="none")
        .frequencies[1]
        for n in (8, 16, 32)
    ]
    errors = 2 * np.pi * np.array(found) / (PINNED_FREE[0] ** 2 * np.sqrt(EI)) - 1
    assert rates(errors) == pytest.approx(2.2, abs=0.3)


def test_links_in_space_bend_in_both_planes():
    robot = rod()
    thick = section(bar=(0.02, 0.04), material="steel")
    link = robot.links[0]
    inertia = rk.Inertia("com", 1, (0.5, 0, 0), (0.01, 0, 0, 0.09, 0, 0.09))
    held = rk.Link("rod", "base", rk.Joint("root", "spherical"), link.geometry, inertia, thick)
    robot = rk.Robot("rod", (held,), robot.frames)
    stiff = thick.stiffness
    elastic = robot.fem().elastic(elements=8)
    # the joint's own axis is z: width along z, so bending about z is the strong one
    for force, bending, shear in (
        ((0, 1, 0), stiff.EI_flat, stiff.shear_flat),
        ((0, 0, 1), stiff.EI_upright, stiff.shear_upright),
    ):
        tip = elastic.deflection(loads={"tip": force}, gravity=(0, 0, 0)).at("tip")
        assert tip @ np.array(force) == pytest.approx(1 / (3 * bending) + 1 / shear, rel=1e-6)
    twist = elastic.deflection(loads={"tip": (0, 0, 0, 1, 0, 0)}, gravity=(0, 0, 0))
    assert twist.t[elastic.layout.frames["tip"], 0] == pytest.approx(1 / stiff.GJ, rel=1e-9)


def test_compliant_transmissions_lower_the_frequency():
    robot = rod(**THIN)
    stiff, soft = (
        robot.fem().elastic(joint_stiffness=x).modes(count=1).frequencies[0] for x in (None, {"root": 10.0})
    )
    assert 2 * np.pi * soft == pytest.approx(
        np.sqrt(10 / (1 / 3)), rel=0.1
    )  # a rigid rod on a spring, nearly
    assert soft < stiff


def test_sections_have_the_stiffness_of_handbooks():
    tube = section(tube=(0.05, 0.04), material="steel").stiffness
    assert tube.EI_flat == pytest.approx(210e9 * np.pi / 64 * (0.05**4 - 0.04**4))
    assert pytest.approx(210e9 * np.pi / 4 * (0.05**2 - 0.04**2)) == tube.EA
    bar = section(bar=(0.01, 0.01)).stiffness
    assert pytest.approx(26e9 * 0.1406 * 0.01**4, rel=5e-3) == bar.GJ  # Roark, square
    box = section(box=(0.04, 0.06, 0.003)).stiffness
    assert box.EI_flat == pytest.approx(70e9 * (0.04 * 0.06**3 - 0.034 * 0.054**3) / 12)


@pytest.mark.parametrize(
    ("error", "match", "call"),
    [
        (WrongValue, "even number", lambda r: r.fem().elastic(elements=3)),
        (WrongValue, "no mass rule", lambda r: r.fem().elastic(mass="half")),
        (WrongValue, "not negative", lambda r: r.fem().elastic(damping=(0, -1))),
        (UnknownName, "no moving joint named 'knee'", lambda r: r.fem().elastic().modes(locked=["knee"])),
        (WrongValue, "moves freely", lambda r: r.fem().elastic().deflection(locked="none")),
        (
            UnknownName,
            "mesh has no frame named 'hnd'",
            lambda r: r.fem().elastic().deflection(loads={"hnd": (0, 0, 1)}),
        ),
        (WrongValue, "number above 0; 0 was", lambda r: r.fem().elastic().simulate([0.0], duration=0)),
        (UnknownName, "no profile named 'pipe'", lambda r: section(pipe=(1, 2))),
        (WrongValue, "outer > inner", lambda r: section(tube=(0.1, 0.2))),
        (UnknownName, "no material named 'wood'", lambda r: section(rod=0.1, material="wood")),
    ],
)
def test_bad_input_is_reported(error, match, call):
    with pytest.raises(error, match=match):
        call(rod(**THIN))


def test_the_portal_frame_vibrates_and_is_drawn(tmp_path):
    robot = portal()
    modes = robot.fem(masses={"top": 1.0}).elastic().modes(configuration(robot, 0.3))
    assert (np.diff(modes.frequencies) > 0).all()
    heavier = robot.fem(masses={"top": 3.0}).elastic().modes(configuration(robot, 0.3))
    assert heavier.frequencies[0] < modes.frequencies[0]
