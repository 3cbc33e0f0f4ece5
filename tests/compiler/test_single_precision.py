"""Kernels in single precision against the same program in double precision, and sine and cosine."""

import numpy as np
import pytest
from random_robots import random_robot, random_state

import rikigaku as rk
from rikigaku.compiler.kernel import Kernel
from rikigaku.core.errors import WrongSize
from rikigaku.numbers.elementary_functions import cos, lookup, sin, sqrt, where
from rikigaku.numbers.program import trace

SINGLE = float(np.finfo(np.float32).eps)


@pytest.mark.parametrize("law", ["inverse_dynamics", "forward_dynamics", "mass_matrix"])
def test_laws_of_random_trees_agree_to_single_precision(law: str) -> None:
    rng = np.random.default_rng(3)
    robot = random_robot(8, 6, ("free", "revolute", "prismatic", "spherical"))
    states = [x.astype(np.float32) for x in random_state(robot, rng, 37)]  # registers, and a rest
    inputs = states[: 1 if law == "mass_matrix" else 3]
    found = getattr(robot, law).float32(*inputs)
    exact = getattr(robot, law)(*(x.astype(np.float64) for x in inputs))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, exact, rtol=0, atol=200 * SINGLE * np.abs(exact).max())


def test_each_state_has_the_same_bits_in_any_batch() -> None:
    panda = rk.load("panda")
    q = np.random.default_rng(4).normal(size=(53, panda.nq)).astype(np.float32)
    whole = panda.mass_matrix.float32(q)
    for part in (slice(0, 1), slice(3, 20), slice(52, 53)):
        assert panda.mass_matrix.float32(q[part]).tobytes() == whole[part].tobytes()
    spread = np.zeros((53, 2 * panda.nq), np.float32)[:, ::2]
    spread[:] = q
    assert panda.mass_matrix.float32(spread).tobytes() == whole.tobytes()


def _kernel(name, inputs, function) -> Kernel:
    program = trace(name, inputs, function)
    return Kernel(name, lambda: program, by_program=True)


def test_sine_and_cosine_are_within_two_units_up_to_large_angles() -> None:
    rng = np.random.default_rng(5)
    x = np.concatenate([rng.uniform(-4, 4, 5000), rng.uniform(-1e4, 1e4, 5000), rng.uniform(-1e6, 1e6, 99)])
    x = x.astype(np.float32)
    found = np.empty((len(x), 2), np.float32)
    _kernel("sincos", [("x", ())], lambda x: {"y": [sin(x), cos(x)]})([x], [found])
    exact = np.stack([np.sin(x.astype(float)), np.cos(x.astype(float))], axis=1)
    assert (np.abs(found - exact) / np.maximum(np.spacing(np.abs(exact).astype(np.float32)), 1e-12)).max() < 2


def test_other_operations_and_nan_rows() -> None:
    table = tuple(float(k * k) for k in range(10))

    def function(x):
        return {"y": [sqrt(x[0]), where(x[1] < 0, -x[1], x[1]), lookup(table, x[1]), 0.1 * x[0], x[0] / x[1]]}

    x = np.array([[4.0, 3.0], [9.0, -2.0], [np.nan, 1.0], [1.0, 0.0], [16.0, 7.5]] * 4, np.float32)
    found = np.empty((20, 5), np.float32)
    with np.errstate(all="ignore"):
        _kernel("others", [("x", (2,))], function)([x], [found])
    assert np.isnan(found[2::5]).all()
    assert np.isnan(found[3::5]).all()
    np.testing.assert_array_equal(found[0, :3], [2, 3, 9])
    np.testing.assert_array_equal(found[4, :3], [4, 7.5, 49])
    assert found[1, 3] == np.float32(0.1) * np.float32(9)


def test_out_of_another_precision_is_refused() -> None:
    panda = rk.load("panda")
    with pytest.raises(WrongSize, match="must be float32"):
        panda.mass_matrix.float32(np.zeros((2, 7)), out=np.empty((2, 7, 7)))
