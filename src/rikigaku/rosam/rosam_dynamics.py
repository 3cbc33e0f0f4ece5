"""Parameters, dynamics and loops of ROSAM II (Table 1).

For a robot with loops all results are those of the closed robot (`robot.reduced`): formulas, or
intermediate variables where formulas are too long; tree=True gives those of the virtual tree (the paper's
fifth argument of Make_InvDyn: 1 or 2). cnd: the result of `make_loopcnd`, if already computed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rikigaku.closure.closure_plan import coordinate_names
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.laws.catalogue import LAWS
from rikigaku.laws.closed.dependent_coordinates import ClosureStructure
from rikigaku.laws.closed.reduced_dynamics import reduced_inverse_dynamics
from rikigaku.laws.law import Law
from rikigaku.laws.specialization import Specialization
from rikigaku.laws.tree import newton_euler
from rikigaku.laws.tree.regressor import regressor_columns, regressor_parameters
from rikigaku.model.geometry import Placement
from rikigaku.model.robot_model import Frame, RobotModel
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot
from rikigaku.rosam.rosam_poses import Described, as_robot, hand, link_names
from rikigaku.symbolic.base_parameters.base_parameter_set import BaseParameters
from rikigaku.symbolic.base_parameters.base_parameters import base_parameters
from rikigaku.symbolic.base_parameters.parameter_names import paper_names
from rikigaku.symbolic.formulas.display_names import input_names
from rikigaku.symbolic.formulas.exact_formula import ExactFormula
from rikigaku.symbolic.formulas.exact_state import exact_state
from rikigaku.symbolic.formulas.formula_array import Formulas
from rikigaku.symbolic.formulas.formula_context import FormulaContext
from rikigaku.symbolic.formulas.formula_writing import FormulaWriter
from rikigaku.symbolic.formulas.intermediates import Intermediates
from rikigaku.symbolic.formulas.law_formulas import law_formulas
from rikigaku.symbolic.loops.closed_formulas import closed_formulas
from rikigaku.symbolic.loops.loop_constraints import LoopConstraints, loop_constraints

FormulasOrSteps = Formulas | Intermediates
# Frames that bring the symbols of the hand's load into the ring.
_FORCE, _MOMENT = "force on the hand", "moment on the hand"


@checked
def make_odp(robot: Described) -> dict[str, Formula]:
    """Make_ODP: the dynamic parameters by the paper's names (m11, ..., Inzz11). Ours: `robot.parameters`."""
    robot = as_robot(robot)
    state = exact_state(robot)
    names = paper_names(robot, regressor_columns(state.mechanism, coordinate_names(robot)))
    writer = FormulaWriter(state.ring, _names(robot))
    values = [writer(x) for x in regressor_parameters(state.mechanism)]
    return dict(zip(names.values(), values, strict=True))


@checked
def make_mdp1(robot: Described, **options: Any) -> BaseParameters:
    """Make_MDP1: base parameters by geometric relations. Ours: `base_parameters(method="rules")`."""
    return base_parameters(as_robot(robot), method="rules", tree=True, **options)


@checked
def make_mdp2(robot: Described, tree: bool = False, **options: Any) -> BaseParameters:
    """Make_MDP2: base parameters by regressor, loops closed unless tree. Ours: `robot.base_parameters`."""
    return base_parameters(as_robot(robot), tree=tree, **options)


@checked
def mdp_lists(base: BaseParameters) -> tuple[list[str], list[list[str]], list[list[list[str]]]]:
    """Base parameters as the paper prints them: masses, first moments, tensors, link by link; "0" if none."""
    if not isinstance(base, BaseParameters):
        raise WrongValue(f"mdp_lists takes what make_mdp1 or make_mdp2 gives, not {base!r}.")
    sums = dict(zip(base.found.kept, base.paper_form().splitlines(), strict=True))

    def shown(parameter: str, link: str) -> str:
        return sums.get(f"{parameter} of {link}", "0")

    links = list(link_names(base.robot).values())
    upper = {(i, j): f"I{'xyz'[i]}{'xyz'[j]}" for i in range(3) for j in range(i, 3)}
    return (
        [shown("m", link) for link in links],
        [[shown(f"ms{axis}", link) for axis in "xyz"] for link in links],
        [[[shown(upper[min(i, j), max(i, j)], link) for j in range(3)] for i in range(3)] for link in links],
    )


