"""Dynamic parameters, differential models and base parameters by ROSAM II (Table 1)."""

from collections.abc import Mapping, Sequence
from typing import Any

from rikigaku.closure.closure_plan import coordinate_names
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import UnknownName, WrongSize, WrongValue
from rikigaku.core.value_text import short
from rikigaku.laws.tree.regressor import regressor_columns, regressor_parameters
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.sympy_reading import symbol_name
from rikigaku.robot import Robot
from rikigaku.rosam.loop_conditions import constraints_of, no_constraints, same_mechanism
from rikigaku.rosam.rosam_poses import Described, as_robot, link_names
from rikigaku.rosam.variable_names import elements, variable_names
from rikigaku.symbolic.base_parameters.base_parameter_set import BaseParameters
from rikigaku.symbolic.base_parameters.base_parameters import base_parameters
from rikigaku.symbolic.base_parameters.parameter_names import paper_names
from rikigaku.symbolic.formulas.exact_state import exact_state
from rikigaku.symbolic.formulas.formula_array import Formulas
from rikigaku.symbolic.formulas.formula_writing import FormulaWriter
from rikigaku.symbolic.formulas.intermediates import Intermediates


@checked
def Make_ODP(robot: Described, /) -> dict[str, Formula]:
    """Make_ODP: the dynamic parameters by the paper's names (m11, ..., Inzz11). Ours: `robot.parameters`."""
    robot = as_robot(robot)
    state = exact_state(robot)
    names = paper_names(robot, regressor_columns(state.mechanism, coordinate_names(robot)))
    writer = FormulaWriter(state.ring, variable_names(robot))
    values = [writer(x) for x in regressor_parameters(state.mechanism)]
    return NamedFormulas(zip(names.values(), values, strict=True))


class NamedFormulas(dict[str, Formula]):
    """Formulas by name; printed as equations, those that are their own names as these."""

    def __repr__(self) -> str:
        return "{" + ", ".join(name if str(x) == name else f"{name} = {x}" for name, x in self.items()) + "}"


class DifferentialModel:
    """An inverse dynamic model with its coordinates as functions of time.

    tau: the model of Make_InvDyn. q: names of its generalized coordinates. closed: of the closed robot, not
    of its virtual tree.
    """

    def __init__(self, tau: Formulas | Intermediates, q: Sequence[str]) -> None:
        self.tau, self.q = tau, tuple(q)

    @property
    def robot(self) -> Any:
        assert self.tau.context is not None
        return self.tau.context.robot

    @property
    def closed(self) -> bool:
        return self.tau.shape != (self.robot.nv,)

    def sympy(self) -> Any:
        """A column of SymPy: coordinates q(t), their derivatives for velocities and accelerations.

        Dependent coordinates of a closed robot are functions of time, too.
        Raises:
            WrongValue: where the model is so long that it came as intermediate variables.
        """
        if not isinstance(self.tau, Formulas):
            raise WrongValue(
                "This model is so long that Make_InvDyn gave it as intermediate variables. Give numbers to "
                "symbols first (robot.bind), or take the model of the virtual tree, Make_InvDyn(..., 2)."
            )
        import sympy

        t, names = sympy.Symbol("t", real=True), self.tau.context.names
        changed = {}
        for k in (int(x[2:-1]) for x in names if x.startswith("q[")):
            function = sympy.Function(names[f"q[{k}]"], real=True)(t)
            for order, letter in enumerate("qva"):
                if f"{letter}[{k}]" in names:
                    symbol = sympy.Symbol(names[f"{letter}[{k}]"], real=True)
                    changed[symbol] = function if order == 0 else sympy.Derivative(function, (t, order))
        return self.tau.sympy().xreplace(changed)

    def __repr__(self) -> str:
        kind = "closed robot" if self.closed else "tree"
        return f"<differential model of robot {self.robot.name!r} ({kind}) in {', '.join(self.q)}>"


@checked
def Make_DiffModel(tau: Formulas | Intermediates, q: Sequence[Any], /) -> DifferentialModel:
    """Make_DiffModel: tau with q(t) and its derivatives by time. Ours: `.sympy()` of the result.

    tau: of Make_InvDyn, its velocities and accelerations as variables. q: all generalized coordinates, as
    symbols or names.
    """
    context = getattr(tau, "context", None)
    if not isinstance(tau, Formulas | Intermediates) or context is None or len(tau.shape) != 1:
        raise WrongValue(
            f"tau is what Make_InvDyn returns; {short(tau)} of type {type(tau).__name__} was given."
        )
    names = _names("q", q)
    places = [int(x[2:-1]) for x in context.names if x.startswith("v[")]
    own = [context.names[f"q[{k}]"] for k in places]
    if len(tau.shape) != 1 or tau.shape[0] != len(own):
        raise WrongValue(
            f"tau has {tau.shape[0]} elements and {len(own)} velocities that are variables. Give Make_InvDyn "
            "names for Dq and DDq, not numbers."
        )
    _same("q", names, own)
    return DifferentialModel(tau, own)


