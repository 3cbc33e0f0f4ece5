"""Identification of simulated robots: exact without noise, within its intervals with coloured noise."""

import numpy as np
import pytest
from scipy import stats
from simulated_experiments import coloured, motion, robot, torques, truth

import rikigaku as rk


@pytest.mark.parametrize("name", ["puma560", "panda"])
def test_without_noise_parameters_are_the_true_ones(name):
    arm = robot(name)
    t, q, v, a = motion(arm.nv)
    found = rk.identify(arm, rk.Experiment(t, q, torques(arm, q, v, a)), consistent=False)
    # The ends of the filtered positions differ from the motion by 1e-6; nothing else is approximate.
    assert found.estimate.theta == pytest.approx(truth(found, arm), abs=1e-4)
    assert found.estimate.observed.all()
    assert found.torque_error.max() < 1e-5


@pytest.mark.parametrize("name", ["puma560", "panda"])
def test_true_parameters_lie_in_their_intervals(name):
    """95 % intervals hold 91 to 98 % of the true values, and estimates are unbiased, with coloured noise."""
    arm = robot(name)
    t, q, v, a = motion(arm.nv)
    tau = torques(arm, q, v, a)
    deviations = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        data = rk.Experiment(t, q + 2e-6 * rng.normal(size=q.shape), tau + coloured(rng, tau.shape))
        found = rk.identify(arm, data, held_out=0, consistent=False)
        errors = np.sqrt(np.diag(found.estimate.covariance))
        deviations.append((found.estimate.theta - truth(found, arm)) / errors)
    z = np.array(deviations)
    assert 0.91 < np.mean(np.abs(z) < 1.96) < 0.98
    # Means of 12 over their standard errors; the largest of some 60 stays below 4 but once in 250 times.
    assert np.abs(z.mean(axis=0)).max() * np.sqrt(len(z)) < stats.norm.isf(3e-5)


def test_white_noise_errors_would_be_too_small():
    """The noise of this study is coloured: errors for white residuals miss the spread by far."""
    arm = robot("puma560")
    t, q, v, a = motion(arm.nv)
    rng = np.random.default_rng(0)
    tau = torques(arm, q, v, a)
    slow = rk.Experiment(t, q, tau + coloured(rng, tau.shape, 0.05, 0.995))
    found = rk.identify(arm, slow, held_out=0, consistent=False)
    R = np.linalg.qr(found.estimate.factor, mode="r")
    white = np.sqrt(np.diag(np.linalg.inv(R.T @ R)))
    ratio = np.sqrt(np.diag(found.estimate.covariance)) / white
    assert np.median(ratio) > 1.5


def test_huber_resists_outliers():
    arm = robot("puma560")
    t, q, v, a = motion(arm.nv)
    rng = np.random.default_rng(4)
    tau = torques(arm, q, v, a) + 0.05 * rng.normal(size=q.shape)
    for start in rng.integers(0, len(t) - 100, 20):
        tau[start : start + 40] += 60.0
    data = rk.Experiment(t, q, tau)
    plain, huber = (
        rk.identify(arm, data, held_out=0, consistent=False, loss=x) for x in ("squares", "huber")
    )
    distance = [np.linalg.norm(x.estimate.theta - truth(x, arm)) for x in (plain, huber)]
    assert distance[1] < 0.5 * distance[0]


def test_the_load_of_a_second_experiment_is_identified():
    arm = robot("panda")
    t, q, v, a = motion(arm.nv)
    load = rk.Inertia("com", 2.0, (0.02, -0.01, 0.1), (0.01, 0, 0, 0.012, 0, 0.008))
    link = [x.name for x in arm.links if x.joint.type != "fixed"][-1]
    from rikigaku.identification.measurement_model import measurement_model

    carried = measurement_model(arm, (), False).load_torque(q, v, a, {link: load})
    rng = np.random.default_rng(2)
    tau = torques(arm, q, v, a)
    runs = [
        rk.Experiment(t, q, tau + coloured(rng, tau.shape, 0.05)),
        rk.Experiment(t, q, tau + carried + coloured(rng, tau.shape, 0.05), load=link),
    ]
    found = rk.identify(arm, runs, consistent=False)
    name = f"m of load on {link}"
    assert abs(found.values[name] - 2.0) < 3 * found.standard_errors[name]
    assert found.standard_errors[name] < 0.05
    known = rk.identify(arm, [runs[0], rk.Experiment(t, q, runs[1].tau, load={link: load})], consistent=False)
    errors = np.sqrt(np.diag(known.estimate.covariance))
    assert np.abs((known.estimate.theta - truth(known, arm)) / errors).max() < 5


