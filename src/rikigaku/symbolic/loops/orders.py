"""Orders in which unknowns may be solved for: all where they are few, else a fair draw."""

from collections.abc import Iterator
from itertools import islice, permutations
from math import factorial
from random import Random


def orders(n: int, most: int) -> list[tuple[int, ...]]:
    """At most so many orders of n things, the same ones each time; each thing is first about equally often.

    An order is followed by its rotations, the given one before others drawn at random.
    """
    tails = permutations(range(1, n)) if factorial(n) <= most else _drawn(n)
    rings = ((0, *tail) for tail in tails)
    return list(islice((ring[k:] + ring[:k] for ring in rings for k in range(n)), most))


def _drawn(n: int) -> Iterator[tuple[int, ...]]:
    """1 ... n - 1 as they are, then shuffled, no order twice."""
    rng, tail = Random(n), list(range(1, n))
    seen: set[tuple[int, ...]] = set()
    while True:
        if tuple(tail) not in seen:
            seen.add(tuple(tail))
            yield tuple(tail)
        rng.shuffle(tail)
