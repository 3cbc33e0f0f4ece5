"""Damping of material and joints: its matrix, vibrations that die away, and motion, against closed forms."""

from dataclasses import replace

import numpy as np
import pytest
from mechanisms import rod, spatial_arm

import rikigaku as rk
from rikigaku.core.errors import WrongValue
from rikigaku.fem import DampedVibrationModes
from rikigaku.model.beam_section import section

L, EI, kGA, LOAD = 1.0, 50.0, 1e4, 0.5
THIN = {"EA": 1e6, "EI": EI, "kGA": kGA}
STIFF = {"EA": 1e8, "EI": 1e6, "kGA": 1e8}


def jointed(robot: rk.Robot, **joint: float) -> rk.Robot:
    """With these springs, frictions, rotors in all joints."""
    return replace(robot, links=tuple(replace(x, joint=replace(x.joint, **joint)) for x in robot.links))


def massless() -> rk.Robot:
    """A beam of no mass, held at its root, that carries its load at the tip: one vibration in its plane."""
    (link,) = rod(L, **THIN).links
    return rk.Robot("spring", (replace(link, inertia=rk.Inertia("com", 0, (0, 0, 0))),), rod(L).frames)


def oscillator(beta: float) -> tuple[float, float]:
    """Frequency [rad/s] and damping ratio of the load on the beam: stress lags by beta."""
    w = np.sqrt(1 / (L**3 / (3 * EI) + L / kGA) / LOAD)
    return w, beta * w / 2


@pytest.mark.parametrize("beta", [1e-3, 1e-2, 0.2])  # the last does not swing
def test_a_load_on_a_beam_of_no_mass_dies_away_as_the_damped_oscillator(beta):
    w, zeta = oscillator(beta)
    assert (zeta > 1) == (beta == 0.2)
    elastic = massless().fem(masses={"tip": LOAD}).elastic(elements=2, damping=(0, beta))
    found, expected = elastic.damped_modes(count=9), w * (-zeta + np.sqrt(complex(zeta**2 - 1)))
    assert isinstance(found, DampedVibrationModes)
    k = int(np.argmin(np.abs(found.rates - expected)))
    assert found.rates[k] == pytest.approx(expected, rel=1e-7)
    assert found.ratios[k] == pytest.approx(min(zeta, 1), rel=1e-7)
    if zeta < 1:
        assert k == 0
        assert found.decrements[0] == pytest.approx(2 * np.pi * zeta / np.sqrt(1 - zeta**2), rel=1e-7)


def test_a_load_let_go_swings_about_its_sag_as_on_paper():
    beta, g = 5e-3, 0.05  # [m/s^2]: it sags by 0.3 mm, so bending stays small
    w, zeta = oscillator(beta)
    robot = massless().with_gravity((0, 0, -g))
    elastic = robot.fem(masses={"tip": LOAD}).elastic(elements=2, damping=(0, beta))
    motion = elastic.simulate([0.0], duration=0.4, step=4e-3, locked="all")
    t, wd = motion.t, w * np.sqrt(1 - zeta**2)
    sag = -g / w**2 * (1 - np.exp(-zeta * w * t) * (np.cos(wd * t) + zeta * w / wd * np.sin(wd * t)))
    assert motion.at("tip")[:, 2] == pytest.approx(sag, abs=3e-3 * np.abs(sag).max())
    assert np.exp(-zeta * w * t[-1]) < 0.9  # it does die away


@pytest.mark.parametrize("planar", [True, False])
def test_a_viscous_joint_slows_its_link_as_on_paper(planar):
    c, turn = 0.7, 2.0
    robot = rod(L, **STIFF) if planar else spatial_arm(STIFF, ((0, 1, 0),))
    robot = jointed(robot, viscous=c, rotor=0.2).with_gravity((0, 0, 0))
    inertia = float(robot.mass_matrix([0.0])[0, 0])
    elastic = robot.fem().elastic(elements=2)
    assert elastic.assembly([0.0]).C.toarray().sum() == pytest.approx(c)
    slow = elastic.damped_modes(count=2, locked="none")
    assert slow.rates == pytest.approx([0, -c / inertia], rel=1e-5)
    motion = elastic.simulate([0.0], [turn], duration=0.2, step=5e-3, rho=0.8)
    assert motion.v[:, 0] == pytest.approx(turn * np.exp(-c / inertia * motion.t), abs=2e-4 * turn)


