"""Robots with loops of real size: Cassie (two legs on a free pelvis), and a humanoid whose ankles have rods.

Joints are without friction, springs and rotors, which the engines treat in different ways. A universal joint
is two revolute ones with a cross of 10 g between them, which all engines have.
"""

from dataclasses import replace

import numpy as np

import rikigaku as rk
from benchmarks.states import Array
from rikigaku.numbers.formula import ZERO

_CROSS = rk.Inertia("com", 0.01, (0, 0, 0), (1e-6, 0, 0, 1e-6, 0, 1e-6))
# A closed posture of one leg: see its file.
_LEG = {
    "pitch": 0.5, "knee": -1.2, "toe": -1.6, "achilles_1": -0.017574074109976356,
    "achilles_2": 0.06889587288751502, "ankle": 1.4269743400682238, "crank": -1.4920378964804846,
    "plantar": 1.4736369224536687,
}  # fmt: skip
# Ankle rods of the humanoid [m]: heights of crank and ankle in the shank, length of cranks, distance of rods.
_CRANK, _ANKLE, _ARM, _SIDE = -0.15, -0.4362, 0.05, 0.04


def cassie() -> tuple[rk.Robot, Array]:
    """Two left legs of Cassie on a free pelvis, and a closed posture."""
    leg = rk.load("cassie_leg")
    pelvis, *others = leg.links
    links = [replace(pelvis, joint=rk.Joint("pelvis", "free"), geometry=rk.Placement())]
    loops, independent = [], ["pelvis"]
    for side, y in (("left_", "0.135"), ("right_", "-0.135")):
        for link in others:
            if link.parent == "pelvis":
                link = replace(link, geometry=rk.Placement(("0.021", y, "0"), link.geometry.rpy))
            links += _revolute(side, link)
        for loop in leg.loops:
            ends = [replace(end, link=side + end.link) for end in (loop.start, loop.end)]
            loops.append(replace(loop, name=side + loop.name, start=ends[0], end=ends[1]))
        independent += [side + name for name in leg.independent]
    robot = rk.Robot("cassie", tuple(links), loops=tuple(loops), independent=tuple(independent))
    return robot, _posture(robot, {side + k: x for side in ("left_", "right_") for k, x in _LEG.items()})


def humanoid_with_rods() -> tuple[rk.Robot, Array]:
    """The humanoid of 32 joints with two cranks and rods at each ankle, and its neutral posture."""
    own = rk.load("humanoid_32")
    links = [x for link in own.links for x in _revolute("", link)]
    rod = rk.Inertia("com", 0.2, (0, 0, (_ANKLE - _CRANK) / 2), (1e-3, 0, 0, 1e-3, 0, 1e-5))
    arm = rk.Inertia("com", 0.1, (-_ARM / 2, 0, 0), (1e-5, 0, 0, 4e-5, 0, 4e-5))
    loops = []
    for leg in ("left", "right"):
        for number, y in ((1, _SIDE), (2, -_SIDE)):
            name = f"{leg}_{{}}_{number}".format
            at = rk.Placement((0, y, _CRANK))
            links.append(
                rk.Link(
                    name("crank"), f"{leg}_shank", rk.Joint(name("crank"), "revolute", (0, 1, 0)), at, arm
                )
            )
            swings = rk.Joint(name("rod_roll"), "revolute", (1, 0, 0))
            links.append(rk.Link(name("cross"), name("crank"), swings, rk.Placement((-_ARM, 0, 0)), _CROSS))
            swings = rk.Joint(name("rod_pitch"), "revolute", (0, 1, 0))
            links.append(rk.Link(name("rod"), name("cross"), swings, rk.Placement(), rod))
            ends = (
                rk.LoopEnd(name("rod"), rk.Placement((0, 0, _ANKLE - _CRANK))),
                rk.LoopEnd(f"{leg}_foot", rk.Placement((-_ARM, y, 0))),
            )
            loops.append(rk.Loop(name("end"), "spherical", *ends))
    independent = tuple(joint.name for joint in own.joints)
    robot = replace(
        own, name="humanoid_rods", links=tuple(links), loops=tuple(loops), independent=independent
    )
    return robot, _posture(robot, {})


def closed_near(robot: rk.Robot, q: Array, spread: float, count: int) -> Array:
    """Random closed configurations near q (count, nq)."""
    rng = np.random.default_rng(0)
    found = robot.integrate(
        np.broadcast_to(q, (count, robot.nq)), spread * rng.normal(size=(count, robot.nv))
    )
    for _ in range(12):
        found = robot.integrate(found, robot.loop_projection_step(found))
    if (left := float(np.abs(robot.loop_residual(found)).max())) > 1e-12:
        raise AssertionError(f"Loops of {robot.name!r} are open by {left:.1e}.")
    return found


def _revolute(prefix: str, link: rk.Link) -> list[rk.Link]:
    """The link under its new name, joints plain; a universal joint becomes two revolute ones."""
    name, joint = prefix + link.name, link.joint
    parent = link.parent if link.parent in ("base", "world", "pelvis") else prefix + link.parent
    plain = replace(
        joint, name=prefix + joint.name, viscous=ZERO, coulomb=ZERO, rotor=ZERO, stiffness=ZERO, rest=ZERO
    )
    if joint.type != "universal":
        return [replace(link, name=name, parent=parent, joint=plain)]
    axes = [rk.Joint(f"{prefix}{joint.name}_{k}", "revolute", axis, actuated=False)
            for k, axis in ((1, joint.axis), (2, joint.second_axis))]  # fmt: skip
    cross = rk.Link(f"{name}_cross", parent, axes[0], link.geometry, _CROSS)
    return [cross, replace(link, name=name, parent=cross.name, joint=axes[1], geometry=rk.Placement())]


def _posture(robot: rk.Robot, values: dict[str, float]) -> Array:
    q = np.array(robot.neutral())
    for name, x in values.items():
        q[robot.q_slices[name]] = x
    return closed_near(robot, q, 0.0, 1)[0]
