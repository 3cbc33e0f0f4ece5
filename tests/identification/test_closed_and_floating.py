"""Identification of closed robots from their drives, and of free bases from forces or without them."""

import numpy as np
import pytest
from closed_and_floating_experiments import (
    FEET,
    quadruped,
    quadruped_motion,
    sr400,
    sr400_motion,
    truth,
    visible_truth,
)
from simulated_experiments import coloured

import rikigaku as rk


@pytest.mark.parametrize("form", ["acceleration", "momentum"])
def test_a_closed_robot_is_identified_from_its_drives(form):
    t, q, tau = sr400_motion()
    found = rk.identify(sr400(), rk.Experiment(t, q, tau), form=form, consistent=False)
    assert found.estimate.observed.all()
    assert found.model.rows == ("theta1", "theta2", "theta4", "theta5", "theta6", "theta7")
    # Filter and differences of the positions err by 1e-6.
    assert found.estimate.theta == pytest.approx(truth(found, sr400()), abs=2e-4)


def test_true_parameters_of_the_closed_robot_lie_in_their_intervals():
    t, q, tau = sr400_motion()
    deviations = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        data = rk.Experiment(t, q, tau + coloured(rng, tau.shape, 0.1))
        found = rk.identify(sr400(), data, held_out=0, consistent=seed == 0)
        errors = np.sqrt(np.diag(found.estimate.covariance))
        deviations.append((found.estimate.theta - truth(found, sr400())) / errors)
        if seed == 0:
            found.robot.check_inertias(strict=True)
    assert 0.91 < np.mean(np.abs(deviations) < 1.96) < 0.98


def test_loops_that_do_not_close_are_named():
    t, q, tau = sr400_motion()
    far = q.copy()
    far[:, 1] += 40 * (far[:, 1] - far[:, 1].mean())
    with pytest.raises(rk.errors.BadMeasurements):
        rk.identify(sr400(), rk.Experiment(t, far, tau), consistent=False)


def test_a_quadruped_is_identified_with_measured_foot_forces():
    t, q, tau, forces = quadruped_motion()
    rng = np.random.default_rng(0)
    data = rk.Experiment(
        t,
        q,
        tau + coloured(rng, tau.shape, 0.003),
        forces={foot: f + coloured(rng, f.shape, 0.02) for foot, f in forces.items()},
    )
    found = rk.identify(quadruped(), data, held_out=0, consistent=False)
    assert len(found.model.rows) == 18
    assert not any("free_base" in name for name in found.names)
    z = (found.estimate.theta - truth(found, quadruped())) / np.sqrt(np.diag(found.estimate.covariance))
    assert np.mean(np.abs(z) < 1.96) > 0.85  # one experiment of 142 parameters
    assert np.abs(z).max() < 5


def test_unknown_foot_forces_are_projected_out():
    """Masses at the feet cannot be seen: their forces act at the contacts. All else is identified."""
    t, q, tau, _ = quadruped_motion()
    rng = np.random.default_rng(0)
    data = rk.Experiment(t, q, tau + coloured(rng, tau.shape, 0.003), contacts=FEET)
    # Joints at rest are not left out: the signs of the velocities are exact here, and gaps cost accuracy.
    found = rk.identify(quadruped(), data, held_out=0, consistent=False, still=0.0)
    kept = found.estimate.observed
    assert (~kept).sum() == len(FEET)
    errors = np.sqrt(np.diag(found.estimate.covariance)[kept])
    z = (found.estimate.theta[kept] - visible_truth(found, quadruped())) / errors
    assert np.mean(np.abs(z) < 1.96) > 0.85
    assert np.abs(z).max() < 5


def test_inertias_of_a_free_base_follow_from_forces_alone():
    """The six equations of momentum need no joint torques and no accelerations."""
    t, q, _, forces = quadruped_motion()
    found = rk.identify(
        quadruped(), rk.Experiment(t, q, None, forces=forces), form="momentum", consistent=False
    )
    assert len(found.model.rows) == 6
    assert found.estimate.observed.all()
    assert found.estimate.theta == pytest.approx(truth(found, quadruped()), abs=1e-4)
    masses = sum(x for name, x in quadruped().parameters().items() if name.startswith("m of "))
    assert found.values["m of base_link (regrouped)"] == pytest.approx(masses, rel=1e-4)


def test_wrong_channels_of_a_free_base_are_named():
    t, q, tau, forces = quadruped_motion()
    with pytest.raises(rk.errors.WrongSize, match="19 measured positions"):
        rk.identify(quadruped(), rk.Experiment(t, q[:, 7:], tau))
    with pytest.raises(rk.errors.BadMeasurements, match="quaternion of the base"):
        rk.identify(
            quadruped(), rk.Experiment(t, q[:, [3, 4, 5, 0, 1, 2, *range(6, 19)]], tau, forces=forces)
        )
    with pytest.raises(rk.errors.UnknownName, match="frame"):
        rk.identify(quadruped(), rk.Experiment(t, q, tau, contacts=("PAW",)))
    with pytest.raises(rk.errors.WrongSize, match="force at"):
        rk.Experiment(t, q, tau, forces={"FL_FOOT": np.zeros((3, 3))})
    with pytest.raises(rk.errors.WrongValue, match="torques must be measured"):
        rk.identify(sr400(), rk.Experiment(t, q, None))
