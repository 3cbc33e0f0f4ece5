"""Base parameters of a robot: the fewest numbers its joint forces depend on, each with its regrouping.

tau = Y pi with the ten parameters of each link, but columns of Y depend on each other: some parameters never
matter, others only in sums. Base parameters are such sums, as few as possible; they are what identification
can find and what a reduced program needs.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rikigaku.errors import UnknownName, WrongValue
from rikigaku.laws.regressor import DRIVE_NAMES
from rikigaku.model.edit import bind
from rikigaku.model.robot import Robot
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.symbolic.base.result import BaseParameters
from rikigaku.symbolic.base.samples import ANY_GRAVITY, Question, bare

METHODS = ("regressor", "rules")


def base_parameters(
    robot: Robot,
    gravity: Any = None,
    drives: bool | str | Sequence[str] = False,
    method: str = "regressor",
    tree: bool = False,
    near: Any = None,
    **symbols: Any,
) -> BaseParameters:
    """The fewest parameters the joint forces depend on, with exact regrouping formulas, verified.

    Args:
        gravity: three numbers or formulas; "any" for a direction that may change; None for the robot's own.
        drives: True to count rotor inertias, viscous and Coulomb friction too, or the names of some of them.
        method: "regressor" (rank and relations of the regressor) or "rules" (geometric rules; trees only).
        tree: of a robot with loops, the set of its spanning tree.
        near: of a robot with loops, a closed posture (nq,), as `assemble` gives it: the answer holds for the
            component of the configuration space it lies in (a parallelogram, or its crossed twin). By default
            that of the posture `assemble` finds from the neutral one.
        symbols: values for symbols of the robot; what is left stays a symbol of the formulas.
    """
    if method not in METHODS:
        raise UnknownName("method", method, METHODS, "base_parameters")
    chosen = _drive_names(drives)
    if symbols:
        robot = bind(robot, **symbols)
    field = _gravity(gravity)
    if field is not None and field != ANY_GRAVITY:
        robot = replace(robot, gravity=field)
    if not robot.joints:
        raise WrongValue(f"Robot {robot.name!r} has no joint that moves, so no parameter matters.")
    closed = bool(robot.loops or robot.couplings) and not tree
    if near is not None and not closed:
        raise WrongValue(
            "near=... is for robots whose loops are closed: an open tree has one set for all postures."
        )
    question = Question(bare(robot, field), chosen)
    if method == "rules":
        from rikigaku.symbolic.base.regressor import verified
        from rikigaku.symbolic.base.rules import base_by_rules

        if closed:
            raise WrongValue("Geometric rules know trees only: use method='regressor', or tree=True.")
        regrouping = base_by_rules(question.robot, chosen)
        checked = f"geometric rules; {verified(question.opened(), regrouping)}"
        return BaseParameters(robot, question, regrouping, checked)
    if closed:
        from rikigaku.symbolic.base.closed import base_of_closed

        of_loops = base_of_closed(question, near)
        return BaseParameters(
            robot,
            question,
            of_loops.regrouping,
            of_loops.verified,
            True,
            of_loops.posture,
            of_loops.relations,
        )
    from rikigaku.symbolic.base.regressor import base_by_regressor

    found = base_by_regressor(question.opened())
    return BaseParameters(robot, question, found.regrouping, found.verified)


def _drive_names(drives: Any) -> tuple[str, ...]:
    if isinstance(drives, bool):
        return DRIVE_NAMES if drives else ()
    if not isinstance(drives, (str, Sequence)):
        known = ", ".join(map(repr, DRIVE_NAMES))
        raise WrongValue(f"drives is True, False, or some of {known}; {drives!r} was given.")
    names = (drives,) if isinstance(drives, str) else tuple(drives)
    for name in names:
        if name not in DRIVE_NAMES:
            raise UnknownName("drive parameter", name, DRIVE_NAMES, "base_parameters")
    return tuple(name for name in DRIVE_NAMES if name in names)


def _gravity(gravity: Any) -> tuple[Formula, Formula, Formula] | None:
    if gravity is None:
        return None
    if isinstance(gravity, str):
        if gravity == "any":
            return ANY_GRAVITY
        raise WrongValue(f"gravity={gravity!r} means nothing. Give three numbers, 'any', or None.")
    if gravity is False:
        return (ZERO, ZERO, ZERO)
    three = tuple(Formula.of(x) for x in gravity) if np.ndim(gravity) else ()
    if len(three) != 3:
        raise WrongValue(f"gravity takes three numbers (m/s^2), 'any' or None; {gravity!r} was given.")
    return (three[0], three[1], three[2])
