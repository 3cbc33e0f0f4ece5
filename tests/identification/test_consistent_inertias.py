"""Physically consistent parameters: always feasible, optimal by another algorithm, the prior without data."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize
from simulated_experiments import coloured, motion, robot, torques, truth

import rikigaku as rk
from rikigaku.identification.consistent_inertias import (
    consistent_parameters,
    parameters_of,
    prior_parameters,
    pseudo_inertia,
)
from rikigaku.identification.measurement_model import measurement_model


def identified(arm, noise, **options):
    t, q, v, a = motion(arm.nv, 10.0, 200.0)
    rng = np.random.default_rng(0)
    tau = torques(arm, q, v, a) + coloured(rng, q.shape, noise)
    return rk.identify(arm, rk.Experiment(t, q, tau), **options)


@pytest.mark.parametrize("noise", [0.01, 1.0, 20.0])
@pytest.mark.parametrize("name", ["puma560", "panda"])
def test_parameters_are_feasible_whatever_the_noise(name, noise):
    found = identified(robot(name), noise, check_signs=False)
    full = np.array(list(found.full.values()))
    for k in range(robot(name).nv):
        assert np.linalg.eigvalsh(pseudo_inertia(full[10 * k : 10 * k + 10])).min() > 0
    assert full[10 * robot(name).nv :].min() >= -1e-7  # the solver's tolerance
    found.robot.check_inertias(strict=True)


def test_little_noise_leaves_the_base_parameters_unchanged():
    arm = robot("puma560")
    found = identified(arm, 1e-4)
    assert found.theta_consistent == pytest.approx(truth(found, arm), abs=5e-3)
    assert found.torque_error_consistent == pytest.approx(found.torque_error, abs=1e-3)


def test_a_heavy_prior_is_the_result():
    arm = robot("puma560")
    found = identified(arm, 1.0, prior_weight=1e9)
    prior, _ = prior_parameters(found.model)
    inertial = 10 * arm.nv
    assert list(found.full.values())[:inertial] == pytest.approx(prior[:inertial], rel=1e-3, abs=1e-4)


def test_the_optimum_is_that_of_a_plain_minimisation():
    """Parameters of two links by Cholesky factors of P, and BFGS: the same minimum of the same objective."""
    arm = rk.load("planar_2r")
    arm = arm.bind(**arm.declared_values)
    inertia = rk.Inertia("com", 1.0, (0.2, 0.02, 0.01), (0.02, 0, 0, 0.03, 0, 0.04))
    arm = replace(arm, links=tuple(replace(link, inertia=inertia) for link in arm.links))
    t, q, v, a = motion(2, 10.0, 200.0)
    rng = np.random.default_rng(1)
    tau = np.asarray(arm.inverse_dynamics(q, v, a)) * 1.3 + coloured(rng, q.shape, 0.5)
    data = rk.Experiment(t, q, tau)
    found = rk.identify(arm, data, joint_parameters=(), offsets=False, check_signs=False, prior_weight=5.0)
    prior, changed = prior_parameters(found.model)
    assert not changed
    inverses = [np.linalg.inv(pseudo_inertia(prior[10 * k : 10 * k + 10])) for k in range(2)]
    K, rows = found.base.regrouping, np.tril_indices(4)

    def full(x):
        P = []
        for part in x.reshape(2, 10):
            L = np.zeros((4, 4))
            L[rows] = part
            P.append(L @ L.T)
        return P, np.concatenate([parameters_of(p) for p in P])

    def objective(x):
        P, pi = full(x)
        left = found.estimate.factor @ K @ pi - found.estimate.target
        change = [np.trace(p @ i) - np.linalg.slogdet(p @ i)[1] for p, i in zip(P, inverses, strict=True)]
        return left @ left / 2 + 5.0 * sum(change)

    start = np.concatenate(
        [np.linalg.cholesky(pseudo_inertia(prior[10 * k : 10 * k + 10]))[rows] for k in range(2)]
    )
    other = optimize.minimize(objective, start, method="BFGS", options={"maxiter": 5000, "gtol": 1e-6})
    ours = np.concatenate(
        [
            np.linalg.cholesky(pseudo_inertia(np.array(list(found.full.values()))[10 * k : 10 * k + 10]))[
                rows
            ]
            for k in range(2)
        ]
    )
    assert objective(ours) == pytest.approx(other.fun, rel=1e-5)
    assert objective(start) > 1.01 * other.fun


def test_without_the_solver_the_message_names_the_extra(monkeypatch):
    import sys

    arm = robot("puma560")
    found = identified(arm, 0.1, consistent=False)
    monkeypatch.setitem(sys.modules, "clarabel", None)
    with pytest.raises(rk.errors.MissingEngine, match=r"rikigaku\[identify\]"):
        consistent_parameters(measurement_model(arm, ("rotor",)), found.estimate, 1.0)
