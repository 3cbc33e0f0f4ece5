"""Dependent coordinates as formulas of the independent ones, by elimination and back substitution.

Each diagonal block of equations (`cramer_solve`) is solved by itself, with the coordinates of earlier blocks
known. Every relation lies in the ideal of the equations, so it holds at all closed configurations; the
converse is checked by `explicit_configurations`.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING, Any

from rikigaku.core.errors import NoFormula
from rikigaku.numbers.arbitrary_precision import precision
from rikigaku.numbers.elementary_functions import is_zero
from rikigaku.numbers.exact_number import Exact
from rikigaku.numbers.flint_conversion import fraction
from rikigaku.numbers.polynomial_algebra import without_common_factor
from rikigaku.symbolic.algebra.child_process import JobOptions
from rikigaku.symbolic.algebra.groebner import quick_basis
from rikigaku.symbolic.algebra.polynomial_system import System
from rikigaku.symbolic.formulas.evaluation_point import EvaluationPoint
from rikigaku.symbolic.loops.cramer_solve import blocks
from rikigaku.symbolic.loops.elimination_limits import Clock, orders
from rikigaku.symbolic.loops.elimination_symbols import EliminationSymbols
from rikigaku.symbolic.loops.explicit_configurations import Relation
from rikigaku.symbolic.loops.independent_equations import BITS, generators, sample_point

if TYPE_CHECKING:
    from rikigaku.symbolic.loops.loop_constraints import LoopConstraints

_NONE = "have no formula with square roots that elimination finds"
_ZERO = 1e-40  # in 300 bits
_MOST_ORDERS = 24  # all permutations of four coordinates
_MOST_UNKNOWN, _MOST_SYMBOLS = 6, 60  # beyond these one order takes 10 to 100 s
_MOST_LINES = 8  # the shortest equations of a coordinate are tried
_LONGEST = 20_000  # terms of the longest equation that is used
_POWERS = {1: ((2,), (1,), (0,)), 2: ((1, 0), (0, 1), (0, 0))}  # of a coordinate's generators


def explicit_relations(constraints: "LoopConstraints", work: JobOptions) -> tuple[Relation, ...]:
    """All dependent coordinates, each from independent ones and those before it.

    Raises:
        NoFormula: where a block of equations has no triangular form of degree two.
        TimeLimit, TooLarge: where elimination does not end within its limits.
    """
    clock = Clock(f"Elimination in the loops of robot {constraints.robot.name!r}", work)
    found: list[Relation] = []
    matrix = [[row[k] for k in constraints.dependent] for row in constraints.tree_jacobian]
    for rows, columns in blocks(matrix):
        unknown = [constraints.dependent[k] for k in columns]
        equations = [constraints.rows[i] for i in rows]
        relations = _solved_block(constraints, equations, unknown, clock)
        if isinstance(relations, str):
            names = ", ".join(constraints.coordinates[k] for k in unknown)
            raise NoFormula(
                f"The coordinates {names} of robot {constraints.robot.name!r} {relations} in rows "
                f"{', '.join(repr(row.name) for row in equations)}. "
                "Solve them numerically (Newton's method on loop_residual and loop_jacobian), or choose "
                "other independent coordinates."
            )
        found += [replace(relation, write=constraints.factored) for relation in relations]
    return tuple(found)


def _solved_block(
    constraints: "LoopConstraints", rows: Sequence[Any], unknown: Sequence[int], clock: Clock
) -> list[Relation] | str:
    """Relations for the unknowns of one block in order of solution, or the reason why there is no formula."""
    clock.check()
    places = [k for k in (_position(constraints, k) for k in unknown) if k is not None]
    if len(places) < len(unknown):
        return _NONE  # no formula for single quaternion elements
    gear = _gear(constraints, rows, unknown)
    if gear is not None:
        return [gear]
    if len(unknown) > _MOST_UNKNOWN:
        return f"are too many for elimination (at most {_MOST_UNKNOWN} coupled ones are tried)"
    ring = constraints.state.ring
    used = {name for row in rows for name in generators(row.formula)}
    own = [_own(place, used) for place in places]
    symbols = EliminationSymbols(
        ring, [row.formula for row in rows], {name for names in own for name in names}
    )
    if symbols.count > _MOST_SYMBOLS:
        return f"are coupled by too many coefficients for elimination ({symbols.count})"

    def triangle(order: Sequence[int], basis: System) -> Any:
        return _triangle(constraints, basis, symbols, [(unknown[k], places[k], own[k]) for k in order])

    best: list[Relation] | None = None
    slow: list[tuple[tuple[int, ...], System]] = []
    for order in orders(len(places), _MOST_ORDERS):
        if best is not None and clock.expired:
            break
        clock.check()
        system = _ordered(symbols, [own[k] for k in order])
        basis = quick_basis(system)
        if basis is None:
            slow.append((order, system))
            continue
        relations = triangle(order, basis)
        if relations is not None and (best is None or _cost(relations) < _cost(best)):
            best = relations
    if best is not None:
        return best
    if slow and clock.work.time_limit > 0:
        found = clock.basis([system for _, system in slow], [[own[i] for i in order] for order, _ in slow])
        best = None if found is None else triangle(slow[found[0]][0], found[1])
    return _NONE if best is None else best


def _ordered(symbols: EliminationSymbols, own: Sequence[Sequence[str]]) -> System:
    """The equations, with the coordinates that are solved for last as the largest variables."""
    names = [*(name for names in reversed(own) for name in names), *symbols.names]
    return System.of(names, symbols.polynomials(names))


def _triangle(constraints: "LoopConstraints", basis: System, symbols: EliminationSymbols, order: Any) -> Any:
    """Relations of the coordinates in order of solution from a lexicographic basis."""
    relations: list[Relation] = []
    known: set[str] = set(symbols.names)
    points = [sample_point(constraints.state.ring, sample) for sample in constraints.samples]
    for k, place, own in order:
        usable = []
        for terms in basis.polynomials:
            used = {name for m in terms for name, n in zip(basis.names, m, strict=True) if n}
            if used & set(own) and used <= known | set(own):
                usable.append(_by_powers(basis.names, terms, own))
        relation = _relation(constraints.coordinates[k], f"q[{place}]", own, usable, symbols, points)
        if relation is None:
            return None
        relations.append(relation)
        known |= set(own)
    return relations


def _relation(
    name: str, generator: str, own: list[str], usable: Any, symbols: EliminationSymbols, points: Any
) -> Any:
    """The best relation for one coordinate: one solution before two, short before long."""
    fitting = [(sum(map(symbols.size, parts.values())), k) for k, parts in enumerate(usable) if _fits(parts)]
    shortest = [usable[k] for size, k in sorted(fitting)[:_MOST_LINES] if size <= _LONGEST]
    lines = [[symbols.substituted(parts.get(m, {})) for m in _POWERS[len(own)]] for parts in shortest]
    form = "prismatic" if len(own) == 1 else "angle"
    found = [Relation(name, generator, form, *line) for line in lines]
    if len(own) == 2:
        for (a, b, c), (d, e, f) in combinations(lines, 2):
            if is_zero(b) and is_zero(d):
                found.append(Relation(name, generator, "both", a, e, c, f))
            elif is_zero(a) and is_zero(e):
                found.append(Relation(name, generator, "both", d, b, f, c))
            elif max(map(_terms, (a, b, c))) * max(map(_terms, (d, e, f))) <= _LONGEST:
                det = a * e - b * d
                found.append(Relation(name, generator, "both", det, det, c * e - b * f, a * f - c * d))
    # test denominators before common factors are cancelled: a factor may vanish on the loops
    short = [(x, _shortened(x)) for x in found]
    short.sort(key=lambda pair: (pair[1].branches, _length(pair[1])))
    return next((shorter for whole, shorter in short if _is_regular(whole, points)), None)


def _fits(parts: Any) -> bool:
    """At most quadratic in a prismatic coordinate, linear in sine and cosine."""
    return max(map(sum, parts)) <= (2 if len(next(iter(parts))) == 1 else 1)


def _shortened(x: Relation) -> Relation:
    """The equation without common factors."""
    if x.form != "both":
        a, b, c = without_common_factor(x.a, x.b, x.c)
        return replace(x, a=a, b=b, c=c)
    (a, c), (b, d) = without_common_factor(x.a, x.c), without_common_factor(x.b, x.d)
    return replace(x, a=a, b=b, c=c, d=d)


def _is_regular(relation: Relation, points: Sequence[EvaluationPoint]) -> bool:
    """Whether the denominators do not vanish at closed configurations."""
    a, b = (_nonzero(x, points) for x in (relation.a, relation.b))
    if relation.form == "both":
        return a and b
    return (a or b) if relation.form == "angle" else a or (is_zero(relation.a) and b)


def _by_powers(names: Sequence[str], terms: Any, own: Sequence[str]) -> dict[tuple[int, ...], Any]:
    """A polynomial by powers of a coordinate's own generators."""
    places = [list(names).index(name) for name in own]
    result: dict[tuple[int, ...], Any] = {}
    for m, c in terms.items():
        rest = tuple((names[k], n) for k, n in enumerate(m) if n and k not in places)
        result.setdefault(tuple(m[k] for k in places), {})[rest] = c
    return result


