"""Laws as functions of JAX: values of the plain calls, derivatives of JAX's own for the exported source."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from exported_laws import exported
from random_robots import random_robot, random_state, with_free_inertias

import rikigaku as rk
import rikigaku.jax
from rikigaku.jax import law_primitive

Array = np.ndarray


@pytest.fixture(autouse=True)
def _double() -> Any:
    with jax.enable_x64(True):
        yield


@pytest.fixture(scope="module")
def panda() -> rk.Robot:
    return rk.load("panda")


@pytest.fixture(scope="module")
def arm() -> rk.Robot:
    return rk.load("planar_2r").bind(l1=0.4, l2=0.6, m1=1.5, m2=0.7)


@pytest.fixture(scope="module")
def floating() -> rk.Robot:
    return random_robot(4, 2, drives=True, base="free")


def agree(ours: Any, theirs: Any, tolerance: float = 1e-12) -> bool:
    """Equal up to rounding, relative to the largest number."""
    x, y = np.asarray(ours), np.asarray(theirs)
    return x.shape == y.shape and bool(np.abs(x - y).max() <= tolerance * max(np.abs(y).max(), 1.0))


def weighted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A scalar that depends on all results nonlinearly."""
    return lambda *args: jnp.sum(jnp.sin(result := function(*args)) * jnp.cos(1.0 + jnp.arange(len(result))))


def test_a_jitted_law_has_the_bits_of_the_plain_call(panda: rk.Robot) -> None:
    states = np.random.default_rng(0).normal(size=(3, 37, 7))
    law = rikigaku.jax.law(panda.inverse_dynamics)
    wanted = panda.inverse_dynamics(*states)
    assert np.array_equal(law(*states), wanted)
    assert np.array_equal(jax.jit(law)(*states), wanted)
    assert np.array_equal(jax.jit(jax.vmap(law))(*states), wanted)


def test_large_batches_on_threads_of_xla_have_the_same_bits(panda: rk.Robot) -> None:
    states = np.random.default_rng(1).normal(size=(3, 30_001, 7))
    law = jax.jit(rikigaku.jax.law(panda.inverse_dynamics))
    assert np.array_equal(law(*states), panda.inverse_dynamics(*states))


def test_the_first_calls_of_a_law_may_come_from_several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    robot, x = random_robot(12, 2, ("revolute",)), np.random.default_rng(12).normal(size=(3, 2))
    made, handler = [], law_primitive.xla_handler

    def slow(*args: Any) -> Any:  # long enough for the other threads to arrive
        made.append(args)
        time.sleep(0.2)
        return handler(*args)

    def call(_: int) -> Any:
        with jax.enable_x64(True):  # a setting of the thread
            return np.asarray(jax.jit(rikigaku.jax.law(robot.inverse_dynamics))(*x))

    monkeypatch.setattr(law_primitive, "xla_handler", slow)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(call, range(4)))
    assert all(np.array_equal(y, robot.inverse_dynamics(*x)) for y in found)
    assert len(made) == 1


def test_any_batch_axes_broadcast(panda: rk.Robot) -> None:
    rng = np.random.default_rng(2)
    q, v, a = rng.normal(size=(5, 1, 7)), rng.normal(size=(4, 7)), rng.normal(size=7)
    law = rikigaku.jax.law(panda.inverse_dynamics)
    wanted = panda.inverse_dynamics(q, v, a)
    assert np.array_equal(law(q, v, a), wanted)
    nested = jax.vmap(jax.vmap(law, (None, 0, None)), (0, None, None))
    assert np.array_equal(jax.jit(nested)(q[:, 0], v, a), wanted)
    last = jax.vmap(law, (1, None, None), 1)  # batch axes that are not the first
    assert np.array_equal(last(q[:, 0].T, v[0], a), wanted[:, 0].T)
    mixed = jax.vmap(law, (0, None, None))  # a batch inside the function, and one outside
    assert np.array_equal(mixed(q[:, 0], v, a), wanted)


def test_gradients_are_jaxs_own_of_the_exported_source(arm: rk.Robot) -> None:
    states = np.random.default_rng(3).normal(size=(3, 9, 2))
    ours, theirs = (
        jax.vmap(jax.grad(weighted(law), argnums=(0, 1, 2)))
        for law in (rikigaku.jax.law(arm.inverse_dynamics), exported(arm.inverse_dynamics))
    )
    for x, y in zip(jax.jit(ours)(*states), jax.jit(theirs)(*states), strict=True):
        assert agree(x, y)


