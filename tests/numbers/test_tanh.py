"""tanh by arithmetic against 256-bit arithmetic, on floats, arrays and native code."""

import numpy as np
from flint import arb, ctx

from rikigaku.compiler.kernel import Kernel
from rikigaku.numbers.hyperbolic_tangent import tanh
from rikigaku.numbers.program import trace
from rikigaku.numbers.program_derivative import forward


def _points() -> np.ndarray:
    rng = np.random.default_rng(1)
    small = rng.uniform(-1, 1, 2000) * 10.0 ** rng.uniform(-12, 0, 2000)
    return np.concatenate([small, rng.uniform(-25, 25, 2000), [0.0, 19.0, 20.0, 700.0, -1e300]])


def _exact(x: np.ndarray) -> np.ndarray:
    ctx.prec = 256
    try:
        return np.array([float(arb(float(y)).tanh().mid()) for y in x])
    finally:
        ctx.prec = 53


def test_tanh_is_within_four_units_in_the_last_place() -> None:
    x = _points()
    exact, found = _exact(x), tanh(x)
    error = np.abs(found - exact) / np.maximum(np.spacing(np.abs(exact)), 5e-324)
    assert error.max() <= 4
    assert np.isnan(tanh(np.array([np.nan]))).all()
    assert [tanh(float(y)) for y in x[:50]] == found[:50].tolist()


def _kernel(name: str, function) -> Kernel:
    program = trace(name, [("x", ())], function)
    return Kernel(name, lambda: program, by_program=True)


def test_native_tanh_and_its_derivative_equal_the_function() -> None:
    x = _points()
    found, slope = np.empty(x.shape), np.empty(x.shape)
    _kernel("tanh", lambda x: {"y": tanh(x)})([x], [found])
    exact = _exact(x)
    error = np.abs(found - exact) / np.maximum(np.spacing(np.abs(exact)), 5e-324)
    assert error.max() <= 4
    _kernel("tanh slope", lambda x: {"y": forward([tanh(x)], [{x: 1.0}])[0][0]})([x], [slope])
    near = np.abs(x) < 15
    np.testing.assert_allclose(slope[near], 1 - exact[near] ** 2, rtol=0, atol=1e-15)
    assert np.abs(slope[~near]).max() < 1e-12
