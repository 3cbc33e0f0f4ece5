"""Springs, gravity compensators, Stribeck friction, and the form without accelerations."""

from dataclasses import replace

import numpy as np
import pytest
from simulated_experiments import coloured, motion, robot, torques, truth

import rikigaku as rk


def test_the_momentum_form_needs_no_acceleration_and_finds_the_same():
    arm = robot("puma560")
    t, q, v, a = motion(arm.nv)
    data = rk.Experiment(t, q, torques(arm, q, v, a))
    found = rk.identify(arm, data, form="momentum", consistent=False)
    assert found.estimate.theta == pytest.approx(truth(found, arm), abs=1e-4)


def test_a_spring_in_a_joint_is_identified_or_taken_from_the_file():
    arm = robot("puma560")
    t, q, v, a = motion(arm.nv)
    links = [
        replace(link, joint=replace(link.joint, stiffness=12.0, rest=0.4))
        if link.joint.name == "q2"
        else link
        for link in arm.links
    ]
    sprung = replace(arm, links=tuple(links))
    data = rk.Experiment(t, q, np.asarray(sprung.inverse_dynamics(q, v, a)))
    found = rk.identify(arm, data, springs=["q2"], consistent=False)
    assert found.values["stiffness of q2"] == pytest.approx(12.0, abs=1e-3)
    assert found.values["offset of q2"] == pytest.approx(-12.0 * 0.4, abs=1e-3)
    known = rk.identify(sprung, data, consistent=False)
    own = arm.parameters(joint_parameters=True)
    assert known.estimate.theta[: known.model.count] == pytest.approx(
        known.base.regrouping @ [own[name] for name in known.base.parameters], abs=1e-4
    )
    assert known.predict(q[9], v[9], a[9]) == pytest.approx(data.tau[9], abs=1e-3)


def test_a_gravity_compensator_is_identified_by_its_length():
    """A gas spring from a point beside the arm to the second link; its torque is -d(energy)/dq."""
    arm = robot("puma560")
    post = rk.Frame("post", arm.base, rk.Placement((0.3, 0.2, 0.4), (0, 0, 0)))
    arm = replace(arm, frames=(*arm.frames, post))
    t, q, v, a = motion(arm.nv)
    force, k, h = -150.0, 400.0, 1e-6

    def energy(at):
        length = np.linalg.norm(
            np.asarray(arm.pose(at, "link3"))[:, :3, 3] - np.asarray(arm.pose(at, "post"))[:, :3, 3], axis=1
        )
        return force * length + k * length**2 / 2

    slope = np.stack(
        [(energy(q + h * np.eye(6)[j]) - energy(q - h * np.eye(6)[j])) / (2 * h) for j in range(6)], axis=1
    )
    data = rk.Experiment(t, q, torques(arm, q, v, a) + slope)
    found = rk.identify(arm, data, springs=[rk.Spring("gas", "post", "link3")], consistent=False)
    assert found.values["force of gas"] == pytest.approx(force, abs=0.05)
    assert found.values["stiffness of gas"] == pytest.approx(k, abs=0.1)
    with pytest.raises(rk.errors.UnknownName, match="frame"):
        rk.identify(arm, data, springs=[rk.Spring("gas", "pole", "link3")])
    with pytest.raises(rk.errors.UnknownName, match="joint"):
        rk.identify(arm, data, springs=["q9"])


def test_stribeck_friction_is_fitted_with_its_speed():
    arm = robot("puma560")
    t, q, v, a = motion(arm.nv, 40.0)
    rng = np.random.default_rng(0)
    tau = torques(arm, q, v, a) + 0.02 * rng.normal(size=q.shape)
    for joint, amplitude, speed in ((0, 1.2, 0.15), (2, 0.8, 0.08)):
        tau[:, joint] += amplitude * np.sign(v[:, joint]) * np.exp(-((v[:, joint] / speed) ** 2))
    data = rk.Experiment(t, q, tau)
    found = rk.identify(arm, data, stribeck=["q1", "q3"], still=0.005, consistent=False)
    for name, true in (
        ("stribeck of q1", 1.2),
        ("stribeck speed of q1", 0.15),
        ("stribeck of q3", 0.8),
        ("stribeck speed of q3", 0.08),
        ("coulomb of q1", 1.5),
    ):
        assert abs(found.values[name] - true) < 4 * found.standard_errors[name] + 0.01 * true, name
    plain = rk.identify(arm, data, still=0.005, consistent=False)
    assert (found.torque_error[[0, 2]] < 0.7 * plain.torque_error[[0, 2]]).all()


