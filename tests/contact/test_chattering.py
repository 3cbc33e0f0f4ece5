"""Rules for impacts and events that follow one another very fast, and the limit of mode changes."""

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.contact import ContactSystem
from rikigaku.contact.chattering import Chattering
from rikigaku.contact.contact_modes import ContactModes
from rikigaku.core.errors import TooLarge
from rikigaku.hybrid.hybrid_system import Event

G = 9.81


def tripod() -> tuple[rk.Robot, list[rk.Contact]]:
    points = [(0.2, 0, -0.1), (-0.1, 0.17, -0.1), (-0.1, -0.17, -0.1)]
    inertia = rk.Inertia("com", 5.0, (0, 0, 0), (0.04, 0, 0, 0.07, 0, 0.1))
    link = rk.Link("body", "base", rk.Joint("fly", "free"), rk.Placement(), inertia)
    frames = tuple(rk.Frame(f"p{i}", "body", rk.Placement(p)) for i, p in enumerate(points))
    contacts = [rk.Contact(f.name, rk.Plane(), friction=0.8, restitution=0.8) for f in frames]
    return rk.Robot("tripod", (link,), frames), contacts


def test_three_points_that_bounce_in_turns_come_to_rest_after_finitely_many_impacts():
    """880 impacts without the rule, each a Zeno sequence within a bounce of another point."""
    robot, contacts = tripod()
    system = ContactSystem(robot, contacts, restitution="newton")
    q, v = [0, 0, 0.12, np.sqrt(1 - 0.002), 0.04, 0.02, 0], [0.1, 0, 0, 0.3, 0, 0.2]
    motion = rk.simulate(robot, q, v, duration=0.6, contacts=system, rtol=1e-8, atol=1e-10)
    assert motion.done, motion.status
    assert np.abs(motion.v[-1]).max() < 1e-9
    assert len(motion.events) < 650
    assert motion.energy_audit().relative < 1e-8
    assert np.diff(motion.dissipated).min() > -1e-12
    gaps = [system.state(x, np.zeros(6)).gap.min() for x in motion.q]
    assert min(gaps) > -1e-9


def bounced(restitution: float, speed: float, count: int, t: float = 0.0) -> list[tuple[float, float]]:
    """Times and speeds of approach of a ball's impacts."""
    found = []
    for _ in range(count):
        found.append((t, speed))
        speed *= restitution
        t += 2 * speed / G
    return found


@pytest.mark.parametrize("restitution", [0.3, 0.9, 0.999])
def test_a_ball_that_bounces_to_rest_does_not_chatter_at_any_rate(restitution):
    chattering = Chattering()
    for t, speed in bounced(restitution, 1e-2, 3000):
        assert chattering.speed(t) == 0.0
        chattering.record(t, np.array([speed]), np.array([True]))


def test_balls_that_bounce_side_by_side_do_not_chatter():
    chattering = Chattering()
    both = [(t, speed, i) for i, e in enumerate((0.7, 0.8)) for t, speed in bounced(e, 0.05, 40, 1e-3 * i)]
    for t, speed, i in sorted(both):
        assert chattering.speed(t) == 0.0
        chattering.record(t, np.full(2, speed), np.arange(2) == i)


def test_contacts_that_set_one_another_off_chatter_until_they_have_been_quiet():
    """Each bounces to rest, and the next bounce of its neighbour sets it off again."""
    chattering, t, fastest = Chattering(), 0.0, 0.1
    for _ in range(8):
        for at, speed in bounced(0.5, fastest, 10, t):
            chattering.record(at, np.array([speed]), np.array([True]))
        t, fastest = at + 1e-4, 0.7 * fastest
    assert 1e-4 <= chattering.speed(t) < 1e-2 * 0.1
    assert chattering.speed(t + 1.0) == 0.0


def slider(coulomb: float) -> rk.Robot:
    joint = rk.Joint("x", "prismatic", (1, 0, 0), coulomb=coulomb)
    return rk.Robot("slider", (rk.Link("m", "base", joint, rk.Placement(), rk.Inertia("com", 2.0)),))


