"""Dynamics of ROSAM II (Table 1): Make_InvDyn and the terms of the equation of motion.

For a robot with loops results are those of the closed robot (`robot.reduced`), or of its virtual tree:
formulas, or intermediate variables where formulas are too long.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from rikigaku.closure.closure_plan import coordinate_names
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.core.value_text import short
from rikigaku.laws.catalogue import LAWS
from rikigaku.laws.closed.dependent_coordinates import ClosureStructure
from rikigaku.laws.closed.reduced_dynamics import reduced_inverse_dynamics
from rikigaku.laws.law import Law
from rikigaku.laws.specialization import Specialization
from rikigaku.laws.tree import newton_euler
from rikigaku.model.geometry import Placement
from rikigaku.model.robot_model import Frame
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot
from rikigaku.rosam.inverse_dynamic_model import InverseDynamicModel
from rikigaku.rosam.loop_conditions import constraints_of, no_constraints
from rikigaku.rosam.rosam_poses import Described, as_robot, hand
from rikigaku.rosam.variable_names import Rates, elements, rates, renamed
from rikigaku.symbolic.formulas.formula_array import Formulas
from rikigaku.symbolic.formulas.intermediates import Intermediates
from rikigaku.symbolic.formulas.law_formulas import law_formulas
from rikigaku.symbolic.loops.loop_constraints import LoopConstraints

FormulasOrSteps = Formulas | Intermediates
# The fifth argument of Make_InvDyn.
CLOSED, TREE = 1, 2
# Frames that bring the symbols of the hand's load into the ring.
_FORCE, _MOMENT = "force on the hand", "moment on the hand"


@checked
def Make_InvDyn(
    robot: Described,
    Dq: Any,
    DDq: Any,
    Fhh: Sequence[Any],
    kind: int | None = None,
    cnd: Any = None,
    /,
    *,
    branch: int = 1,
) -> FormulasOrSteps:
    """Make_InvDyn: the inverse dynamic model tau (eqs 15, 18), no friction. Ours: `inverse_dynamics`.

    Dq, DDq: velocities and accelerations of the generalized coordinates: a name ("Dq" makes Dq_1, Dq_2,
    ...), or a list of symbols, names or numbers. Fhh: force and moment on the hand of a branch, world axes:
    six numbers or formulas, symbols of their own allowed. kind: 1 the closed robot, 2 its virtual tree; it
    may be left out for a robot without loops. cnd: of Make_LoopCnd, for the closed robot.
    """
    robot = as_robot(robot)
    closed = _is_closed(robot, kind)
    load = _load(Fhh)
    c = constraints_of(robot, cnd) if closed else None
    if c is None:
        no_constraints(robot, cnd)
    places = range(robot.nv) if c is None else c.independent
    coordinates = [coordinate_names(robot)[k] for k in places]
    given = rates("Dq", Dq, coordinates), rates("DDq", DDq, coordinates)
    frame = hand(robot, branch)
    if load:
        robot = _with_load(robot, load)
        c = None if c is None else constraints_of(robot, None)
    else:
        frame = ""
    plain = not load and all(x.are_names for x in given)
    if c is None:
        found = law_formulas(robot, _tree_law(frame, given), Specialization())
    else:
        found = _closed_law("inverse_dynamics", c, None if plain else _closed_recursion(frame, given))
    names = {
        f"{letter}[{k}]": name
        for letter, one in zip("va", given, strict=True)
        for k, name in zip(places, one.names, strict=True)
    }
    named = _named(found, names)
    if not isinstance(named, Formulas):
        return named
    return InverseDynamicModel(named, named.intermediates)


@checked
def Get_Mmatrix(robot: Described, /, *, tree: bool = False, cnd: Any = None) -> FormulasOrSteps:
    """Get_Mmatrix: the inertia matrix M. Ours: `mass_matrix.symbolic`, of `robot.reduced` with loops."""
    return _law(robot, "mass_matrix", tree, cnd)


@checked
def Get_Cvterm(robot: Described, /, *, tree: bool = False, cnd: Any = None) -> FormulasOrSteps:
    """Get_Cvterm: Coriolis and velocity term h. Ours: `velocity_forces.symbolic`, or of `robot.reduced`."""
    return _law(robot, "velocity_forces", tree, cnd)


@checked
def Get_Cmatrix(robot: Described, /, *, tree: bool = False, cnd: Any = None) -> FormulasOrSteps:
    """Get_Cmatrix: C of eq. 19 (Christoffel), C v = h. Ours: `coriolis_matrix.symbolic`, or of `reduced`."""
    return _law(robot, "coriolis_matrix", tree, cnd)


@checked
def Get_Gterm(robot: Described, /, *, tree: bool = False, cnd: Any = None) -> FormulasOrSteps:
    """Get_Gterm: the gravity term g. Ours: `gravity_forces.symbolic`, of `robot.reduced` with loops."""
    return _law(robot, "gravity_forces", tree, cnd)


def _is_closed(robot: Robot, kind: Any) -> bool:
    loops = bool(robot.loops or robot.couplings)
    if kind is not None and (type(kind) is not int or kind not in (CLOSED, TREE)):
        raise WrongValue(
            f"The fifth argument is 1 (closed robot) or 2 (virtual tree); {short(kind)} was given."
        )
    if kind is None and loops:
        raise WrongValue(
            f"Robot {robot.name!r} has loops: the fifth argument is 1 (the closed robot) or 2 (its virtual "
            "tree)."
        )
    if kind == CLOSED and not loops:
        raise WrongValue(
            f"Robot {robot.name!r} has no loops: the fifth argument 1 (closed robot) does not apply. Give 2, "
            "or leave it out."
        )
    return bool(kind == CLOSED)


def _named(found: FormulasOrSteps, names: dict[str, str]) -> FormulasOrSteps:
    """Formulas with the user's names; velocities that are numbers are no variables any more."""
    context = found.context
    assert context is not None
    if numbers := [x for x, name in names.items() if not name]:
        left = {x: name for x, name in context.names.items() if x not in numbers}
        context = replace(context, names=left)
        if isinstance(found, Formulas):
            found = Formulas(found.title, found.array, context, found.intermediates)
        else:
            found = replace(found, context=context)
    made: FormulasOrSteps = renamed(found, {x: name for x, name in names.items() if name})
    return made


