"""Chains of any length with general geometry: our robot and Pinocchio's, from the same numbers."""

from dataclasses import dataclass
from itertools import starmap

import numpy as np
import pinocchio as pin

from benchmarks.peers.pinocchio_model import PinocchioModel
from benchmarks.states import Array
from rikigaku.model.geometry import ModifiedDH, Placement
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint
from rikigaku.model.robot_model import Frame, Link
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.robot import Robot

TIP = "tip"
TIP_DISTANCE = 0.1  # from the last joint along its x axis [m]


@dataclass(frozen=True)
class ChainLink:
    """Modified Denavit-Hartenberg numbers [rad, m], mass [kg], centre [m], inertia about it [kg m^2]."""

    alpha: float
    a: float
    d: float
    mass: float
    center: Array
    tensor: Array


def random_links(count: int, seed: int = 1) -> list[ChainLink]:
    """Short links with oblique axes and full inertia tensors: no angle or offset that could fold."""
    rng = np.random.default_rng(seed)

    def one() -> ChainLink:
        alpha, a, d = rng.uniform(0.2, 1.4), *rng.uniform(0.02, 0.1, 2)
        # The tensor of point masses is physical.
        points = rng.normal(scale=0.05, size=(8, 3))
        points -= points.mean(axis=0)
        mass = rng.uniform(0.5, 2)
        second = mass / len(points) * points.T @ points
        tensor = np.trace(second) * np.eye(3) - second
        center = rng.uniform(-0.05, 0.05, 3)
        alpha, a, d, mass = (round(float(x), 4) for x in (alpha, a, d, mass))
        return ChainLink(alpha, a, d, mass, center.round(4), tensor.round(8))

    return [one() for _ in range(count)]


def our_chain(links: list[ChainLink]) -> Robot:
    """The chain as a robot of ours, with a frame at its tip."""

    def link(i: int, x: ChainLink) -> Link:
        upper = x.tensor[np.triu_indices(3)]
        position, tensor = (tuple(map(Formula.of, y.tolist())) for y in (x.center, upper))
        inertia = Inertia("com", Formula.of(x.mass), position, tensor)  # type: ignore[arg-type]
        dh = ModifiedDH(Formula.of(x.alpha), Formula.of(x.a), ZERO, Formula.of(x.d))
        return Link(f"link{i}", f"link{i - 1}" if i else "base", Joint(f"joint{i}"), dh, inertia)

    made = tuple(starmap(link, enumerate(links)))
    tip = Frame(TIP, made[-1].name, Placement(xyz=(Formula.of(TIP_DISTANCE), ZERO, ZERO)))
    return Robot(f"chain{len(links)}", made, (tip,))


def pinocchio_chain(links: list[ChainLink]) -> PinocchioModel:
    """The same chain, built joint by joint in Pinocchio."""
    model, last = pin.Model(), 0
    for i, x in enumerate(links):
        c, s = np.cos(x.alpha), np.sin(x.alpha)
        R = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        placement = pin.SE3(R, np.array([x.a, 0, 0]) + R @ [0, 0, x.d])
        last = model.addJoint(last, pin.JointModelRZ(), placement, f"joint{i}")
        model.appendBodyToJoint(last, pin.Inertia(x.mass, x.center, x.tensor), pin.SE3.Identity())
    offset = pin.SE3(np.eye(3), np.array([TIP_DISTANCE, 0, 0]))
    frame = model.addFrame(pin.Frame(TIP, last, 0, offset, pin.FrameType.OP_FRAME))
    return PinocchioModel(model, tuple(model.names)[1:], False, frame)