def _gear(constraints: "LoopConstraints", rows: Sequence[Any], unknown: Sequence[int]) -> Relation | None:
    """The relation of a single linear equation, of a gear or a parallelogram; None for other equations."""
    if len(rows) != 1 or not (rows[0].gradient or rows[0].name.startswith("gear of ")):
        return None
    place = _position(constraints, unknown[0])
    name = f"q[{place}]"
    x = constraints.state.ring.variable(name)
    formula = rows[0].formula
    k = constraints.state.ring.names.index(name)
    slope = sum(fraction(c) for m, c in formula.polynomial.to_dict().items() if m[k] == 1 and sum(m) == 1)
    return Relation(constraints.coordinates[unknown[0]], name, "prismatic", 0, slope, formula - x * slope)


def _position(constraints: "LoopConstraints", k: int) -> int | None:
    """The index in q of a coordinate of v; None for quaternions."""
    robot = constraints.robot
    for joint in robot.joints:
        q, v = robot.q_slices[joint.name], robot.v_slices[joint.name]
        if v.start <= k < v.stop:
            return q.start + k - v.start if joint.nq == joint.nv else None
    return None


def _own(place: int, used: set[str]) -> list[str]:
    """The generators of a coordinate: an angle has both, though the rows may hold only one of them."""
    angle = [f"sin(q[{place}])", f"cos(q[{place}])"]
    return angle if used.intersection(angle) else [f"q[{place}]"]


def _nonzero(x: Any, points: Sequence[EvaluationPoint]) -> bool:
    """Whether a coefficient does not vanish at the samples."""
    if not isinstance(x, Exact):
        return bool(x != 0)
    with precision(BITS):
        return any(abs(float(point.value(x))) > _ZERO for point in points)


def _cost(relations: Sequence[Relation]) -> tuple[int, int]:
    return prod(relation.branches for relation in relations), sum(map(_length, relations))


def _length(relation: Relation) -> int:
    return sum(map(_terms, (relation.a, relation.b, relation.c, relation.d)))


def _terms(x: Any) -> int:
    return len(x.polynomial) if isinstance(x, Exact) else 1