def test_a_sprung_viscous_joint_swings_and_dies_away_as_on_paper():
    k, c = 40.0, 1.3
    robot = jointed(rod(L, **STIFF), viscous=c, stiffness=k)
    inertia = float(robot.mass_matrix([0.0])[0, 0])
    expected = (-c + np.sqrt(complex(c * c - 4 * k * inertia))) / (2 * inertia)
    for hinges in ("released", "integration"):
        found = robot.fem().elastic(elements=2, hinges=hinges).damped_modes(count=1, locked="none")
        assert found.rates[0] == pytest.approx(expected, rel=1e-3)


def test_rayleigh_damping_is_the_sum_it_says_and_gives_its_ratios_at_all_sizes():
    alpha, beta = 0.5, 1e-4
    for elements in (8, 64):  # the second is solved sparse
        elastic = rod(L, **THIN).fem().elastic(elements=elements, damping=(alpha, beta))
        K, C, M = (getattr(elastic.assembly(locked="all"), name) for name in "KCM")
        assert abs(C - alpha * M - beta * K).max() < 1e-12 * abs(C).max()
        w = 2 * np.pi * elastic.modes(count=4).frequencies
        found = elastic.damped_modes(count=4)
        zeta = (alpha / w + beta * w) / 2
        assert found.ratios == pytest.approx(zeta, rel=1e-6)
        assert 2 * np.pi * found.frequencies == pytest.approx(w * np.sqrt(1 - zeta**2), rel=1e-6)
        assert found.at("tip")[0, 2] == pytest.approx(1, rel=1e-3)  # shapes: 1 where largest


def test_every_link_has_the_damping_of_its_own_material_and_the_others_the_given_one():
    robot = spatial_arm(THIN, ((0, 1, 0), (0, 0, 1)))
    first, second = robot.links
    lossy = replace(robot, links=(replace(first, section=section(**THIN, damping=3e-3)), second))
    q = [0.3, 0.5]

    def C(robot, beta):
        return robot.fem().elastic(elements=4, damping=(0, beta)).assembly(q).C.toarray()

    own, given = C(lossy, 0.0), C(lossy, 1e-3) - C(lossy, 0.0)
    assert own / 3e-3 + given / 1e-3 == pytest.approx(C(robot, 1.0), abs=1e-9 * np.abs(C(robot, 1.0)).max())
    assert np.abs(own).max() > 0 < np.abs(given).max()
    assert section(rod=0.02, material="steel", damping=0).material.damping == 0


def test_what_damping_takes_is_the_power_of_its_matrix():
    robot = jointed(spatial_arm({"EA": 1e4, "EI": 3.0, "GJ": 2.0}, ((0, 0, 1), (0, 1, 0))), viscous=0.05)
    elastic = robot.with_gravity((0, 0, 0)).fem().elastic(elements=2, damping=(0.3, 1e-3))
    motion = elastic.simulate([0.1, 0.4], [0.02, -0.01], duration=0.02, step=2.5e-4)  # hardly moves on
    C = elastic.assembly([0.1, 0.4]).C
    power = (motion.rate * (C @ motion.rate.T).T).sum(axis=1)
    energy = motion.energy.sum(axis=1)
    lost = ((power[1:] + power[:-1]) / 2 * np.diff(motion.t)).sum()
    assert energy[0] - energy[-1] == pytest.approx(lost, rel=5e-3)
    assert lost > 0.01 * energy[0]


def test_wrong_damping_is_reported():
    with pytest.raises(WrongValue, match="is a time, 0 s or more; -1"):
        section(rod=0.01, damping=-1)
    with pytest.raises(WrongValue, match="count of vibration modes"):
        rod(L, **THIN).fem().elastic().damped_modes(count=0)
