"""Sine and cosine in native code: two ulp up to 10 000 rad, the C library beyond, equal bits in all lanes."""

import math
import random

import mpmath
import numpy as np
import pytest

from rikigaku.compiler import native_code
from rikigaku.compiler.kernel import Kernel
from rikigaku.compiler.llvm_sincos import LARGEST
from rikigaku.numbers.program import trace

ULPS = 2.0


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return Kernel("sincos", lambda: trace("sincos", [("x", ())], lambda x: {"sc": [x.sin(), x.cos()]}))


def refuse(*args: object, **keywords: object) -> None:
    raise AssertionError("the builtin passed the call on")


def angles(seed: int) -> list[float]:
    """Everyday angles, large ones, neighbours of multiples of pi/2, tiny and denormal ones."""
    rng = random.Random(seed)
    xs = [rng.uniform(-7, 7) for _ in range(4000)] + [rng.uniform(-LARGEST, LARGEST) for _ in range(6000)]
    for k in rng.sample(range(-6366, 6367), 1500):
        near = k * (math.pi / 2)
        xs += [near, math.nextafter(near, math.inf), math.nextafter(near, -math.inf)]
    for exponent in range(-1074, 1, 4):
        x = rng.uniform(1, 2) * 2.0**exponent
        xs += [x, -x]
    return [*xs, LARGEST, -LARGEST, 5e-324, -5e-324, 2.0**-1022, math.pi / 4, -math.pi / 4]


def test_sine_and_cosine_are_within_two_ulp_of_mpmath(kernel: Kernel) -> None:
    xs = angles(1)
    results = kernel.batch(np.array(xs))
    worst = 0.0
    with mpmath.workprec(150):
        for x, (s, c) in zip(xs, results.tolist(), strict=True):
            exact = mpmath.mpf(x)
            for got, true in ((s, mpmath.sin(exact)), (c, mpmath.cos(exact))):
                worst = max(worst, float(abs(mpmath.mpf(got) - true)) / math.ulp(float(true)))
    assert worst <= ULPS


def test_zero_of_either_sign_has_sine_zero_and_cosine_one(kernel: Kernel) -> None:
    assert kernel.batch(np.array([0.0, -0.0])).tolist() == [[0.0, 1.0], [0.0, 1.0]]


def test_sine_is_odd_and_cosine_even_to_the_last_bit(kernel: Kernel) -> None:
    xs = np.array(angles(4))
    (s, c), (minus_s, same_c) = kernel.batch(xs).T, kernel.batch(-xs).T
    assert (s == -minus_s).all()
    assert (c == same_c).all()


FAR = [math.nextafter(LARGEST, math.inf), -12345.6789, 1e10, -1e22, 1e300, 1.7976931348623157e308]


@pytest.mark.parametrize("x", FAR)
def test_beyond_the_polynomials_the_c_library_is_used_and_nothing_overflows(kernel: Kernel, x: float) -> None:
    with np.errstate(all="raise", under="ignore"):
        for lane in range(native_code.host().width + 1):
            xs = np.full(native_code.host().width + 1, 0.5)
            xs[lane] = x
            result = kernel.batch(xs)
            assert result[lane].tolist() == [math.sin(x), math.cos(x)]
            assert (np.delete(result, lane, axis=0) == kernel.batch(0.5)).all()


@pytest.mark.parametrize("x", [math.inf, -math.inf, math.nan])
def test_infinite_angles_have_no_sine(kernel: Kernel, x: float) -> None:
    with np.errstate(invalid="ignore"):
        result = kernel.batch(np.array([0.1, x, 0.2]))
    assert np.isnan(result[1]).all()
    assert np.isfinite(result[[0, 2]]).all()


def test_each_lane_and_one_state_alone_have_the_same_bits(kernel: Kernel) -> None:
    xs = np.array([*random.Random(2).sample(angles(3), 2000), 1e5, -3e7])
    rows = kernel.batch(xs)
    one = kernel.one("sincos", refuse)
    for i, x in enumerate(xs):
        assert one(np.array(x)).tobytes() == rows[i].tobytes()
    for shift in range(1, native_code.host().width):
        assert kernel.batch(xs[shift:]).tobytes() == rows[shift:].tobytes()
