"""What a robot's file says of its parameters: symbols and formulas that they are, and zeros among them.

A link that names its first moments, its centre of mass or moments of inertia by symbols describes its
structure: a parameter that is the number 0 there does not exist, and takes no part in regrouping. In a link
of numbers, or of formulas like m*l**2/12, a zero is a value like any other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rikigaku.core.errors import RikigakuError
from rikigaku.laws.tree.regressor import regressor_parameters
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.elementary_functions import is_zero
from rikigaku.numbers.exact_number import Exact
from rikigaku.numbers.formula import ONE, ZERO, Formula
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.symbolic.base_parameters.regressor_samples import BaseParameterProblem
from rikigaku.symbolic.base_parameters.regrouping import Regrouping
from rikigaku.symbolic.formulas.exact_state import exact_state
from rikigaku.symbolic.formulas.formula_context import FormulaContext
from rikigaku.symbolic.formulas.formula_writing import FormulaWriter

_ZERO = 1e-11  # relative, of coefficients at random lengths


@dataclass(frozen=True)
class DeclaredParameters:
    """symbols: parameter -> the symbol it is ("Izz of link1": "zz1"); zeros: those that do not exist.

    values: of links given about their centres of mass, parameter -> its formula ("msx of link1": c1*m1).
    """

    symbols: Mapping[str, str]
    zeros: frozenset[str]
    values: Mapping[str, Formula]


def declared_parameters(robot: RobotModel, problem: BaseParameterProblem) -> DeclaredParameters:
    """The symbols and zeros among the parameters of the robot's file."""
    try:
        state = exact_state(robot)
        values = problem.pick(regressor_parameters(state.mechanism, bool(problem.joint_parameters)))
    except RikigakuError:  # inertias that exact numbers cannot hold have no names
        return DeclaredParameters({}, frozenset(), {})
    inertial = FormulaContext(robot, state.ring, {}).parameters  # a length times a mass of 1 is no name
    named = zip(problem.columns, map(_symbol, values), strict=True)
    names = {x: y for x, y in named if y is not None and y in inertial}
    several = {y for y in names.values() if list(names.values()).count(y) > 1}
    about_com = {link.name for link in robot.links if _names_its_com(link.inertia, inertial)}
    owners = {_owner(x) for x in names if not x.startswith("m of ")} | about_com
    zeros = {x for x, y in zip(problem.columns, values, strict=True) if is_zero(y) and _owner(x) in owners}
    symbols = {x: y for x, y in names.items() if y not in several}
    writer = FormulaWriter(state.ring, {})
    written = {
        x: writer(y)
        for x, y in zip(problem.columns, values, strict=True)
        if _owner(x) in about_com and x not in zeros and x not in symbols
    }
    return DeclaredParameters(symbols, frozenset(zeros), written)


def _names_its_com(inertia: Inertia | None, inertial: Sequence[str]) -> bool:
    """Whether an inertia about the centre of mass names the place of that, or a moment, by a symbol."""
    if inertia is None or inertia.about != "com":
        return False
    return any(str(x) in inertial for x in (*inertia.position, *inertia.tensor))


def without_zeros(found: Regrouping, zeros: frozenset[str]) -> Regrouping:
    """The base parameters of a robot without these parameters, by elimination on the combinations.

    tau = B K pi with B the kept columns. Without the zeros among pi the rows of K may become dependent, or
    zero: each row whose kept parameter is gone gets another one, which is eliminated from all other rows.
    """
    if not zeros:
        return found
    rows = [
        (kept, {name: x for name, x in base.items() if name not in zeros})
        for kept, base in zip(found.kept, found.base, strict=True)
    ]
    values = _random_values(rows)
    done = [row for row in rows if row[0] not in zeros]
    open_rows = [row[1] for row in rows if row[0] in zeros]
    while open_rows:
        row = {name: x for name, x in open_rows.pop(0).items() if not _vanishes(x, values)}
        if not row:
            continue
        pivot = min(row, key=lambda name: (_uses(name, done), found.parameters.index(name)))
        scale = row[pivot]
        row = {name: x / scale if name != pivot else ONE for name, x in row.items()}
        done = [(kept, _reduced(base, row, pivot, values)) for kept, base in done]
        open_rows = [_reduced(base, row, pivot, values) for base in open_rows]
        done.append((pivot, row))
    done.sort(key=lambda row: found.parameters.index(row[0]))
    return Regrouping(found.parameters, tuple(kept for kept, _ in done), tuple(base for _, base in done))


def _reduced(
    base: Mapping[str, Formula], row: Mapping[str, Formula], pivot: str, values: Sequence[Mapping[str, float]]
) -> dict[str, Formula]:
    """The combination minus a multiple of the row, without the pivot."""
    if pivot not in base:
        return dict(base)
    factor = base[pivot]
    result = {name: base.get(name, ZERO) - factor * row.get(name, ZERO) for name in {**base, **row}}
    return {name: x for name, x in result.items() if name != pivot and not _vanishes(x, values)}


def _uses(name: str, rows: Sequence[tuple[str, Mapping[str, Formula]]]) -> int:
    return sum(name in base for _, base in rows)


def _vanishes(x: Formula, values: Sequence[Mapping[str, float]]) -> bool:
    return not x or all(abs(float(x.evaluate(FLOATS, at))) < _ZERO for at in values)


def _random_values(rows: Sequence[tuple[str, Mapping[str, Formula]]]) -> list[dict[str, float]]:
    names = sorted({name for _, base in rows for x in base.values() for name in x.symbols})
    rng = np.random.default_rng(11)
    return [dict(zip(names, map(float, rng.uniform(0.5, 1.5, len(names))), strict=True)) for _ in range(3)]


def _symbol(x: Any) -> str | None:
    """The symbol that the number is, if it is one."""
    if not isinstance(x, Exact) or len(x.polynomial) != 1:
        return None
    return next((name for name, y in x.ring.generators.items() if y == x.polynomial), None)


def _owner(parameter: str) -> str:
    word, owner = parameter.split(" of ", 1)
    return f"{word} of joints" if word in ("rotor", "viscous", "coulomb") else owner
