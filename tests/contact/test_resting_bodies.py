"""What rests wakes in time, and what flies meets what is in its way: guards bound the steps."""

from dataclasses import replace

import numpy as np
import pytest
from simple_bodies import particle, slider

import rikigaku as rk
from rikigaku.contact import Contact, JointFriction, Plane, Sphere


@pytest.mark.parametrize("method", ["dop853", "radau"])
@pytest.mark.parametrize("f", [0.1, 1.0, 10.0])
def test_a_body_at_rest_slips_when_its_push_passes_friction_however_long_it_is_watched(f, method) -> None:
    """6 sin(2 pi f t) against 4.905 N: slips first at asin(0.8175)/(2 pi f), then stops, twice a period."""
    contacts = [JointFriction("x", 4.905)]
    first = np.arcsin(4.905 / 6) / (2 * np.pi * f)
    times = None
    for duration in (5, 9, 20) if f < 5 else (2, 5):
        motion = rk.simulate(
            slider(),
            [0.0],
            torque=[f"6*sin(2*pi*{f}*t)"],
            duration=duration,
            contacts=contacts,
            method=method,
        )
        found = np.array([event.t for event in motion.events])
        assert found[0] == pytest.approx(first, abs=1e-9)
        assert len(found) == round(4 * f * duration) or duration * f < 2
        if times is not None:
            assert found[: len(times)] == pytest.approx(times, abs=1e-8)
        times = found


def test_short_pulses_in_a_long_rest_are_not_slept_through() -> None:
    """20 sin(t/100)^2000 passes 4.905 N for 22 s in 314 s."""
    motion = rk.simulate(
        slider(), [0.0], torque=["20*sin(0.01*t)^2000"], duration=2500, contacts=[JointFriction("x", 4.905)]
    )
    slips = [event.t for event in motion.events if event.name == "x slips"]
    begins = 100 * np.arcsin((4.905 / 20) ** (1 / 2000))
    assert slips == pytest.approx(begins + 100 * np.pi * np.arange(8), abs=1e-6)


def test_in_space_sliding_begins_once() -> None:
    """Friction turns with the slightest velocity: no storm of events where sliding begins slowly."""
    for method in ("dop853", "radau"):
        motion = rk.simulate(
            particle(), np.zeros(3), torque=["6*sin(0.2*pi*t)", "0", "0"], duration=10,
            contacts=[Contact("mass", Plane(), 0.5)], method=method,
        )  # fmt: skip
        assert motion.done
        assert [event.name for event in motion.events] == ["mass slips", "mass stops"] * 2
        assert motion.events[0].t == pytest.approx(np.arcsin(0.8175) / (0.2 * np.pi), abs=1e-9)
        assert motion.statistics["steps"] < 20_000


def test_a_ball_in_the_way_is_met() -> None:
    ball = Contact("mass", Sphere(0.3, (10, 0, 5.095)), restitution=1.0)
    thrown = rk.simulate(particle(), np.zeros(3), [10, 0, 10], duration=2, contacts=[ball])
    assert thrown.events[0].name == "mass lands"
    weightless = replace(particle(), gravity=tuple(rk.Formula.of(0) for _ in range(3)))
    ball = Contact("mass", Sphere(0.3, (100, 0, 0)), restitution=1.0)
    for duration in (200, 10_000):
        drifting = rk.simulate(weightless, np.zeros(3), [1, 0, 0], duration=duration, contacts=[ball])
        assert [event.t for event in drifting.events] == pytest.approx([99.7], abs=1e-9)


def test_the_largest_step_may_be_given() -> None:
    def thin(t, q, v):
        return (q[0] - 1) * (q[0] - 1.001)

    motion = rk.simulate(
        particle(), np.zeros(3), [1, 0, 0], duration=10, events={"thin": thin}, largest_step=0.002
    )
    assert [event.t for event in motion.events] == pytest.approx([1, 1.001], abs=1e-9)
    assert np.diff(motion.t).max() < 0.0021
    with pytest.raises(rk.RikigakuError, match="largest step is positive"):
        rk.simulate(particle(), np.zeros(3), duration=1, largest_step=-1)
