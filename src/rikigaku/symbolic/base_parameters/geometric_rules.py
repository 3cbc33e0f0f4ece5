"""Base parameters of a tree by geometric rules [Gautier1990], [Khalil1987] (ROSAM's Make_MDP1).

The rules (`observable_inertia`) run twice: modulo a prime, where zero tests are exact and fast, and then on
exact numbers of the geometry, where spaces known to be the whole space are not computed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rikigaku.closure.closure_plan import coordinate_names
from rikigaku.core.errors import NotExact
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.elementary_functions import is_zero
from rikigaku.numbers.formula import ONE
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.spatial.vector import IDENTITY, Vector
from rikigaku.symbolic.algebra.row_elimination import Decisions, Spaces, Zero
from rikigaku.symbolic.base_parameters.modular_mechanism import residue_mechanism
from rikigaku.symbolic.base_parameters.observable_inertia import Base, regrouped_columns
from rikigaku.symbolic.base_parameters.regressor_samples import ANY_GRAVITY, BaseParameterProblem, bare
from rikigaku.symbolic.base_parameters.regrouping import Regrouping
from rikigaku.symbolic.formulas.exact_state import exact_state
from rikigaku.symbolic.formulas.formula_writing import written

Rotors = Mapping[int, str]  # names of rotor inertias by coordinate of v


def base_by_rules(robot: RobotModel, joint_parameters: Sequence[str] = ()) -> Regrouping:
    """The base parameters of a serial or tree robot with any joints, numbers or symbols in its geometry.

    Args:
        robot: its gravity has one direction (symbols allowed), is zero, or is `ANY_GRAVITY` for every
            direction. Loops and gears are ignored: the result is that of the spanning tree.
        joint_parameters: those of "rotor", "viscous", "coulomb" that are included.
    Raises:
        NotExact: if constant angles have a relation that the exact numbers do not represent.
    Reference: [Gautier1990], [Khalil1987]; the proof for any tree is in `observable_inertia`.
    """
    problem = BaseParameterProblem(_tree(robot), tuple(joint_parameters))
    named = dict(enumerate(f"rotor of {name}" for name in coordinate_names(robot)))
    rotors: Rotors = named if "rotor" in joint_parameters else {}
    found = _on_residues(problem, _vanishes, rotors)
    mechanism = exact_state(problem.robot).mechanism
    exact = Spaces(is_zero, found.full)
    base = regrouped_columns(mechanism, _field(problem.robot, mechanism), exact, rotors)
    if exact.full != found.full:
        raise NotExact(
            f"Robot {robot.name!r} has constant angles with a relation that exact formulas do not represent. "
            "Make them symbols, or use method='regressor'."
        )
    return _record(problem.columns, base)


def numbers_by_rules(robot: RobotModel, rotors: Rotors | None = None) -> Base:
    """The same with float coefficients, for a robot without symbols in its geometry.

    Zeros are decided modulo a prime, so no tolerance is needed.
    """
    problem = BaseParameterProblem(_tree(robot))
    decisions = Decisions()
    _on_residues(problem, decisions.recorded(_vanishes), rotors or {})
    symbols = dict.fromkeys(problem.robot.free_symbols, 0.0)  # those of `ANY_GRAVITY`
    mechanism = instantiate(problem.robot, FLOATS, symbols)
    spaces = Spaces(decisions.repeated())
    return regrouped_columns(mechanism, _field(problem.robot, mechanism), spaces, rotors or {})


def _tree(robot: RobotModel) -> RobotModel:
    return replace(bare(robot), loops=(), couplings=(), independent=())


def _field(robot: RobotModel, mechanism: Mechanism) -> tuple[Vector, ...]:
    """The directions gravity may have in the world."""
    return IDENTITY if robot.gravity == ANY_GRAVITY else (mechanism.gravity,)


def _on_residues(problem: BaseParameterProblem, zero: Zero, rotors: Rotors) -> Spaces:
    """Run the rules modulo a prime; the result records which spaces are the whole space."""
    mechanism, residue = residue_mechanism(problem)
    spaces = Spaces(zero, integer=residue)
    regrouped_columns(mechanism, _field(problem.robot, mechanism), spaces, rotors)
    return spaces


def _vanishes(x: Any) -> bool:
    return bool(x == 0)


def _record(columns: Sequence[str], base: Base) -> Regrouping:
    """The regrouping in the order of the columns; each friction parameter is a base parameter."""
    known = {name: {n: written(c) for n, c in parts.items()} for name, parts in base.items()}
    known |= {name: {name: ONE} for name in columns if name.startswith(("viscous of ", "coulomb of "))}
    kept = tuple(name for name in columns if name in known)
    places = {name: k for k, name in enumerate(columns)}
    combinations = (dict(sorted(known[name].items(), key=lambda item: places[item[0]])) for name in kept)
    return Regrouping(tuple(columns), kept, tuple(combinations))
