"""Elastic motion in space: energy, Exudyn, rigid limits with loops of every kind, slides, friction."""

from dataclasses import replace

import numpy as np
import pytest
from exudyn_arm import falling_hand
from mechanisms import SECTION_INERTIA, rod, spatial_arm, with_sections
from random_robots import random_robot

import rikigaku as rk
from rikigaku.core.errors import WrongValue
from rikigaku.fem.flexible_forces import Beams
from rikigaku.model.beam_section import section

Y, Z = (0, 1, 0), (0, 0, 1)
SOFT = {"EA": 1e5, "EI": 1.5, "kGA": 2e4, "GJ": 1.0}


def rigid_motion(robot, q, v, duration):
    """Positions of an open robot at the end: its own laws, integrated."""
    return rk.simulate(robot, q, v, duration=duration).q[-1]


def test_energy_in_space_is_conserved_without_damping_to_second_order():
    robot = spatial_arm(SOFT, (Z, Y, Z))
    springs = tuple(replace(x, joint=replace(x.joint, stiffness=0.5, rotor=0.01)) for x in robot.links)
    elastic, drifts = replace(robot, links=springs).fem().elastic(elements=2), []
    for step in (4e-3, 2e-3):
        energy = elastic.simulate([0.0, 0.3, 0.4], [2.0, 1.0, -1.0], duration=0.16, step=step).energy
        drifts.append(np.ptp(energy.sum(axis=1)) / energy[:, 0].max())
    assert drifts[1] < 2e-4
    assert drifts[0] / drifts[1] == pytest.approx(4, rel=0.3)
    assert energy[:, 1].max() > 0.05 * energy[:, 0].max()  # it does bend


def test_a_flexible_arm_in_space_falls_as_in_exudyn():
    robot = spatial_arm(SOFT, (Y, Z))  # the elbow is bent: gravity twists and bends the first rod
    found = robot.fem().elastic(elements=8).simulate([0.0, 1.0], duration=0.2, step=2e-3, rho=0.9)
    stiffness = [SOFT[name] for name in ("EA", "kGA", "kGA", "GJ", "EI", "EI")]
    thin, flat = SECTION_INERTIA
    theirs = falling_hand(0.5, 0.5, stiffness, (thin, flat, flat), 1.0, 0.2, 8, 2e-3)
    assert found.at("hand")[-1] == pytest.approx(theirs, abs=1.5e-4)
    stiff = rigid_motion(robot, np.array([0.0, 1.0]), np.zeros(2), 0.2)
    assert np.abs(robot.pose(stiff, "hand")[:3, 3] - theirs).max() > 5e-3  # thirty times more: it does bend


def test_stiffer_links_in_space_come_to_the_rigid_motion_at_the_rate_of_their_compliance():
    q, v = np.array([0.2, 1.0, -0.4]), np.array([3.0, -1.0, 2.0])
    exact = rigid_motion(spatial_arm(SOFT, (Z, Y, Z)), q, v, 0.06)
    off = []
    for EI in (1e2, 1e3, 1e4):
        robot = spatial_arm({"EA": 1e4 * EI, "EI": EI, "kGA": 1e3 * EI, "GJ": EI}, (Z, Y, Z))
        damped = robot.fem().elastic(elements=2, damping=(0, 0.02 / np.sqrt(EI)))
        found = damped.simulate(q, v, duration=0.06, step=1.5e-3, rho=0.8)
        hand = np.asarray(robot.pose(exact, "hand"))[:3, 3]
        off.append(np.abs(found.at("hand")[-1] - hand).max())
    assert np.log10(np.array(off[:-1]) / off[1:]) == pytest.approx(1, abs=0.3)


@pytest.mark.parametrize("kinds", [("spherical", "revolute"), ("universal", "prismatic"), ("prismatic",)])
def test_stiff_trees_with_other_joints_move_as_rigid_ones(kinds):
    robot = with_sections(random_robot(4, 4, kinds), EA=1e9, EI=1e7)
    q, v, _ = robot.random_state(0)
    links = tuple(replace(x, joint=replace(x.joint, coulomb=0.0)) for x in robot.links)
    smooth = replace(robot, links=links)
    found = smooth.fem().elastic(elements=2).simulate(q, v, duration=0.06, step=1e-3, rho=0.8)
    exact = rigid_motion(smooth, q, v, 0.06)
    assert smooth.poses(found.q[-1]) == pytest.approx(smooth.poses(exact), abs=1e-4)


