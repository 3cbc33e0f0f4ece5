"""Arguments are compared with the annotations of their function: what fits, what is said of the rest."""

import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import FrozenInstanceError, dataclass, fields
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import pytest
from numpy.typing import ArrayLike

import rikigaku as rk
from rikigaku.core.checked_calls import check_fields, checked, requirement
from rikigaku.core.errors import FrozenData, UnknownName, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.value_text import short


class Sized(Protocol):
    """Something with a size and a call."""

    @property
    def size(self) -> int: ...

    def __call__(self, t: float) -> float: ...


class Ball:
    size = 3

    def __call__(self, t):
        return t


@pytest.mark.parametrize(
    ("annotation", "text", "right", "wrong"),
    [
        (Any, "anything", [None, "x"], []),
        ("Quoted", "anything", [None], []),
        (bool, "True or False", [True, np.bool_(0)], [0, "yes", None]),
        (int, "a whole number", [3, np.int8(3), 10**400], [True, 3.0, "3", None]),
        (float, "a finite number", [3, 0.5, np.float32(1)], [np.nan, np.inf, "1", True, 1j, [1.0], 10**400]),
        (str, "a text", ["", "x"], [b"x", None, 3]),
        (float | None, "a finite number or None", [None, 1], ["None"]),
        (ArrayLike, "an array of real numbers", [1, [[1, 2]], np.zeros(3)], ["x", [None], 1j, {}, [[1], []]]),
        (ArrayLike | None, "None or an array of real numbers", [None, [1]], ["x"]),
        (Array, "an array of real numbers", [[1, 2]], [b"x"]),
        (Literal["a", "b"], "'a' or 'b'", ["a"], ["c", 0, None, np.zeros(2)]),
        (str | Path, "a text or a Path", ["x", Path("x")], [3, b"x"]),
        (Sequence[str], "a sequence (each item a text)", [["a"], (), range(0)], ["ab", [1], None, {"a": 1}]),
        (Sequence[float], "a sequence (each item a finite number)", [np.zeros(0), [1]], [np.zeros(()), [""]]),
        (Iterable[str], "a sequence (each item a text)", [{"a"}, iter("ab")], ["ab", 5, [5]]),
        (tuple[float, float], "a sequence of 2 (each a finite number)", [(1, 2), [1, 2]], [(1,), 1, "ab"]),
        (tuple[int, ...], "a sequence (each item a whole number)", [(), (1, 2, 3)], [(1.5,), 1]),
        (Mapping[str, int], "a mapping (key: a text; value: a whole number)", [{}, {"a": 1}], [{1: 1}, [1]]),
        (Callable[[int, int], int], "a function of 2 arguments", [max, lambda a, b: a], [lambda: 1, int, 5]),
        (Callable[..., Any], "a function", [print], [5]),
        (Sized, "a Sized (an object with size, __call__)", [Ball()], [Ball, 5, print]),
        (Ball, "a Ball", [Ball()], [Ball, None]),
    ],
)
def test_an_annotation_states_what_an_argument_is(annotation, text, right, wrong):
    found = requirement(annotation)
    assert found.text == text
    assert [x for x in right if not found.holds(x)] == []
    assert [x for x in wrong if found.holds(x)] == []


@checked
def drop(height: float, mass: float = 1.0, *names: str, **options: int) -> float:
    """The energy of a fall."""
    if height < 0:
        raise WrongValue("A fall has a height above zero.")
    return height * mass * len("".join(names)) + sum(options.values())


def test_a_call_that_succeeds_is_the_call_of_the_function():
    assert drop(2.0, 3.0, "a", n=1) == 7.0
    assert drop.__doc__ == "The energy of a fall."
    assert pickle.loads(pickle.dumps(drop)) is drop


def test_the_argument_that_does_not_fit_is_named_and_the_cause_is_kept():
    with pytest.raises(WrongValue, match=r"^mass of drop is a finite number; 'x' was given\.$") as caught:
        drop(1.5, "x")
    assert isinstance(caught.value.__cause__, TypeError)
    with pytest.raises(WrongValue, match="Argument 2 of drop is a text; 5 was given"):
        drop(1.0, 1.0, "a", 5)
    with pytest.raises(WrongValue, match="n of drop is a whole number; None was given"):
        drop(1.0, n=None)


def test_words_of_the_function_itself_come_first():
    with pytest.raises(WrongValue, match="A fall has a height above zero"):
        drop(-1.0, "x")


def test_missing_and_unknown_arguments_are_named():
    with pytest.raises(WrongValue, match="drop takes height, mass: missing a required argument: 'height'"):
        drop()

    @checked
    def lift(height: float, *, mass: float = 1.0) -> float:
        return height * mass

    with pytest.raises(UnknownName, match=r"The call lift\(\.\.\.\) has no option named 'mas'.*'mass'"):
        lift(1.0, mas=2.0)


def test_an_error_of_a_call_whose_arguments_fit_is_raised_as_it_is():
    @checked
    def apply(f: Callable[[float], float]) -> float:
        return f(0.0)

    with pytest.raises(ZeroDivisionError):
        apply(lambda x: 1 / x)


def test_fields_of_data_are_compared_when_they_are_made():
    @dataclass(frozen=True)
    class Weight:
        mass: float
        name: str = ""

        def __post_init__(self) -> None:
            check_fields(self)

    assert Weight(1).mass == 1
    with pytest.raises(WrongValue, match="mass of Weight is a finite number; 'x' was given"):
        Weight("x")


class Mute:
    def __repr__(self):
        raise RuntimeError("this repr fails")


def test_any_value_is_shown_in_a_line():
    for x in (Mute(), [Mute()], 10**5000, [10**5000], "x" * 10**6, b"x" * 10**6, np.zeros(9999)):
        shown = short(x)
        assert 0 < len(shown) <= 80
        assert "\n" not in shown


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: rk.Contact("hand", rk.Plane(), fricton=1), "Did you mean 'friction'"),
        (lambda: rk.Joint("j", typ="revolute"), "Did you mean 'type'"),
        (lambda: rk.Link(), "missing a required argument: 'name'"),
        (lambda: rk.Robot(), "^Robot takes name, links"),
        (
            lambda: rk.Robot("a", lnks=()),
            r"The call Robot\(...\) has no option named 'lnks'. Did you mean 'links'",
        ),
    ],
)
def test_constructors_of_data_name_wrong_arguments(call: Callable[[], object], words: str) -> None:
    with pytest.raises(rk.RikigakuError, match=words):
        call()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gravity", r"^Robot is frozen: .* dataclasses.replace\(..., gravity=...\) returns a new one"),
        ("gravty", "no field named 'gravty'. Did you mean 'gravity'"),
        ("nq", "no field named 'nq'"),
        ("mass_matrix", "no field named 'mass_matrix'"),
    ],
)
def test_no_attribute_of_a_robot_is_assigned(name: str, words: str) -> None:
    robot = rk.load("planar_2r")
    before = robot.nq, robot.mass_matrix, robot.gravity
    with pytest.raises(FrozenData, match=words):
        setattr(robot, name, 3)
    assert not hasattr(robot, "gravty")
    assert (robot.nq, robot.mass_matrix, robot.gravity) == before


def test_assignments_to_parts_of_a_robot_say_how_to_edit_them() -> None:
    for part in (rk.Joint("j"), rk.Link("l", "base", rk.Joint("j")), rk.Contact("hand", rk.Plane())):
        name = fields(part)[0].name
        with pytest.raises(FrozenInstanceError, match=rf"frozen: .* dataclasses.replace\(..., {name}=...\)"):
            setattr(part, name, "x")
