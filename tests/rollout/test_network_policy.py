"""A compiled network against NumPy's, and its gradient against differences."""

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import WrongSize, WrongValue

VALUES = {"m1": 1.0, "m2": 2.0}


def _layers(rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    shapes = [(5, 4), (3, 5), (2, 3)]
    return [(rng.normal(size=shape), rng.normal(size=shape[0])) for shape in shapes]


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_one_step_has_the_torques_of_the_network(activation: str) -> None:
    arm, rng = rk.load("planar_2r").bind(**VALUES), np.random.default_rng(1)
    layers, scale = _layers(rng), rng.uniform(0.5, 2, 4)
    q, v = rng.normal(size=(2, 30, 2))
    x = np.hstack([q, v]) * scale
    for k, (W, b) in enumerate(layers):
        x = x @ W.T + b
        if k < 2:
            x = np.tanh(x) if activation == "tanh" else np.maximum(x, 0)
    network = rk.NetworkPolicy(arm, layers, activation, scale)
    found = arm.rollout(q, v, network, steps=1, dt=0.01)
    np.testing.assert_allclose(found.v[0], v + 0.01 * arm.forward_dynamics(q, v, x), rtol=1e-12, atol=1e-12)


def test_the_gradient_by_weights_equals_differences() -> None:
    arm, rng, h = rk.load("planar_2r"), np.random.default_rng(2), 1e-6
    layers, q, cost = _layers(rng), rng.normal(size=(20, 2)), rng.normal(size=(20, 2))

    def end(change: float) -> rk.Rollout:
        moved = [(W.copy(), b.copy()) for W, b in layers]
        moved[1][0][2, 3] += change
        network = rk.NetworkPolicy(arm, moved)
        return arm.rollout(q, None, network, steps=25, dt=0.01, every=0, parameters=VALUES)

    network = rk.NetworkPolicy(arm, layers)
    found = network.layers_of(end(0.0).gradient(q=cost).controller)[1][0][2, 3]
    assert found == pytest.approx(np.sum(cost * (end(h).q - end(-h).q)) / (2 * h), rel=1e-5)


def test_layers_that_do_not_fit_are_named() -> None:
    arm = rk.load("planar_2r")
    with pytest.raises(WrongSize, match=r"layer 1 have the shape \(outputs, 4\)"):
        rk.NetworkPolicy(arm, [(np.ones((2, 3)), np.zeros(2))])
    with pytest.raises(WrongSize, match="2 outputs, one for each actuated"):
        rk.NetworkPolicy(arm, [(np.ones((3, 4)), np.zeros(3))])
    with pytest.raises(WrongValue, match="finite"):
        rk.NetworkPolicy(arm, [(np.full((2, 4), np.nan), np.zeros(2))])
    with pytest.raises(WrongValue, match="at most"):
        rk.NetworkPolicy(arm, [(np.ones((6000, 4)), np.zeros(6000)), (np.ones((2, 6000)), np.zeros(2))])
