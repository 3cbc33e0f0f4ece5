"""Arguments of Table 1 as the paper prints them: switches, symbols, constraints; all else is refused."""

import inspect
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from rosam_robots import section_6

import rikigaku as rk
from rikigaku import rosam
from rikigaku.core.errors import RikigakuError, WrongSize, WrongValue
from rikigaku.numbers.formula import Formula

NONE = [0] * 6
GENERAL = ["theta11", "d21", "theta31"]
theta11, d21, theta31, theta12, d22, L = sympy.symbols("theta11 d21 theta31 theta12 d22 L")
PAPER = [  # the constraints as printed
    2 * sympy.cos(theta11 + theta31) * L + sympy.sin(theta11) * d21 - sympy.sin(theta12) * d22,
    -2 * sympy.sin(theta11 + theta31) * L + sympy.cos(theta11) * d21 - sympy.cos(theta12) * d22,
]


@cache
def loop() -> rk.Robot:
    return rosam.robot_from_data(section_6())


def invdyn(*arguments: Any, **options: Any) -> Any:
    return rosam.Make_InvDyn(loop(), *arguments, **options)


def closed_q() -> np.ndarray:
    """A closed configuration with L = 1.5."""
    constraints = rosam.Make_LoopCnd(loop(), "grobner").constraints
    return constraints.configurations(dict(zip(GENERAL, (0.3, 0.4, 0.5), strict=True)), L=1.5)[0]


def test_options_that_the_paper_does_not_have_are_given_by_keyword() -> None:
    printed = {
        "Make_LoopCnd": 2, "Make_Thand": 6, "Make_InvKine": 3, "Make_InvDyn": 6, "Make_ODP": 1,
        "Make_DiffModel": 2, "Make_MDP2": 5, "EulerAn": 1, "EulerOr": 3, "Make_Serial": 2, "Make_JCnd": 2,
    }  # fmt: skip
    for function in rosam.TABLE_1:
        kinds = [p.kind for p in inspect.signature(function).parameters.values()]
        assert kinds.count(inspect.Parameter.POSITIONAL_ONLY) == printed.get(function.__name__, 1)
        assert inspect.Parameter.POSITIONAL_OR_KEYWORD not in kinds


def test_data_typed_with_sympy_are_the_same_as_texts() -> None:
    data = section_6()
    data["BranchInfo.1"]["Links"][1]["DH"] = (sympy.pi / 2, 0, 0, d21)
    data["BranchInfo.1"]["Hand"] = (0, L, 0, 0)
    data["General"] = [theta11, d21, theta31]
    data["ConDH"] = [[0, 2 * L, 0, 0], [-sympy.pi / 2, 0, "free", 0]]
    assert rosam.robot_from_data(data) == loop()
    assert rosam.RobotData.of(data).table()["General"] == GENERAL


def test_symbols_and_texts_name_velocities_alike() -> None:
    texts = invdyn("Dq", "DDq", NONE, 1)
    symbols = invdyn(sympy.symbols("Dq_1:4"), sympy.symbols("DDq_1:4"), sympy.zeros(6, 1), 1, PAPER)
    other = invdyn(["u", "v", "w"], sympy.Matrix(sympy.symbols("a:c")), NONE, 1)
    assert [str(x) for x in texts] == [str(x) for x in symbols]
    assert {"Dq_1", "DDq_3"} <= texts.names
    assert {"u", "c"} <= other.names
    state = {"q": closed_q(), "v": [1, 2, 3], "a": [4, 5, 6]}
    at = {"symbols": dict.fromkeys(loop().free_symbols, 1.5)}
    plain = loop().reduced.inverse_dynamics.symbolic.value(**state, **at)
    for found in (texts, other, texts.combined()):
        assert np.allclose(found.value(**state, **at).astype(float), plain.astype(float), rtol=1e-12)


def test_numbers_for_velocities_are_put_in_their_places() -> None:
    state = {"q": closed_q(), "symbols": dict.fromkeys(loop().free_symbols, 1.5)}
    for kind, n in ((1, 3), (2, 5)):
        whole = invdyn("Dq", "DDq", NONE, kind)
        part = invdyn([0, "u", 2, *[0] * (n - 3)], [0] * (n - 1) + [sympy.Rational(1, 2)], NONE, kind)
        v, a = np.zeros(n), np.zeros(n)
        v[1:3], a[-1] = (3, 2), 0.5
        expected = whole.value(v=v, a=a, **state).astype(float)
        assert np.allclose(part.value(u=3, **state).astype(float), expected, rtol=1e-12, atol=1e-12)
        assert not {"Dq_1", "DDq_1", "theta11_dot"} & part.names
        with pytest.raises(WrongValue, match="names for Dq and DDq, not numbers"):
            rosam.Make_DiffModel(part, GENERAL)


