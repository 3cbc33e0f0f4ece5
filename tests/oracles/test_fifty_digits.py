"""How many digits the laws keep: the same recursions on numbers of 50 digits, for real robots."""

import operator
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pinocchio as pin
import pytest
from public_robots import CASES, Case

from rikigaku.laws.catalogue import laws_of
from rikigaku.model.mechanism import instantiate
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.numbers.program import flatten, shape_of

LAWS = laws_of("tree")

Array = np.ndarray
CONTEXT = mpmath.MPContext()
CONTEXT.dps = 50
EPSILON = float(np.finfo(float).eps)


class Digits:
    """A number of 50 digits: one more kind of number for the laws."""

    __array_ufunc__ = None  # NumPy leaves arithmetic to this class

    def __init__(self, x: object) -> None:
        self.x = x.x if isinstance(x, Digits) else CONTEXT.mpf(x)

    def sin(self) -> "Digits":
        return Digits(CONTEXT.sin(self.x))

    def cos(self) -> "Digits":
        return Digits(CONTEXT.cos(self.x))

    def __neg__(self) -> "Digits":
        return Digits(-self.x)

    def __float__(self) -> float:
        return float(self.x)


def _arithmetic(operation: Callable[[Any, Any], Any], turned: bool) -> Callable[[Digits, object], Digits]:
    def result(self: Digits, other: object) -> Digits:
        x, y = self.x, Digits(other).x
        return Digits(operation(y, x) if turned else operation(x, y))

    return result


for _name in ("add", "sub", "mul", "truediv"):
    setattr(Digits, f"__{_name}__", _arithmetic(getattr(operator, _name), turned=False))
    setattr(Digits, f"__r{_name}__", _arithmetic(getattr(operator, _name), turned=True))


def values(
    case: Case, name: str, inputs: tuple[Array, ...], number: Callable[[float], Any], **options: Any
) -> Array:
    """A law's value as floats, computed in a kind of number."""
    mechanism = instantiate(case.robot, FLOATS, {})
    result = LAWS[name].recursion(mechanism, *([number(x) for x in y.tolist()] for y in inputs), **options)
    return np.array([float(x) for x in flatten(result)]).reshape(shape_of(result))


def error(mine: Array, exact: Array) -> float:
    return float(np.abs(mine - exact).max() / np.abs(exact).max())


CHOSEN = [case for case in CASES if case.name in ("panda", "solo12", "talos_reduced", "icub_reduced")]
chosen = pytest.mark.parametrize("case", CHOSEN, ids=lambda case: case.name)


@chosen
@pytest.mark.parametrize(
    ("name", "count"),
    [("inverse_dynamics", 3), ("mass_matrix", 1), ("coriolis_matrix", 2), ("momentum_matrix", 1)],
)
def test_laws_on_floats_lose_no_more_than_the_last_digits(case: Case, name: str, count: int) -> None:
    inputs = case.state[:count]
    options = {"friction": False} if name == "inverse_dynamics" else {}
    exact = values(case, name, inputs, Digits, **options)
    assert error(values(case, name, inputs, float, **options), exact) < 20 * EPSILON


@chosen
def test_accelerations_lose_no_more_than_the_condition_of_the_mass_matrix_explains(case: Case) -> None:
    condition = np.linalg.cond(values(case, "mass_matrix", case.state[:1], float))
    exact = values(case, "forward_dynamics", case.state, Digits, friction=False)
    assert (
        error(values(case, "forward_dynamics", case.state, float, friction=False), exact)
        < EPSILON * condition
    )


def test_on_icub_the_inverse_mass_matrix_is_nearer_to_the_truth_than_pinocchios() -> None:
    """The reason for the wider tolerance in test_pinocchio.py."""
    (case,) = (case for case in CHOSEN if case.name == "icub_reduced")
    exact = values(case, "inverse_mass_matrix", case.state[:1], Digits)
    mine = values(case, "inverse_mass_matrix", case.state[:1], float)
    upper = pin.computeMinverse(case.model, case.data, case.theirs[0])
    theirs = case.T.T @ (np.triu(upper) + np.triu(upper, 1).T) @ case.T
    assert error(mine, exact) < 1e-10 < error(theirs, exact) < 5e-9
