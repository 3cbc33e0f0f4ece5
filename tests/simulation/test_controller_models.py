"""Controllers compute with the robot they were made of, whatever robot they control."""

import numpy as np
import pytest

import rikigaku as rk

ARM = rk.load("planar_2r")
LENGTHS = {"l1": 0.5, "l2": 0.4}
NOMINAL = ARM.bind(**LENGTHS, m1=1.0, m2=1.0)
HEAVY = ARM.bind(**LENGTHS, m1=1.0, m2=3.0)
TARGET, K, D = np.array([0.4, -0.3]), 40.0, 12.0


def computed_torque(t, q, v):
    return NOMINAL.inverse_dynamics(q, v, K * (TARGET - q) - D * v)


def with_gravity(t, q, v):
    return NOMINAL.gravity_forces(q) + K * (TARGET - q) - D * v


@pytest.mark.parametrize(
    ("controller", "function"),
    [
        (rk.ComputedTorque(NOMINAL, TARGET, K, D), computed_torque),
        (rk.PD(NOMINAL, TARGET, K, D), with_gravity),
        (rk.PD(NOMINAL, TARGET, K, D, gravity=False) + rk.GravityCompensation(NOMINAL), with_gravity),
    ],
)
def test_a_heavier_robot_is_controlled_with_the_nominal_model(controller, function):
    ours = rk.simulate(HEAVY, np.zeros(2), torque=controller, duration=0.5, rtol=1e-10)
    reference = rk.simulate(HEAVY, np.zeros(2), torque=function, duration=0.5, rtol=1e-10)
    own = rk.simulate(NOMINAL, np.zeros(2), torque=controller, duration=0.5)
    assert np.abs(ours.q[-1] - reference.q[-1]).max() < 1e-8
    assert np.abs(ours.q[-1] - own.q[-1]).max() > 1e-2  # the difference shows


def test_a_model_in_symbols_has_the_values_of_each_world():
    """A controller of the robot in symbols knows the masses of its world; one of numbers does not."""
    arm = ARM.bind(**LENGTHS, m1=1.0)
    masses = np.array([1.0, 3.0])
    for controller, knows in ((rk.PD(arm, TARGET, K, D), True), (rk.PD(NOMINAL, TARGET, K, D), False)):
        motion = arm.rollout(
            np.zeros((2, 2)), None, controller, steps=500, dt=1e-3, method="rk4", parameters={"m2": masses}
        )
        for k, mass in enumerate(masses):
            plant = arm.bind(m2=float(mass))
            own = rk.PD(plant if knows else NOMINAL, TARGET, K, D)
            alone = rk.simulate(plant, np.zeros(2), torque=own, duration=0.5, rtol=1e-10)
            assert np.abs(motion.q[-1, k] - alone.q[-1]).max() < 1e-7
