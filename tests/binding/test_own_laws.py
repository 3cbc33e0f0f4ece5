"""Laws of users: what a name compiled to earlier is not what it means now."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import WrongValue

SCRIPT = """
import rikigaku as rk

def own(mechanism, q):
    return {formula}

law = rk.Law("own", own, inputs=("q",), outputs=("w",), summary="A formula of q.")
print(rk.load("planar_2r").law(law)([3.0, 4.0]))
"""


def own_law(function: Callable[..., Any], name: str = "own") -> rk.Law:
    return rk.Law(name, function, inputs=("q",), outputs=("w",), summary="A formula of q.")


def scaled(factor: float) -> rk.Law:
    return own_law(lambda mechanism, q: factor * q[0])


def test_laws_of_one_name_and_different_functions_differ() -> None:
    robot = rk.load("planar_2r")
    assert [robot.law(scaled(k))([3.0, 4.0]) for k in (2.0, 5.0)] == [6.0, 15.0]
    assert [rk.load("planar_2r").law(scaled(k))([3.0, 4.0]) for k in (7.0, 8.0)] == [21.0, 24.0]
    batch = [robot.law(scaled(k))(np.ones((3, 2)))[0] for k in (2.0, 5.0)]
    assert batch == [2.0, 5.0]
    slopes = [robot.law(scaled(k)).derivative([3.0, 4.0]).q.tolist() for k in (2.0, 5.0)]
    assert slopes == [[2.0, 0.0], [5.0, 0.0]]
    assert [str(robot.law(scaled(k)).symbolic) for k in (2.0, 5.0)] == ["2*q1", "5*q1"]


def test_a_law_may_have_the_name_of_a_shipped_one() -> None:
    robot = rk.load("planar_2r")
    M = robot.mass_matrix([3.0, 4.0])
    assert robot.law(own_law(lambda mechanism, q: q[1], "mass_matrix"))([3.0, 4.0]) == 4.0
    assert np.array_equal(robot.mass_matrix([3.0, 4.0]), M)


def test_an_edited_law_is_not_read_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIKIGAKU_CACHE", str(tmp_path / "cache"))
    printed = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT.format(formula=formula)], capture_output=True, text=True, check=True
        ).stdout
        for formula in ("q[0] + q[1]", "q[0] * q[1]", "[q[1], q[0]]")
    ]
    assert printed == ["7.0\n", "12.0\n", "[4. 3.]\n"]


def test_an_edited_record_of_one_function_is_used() -> None:
    robot = rk.load("planar_2r")
    law = replace(own_law(lambda mechanism, q, sign: -q[0] if sign else q[0]), options={"sign": True})
    assert robot.law(law)([3.0, 4.0]) == -3.0
    assert robot.law(replace(law, options={"sign": False}))([3.0, 4.0]) == 3.0


def test_records_of_one_name_and_different_recursions_of_the_package_differ() -> None:
    robot, state = rk.load("planar_2r"), ([0.3, 0.4],)
    records = [
        rk.Law("own", f"tree.{place}", inputs=("q",), outputs=("w",), summary="A law.")
        for place in ("composite_body.mass_matrix", "newton_euler.gravity_forces")
    ]
    M, g = (robot.law(record)(*state) for record in records)
    assert np.array_equal(M, robot.mass_matrix(*state))
    assert np.array_equal(g, robot.gravity_forces(*state))


@pytest.mark.parametrize(
    ("inputs", "function", "words"),
    [
        ("z", lambda mechanism, z: z[0], "input 'z', whose size no robot gives. Known: q, v, a, tau"),
        ("q", lambda mechanism, q: None, "w of own is a number, .* the recursion returned None"),
        ("q", lambda mechanism, q: [q[0], "x"], "the recursion returned 'x'"),
        ("q", lambda mechanism, q: [[q[0]], [q[0], q[1]]], "returned lists of different lengths"),
    ],
)
def test_wrong_inputs_and_results_of_a_law_are_named(
    inputs: str, function: Callable[..., Any], words: str
) -> None:
    law = replace(own_law(function), inputs=tuple(inputs))
    with pytest.raises(WrongValue, match=words):
        rk.load("planar_2r").law(law)([3.0, 4.0])


def test_an_option_may_be_a_number() -> None:
    law = replace(own_law(lambda mechanism, q, factor: factor * q[0]), options={"factor": 2})
    bound = rk.load("planar_2r").law(law)
    state = [3.0, 4.0]
    values = bound(state), bound(state, factor=0.5), bound(state, factor=5), bound.fix(factor=7)(state)
    assert values == (6.0, 1.5, 15.0, 21.0)
    with pytest.raises(WrongValue, match="factor of own is a finite number, not 'x'"):
        bound(state, factor="x")
