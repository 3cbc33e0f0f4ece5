"""Blows of loops that close: exact at any number of samples, none where ends meet as they move."""

from dataclasses import replace

import numpy as np
import pytest
from mechanisms import configuration, moving_state, portal, random_chain, tilting

import rikigaku as rk
from rikigaku.core.errors import CannotClose
from rikigaku.fem import Motion, Phases
from rikigaku.trajectory import in_sequence, quintic

MASSES = 2.0, 3.0
TURN = (rk.Formula.of("pi/6"), rk.Formula.of("pi/5"), rk.Formula.of("pi/7"))


def sliders(turn=TURN) -> rk.Robot:
    """Two masses on slides along x and along z; a ball joins them, its axes turned at will."""
    links = tuple(
        rk.Link(
            f"slider{k}",
            "base",
            rk.Joint(f"x{k}", "prismatic", axis=axis),
            rk.Placement(),
            rk.Inertia("com", m, (0, 0, 0), (0.1, 0, 0, 0.1, 0, 0.1)),
        )
        for k, (m, axis) in enumerate(zip(MASSES, ((1, 0, 0), (1, 0, 0)), strict=True))
    )
    ends = [rk.LoopEnd(link.name, rk.Placement((0, 0, 0.1), turn)) for link in links]
    return rk.Robot("sliders", links, loops=(rk.Loop("catch", "spherical", *ends),))


def meeting(v, robot):
    """Together from 0.7 s on with the velocity momentum leaves them, having met there with v."""
    after = np.full(2, np.dot(MASSES, v) / sum(MASSES))
    first = quintic([-0.4, 0.5], [0.0, 0.0], 0.7, v1=v)
    then = quintic([0.0, 0.0], [0.3, 0.3], 0.5, v0=after)
    return in_sequence(first, then), Phases({"catch": [(0.7, 1.2)]})


@pytest.mark.parametrize("samples", [5, 25, 26, 201])  # 25: one of them at the impact itself
def test_the_impulse_is_the_reduced_mass_times_the_speed_at_any_number_of_samples(samples):
    robot, v = sliders(), np.array([1.3, -0.4])
    path, phases = meeting(v, robot)
    found = robot.fem().inverse_dynamics(path, samples=samples, phases=phases, sharing="least_norm")
    (blow,) = found.impulses
    m = MASSES[0] * MASSES[1] / sum(MASSES)
    assert blow.force == pytest.approx([m * 1.7, 0, 0], abs=1e-9)  # start link pushes the end link forward
    assert (blow.speed, blow.spin) == pytest.approx((1.7, 0), abs=1e-10)
    assert blow.energy == pytest.approx(m * 1.7**2 / 2, abs=1e-9)
    assert blow.after == pytest.approx(np.full(2, MASSES @ v / 5), abs=1e-9)
    assert "1.7 m/s" in repr(found)


def test_the_speed_of_an_impact_does_not_depend_on_the_axes_of_the_cut():
    for turn in ((0, 0, 0), TURN):
        robot = sliders(turn)
        path, phases = meeting(np.array([0.5, -0.3]), robot)
        (blow,) = robot.fem().inverse_dynamics(path, phases=phases, sharing="least_norm").impulses
        assert blow.speed == pytest.approx(0.8, abs=1e-10)


@pytest.mark.parametrize("times", [(0.3, 0.6), (0.303, 0.604), (1 / 3, np.pi / 5)])
@pytest.mark.parametrize("samples", [11, 101])
def test_ends_that_move_together_meet_without_an_impact_however_the_motion_is_given(samples, times):
    robot = portal()
    path, phases = tilting(robot, 1.0), Phases({"top": [(0.1, times[0]), (times[1], 1.0)]})
    mesh, t = robot.fem(), np.linspace(0, 1, samples)
    joints = {name: part(path, k) for k, name in enumerate(["joint1", "joint2", "joint3", "joint6"])}
    for given in (path, joints):  # of all joints; of four, the others following
        found = mesh.inverse_dynamics(
            given, t, sharing="least_norm", phases=phases, near=configuration(robot, 0.0)
        )
        assert found.impulses == ()
    known = Motion(robot, t, *path(t))  # samples alone: the path is a cubic, as what is put through them
    assert mesh.inverse_dynamics(known, sharing="least_norm", phases=phases).impulses == ()


def part(path, k):
    return lambda t: tuple(x[..., k] for x in path(t))


def test_a_sample_at_the_impact_may_be_that_before_or_that_after_it():
    robot, v = sliders(), np.array([1.3, -0.4])
    path, phases = meeting(v, robot)
    t = np.linspace(0, 1.2, 25)
    q, rates, a = path(t)
    k = int(np.argmin(np.abs(t - 0.7)))
    t[k] = 0.7
    for at_blow, error in ((v, 1e-12), (path(0.7).v, 2e-3)):  # it is taken; a cubic through those before
        rates[k] = at_blow
        motion = Motion(robot, t, q, rates, a)
        (blow,) = robot.fem().inverse_dynamics(motion, phases=phases, sharing="least_norm").impulses
        assert blow.speed == pytest.approx(1.7, abs=error)


def test_accelerations_that_part_a_closed_loop_are_reported():
    robot = portal()
    q, a = np.array(configuration(robot, 0.2)), np.array([1.0, 0, 0, -1.0, 0, 0])
    motion = Motion(robot, np.zeros(1), q[None], np.zeros((1, 6)), a[None])
    with pytest.raises(CannotClose, match=r"accelerations at t = 0 s pull loop 'top' .* m/s\^2"):
        robot.fem().inverse_dynamics(motion, sharing="least_norm")
    # nor may those of turning links be none
    robot, q = random_chain(1, False)
    v, a = moving_state(robot, q, 1)
    motion = Motion(robot, np.zeros(1), q[None], v[None], a[None])
    robot.fem().inverse_dynamics(motion, sharing="least_norm")
    a += np.linalg.pinv(robot.loop_jacobian(q), rcond=1e-9) @ robot.loop_bias(q, v)
    with pytest.raises(CannotClose, match=r"accelerations .* pull loop 'cut'"):
        robot.fem().inverse_dynamics(replace(motion, a=a[None]), sharing="least_norm")
