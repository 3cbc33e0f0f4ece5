"""Digests of graphs of objects: each object once, and the same in every process."""

import copy
import os
import pickle
import random
import subprocess
import sys
from functools import partial, singledispatch
from typing import Any

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.rollout.content_digest import content_digest


class _Place:
    def __init__(self, name: Any, kind: type) -> None:
        self.name, self.near = name, kind()


def _road_map(n: int, kind: type = list, seed: int = 0) -> dict[tuple[int, int], _Place]:
    """Places of a grid, each with its neighbours."""
    names = [(i, j) for i in range(n) for j in range(n)]
    random.Random(seed).shuffle(names)  # other addresses
    made = {name: _Place(name, kind) for name in names}
    for (i, j), place in made.items():
        near = [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
        place.near = kind(made[name] for name in near if name in made)
    return dict(sorted(made.items()))


def test_functions_that_call_each_other_are_digested_once() -> None:
    """Without that, 2^40 paths lead to the first."""
    function: Any = lambda x: x  # noqa: E731
    for _ in range(40):
        function = partial(lambda f, g, x: f(g(x)), *2 * (lambda x, f=function: f(x),))
    assert len(content_digest(function)) == 64


def test_containers_are_digested_once() -> None:
    nested: Any = [1.0]
    for k in range(60):
        nested = [nested, nested] if k % 2 else (nested, nested)
    assert content_digest(nested) == content_digest(copy.deepcopy(nested))
    long: Any = None
    for k in range(20_000):  # more levels than Python's stack has
        long = [k, long]
    assert len(content_digest(long)) == 64


@pytest.mark.parametrize("kind", [list, set])
def test_a_road_map_is_digested_by_its_places_and_roads(kind: type) -> None:
    """Also its paths are too many: each place is digested once; sets have no order."""
    known = content_digest(_road_map(8, kind))
    assert content_digest(_road_map(8, kind, seed=1)) == known
    assert content_digest(pickle.loads(pickle.dumps(_road_map(8, kind)))) == known
    assert content_digest(set(_road_map(8, kind).values())) == content_digest(
        set(_road_map(8, kind, 2).values())
    )
    renamed, shorter = _road_map(8, kind), _road_map(8, kind)
    renamed[3, 3].name = "lake"
    shorter[3, 3].near.remove(shorter[3, 4])
    assert len({known, content_digest(renamed), content_digest(shorter)}) == 3


def test_rings_of_equal_objects_differ_by_their_length() -> None:
    def ring(n: int) -> list[Any]:
        first: list[Any] = []
        last = first
        for _ in range(n - 1):
            last = [last]
        first.append(last)
        return first

    assert len({content_digest(ring(n)) for n in range(1, 30)}) == 29


def test_shared_and_equal_objects_have_equal_digests() -> None:
    """Whether Python shares equal constants depends on how it compiled them."""
    x, y = np.arange(3.0), [1, 2]
    assert content_digest([x, x, y, y]) == content_digest([x.copy(), x, y, list(y)])
    assert content_digest([x, x]) != content_digest([x, 2 * x])


def test_digests_are_the_same_for_every_seed_of_hashes() -> None:
    code = (
        "from test_object_graph import _road_map, content_digest; "
        "print(content_digest([_road_map(4, set), {'a', 'b', (1, 'c')}, frozenset('defgh')]))"
    )
    found = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert found[0] == found[1]


@singledispatch
def _size(x: Any) -> float:
    return 1.0


@_size.register
def _(x: int) -> float:
    return 2.0


def _dispatched(item: float, random: np.random.Generator) -> float:
    return _size(item)


def test_calls_and_pickle_change_no_digest() -> None:
    place = _Place("a", list)
    known = content_digest(_dispatched), content_digest(place)
    assert [_size(1), _size(1.0)] == [2.0, 1.0]
    pickle.dumps(place)
    copy.copy(place)
    assert (content_digest(_dispatched), content_digest(place)) == known


def test_a_sweep_without_checkpoint_digests_nothing() -> None:
    """Lists that contain themselves neither."""
    endless: list[Any] = []
    endless += [endless, endless]
    found = rk.sweep(lambda item, random: 1.0, [endless, _road_map(8)])
    assert list(found["value"]) == [1.0, 1.0]
    assert found.record["digest"] is None
    assert found.record["arguments"] is None
