"""Fixed steps with bilateral contacts, which hold at the end of a step: order two, and no loss of energy."""

import numpy as np
import pytest
from simple_bodies import particle
from test_seven_cases import FLOOR, START, arm

import rikigaku as rk

pytestmark = pytest.mark.filterwarnings("ignore::rikigaku.core.errors.PullingWarning")


def test_a_bead_on_a_sphere_keeps_its_energy_and_converges_at_order_two():
    """With J v' = 0 in the middle of a step it lost 1.6e-3 of its energy in 1 s at 1 ms."""
    sphere = [rk.Contact("mass", rk.Sphere(1.0), bilateral=True)]
    start = [0, 0.6, -0.8], [0.5, 0, 0]
    exact = rk.simulate(particle(), *start, duration=1, contacts=sphere)
    errors = []
    for step in (4e-3, 2e-3):
        motion = rk.simulate(
            particle(), *start, duration=1, contacts=sphere, method="time_stepping", step=step
        )
        energy = motion.kinetic_energy + motion.potential_energy
        assert abs(energy[-1] - energy[0]) < 2e-6 * motion.kinetic_energy.max()
        assert np.abs(np.linalg.norm(motion.q, axis=1) - 1).max() < 1e-9
        errors.append(np.abs(motion.q[-1] - exact.q[-1]).max())
    assert errors[0] < 1e-5
    assert 3.5 < errors[0] / errors[1] < 4.5


def test_an_arm_on_a_hand_that_sticks_converges_at_order_two():
    """Friction holds the hand for 6.5 s while the arm moves: tangents hold at the end of a step, too."""
    torque = [-3.0, -3.0, -3.0]
    exact = rk.simulate(arm(), START, torque=torque, duration=6, contacts=FLOOR)
    errors = []
    for step in (0.01, 0.005):
        motion = rk.simulate(
            arm(), START, torque=torque, duration=6, contacts=FLOOR, method="time_stepping", step=step
        )
        errors.append(np.abs(motion.q[-1] - exact.q[-1]).max())
        assert motion.modes == ("hand stick",)
        energy = motion.kinetic_energy + motion.potential_energy + motion.dissipated - motion.work
        assert np.ptp(energy) < 5e-4 * motion.kinetic_energy.max()
    assert errors[0] < 4e-4
    assert 3.5 < errors[0] / errors[1] < 4.5
