"""Passages located on the interpolant, and modes that follow one another."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import rikigaku as rk
from rikigaku.core.errors import WrongValue
from rikigaku.simulation import Change, Flow, FreeMotion, Mode

G = 9.81


@pytest.fixture(scope="module")
def ball() -> rk.Robot:
    """1 kg that moves up and down."""
    joint = rk.Joint("height", "prismatic")
    inertia = rk.Inertia(m=1, position=(0, 0, 0), tensor=(1, 0, 0, 1, 0, 1), about="com")
    return rk.Robot("ball", (rk.Link("ball", "base", joint, rk.Placement(), inertia),))


def test_passages_of_a_pendulum_come_every_half_period_of_the_elliptic_formula(pendulum) -> None:
    amplitude = 2.0
    period = 4 * np.sqrt(0.5 / G) * ellipk(np.sin(amplitude / 2) ** 2)
    motion = rk.simulate(
        pendulum,
        [amplitude],
        [0.0],
        duration=10.0,
        rtol=1e-13,
        atol=1e-14,
        events={"down": lambda t, q, v: q[0]},
    )
    times = np.array([event.t for event in motion.events])
    assert len(times) == int((10 - period / 4) / (period / 2)) + 1
    assert np.abs(times - (period / 4 + period / 2 * np.arange(len(times)))).max() < 1e-11
    assert max(abs(event.q[0]) for event in motion.events) < 1e-13


def test_a_pendulum_swings_as_jacobis_functions_say(pendulum) -> None:
    amplitude, w = 2.0, np.sqrt(G / 0.5)
    motion = rk.simulate(pendulum, [amplitude], [0.0], duration=5.0, rtol=1e-13, atol=1e-14, output=0.01)
    k = np.sin(amplitude / 2)
    sn = ellipj(ellipk(k * k) - w * motion.t, k * k)[0]
    assert np.abs(motion.q[:, 0] - 2 * np.arcsin(k * sn)).max() < 1e-11


@pytest.mark.parametrize("rest", [0.1, 1e-3, 1e-6])
def test_two_passages_within_one_step_are_both_found(ball, rest) -> None:
    # The parabola is integrated exactly: the step grows to the whole motion, and both lie in a quarter of it.
    start, v = 0.0, 1.0
    top = v * v / (2 * G)
    events = {
        "near the top": lambda t, q, v: q[0] - (1 - rest) * top,
        "upside down": lambda t, q, v: (1 - rest) * top - q[0],
    }
    motion = rk.simulate(ball, [start], [v], duration=0.2, step=0.2, events=events)
    exact = v / G * (1 + np.array([-1, 1]) * np.sqrt(rest))
    for name in events:
        assert [event.t for event in motion.events if event.name == name] == pytest.approx(exact, abs=1e-12)


def test_a_guard_that_ends_its_mode_stops_the_motion_there(ball) -> None:
    ground = rk.Guard("ground", lambda mechanism, now, flow: now.q[0])
    motion = rk.simulate(ball, [1.0], [0.0], duration=5.0, events=[ground])
    assert motion.t[-1] == pytest.approx(np.sqrt(2 / G), abs=1e-13)
    assert "ground" in motion.status
    assert not motion.done
    assert abs(motion.q[-1, 0]) < 1e-14


@dataclass
class Bouncing:
    """Reverses the velocity at the ground, e times as fast."""

    robot: rk.Robot
    e: float
    impacts: list[float] = field(default_factory=list)

    @property
    def mode(self) -> Mode:
        free = FreeMotion(self.robot).mode
        ground = rk.Guard("ground", lambda mechanism, now, flow: now.q[0])
        return Mode("flying", "flying", free.dynamics, (ground,))

    def start(self, t, q, v):
        return Change(self.mode, q, v)

    def after(self, event):
        self.impacts.append(event.t)
        v = -self.e * event.v
        lost = 0.5 * float(event.v[0] ** 2 - v[0] ** 2)
        return Change(self.mode, np.zeros(1), v, dissipated=lost)


def test_a_bouncing_ball_comes_to_its_zeno_time_and_is_reported(ball) -> None:
    system = Bouncing(ball, 0.5)
    motion = rk.simulate(ball, [1.0], [0.0], duration=5.0, system=system)
    fall = np.sqrt(2 / G)
    zeno = fall * (1 + 2 * 0.5 / (1 - 0.5))
    expected = fall * (1 + 2 * (0.5 - 0.5 ** np.arange(1, 21)) / 0.5)
    assert system.impacts[:20] == pytest.approx([*expected], abs=1e-12)
    assert "without end (Zeno" in motion.status
    assert motion.t[-1] == pytest.approx(zeno, abs=1e-9)
    assert motion.dissipated[-1] == pytest.approx(G * 1.0, rel=1e-9)  # all of m g h
    assert motion.energy_audit().error < 1e-11


def test_both_sides_of_a_jump_are_kept(ball) -> None:
    motion = rk.simulate(ball, [1.0], [0.0], duration=0.6, system=Bouncing(ball, 1.0))
    (k,) = np.flatnonzero(np.diff(motion.t) == 0)
    assert motion.v[k, 0] == pytest.approx(-np.sqrt(2 * G), abs=1e-12)
    assert motion.v[k + 1, 0] == pytest.approx(np.sqrt(2 * G), abs=1e-12)
    assert motion.at(motion.t[k]).v[0] > 0  # after the jump


def test_outputs_of_a_mode_are_kept_with_the_solution(ball) -> None:
    def dynamics(mechanism, now):
        free = FreeMotion(ball).mode.dynamics(mechanism, now)
        return Flow(free.a, outputs={"weight": [9.81 * now.p[0]]})

    @dataclass
    class Told:
        def start(self, t, q, v):
            return Change(Mode("told", "told", dynamics, parameters=(2.0,)), q, v)

        def after(self, event):
            return None

    motion = rk.simulate(ball, [1.0], [0.0], duration=0.1, system=Told())
    assert motion.forces["weight"] == pytest.approx(np.full((len(motion.t), 1), 19.62))


def test_an_event_that_cannot_be_compiled_says_what_it_may_do(ball) -> None:
    with pytest.raises(rk.RikigakuError, match=r"'height' cannot be compiled.*sin, cos, sqrt"):
        rk.simulate(ball, [1.0], [0.0], duration=1.0, events={"height": lambda t, q, v: float(q[0])})


def test_a_slack_is_for_guards_that_end_a_mode() -> None:
    with pytest.raises(WrongValue, match="'noted' has a slack"):
        rk.Guard("noted", lambda mechanism, now, flow: now.t, ends_mode=False, slack=1e-9)