def test_gains_follow_from_a_known_mass():
    arm = robot("panda")
    t, q, v, a = motion(arm.nv)
    load = rk.Inertia("com", 4.0, (0.05, -0.05, 0.15), (0.02, 0, 0, 0.02, 0, 0.02))
    link = [x.name for x in arm.links if x.joint.type != "fixed"][-1]
    from rikigaku.identification.measurement_model import measurement_model

    carried = measurement_model(arm, (), False).load_torque(q, v, a, {link: load})
    gains = np.linspace(8.0, 14.0, arm.nv)
    rng = np.random.default_rng(2)
    tau = torques(arm, q, v, a)
    noise = [0.02 * rng.normal(size=tau.shape) for _ in range(2)]
    free = rk.Experiment(t, q, (tau + noise[0]) / gains)
    for known in (load, 4.0):
        loaded = rk.Experiment(t, q, (tau + carried + noise[1]) / gains, load={link: known})
        found = rk.identify(arm, [free, loaded], gains="identify", consistent=False)
        assert found.gains == pytest.approx(gains, rel=0.02)
    with pytest.raises(rk.errors.BadMeasurements, match="needs an experiment with a known load"):
        rk.identify(arm, free, gains="identify")


def test_motors_of_several_joints_are_identified():
    arm = robot("puma560")
    t, q, v, a = motion(arm.nv)
    ratios = np.array([0, 0, 0, 0, 1.0, 1.0])
    speed = v @ ratios
    coupled = 0.05 * (a @ ratios) + 0.4 * speed + 0.7 * np.sign(speed)
    tau = torques(arm, q, v, a) + coupled[:, None] * ratios
    wrist = rk.Motor("m6", {"q5": 1, "q6": 1})
    found = rk.identify(arm, rk.Experiment(t, q, tau), motors=[wrist], consistent=False)
    values = [found.values[f"{what} of m6"] for what in ("rotor", "viscous", "coulomb")]
    assert values == pytest.approx([0.05, 0.4, 0.7], abs=1e-3)


def test_what_the_motion_does_not_show_is_named():
    arm = robot("puma560")
    t, q, v, a = motion(arm.nv)
    rng = np.random.default_rng(0)
    tau = torques(arm, q, v, a)
    found = rk.identify(arm, rk.Experiment(t, q, tau + coloured(rng, tau.shape)), consistent=False)
    assert found.unobserved["m of link1"] == "it has no effect on the joint torques"
    assert found.unobserved["m of link6"].startswith("it acts only in sums: ")
    assert any("not distinguished from zero" in reason for reason in found.unobserved.values())
    q0, v0, a0 = q.copy(), v.copy(), a.copy()  # joint 6 moves in one direction: friction is like an offset
    q0[:, 5], v0[:, 5], a0[:, 5] = 0.1 * t + 0.05 * np.sin(t), 0.1 + 0.05 * np.cos(t), -0.05 * np.sin(t)
    one_way = rk.identify(arm, rk.Experiment(t, q0, torques(arm, q0, v0, a0)), consistent=False)
    reasons = [name for name, x in one_way.unobserved.items() if "does not separate" in x]
    assert reasons in (["coulomb of q6"], ["offset of q6"])
    assert np.isnan(one_way.values[reasons[0]])


def test_prediction_plot_and_text(tmp_path):
    arm = robot("puma560")
    t, q, v, a = motion(arm.nv)
    tau = torques(arm, q, v, a)
    found = rk.identify(arm, {"t": t, "q": q, "tau": tau}, consistent=False)
    assert found.predict(q[7], v[7], a[7]) == pytest.approx(tau[7], abs=1e-3)
    assert "Relative torque error on held-out motion" in repr(found)
    assert len(found.plot().axes) == 6
    own = arm.parameters(joint_parameters=True)
    assert found.robot.inverse_dynamics(q[7], v[7], a[7]) == pytest.approx(tau[7] - 0.3, abs=1e-3)
    assert found.full["viscous of q1"] == pytest.approx(own["viscous of q1"], abs=1e-4)
