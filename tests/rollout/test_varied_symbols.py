"""Symbols of loops, gears and dry friction as inputs: each world moves as the robot with its values bound."""

from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import rikigaku as rk
from rikigaku import library
from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array
from rikigaku.formats.toml.toml_file import parse_toml

STEPS: dict[str, Any] = {"steps": 200, "dt": 1e-3, "every": 10}


def edited(name: str, *changes: tuple[str, str], more: str = "") -> rk.Robot:
    """A shipped robot with parts of its file replaced, and text added."""
    text = library.path(name).read_text("utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    model = parse_toml(text + more)
    return rk.Robot(**{field.name: getattr(model, field.name) for field in fields(model)})


def five_bar() -> tuple[rk.Robot, Array, str, list[float]]:
    """A forearm as long as a symbol that no link has, only the loop."""
    cut = 'to = { link = "right_forearm", dh = { a = 0.4 } }'
    robot = edited(
        "five_bar", (cut, cut.replace("0.4", '"l"')), ("\n[[link]]", "\n[symbols]\nl = 0.4\n[[link]]")
    )
    return robot, robot.assemble([1.2, 1.8]), "l", [0.4, 0.39, 0.41, 0.4, 0.395]


def gear() -> tuple[rk.Robot, Array, str, list[float]]:
    """A gear between the joints of an arm."""
    robot = edited(
        "planar_2r", ("[symbols]\n", "[symbols]\nratio = 2\n"),
        more='\n[[coupling]]\njoint = "q2"\nreference = "q1"\nmultiplier = "ratio"\n',
    )  # fmt: skip
    return robot, np.array([0.1, 0.2]), "ratio", [2.0, 1.5, -0.5]


def dry_joint(value: str = "0.1") -> rk.Robot:
    """An arm whose first joint has dry friction by a symbol."""
    joint = 'name = "q1", type = "revolute"'
    return edited(
        "planar_2r", (joint, f'{joint}, friction = {{ coulomb = "2*c" }}'),
        ("[symbols]\n", f"[symbols]\nc = {value}\n"),
    )  # fmt: skip


@pytest.mark.parametrize("make", [five_bar, gear])
def test_symbols_of_loops_and_gears_vary_from_world_to_world(make: Any) -> None:
    """The tree has not these symbols: its program took the array behind them for its result."""
    robot, q0, name, values = make()
    found = robot.rollout(q0, None, parameters={name: values}, **STEPS)
    assert found.status == "done"
    for k, value in enumerate(values):
        bound = robot.bind(**{name: value}).rollout(q0, None, **STEPS)
        np.testing.assert_allclose(found.q[:, k], bound.q[:, 0], rtol=0, atol=1e-12)
    assert np.abs(found.q[-1, 1] - found.q[-1, 0]).max() > 1e-3


@pytest.mark.parametrize("declared", ["0.1", "{}"], ids=["declared", "without value"])
def test_dry_friction_varies_from_world_to_world(declared: str) -> None:
    robot, values = dry_joint(declared), [0.0, 0.05, 0.4, 5.0]
    found = robot.rollout([0.3, 0.2], None, parameters={"c": values}, contacts=[], **STEPS)
    for k, value in enumerate(values):
        bound = robot.bind(c=value).rollout([0.3, 0.2], None, contacts=[], **STEPS)
        np.testing.assert_allclose(found.q[:, k], bound.q[:, 0], rtol=0, atol=1e-12)
    assert np.ptp(found.q[-1, :, 0]) > 1e-2
    assert np.abs(found.q[-1, 3, 0] - 0.3) < 1e-9  # it sticks
    one = robot.rollout([0.3, 0.2], None, parameters={"c": 0.4}, contacts=[], **STEPS)
    np.testing.assert_array_equal(one.q[:, 0], found.q[:, 2])


def test_explicit_joint_friction_replaces_that_of_symbols() -> None:
    robot, own = dry_joint(), [rk.JointFriction("q1", 0.3)]
    found = robot.rollout([0.3, 0.2], None, parameters={"c": [0.0, 9.0]}, contacts=own, **STEPS)
    bound = robot.bind(c=0.0).rollout([0.3, 0.2], None, contacts=own, **STEPS)
    np.testing.assert_allclose(found.q, np.broadcast_to(bound.q, found.q.shape), rtol=0, atol=1e-12)


def test_negative_dry_friction_is_refused() -> None:
    with pytest.raises(WrongValue, match=r"Coulomb friction of joint 'q1' is -0.2 in a world"):
        dry_joint().rollout([0.3, 0.2], None, parameters={"c": [0.1, -0.1]}, contacts=[], **STEPS)
