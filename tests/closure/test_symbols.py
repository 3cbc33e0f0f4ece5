"""Closed robots with symbols: a missing value raises an error that names it."""

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.core.errors import MissingValue, WrongValue
from rikigaku.model.geometry import Placement
from rikigaku.model.robot_model import Link, Loop, LoopEnd, Symbol
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot

F = Formula.of


def crank_slider() -> Robot:
    """A crank r, a rod l and a slide along x; the masses are symbols too and do not matter here."""

    def along(length: str) -> Placement:
        return Placement((F(length), F(0), F(0)))

    flat = rk.Inertia("com", F("m"), (F(0), F(0), F(0)), tuple(map(F, (0, 0, 0, 0, 0, "m"))))
    links = (
        Link("crank", "base", rk.Joint("turn"), Placement(), flat),
        Link("rod", "crank", rk.Joint("pin", actuated=False), along("r"), flat),
        Link("block", "base", rk.Joint("slide", "prismatic", axis=(1, 0, 0), actuated=False)),
    )
    loop = Loop("wrist", "revolute", LoopEnd("rod", along("l")), LoopEnd("block", Placement()))
    names = tuple(Symbol(name) for name in ("r", "l", "m"))
    return Robot("crank_slider", links, symbols=names, loops=(loop,), independent=("turn",))


@pytest.mark.parametrize(
    "ask",
    [
        lambda robot: robot.assemble([0.3], r=0.2),
        lambda robot: robot.assembly_mode(np.zeros(3), r=0.2),
        lambda robot: robot.singularity(np.zeros(3), r=0.2),
    ],
)
def test_a_length_without_a_value_is_requested(ask) -> None:
    with pytest.raises(MissingValue, match=r"needs symbols without a value: l\."):
        ask(crank_slider())


def test_reduced_laws_name_missing_symbols_with_the_path_of_the_law() -> None:
    law = crank_slider().reduced.mass_matrix
    q = crank_slider().assemble([0.3], r=0.2, l=0.5)
    for typed, call in (("reduced.mass_matrix", law), ("reduced.mass_matrix.derivative", law.derivative)):
        with pytest.raises(MissingValue) as caught:
            call(q, r=0.2, l=0.5)
        words = str(caught.value)
        assert words.startswith(f"{typed} of robot 'crank_slider' needs symbols without a value: m.")
        assert f"({typed}(..., m=...))" in words


def test_lengths_given_are_those_of_the_configuration() -> None:
    q = crank_slider().assemble([0.3], r=0.2, l=0.5)
    tip = 0.2 * np.exp(0.3j) + 0.5 * np.exp(1j * (q[0] + q[1]))
    np.testing.assert_allclose([tip.real, tip.imag], [q[2], 0], atol=1e-12)


def test_a_length_that_is_no_number_is_refused() -> None:
    with pytest.raises(WrongValue, match="The symbol 'l' of robot 'crank_slider' is a number; nan was given"):
        crank_slider().assemble([0.3], r=0.2, l=float("nan"))
