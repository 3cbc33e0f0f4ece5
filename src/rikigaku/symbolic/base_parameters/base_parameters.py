"""Base parameters of a robot from its regressor or by geometric rules: `robot.base_parameters()`.

tau = Y pi with the ten parameters of each link, but the columns of Y are linearly dependent: some parameters
have no effect, others act only in sums. Base parameters are a minimal set of such sums: all that
identification can determine [Gautier1990].
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

from rikigaku.core.errors import TimeLimit, UnknownName, WrongValue
from rikigaku.core.value_text import short
from rikigaku.laws.tree.regressor import JOINT_PARAMETER_NAMES
from rikigaku.model.editing import bind
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.symbolic.algebra.child_process import JobOptions
from rikigaku.symbolic.algebra.job_dispatch import in_process
from rikigaku.symbolic.base_parameters.base_parameter_set import BaseParameters
from rikigaku.symbolic.base_parameters.regressor_samples import ANY_GRAVITY, BaseParameterProblem, bare
from rikigaku.symbolic.base_parameters.regrouping import Regrouping

METHODS = ("regressor", "rules")
_ADVICE_LOOPS = (
    "Give more time (time_limit=...), values to some symbols (base_parameters(L=0.4)), or take the set of "
    "the spanning tree (tree=True), which also determines the joint forces."
)


def base_parameters(
    robot: RobotModel,
    gravity: Any = None,
    joint_parameters: bool | str | Sequence[str] = False,
    method: str = "regressor",
    tree: bool = False,
    near: ArrayLike | None = None,
    time_limit: float = 600.0,
    **symbols: Any,
) -> BaseParameters:
    """The smallest set of parameters that determines the joint forces, with exact regrouping formulas.

    Args:
        gravity: three numbers or formulas; "any" for a direction that may change; None for the robot's own.
        joint_parameters: True to include rotor inertia, viscous and Coulomb friction, or the names of some.
        method: "regressor" (rank and relations of the regressor) or "rules" (geometric rules; trees only).
        tree: of a robot with loops, the set of its spanning tree.
        near: of a robot with loops, a closed configuration (nq,), as `assemble` returns it: the result holds
            on its component of the configuration space (a parallelogram, or its crossed form). By default
            that of the configuration `assemble` finds from the neutral one.
        time_limit: seconds. A tree whose regressor takes longer gets its parameters by geometric rules, and
            `verified` says so; for loops TimeLimit is raised.
        symbols: values of symbols of the robot; the others stay symbols of the formulas.
    """
    if method not in METHODS:
        raise UnknownName("method", method, METHODS, "base_parameters")
    work = JobOptions(time_limit)
    chosen = _joint_parameter_names(joint_parameters)
    if symbols:
        robot = bind(robot, **symbols)
    field = _gravity(gravity)
    if field is not None and field != ANY_GRAVITY:
        robot = replace(robot, gravity=field)
    if not robot.joints:
        raise WrongValue(f"Robot {robot.name!r} has no moving joint, so no parameter has an effect.")
    closed = bool(robot.loops or robot.couplings) and not tree
    if near is not None and not closed:
        raise WrongValue(
            "near=... is for robots whose loops are closed: a tree has one set for all configurations."
        )
    problem = BaseParameterProblem(bare(robot, field), chosen)
    what = f"The search for the base parameters of robot {robot.name!r}"
    if method == "rules":
        from rikigaku.symbolic.base_parameters.geometric_rules import base_by_rules
        from rikigaku.symbolic.base_parameters.regressor_relations import verified

        if closed:
            raise WrongValue("Geometric rules are for trees only: use method='regressor', or tree=True.")
        regrouping = base_by_rules(problem.robot, chosen)
        checked = f"geometric rules; {verified(problem.opened(), regrouping)}"
        return _named(robot, problem, regrouping, checked)
    if closed:
        from rikigaku.symbolic.base_parameters.closed_base_parameters import base_of_closed

        of_loops = in_process(
            lambda: base_of_closed(problem, near), what=what, work=work, advice=_ADVICE_LOOPS
        )
        found = _named(robot, problem, of_loops.regrouping, of_loops.verified)
        return replace(found, closed=True, configuration=of_loops.configuration, relations=of_loops.relations)
    from rikigaku.symbolic.base_parameters.regressor_relations import base_by_regressor

    try:
        of_tree = in_process(lambda: base_by_regressor(problem.opened()), what=what, work=work, advice="")
    except TimeLimit as error:
        from rikigaku.symbolic.base_parameters.geometric_rules import base_by_rules

        by_rules = base_by_rules(problem.robot, chosen)
        return _named(robot, problem, by_rules, f"geometric rules, not compared with the regressor: {error}")
    return _named(robot, problem, of_tree.regrouping, of_tree.verified)


def _named(
    robot: RobotModel, problem: BaseParameterProblem, found: Regrouping, verified: str
) -> BaseParameters:
    """With the names the file gives to parameters, and without those that it declares zero."""
    from rikigaku.symbolic.base_parameters.declared_parameters import declared_parameters, without_zeros

    own = declared_parameters(robot, problem)
    left = without_zeros(found, own.zeros)
    if own.zeros:
        verified += f" (all parameters); {left.count} without the {len(own.zeros)} that are zero"
    return BaseParameters(
        robot,
        problem,
        left,
        verified,
        symbols=own.symbols,
        zeros=tuple(x for x in found.parameters if x in own.zeros),
        values=own.values,
    )


def _joint_parameter_names(joint_parameters: Any) -> tuple[str, ...]:
    if isinstance(joint_parameters, bool):
        return JOINT_PARAMETER_NAMES if joint_parameters else ()
    if not isinstance(joint_parameters, (str, Sequence)):
        known = ", ".join(map(repr, JOINT_PARAMETER_NAMES))
        raise WrongValue(
            f"joint_parameters is True, False, or some of {known}; {short(joint_parameters)} was given."
        )
    names = (joint_parameters,) if isinstance(joint_parameters, str) else tuple(joint_parameters)
    for name in names:
        if name not in JOINT_PARAMETER_NAMES:
            raise UnknownName("joint parameter", name, JOINT_PARAMETER_NAMES, "base_parameters")
    return tuple(name for name in JOINT_PARAMETER_NAMES if name in names)


def _gravity(gravity: Any) -> tuple[Formula, Formula, Formula] | None:
    if gravity is None:
        return None
    if isinstance(gravity, str):
        if gravity == "any":
            return ANY_GRAVITY
        raise WrongValue(f"gravity={gravity!r} is not valid. Give three numbers, 'any', or None.")
    if gravity is False:
        return (ZERO, ZERO, ZERO)
    three = tuple(Formula.of(x) for x in gravity) if isinstance(gravity, Collection) else ()
    if len(three) != 3:
        raise WrongValue(f"gravity takes three numbers (m/s^2), 'any' or None; {short(gravity)} was given.")
    return (three[0], three[1], three[2])
