"""Saturation of actuators, sums of controllers and joint friction from the file."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from test_against_scipy import Q

import rikigaku as rk

FINE = {"rtol": 1e-10, "atol": 1e-12}


def with_efforts(robot, efforts):
    """The robot with these effort limits of its joints."""
    links = [
        replace(link, joint=replace(link.joint, limits=rk.Limits(effort=x)))
        for link, x in zip(robot.links, efforts, strict=True)
    ]
    return replace(robot, links=tuple(links))


def test_saturated_torques_move_the_robot_as_clipped_ones_in_scipy(pendulum) -> None:
    """SciPy integrates piece by piece, from corner to corner of the torque."""
    ours = rk.simulate(
        pendulum, [0.0], None, rk.PD(pendulum, [2.0], 80.0, 3.0), duration=1.0, torque_limits=6.0, rtol=1e-8
    )
    assert np.abs(ours.tau).max() == 6.0
    assert (np.abs(ours.tau) < 6.0).any()
    assert ours.energy_audit().relative < 1e-10

    def torque(y):
        return 9.81 * 0.5 * np.sin(y[0]) + 80 * (2 - y[0]) - 3 * y[1]

    y, t, side, corners_at = np.zeros(2), 0.0, 1, []
    while t < 1:
        corners = [lambda t, y, s=s: torque(y) - 6 * s for s in ((side,) if side else (1, -1))]
        for corner in corners:
            corner.terminal = True
        part = solve_ivp(
            lambda t, y, s=side: [y[1], ((6 * s if s else torque(y)) - 9.81 * 0.5 * np.sin(y[0])) / 0.25],
            (t, 1), y, "DOP853", rtol=1e-13, atol=1e-14, events=corners, max_step=0.02,
        )  # fmt: skip
        t, y = part.t[-1], part.y[:, -1]
        corners_at.append(t)
        y = y + 1e-13 * np.array([y[1], 0.0])  # off the corner
        side = 0 if side else 1 if len(part.t_events[0]) else -1
    assert abs(ours.q[-1, 0] - y[0]) < 1e-9  # corners are events: no step is across one
    assert [event.name for event in ours.events] == ["swing torque limit"] * 4
    assert np.abs(np.array([event.t for event in ours.events]) - corners_at[:4]).max() < 1e-9


def test_limits_are_crossed_where_the_formula_says(pendulum) -> None:
    """8 |sin 40 t| = 5 twice in each of 40 half periods."""
    run = rk.simulate(pendulum, [0.3], None, ["8*sin(40*t)"], duration=np.pi, torque_limits=5.0, **FINE)
    first = np.arcsin(5 / 8)
    expected = (np.arange(40)[:, None] * np.pi + [first, np.pi - first]).ravel() / 40
    assert np.abs(np.array([event.t for event in run.events]) - expected).max() < 1e-12
    assert np.abs(run.tau[:, 0] - np.clip(8 * np.sin(40 * run.t), -5, 5)).max() < 1e-12


def test_limits_bound_the_forces_of_a_closed_robot() -> None:
    five = rk.load("five_bar")
    q = five.assemble([0.3, 1.2])
    names = [j.name for j in five.joints]
    one = names[five.closure().structure.actuated[0]]
    run = rk.simulate(five, q, torque=["0.4*sin(9*t)", "0.3"], duration=0.5, torque_limits={one: 0.1})
    assert run.done
    actuated = list(five.closure().structure.actuated)
    assert np.abs(run.tau[:, actuated]).max(axis=0) == pytest.approx([0.1, 0.3], abs=1e-15)
    assert [event.name for event in run.events] == [f"{one} torque limit"] * 3


def test_torques_that_jump_across_their_limits_are_clipped(pendulum) -> None:
    """Inside, above, below, above and inside: as the clipped data, whose jumps are not located but given."""
    t, tau = [0.0, 0.1, 0.2, 0.3, 0.4], np.array([[1.0], [5.0], [-7.0], [9.0], [0.5]])
    run = rk.simulate(pendulum, [0.3], None, rk.Data(t, tau, "hold"), duration=0.5, torque_limits=2.0, **FINE)
    given = rk.simulate(pendulum, [0.3], None, rk.Data(t, np.clip(tau, -2, 2), "hold"), duration=0.5, **FINE)
    assert run.done
    assert np.abs(run.q[-1] - given.q[-1]).max() < 1e-11
    assert np.abs(run.tau).max() == 2.0


def test_saturated_robots_land_slip_and_stay_within_their_limits() -> None:
    """Limits, contacts, impacts and a sampled controller together; the energy balance closes."""
    arm = rk.load("planar_3r")
    floor = rk.Contact("hand", rk.Plane(), 0.2)
    q = np.array([-0.3, -0.9, -0.9])
    assert arm.pose(q, "hand")[2, 3] > 0
    target = rk.PD(arm, [-0.6, -1.2, -1.2], 60.0, 4.0)
    run = rk.simulate(arm, q, None, target, duration=1.0, contacts=[floor], torque_limits=[25.0, 15.0, 3.0])
    assert run.done
    assert (np.abs(run.tau).max(axis=0) <= [25.0, 15.0, 3.0]).all()
    names = {event.name.split(" ", 1)[1] for event in run.events}
    assert {"lands", "torque limit"} <= names
    assert run.energy_audit().relative < 1e-8
    sampled = rk.Sampled(
        lambda t, q, v: arm.gravity_forces(q) + 60 * (np.array([-0.6, -1.2, -1.2]) - q), 0.002
    )
    again = rk.simulate(arm, q, None, sampled, duration=0.2, contacts=[floor], torque_limits=10.0)
    assert again.done
    assert np.abs(again.tau).max() == 10.0


def test_limits_come_from_the_file_from_names_and_from_arrays(puma) -> None:
    efforts = [20.0, 30.0, None, 2.0, 2.0, 1.0]
    limited = with_efforts(puma, efforts)
    stiff = rk.PD(puma, Q + 1.0, 500.0, 5.0)
    largest = np.array([np.inf if x is None else x for x in efforts])
    given = {j.name: x for j, x in zip(puma.joints, efforts, strict=True) if x is not None}
    runs = [
        rk.simulate(limited, Q, None, rk.PD(limited, Q + 1.0, 500.0, 5.0), duration=0.1, torque_limits=True),
        rk.simulate(puma, Q, None, stiff, duration=0.1, torque_limits=given),
        rk.simulate(puma, Q, None, stiff, duration=0.1, torque_limits=largest),
    ]
    free = rk.simulate(puma, Q, None, stiff, duration=0.1, torque_limits=False)
    assert (np.abs(free.tau).max(axis=0) > largest)[[0, 1, 3, 4, 5]].all()
    for run in runs:
        assert (np.abs(run.tau).max(axis=0) <= largest).all()
        assert np.abs(run.q[-1] - runs[0].q[-1]).max() < 1e-9
    assert np.abs(runs[0].tau).max(axis=0)[2] > 100  # without limit


def test_limits_bound_the_actuators_and_not_the_external_wrench(pendulum) -> None:
    frame = pendulum.frame_names[-1]
    run = rk.simulate(
        pendulum,
        [0.3],
        None,
        [50.0],
        duration=0.1,
        torque_limits=2.0,
        wrenches={frame: [0, 0, 90.0, 0, 0, 0]},
    )
    assert np.array_equal(run.tau, np.full_like(run.tau, 2.0))
    free = rk.simulate(pendulum, [0.3], None, [2.0], duration=0.1, wrenches={frame: [0, 0, 90.0, 0, 0, 0]})
    assert np.abs(run.q[-1] - free.q[-1]).max() < 1e-12


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (True, "No actuated joint of robot 'puma560' has an effort limit|No actuated joint"),
        (-1.0, "not negative"),
        ([1.0, 2.0], r"one number, 6 \(one for each actuated coordinate\).*\(2,\)"),
        ({"elbw": 1.0}, "no actuated joint named 'elbw'"),
        ("full", "torque_limits"),
    ],
)
def test_limits_that_do_not_fit_are_refused_with_a_reason(puma, limits, message) -> None:
    bare = with_efforts(puma, [None] * 6)
    with pytest.raises(rk.RikigakuError, match=message):
        rk.simulate(bare, Q, duration=0.1, torque_limits=limits)


def test_a_sum_of_controllers_is_one_controller(puma) -> None:
    whole = rk.PD(puma, Q + 0.3, 100.0, 10.0)
    parts = rk.PD(puma, Q + 0.3, 100.0, 10.0, gravity=False) + rk.GravityCompensation(puma)
    one = rk.simulate(puma, Q, None, whole, duration=0.5, **FINE)
    two = rk.simulate(puma, Q, None, parts, duration=0.5, **FINE)
    assert np.abs(one.q[-1] - two.q[-1]).max() < 1e-10


def test_every_torque_source_adds_to_every_other(pendulum) -> None:
    """Arrays, formulas, data, functions and controllers in any order: the force is the sum of the forces."""
    data = rk.Data([0, 0.1, 0.3], [[1.0], [2.0], [-1.0]])
    sources = rk.PD(pendulum, [0.5], 9.0, 1.0) + ["3*sin(t)"] + data + [0.7] + (lambda t, q, v: -0.2 * v)
    formulas = ["0.1"]
    for torque in (sources, np.array([0.1]) + sources, formulas + sources, sources + np.array([0.1])):
        run = rk.simulate(pendulum, [0.2], [0.4], torque, duration=0.3, **FINE)
        q, v, t = run.q[:, 0], run.v[:, 0], run.t
        expected = 9 * (0.5 - q) - v + 3 * np.sin(t) + np.interp(t, [0, 0.1, 0.3], [1, 2, -1]) + 0.7 - 0.2 * v
        expected += pendulum.gravity_forces(run.q)[:, 0] + (0.0 if torque is sources else 0.1)
        assert np.abs(run.tau[:, 0] - expected).max() < 1e-12
        assert {0.1, 0.3} <= set(t)  # steps end where the data do


def test_a_sampled_function_adds_to_a_trajectory(pendulum) -> None:
    """The sampled part is held over a period, the rest moves on."""
    sampled = rk.Sampled(lambda t, q, v: [np.floor(t / 0.1 + 0.5)], 0.1)
    run = rk.simulate(
        pendulum, [0.2], None, sampled + rk.Data([0.0, 0.25], [[0.0], [5.0]]), duration=0.3, **FINE
    )
    before = np.append(np.diff(run.t) > 0, False)
    expected = np.floor(run.t / 0.1 + 1e-9) + np.minimum(20 * run.t, 5.0)
    assert np.abs(run.tau[:, 0] - expected)[before].max() < 1e-12


def test_sums_that_mean_two_things_are_refused(puma) -> None:
    with pytest.raises(
        rk.RikigakuError, match="Gravity is compensated 2 times, by PD and GravityCompensation"
    ):
        rk.simulate(puma, Q, None, rk.PD(puma, Q, 1.0, 1.0) + rk.GravityCompensation(puma), duration=0.1)
    two = rk.Sampled(lambda t, q, v: np.zeros(6), 0.01) + rk.Sampled(lambda t, q, v: np.zeros(6), 0.02)
    with pytest.raises(rk.RikigakuError, match=r"one period; one every 0\.01 s and one every 0\.02 s"):
        rk.simulate(puma, Q, None, two, duration=0.1)
    with pytest.raises(rk.RikigakuError, match="robots with loops"):
        rk.GravityCompensation(rk.load("four_bar"))


def test_joint_friction_of_the_file_is_a_switch(pendulum) -> None:
    """A pendulum held by the dry friction of its joint, with contacts and without."""
    link = pendulum.links[0]
    dry = replace(pendulum, links=(replace(link, joint=replace(link.joint, coulomb="20")),))
    held = rk.simulate(dry, [0.3], duration=0.2, joint_friction=True)
    assert np.array_equal(held.q, np.full_like(held.q, 0.3))
    free, contacts = rk.simulate(dry, [0.3], duration=0.2), {"contacts": []}
    for run in (
        rk.simulate(dry, [0.3], duration=0.2, joint_friction=x, **c)
        for x, c in [(False, {}), (False, contacts)]
    ):
        assert np.abs(run.q[-1] - free.q[-1]).max() < 1e-9
        assert abs(run.q[-1, 0] - 0.3) > 1e-3
    assert np.array_equal(rk.simulate(dry, [0.3], duration=0.2, **contacts).q[-1], [0.3])
    explicit = rk.simulate(
        dry, [0.3], duration=0.2, contacts=[rk.JointFriction(dry.joints[0].name, 20.0)], joint_friction=False
    )
    assert np.array_equal(explicit.q[-1], [0.3])  # given by hand, not by the file
    with pytest.raises(rk.RikigakuError, match="has its joint friction"):
        rk.simulate(dry, [0.3], duration=0.2, contacts=rk.ContactSystem(dry), joint_friction=False)
    with pytest.raises(rk.RikigakuError, match="joint_friction or a system, not both"):
        rk.simulate(dry, [0.3], duration=0.2, system=rk.simulation.FreeMotion(dry), joint_friction=True)