def test_a_cantilever_in_space_bends_in_both_planes_and_twists_at_the_frequencies_of_theory():
    profile, L, m = section(bar=(0.004, 0.006), material="steel"), 1.0, 0.1884
    polar = m / L * (0.004**2 + 0.006**2) / 12  # rho times the polar moment
    inertia = rk.Inertia("com", m, (L / 2, 0, 0), (polar * L, 0, 0, m * L**2 / 12, 0, m * L**2 / 12))
    link = rk.Link("rod", "base", rk.Joint("root", "spherical"), rk.Placement(), inertia, profile)
    robot = rk.Robot("rod", (link,), (rk.Frame("tip", "rod", rk.Placement((L, 0, 0))),))
    s = profile.stiffness
    bending = [1.8751040687**2 / (2 * np.pi) * np.sqrt(EI / (m * L**3)) for EI in (s.EI_flat, s.EI_upright)]
    twist = np.sqrt(s.GJ / polar) / (4 * L)
    errors = []
    for n in (8, 16, 32):
        elastic = robot.fem().elastic(elements=n)
        found = elastic.modes(count=40)
        tip = np.abs(found.t[:, elastic.layout.frames["tip"]])
        turning = int(np.argmax(tip[:, 0] > 10 * tip[:, 1:].max(axis=1)))  # the first that twists
        lowest = sorted(found.frequencies)[:2]
        errors.append([*(np.array(lowest) / sorted(bending) - 1), found.frequencies[turning] / twist - 1])
    rates = np.log2(np.abs(errors[:-1]) / np.abs(errors[1:]))
    assert np.abs(errors[-1]).max() < 3e-3
    assert rates == pytest.approx(2.0, abs=0.3)


@pytest.mark.parametrize("planar", [True, False])
def test_large_motion_begins_with_the_stiffness_damping_and_mass_of_small_ones(planar):
    robot = rod(EA=1e4, EI=30.0, kGA=2e3) if planar else spatial_arm(SOFT, (Y, Z))
    elastic = robot.fem().elastic(elements=4, mass="lumped", damping=(0, 0.2))
    assembly = elastic.assembly(np.zeros(robot.nq))
    beams = Beams(assembly)
    at = assembly.kinematics.node_poses(assembly.kinematics.undeformed)
    T = assembly.kinematics.jacobian.values(at)
    for found, expected in (
        (beams.assembler.matrix(T, beams.stiffness(at)[0]), assembly.K),
        (beams.assembler.matrix(T, beams.stiffness(at)[1]), assembly.C),
        (beams.assembler.matrix(T, beams.mass(at)), assembly.M),
    ):
        assert found.toarray() == pytest.approx(expected.toarray(), abs=1e-12 * abs(expected).max())


def test_dry_friction_takes_the_work_it_says_and_needs_its_slip_speed():
    robot = rod(EA=1e5, EI=20.0, kGA=1e5)
    rough = replace(robot, links=(replace(robot.links[0], joint=replace(robot.links[0].joint, coulomb=0.8)),))
    elastic = rough.fem().elastic(elements=2)
    with pytest.raises(WrongValue, match=r"Joint 'root' has Coulomb friction.*slip_speed"):
        elastic.simulate([0.0], duration=0.1)
    motion = elastic.simulate([0.0], [1.0], duration=0.1, step=2e-3, slip_speed=0.05)
    v = motion.v[:, 0]
    power = 0.8 * v * v / np.sqrt(v * v + 0.05**2)
    work = np.concatenate([[0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(motion.t))])
    energy = motion.energy.sum(axis=1)
    assert energy[0] - energy == pytest.approx(work, abs=5e-3 * work[-1])
    assert work[-1] > 0.05