def _tree_law(frame: str, given: tuple[Rates, Rates]) -> Law:
    def tau(mechanism: Any, q: Any, v: Any, a: Any) -> Any:
        wrenches = {frame: _wrench(mechanism)} if frame else None
        v, a = given[0].put_into(v), given[1].put_into(a)
        return newton_euler.inverse_dynamics(mechanism, q, v, a, wrenches=wrenches, friction=False)

    return Law("inverse_dynamics", tau, ("q", "v", "a"), ("tau",), "Joint forces.")


def _closed_recursion(frame: str, given: tuple[Rates, Rates]) -> Callable[..., Any]:
    """Forces along the independent coordinates, with a load on the hand and numbers for some rates."""

    def tau(mechanism: Any, q: Any, v: Any, a: Any, plan: Any, friction: bool) -> Any:
        wrenches = {frame: _wrench(mechanism)} if frame else None
        v, a = given[0].put_into(v), given[1].put_into(a)
        return reduced_inverse_dynamics(mechanism, q, v, a, plan, wrenches=wrenches, friction=friction)

    return tau


def _law(described: Described, name: str, tree: bool, cnd: Any) -> FormulasOrSteps:
    robot = as_robot(described)
    if bool(robot.loops or robot.couplings) and not tree:
        return _closed_law(name, constraints_of(robot, cnd))
    no_constraints(robot, cnd)
    found: Formulas = law_formulas(robot, LAWS[f"tree.{name}"], Specialization())
    return found


def _closed_law(
    name: str, c: LoopConstraints, recursion: Callable[..., Any] | None = None
) -> FormulasOrSteps:
    """`robot.reduced.<name>.symbolic` without friction, over the coordinates the constraints have chosen.

    The plan is that of the exact constraints: nothing is compiled to find it.
    """
    law = LAWS[f"reduced.{name}"]
    places = ClosureStructure(c.equations, c.independent, c.dependent, c.independent)
    own = tuple(c.coordinates[k] for k in c.independent)
    law = replace(law, plan=places, coordinates=dict.fromkeys(("v", "a"), own))
    if recursion is not None:
        law = replace(law, function=recursion)
    options = Specialization((("friction", False),) if law.options else ())
    found: FormulasOrSteps = law_formulas(c.robot, law, options)
    return found


def _load(Fhh: Any) -> list[Formula]:
    flat = elements(Fhh)
    if flat is None or len(flat) != 6:
        raise WrongSize(
            f"Fhh is a force and a moment, six numbers or formulas; {short(Fhh)} was given. Without a load: "
            'Fhh = [0] * 6. For a load with names of its own: ["fx", "fy", "fz", "nx", "ny", "nz"].'
        )
    load = [Formula.of(x) for x in flat]
    return load if any(load) else []


def _with_load(robot: Robot, load: Sequence[Formula]) -> Robot:
    """The robot with its hand's load as positions of two frames: this adds its symbols to the ring."""
    taken = {name for x in load for name in x.symbols} & {joint.name for joint in robot.joints}
    if taken:
        raise WrongValue(f"Fhh holds the joint variable {sorted(taken)[0]}; give it a name of its own.")
    frames = [
        Frame(name, robot.base, Placement((part[0], part[1], part[2])))
        for name, part in ((_FORCE, load[:3]), (_MOMENT, load[3:]))
    ]
    return replace(robot, frames=(*robot.frames, *frames))


def _wrench(mechanism: Any) -> list[Any]:
    return [*mechanism.frames[_FORCE][1].p, *mechanism.frames[_MOMENT][1].p]
