"""Joints with dry friction that come to rest: the quick verification agrees with mode selection."""

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.contact import contact_modes
from rikigaku.contact.joints_at_rest import JointsAtRest, with_joints_at_rest


def _hanging_chain(count: int) -> rk.Robot:
    links, parent = [], "base"
    for i in range(count):
        joint = rk.Joint(f"j{i}", "revolute", (0, 1, 0))
        body = rk.Inertia("com", 0.5, (0, 0, -0.1), (0.002, 0, 0, 0.002, 0, 0.0005))
        links.append(rk.Link(f"l{i}", parent, joint, rk.Placement((0, 0, -0.2 if i else 0.0)), body))
        parent = f"l{i}"
    return rk.Robot("chain", tuple(links))


def _events(motion: rk.Solution) -> list[str]:
    return [name for event in motion.events for name in (event.name, *event.also)]


@pytest.mark.parametrize("friction", [0.05, 0.3])
def test_the_motion_is_that_of_mode_selection(monkeypatch: pytest.MonkeyPatch, friction: float) -> None:
    robot = _hanging_chain(4)
    contacts = [rk.JointFriction(f"j{i}", friction) for i in range(4)]
    verified: list[JointsAtRest | None] = []

    def counted(*arguments: object) -> JointsAtRest | None:
        verified.append(with_joints_at_rest(*arguments))  # type: ignore[arg-type]
        return verified[-1]

    def simulate() -> rk.Solution:
        return rk.simulate(robot, np.full(4, 0.4), duration=1.5, contacts=contacts, rtol=1e-10, atol=1e-12)

    monkeypatch.setattr(contact_modes, "with_joints_at_rest", counted)
    quick = simulate()
    names = [x.selected.contact_modes for x in verified if x is not None]
    assert len(names) > 3
    monkeypatch.setattr(contact_modes, "with_joints_at_rest", lambda *_: None)
    selected = simulate()
    assert quick.status == selected.status == "done"
    assert _events(quick) == _events(selected)
    times = np.linspace(0, 1.5, 31)
    assert np.abs(quick.at(times).q - selected.at(times).q).max() < 1e-8
    assert quick.energy_audit().error < 1e-9


def test_a_joint_beyond_its_friction_does_not_stick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pendulum that swings to 0.5 rad needs 0.24 N m there; its friction holds 0.05 N m: it turns back."""
    robot = _hanging_chain(1)
    verified: list[JointsAtRest | None] = []

    def counted(*arguments: object) -> JointsAtRest | None:
        verified.append(with_joints_at_rest(*arguments))  # type: ignore[arg-type]
        return verified[-1]

    monkeypatch.setattr(contact_modes, "with_joints_at_rest", counted)
    motion = rk.simulate(robot, [0.6], duration=1.0, contacts=[rk.JointFriction("j0", 0.05)])
    first = next(x for x in verified if x is not None)
    assert first.selected.contact_modes == ("slip+",)  # it moved in the negative direction until then
    assert motion.at(motion.events[0].t + 0.05).v[0] > 0.05
