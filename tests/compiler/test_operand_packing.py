"""More operands than NumPy's ufuncs take: single numbers travel in one array on each side."""

import numpy as np
import pytest
from random_robots import with_free_inertias

import rikigaku as rk
from rikigaku.compiler.kernel import Kernel
from rikigaku.model.editing import bind
from rikigaku.numbers.program import trace


@pytest.mark.parametrize("count", [57, 58, 59, 90])
def test_any_number_of_single_inputs_broadcasts(count: int) -> None:
    shapes = [("s0", ()), ("x", (2,)), *((f"s{k}", ()) for k in range(1, count))]

    def weighted(s0, x, *rest):
        total = x[0] * s0 + x[1]
        for k, s in enumerate(rest):
            total = total + (k + 2.0) * s
        return {"y": total}

    kernel = Kernel(f"weighted {count}", lambda: trace("weighted", shapes, weighted))
    rng = np.random.default_rng(count)
    x = rng.normal(size=(11, 2))
    numbers = [np.array(rng.normal()) if k % 3 else rng.normal(size=11) for k in range(count)]
    y = np.empty(11)
    kernel([numbers[0], x, *numbers[1:]], [y])
    rest = sum((k + 2.0) * s for k, s in enumerate(numbers[1:]))
    np.testing.assert_allclose(y, x[:, 0] * numbers[0] + x[:, 1] + rest, rtol=1e-12)
    assert (kernel.one("weighted", print) is print) == (count > 58)  # one by one they reach no packed code


@pytest.mark.parametrize("count", [55, 75])
def test_any_number_of_single_outputs_is_filled(count: int) -> None:
    def multiples(x, s):
        numbers = {f"y{k}": (k + 1.0) * s * x[0] for k in range(count)}
        return {"first": [x[0], x[1]], **numbers, "last": [s, x[1]]}

    kernel = Kernel(f"multiples {count}", lambda: trace("multiples", [("x", (2,)), ("s", ())], multiples))
    rng = np.random.default_rng(count)
    x, s = rng.normal(size=(3, 11, 2)), rng.normal(size=(3, 1))
    results = [np.empty((3, 11, *([2] if k in (0, count + 1) else []))) for k in range(count + 2)]
    kernel([x, s], results)
    np.testing.assert_array_equal(results[0], x)
    np.testing.assert_array_equal(results[-1][..., 0], np.broadcast_to(s, (3, 11)))
    for k, y in enumerate(results[1:-1]):
        np.testing.assert_allclose(y, (k + 1.0) * s * x[..., 0], rtol=1e-15)


def test_too_many_arrays_are_an_error_in_words() -> None:
    def doubled(x):
        return {f"y{k}": [2 * x[0], k * x[1]] for k in range(64)}

    kernel = Kernel("doubled", lambda: trace("doubled", [("x", (2,))], doubled))
    with pytest.raises(rk.errors.TooLarge, match=r"1 arrays as inputs and 64 as results.*passes 64"):
        kernel([np.ones((3, 2))], [np.empty((3, 2)) for _ in range(64)])


def test_a_robot_with_sixty_symbols_runs_natively() -> None:
    puma = rk.load("puma560")
    values = {name.replace(" of ", "_"): value for name, value in puma.parameters().items()}
    symbolic = with_free_inertias(puma)
    assert len(symbolic.free_symbols) == 60
    q, v, a = np.random.default_rng(1).normal(size=(3, 5, 6))
    wanted = puma.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(symbolic.inverse_dynamics(q, v, a, **values), wanted, rtol=1e-9, atol=1e-9)
    bound = bind(symbolic, **values)
    np.testing.assert_allclose(bound.inverse_dynamics(q, v, a), wanted, rtol=1e-9, atol=1e-9)
    scaled = values | {"m_link2": np.linspace(1, 2, 5)}  # a value for each state
    each = [
        symbolic.inverse_dynamics(q[k], v[k], a[k], **(values | {"m_link2": 1 + k / 4})) for k in range(5)
    ]
    np.testing.assert_allclose(symbolic.inverse_dynamics(q, v, a, **scaled), each, rtol=1e-12)
