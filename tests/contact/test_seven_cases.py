"""The seven motions of the three-link arm on a floor: anchors, similarity, an independent solution, steps."""

from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest
from floor_arm import START, FloorArm

import rikigaku as rk
from rikigaku.contact import Contact, Plane

FLOOR = (Contact("hand", Plane(), 0.2, bilateral=True),)
WAVES = ["-3*cos(2*pi*t)", "-3*sin(2*pi*t)", "3*cos(2*pi*t)"]
CASES = {
    "i": ({}, [-3.0, -3.0, -3.0]),
    "ii": ({}, ["3*sin(2*pi*t/10)"] * 3),
    "iii": ({}, WAVES),
    "iv": ({"m1": 2, "m2": 2, "m3": 2}, None),
    "v": ({"m1": 0.5, "m2": 0.5, "m3": 0.5}, None),
    "vi": ({"D": 6}, None),
    "vii": ({"D": 1.5}, None),
}


def arm(**values):
    """The arm with other values of its symbols: programs are shared, as the formulas are the same."""
    robot = rk.load("planar_3r")
    symbols = {s.name: replace(s, value=rk.Formula.of(values.get(s.name, s.value))) for s in robot.symbols}
    return replace(robot, symbols=tuple(symbols.values()))


@cache
def motion(case, rtol=1e-10, duration=10.0):
    values, torque = CASES[case]
    return rk.simulate(
        arm(**values), START, torque=torque, duration=duration, contacts=FLOOR, rtol=rtol, atol=1e-3 * rtol,
        output=0.01,
    )  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_hand_stays_on_the_floor_and_friction_within_its_cone(case):
    solution = motion(case)
    assert solution.done
    assert np.abs(solution.robot.pose(solution.q, "hand")[:, 2, 3]).max() < 1e-12
    assert np.abs(solution.robot.velocity(solution.q, solution.v, "hand")[:, 2]).max() < 1e-12
    f = solution.forces["forces"]
    assert np.all(np.abs(f[:, 1]) <= 0.2 * np.abs(f[:, 3]) * (1 + 1e-9))
    sliding = solution.robot.velocity(solution.q, solution.v, "hand")[:, 1]
    fast = np.abs(sliding) > 1e-6
    assert np.allclose(f[fast, 1], -0.2 * np.abs(f[fast, 3]) * np.sign(sliding[fast]), rtol=1e-10)
    assert solution.energy_audit().relative < 1e-9


@pytest.mark.parametrize("case", CASES)
def test_results_do_not_depend_on_the_tolerance(case):
    rough, fine = motion(case, 1e-9), motion(case, 1e-12)
    assert np.abs(rough.q - fine.q).max() < 1e-8
    assert [e.name for e in rough.events] == [e.name for e in fine.events]
    assert np.allclose([e.t for e in rough.events], [e.t for e in fine.events], atol=1e-8, rtol=0)


def test_results_do_not_depend_on_chunks():
    whole = motion("iii")
    q, v, t = START, None, 0.0
    for duration in (0.2, 1.3, 2.0, 0.7, 5.8):
        part = rk.simulate(arm(), q, v, WAVES, duration=duration, start=t, contacts=FLOOR, rtol=1e-10)
        q, v, t = part.q[-1], part.v[-1], t + duration
    assert np.abs(q - whole.q[-1]).max() < 1e-8


@pytest.mark.parametrize(("one", "other", "ratio"), [("iv", "vii", 2.0), ("v", "vi", 0.5)])
def test_similar_arms_move_alike_with_forces_in_proportion(one, other, ratio):
    a, b = motion(one), motion(other)
    assert np.abs(a.q - b.q).max() < 1e-9
    f, g = a.forces["forces"][:, 3], b.forces["forces"][:, 3]
    assert np.abs(f - ratio * g).max() < 1e-7 * np.abs(f).max()
    assert np.allclose([e.t for e in a.events], [e.t for e in b.events], atol=1e-9, rtol=0)


def test_the_arm_settles_where_friction_leaves_it():
    """tan(alpha) = 1.5 K: reached in the limit; after 10 s it is still 0.01 rad away, as SciPy finds too."""
    solution = rk.simulate(arm(), START, duration=150, contacts=FLOOR, rtol=1e-10)
    alpha = np.arctan(0.3)
    expected = np.array([-np.pi + alpha, np.pi / 2 - alpha, np.pi / 2 - alpha])
    assert solution.done
    assert np.abs(solution.q[-1] - expected).max() < 1e-8
    assert solution.forces["forces"][-1, 3] == pytest.approx(1.5 * 9.81, abs=1e-8)
    assert 0.01 < np.abs(solution.at(10.0).q - expected).max() < 0.02