@pytest.mark.parametrize("transform", [jax.jacfwd, jax.jacrev])
def test_jacobians_are_the_derivatives_of_the_law(arm: rk.Robot, transform: Any) -> None:
    states = np.random.default_rng(4).normal(size=(3, 5, 2))
    wanted = arm.forward_dynamics.derivative(*states)
    slopes = transform(rikigaku.jax.law(arm.forward_dynamics), argnums=(0, 1, 2))
    found = jax.jit(jax.vmap(slopes))(*states)
    for x, y in zip(found, wanted, strict=True):
        assert agree(x, y)


def test_second_derivatives_are_jaxs_own_of_the_exported_source(arm: rk.Robot) -> None:
    states = np.random.default_rng(5).normal(size=(3, 4, 2))
    ours, theirs = (
        weighted(law) for law in (rikigaku.jax.law(arm.inverse_dynamics), exported(arm.inverse_dynamics))
    )
    wanted = jax.jit(jax.vmap(jax.hessian(theirs, argnums=(0, 1))))(*states)
    forward_over_reverse = jax.jit(jax.vmap(jax.hessian(ours, argnums=(0, 1))))(*states)
    reverse_over_reverse = jax.jit(jax.vmap(jax.jacrev(jax.grad(ours))))(*states)
    forward_over_forward = jax.jit(jax.vmap(jax.jacfwd(jax.jacfwd(ours))))(*states)
    for i in range(2):
        for k in range(2):
            assert agree(forward_over_reverse[i][k], wanted[i][k])
    assert agree(reverse_over_reverse, wanted[0][0])
    assert agree(forward_over_forward, wanted[0][0])


def test_gradients_by_quaternions_are_in_the_tangent_space(floating: rk.Robot) -> None:
    q, v, a = random_state(floating, np.random.default_rng(6), 6)
    weights = np.random.default_rng(7).normal(size=floating.nv)
    law, source = rikigaku.jax.law(floating.inverse_dynamics), exported(floating.inverse_dynamics)
    ours = jax.jit(jax.vmap(jax.grad(lambda q, v, a: law(q, v, a) @ weights)))(q, v, a)
    theirs = jax.jit(jax.vmap(jax.grad(lambda q, v, a: source(q, v, a) @ weights)))(q, v, a)
    wanted = np.array(theirs)
    for place in quaternions(floating):
        own = q[:, place]
        wanted[:, place] -= own * (own * wanted[:, place]).sum(axis=-1, keepdims=True)
        assert np.abs((ours[:, place] * own).sum(axis=-1)).max() < 1e-11
    assert agree(ours, wanted)


def test_hessians_through_integrate_are_symmetric_and_equal_differences(floating: rk.Robot) -> None:
    q, _, _ = random_state(floating, np.random.default_rng(14))
    place, integrate = rikigaku.jax.law(floating.pose.fix(frame="tip")), rikigaku.jax.law(floating.integrate)
    weights = np.random.default_rng(15).normal(size=(4, 4))

    def cost(q: Any) -> Any:
        return jnp.sum(jnp.sin(place(q)) * weights)

    def moved(x: Any) -> Any:
        return cost(integrate(q, x))

    origin, h = np.zeros(floating.nv), 1e-5
    found, slope = jax.jit(jax.hessian(moved))(origin), jax.jit(jax.grad(moved))
    differences = np.array([(slope(h * e) - slope(-h * e)) / (2 * h) for e in np.eye(floating.nv)])
    assert agree(found, np.asarray(found).T)
    assert agree(found, differences, 1e-8)
    by_numbers = np.asarray(jax.hessian(cost)(q))  # the derivative of the projected gradient
    assert np.abs(by_numbers - by_numbers.T).max() > 0.01 * np.abs(by_numbers).max()


def quaternions(robot: rk.Robot) -> list[slice]:
    """Places in q."""
    parts = [robot.q_slices[joint.name] for joint in robot.joints if joint.type in ("free", "spherical")]
    return [slice(part.stop - 4, part.stop) for part in parts]


def test_symbols_gravity_and_wrenches_are_arguments() -> None:
    arm = rk.load("planar_2r")
    q, v, a = np.random.default_rng(8).normal(size=(3, 5, 2))
    masses, g = np.linspace(0.5, 2.0, 5), np.array([0.3, -9.0, 1.0])
    w = {"hand": np.arange(6.0)}
    law = jax.jit(rikigaku.jax.law(arm.inverse_dynamics))
    assert np.array_equal(
        law(q, v, a, m2=masses, gravity=g, wrenches=w),
        arm.inverse_dynamics(q, v, a, m2=masses, gravity=g, wrenches=w),
    )
    by_mass = jax.vmap(jax.jacfwd(lambda m, q, v, a: law(q, v, a, m2=m)))(masses, q, v, a)
    assert agree(by_mass, arm.inverse_dynamics.derivative(q, v, a, wrt="m2", m2=masses)[0])
    shared = jax.grad(lambda m: law(q, v, a, m2=m).sum())(0.8)  # one mass of all states
    assert agree(shared, arm.inverse_dynamics.derivative(q, v, a, wrt="m2", m2=0.8).m2.sum())


