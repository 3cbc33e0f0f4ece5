"""Velocities and accelerations as a user names them: Dq and DDq of Make_InvDyn, written into formulas."""

import keyword
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from rikigaku.core.errors import RikigakuError, WrongSize, WrongValue
from rikigaku.core.value_text import short
from rikigaku.laws.display_names import input_names
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.formula import RESERVED, Formula
from rikigaku.numbers.rational_function import RationalFunction
from rikigaku.numbers.sympy_reading import symbol_name
from rikigaku.symbolic.formulas.exact_formula import ExactFormula
from rikigaku.symbolic.formulas.formula_array import Formulas
from rikigaku.symbolic.formulas.formula_context import FormulaContext
from rikigaku.symbolic.formulas.intermediates import Intermediates


def variable_names(robot: RobotModel) -> Mapping[str, str]:
    """Display names of q, v and a of all joints: "q[0]": "theta11"."""
    return input_names(robot, (("q", (robot.nq,)), ("v", (robot.nv,)), ("a", (robot.nv,))))


@dataclass(frozen=True)
class Rates:
    """Velocities or accelerations, one for each coordinate: a name, or a number that takes its place."""

    names: tuple[str, ...]  # "" where there is a number
    numbers: tuple[Fraction | None, ...]

    @property
    def are_names(self) -> bool:
        return all(self.names)

    def put_into(self, own: Sequence[Any]) -> list[Any]:
        """The variables of a law with numbers in the places that have one."""
        return [x if number is None else number for x, number in zip(own, self.numbers, strict=True)]


def elements(x: Any) -> list[Any] | None:
    """The elements of a list, an array, a row or column of SymPy, a vector of formulas; None of all else."""
    rows = x.tolist() if hasattr(x, "tolist") else x  # arrays, SymPy's matrices
    if not isinstance(rows, list | tuple | Formulas):
        return None
    return [item for row in rows for item in (row if isinstance(row, list | Formulas) else [row])]


def rates(what: str, given: Any, coordinates: Sequence[str]) -> Rates:
    """Dq or DDq: a name ("Dq" makes Dq_1, Dq_2, ...), or a list of symbols, names and numbers.

    Raises:
        WrongSize: if they are not as many as the coordinates. WrongValue: for any other element.
    """
    if isinstance(given, str):
        given = [f"{given}_{k + 1}" for k in range(len(coordinates))]
    flat = elements(given)
    if flat is None:
        raise WrongValue(
            f'{what} is a name, {what} = "{what}", or a list of symbols or numbers; {short(given)} was given.'
        )
    if len(flat) != len(coordinates):
        raise WrongSize(
            f"{what} has {len(flat)} elements; there are {len(coordinates)} coordinates "
            f"({', '.join(coordinates)})."
        )
    parts = [_name_or_number(f"{what}({k})", x) for k, x in enumerate(flat, 1)]
    return Rates(tuple(name for name, _ in parts), tuple(number for _, number in parts))


def _name_or_number(what: str, x: Any) -> tuple[str, Fraction | None]:
    name = symbol_name(x)
    if name:
        if not (name.isascii() and name.isidentifier()) or name in RESERVED or keyword.iskeyword(name):
            raise WrongValue(f"{what} is {short(name)}, which cannot name a symbol. Give another name.")
        return name, None
    try:
        number = Formula.of(x).rational
    except RikigakuError as error:
        raise WrongValue(f"{what}: {error}") from error
    if number is None:
        raise WrongValue(f"{what} is {short(x)}; an element is a symbol of its own or a number.")
    return "", number


def renamed(found: Formulas | Intermediates, given: Mapping[str, str]) -> Any:
    """The same formulas with other names of some generators, "v[0]": "Dq_1".

    Raises:
        WrongValue: if two variables would have one name.
    """
    context = found.context
    assert context is not None
    names = {**context.names, **given}
    taken = [*names.values(), *context.robot.free_symbols]
    taken += [name for name, _ in found.steps] if isinstance(found, Intermediates) else []
    if twice := sorted({name for name in taken if taken.count(name) > 1}):
        raise WrongValue(
            f"{', '.join(twice)} would name two variables. Give velocities and accelerations own names."
        )
    new = replace(context, names=names)
    change = {context.names[x]: Formula.symbol(name) for x, name in given.items() if x in context.names}
    if isinstance(found, Intermediates):
        return _steps(found, new, change)
    array = np.empty(found.shape, dtype=object)
    for index, x in np.ndenumerate(found.array):
        array[index] = _formula(x, new, change)

    def steps() -> Intermediates:
        return _steps(found.intermediates(), new, change)

    return Formulas(found.title, array, new, steps)


def _formula(x: ExactFormula, context: FormulaContext, change: Mapping[str, Formula]) -> ExactFormula:
    if not isinstance(x.number, RationalFunction):
        return ExactFormula(x.number, context)
    return ExactFormula(
        x.number, context, lambda: x.formula.substitute(change)
    )  # a sum of quotients stays one


def _steps(found: Intermediates, context: FormulaContext, change: Mapping[str, Formula]) -> Intermediates:
    return replace(
        found,
        steps=tuple((name, x.substitute(change)) for name, x in found.steps),
        results=tuple(x.substitute(change) for x in found.results),
        context=context,
    )
