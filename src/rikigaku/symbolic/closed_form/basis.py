"""Equations in one joint from a lexicographic Groebner basis, where no shorter way to them is known.

With the joint as the smallest unknown, the basis holds what the equations say about it alone: the method of
[Kawasaki1999]. What is known (target, lengths, joints solved before) stands in the basis as letters. FLINT's
basis is taken where it comes within milliseconds: of up to three joints.
"""

from collections.abc import Iterator, Sequence

from rikigaku.numbers.budget import spend
from rikigaku.numbers.exact import Exact, Ring
from rikigaku.symbolic.algebra.groebner import quick_basis
from rikigaku.symbolic.algebra.system import System
from rikigaku.symbolic.closed_form.chain import Axis
from rikigaku.symbolic.closed_form.equations import Witness
from rikigaku.symbolic.closed_form.lines import unknowns
from rikigaku.symbolic.loops.letters import Letters

_MOST_JOINTS = 3
_LONGEST = 20_000  # terms beyond which an equation is none to read


def from_basis(
    ring: Ring, pool: Sequence[Exact], unknown: Sequence[Axis], witness: Witness
) -> Iterator[tuple[Axis, Exact]]:
    """Equations in one joint that a basis of the equations holds: (joint, equation)."""
    if len(unknown) > _MOST_JOINTS:
        return
    equations = sorted((x for x in pool if unknowns(x, unknown)), key=lambda x: len(x.polynomial))
    # As many as there are unknowns, the shortest: each further one brings more letters than it is worth.
    own = {name for axis in unknown for name in axis.generators}
    letters = Letters(ring, equations[: len(unknown)], own)
    for axis in unknown:
        spend()
        others = [name for other in unknown if other != axis for name in other.generators]
        names = [*others, *axis.generators, *letters.names]
        basis = quick_basis(System.of(names, letters.polynomials(names)))
        for terms in basis.polynomials if basis is not None else ():
            if any(any(powers[: len(others)]) for powers in terms):
                continue
            found = {
                tuple((names[k], n) for k, n in enumerate(powers) if n): c for powers, c in terms.items()
            }
            if letters.size(found) > _LONGEST:
                continue
            x = letters.meant(found)
            # It must vanish at the witness as all equations do, without being trivial.
            if isinstance(x, Exact) and unknowns(x, [axis]) and witness.vanishes(x):
                yield axis, x
