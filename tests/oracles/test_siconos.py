"""Located motions against Siconos: a table that `siconos_motions.py` wrote, three problems."""

import json
from pathlib import Path

import numpy as np
import pytest

import rikigaku as rk

TABLE = json.loads((Path(__file__).parent / "siconos_motions.json").read_text())


def planar_body(inertia=0.0, turns=False):
    """A body of 1 kg with the coordinates x and z, and its angle about y."""
    body = rk.Inertia("com", 1.0, (0, 0, 0), (inertia, 0, 0, inertia, 0, inertia))
    links = [
        rk.Link("x", "base", rk.Joint("x", "prismatic", (1, 0, 0)), rk.Placement(), rk.Inertia("com", 0.0)),
        rk.Link(
            "z",
            "x",
            rk.Joint("z", "prismatic", (0, 0, 1)),
            rk.Placement(),
            body if not turns else rk.Inertia("com", 0.0),
        ),
    ]
    if turns:
        links.append(rk.Link("body", "z", rk.Joint("turn", "revolute", (0, 1, 0)), rk.Placement(), body))
    return rk.Robot("body", tuple(links))


def test_a_bouncing_ball_is_that_of_the_event_driven_scheme():
    table = TABLE["bouncing ball"]
    robot = planar_body()
    ball = rk.Contact("z", rk.Plane(), restitution=0.9, shape=rk.Ball(0.1))
    motion = rk.simulate(robot, [0, 1], duration=2.0, contacts=[ball])
    impacts = [event.t for event in motion.events if event.name.endswith("lands")]
    assert impacts == pytest.approx(table["impacts"], abs=1e-7)
    assert motion.at(table["t"]).q[:, 1] == pytest.approx(np.array(table["height"]), abs=1e-7)


def test_steps_of_a_driven_block_with_dry_friction_converge_to_the_located_motion():
    contact = rk.Contact("z", rk.Plane(), friction=0.3)
    motion = rk.simulate(
        planar_body(),
        [0, 0],
        torque=["5*cos(2*t)", "0"],
        duration=3.0,
        contacts=[contact],
        rtol=1e-11,
        atol=1e-12,
    )
    assert {mode.split()[-1] for mode in motion.modes} == {"stick", "slip+", "slip-"}
    ours = np.concatenate([motion.q[-1], motion.v[-1]])
    errors = [np.abs(np.array(TABLE["driven block"][h]) - ours).max() for h in ("0.0008", "0.0004", "0.0002")]
    assert errors[0] < 1e-6
    assert errors[2] < 0.5 * errors[0]
    assert errors[2] < 1e-7


def test_steps_of_a_disc_that_bounces_slides_and_rolls_converge_to_the_located_motion():
    robot = planar_body(0.5 * 0.1**2, turns=True)
    contact = rk.Contact("body", rk.Plane(), friction=0.3, restitution=0.5, shape=rk.Ball(0.1))
    motion = rk.simulate(robot, [0, 0.3, 0], [2, 0, -30], duration=1.2, contacts=[contact], rtol=1e-10)
    assert sum(event.name == "body lands" for event in motion.events) > 5
    ours = np.concatenate([motion.q[-1] * [1, 1, -1], motion.v[-1] * [1, 1, -1]])
    tables = [np.array(TABLE["thrown disc"][h]) for h in ("0.0008", "0.0004", "0.0002")]
    assert tables[2][3:] == pytest.approx(
        ours[3:], abs=1e-9
    )  # it rolls; its speed does not depend on the step
    errors = [np.abs(table - ours).max() for table in tables]
    assert errors[2] < 1e-3
    assert errors[2] < 0.5 * errors[0]