@checked
def make_invdyn(
    robot: Described,
    Fhh: Sequence[Any] | None = None,
    tree: bool = False,
    cnd: LoopConstraints | None = None,
    branch: int = 1,
) -> FormulasOrSteps:
    """Make_InvDyn: the inverse dynamic model tau (eqs 15, 18), no friction. Ours: `inverse_dynamics`.

    With loops: the forces along the independent coordinates, from `robot.reduced.inverse_dynamics`.

    Fhh: force and moment on the hand of a branch, world axes: six numbers or formulas, symbols of their own
    allowed.
    """
    robot = as_robot(robot)
    load = _load(Fhh)
    if load:
        robot, cnd = _with_load(robot, load), None
    frame = hand(robot, branch)
    if _closed(robot, tree):
        return _closed_law(robot, "inverse_dynamics", cnd, _loaded_inverse_dynamics(frame) if load else None)

    def tau(mechanism: Any, q: Any, v: Any, a: Any) -> Any:
        wrenches = {frame: _wrench(mechanism)} if load else None
        return newton_euler.inverse_dynamics(mechanism, q, v, a, wrenches=wrenches, friction=False)

    law = Law("inverse_dynamics", tau, ("q", "v", "a"), ("tau",), "Joint forces.")
    found: Formulas = law_formulas(robot, law, Specialization())
    return found


@checked
def make_diffmodel(tau: FormulasOrSteps, q: Sequence[str] | None = None) -> Any:
    """Make_DiffModel: tau with q(t), its derivatives by time for velocities and accelerations, in SymPy.

    q: names of the coordinates; all if left out.
    """
    if not isinstance(tau, Formulas):
        long = ", which is so long that it came as intermediate variables" * isinstance(tau, Intermediates)
        raise WrongValue(
            "make_diffmodel takes the formulas that make_invdyn gives, not what is of type "
            f"{type(tau).__name__}{long}. Give numbers to symbols first (robot.bind), or take "
            "make_invdyn(robot, tree=True)."
        )
    import sympy

    t, names = sympy.Symbol("t", real=True), tau.context.names
    changed = {}
    for k in (int(x[2:-1]) for x in names if x.startswith("q[")):
        if q is None or names[f"q[{k}]"] in q:
            function = sympy.Function(names[f"q[{k}]"], real=True)(t)
            for order, letter in enumerate("qva"):
                if f"{letter}[{k}]" in names:
                    symbol = sympy.Symbol(names[f"{letter}[{k}]"], real=True)
                    changed[symbol] = function if order == 0 else sympy.Derivative(function, (t, order))
    return tau.sympy().xreplace(changed)


@checked
def get_Mmatrix(robot: Described, tree: bool = False, cnd: LoopConstraints | None = None) -> FormulasOrSteps:
    """Get_Mmatrix: the inertia matrix M. Ours: `mass_matrix.symbolic`, of `robot.reduced` with loops."""
    return _law(robot, "mass_matrix", tree, cnd)


@checked
def get_Cvterm(robot: Described, tree: bool = False, cnd: LoopConstraints | None = None) -> FormulasOrSteps:
    """Get_Cvterm: Coriolis and velocity term h. Ours: `velocity_forces.symbolic`, or of `robot.reduced`."""
    return _law(robot, "velocity_forces", tree, cnd)


@checked
def get_Cmatrix(robot: Described, tree: bool = False, cnd: LoopConstraints | None = None) -> FormulasOrSteps:
    """Get_Cmatrix: C of eq. 19 (Christoffel), C v = h. Ours: `coriolis_matrix.symbolic`, or of `reduced`."""
    return _law(robot, "coriolis_matrix", tree, cnd)


