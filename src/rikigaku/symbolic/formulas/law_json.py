"""Laws and their exact results as JSON, for child processes and the disk cache.

Generators are stored by name; a square root by its radicand, as another ring may number it differently.
"""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from fractions import Fraction
from itertools import islice
from math import prod
from typing import Any

from rikigaku.formats.toml.toml_file import parse_toml, to_toml
from rikigaku.laws.catalogue import LAWS
from rikigaku.laws.closed.dependent_coordinates import ClosureStructure
from rikigaku.laws.display_names import Inputs
from rikigaku.laws.law import Law
from rikigaku.laws.specialization import Specialization
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.exact_number import Exact, ExactNumber
from rikigaku.numbers.flint_conversion import plain, rational
from rikigaku.numbers.polynomial_ring import Ring
from rikigaku.numbers.program import Shape
from rikigaku.numbers.rational_function import RationalFunction
from rikigaku.symbolic.formulas.exact_state import with_roots


def law_data(robot: RobotModel, law: Law, specialization: Specialization) -> dict[str, Any] | None:
    """All that the law's formulas depend on, as JSON; None for a law that is not in the catalogue."""
    listed = law.key in LAWS and LAWS[law.key].function == law.function
    if not listed or not (law.plan is None or isinstance(law.plan, ClosureStructure)):
        return None
    return {
        "robot": to_toml(robot),
        "law": law.key,
        "plan": None if law.plan is None else astuple(law.plan),
        "coordinates": dict(law.coordinates),
        "options": dict(specialization.options),
        "gravity": specialization.gravity,
        "frames": specialization.frames,
    }


def law_of(data: Mapping[str, Any]) -> tuple[RobotModel, Law, Specialization]:
    """Robot, law and specialization of such data."""
    plan = None if data["plan"] is None else ClosureStructure(*(tuple(places) for places in data["plan"]))
    coordinates = {key: tuple(names) for key, names in data["coordinates"].items()}
    law = replace(LAWS[data["law"]], plan=plan, coordinates=coordinates)
    specialization = Specialization(tuple(data["options"].items()), data["gravity"], tuple(data["frames"]))
    return parse_toml(data["robot"]), law, specialization


@dataclass(frozen=True)
class LawOutput:
    """One output: its numbers, row-major; parts: the same as partial fractions, if known.

    unreduced: of closed robots the same before they were reduced modulo the loop equations, where short.
    """

    shape: Shape
    numbers: Sequence[Any]
    parts: Sequence[Any] = ()
    unreduced: Sequence[Any] = ()


@dataclass(frozen=True)
class LawResults:
    """All outputs of a law by name, numbers of one ring."""

    ring: Ring
    results: Mapping[str, LawOutput]


def results_to_json(found: LawResults) -> dict[str, Any]:
    """Results of a law as JSON."""
    outputs = {
        name: [result.shape, bool(result.parts), bool(result.unreduced)]
        for name, result in found.results.items()
    }
    numbers = [x for y in found.results.values() for x in (*y.numbers, *y.parts, *y.unreduced)]
    return {"outputs": outputs, **numbers_to_json(found.ring, numbers)}


def results_from_json(robot: RobotModel, inputs: Inputs, spare: int, data: Mapping[str, Any]) -> LawResults:
    """The results in the ring of the robot's other formulas; spare: as for `exact_results`."""

    def in_ring(ring: Ring) -> LawResults:
        waiting = iter(numbers_from_json(ring, data))
        results = {}
        for name, (shape, *forms) in data["outputs"].items():
            taken = [list(islice(waiting, prod(shape) * given)) for given in (True, *forms)]
            results[name] = LawOutput(tuple(shape), *taken)
        return LawResults(ring, results)

    return with_roots(robot, inputs, in_ring, spare)


def numbers_to_json(ring: Ring, numbers: Sequence[ExactNumber]) -> dict[str, Any]:
    """Numbers of one ring, with the square roots it has."""
    return {
        "roots": [_saved(x if isinstance(x, Exact) else Fraction(x)) for x in ring.radicands],
        "numbers": [_saved(x) for x in numbers],
    }


def numbers_from_json(ring: Ring, data: Mapping[str, Any]) -> list[Any]:
    """The same numbers in a ring of the same variables.

    Raises:
        NoRootLeft: if the ring has no generators left for their square roots.
    """
    names: dict[str, str] = {}
    for k, radicand in enumerate(data["roots"]):
        root = ring.root(_restored(ring, radicand, names))
        names[f"root[{k}]"] = next(name for name in ring.names if root == ring.variable(name))
    return [_restored(ring, x, names) for x in data["numbers"]]


def _saved(x: Any) -> Any:
    if isinstance(x, Exact):
        used = [k for k, degree in enumerate(x.polynomial.degrees()) if degree]
        terms = [[[int(m[k]) for k in used], str(plain(c))] for m, c in x.polynomial.to_dict().items()]
        return {"names": [x.ring.names[k] for k in used], "terms": terms}
    if isinstance(x, RationalFunction):
        parts = [[exponents, _saved(numerator)] for exponents, numerator in x.parts.items()]
        return {"factors": [_saved(d) for d in x.factors], "parts": parts, "partial": x.partial}
    return str(Fraction(x))


def _restored(ring: Ring, data: Any, names: dict[str, str]) -> Any:
    if isinstance(data, str):
        return Fraction(data)
    if "terms" in data:
        places = [ring.names.index(names.get(name, name)) for name in data["names"]]
        terms = {}
        for powers, coefficient in data["terms"]:
            whole = [0] * len(ring.names)
            for k, n in zip(places, powers, strict=True):
                whole[k] = n
            terms[tuple(whole)] = rational(Fraction(coefficient))
        return Exact(ring, ring.context.from_dict(terms))
    factors = tuple(_restored(ring, d, names) for d in data["factors"])
    parts = {tuple(exponents): _restored(ring, x, names) for exponents, x in data["parts"]}
    return RationalFunction(ring, factors, parts, data["partial"])
