"""Rollouts as functions of JAX: states of the plain rollouts, derivatives of JAX's own for scanned steps."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from random_robots import random_robot, random_state, with_free_inertias

import rikigaku as rk
import rikigaku.jax

STEPS, DT = 6, 0.02


@pytest.fixture(autouse=True)
def _double() -> Any:
    with jax.enable_x64(True):
        yield


@pytest.fixture(scope="module")
def arm() -> rk.Robot:
    return rk.load("planar_2r")


def agree(x: Any, y: Any, tolerance: float = 1e-12) -> bool:
    x, y = np.asarray(x), np.asarray(y)
    return x.shape == y.shape and bool(np.abs(x - y).max() <= tolerance * max(np.abs(y).max(), 1.0))


def scanned(robot: rk.Robot, q: Any, v: Any, torque: Any, **symbols: Any) -> Any:
    """The semi-implicit steps as a scan of JAX over laws."""
    forward = rikigaku.jax.law(robot.forward_dynamics)
    integrate = rikigaku.jax.law(robot.integrate)

    def step(state: Any, tau: Any) -> Any:
        q, v = state
        v = v + DT * forward(q, v, tau, **symbols)
        q = integrate(q, DT * v)
        return (q, v), (q, v)

    return jax.lax.scan(step, (q, v), torque)[1]


def test_worlds_of_vmap_are_those_of_the_plain_rollout(arm: rk.Robot) -> None:
    rng = np.random.default_rng(0)
    q0, v0, tau = rng.normal(size=(5, 2)), rng.normal(size=(5, 2)), rng.normal(size=(5, STEPS, 2))
    masses = np.linspace(0.5, 2.0, 5)
    plain = arm.rollout(
        q0, v0, np.moveaxis(tau, 0, 1), steps=STEPS, dt=DT, method="rk4", parameters={"m2": masses}, every=2
    )

    def motion(q0: Any, v0: Any, tau: Any, mass: Any) -> Any:
        return rikigaku.jax.rollout(
            arm, q0, v0, tau, steps=STEPS, dt=DT, method="rk4", parameters={"m2": mass}, every=2
        )

    for found in (jax.jit(jax.vmap(motion))(q0, v0, tau, masses), motion(q0, v0, tau, masses)):
        assert np.array_equal(found.q, np.moveaxis(plain.q, 0, 1))
        assert np.array_equal(found.v, np.moveaxis(plain.v, 0, 1))
    held = rikigaku.jax.rollout(arm, q0, torque=rk.PD(arm, [0, 0], 20.0, 2.0), steps=STEPS, dt=DT, every=0)
    assert np.array_equal(
        held.q, arm.rollout(q0, None, rk.PD(arm, [0, 0], 20.0, 2.0), steps=STEPS, dt=DT, every=0).q
    )


def test_derivatives_are_jaxs_own_of_scanned_steps(arm: rk.Robot) -> None:
    rng = np.random.default_rng(1)
    q0, v0, tau = rng.normal(size=2), rng.normal(size=(3, 2)), rng.normal(size=(3, STEPS, 2))

    def cost(q0: Any, v0: Any, tau: Any, mass: Any, ours: bool) -> Any:
        if ours:
            q, v = rikigaku.jax.rollout(arm, q0, v0, tau, steps=STEPS, dt=DT, parameters={"m2": mass})
        else:
            q, v = scanned(arm, q0, v0, tau, m2=mass)
        return jnp.sum(jnp.sin(q) * jnp.arange(1.0, STEPS + 1)[:, None]) + jnp.sum(v[-1] ** 2)

    axes = (None, 0, 0, None, None)
    found, wanted = (
        jax.jit(jax.vmap(jax.grad(cost, argnums=(0, 1, 2, 3)), axes), static_argnums=4)(
            q0, v0, tau, 0.8, ours
        )
        for ours in (True, False)
    )
    for x, y in zip(found, wanted, strict=True):
        assert agree(x, y)
    summed = jax.grad(lambda m: jax.vmap(cost, axes)(q0, v0, tau, m, True).sum())(0.8)
    assert agree(summed, wanted[3].sum())  # the worlds share the mass
    along = (np.ones(2), v0[0], tau[0], 0.3)
    found, wanted = (
        jax.jvp(partial(cost, ours=ours), (q0, v0[0], tau[0], 0.8), along)[1] for ours in (True, False)
    )
    assert agree(found, wanted)


def test_gradients_by_quaternions_are_in_the_tangent_space() -> None:
    robot = random_robot(4, 1, drives=True, base="free")
    q0, v0, _ = random_state(robot, np.random.default_rng(2), 3)
    tau = np.zeros((STEPS, robot.nv))

    def cost(q0: Any, v0: Any, ours: bool) -> Any:
        if ours:
            q, v = rikigaku.jax.rollout(robot, q0, v0, tau, steps=STEPS, dt=DT)
        else:
            q, v = scanned(robot, q0, v0, jnp.asarray(tau))
        return jnp.sum(jnp.sin(q)) + jnp.sum(v**2)

    found, wanted = (
        jax.jit(jax.vmap(jax.grad(cost, argnums=(0, 1)), (0, 0, None)), static_argnums=2)(q0, v0, ours)
        for ours in (True, False)
    )
    for x, y in zip(found, wanted, strict=True):
        assert agree(x, y)
    found, wanted = (
        jax.jvp(partial(cost, v0=v0[0], ours=ours), (q0[0],), (q0[1],))[1] for ours in (True, False)
    )
    assert agree(found, wanted)


def test_numbers_and_defaults_take_the_precision_of_arrays(arm: rk.Robot) -> None:
    q0, call = jnp.ones(2, jnp.float32), partial(rikigaku.jax.rollout, arm, steps=2, dt=DT)
    for found in (call(q0), call(q0, parameters={"m2": 0.8}), call(q0, [0.1, 0.2], [[0.1, 0.2]])):
        assert found.q.dtype == found.v.dtype == jnp.float32
    assert call(q0, jnp.zeros(2)).q.dtype == call([1.0, 1.0]).q.dtype == jnp.float64


def test_a_world_with_nan_leaves_the_others_alone(arm: rk.Robot) -> None:
    starts = jnp.array([[0.1, 0.2], [jnp.nan, 0.0], [0.3, -0.4]])

    def end(q0: Any) -> Any:
        return rikigaku.jax.rollout(arm, q0, steps=STEPS, dt=DT, every=0).q

    found = np.asarray(jax.vmap(end)(starts))
    assert np.isnan(found[1]).all()
    assert np.array_equal(found[[0, 2]], jax.vmap(end)(starts[np.array([0, 2])]))
    slopes = np.asarray(jax.vmap(jax.grad(lambda q: end(q).sum()))(starts))
    assert np.isnan(slopes).any(axis=1).tolist() == [False, True, False]


def test_mistakes_are_errors_in_words(arm: rk.Robot) -> None:
    call = rikigaku.jax.rollout
    with pytest.raises(rk.errors.WrongSize, match=r"q0 of robot 'planar_2r' ends in an axis of 2"):
        call(arm, jnp.zeros(3), steps=3, dt=DT)
    with pytest.raises(rk.errors.WrongSize, match=r"torque ends in axes \(3, 2\) or \(1, 2\)"):
        call(arm, jnp.zeros(2), None, jnp.zeros((4, 2)), steps=3, dt=DT)
    with pytest.raises(rk.errors.UnknownName, match="m3"):
        call(arm, jnp.zeros(2), steps=3, dt=DT, parameters={"m3": 1.0})
    with pytest.raises(rk.errors.UnknownName, match="rk5"):
        call(arm, jnp.zeros(2), steps=3, dt=DT, method="rk5")
    for torque, words in ((3.0, "torque"), (lambda t, q, v: [0.0, 0.0], "runs no Python"), ("t", "torque")):
        with pytest.raises(rk.errors.RikigakuError, match=words):
            jax.jit(lambda q, torque=torque: call(arm, q, None, torque, steps=3, dt=DT).q)(jnp.zeros(2))
    with pytest.raises(rk.errors.WrongValue, match="every=4 records no state of 3 steps"):
        call(arm, jnp.zeros(2), steps=3, dt=DT, every=4)
    with pytest.raises(rk.errors.WrongValue, match="takes trees; robot 'five_bar' has loops"):
        jax.jit(lambda q: call(rk.load("five_bar"), q, steps=3, dt=DT).q)(jnp.zeros(4))
    with pytest.raises(rk.errors.MissingValue, match="needs numbers for"):
        call(with_free_inertias(arm), jnp.zeros(2), steps=3, dt=DT)
    floating = random_robot(4, 1, base="free")
    with pytest.raises(rk.errors.WrongValue, match=r"quaternion of joint .* has length 1; it is 2"):
        call(floating, 2 * floating.neutral(), steps=3, dt=DT)
    with pytest.raises(rk.errors.WrongValue, match="first derivatives"):
        jax.hessian(lambda q: call(arm, q, steps=3, dt=DT).q.sum())(jnp.zeros(2))
