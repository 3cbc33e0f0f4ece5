"""Steps of one length through sticking and sliding: they reach the end, and converge at their order."""

import numpy as np
import pytest
from simple_bodies import corner_box
from test_seven_cases import CASES, FLOOR, START, arm, motion

import rikigaku as rk


def stepped(case, method, step, duration=10.0):
    values, torque = CASES[case]
    return rk.simulate(
        arm(**values), START, torque=torque, duration=duration, contacts=FLOOR, method=method, step=step,
        output=0.1,
    )  # fmt: skip


@pytest.mark.filterwarnings("ignore::rikigaku.core.errors.PullingWarning")
@pytest.mark.parametrize("method", ["rk4", "euler"])
@pytest.mark.parametrize("case", ["i", "ii", "iii", "iv", "vii"])
def test_the_papers_step_of_10_ms_goes_through_every_stick_and_slip(case, method):
    """Case (iii) sticks and slips 33 times; Euler's steps add a few of their own, not one a step."""
    solution = stepped(case, method, 0.01)
    assert solution.done
    assert np.abs(solution.robot.pose(solution.q, "hand")[:, 2, 3]).max() < 1e-9
    assert np.abs(solution.q - motion(case).q[::10]).max() < {"rk4": 1e-4, "euler": 0.02}[method]
    assert len(solution.events) <= len(motion(case).events) * {"rk4": 1, "euler": 1.3}[method]


@pytest.mark.parametrize(("method", "step", "error"), [("rk4", 0.005, 1e-6), ("euler", 0.0025, 2e-3)])
@pytest.mark.parametrize("case", ["v", "vi"])
def test_where_damping_is_strong_explicit_steps_must_be_shorter(case, method, step, error):
    """Rates reach 426 /s: rk4 is stable up to 6.5 ms there, Euler up to 4.7 ms; 10 ms is too long."""
    solution = stepped(case, method, step)
    assert solution.done
    assert np.abs(solution.q - motion(case).q[::10]).max() < error


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_a_thrown_box_comes_to_rest_by_eulers_coarse_steps(restitution):
    """Without a rule corners return faster than they left: 220 landings in 2 s, and sliding does not end."""
    robot, contacts = corner_box((0.4, 0.3, 0.2), friction=0.5, restitution=restitution)
    tilt = np.array([0.18, 0.05, -0.12])
    q, v = [0, 0, 0.3, np.sqrt(1 - tilt @ tilt), *tilt], [0.4, -0.3, 0.1, 1.2, -0.8, 1.5]
    solution = rk.simulate(robot, q, v, duration=2.0, contacts=contacts, method="euler", step=0.01)
    assert solution.done
    assert len(solution.events) < 40
    assert not solution.v[-1].any()
    assert solution.q[-1, 2] == pytest.approx(0.1, abs=1e-12)
    assert np.diff(solution.dissipated).min() >= -1e-12


@pytest.mark.filterwarnings("ignore::rikigaku.core.errors.PullingWarning")
@pytest.mark.parametrize(("method", "order", "step"), [("rk4", 4, 0.0025), ("euler", 1, 0.005)])
def test_fixed_steps_converge_at_their_order_through_stick_and_slip(method, order, step):
    errors = [
        np.abs(stepped("iii", method, h, 4.0).q - motion("iii").q[:401:10]).max() for h in (step, step / 2)
    ]
    assert 0.85 * 2**order < errors[0] / errors[1] < 1.25 * 2**order
