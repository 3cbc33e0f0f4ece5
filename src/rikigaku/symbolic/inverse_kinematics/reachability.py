"""Reachability conditions of arms with few joints: polynomials that vanish on reachable poses.

With fewer than six joints, equations without unknown joints remain: directly, or by eliminating the joint
from two equations. The shortest are taken until their gradients have full rank at a random configuration:
then no further independent condition exists.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from flint import fmpq_mpoly, nmod

from rikigaku.numbers.algebra_budget import spend
from rikigaku.numbers.exact_number import Exact
from rikigaku.numbers.flint_conversion import rational
from rikigaku.numbers.number_kind import Number
from rikigaku.symbolic.algebra.row_elimination import Spaces
from rikigaku.symbolic.inverse_kinematics.joint_elimination import without
from rikigaku.symbolic.inverse_kinematics.pose_equations import Witness
from rikigaku.symbolic.inverse_kinematics.serial_chain import TARGET, Axis, unknowns

_MOST = 12  # equations of one joint that are combined in pairs
_LONGEST = 2_000  # terms of the product of two equations
_LONGEST_SHOWN, _MOST_TRIED = 200, 100


def conditions(
    count: int,
    elements: Sequence[Number],
    stages: Iterable[Iterable[Number]],
    values: Mapping[str, Number],
    witness: Witness,
) -> tuple[list[Exact], int]:
    """Polynomials in the target that vanish where it is reachable, beyond those in `elements`.

    Args:
        count: how many independent conditions there are, those in `elements` among them.
        elements: the target's elements, generators of their own or not (`pose_equations.structured`).
        stages: polynomials without a joint that vanish where reachable; a later stage is used if needed.
        values: generators in them as numbers of the target.
        witness: a configuration and its pose, modulo a prime.
    Returns: the polynomials, and how many more conditions there are that were not found.
    """
    tangent = _Tangent(witness, elements)
    found: list[Exact] = []
    for stage in stages:
        if tangent.rank >= count:
            break
        different = {str(x.polynomial): x for x in stage if isinstance(x, Exact)}
        for x in sorted(different.values(), key=lambda x: len(x.polynomial))[:_MOST_TRIED]:
            made = substituted(x, values) if tangent.rank < count else 0
            if isinstance(made, Exact) and len(made.polynomial) <= _LONGEST_SHOWN:
                found += [y for y in _factors(made) if witness.vanishes(y) and tangent.add(y)]
    return found, max(0, count - tangent.rank)


def left_over(alone: Mapping[Axis, Sequence[Exact]]) -> Iterator[Exact]:
    """Consequences of two equations in the same joint, after its elimination."""
    axes = list(alone)
    for axis, pool in alone.items():
        shortest = sorted(pool, key=lambda x: len(x.polynomial))[:_MOST]
        for first, second in combinations(shortest, 2):
            if len(first.polynomial) * len(second.polynomial) <= _LONGEST:
                spend()
                x = without(first, second, axis)
                if isinstance(x, Exact) and not unknowns(x, axes):
                    yield x


def substituted(x: Exact, values: Mapping[str, Number]) -> Number:
    """The polynomial with numbers of its ring substituted for generators."""
    ring = x.ring
    arguments = [ring.context.gen(k) for k in range(len(ring.names))]
    for name, value in values.items():
        new = value.polynomial if isinstance(value, Exact) else ring.context.constant(rational(value))
        arguments[ring.names.index(name)] = new
    return ring.number(x.polynomial.compose(*arguments, ctx=ring.context))


def _factors(x: Exact) -> Iterator[Exact]:
    """Irreducible factors without exponents: one of them vanishes where x does."""
    _, factors = x.polynomial.factor()
    for factor, _ in factors:
        made = x.ring.number(factor)
        if isinstance(made, Exact):
            yield made


class _Tangent:
    """Gradients of conditions along the motions of a body, at the pose of the witness."""

    def __init__(self, witness: Witness, elements: Sequence[Number]) -> None:
        self.witness, self.size = witness, len(elements)
        self.pose = [witness(x) for x in elements]
        one = nmod(1, witness.prime)
        self.space = Spaces(lambda x: not x, integer=lambda n: n * one).space(6 if self.size == 12 else 3)
        for k, x in enumerate(elements):
            # an element that is a constant or that of another place: their difference does not change
            row = {k: one}
            if isinstance(x, Exact):
                for j, slope in self._slopes(x).items():
                    row[j] = row.get(j, 0 * one) - slope
            self._take(row)

    @property
    def rank(self) -> int:
        return len(self.space.rows)

    def add(self, x: Exact) -> bool:
        """Add a condition; True if it is independent of those before."""
        return self._take(self._slopes(x))

    def _slopes(self, x: Exact) -> dict[int, Any]:
        """The partial derivatives by elements of the pose."""
        found = {}
        for k in range(self.size):
            place = x.ring.names.index(TARGET[k])
            p: fmpq_mpoly = x.polynomial.derivative(place)
            found[k] = self.witness(x.ring.number(p))
        return found

    def _take(self, row: Mapping[int, Any]) -> bool:
        zero = nmod(0, self.witness.prime)
        slopes = [row.get(k, zero) for k in range(self.size)]
        along = slopes[:3]
        if self.size == 12:  # dR = R hat(e): its columns are exchanged
            R, D = (tuple(x[3 + 3 * i : 6 + 3 * i] for i in range(3)) for x in (self.pose, slopes))
            for j in range(3):
                a, b = (j + 1) % 3, (j + 2) % 3
                along.append(sum((D[i][a] * R[i][b] - D[i][b] * R[i][a] for i in range(3)), start=zero))
        return self.space.add(along)