@pytest.mark.parametrize("kind", [0, 3, True, "1", 1.0, "closed", [1]])
def test_the_fifth_argument_is_one_or_two_and_nothing_else(kind: Any) -> None:
    with pytest.raises(WrongValue, match=r"fifth argument is 1 \(closed robot\) or 2 \(virtual tree\)"):
        invdyn("Dq", "DDq", NONE, kind)


def test_a_closed_robot_says_which_and_a_tree_has_no_closed_model() -> None:
    with pytest.raises(WrongValue, match=r"fifth argument is 1 .* or 2"):
        invdyn("Dq", "DDq", NONE)
    scara = rk.load("scara")
    with pytest.raises(WrongValue, match="has no loops: the fifth argument 1"):
        rosam.Make_InvDyn(scara, "Dq", "DDq", NONE, 1)
    assert len(rosam.Make_InvDyn(scara, "Dq", "DDq", NONE)) == 4
    assert len(invdyn("Dq", "DDq", NONE, 1)) == 3
    assert len(invdyn("Dq", "DDq", NONE, 2)) == 5


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((["a", "b"], "DDq", NONE, 1), WrongSize, r"Dq has 2 elements; there are 3 coordinates \(theta11"),
        (("Dq", "DDq", NONE, 2, PAPER), WrongValue, r"virtual tree of robot .* takes no cnd"),
        (("Dq", "Dq", NONE, 1), WrongValue, "Dq_1, Dq_2, Dq_3 would name two variables"),
        ((["L", "u", "v"], "DDq", NONE, 1), WrongValue, "L would name two variables"),
        ((["2*x", "u", "v"], "DDq", NONE, 1), WrongValue, "cannot name a symbol"),
        (([2 * L, "u", "v"], "DDq", NONE, 1), WrongValue, "a symbol of its own or a number"),
        ((3, "DDq", NONE, 1), WrongValue, "Dq is a name"),
        (("Dq", "DDq", None, 1), WrongSize, r"Fhh = \[0\] \* 6"),
    ],
)
def test_wrong_arguments_of_inverse_dynamics(arguments: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        invdyn(*arguments)


@pytest.mark.parametrize(
    "cnd",
    [
        None,
        PAPER,
        [-PAPER[1], 3 * PAPER[0]],
        sympy.Matrix(PAPER),
        [str(x) for x in PAPER],
        [*PAPER, PAPER[0] + PAPER[1]],
    ],
)
def test_constraints_may_be_typed_as_expressions(cnd: Any) -> None:
    assert rosam.Make_JCnd(loop(), cnd).shape == (2, 3)


@pytest.mark.parametrize(
    ("cnd", "words"),
    [
        ([PAPER[0], PAPER[1] + L], r"cnd\(2\) = .* not zero, where the loops"),
        ([PAPER[0]], "cnd has 1 independent constraints; robot 'robot' has 2"),
        ([PAPER[0], 2 * PAPER[0]], "cnd has 1 independent"),
        ([], "cnd has 0 independent"),
        ([PAPER[0], sympy.Symbol("z")], "has none of it"),
        (PAPER[0], "a list of expressions"),
        (5, "a list of expressions"),
    ],
)
def test_what_is_no_complete_set_of_constraints_is_refused(cnd: Any, words: str) -> None:
    for call in (
        lambda: rosam.Make_JCnd(loop(), cnd),
        lambda: rosam.Get_Mmatrix(loop(), cnd=cnd),
        lambda: invdyn("Dq", "DDq", NONE, 1, cnd),
        lambda: rosam.Make_InvKine(loop(), rosam.Make_Thand("px", "py", 0, "phi", 0, 0), cnd),
    ):
        with pytest.raises(RikigakuError, match=words):
            call()


def test_constraints_of_another_robot_are_refused() -> None:
    with pytest.raises(WrongValue, match="constraints of robot 'four_bar', not of 'robot'"):
        rosam.Make_JCnd(loop(), rosam.Make_LoopCnd(rk.load("four_bar")))
    with pytest.raises(WrongValue, match="takes no cnd"):
        rosam.Get_Mmatrix(rk.load("scara"), cnd=PAPER)


def test_the_switch_of_the_loop_condition_is_grobner() -> None:
    solved = rosam.Make_LoopCnd(loop(), "grobner")
    assert [relation.name for relation in solved.explicit] == ["d22", "theta12"]
    assert "d22 = +-sqrt(" in repr(solved)
    assert rosam.combine(solved).explicit == solved.explicit
    assert rosam.Make_LoopCnd(loop()).explicit == ()
    for wrong in ("groebner", True, 1):
        with pytest.raises(WrongValue, match="second argument of Make_LoopCnd is 'grobner'"):
            rosam.Make_LoopCnd(loop(), wrong)  # type: ignore[arg-type]


def test_combine_maps_over_lists_tables_and_sympy() -> None:
    product = sympy.sin(theta11) * sympy.cos(theta31)
    half = (sympy.sin(theta11 + theta31) + sympy.sin(theta11 - theta31)) / 2
    assert sympy.expand(rosam.combine(product) - half) == 0
    assert rosam.combine(sympy.Matrix([product]))[0] == rosam.combine([product])[0] == rosam.combine(product)
    cnd = rosam.Make_LoopCnd(loop())
    assert str(rosam.combine(cnd)[0]) == "2*L*cos(theta11 + theta31) + d21*sin(theta11) - d22*sin(theta12)"
    assert str(rosam.combine((cnd[0],))[0]) == str(rosam.combine(cnd)[0])
    tables = rosam.combine(rosam.Make_TBase(rk.load("planar_2r")))
    assert "cos(q1 + q2)" in [str(x) for x in tables[2, 1].array.flat]
    with pytest.raises(WrongValue, match="combine takes formulas"):
        rosam.combine(3)


def test_base_parameters_follow_the_model_that_is_given() -> None:
    odp = rosam.Make_ODP(loop())
    closed = rosam.Make_DiffModel(invdyn("Dq", "DDq", NONE, 1), [theta11, d21, theta31])
    tree = rosam.Make_DiffModel(invdyn("Dq", "DDq", NONE, 2), rosam.Make_q(loop()))
    assert (closed.closed, tree.closed) == (True, False)
    assert rosam.Make_MDP2(loop(), closed, odp, PAPER, [theta11, d21, theta31]).count == 10
    assert rosam.Make_MDP2(loop(), tree, odp).count == 11
    for arguments, words in (
        ((tree, odp, PAPER), "takes no cnd"),
        ((closed, dict(list(odp.items())[:9])), "Inzz11 of robot 'robot' differs"),
        ((closed, {**odp, "m11": Formula.of(3)}), "m11 of robot 'robot' differs"),
        ((closed, 3), "what Make_ODP returns"),
        ((3, odp), "what Make_DiffModel returns"),
        ((closed, odp, None, ["theta11", "x"]), "no joint variable named 'x'"),
        ((closed, odp, None, ["d21", "d21"]), "each stands once"),
        ((closed, odp, None, "theta11"), "is a list of joint variables"),
    ):
        with pytest.raises(RikigakuError, match=words):
            rosam.Make_MDP2(loop(), *arguments)
    other = rk.load("scara")
    with pytest.raises(WrongValue, match="The model is that of robot 'robot', not of 'scara'"):
        rosam.Make_MDP2(other, closed, rosam.Make_ODP(other))
    with pytest.raises(WrongValue, match="follows from the model"):
        rosam.Make_MDP2(loop(), closed, odp, tree=True)
    with pytest.raises(WrongValue, match="is closed: geometric relations hold for serial robots and trees"):
        rosam.Make_MDP1(loop())
    assert rosam.Make_MDP1(loop(), tree=True).count == 11
    links = (rk.Link("a", "base", rk.Joint("q1")), rk.Link("b", "a", rk.Joint("q2"), rk.ModifiedDH(a=1)))
    geared = rk.Robot("geared", links, couplings=(rk.Coupling("q2", "q1", -2),))
    with pytest.raises(WrongValue, match="has coupled joints: geometric relations hold for serial robots"):
        rosam.Make_MDP1(geared)


@pytest.mark.parametrize(
    ("order", "missing"),
    [(["theta11"], "d21, theta31 are missing"), ([], "theta11, d21, theta31 are missing")],
)
def test_an_order_of_variables_lists_all_generalized_coordinates(order: Any, missing: str) -> None:
    robot = loop()
    model = rosam.Make_DiffModel(invdyn("Dq", "DDq", NONE, 1), ["theta11", "d21", "theta31"])
    with pytest.raises(WrongValue, match=missing):
        rosam.Make_MDP2(robot, model, rosam.Make_ODP(robot), None, order)
    whole = ["theta31", "theta11", "d21"]
    assert rosam.Make_MDP2(robot, model, rosam.Make_ODP(robot), None, whole).count == 10


def test_base_parameters_of_the_virtual_tree_take_no_constraints_and_say_why() -> None:
    robot = loop()
    q = [joint.name for joint in robot.joints]
    model = rosam.Make_DiffModel(invdyn("Dq", "DDq", NONE, 2), q)
    with pytest.raises(WrongValue, match=r"virtual tree of robot .*: its loops are open"):
        rosam.Make_MDP2(robot, model, rosam.Make_ODP(robot), PAPER)


def test_euler_angles_of_a_rotation_in_the_plane_are_phi_and_zeros() -> None:
    column = rosam.EulerAn(rosam.Make_Thand("px", "py", 0, "phi", 0, 0))
    assert list(column) == [sympy.Symbol("phi", real=True), 0, 0]


def test_elements_of_arguments_are_counted_from_1() -> None:
    with pytest.raises(WrongValue, match=r"^cnd\(2\) = "):
        invdyn("Dq", "DDq", NONE, 1, [PAPER[0], PAPER[1] + 1])
    with pytest.raises(WrongValue, match=r"^Dq\(1\) is "):
        invdyn([2 * L, "u", "v"], "DDq", NONE, 1)
