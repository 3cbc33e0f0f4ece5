"""Loops and slides in the elastic mesh, in space: as stiff as rigid ones they move as those do."""

from dataclasses import replace

import numpy as np
import pytest
from mechanisms import random_chain, spatial_arm, with_sections
from stabilization_study import closed_motion

import rikigaku as rk
from rikigaku.core.errors import CannotClose

Y, Z = (0, 1, 0), (0, 0, 1)


def rigid_motion(robot, q, v, duration):
    """Positions of an open robot at the end: its own laws, integrated."""
    return rk.simulate(robot, q, v, duration=duration).q[-1]


@pytest.mark.parametrize("kind", ["universal", "planar"])  # hinges: below
def test_stiff_loops_of_several_kinds_in_space_move_as_rigid_ones(kind):
    robot, q = random_chain(1, True, links=7, loop=kind)
    robot = with_sections(robot, EA=1e9, EI=1e6)
    found = robot.fem().elastic(elements=2).simulate(q, duration=0.05, step=2e-3, rho=0.8)
    exact = closed_motion(robot, q, np.zeros(robot.nv), 0.05)
    moved = np.abs(exact.q[-1] - q).max()
    assert moved > 1e-3
    assert found.q[-1] == pytest.approx(exact.q[-1], abs=0.02 * moved)


def test_a_soft_loop_closed_by_a_hinge_in_space_keeps_its_energy():
    robot, q = random_chain(1, True, links=6, loop="revolute")
    links = tuple(replace(x, joint=replace(x.joint, viscous=0.0)) for x in robot.links)
    robot = with_sections(replace(robot, links=links), EA=1e4, EI=10.0)
    energy = robot.fem().elastic(elements=2).simulate(q, duration=0.1, step=2e-3).energy
    assert np.ptp(energy.sum(axis=1)) < 1e-3 * energy[:, 0].max()
    assert energy[:, 1].max() > 0.02 * energy[:, 0].max()


def test_a_stiff_slider_crank_moves_as_the_rigid_one():
    """A slide in the elastic mesh, and a pin loop: the piston carries the end of the rod."""
    robot = with_sections(rk.load("slider_crank"), EA=1e8, EI=1e6)
    q = robot.closure().samples[0]
    found = robot.fem().elastic(elements=2).simulate(q, duration=0.1, step=2e-3, rho=0.8)
    exact = closed_motion(robot, q, np.zeros(robot.nv), 0.1)
    assert np.abs(exact.q[-1] - q).max() > 1e-2
    assert found.q[-1] == pytest.approx(exact.q[-1], abs=1e-3 * np.abs(exact.q[-1] - q).max())


def test_configurations_and_velocities_that_open_a_loop_are_reported():
    robot, q = random_chain(1, True, loop="revolute")
    elastic = robot.fem().elastic(elements=2)
    with pytest.raises(CannotClose, match="leaves loop 'cut'"):
        elastic.modes(q + 0.1)
    with pytest.raises(CannotClose, match="pull the loops"):
        elastic.simulate(q, np.ones(robot.nv), duration=0.1)


def test_a_loop_at_a_joint_hangs_that_joint_the_other_way_round():
    """A beam held at both ends; from its end a pendulum, whose own joint is where the loop is closed."""
    robot = spatial_arm({"EA": 1e8, "EI": 1e6}, (Y, Y))
    turn = (rk.Formula.of("-pi/2"), 0, 0)
    ends = (
        rk.LoopEnd("base", rk.Placement((0.5, 0, 0), turn)),
        rk.LoopEnd("rod1", rk.Placement((0, 0, 0), turn)),
    )
    robot = replace(robot, loops=(rk.Loop("pin", "revolute", *ends),))
    found = robot.fem().elastic(elements=2).simulate([0.0, 0.3], duration=0.2, step=4e-3, rho=0.8)
    alone = spatial_arm({"EA": 1e8, "EI": 1e6}, (Y,))
    exact = rigid_motion(alone, np.array([0.3]), np.zeros(1), 0.2)
    assert exact[0] > 0.5  # it falls
    assert found.q[-1] == pytest.approx([0.0, exact[0]], abs=1e-4)
