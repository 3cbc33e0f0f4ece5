"""Base parameters of a tree by geometric rules (the paper's Make_MDP1): a robot in, its regrouping out.

The rules (`visible`) run twice: modulo a prime, where it is seen at once which motions are free, and then on exact
numbers of the geometry, where only what is not free has to be computed.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rikigaku.errors import NotExact, WrongSize, WrongValue
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.model.robot import Robot
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.kind import FLOATS
from rikigaku.numbers.modular import Modular, ModularConstants
from rikigaku.spatial.vector import IDENTITY, Vector
from rikigaku.symbolic.base_samples import Question, bare, coordinates, drawn_symbols
from rikigaku.symbolic.elimination import Decisions, Spaces
from rikigaku.symbolic.exact_formula import formula_of, is_exact_zero
from rikigaku.symbolic.exact_state import exact_state
from rikigaku.symbolic.regrouping import Regrouping
from rikigaku.symbolic.visible import UNITS, Base, Row, regrouped_columns

ANY = "any"  # gravity of any direction, as where it is given with each call


def regrouping_by_rules(
    robot: Robot, gravity: Sequence[object] | str | None = None, drives: Sequence[str] = ()
) -> Regrouping:
    """The base parameters of a serial or tree robot with any joints, numbers or symbols in its geometry.

    Args:
        gravity: three numbers or formulas; (0, 0, 0) for none; "any" for all directions at once; the robot's
            own if None. A direction of symbols counts as one fixed direction, whichever it is.
        drives: of "rotor", "viscous", "coulomb" those that count as parameters, too.
    Raises:
        WrongValue: if the robot has loops or gears: there the joints are not independent.
    Reference: [Gautier1990], [Khalil1987]; the proof for general trees is in docs/reduced-programs.md.
    """
    question = _question(robot, gravity, drives)
    named = dict(enumerate(f"rotor of {name}" for name in coordinates(robot)))
    rotors = named if "rotor" in drives else {}
    found = Spaces(_vanishes)
    _on_residues(question, found, gravity == ANY, UNITS, rotors)
    mechanism = exact_state(question.robot).mechanism
    exact = Spaces(is_exact_zero, found.full)
    base = regrouped_columns(mechanism, _directions(mechanism, gravity == ANY), exact, UNITS, rotors)
    if exact.full != found.full:
        raise NotExact(
            f"Robot {robot.name!r} has constant angles related in a way exact formulas do not know. Make them "
            "symbols, or use method='regressor'."
        )
    return _record(question.columns, base)


def regrouped_numbers(
    robot: Robot,
    gravity: Sequence[object] | str | None,
    units: Mapping[str, Row] = UNITS,
    rotors: Mapping[int, str] | None = None,
) -> Base:
    """The same with floats for coefficients, of a robot without symbols in its geometry, for any `units`.

    What is zero is decided modulo a prime: floats are not asked.
    """
    question = _question(robot, gravity)
    decisions = Decisions()
    _on_residues(question, Spaces(decisions.recorded(_vanishes)), gravity == ANY, units, rotors)
    mechanism = instantiate(question.robot, FLOATS, {})
    spaces = Spaces(decisions.repeated())
    return regrouped_columns(mechanism, _directions(mechanism, gravity == ANY), spaces, units, rotors)


def _question(robot: Robot, gravity: Sequence[object] | str | None, drives: Sequence[str] = ()) -> Question:
    if robot.loops or robot.couplings:
        raise WrongValue(
            f"Robot {robot.name!r} has {'loops' if robot.loops else 'coupled joints'}; the geometric rules "
            "hold for joints that move freely. Its base parameters come from the regressor."
        )
    return Question(bare(robot, fixed_gravity(gravity)), tuple(drives))


def fixed_gravity(gravity: Sequence[object] | str | None) -> tuple[Formula, ...] | None:
    """What was given as three formulas; None where the robot's own counts, or all directions do.

    Raises:
        WrongSize, WrongValue: if it is neither three numbers nor "any".
    """
    if gravity is None or gravity == ANY:
        return None
    if isinstance(gravity, str):
        raise WrongValue(f"gravity={gravity!r} is not known. Give three numbers or formulas, or {ANY!r}.")
    g = tuple(Formula.of(x) for x in gravity)
    if len(g) != 3:
        raise WrongSize(f"gravity takes three numbers or formulas, or {ANY!r}; {len(g)} were given.")
    return g


def _directions(mechanism: Mechanism, any_direction: bool) -> tuple[Vector, ...]:
    return IDENTITY if any_direction else (mechanism.gravity,)


def _on_residues(
    question: Question,
    spaces: Spaces,
    any_direction: bool,
    units: Mapping[str, Row],
    rotors: Mapping[int, str] | None,
) -> None:
    """Run the rules modulo a prime: the spaces then know which of them are whole."""
    field = question.field(np.random.default_rng(0))
    symbols = drawn_symbols(question.robot, field)
    mechanism = instantiate(question.robot, ModularConstants(field), symbols)
    regrouped_columns(mechanism, _directions(mechanism, any_direction), spaces, units, rotors)


def _vanishes(x: Any) -> bool:
    return not x.plain.any() and x.beyond is None if isinstance(x, Modular) else bool(x == 0)


def _record(columns: Sequence[str], base: Base) -> Regrouping:
    """In the order of the columns; friction is always told apart, each parameter by itself."""
    inertial = {name: {n: formula_of(c) for n, c in parts.items()} for name, parts in base.items()}
    friction = {
        name: {name: Formula.of(1)} for name in columns if name.startswith(("viscous of", "coulomb of"))
    }
    known = {**inertial, **friction}
    kept = tuple(name for name in columns if name in known)
    places = {name: k for k, name in enumerate(columns)}
    combinations = (dict(sorted(known[name].items(), key=lambda item: places[item[0]])) for name in kept)
    return Regrouping(tuple(columns), kept, tuple(combinations))
