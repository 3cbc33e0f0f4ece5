"""Small closed robots of tests, and closed robots' dynamics by projection with numbers alone."""

from dataclasses import replace
from functools import cache

import numpy as np

import rikigaku as rk
from rikigaku.model.geometry import ModifiedDH, Placement
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.robot_model import Coupling, Link, Loop, LoopEnd
from rikigaku.numbers.formula import Formula
from rikigaku.robot import Robot

Array = np.ndarray


def F(x: object) -> Formula:
    return Formula.of(str(x))


def rod(mass: str, length: str) -> Inertia:
    zero = F(0)
    tensor = (zero, zero, zero, F(f"{mass}*({length})^2/3"), zero, F(f"{mass}*({length})^2/3"))
    return Inertia("origin", F(mass), (F(f"{mass}*({length})/2"), zero, zero), tensor)


_rod = rod


def bar(name: str, parent: str, at: str, length: str, driven: bool = False, mass: str = "1") -> Link:
    """A bar turning about z at a place on its parent's x axis."""
    joint = rk.Joint(f"{name}_angle", "revolute", actuated=driven)
    return Link(name, parent, joint, ModifiedDH(a=F(at)), rod(mass, length))


@cache
def four_bar(crank: str = "0.4", coupler: str = "1", rocker: str = "0.8", ground: str = "0.9") -> Robot:
    """In the plane x, y, cut between coupler and rocker; gravity along -y."""
    links = (
        bar("crank", "base", "0", crank, driven=True),
        bar("coupler", "crank", crank, coupler),
        bar("rocker", "base", ground, rocker),
    )
    ends = LoopEnd("coupler", ModifiedDH(a=F(coupler))), LoopEnd("rocker", ModifiedDH(a=F(rocker)))
    loop = Loop("cut", "revolute", *ends)
    gravity = (F(0), F("-9.81"), F(0))
    return Robot("bars", links, loops=(loop,), independent=("crank_angle",), gravity=gravity)


def parallelogram(long: str = "0.7", short: str = "0.5") -> Robot:
    """A four-bar with equal opposite sides, which can also cross: cranks are the short ones."""
    return four_bar(short, long, short, long)


@cache
def palletiser(upper: str = "0.8", crank: str = "0.3") -> Robot:
    """On a turntable an arm whose elbow is moved from below, through a parallelogram; gravity along -z."""
    upright = ModifiedDH(alpha=F("pi/2"))
    links = (
        Link("waist", "base", rk.Joint("yaw"), ModifiedDH(), rod("3", "0.2")),
        Link("upper", "waist", rk.Joint("shoulder"), upright, rod("2", upper)),
        bar("fore", "upper", upper, crank),
        Link("crank", "waist", rk.Joint("motor"), upright, rod("1", crank)),
        bar("rod", "crank", crank, upper),
    )
    ends = LoopEnd("rod", ModifiedDH(a=F(upper))), LoopEnd("fore", ModifiedDH(a=F(crank)))
    loops = (Loop("pin", "revolute", *ends),)
    return Robot("palletiser", links, loops=loops, independent=("yaw", "shoulder", "motor"))


@cache
def two_sliders(rod: str = "L", independent: tuple[str, ...] = ()) -> Robot:
    """2-PRR: two actuated sliders along x, and rods of the lengths L = 0.5 m and `rod` that meet in a pin."""
    links = []
    for k, length in ((1, "L"), (2, rod)):
        slide = rk.Joint(f"d{k}", "prismatic", axis=(1, 0, 0))
        links.append(Link(f"slider{k}", "base", slide, Placement(), Inertia("origin", F(1 + k))))
        joint = rk.Joint(f"th{k}", actuated=False)
        links.append(Link(f"rod{k}", f"slider{k}", joint, ModifiedDH(), _rod(f"{k}", length)))
    ends = LoopEnd("rod1", ModifiedDH(a=F("L"))), LoopEnd("rod2", ModifiedDH(a=F(rod)))
    symbols, gravity = (rk.Symbol("L", F("0.5")),), (F(0), F("-9.81"), F(0))
    loops = (Loop("pin", "revolute", *ends),)
    return Robot(
        "2-PRR", tuple(links), loops=loops, symbols=symbols, gravity=gravity, independent=independent
    )


