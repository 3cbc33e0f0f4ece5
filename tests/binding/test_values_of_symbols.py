"""Symbols that have values, in the robot's table or by `fix`: the law is that of the bound robot.

And one state whose gravity, wrenches or symbols come by name has the bits it has in a batch.
"""

import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from types import BuiltinFunctionType
from typing import Any

import numpy as np
import pytest
from bound_cases import ROWS, arm, arm_with_length, given

import rikigaku as rk
from rikigaku.core.errors import UnknownName, WrongSize, WrongValue
from rikigaku.model.robot_model import Loop, LoopEnd

VALUES = {"l1": 0.37, "l2": 0.29, "m1": 1.3, "m2": 0.7}  # products of these are rounded
OTHERS = {"l1": 0.41, "l2": 0.23, "m1": 1.1, "m2": 0.9}
SEVERAL = [("inverse_dynamics", {}), ("mass_matrix", {}), ("jacobian", {"frame": "hand"})]


@cache
def robot() -> rk.Robot:
    """Two joints whose lengths and masses are symbols with values."""
    symbols = tuple(rk.Symbol(name, value) for name, value in VALUES.items())
    return replace(rk.load("planar_2r"), symbols=symbols)


def is_native(law: Any) -> bool:
    """Whether a call of one state goes from CPython straight into native code."""
    return isinstance(type(law).__call__, BuiltinFunctionType)


@pytest.mark.parametrize(("law", "options"), SEVERAL)
def test_a_law_of_symbols_with_values_is_that_of_the_bound_robot(law: str, options: dict[str, str]) -> None:
    inputs, _ = given(robot(), law, ROWS)
    for fixed in ({}, OTHERS):
        values = {**VALUES, **fixed}
        own = getattr(robot(), law).fix(**options, **fixed)
        bound = getattr(robot().bind(**values), law)(*inputs, **options)
        assert own(*inputs).tobytes() == bound.tobytes()
        for k in (0, ROWS - 1):
            assert own(*(x[k] for x in inputs)).tobytes() == bound[k].tobytes()
        assert is_native(own)
        assert getattr(robot(), law)(*inputs, **options, **values) == pytest.approx(bound, rel=1e-12)


def test_symbols_that_a_law_does_not_depend_on_need_no_value_on_the_short_way() -> None:
    arm = arm_with_length("L")
    heavy = replace(arm, links=(*arm.links[:1], replace(arm.links[1], inertia=rk.Inertia("com", "mass"))))
    pose = heavy.pose.fix(frame="link1", L=0.7)
    q = np.array([0.3, 0.4])
    assert pose(q).tobytes() == heavy.bind(L=0.7, mass=9).pose(q, "link1").tobytes()
    assert is_native(pose)


def test_what_is_fixed_may_be_given_anew_and_keeps_its_program() -> None:
    law, (q, v, a) = robot().inverse_dynamics, given(robot(), "inverse_dynamics")[0]
    fixed = law.fix(**OTHERS)
    assert fixed(q, v, a, m2=5.0).tobytes() == law(q, v, a, **{**OTHERS, "m2": 5.0}).tobytes()
    assert fixed.fix(**VALUES)(q, v, a).tobytes() == law(q, v, a).tobytes()
    for _ in range(2):  # options met before lead to a law of their own
        assert fixed(q, v, a, friction=False).tobytes() == fixed(q, v, a).tobytes()  # there is none
    assert pickle.loads(pickle.dumps(fixed))(q, v, a).tobytes() == fixed(q, v, a).tobytes()
    for own in (law, fixed):
        assert [port.name for port in own.program().inputs] == ["q", "v", "a", *VALUES]
    assert "m2=0.9" in repr(fixed)
    assert "m2" not in fixed.export("python")
    formula = robot().mass_matrix.fix(**OTHERS).symbolic[1, 1]
    assert formula == robot().bind(**OTHERS).mass_matrix.symbolic[1, 1]
    many = law.fix(m2=np.array([0.7, 2.0]))(q, v, a)
    assert many[1].tobytes() == law(q, v, a, m2=2.0).tobytes()
    with pytest.raises(WrongValue, match="the symbol m2 takes real numbers; an array of <U5"):
        law.fix(m2="heavy")(q, v, a)
    with pytest.raises(UnknownName, match="no option or symbol named 'm3'"):
        law.fix(m3=1.0)
    with np.errstate(invalid="ignore"):
        assert np.isnan(law.fix(m2=np.nan)(q, v, a)).all()
    assert law.fix(m2=np.nan).status(q, v, a) == "m2 is not finite"


def test_derivatives_take_the_values_too_and_are_taken_by_symbols() -> None:
    x = given(robot(), "inverse_dynamics", 3)[0]
    for fixed in ({}, OTHERS):
        law, bound = robot().inverse_dynamics.fix(**fixed), robot().bind(**{**VALUES, **fixed})
        for rows in (x, [row[0] for row in x]):
            for own, wanted in zip(
                law.derivative(*rows), bound.inverse_dynamics.derivative(*rows), strict=True
            ):
                assert own.tobytes() == wanted.tobytes()
        step = 1e-6 * np.array([[1.0], [-1.0]])
        mass = {**VALUES, **fixed}["m2"]
        ends = robot().inverse_dynamics.fix(**fixed)(*(row[0] for row in x), m2=mass + step[:, 0])
        slope = law.derivative(*(row[0] for row in x), wrt="m2").m2
        assert slope == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-8)
        by_parameters = law.derivative(*x, wrt="parameters").parameters
        assert by_parameters.tobytes() == bound.regressor(*x).tobytes()
        whole = law.packing().q.unpack(law.derivative(*x, packed=True).q)
        assert whole == pytest.approx(law.derivative(*x).q, rel=1e-12)