@pytest.mark.parametrize("push", [3.0, 7.0])
def test_events_that_follow_one_another_at_once_end_with_an_implicit_step(push):
    """Friction 5 N holds a push of 3 N; one of 7 N has accelerated 2 kg for 1e-9 s."""
    modes = ContactModes(ContactSystem(slider(5.0), []))
    q, v, tau = np.zeros(1), np.zeros(1), np.array([push])
    modes.set_actuation(lambda t, q, v: tau)
    modes.start(0.0, q, v)
    changes = [modes.after(Event("x slips", 1.0, q, v, "", (), tau)) for _ in range(24)]
    assert all(change is not None and "implicit" not in change.note for change in changes[:-1])
    assert changes[-1] is not None
    assert changes[-1].note == "events followed one another at once: an implicit step of 1e-9 s was taken"
    assert changes[-1].v[0] == pytest.approx(max(push - 5.0, 0.0) / 2.0 * 1e-9, abs=1e-20)


def test_the_note_on_a_mode_that_was_not_found_names_painleve_only_beyond_his_limit(monkeypatch):
    robot, contacts = tripod()
    modes = ContactModes(ContactSystem(robot, contacts))
    q, v = np.array([0, 0, 0.1, 1.0, 0, 0, 0]), np.zeros(6)
    modes.start(0.0, q, v)
    select, calls = modes._select, []

    def given_up(*args):
        calls.append(args)
        if len(calls) == 1:
            raise TooLarge("too many")
        return select(*args)

    monkeypatch.setattr(modes, "_select", given_up)
    change = modes.after(Event("p0 slips", 1.0, q, v, "", (), np.zeros(6)))
    assert change is not None
    assert "no consistent contact mode was found: an implicit step of 1e-9 s was taken" in change.note
    assert "Painleve" not in change.note


def test_a_regular_motion_goes_on_whatever_the_number_of_its_mode_changes():
    """Stick and slip at 50 Hz, four changes a period: the limit is one for a simulated second."""
    robot, push = slider(5.0), ["6*sin(2*pi*50*t)"]
    motion = rk.simulate(robot, [0.0], torque=push, duration=2.0, joint_friction=True, most_changes=250)
    assert motion.done, motion.status
    assert motion.statistics["changes of mode"] > 300
    early = rk.simulate(robot, [0.0], torque=push, duration=2.0, joint_friction=True, most_changes=150)
    text = "the limit of 150 changes of contact mode for a simulated second was reached at t = "
    assert early.status.startswith(text)
    assert early.t[-1] < 1.0


def test_contacts_that_long_fixed_steps_carry_into_the_floor_are_raised_or_end_the_motion():
    """A corner hops within a step: it sank 47 mm by steps of 10 ms, and 26 km by Euler's of 0.3 s."""
    shape = rk.Box(0.4, 0.3, 0.2)
    box = rk.free_body("box", shape, mass=3.0)
    contacts = rk.shape_contacts("box", shape, rk.Plane(), friction=0.4, restitution=0.3)
    q, v = [0, 0, 0.5, np.cos(0.2), np.sin(0.2), 0, 0], [1, 0, 0, 0.5, 0.3, 0.1]
    system = ContactSystem(box, contacts)

    def lowest(motion: rk.Solution) -> float:
        return min(system.state(x, np.zeros(6)).gap.min() for x in motion.q)

    motion = rk.simulate(box, q, v, duration=1.5, contacts=contacts, method="rk4", step=0.01)
    assert motion.done, motion.status
    assert lowest(motion) > -5.0 * 0.01**2
    assert motion.energy_audit().relative < 1e-4
    early = rk.simulate(
        box, q, v, duration=3.0, contacts=contacts, method="euler", step=0.3, most_changes=2000
    )
    assert not early.done
    assert lowest(early) > -10.0 * 0.3**2