@cache
def two_sliders_in_symbols(rod: str = "L") -> Robot:
    """The same 2-PRR with all masses, moments and the lengths L and `rod` as symbols; gravity g along -y."""
    plain = two_sliders(rod)
    zero = F(0)
    links = []
    for k, link in enumerate(plain.links):
        n = k // 2 + 1
        tensor = (zero, zero, zero, zero, zero, F(f"zz{n}"))
        own = Inertia("origin", F(f"m{n}"), (F(f"mx{n}"), zero, zero), tensor)
        links.append(replace(link, inertia=own if k % 2 else Inertia("origin", F(f"M{n}"))))
    lengths = tuple(rk.Symbol(x, F("0.5" if x == "L" else "0.6")) for x in dict.fromkeys(("L", rod)))
    return replace(plain, links=tuple(links), symbols=lengths, gravity=(zero, F("-g"), zero))


@cache
def hybrid(*serial: str) -> Robot:
    """A five-bar with lengths l1, l2, l3, l4, d as symbols, and further joints in series on its left forearm.

    serial: "revolute", "prismatic" along the axes of the five-bar, or "tilted" (revolute, across).
    """
    lengths = {"d": "0.2", "l1": "0.3", "l2": "0.4", "l3": "0.31", "l4": "0.42"}
    links = [
        bar("left", "base", "-d/2", "l1", driven=True),
        bar("left_fore", "left", "l1", "l2"),
        bar("right", "base", "d/2", "l3", driven=True),
        bar("right_fore", "right", "l3", "l4"),
    ]
    for k, kind in enumerate(serial):
        at = ModifiedDH(alpha=F("pi/2" if kind == "tilted" else 0), a=F("0" if k else "l2"))
        joint = rk.Joint(f"serial{k}", "prismatic" if kind == "prismatic" else "revolute")
        links.append(Link(f"body{k}", f"body{k - 1}" if k else "left_fore", joint, at, rod("1", "0.1")))
    ends = LoopEnd("left_fore", ModifiedDH(a=F("l2"))), LoopEnd("right_fore", ModifiedDH(a=F("l4")))
    symbols = tuple(rk.Symbol(name, F(x)) for name, x in lengths.items())
    return Robot("hybrid", tuple(links), loops=(Loop("pin", "revolute", *ends),), symbols=symbols)


@cache
def slider_crank() -> Robot:
    """Crank r, rod l, a slide along x with the rod's end pinned to it; lengths are symbols."""
    slide = rk.Joint("slide", "prismatic", axis=(1, 0, 0), actuated=False)
    links = (
        bar("crank", "base", "0", "r", driven=True),
        bar("rod", "crank", "r", "l"),
        Link("piston", "base", slide, Placement(), Inertia("origin", F("0.5"))),
    )
    loop = Loop("pin", "revolute", LoopEnd("rod", ModifiedDH(a=F("l"))), LoopEnd("piston"))
    symbols = (rk.Symbol("r", F("0.3")), rk.Symbol("l", F("0.7")))
    return Robot("slider crank", links, loops=(loop,), independent=("crank_angle",), symbols=symbols)


def geared_arm() -> Robot:
    """Two joints, the second turning back by twice the angle of the first."""
    arm = rk.load("planar_2r").bind(l1=0.5, l2=0.4, m1=1, m2=1)
    first, second = (joint.name for joint in arm.joints)
    return replace(arm, couplings=(Coupling(second, first, F(-2), F("0.1")),), independent=(first,))


def projected(robot: Robot, q: Array, v: Array, a: Array, places: tuple[int, ...]) -> tuple[Array, Array]:
    """tau of the independent coordinates and the closed mass matrix, by compiled laws and pseudo-inverses."""
    J, others = robot.loop_jacobian(q), [k for k in range(robot.nv) if k not in places]
    P = np.zeros((robot.nv, len(places)))
    P[list(places)] = np.eye(len(places))
    P[others] = -np.linalg.pinv(J[:, others], rcond=1e-9) @ J[:, list(places)]
    full = P @ v
    extra = np.zeros(robot.nv)
    extra[others] = -np.linalg.pinv(J[:, others], rcond=1e-9) @ robot.loop_bias(q, full)
    tau = robot.tree.inverse_dynamics(q, full, P @ a + extra, friction=False)
    return P.T @ tau, P.T @ robot.tree.mass_matrix(q) @ P