def test_under_constant_torque_the_hand_sticks_at_first():
    solution = motion("i")
    assert solution.modes[0] == "hand stick"
    assert [event.name for event in solution.events] == ["hand slips", "hand stops"]
    f = solution.forces["forces"][0]
    assert f[3] == pytest.approx(14.715 + 3 * (4 + 10 - 10) / 9, rel=1e-12)


@pytest.mark.parametrize(
    ("case", "reference"),
    [
        ("i", FloorArm(tau=lambda t: np.full(3, -3.0))),
        ("ii", FloorArm(tau=lambda t: np.full(3, 3 * np.sin(2 * np.pi * t / 10)))),
    ],
)
def test_an_independent_integration_finds_the_same_events_and_the_same_end(case, reference):
    ours = motion(case, duration=7.0)
    q, events = reference.motion(7.0)
    assert [name for _, name in events] == [e.name.removeprefix("hand ") for e in ours.events]
    assert np.allclose([t for t, _ in events], [e.t for e in ours.events], atol=1e-6, rtol=0)
    assert np.abs(q - ours.q[-1]).max() < 1e-6


fixed_steps = partial(rk.simulate, method="time_stepping")


@pytest.mark.parametrize(("case", "words"), [("iii", {"stick", "slip"}), ("v", {"slip"})])
def test_steps_of_a_hundredth_of_a_second_stay_within_a_hundredth_of_the_motion(case, words):
    values, torque = CASES[case]
    steps = fixed_steps(arm(**values), START, torque=torque, duration=2, step=0.01, contacts=FLOOR)
    exact = motion(case).at(steps.t)
    assert np.abs(steps.q - exact.q).max() < 1.3e-2
    assert np.abs(arm().pose(steps.q, "hand")[:, 2, 3]).max() < 1e-8
    assert {name.removeprefix("hand ") for name in steps.modes} == words


def test_time_stepping_refuses_what_it_cannot_take():
    with pytest.raises(rk.errors.WrongValue, match=r"A step is positive \[s\]; 0 was given"):
        fixed_steps(arm(), START, duration=1, step=0, contacts=FLOOR)
    with pytest.raises(rk.errors.WrongValue, match=r"steps of one length: give step="):
        fixed_steps(arm(), START, duration=1, contacts=FLOOR)
    with pytest.raises(rk.errors.WrongSize, match="3 numbers"):
        fixed_steps(arm(), START, [0.0], duration=1, step=0.1, contacts=FLOOR)
    with pytest.raises(rk.errors.WrongValue, match="locates no events"):
        fixed_steps(arm(), START, duration=1, step=0.1, contacts=FLOOR, events={"q1": lambda t, q, v: q[0]})
    with pytest.raises(rk.errors.WrongValue, match="takes contacts, not a system"):
        fixed_steps(arm(), START, duration=1, step=0.1, system=rk.simulation.FreeMotion(arm()))
    with pytest.raises(rk.errors.WrongValue, match=r"open by 0\.\d+.*placed"):
        fixed_steps(arm(), np.array(START) + 0.1, duration=1, step=0.1, contacts=FLOOR)
    with pytest.raises(rk.errors.TooLarge, match=r"output=\.\.\., of more steps"):
        fixed_steps(arm(), START, duration=1e9, step=0.1, contacts=FLOOR, most_steps=10**10)


def test_torques_as_formulas_are_those_of_a_function():
    def waves(t, q, v):
        return [-3 * np.cos(2 * np.pi * t), -3 * np.sin(2 * np.pi * t), 3 * np.cos(2 * np.pi * t)]

    called = rk.simulate(arm(), START, torque=waves, duration=1.0, contacts=FLOOR, rtol=1e-10)
    assert np.abs(called.q[-1] - motion("iii").at(1.0).q).max() < 1e-9
    with pytest.raises(rk.errors.WrongSize, match="3 formulas"):
        rk.simulate(arm(), START, torque=["t"], duration=1, contacts=FLOOR)
    with pytest.raises(rk.errors.WrongValue, match="formula of t"):
        rk.simulate(arm(), START, torque=["t", "x", "0"], duration=1, contacts=FLOOR)
