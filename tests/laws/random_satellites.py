"""Random satellites: three reaction wheels and several arms, joints that turn and slide, on a free base."""

import numpy as np
from random_robots import random_inertia

from rikigaku.model.geometry import Placement
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint
from rikigaku.model.robot_model import Frame, Link
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot

Triple = tuple[Formula, Formula, Formula]
WHEELS = 3


def random_satellite(seed: int, arms: tuple[int, ...] = (3, 2, 3), base: str = "free") -> Robot:
    """Coordinates: the base, the wheels, then arm by arm (so many joints each); frames "hand1", "hand2", ...

    Wheels turn about their own axis of symmetry, through their centre of mass: turning one moves no mass.
    """
    rng = np.random.default_rng(seed)
    carrier = Joint("base", base, actuated=False)
    links = [Link("satellite", "world", carrier, _place(rng), random_inertia(rng))]
    for k in range(1, WHEELS + 1):
        m, across, along = (Formula.of(f"{x:.3f}") for x in rng.uniform(0.1, 0.4, 3))
        zero = Formula.of(0)
        disc = Inertia("com", m, (zero,) * 3, (across, zero, zero, across, zero, along))
        links.append(Link(f"disc{k}", "satellite", Joint(f"wheel{k}"), _place(rng), disc))
    frames = []
    for arm, size in enumerate(arms, 1):
        parent = "satellite"
        for k in range(1, size + 1):
            kind = "prismatic" if rng.random() < 0.35 else "revolute"
            joint = Joint(f"q{arm}{k}", kind, _triple(rng, 0.2, 1.0))
            links.append(Link(f"l{arm}{k}", parent, joint, _place(rng), random_inertia(rng)))
            parent = links[-1].name
        frames.append(Frame(f"hand{arm}", parent, _place(rng)))
    zero = Formula.of(0)
    return Robot(f"satellite {seed}", tuple(links), tuple(frames), gravity=(zero,) * 3, base="world")


def _place(rng: np.random.Generator) -> Placement:
    return Placement(_triple(rng, -0.6, 0.6), _triple(rng, -3.0, 3.0))


def _triple(rng: np.random.Generator, low: float, high: float) -> Triple:
    x, y, z = (Formula.of(f"{x:.2f}") for x in rng.uniform(low, high, 3))
    return x, y, z