@checked
def Make_MDP1(robot: Described, /, *, tree: bool = False, **options: Any) -> BaseParameters:
    """Make_MDP1: base parameters by geometric relations. Ours: `base_parameters(method="rules")`.

    For serial robots and trees, as in the paper; tree=True takes the virtual tree of a closed robot.
    """
    robot = as_robot(robot)
    if (robot.loops or robot.couplings) and not tree:
        kind = "is closed" if robot.loops else "has coupled joints"
        raise WrongValue(
            f"Robot {robot.name!r} {kind}: geometric relations hold for serial robots and trees. Take "
            "Make_MDP2, or tree=True for its virtual tree."
        )
    return base_parameters(robot, method="rules", tree=True, **options)


@checked
def Make_MDP2(
    robot: Described,
    model: DifferentialModel,
    parameters: Mapping[str, Any],
    cnd: Any = None,
    order: Sequence[Any] | None = None,
    /,
    **options: Any,
) -> BaseParameters:
    """Make_MDP2: base parameters by regressor. Ours: `robot.base_parameters`.

    model, parameters: of Make_DiffModel and Make_ODP of the same RobotData. A model of the closed robot gives
    its base parameters, one of the virtual tree those of the tree. cnd, order: constraints, and joint
    variables in the order of elimination. The result does not depend on the order: the regressor is reduced
    modulo the ideal of the loop, whatever its basis. options: those of `robot.base_parameters`, as
    gravity=(0, -9.81, 0).
    """
    robot = as_robot(robot)
    if not isinstance(model, DifferentialModel):
        raise WrongValue(f"The second argument is what Make_DiffModel returns; {short(model)} was given.")
    if not same_mechanism(model.robot, robot):
        raise WrongValue(f"The model is that of robot {model.robot.name!r}, not of {robot.name!r}.")
    _check_parameters(robot, parameters)
    if model.closed:
        constraints_of(robot, cnd)
    else:
        no_constraints(robot, cnd)
    if order is not None:
        _check_order(robot, model.q, order)
    if "tree" in options or "method" in options:
        raise WrongValue(
            "Whether the tree is taken, and by which method, follows from the model of Make_DiffModel."
        )
    return base_parameters(robot, tree=not model.closed, **options)


@checked
def mdp_lists(base: BaseParameters, /) -> tuple[list[str], list[list[str]], list[list[list[str]]]]:
    """Base parameters as the paper prints them: masses, first moments, tensors, link by link; "0" if none."""
    if not isinstance(base, BaseParameters):
        raise WrongValue(f"mdp_lists takes what Make_MDP1 or Make_MDP2 gives, not {short(base)}.")
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


def _check_parameters(robot: Robot, parameters: Any) -> None:
    own = Make_ODP(robot)
    if not isinstance(parameters, Mapping):
        raise WrongValue(f"The third argument is what Make_ODP returns; {short(parameters)} was given.")
    for name in (*own, *parameters):
        first, second = own.get(name), parameters.get(name)
        if type(first) is not type(second) or first != second:  # arrays of other types compare by element
            raise WrongValue(
                f"The third argument is all that Make_ODP(RobotData) returns, unchanged; {str(name)[:60]} of "
                f"robot {robot.name!r} differs."
            )


def _check_order(robot: Robot, general: Sequence[str], order: Any) -> None:
    names, known = _names("The order of variables", order), [joint.name for joint in robot.joints]
    for name in names:
        if name not in known:
            raise UnknownName("joint variable", name, known, f"robot {robot.name!r}")
    if len(set(names)) < len(names):
        raise WrongValue(f"The order of variables names {', '.join(names)}; each stands once.")
    if missing := [name for name in general if name not in names]:
        raise WrongValue(
            f"The order of variables lists all of {', '.join(general)}; {', '.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} missing. Without an order, leave the argument out."
        )


def _names(what: str, given: Any) -> list[str]:
    """Names of a list of symbols or names, or of what Make_q returns."""
    flat = elements(given)
    if flat is None:
        raise WrongValue(f"{what} is a list of joint variables; {short(given)} was given.")
    names = [symbol_name(x) for x in flat]
    if "" in names:
        raise WrongValue(f"{what} is a list of joint variables; {short(flat[names.index('')])} is none.")
    return names


def _same(what: str, names: Sequence[str], own: Sequence[str]) -> None:
    if sorted(names) != sorted(own):
        raise WrongSize(
            f"{what} lists the generalized coordinates {', '.join(own)}; {', '.join(names)} was given."
        )
