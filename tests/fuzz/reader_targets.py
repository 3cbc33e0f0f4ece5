"""Every reader with a strategy for its inputs: valid robots, edited.

A reader may return a robot or raise an error of ours. Anything else is a find.
"""

import copy
import math
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import array_layouts
import seed_robots
from hypothesis import strategies as st
from rosam.rosam_robots import section_6, two_handed
from text_edits import NUMBERS, WORDS, edited, edits, random_edits

from rikigaku.core.errors import RikigakuError
from rikigaku.core.input_limits import MESSAGE_CHARACTERS
from rikigaku.formats.mjcf.mjcf_reader import parse_mjcf
from rikigaku.formats.sdf.sdf_reader import parse_sdf
from rikigaku.formats.symoro.par_reader import parse_par
from rikigaku.formats.toml.toml_file import parse_toml, to_toml
from rikigaku.formats.urdf.urdf_reader import parse_urdf
from rikigaku.formats.urdf.urdf_side_file import with_loops
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.formula import Formula
from rikigaku.rosam.data_reader import unchecked_robot

_URDF = parse_urdf(seed_robots.URDF[0])


@dataclass(frozen=True)
class Target:
    """A reader: `inputs` is a strategy of data that JSON can hold, `read` the call.

    random: an input of the same kind without Hypothesis, whose own work takes longer than reading.
    """

    inputs: st.SearchStrategy[Any]
    read: Callable[[Any], Any]
    random: Callable[[Random], Any] | None = None


