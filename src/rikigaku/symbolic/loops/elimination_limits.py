"""Limits of an elimination: its time over all blocks of equations, and the orders of unknowns it tries."""

import time
from collections.abc import Iterator, Sequence
from itertools import islice, permutations
from math import factorial
from random import Random

from rikigaku.core.errors import JobCancelled, TimeLimit
from rikigaku.symbolic.algebra.child_process import JobOptions
from rikigaku.symbolic.algebra.polynomial_system import System
from rikigaku.symbolic.algebra.triangular_basis import Groups, triangular_basis


class Clock:
    """Time limit that starts when the object is made. With limit 0 only quick eliminations are done."""

    def __init__(self, what: str, work: JobOptions) -> None:
        self.what, self.work = what, work
        self._end = time.monotonic() + work.time_limit

    @property
    def expired(self) -> bool:
        """Whether the time limit has passed."""
        return self.work.time_limit > 0 and time.monotonic() >= self._end

    def check(self) -> None:
        """Raise JobCancelled or TimeLimit if cancelled or expired."""
        if self.work.cancel is not None and self.work.cancel.is_set():
            raise JobCancelled(f"{self.what} was cancelled.")
        if self.expired:
            raise TimeLimit(
                f"{self.what} took longer than {self.work.time_limit:g} s and was stopped. Choose other "
                "independent coordinates, give more time (time_limit=...), or solve numerically."
            )

    def basis(self, systems: Sequence[System], groups: Sequence[Groups]) -> tuple[int, System] | None:
        """`triangular_basis` within the remaining time."""
        self.check()
        left = self._end - time.monotonic()
        progress, cancel = self.work.progress, self.work.cancel
        try:
            return triangular_basis(
                systems, groups, what=self.what, time_limit=left, progress=progress, cancel=cancel
            )
        except TimeLimit as error:  # report the whole limit, not the remaining time
            whole = f"longer than {self.work.time_limit:g} s"
            raise TimeLimit(str(error).replace(f"longer than {left:g} s", whole)) from None


def orders(n: int, most: int) -> list[tuple[int, ...]]:
    """At most `most` permutations of n unknowns, reproducible; each unknown comes first about equally often.

    A permutation is followed by its rotations; the identity comes first, then random ones.
    """
    tails = permutations(range(1, n)) if factorial(n) <= most else _drawn(n)
    rings = ((0, *tail) for tail in tails)
    return list(islice((ring[k:] + ring[:k] for ring in rings for k in range(n)), most))


def _drawn(n: int) -> Iterator[tuple[int, ...]]:
    """1 ... n - 1 in order, then random permutations, none twice."""
    rng, tail = Random(n), list(range(1, n))
    seen: set[tuple[int, ...]] = set()
    while True:
        if tuple(tail) not in seen:
            seen.add(tuple(tail))
            yield tuple(tail)
        rng.shuffle(tail)
