"""Motions that start at a large time: steps are counted from there, rounded times decide nothing."""

import numpy as np
import pytest
from simple_bodies import corner_box, particle

import rikigaku as rk

BOX, CORNERS = corner_box((0.4, 0.3, 0.2))
DICE, EIGHT = corner_box((0.4, 0.3, 0.2), corners=8, restitution=0.3)
BOUNCE = [rk.Contact("mass", rk.Plane(), 0.3, 0.5)]
FLAT = [0, 0, 0.1, 1, 0, 0, 0]
SCENES = {
    "slides": (BOX, FLAT, [0.5, 0, 0, 0, 0, 0.001], CORNERS, "0", 1.0),
    "pushed": (BOX, FLAT, np.zeros(6), CORNERS, "12*(t - {})", 1.0),
    "thrown": (DICE, [0, 0, 0.6, 0.5, 0.5, 0.5, 0.5], [1, 0, 0, 2, 3, 1], EIGHT, "0", 1.5),
    "bounces": (particle(), [0, 0, 0.5], [1, 0.5, 0], BOUNCE, "0", 1.5),
}


@pytest.mark.parametrize("start", [1e4, 1e6, 1e8])
@pytest.mark.parametrize("scene", SCENES)
def test_events_do_not_depend_on_the_start_of_time(scene, start):
    robot, q, v, contacts, push, duration = SCENES[scene]
    early, late = (
        rk.simulate(
            robot, q, v, [push.format(f"{t:.1f}"), *["0"] * (robot.nv - 1)], start=t, duration=duration,
            contacts=contacts,
        )
        for t in (0.0, start)
    )  # fmt: skip
    assert late.status == "done"
    assert late.t[-1] == start + duration
    assert [event.name for event in late.events] == [event.name for event in early.events]
    # Times are rounded once at each of up to 69 events.
    rounding = (8 + len(early.events)) * np.spacing(start)
    assert [e.t - start for e in late.events] == pytest.approx([e.t for e in early.events], abs=rounding)
    assert late.q[-1] == pytest.approx(early.q[-1], abs=max(1e-10, 10 * rounding if scene == "pushed" else 0))
    assert late.energy_audit().relative < 1e-8
