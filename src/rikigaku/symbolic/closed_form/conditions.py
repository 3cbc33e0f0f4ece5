"""Which poses an arm of few joints can reach at all: polynomials that vanish there.

With fewer joints than the six that a pose has freedoms, equations are left over: those without a joint, and
of two equations with the same joint what remains once it is eliminated. So many are taken, short ones first,
that their gradients on the poses are independent at a random posture: no more conditions exist.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from flint import fmpq_mpoly, nmod

from rikigaku.numbers.budget import spend
from rikigaku.numbers.exact import Exact
from rikigaku.numbers.flint_rationals import rational
from rikigaku.numbers.kind import Number
from rikigaku.symbolic.algebra.elimination import Spaces
from rikigaku.symbolic.closed_form.chain import TARGET, Axis
from rikigaku.symbolic.closed_form.elimination import without
from rikigaku.symbolic.closed_form.equations import Witness
from rikigaku.symbolic.closed_form.lines import unknowns

_MOST = 12  # equations of one joint that are taken two by two
_LONGEST = 2_000  # terms of the product of two equations: beyond, what is left is none to read
_LONGEST_SHOWN, _MOST_TRIED = 200, 100


def conditions(
    count: int,
    elements: Sequence[Number],
    stages: Iterable[Iterable[Number]],
    values: Mapping[str, Number],
    witness: Witness,
) -> tuple[list[Exact], int]:
    """Polynomials in the target that vanish where it is within reach, beyond what `elements` says.

    Args:
        count: how many independent conditions there are, those in `elements` among them.
        elements: the target's elements, generators of their own or not (`equations.structured`).
        stages: polynomials without a joint that vanish within reach; a later stage only if it is needed.
        values: what generators in them are in terms of the target.
        witness: a posture and the pose it reaches, modulo a prime.
    Returns: the polynomials, and how many more conditions there are that were not found.
    """
    tangent = _Tangent(witness, elements)
    found: list[Exact] = []
    for stage in stages:
        if tangent.rank >= count:
            break
        different = {str(x.polynomial): x for x in stage if isinstance(x, Exact)}
        for x in sorted(different.values(), key=lambda x: len(x.polynomial))[:_MOST_TRIED]:
            made = put_in(x, values) if tangent.rank < count else 0
            if isinstance(made, Exact) and len(made.polynomial) <= _LONGEST_SHOWN:
                found += [y for y in _factors(made) if witness.vanishes(y) and tangent.add(y)]
    return found, max(0, count - tangent.rank)


def left_over(alone: Mapping[Axis, Sequence[Exact]]) -> Iterator[Exact]:
    """What two equations with the same joint say without it."""
    axes = list(alone)
    for axis, pool in alone.items():
        shortest = sorted(pool, key=lambda x: len(x.polynomial))[:_MOST]
        for first, second in combinations(shortest, 2):
            if len(first.polynomial) * len(second.polynomial) <= _LONGEST:
                spend()
                x = without(first, second, axis)
                if isinstance(x, Exact) and not unknowns(x, axes):
                    yield x


def put_in(x: Exact, values: Mapping[str, Number]) -> Number:
    """The polynomial with numbers of its ring for some generators."""
    ring = x.ring
    arguments = [ring.context.gen(k) for k in range(len(ring.names))]
    for name, value in values.items():
        new = value.polynomial if isinstance(value, Exact) else ring.context.constant(rational(value))
        arguments[ring.names.index(name)] = new
    return ring.number(x.polynomial.compose(*arguments, ctx=ring.context))


def _factors(x: Exact) -> Iterator[Exact]:
    """Without numbers, powers and products: what vanishes is one of these."""
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
        self.space = Spaces(lambda x: not x, whole=lambda n: n * one).space(6 if self.size == 12 else 3)
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
        """Take a condition in; whether it says something new."""
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
        if self.size == 12:  # R turns by R hat(e): its columns go round
            R, D = (tuple(x[3 + 3 * i : 6 + 3 * i] for i in range(3)) for x in (self.pose, slopes))
            for j in range(3):
                a, b = (j + 1) % 3, (j + 2) % 3
                along.append(sum((D[i][a] * R[i][b] - D[i][b] * R[i][a] for i in range(3)), start=zero))
        return self.space.add(along)
