"""The coordinates of a tied mesh: what its shape consists of, and in which order ties are followed.

A `State` holds places and quaternions of the nodes that hang on nothing, turns and slides y of joints, and
quaternions S of balls. Its rates nu are the velocities of those nodes (world axes), those of y, and the
angular velocities of balls in body axes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.fem.ties import Tie
from rikigaku.model.mechanism import Gear

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Name = int | str


@dataclass(frozen=True, eq=False)
class State:
    """Shapes, samples first: p (samples, free nodes, 3), Q (.., .., 4), y (.., turns), S (.., balls, 4)."""

    p: Array
    Q: Array
    y: Array
    S: Array

    def at(self, samples: Any) -> "State":
        """Some of the samples; a slice or an array."""
        return State(self.p[samples], self.Q[samples], self.y[samples], self.S[samples])


def stacked(states: Sequence[State]) -> State:
    """Samples of all, one after the other."""
    parts = [(x.p, x.Q, x.y, x.S) for x in states]
    p, Q, y, S = (np.concatenate(part) for part in zip(*parts, strict=True))
    return State(p, Q, y, S)


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Where each coordinate has its number: {name: (place in y, factor)}, {name: place in S}.

    Two joints a gear couples are one number with two factors.
    """

    scalar: dict[Name, tuple[int, float]]
    ball: dict[Name, int]

    @property
    def count(self) -> tuple[int, int]:
        """Numbers in y, quaternions in S."""
        return len({place for place, _ in self.scalar.values()}), len(self.ball)


def coordinates(ties: Sequence[Tie], gears: Sequence[Gear]) -> Coordinates:
    """Of all ties; of a gear both joints are held, or none."""
    names: list[Name] = [t.coordinate for t in ties if t.coordinate is not None and t.ball is None]
    balls: list[Name] = [t.coordinate for t in ties if t.coordinate is not None and t.ball is not None]
    follows: dict[Name, tuple[Name, float]] = {
        gear.joint[1]: (gear.reference[1], float(gear.ratio)) for gear in gears if gear.joint[1] in names
    }
    place = {name: k for k, name in enumerate(name for name in names if name not in follows)}
    return Coordinates(
        {name: _resolved(name, follows, place) for name in names}, {name: k for k, name in enumerate(balls)}
    )


def geared(joints: Iterable[int], gears: Sequence[Gear]) -> set[int]:
    """Places in v of joints and of all that turn with them by gears."""
    found = set(joints)
    while new := {
        k for gear in gears for k in (gear.joint[1], gear.reference[1])
        if k not in found and not found.isdisjoint((gear.joint[1], gear.reference[1]))
    }:  # fmt: skip
        found |= new
    return found


def _resolved(
    name: Name, follows: Mapping[Name, tuple[Name, float]], place: Mapping[Name, int]
) -> tuple[int, float]:
    factor = 1.0
    while name in follows:
        name, ratio = follows[name]
        factor *= ratio
    return place[name], factor


@dataclass(frozen=True, eq=False)
class Level:
    """Ties whose upper nodes are all known, as arrays: one step for all of them."""

    node: Index
    to: Index
    arm: Array
    turn: Array
    slide: Array
    scalar: Index  # place in y; one past the end where there is none
    factor: Array
    ball: Index  # place in S; one past the end where there is none
    axes: Array
    back: NDArray[np.bool_]


def levels(ties: Sequence[Tie], numbers: Coordinates) -> list[Level]:
    """From the nodes that hang on nothing outwards."""
    by_node = {tie.node: tie for tie in ties}
    depth: dict[int, int] = {}
    for tie in ties:
        way: list[Tie] = []
        node = tie.node
        while node in by_node and node not in depth:
            way.append(by_node[node])
            node = way[-1].to
        for one in reversed(way):
            depth[one.node] = depth.get(one.to, 0) + 1
    groups: dict[int, list[Tie]] = {}
    for tie in ties:
        groups.setdefault(depth[tie.node], []).append(tie)
    return [_level(groups[d], numbers) for d in sorted(groups)]


def _level(ties: Sequence[Tie], numbers: Coordinates) -> Level:
    turns, balls = numbers.count
    held = (turns, 0.0)
    scalar = [held if t.coordinate is None else numbers.scalar.get(t.coordinate, held) for t in ties]
    ball = [balls if t.coordinate is None else numbers.ball.get(t.coordinate, balls) for t in ties]
    return Level(
        np.array([t.node for t in ties], dtype=np.intp),
        np.array([t.to for t in ties], dtype=np.intp),
        np.array([t.arm for t in ties]),
        np.array([t.turn for t in ties]),
        np.array([t.slide for t in ties]),
        np.array([k for k, _ in scalar], dtype=np.intp),
        np.array([f for _, f in scalar]),
        np.array(ball, dtype=np.intp),
        np.array([np.zeros((3, 3)) if t.ball is None else t.ball for t in ties]),
        np.array([t.back for t in ties]),
    )
