"""Guides whose place moves: what hangs on them follows, and the audit counts their work."""

import numpy as np
import pytest
from simple_bodies import particle

import rikigaku as rk
from rikigaku.contact import Contact, ContactSystem, Guide, Plane

G = 9.81


def test_a_mass_on_a_lift_and_a_shaker_goes_with_them_and_takes_their_work():
    """z = 0.1 t^2 and x = 0.2 sin(3 t) are prescribed; the forces are m (g + 0.2) and -1.8 m sin(3 t)."""
    guide = Guide("mass", keep="xz", translation=("0.2*sin(3*t)", 0, "0.1*t^2"))
    motion = rk.simulate(
        particle(2.0), np.zeros(3), [0.6, 1.0, 0], duration=2.0, contacts=[guide], output=0.1
    )
    t = motion.t
    assert motion.done
    path = np.stack([0.2 * np.sin(3 * t), t, 0.1 * t**2], axis=1)
    assert np.abs(motion.q - path).max() < 1e-12
    assert np.abs(motion.forces["forces"][:, 0] + 3.6 * np.sin(3 * t)).max() < 1e-9
    assert np.abs(motion.forces["forces"][:, 2] - 2 * (G + 0.2)).max() < 1e-9
    assert motion.energy_audit().error < 1e-9  # of 9 J, at a tolerance of 1e-10 a step
    assert motion.work[-1] == pytest.approx(motion.energy[-1] - motion.energy[0], abs=1e-9)


def test_a_hand_led_along_a_line_moves_as_its_inverse_dynamics_say():
    """The whole pose of a planar arm's hand is led: the guide gives what inverse dynamics ask for."""
    arm = rk.load("planar_3r")
    q = np.array([0.4, 0.5, 0.6])
    guide = Guide.here(
        arm, q, "hand", keep="xyz", rotation="fixed", translation=(0, "0.05*sin(2*t)", "0.02*t^2")
    )
    system = ContactSystem(arm, [guide])
    v = system.allowed_velocity(q, np.zeros(3))
    speed = arm.velocity(q, v, "hand")
    assert speed[:3] == pytest.approx([0, 0.1, 0], abs=1e-12)
    motion = rk.simulate(arm, q, v, duration=1.0, contacts=system, output=0.1)
    start = arm.pose(q, "hand")[:3, 3]
    t = motion.t[:, None]
    translation = np.concatenate([0 * t, 0.05 * np.sin(2 * t), 0.02 * t**2], axis=1)
    assert np.abs(arm.pose(motion.q, "hand")[:, :3, 3] - start - translation).max() < 1e-11
    wrench = motion.forces["forces"][:, :6]
    for k in range(len(motion.t)):
        J = arm.jacobian(motion.q[k], "hand")
        tau = arm.inverse_dynamics(motion.q[k], motion.v[k], motion.a[k])
        assert J.T @ wrench[k] == pytest.approx(tau, abs=1e-8)
    assert motion.energy_audit().error < 1e-9


def test_a_foot_lands_while_the_body_is_led():
    """The impact keeps what the guide prescribes, and the guide's part of the impulse is work."""
    lift = Guide("mass", keep="x", translation=("0.5*t", 0, 0))
    floor = Contact("mass", Plane(), 0.3)
    motion = rk.simulate(particle(), [0, 0, 0.5], [0.5, 1.0, 0], duration=1.0, contacts=[lift, floor])
    assert motion.events[0].name == "mass lands"
    assert np.abs(motion.v[:, 0] - 0.5).max() < 1e-12
    assert motion.energy_audit().error < 1e-9


def test_the_translation_of_a_guide_is_three_formulas_of_time():
    with pytest.raises(rk.RikigakuError, match="three formulas of t"):
        Guide("mass", keep="z", translation="t")
    with pytest.raises(rk.RikigakuError, match="it uses x"):
        Guide("mass", keep="z", translation=("x", 0, 0))
