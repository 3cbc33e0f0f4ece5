"""Two points of an arm on the floor: Moreau's time stepping converges to our motion at first order."""

from dataclasses import replace

import numpy as np
from moreau_arm import MoreauArm

import rikigaku as rk

START = np.radians([-30.0, -60.0, -60.0, 120.0, -120.0])  # end of link 3 at y = 1, tip at y = 1.5, both z = 0


def five_links(D):
    """The shipped arm with two links more; frames at the end of link 3 and at the tip."""
    arm = rk.load("planar_3r")
    last, hand = arm.links[2], arm.frames[0]
    more = tuple(
        replace(last, name=f"link{k}", parent=f"link{k - 1}", joint=replace(last.joint, name=f"q{k}"))
        for k in (4, 5)
    )
    frames = (replace(hand, name="knee", link="link3"), replace(hand, link="link5"))
    return replace(arm, name="planar_5r", links=(*arm.links, *more), frames=frames).bind(
        **{**arm.declared_values, "D": D}
    )


def test_moreaus_time_stepping_converges_to_the_located_events_at_first_order():
    robot, duration = five_links(0.3), 1.2
    contacts = [rk.Contact(name, rk.Plane(), 0.2) for name in ("knee", "hand")]
    ours = rk.simulate(robot, START, duration=duration, contacts=contacts, rtol=1e-10)
    assert ours.done
    assert [event.name for event in ours.events] == ["knee slips", "hand stops"]
    heights = [robot.pose(ours.q, name)[:, 2, 3] for name in ("knee", "hand")]
    assert np.abs(heights).max() < 1e-12
    assert ours.energy_audit().relative < 1e-9
    other = MoreauArm(5, (2, 4), D=0.3, mu=0.2)
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        q, v, _ = other.motion(START, np.zeros(5), duration, h)
        errors.append([np.abs(q - ours.q[-1]).max(), np.abs(v - ours.v[-1]).max()])
    errors = np.array(errors)
    ratios = errors[:-1] / errors[1:]
    assert (ratios > 1.6).all()
    assert (ratios < 2.6).all()  # halved steps, halved errors
    limit = 2 * q - other.motion(START, np.zeros(5), duration, 2e-3)[0]  # extrapolated to no step at all
    assert np.abs(limit - ours.q[-1]).max() < 0.15 * errors[-1, 0]
