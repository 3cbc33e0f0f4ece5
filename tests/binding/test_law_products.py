"""Products of derivatives with vectors, and second derivatives: those of the matrices, and slopes."""

from typing import Any

import numpy as np
import pytest
from random_robots import random_robot, random_state

import rikigaku as rk

Array = np.ndarray


@pytest.fixture(scope="module")
def floating() -> rk.Robot:
    return random_robot(4, 2, drives=True, base="free")


@pytest.fixture(scope="module")
def arm() -> rk.Robot:
    return rk.load("planar_2r")


def agree(x: Array, y: Array, tolerance: float = 1e-12) -> bool:
    return x.shape == y.shape and bool(np.abs(x - y).max() <= tolerance * max(np.abs(y).max(), 1.0))


def test_products_are_those_of_the_matrices(floating: rk.Robot) -> None:
    rng = np.random.default_rng(0)
    state = random_state(floating, rng, 5)
    law, nv = floating.inverse_dynamics, floating.nv
    w, dq, dv = rng.normal(size=(3, 5, nv))
    J = law.derivative(*state)
    gradient = law.gradient(*state, weights=w)
    assert gradient._fields == ("q", "v", "a")
    for ours, matrix in zip(gradient, J, strict=True):
        assert agree(ours, np.einsum("ni,nij->nj", w, matrix))
    tangent = law.tangent(*state, directions={"v": dv, "q": dq})
    assert agree(tangent, np.einsum("nij,nj->ni", J.q, dq) + np.einsum("nij,nj->ni", J.v, dv))
    one = law.gradient(*(x[0] for x in state), weights=w[0], wrt="q")
    assert agree(one.q, gradient.q[0])


def test_second_derivatives_are_slopes_of_the_first(floating: rk.Robot) -> None:
    rng = np.random.default_rng(1)
    q, v, a = random_state(floating, rng)
    law, h = floating.inverse_dynamics, 1e-6
    second = law.derivative(q, v, a, wrt=("q", "v"), order=2)
    assert second.q.v.shape == (floating.nv,) * 3
    for k, e in enumerate(h * np.eye(floating.nv)):
        forward = law.derivative(floating.integrate(q, e), v, a)
        back = law.derivative(floating.integrate(q, -e), v, a)
        assert agree(second.q.q[..., k], (forward.q - back.q) / (2 * h), 1e-6)
        assert agree(second.v.q[..., k], (forward.v - back.v) / (2 * h), 1e-6)
        forward, back = law.derivative(q, v + e, a), law.derivative(q, v - e, a)
        assert agree(second.q.v[..., k], (forward.q - back.q) / (2 * h), 1e-6)


def test_hessian_products_are_those_of_the_second_derivatives(floating: rk.Robot) -> None:
    rng = np.random.default_rng(2)
    q, v, a = random_state(floating, rng, 3)
    w, dq, dv = rng.normal(size=(3, floating.nv))
    law = floating.inverse_dynamics
    second = law.derivative(q, v, a, wrt=("q", "v"), order=2)
    found = law.hessian_product(q, v, a, weights=w, directions={"q": dq, "v": dv}, wrt=("q", "v"))
    for name in ("q", "v"):
        by = getattr(second, name)
        wanted = np.einsum("i,nijk,k->nj", w, by.q, dq) + np.einsum("i,nijk,k->nj", w, by.v, dv)
        assert agree(getattr(found, name), wanted)


def test_products_take_symbols_options_and_laws_of_any_shape(arm: rk.Robot) -> None:
    rng = np.random.default_rng(3)
    q, v, a = rng.normal(size=(3, 4, 2))
    g = [0.1, -9.0, 0.0]
    by = arm.inverse_dynamics.gradient(q, v, a, weights=[1.0, 2.0], wrt=("m2", "q"), gravity=g, m2=0.7)
    wanted = arm.inverse_dynamics.derivative(q, v, a, wrt=("m2", "q"), gravity=g, m2=0.7)
    assert agree(by.m2, wanted.m2 @ [1.0, 2.0])
    assert agree(by.q, np.einsum("i,nij->nj", [1.0, 2.0], wanted.q))
    along = arm.inverse_dynamics.tangent(q, v, a, directions={"m2": 1.0}, m2=0.7, gravity=g)
    assert agree(along, wanted.m2)
    W = rng.normal(size=(2, 2))
    M = arm.mass_matrix.gradient(q, weights=W).q
    assert agree(M, np.einsum("ij,nijk->nk", W, arm.mass_matrix.derivative(q).q))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda law, x: law.gradient(*x, weights=np.ones(3)),
            r"weights of inverse_dynamics ends in axes \(2,\)",
        ),
        (lambda law, x: law.gradient(*x, weights=np.ones(2), wrt="m3"), "no input or symbol named 'm3'"),
        (lambda law, x: law.tangent(*x, directions={"q": np.ones(3)}), r"direction of q ends in axes \(2,\)"),
        (lambda law, x: law.tangent(*x, directions={}), "given by name"),
        (lambda law, x: law.tangent(*x), "directions"),
        (lambda law, x: law.derivative(*x, order=3), "1 or 2, not 3"),
        (lambda law, x: law.derivative(*x, order=2, packed=True), "neither packed nor out"),
    ],
)
def test_mistakes_are_errors_in_words(arm: rk.Robot, call: Any, text: str) -> None:
    with pytest.raises(rk.RikigakuError, match=text):
        call(arm.inverse_dynamics, np.zeros((3, 2)))


class Foreign:
    """An array that only speaks DLPack."""

    def __init__(self, x: Array) -> None:
        self.x = x

    def __dlpack__(self, **options: Any) -> Any:
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.x.__dlpack_device__()


def test_arrays_of_other_packages_are_read_where_they_are(arm: rk.Robot) -> None:
    from rikigaku.core.arrays import floats

    q, v, a = np.random.default_rng(4).normal(size=(3, 4, 2))
    wanted = arm.inverse_dynamics(q, v, a)
    assert np.array_equal(arm.inverse_dynamics(Foreign(q), Foreign(v), a), wanted)
    assert np.shares_memory(floats("q", Foreign(q)), q)
    elsewhere = Foreign(q.astype(complex).astype("V16"))
    with pytest.raises(rk.errors.WrongValue, match="cannot be read where it is"):
        arm.inverse_dynamics(elsewhere, v, a)
