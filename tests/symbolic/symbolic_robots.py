"""Robots with everything a symbol, and rational states for them: where formulas are tried exactly."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from random_robots import random_robot
from readers import read_toml

import rikigaku as rk
from rikigaku import library
from rikigaku.laws.catalogue import laws_of
from rikigaku.laws.specialization import Specialization, run
from rikigaku.model.inertial_parameters import PARAMETER_NAMES
from rikigaku.model.robot_model import Link
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.number_kind import right_angle_multiple
from rikigaku.numbers.program import flatten
from rikigaku.robot import Robot

LAWS = laws_of("tree")


@cache
def all_symbols(name: str) -> Robot:
    """A shipped robot whose DH lengths, inertias, joint parameters and gravity are symbols; angles stay."""
    robot = read_toml(library.path(name))
    links = []
    for k, link in enumerate(robot.links, 1):
        lengths = {x: f"{x}{k}" for x in ("a", "d") if getattr(link.geometry, x) != 0}
        inertia = rk.Inertia(
            "origin",
            f"m{k}",
            tuple(f"ms{x}{k}" for x in "xyz"),
            tuple(f"{x}{k}" for x in PARAMETER_NAMES[4:]),
        )
        joint = replace(link.joint, viscous=f"fv{k}", coulomb=f"fc{k}", rotor=f"Ia{k}")
        links.append(replace(link, joint=joint, inertia=inertia, geometry=replace(link.geometry, **lengths)))
    gravity = tuple(Formula.of(x) for x in ("gx", "gy", "gz"))
    return replace(robot, name=f"{name} of symbols", links=tuple(links), gravity=gravity)


def mixed_trees() -> list[Robot]:
    """Small trees that together hold every joint type (polynomials in quaternions grow quickly)."""
    groups = (
        ("revolute", "helical"),
        ("universal", "prismatic"),
        ("spherical", "revolute"),
        ("free", "prismatic"),
        ("planar", "revolute"),
    )
    robots = [random_robot(i, 2, types, right_angles=True, drives=True) for i, types in enumerate(groups)]
    return [replace(robot, links=tuple(map(_straight, robot.links))) for robot in robots]


def _straight(link: Link) -> Link:
    """The link with its inertia in axes parallel to its own: every angle a right one."""
    assert link.inertia is not None
    return replace(link, inertia=replace(link.inertia, rpy=(0, 0, 0)))


class Turn(Fraction):
    """A rational number that also knows a rational sine and cosine: a joint angle for polynomials."""

    s: Fraction
    c: Fraction

    @classmethod
    def at(cls, value: Fraction, t: Fraction) -> "Turn":
        self = cls(value)
        self.s, self.c = 2 * t / (1 + t * t), (1 - t * t) / (1 + t * t)
        return self

    def sin(self) -> Fraction:
        return self.s

    def cos(self) -> Fraction:
        return self.c


class Fractions:
    """Constants as fractions, for robots with right angles only."""

    def rational(self, value: Fraction) -> Fraction:
        return value

    def pi(self) -> Fraction:
        raise AssertionError("no pi here")

    def sin_cos(self, angle: Formula) -> tuple[int, int]:
        turns = right_angle_multiple(float(angle))
        assert turns is not None, angle
        return ((0, 1), (1, 0), (0, -1), (-1, 0))[turns % 4]

    def sqrt(self, value: Formula) -> Fraction:
        raise AssertionError("no roots here")


def rational(rng: np.random.Generator) -> Fraction:
    return Fraction(int(rng.integers(-30, 31)) or 7, int(rng.integers(1, 20)))


def rational_state(robot: Robot, seed: int = 0) -> dict[str, list[Fraction]]:
    """Rational q (turning ones with rational sines, quaternions of unit length), v, a, tau."""
    rng = np.random.default_rng([seed, robot.nq])
    q: list[Fraction] = [rational(rng) for _ in range(robot.nq)]
    for joint in robot.joints:
        places = list(range(*robot.q_slices[joint.name].indices(robot.nq)))
        turning = {"revolute": places, "helical": places, "universal": places, "planar": places[2:]}
        for k in turning.get(joint.type, []):
            q[k] = Turn.at(rational(rng), rational(rng))
        if joint.type in ("spherical", "free"):
            q[places[-4] : places[-1] + 1] = unit_quaternion(rng)
    return {"q": q} | {name: [rational(rng) for _ in range(robot.nv)] for name in ("v", "a", "tau")}


def unit_quaternion(rng: np.random.Generator) -> list[Fraction]:
    """The sphere's rational points: stereographic."""
    x, y, z = (rational(rng) for _ in range(3))
    square = x * x + y * y + z * z
    return [(1 - square) / (1 + square), *(2 * u / (1 + square) for u in (x, y, z))]


def symbol_values(robot: Robot, seed: int = 0) -> dict[str, Fraction]:
    rng = np.random.default_rng([seed, 5])
    return {name: abs(rational(rng)) for name in robot.free_symbols}


def generators_at(
    robot: Robot, state: dict[str, list[Fraction]], symbols: dict[str, Fraction]
) -> dict[str, Fraction]:
    """The value of every generator of a formula's ring."""
    at: dict[str, Fraction] = dict(symbols)
    for name, numbers in state.items():
        for k, x in enumerate(numbers):
            at[f"{name}[{k}]"] = Fraction(x)
            at[f"sign({name}[{k}])"] = Fraction((x > 0) - (x < 0))
            if isinstance(x, Turn):
                at[f"sin({name}[{k}])"], at[f"cos({name}[{k}])"] = x.s, x.c
    return at


def options_of(robot: Robot, law: str) -> dict[str, Any]:
    options = dict(LAWS[law].options)
    return options | {"frame": robot.frame_names[-1]} if "frame" in options else options


def on_fractions(
    robot: Robot, law: str, state: dict[str, list[Fraction]], symbols: dict[str, Fraction], **options: Any
) -> list[Fraction]:
    """The law's recursion on plain fractions: no polynomial, no reduction."""
    record = LAWS[law]
    specialization = Specialization(tuple((options_of(robot, law) | options).items()))
    results = run(
        robot, record, specialization, Fractions(), [state[name] for name in record.inputs], symbols
    )
    return [Fraction(x) for value in results.values() for x in flatten(value)]


def elements(formulas: Any) -> Iterator[Any]:
    """The formulas of an array, or the one formula."""
    yield from (formulas.array.flat if hasattr(formulas, "array") else [formulas])


def pairs(q: Sequence[Fraction]) -> list[Any]:
    """q as `value` takes it: turning coordinates by sine and cosine."""
    return [(x.s, x.c) if isinstance(x, Turn) else x for x in q]
