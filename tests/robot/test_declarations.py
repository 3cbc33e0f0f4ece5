"""What tools see of a robot: signatures, texts, names that apply, the stub."""

import copy
import inspect
import pickle
import pydoc

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import AmbiguousCoordinates, NoFreeBase, UnknownName
from rikigaku.laws.catalogue import LAWS, laws_of
from rikigaku.laws.law import Law
from rikigaku.model.robot_model import RobotModel
from rikigaku.robot.declarations import LawAttribute, LawGroup, Method
from rikigaku.robot.robot import Robot


def test_the_signature_of_a_law_names_inputs_options_and_symbols() -> None:
    robot = rk.load("planar_3r")
    assert str(inspect.signature(robot.inverse_dynamics)) == (
        "(q, v, a, *, out=None, gravity=None, wrenches=None, friction=True, **symbols) -> numpy.ndarray"
    )
    assert str(inspect.signature(robot.jacobian)) == (
        "(q, frame, axes='world', *, out=None, **symbols) -> numpy.ndarray"
    )


@pytest.mark.parametrize("law", [law for law in LAWS.values() if law.group != "contact"], ids=lambda x: x.key)
def test_a_call_by_the_signature_binds_what_the_law_takes(law: Law) -> None:
    from rikigaku.binding.call_signature import call_signature

    names = set(call_signature(law).parameters)
    assert names == {*law.inputs, *law.options, *law.overrides, "out", "symbols"}


def test_help_shows_the_whole_text_of_the_recursion() -> None:
    robot = rk.load("planar_2r")
    shown = pydoc.render_doc(robot.inverse_dynamics, renderer=pydoc.plaintext)
    text = LAWS["tree.inverse_dynamics"].text
    assert len(text.splitlines()) > 3
    for line in text.splitlines():
        assert line.strip() in shown
    assert "q: joint positions [rad, m], (..., nq)" in shown
    assert f"inverse_dynamics{inspect.signature(robot.inverse_dynamics)}" in shown


def test_names_about_loops_and_space_are_listed_where_they_apply() -> None:
    arm, loop, satellite = dir(rk.load("planar_2r")), dir(rk.load("five_bar")), dir(rk.load("space_arm_6"))
    for name in ("assemble", "loop_residual", "reduced", "complete", "tree", "closure"):
        assert name not in arm
        assert name in loop
    assert "space" not in arm
    assert "space" in satellite
    assert not {*laws_of("space")} & {*arm}
    assert {"inverse_dynamics", "jacobian", "lock", "plot", "save"} <= {*arm}


@pytest.mark.parametrize(
    ("joints", "listed"),
    [
        ((rk.Joint("base", "planar", actuated=False), rk.Joint("q1")), True),
        ((rk.Joint("base", "free"), rk.Joint("q1")), True),
        ((rk.Joint("weld", "fixed"), rk.Joint("base", "free"), rk.Joint("q1")), True),
        ((rk.Joint("platform", "planar"), rk.Joint("q1")), False),  # driven by its wheels
        ((rk.Joint("q1"), rk.Joint("table", "planar", actuated=False)), False),
        ((rk.Joint("base", "planar", actuated=False, viscous=1), rk.Joint("q1")), False),
    ],
)
def test_space_is_listed_for_robots_whose_base_floats_freely(
    joints: tuple[rk.Joint, ...], listed: bool
) -> None:
    parents = ["base", *(f"link_{joint.name}" for joint in joints)]
    body = rk.Inertia("com", 1, (0, 0, 0), (1, 0, 0, 1, 0, 1))
    links = [rk.Link(f"link_{x.name}", p, x, inertia=body) for x, p in zip(joints, parents, strict=False)]
    robot = rk.Robot("r", tuple(links), gravity=(0, 0, 0))
    assert ("space" in dir(robot)) == listed
    if listed:
        assert robot.space.locked_inertia.law.inputs == ("q",)


def test_tab_on_the_package_shows_its_public_names() -> None:
    assert {name for name in dir(rk) if not name.startswith("__")} == {*rk.__all__} - {"__version__"}


def test_space_laws_of_a_fixed_robot_are_refused_with_what_to_do() -> None:
    with pytest.raises(NoFreeBase, match="on_free_base"):
        _ = rk.load("planar_2r").space