def test_gradients_by_seventy_symbols_are_the_regressor() -> None:
    chain = random_robot(3, 7, ("revolute",))
    values = {name.replace(" of ", "_"): x for name, x in chain.parameters().items()}
    assert len(values) == 70
    q, v, a = random_state(chain, np.random.default_rng(11), 3)
    law = rikigaku.jax.law(with_free_inertias(chain).inverse_dynamics)
    weights = np.arange(1.0, chain.nv + 1)
    by_symbols = jax.vmap(jax.grad(lambda p, *x: law(*x, **p) @ weights), (None, 0, 0, 0))
    found = jax.jit(by_symbols)(values, q, v, a)
    wanted = weights @ chain.regressor(q, v, a)
    assert agree(np.stack([found[name] for name in values], axis=-1), wanted)


def test_options_are_those_of_the_law(panda: rk.Robot) -> None:
    q = np.random.default_rng(9).normal(size=(4, 7))
    law = jax.jit(rikigaku.jax.law(panda.jacobian), static_argnums=1)
    assert np.array_equal(law(q, "panda_hand"), panda.jacobian(q, "panda_hand"))
    fixed = rikigaku.jax.law(panda.jacobian.fix(frame="panda_hand", axes="local"))
    assert np.array_equal(fixed(q), panda.jacobian(q, "panda_hand", axes="local"))


def test_single_precision_is_that_of_float32(panda: rk.Robot) -> None:
    states = np.random.default_rng(10).normal(size=(3, 21, 7)).astype(np.float32)
    found = jax.jit(rikigaku.jax.law(panda.forward_dynamics))(*states)
    assert found.dtype == jnp.float32
    assert np.array_equal(found, panda.forward_dynamics.float32(*states))
    with jax.enable_x64(False):
        assert rikigaku.jax.law(panda.forward_dynamics)(*states.astype(float)).dtype == jnp.float32


def test_numbers_and_values_of_the_robot_take_the_precision_of_arrays() -> None:
    arm = rk.load("planar_2r")
    x = np.random.default_rng(13).normal(size=(3, 4, 2)).astype(np.float32)
    law = rikigaku.jax.law(arm.inverse_dynamics)
    gravity, w = [0.0, -9.0, 0.0], {"hand": [1.0] * 6}
    for keywords in ({}, {"m2": np.float32(0.8)}, {"m2": 0.8}, {"gravity": gravity}, {"wrenches": w}):
        assert law(*x, **keywords).dtype == jnp.float32
    assert jax.jit(law)(*x, m2=0.8).dtype == jnp.float32
    assert (
        law(*x, m2=jnp.float64(0.8)).dtype == law(*x.astype(float), m2=np.float32(0.8)).dtype == jnp.float64
    )
    assert law([0, 1], [0.1, 0.2], [0, 0]).dtype == jnp.float64
    assert agree(
        law(*x.astype(float), gravity=gravity), arm.inverse_dynamics(*x.astype(float), gravity=gravity)
    )


def test_mistakes_are_errors_in_words_when_traced(panda: rk.Robot) -> None:
    law = jax.jit(rikigaku.jax.law(panda.inverse_dynamics))
    x = jnp.zeros(7)
    with pytest.raises(rk.errors.WrongSize, match=r"q of robot 'panda' has 7 numbers .* shape \(8,\)"):
        law(jnp.zeros(8), x, x)
    with pytest.raises(rk.errors.WrongSize, match=r"takes 3 arrays \(q, v, a\); 2 arrays were given"):
        law(x, x)
    with pytest.raises(rk.errors.WrongSize, match=r"do not broadcast: q \(3, 7\), v \(4, 7\)"):
        law(jnp.zeros((3, 7)), jnp.zeros((4, 7)), x)
    with pytest.raises(rk.errors.UnknownName, match="gravty"):
        law(x, x, x, gravty=jnp.zeros(3))
    with pytest.raises(rk.errors.WrongSize, match="gravity takes 3 numbers"):
        law(x, x, x, gravity=jnp.zeros(2))
    with pytest.raises(rk.errors.WrongValue, match="real numbers"):
        law(x + 1j, x, x)
    with pytest.raises(rk.errors.WrongValue, match=r"robot\.inverse_dynamics"):
        rikigaku.jax.law(panda)  # type: ignore[arg-type]
