"""Base parameters of a tree by geometric rules (the paper's Make_MDP1): a robot in, its regrouping out.

The rules (`visible`) run twice: modulo a prime, where it is seen at once which motions are free, and then on
exact numbers of the geometry, where only what is not free has to be computed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rikigaku.constraints.plan import coordinate_names
from rikigaku.errors import NotExact
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.model.robot import Robot
from rikigaku.numbers.formula import ONE
from rikigaku.numbers.functions import is_zero
from rikigaku.numbers.kind import FLOATS
from rikigaku.spatial.vector import IDENTITY, Vector
from rikigaku.symbolic.algebra.elimination import Decisions, Spaces, Zero
from rikigaku.symbolic.algebra.residues import residue_mechanism
from rikigaku.symbolic.base.regrouping import Regrouping
from rikigaku.symbolic.base.samples import ANY_GRAVITY, Question, bare
from rikigaku.symbolic.base.visible import UNITS, Base, Row, regrouped_columns
from rikigaku.symbolic.exact_state import exact_state
from rikigaku.symbolic.writing import written

Rotors = Mapping[int, str]  # names of rotor inertias by coordinate of v


def base_by_rules(robot: Robot, drives: Sequence[str] = ()) -> Regrouping:
    """The base parameters of a serial or tree robot with any joints, numbers or symbols in its geometry.

    Args:
        robot: under its own gravity, in one direction (of symbols: whichever they are), none, or
            `ANY_GRAVITY` for all. Loops and gears are not looked at: the answer is the spanning tree's.
        drives: of "rotor", "viscous", "coulomb" those that count as parameters, too.
    Raises:
        NotExact: if constant angles are related in a way exact numbers do not know.
    Reference: [Gautier1990], [Khalil1987]; why it holds for any tree is said in `visible`.
    """
    question = Question(_tree(robot), tuple(drives))
    named = dict(enumerate(f"rotor of {name}" for name in coordinate_names(robot)))
    rotors: Rotors = named if "rotor" in drives else {}
    found = _on_residues(question, _vanishes, UNITS, rotors)
    mechanism = exact_state(question.robot).mechanism
    exact = Spaces(is_zero, found.full)
    base = regrouped_columns(mechanism, _field(question.robot, mechanism), exact, UNITS, rotors)
    if exact.full != found.full:
        raise NotExact(
            f"Robot {robot.name!r} has constant angles related in a way exact formulas do not know. "
            "Make them symbols, or use method='regressor'."
        )
    return _record(question.columns, base)


def numbers_by_rules(robot: Robot, units: Mapping[str, Row] = UNITS, rotors: Rotors | None = None) -> Base:
    """The same with floats for coefficients, of a robot without symbols in its geometry, for any `units`.

    What is zero is decided modulo a prime: floats are not asked.
    """
    question = Question(_tree(robot))
    decisions = Decisions()
    _on_residues(question, decisions.recorded(_vanishes), units, rotors or {})
    symbols = dict.fromkeys(question.robot.free_symbols, 0.0)  # those of `ANY_GRAVITY`
    mechanism = instantiate(question.robot, FLOATS, symbols)
    spaces = Spaces(decisions.repeated())
    return regrouped_columns(mechanism, _field(question.robot, mechanism), spaces, units, rotors or {})


def _tree(robot: Robot) -> Robot:
    return replace(bare(robot), loops=(), couplings=(), independent=())


def _field(robot: Robot, mechanism: Mechanism) -> tuple[Vector, ...]:
    """The directions gravity may have in the world."""
    return IDENTITY if robot.gravity == ANY_GRAVITY else (mechanism.gravity,)


def _on_residues(question: Question, zero: Zero, units: Mapping[str, Row], rotors: Rotors) -> Spaces:
    """Run the rules modulo a prime: the spaces then know which of them are whole."""
    mechanism, whole = residue_mechanism(question)
    spaces = Spaces(zero, whole=whole)
    regrouped_columns(mechanism, _field(question.robot, mechanism), spaces, units, rotors)
    return spaces


def _vanishes(x: Any) -> bool:
    return bool(x == 0)


def _record(columns: Sequence[str], base: Base) -> Regrouping:
    """In the order of the columns; friction is always told apart, each parameter by itself."""
    known = {name: {n: written(c) for n, c in parts.items()} for name, parts in base.items()}
    known |= {name: {name: ONE} for name in columns if name.startswith(("viscous of ", "coulomb of "))}
    kept = tuple(name for name in columns if name in known)
    places = {name: k for k, name in enumerate(columns)}
    combinations = (dict(sorted(known[name].items(), key=lambda item: places[item[0]])) for name in kept)
    return Regrouping(tuple(columns), kept, tuple(combinations))