def test_parameters_that_do_not_matter_are_removed():
    arm = robot("puma560")
    t, q, v, a = motion(arm.nv)
    rng = np.random.default_rng(3)
    data = rk.Experiment(t, q, torques(arm, q, v, a) + coloured(rng, q.shape))
    found = rk.identify(arm, data, consistent=False)
    essential = found.essential()
    assert essential.statistic < essential.limit
    true = dict(zip(found.names, truth(found, arm), strict=True))
    assert 3 < len(essential.removed) < len(found.names) - 10
    W = found.model.columns(q, v, a, None)
    reduced = np.array([essential.values.get(name, 0.0) for name in found.names])
    left = [np.std(W @ (theta - list(true.values()))) for theta in (found.estimate.theta, reduced)]
    assert left[1] < 1.5 * left[0]  # the torques are hardly worse
    # Fewer parameters are known better.
    assert all(essential.standard_errors[n] <= 1.0001 * found.standard_errors[n] for n in essential.values)
    large = max(found.names, key=lambda n: abs(found.values[n]) / found.standard_errors[n])
    assert large in essential.values


def test_instruments_show_the_bias_of_noisy_positions():
    """Noise of the positions makes least squares too small; the commanded motion as instruments does not."""
    arm = robot("puma560")
    t, q, v, a = motion(arm.nv)
    tau = torques(arm, q, v, a)
    rng = np.random.default_rng(5)
    quiet = rk.Experiment(
        t, q + 1e-6 * rng.normal(size=q.shape), tau + 0.1 * rng.normal(size=q.shape), reference=q
    )
    good = rk.identify(arm, quiet, held_out=0, consistent=False)
    assert good.instrumental.largest < 1.0
    noisy = rk.Experiment(
        t, q + 2e-3 * rng.normal(size=q.shape), tau + 0.1 * rng.normal(size=q.shape), reference=q
    )
    bad = rk.identify(arm, noisy, held_out=0, consistent=False, cutoff=25.0, check_signs=False)
    assert bad.instrumental.largest > 3.0
    true = dict(zip(bad.names, truth(bad, arm), strict=True))
    heavy = [n for n in bad.names if n.startswith("Izz") and abs(true[n]) > 0.3]
    assert heavy
    for name in heavy:
        assert abs(bad.instrumental.values[name] - true[name]) < 0.5 * abs(bad.values[name] - true[name])
    plain = rk.identify(arm, rk.Experiment(t, q, tau), consistent=False)
    with pytest.raises(rk.errors.WrongValue, match="commanded positions"):
        _ = plain.instrumental


def test_the_recursive_estimate_is_that_of_all_samples():
    arm = robot("puma560")
    t, q, v, a = motion(arm.nv, 10.0, 20.0)
    rng = np.random.default_rng(1)
    tau = torques(arm, q, v, a) + 0.1 * rng.normal(size=q.shape)
    online = rk.OnlineIdentification(arm, noise=0.1, prior_error=100.0)
    for k in range(len(t)):
        left = online.update(q[k], v[k], a[k], tau[k])
    assert np.abs(left).max() < 1.0
    W = online.model.columns(q, v, a, None).reshape(-1, len(online.names))
    assert online.theta == pytest.approx(np.linalg.lstsq(W, tau.ravel(), rcond=None)[0], abs=2e-3)
    errors = 0.1 * np.sqrt(np.diag(np.linalg.inv(W.T @ W)))
    assert list(online.standard_errors.values()) == pytest.approx(errors, rel=1e-3)
    assert online.samples == len(t)
    # With forgetting it follows a change.
    follows = rk.OnlineIdentification(arm, noise=0.1, forgetting=0.97)
    friction = np.zeros_like(tau)
    friction[100:, 0] = 2.0 * v[100:, 0]
    follows.update(q, v, a, tau + friction)
    assert follows.values["viscous of q1"] == pytest.approx(4.0, abs=0.3)
    with pytest.raises(rk.errors.WrongSize, match="tau has shape"):
        online.update(q[0], v[0], a[0], tau[0, :5])
    with pytest.raises(rk.errors.BadMeasurements, match="NaN"):
        online.update(q[0], v[0], a[0], np.nan * tau[0])


def test_report_and_saved_values(tmp_path):
    import json

    arm = robot("puma560")
    t, q, v, a = motion(arm.nv, 12.0, 200.0)
    rng = np.random.default_rng(0)
    found = rk.identify(arm, rk.Experiment(t, q, torques(arm, q, v, a) + coloured(rng, q.shape, 0.01)))
    page = found.report(tmp_path / "report.html").read_text()
    for text in (
        "Verdict",
        "Held-out motion",
        "Residuals",
        "What could not be seen",
        "may be trusted",
        "acts only in sums",
    ):
        assert text in page
    assert page.count("<img") == 4
    assert "http" not in page.replace("http-equiv", "")
    data = json.loads(found.save(tmp_path / "found.json").read_text())
    by_name = {x["name"]: x for x in data["parameters"]}
    assert by_name["viscous of q1"]["value"] == found.values["viscous of q1"]
    assert by_name["viscous of q1"]["standard_error"] == found.standard_errors["viscous of q1"]
    assert np.shape(data["covariance"]) == (len(found.names),) * 2
    found.robot.save(tmp_path / "found.robot.toml")
    found.robot.save(tmp_path / "found.urdf")
    again = rk.load(tmp_path / "found.robot.toml")
    assert again.inverse_dynamics(q[5], v[5], a[5]) == pytest.approx(
        found.robot.inverse_dynamics(q[5], v[5], a[5])
    )
