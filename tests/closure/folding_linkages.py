"""Linkages that also close folded flat, where they have more freedoms than they are built for."""

import rikigaku as rk
from rikigaku.model.geometry import Placement
from rikigaku.model.robot_model import Link, Loop, LoopEnd
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot

ZERO = ("0", "0", "0")
ALONG_Y = ("pi/2", "0", "0")  # turns z towards -y
ALONG_X = ("0", "pi/2", "0")
Three = tuple[str, str, str]


def F(three: Three) -> tuple[Formula, Formula, Formula]:
    x, y, z = (Formula.of(item) for item in three)
    return x, y, z


def link(
    name: str, parent: str, xyz: Three, axis: Three, *, kind: str = "revolute", mass: str = "1",
    com: Three = ("1/5", "0", "0"), driven: bool = False,
) -> Link:  # fmt: skip
    inertia = rk.Inertia("com", Formula.of(mass), F(com), (*F(("1/50", "0", "0")), *F(("1/40", "0", "1/30"))))
    return Link(name, parent, rk.Joint(name, kind, F(axis), actuated=driven), Placement(F(xyz)), inertia)


def cut(name: str, one: str, at: Three, other: str, there: Three, rpy: Three = ALONG_Y) -> Loop:
    ends = (LoopEnd(one, Placement(F(at), F(rpy))), LoopEnd(other, Placement(F(there), F(rpy))))
    return Loop(name, "revolute", *ends)


def sarrus(*, independent: tuple[str, ...] = ()) -> Robot:
    """Two chains of three hinges, at right angles, lift a plate: arms of equal length, which also fold."""
    Y, X = ("0", "1", "0"), ("1", "0", "0")
    links = (
        link("a1", "base", ("3/10", "0", "0"), Y, driven=True),
        link("a2", "a1", ("2/5", "0", "0"), Y),
        link("b1", "base", ("0", "3/10", "0"), X, com=("0", "1/5", "0")),
        link("b2", "b1", ("0", "2/5", "0"), X, com=("0", "1/5", "0")),
        link("plate", "a2", ("2/5", "0", "0"), Y, mass="5", com=("-3/10", "0", "0")),
    )
    loop = cut("b3", "b2", ("0", "2/5", "0"), "plate", ("-3/10", "3/10", "0"), ALONG_X)
    return Robot("sarrus", links, loops=(loop,), independent=independent)


def scissor() -> Robot:
    """A lift of two crossed pairs of arms (2 m, at 3:4 when q = 0), as a program for drawing writes it.

    Every frame has the axes of the world at q = 0, which closes the loops. Where ends of arms meet in other
    configurations, arms of one length turn alone.
    """
    Y, X = ("0", "1", "0"), ("1", "0", "0")
    links = (
        link("a0", "base", ZERO, Y, com=("4/5", "0", "3/5")),
        link("drive", "base", ("8/5", "0", "0"), X, kind="prismatic", driven=True),
        link("b0", "drive", ZERO, Y, com=("-4/5", "0", "3/5")),
        link("b1", "a0", ("8/5", "0", "6/5"), Y, com=("-4/5", "0", "3/5")),
        link("a1", "b0", ("-8/5", "0", "6/5"), Y, com=("4/5", "0", "3/5")),
        link("deck", "b1", ("-8/5", "0", "6/5"), Y, mass="30", com=("4/5", "0", "0")),
        link("shoe", "deck", ("8/5", "0", "0"), X, kind="prismatic"),
    )
    loops = (
        cut("x0", "a0", ("4/5", "0", "3/5"), "b0", ("-4/5", "0", "3/5")),
        cut("x1", "a1", ("4/5", "0", "3/5"), "b1", ("-4/5", "0", "3/5")),
        cut("s2", "a1", ("8/5", "0", "6/5"), "shoe", ZERO),
    )
    return Robot("scissor", links, loops=loops)