def test_the_status_of_loops_knows_what_is_fixed() -> None:
    ground = rk.ModifiedDH("pi/2", beta="pi/2")
    pin = Loop("pin", "revolute", LoopEnd("link3", rk.ModifiedDH(a="l3")), LoopEnd("base", ground))
    triangle = replace(rk.load("planar_3r"), loops=(pin,))
    law, longer = triangle.reduced.mass_matrix, {"l2": 0.8}
    q = triangle.bind(**longer).assemble([0.4])
    assert law.fix(**longer).status(q) == "ok" == law.status(q, **longer)
    assert law.status(q) == "the loops are open here: robot.assemble(...) closes them"


WRENCH = np.array([1.3, -0.7, 0.4, 0.2, 0.9, -1.1])
BY_NAME = [
    {"gravity": np.array([0.1, 9.7, -0.3])},
    {"gravity": [0.1, 9.7, -0.3], "wrenches": {"hand": WRENCH}},
    {"wrenches": {"hand": WRENCH, "link1": 2 * WRENCH}},
    {"m2": 1.7},
    {"m2": 2, "l1": np.float64(0.43), "wrenches": {"hand": WRENCH}},
]


@pytest.mark.parametrize("words", BY_NAME)
def test_one_state_with_arrays_by_name_has_the_bits_of_the_batch(words: dict[str, Any]) -> None:
    law, inputs = robot().inverse_dynamics, given(robot(), "inverse_dynamics", ROWS)[0]
    batch, out = law(*inputs, **words), np.empty(2)
    fixed = law.fix(**words)
    for k in (0, 8, ROWS - 1):
        row = [x[k] for x in inputs]
        for _ in range(2):  # the first call makes the short way
            assert law(*row, **words).tobytes() == batch[k].tobytes()
            assert law(*row, out=out, **words) is out
            assert out.tobytes() == batch[k].tobytes()
            assert fixed(*row) == pytest.approx(batch[k], rel=1e-12)
        row[0] = row[0].copy()
        assert law(*row, out=row[0], **words).tobytes() == batch[k].tobytes()


def test_the_one_state_call_by_name_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    law, (q, v, a) = robot().inverse_dynamics, given(robot(), "inverse_dynamics")[0]
    words: list[dict[str, Any]] = [
        {"m2": 1.5},
        {"m2": 2},
        {"wrenches": {"hand": WRENCH}},
        {"gravity": np.ones(3)},
    ]
    wanted = [law(q, v, a, **each).tobytes() for each in words]
    monkeypatch.setattr(type(law.arguments), "parsed", None)  # the general way
    assert [law(q, v, a, **each).tobytes() for each in words] == wanted


def test_the_one_state_call_by_name_requires_the_same_arguments_as_the_general_call() -> None:
    law, (q, v, a) = arm().inverse_dynamics, given(arm(), "inverse_dynamics")[0]
    plain = law(q, v, a)
    assert law(q, v, a, wrenches={}).tobytes() == plain.tobytes()
    loaded = law(q, v, a, wrenches={"hand": WRENCH})
    assert np.abs(loaded - plain).max() > 0.1
    assert np.abs(law(q, v, a, wrenches={"link1": WRENCH}) - loaded).max() > 0.1
    assert law(q, v, a, wrenches={"hand": WRENCH}).tobytes() == loaded.tobytes()
    assert (
        law(q, v, a, gravity=np.array([0, 0, -9])).tobytes() == law(q, v, a, gravity=[0.0, 0, -9]).tobytes()
    )
    assert law(q, v, a, gravity=None).tobytes() == plain.tobytes()
    wrong: list[tuple[type, Callable[[], Any]]] = [
        (WrongSize, lambda: law(q, v, a, wrenches={"hand": WRENCH[:3]})),
        (WrongSize, lambda: law(q, v, a, gravity=np.float64(9.8))),
        (WrongSize, lambda: law(q, v, gravity=np.zeros(3))),
        (WrongSize, lambda: law(q, v, a, a, gravity=np.zeros(3))),
        (WrongSize, lambda: law(q, v, a, gravity=np.zeros(3), out=np.empty(3))),
        (WrongValue, lambda: law(q, v, a, gravity=[[1, 2], [3]])),
        (WrongValue, lambda: law(q, v, a, gravity=["0", "0", "1"])),
        (WrongValue, lambda: law(q, v, a, wrenches=WRENCH)),
        (UnknownName, lambda: law(q, v, a, wrenches={"hnd": WRENCH})),
    ]
    for error, call in wrong:
        with pytest.raises(error):
            call()
    with np.errstate(invalid="ignore"):
        assert np.isnan(law(q, v, a, gravity=np.array([np.nan, 0, 0]))).all()
