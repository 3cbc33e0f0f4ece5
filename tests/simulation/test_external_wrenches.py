"""External wrenches over time: against SciPy with forward dynamics, and against the laws of trees."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from test_against_scipy import Q

import rikigaku as rk
from rikigaku.laws.tree.joint_wrenches import joint_wrenches
from rikigaku.model.mechanism import instantiate
from rikigaku.numbers.number_kind import FLOATS

FINE = {"rtol": 1e-11, "atol": 1e-12}


def scipy_end(robot, q, duration, tau, wrench, frame):
    """Positions at the end by SciPy, accelerations from forward dynamics with wrenches."""

    def field(t, y):
        n = robot.nv
        a = robot.forward_dynamics(y[:n].copy(), y[n:].copy(), tau, wrenches={frame: wrench(t, y[:n], y[n:])})
        return np.concatenate([y[n:], a])

    start = np.concatenate([q, np.zeros(robot.nv)])
    return solve_ivp(field, (0, duration), start, "DOP853", rtol=1e-12, atol=1e-13).y[: robot.nv, -1]


FORMULAS = ["5*sin(3*t)", 0, "-10*t", "0.2", "cos(t)", 0.1]


def wrench(t, q=None, v=None):
    return np.array([5 * np.sin(3 * t), 0, -10 * t, 0.2, np.cos(t), 0.1])


@pytest.mark.parametrize("given", [FORMULAS, wrench])
def test_a_wrench_on_a_frame_moves_the_robot_as_in_scipy(puma, given) -> None:
    hand, tau = puma.frame_names[-1], np.array([1.0, 30.0, 5.0, 0.1, 0.2, 0.0])
    ours = rk.simulate(puma, Q, torque=tau, duration=0.4, wrenches={hand: given}, **FINE)
    theirs = scipy_end(puma, Q, 0.4, tau, wrench, hand)
    assert np.abs(ours.q[-1] - theirs).max() < 1e-10
    assert np.abs(ours.tau - tau).max() < 1e-13  # of the actuators alone
    assert ours.energy_audit().relative < 1e-9  # the wrench's work is part of the balance
    reported = np.array([wrench(t) for t in ours.t])
    assert np.abs(ours.forces["external wrenches"][:, 0] - reported).max() < 1e-12
    assert ours.labels["external wrenches"][2] == f"{hand} force z [N]"


def test_data_and_constants_over_time_act_as_the_same_formulas(puma) -> None:
    hand, elbow = puma.frame_names[-1], puma.links[2].name
    linear, constant = ["2 - 3*t", 0, "t", 0, 0, "0.5*t"], [0, 3.0, 0, 0.1, 0, 0]
    rows = np.array([[2 - 3 * t, 0, t, 0, 0, 0.5 * t] for t in (0.0, 0.5)])
    one = rk.simulate(puma, Q, duration=0.3, wrenches={hand: linear, elbow: ["0", "3", "0", "0.1", "0", "0"]})
    two = rk.simulate(puma, Q, duration=0.3, wrenches={hand: rk.Data([0, 0.5], rows), elbow: constant})
    assert np.abs(one.q[-1] - two.q[-1]).max() < 1e-9


def test_functions_of_torques_and_of_wrenches_are_called_together(puma) -> None:
    hand, elbow = puma.frame_names[-1], puma.links[2].name

    def torque(t, q, v):
        return np.array([1.0, 30.0, 5.0, 0.1, 0.2, 0.0]) - 0.3 * v

    def second(t, q, v):
        return np.array([0, 3 * q[0], 0, 0.1, -v[1], 0])

    both = {hand: wrench, elbow: second}
    ours = rk.simulate(puma, Q, None, torque, duration=0.2, wrenches=both, **FINE)

    def field(t, y):
        q, v = y[:6].copy(), y[6:].copy()
        loads = {name: w(t, q, v) for name, w in both.items()}
        return np.concatenate([v, puma.forward_dynamics(q, v, torque(t, q, v), wrenches=loads)])

    theirs = solve_ivp(field, (0, 0.2), np.concatenate([Q, np.zeros(6)]), "DOP853", rtol=1e-12, atol=1e-13)
    assert np.abs(ours.q[-1] - theirs.y[:6, -1]).max() < 1e-10


def test_a_wrench_drives_a_closed_robot_with_the_power_it_has() -> None:
    five = rk.load("five_bar")
    q = five.assemble([0.3, 1.2])
    frame = five.links[1].name
    ours = rk.simulate(
        five, q, torque=[0.1, 0.0], duration=0.3, wrenches={frame: ["0", "2*t", "-1", "0", "0", "0"]}
    )
    assert ours.done
    assert ours.energy_audit().relative < 1e-9
    assert np.abs(ours.work[-1] - (0.1 * (ours.q[-1, 0] - ours.q[0, 0]))) > 1e-3
    assert ours.residual.max() < 1e-12


def test_joint_wrenches_in_contact_carry_the_external_wrench() -> None:
    """They are those of the law of trees under contact force and wrench; events read the same ones."""
    arm = rk.load("planar_3r")
    floor = rk.Contact("hand", rk.Plane(), friction=0.9)
    q = rk.ContactSystem(arm, [floor]).placed([-0.5, -1.0, -1.1], ["hand"])
    frame, held = arm.links[1].name, rk.PD(arm, q, 500.0, 20.0)
    scene = {"contacts": [floor], "wrenches": {frame: [0, "1.5*t", "-40*t", "0.3", 0, 0]}, "output": 0.05}
    run = rk.simulate(arm, q, None, held, duration=0.3, **scene)
    assert run.done
    for k, t in enumerate(run.t):
        loads = {frame: [0, 1.5 * t, -40 * t, 0.3, 0, 0], "hand": [*run.forces["forces"][k, :3], 0, 0, 0]}
        mechanism = instantiate(arm, FLOATS, arm.declared_values)
        expected = joint_wrenches(mechanism, run.q[k], run.v[k], run.a[k], wrenches=loads)
        assert np.abs(run.forces["joint wrenches"][k] - expected).max() < 1e-9
    value = run.forces["joint wrenches"][3, 0, 2]
    guard = rk.Guard("base", lambda m, now, flow: flow.outputs["joint wrenches"][0][2] - value, rising=True)
    found = rk.simulate(arm, q, None, held, duration=0.3, events=[guard], **scene)
    assert found.events[-1].t == pytest.approx(run.t[3], abs=1e-9)


def test_wrenches_meet_sampled_controllers_and_functions_with_tables(puma) -> None:
    """Tables in native code beside a sampled and a continuous Python function: as one function of both."""
    hand = puma.frame_names[-1]
    table = rk.Data([0.05, 0.13, 0.2], np.outer([1.0, -2.0, 3.0], [1, 2, -1, 0.1, 0, 0.2]), between="hold")

    def held(t):
        value = 1.0 if t < 0.13 else -2.0 if t < 0.2 else 3.0
        return value * np.array([1, 2, -1, 0.1, 0, 0.2])

    def control(t, q, v):
        return puma.gravity_forces(q) - 3 * v + np.sin(20 * t)

    sampled = rk.simulate(
        puma, Q, None, rk.Sampled(control, 0.05), duration=0.3, wrenches={hand: table}, **FINE
    )
    q, v = Q, np.zeros(6)
    stops = sorted({*np.round(np.arange(0, 0.31, 0.05), 9), 0.13, 0.2})
    tau = None
    for a, b in pairwise(stops):
        if np.isclose(a / 0.05, round(a / 0.05)):
            tau = control(a, q, v)
        part = rk.simulate(
            puma, q, v, tau, start=a, duration=b - a, wrenches={hand: held(0.5 * (a + b))}, **FINE
        )
        q, v = part.q[-1], part.v[-1]
    assert np.abs(sampled.q[-1] - q).max() < 1e-10
    continuous = rk.simulate(puma, Q, None, control, duration=0.3, wrenches={hand: table}, **FINE)
    q, v = Q, np.zeros(6)
    for a, b in ((0, 0.13), (0.13, 0.2), (0.2, 0.3)):
        part = rk.simulate(
            puma, q, v, control, start=a, duration=b - a, wrenches={hand: held(0.5 * (a + b))}, **FINE
        )
        q, v = part.q[-1], part.v[-1]
    assert np.abs(continuous.q[-1] - q).max() < 1e-10


def test_a_solution_with_wrenches_is_saved_and_read(puma, tmp_path) -> None:
    hand = puma.frame_names[-1]
    ours = rk.simulate(puma, Q, duration=0.05, wrenches={hand: FORMULAS})
    ours.save(tmp_path / "pushed.npz")
    again = rk.load_solution(tmp_path / "pushed.npz", puma)
    assert np.array_equal(again.forces["external wrenches"], ours.forces["external wrenches"])
    assert np.array_equal(again.tau, ours.tau)


@pytest.mark.parametrize(
    ("wrenches", "message"),
    [
        ([1.0], "wrenches are given by name, {frame: six numbers or formulas}"),
        ({"hnd": np.zeros(6)}, "no frame or link named 'hnd'|no frame named 'hnd'"),
        ({"link3": np.zeros(3)}, r"the wrench on 'link3' takes 6 numbers, one for each component.*\(3,\)"),
        ({"link3": ["t"] * 5}, "the wrench on 'link3' takes 6 formulas.*5 were given"),
        ({"link3": "sin(t)"}, "the wrench on 'link3' takes 6 formulas, as"),
        ({"link3": ["x"] * 6}, "uses x; it is a formula of t"),
        ({"link3": [np.nan] * 6}, "must be finite"),
    ],
)
def test_wrenches_that_do_not_fit_are_refused_with_a_reason(puma, wrenches, message) -> None:
    name = puma.links[2].name
    if isinstance(wrenches, dict):
        wrenches = {name if key == "link3" else key: w for key, w in wrenches.items()}
    with pytest.raises(rk.RikigakuError, match=message.replace("link3", name)):
        rk.simulate(puma, Q, duration=0.1, wrenches=wrenches)
    with pytest.raises(rk.RikigakuError, match="is no controller"):
        rk.simulate(puma, Q, duration=0.1, wrenches={name: rk.PD(puma, Q, 1.0, 1.0)})