@checked
def get_Gterm(robot: Described, tree: bool = False, cnd: LoopConstraints | None = None) -> FormulasOrSteps:
    """Get_Gterm: the gravity term g. Ours: `gravity_forces.symbolic`, of `robot.reduced` with loops."""
    return _law(robot, "gravity_forces", tree, cnd)


@checked
def make_loopcnd(robot: Described, groebner: bool = False) -> LoopConstraints:
    """Make_LoopCnd: constraints f = 0 (eq. 13); groebner: `.explicit` (eq. 14). Ours: `loop_constraints`."""
    return loop_constraints(as_robot(robot), explicit=groebner)


@checked
def loopcnd_formulas(cnd: LoopConstraints) -> Formulas:
    """The left sides of the constraints f = 0 as formulas; `.combined()` is the paper's `combine`."""
    if not isinstance(cnd, LoopConstraints):
        raise WrongValue(f"loopcnd_formulas takes what make_loopcnd gives, not {cnd!r}.")
    context = FormulaContext(cnd.robot, cnd.state.ring, _names(cnd.robot))
    array = np.empty(len(cnd.rows), dtype=object)
    for k, row in enumerate(cnd.rows):
        array[k] = ExactFormula(row.formula, context)
    return Formulas(f"constraints of robot {cnd.robot.name!r}", array, context)


@checked
def make_jcnd(robot: Described, cnd: LoopConstraints | None = None) -> Formulas:
    """Make_JCnd: the constraint Jacobian Jc (eq. 17). Ours: `robot.loop_constraints().jacobian`."""
    c = cnd or make_loopcnd(as_robot(robot))
    return closed_formulas(c, "Jc", c.jacobian)


def _closed(robot: Robot, tree: bool) -> bool:
    return bool(robot.loops or robot.couplings) and not tree


def _law(described: Described, name: str, tree: bool, cnd: LoopConstraints | None) -> FormulasOrSteps:
    robot = as_robot(described)
    if _closed(robot, tree):
        return _closed_law(robot, name, cnd)
    found: Formulas = law_formulas(robot, LAWS[f"tree.{name}"], Specialization())
    return found


def _closed_law(
    robot: Robot, name: str, cnd: LoopConstraints | None, recursion: Callable[..., Any] | None = None
) -> FormulasOrSteps:
    """`robot.reduced.<name>.symbolic` without friction, over the coordinates the constraints have chosen.

    The plan is that of the exact constraints: nothing is compiled to find it.
    """
    c = cnd or make_loopcnd(robot)
    law = LAWS[f"reduced.{name}"]
    places = ClosureStructure(c.equations, c.independent, c.dependent, c.independent)
    own = tuple(c.coordinates[k] for k in c.independent)
    law = replace(law, plan=places, coordinates=dict.fromkeys(("v", "a"), own))
    if recursion is not None:
        law = replace(law, function=recursion)
    found: FormulasOrSteps = law_formulas(
        c.robot, law, Specialization((("friction", False),) if law.options else ())
    )
    return found


def _loaded_inverse_dynamics(frame: str) -> Callable[..., Any]:
    """Forces along the independent coordinates with the load on the hand."""

    def tau(mechanism: Any, q: Any, v: Any, a: Any, plan: Any, friction: bool) -> Any:
        wrenches = {frame: _wrench(mechanism)}
        return reduced_inverse_dynamics(mechanism, q, v, a, plan, wrenches=wrenches, friction=friction)

    return tau


def _names(robot: RobotModel) -> Mapping[str, str]:
    return input_names(robot, (("q", (robot.nq,)), ("v", (robot.nv,)), ("a", (robot.nv,))))


def _load(Fhh: Sequence[Any] | None) -> list[Formula]:
    if Fhh is None:
        return []
    if isinstance(Fhh, str) or not hasattr(Fhh, "__len__") or len(Fhh) != 6:
        raise WrongSize(
            f"Fhh is a force and a moment, six numbers or formulas; {Fhh!r} was given. For a load with names "
            'of its own: Fhh=["fx", "fy", "fz", "nx", "ny", "nz"].'
        )
    load = [Formula.of(x) for x in Fhh]
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