def test_hasattr_is_false_where_a_robot_has_no_such_laws() -> None:
    arm, loop = rk.load("planar_2r"), rk.load("five_bar")
    assert not hasattr(arm, "space")
    assert getattr(loop, "space", None) is None
    assert hasattr(loop.reduced, "mass_matrix")
    assert not hasattr(loop.reduced, "mass_matrx")


def test_an_unknown_law_of_a_group_raises_an_error_with_those_there_are() -> None:
    with pytest.raises(UnknownName, match="generalized_jacobian"):
        _ = rk.load("space_arm_6").space.generalised_jacobian


def test_unknown_keywords_are_refused_although_symbols_are_keywords() -> None:
    with pytest.raises(UnknownName, match="friction"):
        rk.load("planar_2r").inverse_dynamics([0, 0], [0, 0], [0, 0], fricton=False)


def test_every_law_of_the_catalogue_is_declared_once() -> None:
    declared = [x.name for x in vars(Robot).values() if isinstance(x, LawAttribute)]
    assert len(declared) == len({*declared})
    assert {*declared} == {*laws_of("tree"), *laws_of("closed")}
    assert {x.group for x in vars(Robot).values() if isinstance(x, LawGroup)} == {"reduced", "space"}


def test_robot_holds_declarations_and_no_logic() -> None:
    kinds = (LawAttribute, LawGroup, Method)
    others = {name for name, x in vars(Robot).items() if not isinstance(x, kinds)}
    assert others <= {"__module__", "__doc__", "__dir__", "__annotations__", "__firstlineno__"}


@pytest.mark.parametrize("name", [name for name, x in vars(Robot).items() if isinstance(x, Method)])
def test_every_method_is_a_function_of_the_robot_with_a_text(name: str) -> None:
    declaration = vars(Robot)[name]
    first = next(iter(inspect.signature(declaration.target).parameters))
    assert first in ("robot", "first")
    assert name == "_repr_html_" or inspect.getdoc(declaration.target)


def test_the_stub_is_what_the_catalogue_and_the_functions_say() -> None:
    import robot_stub

    assert robot_stub.PLACE.read_text("utf-8") == robot_stub.stub(), "run: python tools/robot_stub.py"


def test_a_robot_and_its_model_are_equal_data() -> None:
    robot = rk.load("planar_2r")
    model = RobotModel.of(robot)
    assert type(model) is RobotModel
    assert model == robot
    assert hash(model) == hash(robot)
    assert Robot.of(robot) is robot
    assert type(Robot.of(model)) is Robot
    assert type(pickle.loads(pickle.dumps(robot))) is Robot
    assert model != "planar_2r"


def test_edits_of_a_robot_are_robots_and_those_of_a_model_are_models() -> None:
    from rikigaku.model.editing import lock

    robot = rk.load("planar_3r")
    name = robot.joints[0].name
    assert type(robot.lock(name)) is Robot
    assert type(lock(RobotModel.of(robot), name)) is RobotModel


def test_a_law_of_your_own_is_compiled_differentiated_and_written_as_formulas() -> None:
    def half_square(mechanism, v):  # type: ignore[no-untyped-def]
        return sum(x * x for x in v) / 2

    record = rk.Law("half_square", half_square, ("v",), ("e",), "Half the square of the velocities.")
    robot = rk.load("planar_2r")
    law = robot.law(record)
    assert robot.law(record) is law
    v = np.array([0.3, -0.4])
    assert law(v) == pytest.approx(0.125, abs=1e-15)
    assert law.derivative(v).v == pytest.approx(v)
    assert law.symbolic.value(v=v) == pytest.approx(0.125, abs=1e-15)
    assert "half_square" in law.export("c")
    assert copy.copy(law)(v) == law(v)


@pytest.mark.parametrize("name", ["mass_matrix", "gravity_forces", "regressor", "inverse_mass_matrix"])
def test_laws_over_the_joints_of_a_tree_ask_a_closed_robot_for_its_coordinates(name: str) -> None:
    five = rk.load("five_bar")
    with pytest.raises(AmbiguousCoordinates, match=rf"robot\.tree\.{name} over all joints"):
        getattr(five, name)
    assert not hasattr(five, name)
    assert name not in dir(five)
    q = five.assemble([0.3, 1.2])
    assert np.isfinite(five.reduced.mass_matrix(q)).all()
    assert five.tree.mass_matrix(q).shape == (4, 4)
