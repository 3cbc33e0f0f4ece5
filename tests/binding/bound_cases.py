"""Small robots and random inputs for the laws bound to them."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import rikigaku as rk
from rikigaku.laws.catalogue import laws_of
from rikigaku.model.geometry import ModifiedDH
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint
from rikigaku.model.robot_model import Loop, LoopEnd
from rikigaku.numbers.formula import Formula

LAWS = laws_of("tree")

ROWS = 19


@cache
def arm() -> rk.Robot:
    """Two joints, one of them with friction, numbers only."""
    robot = rk.load("planar_2r").bind(l1=0.5, l2=0.4, m1=1.2, m2=0.7)
    links = list(robot.links)
    links[0] = replace(
        links[0], joint=replace(links[0].joint, viscous=Formula.of("0.3"), coulomb=Formula.of("0.2"))
    )
    return replace(robot, links=tuple(links))


@cache
def subject(law: str) -> rk.Robot:
    """The arm; for laws of loops its far end is pinned to the ground."""
    if not LAWS[law].loops:
        return arm()
    return replace(
        arm(),
        loops=(Loop("pin", "revolute", LoopEnd("link2", ModifiedDH(a=Formula.of("0.4"))), LoopEnd("base")),),
    )


def pendulum(joint: Joint | None = None, inertia: Inertia | None = None) -> rk.Robot:
    mass = inertia or Inertia(
        "origin", Formula.of("m"), tensor=tuple(Formula.of(x) for x in ("m", "0", "0", "m", "0", "m"))
    )
    return rk.Robot("pendulum", (rk.Link("bob", "base", joint or Joint("j"), inertia=mass),))


def given(
    robot: rk.Robot, law: str, rows: int | None = None, seed: int = 0
) -> tuple[list[np.ndarray], dict[str, Any]]:
    """Random inputs of a law, and the options it insists on."""
    rng = np.random.default_rng(seed)
    sizes = {"q": robot.nq, "v": robot.nv, "a": robot.nv, "tau": robot.nv}
    batch = () if rows is None else (rows,)
    options = {"frame": robot.frame_names[-1]} if "frame" in LAWS[law].options else {}
    return [rng.normal(size=(*batch, sizes[name])) for name in LAWS[law].inputs], options


def arm_with_length(symbol: str) -> rk.Robot:
    links = []
    for k, parent in enumerate(("base", "link0")):
        inertia = rk.Inertia("com", 1.0 + k, (0.1, 0.2, 0), (0.1, 0, 0, 0.1, 0, 0.1))
        links.append(
            rk.Link(f"link{k}", parent, rk.Joint(f"j{k}"), rk.ModifiedDH("pi/2", symbol if k else 0), inertia)
        )
    return rk.Robot("arm", tuple(links))