def outcome(target: Target, given: Any) -> str:
    """What reading gave: "robot" or "refused"; any other error passes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = target.read(given)
        except RikigakuError as error:
            message = str(error)
        else:
            if isinstance(result, RobotModel):
                _saves(result)
            return "robot"
    assert len(message.encode()) <= 6 * MESSAGE_CHARACTERS, "a message is too long"
    return "refused"


def _saves(robot: RobotModel) -> None:
    """What was read can be saved, and reads back equal."""
    try:
        text = to_toml(robot)
    except RikigakuError:  # a formula that is too long to be read again
        return
    again = parse_toml(text)
    assert again == robot, "the saved robot differs"


def _text_target(seeds: tuple[str, ...], read: Callable[[str], Any]) -> Target:
    return Target(
        st.builds(edited, st.sampled_from(seeds), edits),
        read,
        lambda rng: edited(rng.choice(seeds), random_edits(rng)),
    )


def _formula(given: Any) -> None:
    kind, text = given
    formula = Formula.of(_NUMBERS[kind](text))
    shown = str(formula)
    formula._repr_latex_()
    if formula.is_number:
        assert math.isfinite(float(formula))
    elif len(shown) <= 1000:
        assert Formula.of(shown) == formula


def _whole(text: str) -> int:
    return int(text, 16)


_NUMBERS: dict[str, Callable[[str], Any]] = {
    "text": str,
    "whole": _whole,
    "float": float.fromhex,
    "decimal": Decimal,
    "fraction": lambda text: Fraction(*map(_whole, text.split("/"))),
}


_atoms = st.sampled_from([*NUMBERS, *WORDS, "x", "sin(x)", "1/3", "30*deg", "9e399", "3^6000", "sqrt(2)"])
_formulas = st.recursive(
    _atoms,
    lambda inner: (
        st.builds(
            "{}{}{}".format, inner, st.sampled_from(["+", "-", "*", "/", "^", "**", " ", "^-", ""]), inner
        )
        | st.builds("{}({})".format, st.sampled_from(["sin", "cos", "sqrt", "sign", "", "-", "f"]), inner)
        | st.builds(lambda text, count: "*".join([text] * count)[:3000], inner, st.integers(2, 60))
    ),
    max_leaves=12,
)
_large = (10**5000, -(10**4300), 10**4299, 2**13_999, 2**14_000, 3**9000)
_numbers = (
    st.tuples(st.just("whole"), (st.integers(-(10**40), 10**40) | st.sampled_from(_large)).map(hex))
    | st.tuples(st.just("float"), st.floats().map(float.hex))
    | st.tuples(st.just("decimal"), st.decimals().map(str) | st.sampled_from(["1e999999", "0." + "3" * 2000]))
    | st.tuples(
        st.just("fraction"),
        st.fractions().map(lambda x: f"{x.numerator:#x}/{x.denominator:#x}")
        | st.sampled_from(_large).map(lambda x: f"0x1/{x:#x}"),
    )
)

# The corpus names these by their places: only append.
_ODD = (
    *(None, True, -1, 0, 1, 5, 10**12, 10**5000, 1e308, float("nan"), float("inf"), "", "q1", "L", "R", "P"),
    *(
        "free",
        "1/0",
        "x" * 2000,
        (),
        [],
        {},
        [[]],
        [1, 2],
        [0, 0, 0, 0],
        {"value": 1},
        {"Links": []},
        b"x",
        1j,
    ),
    *(
        Fraction(1, 3),
        Decimal("1e500"),
        object(),
        [0, 1],
        [[1, 1], [2, 2]],
        {"lower": "a"},
        {"a": 1},
        "closed",
    ),
)


def _table(given: Any) -> dict[str, Any]:
    """RobotData as a table, with values replaced, deleted or repeated anywhere in it."""
    which, changes = given
    table = copy.deepcopy(_TABLES[which])
    for place, odd, action in changes:
        places = list(_places(table))
        if not places:
            continue
        container, key = places[place % len(places)]
        if action == "replace":
            container[key] = copy.deepcopy(_ODD[odd % len(_ODD)])
        elif action == "delete":
            del container[key]
        elif action == "rename" and isinstance(container, dict):
            container[["General", "BranchInfo.3", "DH", "x", 5, "symbols", "limits"][odd % 7]] = (
                container.pop(key)
            )
        elif isinstance(container, list):
            container.insert(odd % (len(container) + 1), copy.deepcopy(container[key]))
    return table


def _places(x: Any) -> Any:
    """Every place in nested tables and lists, as (container, key)."""
    items = list(x.items()) if isinstance(x, dict) else list(enumerate(x)) if isinstance(x, list) else []
    for key, value in items:
        yield x, key
        yield from _places(value)


def _lists(x: Any) -> Any:
    if isinstance(x, dict):
        return {key: _lists(value) for key, value in x.items()}
    return [_lists(value) for value in x] if isinstance(x, list | tuple) else x


_TABLE_ACTIONS = ("replace", "replace", "delete", "rename", "repeat")
_TABLES = (_lists(section_6()), _lists(two_handed()))
_changes = st.lists(
    st.tuples(
        st.integers(0, 9999),
        st.integers(0, 9999),
        st.sampled_from(_TABLE_ACTIONS),
    ),
    min_size=1,
    max_size=5,
)


def _random_changes(rng: Random) -> list[Any]:
    changes = [
        (rng.randrange(10_000), rng.randrange(10_000), rng.choice(_TABLE_ACTIONS))
        for _ in range(rng.randint(1, 5))
    ]
    return [rng.randrange(len(_TABLES)), changes]


TARGETS = {
    "toml": _text_target(seed_robots.TOML, parse_toml),
    "urdf": _text_target(seed_robots.URDF, parse_urdf),
    "mjcf": _text_target(seed_robots.MJCF, lambda text: parse_mjcf(text, files=seed_robots.INCLUDED)),
    "sdf": _text_target(seed_robots.SDF, parse_sdf),
    "par": _text_target(seed_robots.PAR, parse_par),
    "loops": _text_target(seed_robots.LOOPS, lambda text: with_loops(_URDF, text)),
    "formula": Target(st.tuples(st.just("text"), _formulas) | _numbers, _formula),
    "robot_data": Target(
        st.tuples(st.sampled_from(range(len(_TABLES))), _changes),
        lambda given: unchecked_robot(_table(given)),
    ),
    "layouts": Target(array_layouts.calls.map(asdict), lambda given: array_layouts.check(_call(given))),
}


def _call(given: dict[str, Any]) -> array_layouts.Call:
    layouts = [None if x is None else _layout(x) for x in (*given["inputs"], given["out"])]
    fields = {**given, "batch": tuple(given["batch"]), "inputs": tuple(layouts[:3]), "out": layouts[3]}
    return array_layouts.Call(**fields)


def _layout(given: dict[str, Any]) -> array_layouts.Layout:
    lists = {key: tuple(x) if isinstance(x, list) else x for key, x in given.items()}
    return array_layouts.Layout(**lists)
