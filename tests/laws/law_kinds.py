"""The kinds of number a law can run on, each as a way to get its value at one state."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rikigaku.laws.catalogue import laws_of
from rikigaku.model.mechanism import instantiate
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.numbers.program import flatten, shape_of
from rikigaku.robot import Robot

LAWS = laws_of("tree")

Array = np.ndarray
Value = Callable[..., Array]


def on_floats(robot: Robot, name: str, *inputs: Array, **options: Any) -> Array:
    """The recursion on plain Python floats."""
    law = LAWS[name]
    mechanism = instantiate(robot, FLOATS, {})
    result = law.recursion(mechanism, *(x.tolist() for x in inputs), **_plain(options))
    return np.array(list(flatten(result)), float).reshape(shape_of(result))


def on_states(robot: Robot, name: str, *inputs: Array, **options: Any) -> Array:
    """The recursion on many states (m, n) at once, each number an array of m."""
    mechanism = instantiate(robot, FLOATS, {})
    states = np.broadcast_arrays(*(x[:, :1] for x in inputs))[0].shape[0]
    columns = [[x[:, k] for k in range(x.shape[1])] for x in inputs]
    result = LAWS[name].recursion(mechanism, *columns, **_plain(options))
    elements = [np.broadcast_to(np.asarray(x, float), states) for x in flatten(result)]
    return np.stack(elements, axis=-1).reshape(states, *shape_of(result))


def on_arrays(robot: Robot, name: str, *inputs: Array, **options: Any) -> Array:
    """Three states as one number; ours is the one in the middle."""
    return on_states(robot, name, *(np.stack([0.5 * x, x, x + 0.25]) for x in inputs), **options)[1]


def native_one(robot: Robot, name: str, *inputs: Array, **options: Any) -> Array:
    """The compiled law at one state."""
    return np.array(getattr(robot, name)(*inputs, **options))


def native_batch(robot: Robot, name: str, *inputs: Array, **options: Any) -> Array:
    """The compiled law on eleven states (a full vector and a rest); ours is the tenth."""
    rng = np.random.default_rng(1)
    states = [x + rng.uniform(-1, 1, (11, x.size)) for x in inputs]
    for state, x in zip(states, inputs, strict=True):
        state[9] = x
    return np.array(getattr(robot, name)(*states, **options)[9])


def _plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """Arrays among the options as tuples of floats."""
    plain = dict(options)
    if "gravity" in plain:
        plain["gravity"] = tuple(np.asarray(plain["gravity"], float).tolist())
    if "wrenches" in plain:
        plain["wrenches"] = {k: np.asarray(w, float).tolist() for k, w in plain["wrenches"].items()}
    return plain


@dataclass(frozen=True)
class KindOfNumber:
    """How a kind of number gets a law's value at a state, and the trees it is tried on.

    sizes: (seed, links) of each tree; together the trees hold every joint type.
    right_angles: only right angles and axes along x, y, z, for numbers that must hold them exactly.
    """

    value: Value
    sizes: tuple[tuple[int, int], ...]
    right_angles: bool = False

    def __call__(self, robot: Robot, name: str, *inputs: Array, **options: Any) -> Array:
        return self.value(robot, name, *inputs, **options)


_MANY = ((1, 1), (2, 2), (3, 4), (4, 6), (5, 8), (6, 12))
_FEW = ((100, 4), (131, 4))  # code must be made for each; together they hold every joint type

# Every law test runs on each of these; a new kind of number is one more entry.
KINDS: dict[str, KindOfNumber] = {
    "floats": KindOfNumber(on_floats, _MANY),
    "arrays": KindOfNumber(on_arrays, _MANY),
    "native one": KindOfNumber(native_one, _FEW),
    "native batch": KindOfNumber(native_batch, _FEW),
}
