"""Robots as MJCF files for MuJoCo: bodies, joints, actuators, and loops as equalities between sites.

A spherical cut joint is a `connect`, a fixed one a `weld`, a revolute one two `connect`s on its axis.
"""

from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from rikigaku.core.caller_warnings import warn_caller
from rikigaku.core.errors import IgnoredWarning, WrongValue
from rikigaku.core.files import write_whole
from rikigaku.formats.mjcf.mjcf_joints import UNBOUNDED
from rikigaku.formats.offset_joints import Names
from rikigaku.formats.simple_bodies import Motion, Piece, number, numbers, pieces, require_numbers, weight
from rikigaku.model.float_poses import Rigid, quaternion_of, rigid_of, shifted
from rikigaku.model.joint import Limits
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.model.robot_model import Loop, RobotModel

# MuJoCo refuses moving bodies lighter than 1e-15; less than this changes no result to 1e-9.
LEAST = 1e-14
# Distance of the two points that hold the axis of a revolute cut joint [m].
ARM = 0.1

_PLANAR = (("_TX", "slide", (1, 0, 0)), ("_TY", "slide", (0, 1, 0)), ("_RZ", "hinge", (0, 0, 1)))


def write_mjcf(robot: RobotModel, path: Path) -> None:
    """Save the robot as MJCF.

    Raises:
        MissingValue: if the robot has symbols. WrongValue: for joints and cuts MJCF does not have.
    """
    write_whole(path, mjcf_text(robot).encode())


def mjcf_text(robot: RobotModel) -> str:
    """The robot as the text of an MJCF file."""
    require_numbers(robot, "MJCF")
    return "\n".join(_Writer(robot).lines()) + "\n"


class _Writer:
    def __init__(self, robot: RobotModel) -> None:
        self.robot = robot
        self.names = Names((*robot.frame_names, *(link.joint.name for link in robot.links), "world"))
        if "world" in (link.name for link in robot.links):
            raise WrongValue("A link is named 'world', which is MuJoCo's name for the ground. Rename it.")
        self.pieces = list(pieces(robot, "MJCF", self.names))
        self.lost: dict[str, list[str]] = {}
        self.motors: list[str] = []
        self.sites: dict[str, list[str]] = {}
        self.equalities = [line for loop in robot.loops for line in self.closure(loop)]
        for frame in robot.frames:
            self.site(frame.name, frame.link, rigid_of(frame.geometry))

    def lines(self) -> list[str]:
        robot = self.robot
        if robot.base_inertia is not None:
            self.lost.setdefault("inertia of the base", []).append(robot.base)
        bodies = list(self.bodies())
        for one in robot.couplings:
            ratio = f"{number(one.offset)} {number(one.multiplier)} 0 0 0"
            pair = f"joint1={quoteattr(one.joint)} joint2={quoteattr(one.reference)}"
            self.equalities.append(f'    <joint {pair} polycoef="{ratio}"/>')
        text = [
            f"<mujoco model={quoteattr(robot.name)}>",
            '  <compiler angle="radian" autolimits="true"/>',
            f'  <option gravity="{numbers([float(g) for g in robot.gravity])}"/>',
            "  <worldbody>",
            *self.sites.get(robot.base, []),
            *bodies,
            "  </worldbody>",
        ]
        if self.equalities:
            text += ["  <equality>", *self.equalities, "  </equality>"]
        text += ["  <actuator>", *self.motors, "  </actuator>", "</mujoco>"]
        self.warn()
        return text

    def bodies(self) -> Iterator[str]:
        """All bodies, each inside its parent, without recursion: a chain may be long."""
        children: dict[str, list[Piece]] = {}
        for piece in self.pieces:
            children.setdefault(piece.parent, []).append(piece)
        heavy = self.heavy()
        waiting: list[Piece | str] = [*reversed(children.get(self.robot.base, []))]
        depth = 2
        while waiting:
            next_ = waiting.pop()
            if isinstance(next_, str):
                depth -= 1
                yield "  " * depth + next_
                continue
            piece = next_
            yield "  " * depth + f"<body name={quoteattr(piece.name)}{_place(piece.before)}>"
            depth += 1
            for line in (*self.joints(piece), *self.inertial(piece, piece.name in heavy)):
                yield "  " * depth + line
            yield from (line.replace("    ", "  " * depth, 1) for line in self.sites.get(piece.name, []))
            waiting.append("</body>")
            waiting += reversed(children.get(piece.name, []))

    def heavy(self) -> set[str]:
        """Bodies that weigh something themselves or through what is fixed on them."""
        found: set[str] = set()
        parents = {piece.name: piece.parent for piece in self.pieces if not piece.motions}
        for piece in self.pieces:
            if weight(piece.name, piece.inertia, "MJCF") is not None:
                name = piece.name
                found.add(name)
                while name in parents:
                    name = parents[name]
                    found.add(name)
        return found

    def joints(self, piece: Piece) -> Iterator[str]:
        for motion in piece.motions:
            if motion.type == "free":
                yield self.free(motion, piece)
                continue
            if motion.type != "planar":
                axis = f' axis="{numbers(motion.axis)}"' if motion.type != "spherical" else ""
                single = motion.joint.type in ("revolute", "prismatic")
                limits = self.limits(motion.name, motion.joint.limits) if single else ""
                yield self.joint(motion, motion.name, joint_type(motion.type).mjcf, axis + limits)
                continue
            for ending, kind, axis_ in _PLANAR:
                yield self.joint(
                    motion, self.names.fresh(motion.name + ending), kind, f' axis="{numbers(axis_)}"'
                )

    def joint(self, motion: Motion, name: str, kind: str, rest: str) -> str:
        joint = motion.joint
        drag = {"damping": joint.viscous, "frictionloss": joint.coulomb, "armature": joint.rotor}
        if joint.stiffness:
            drag |= {"stiffness": joint.stiffness, "springref": joint.rest}
        given = "".join(f' {key}="{number(value)}"' for key, value in drag.items() if value)
        if joint.actuated:
            gears = ("1",) if kind != "ball" else ("1 0 0", "0 1 0", "0 0 1")
            for gear in gears:
                self.motors.append(f'    <motor joint={quoteattr(name)} gear="{gear}"/>')
        return f'<joint name={quoteattr(name)} type="{kind}"{rest}{given}/>'

    def free(self, motion: Motion, piece: Piece) -> str:
        if piece.parent != self.robot.base or not piece.before.unmoved:
            advice = "MuJoCo's free joints are placed at the origin of the ground. Put the joint on the base."
            raise WrongValue(f"Free joint {motion.name!r} is on {piece.parent!r} or off the origin. {advice}")
        joint = motion.joint
        if joint.actuated:
            self.lost.setdefault("actuation of free joints", []).append(joint.name)
        if joint.viscous or joint.coulomb or joint.rotor:
            self.lost.setdefault("friction and rotors of free joints", []).append(joint.name)
        return f"<freejoint name={quoteattr(motion.name)}/>"

    def limits(self, name: str, limits: Limits) -> str:
        text = ""
        if limits.lower is not None or limits.upper is not None:
            low = -UNBOUNDED if limits.lower is None else limits.lower
            high = UNBOUNDED if limits.upper is None else limits.upper
            text += f' range="{number(low)} {number(high)}"'
        if limits.effort:
            text += f' actuatorfrcrange="{number(-limits.effort)} {number(limits.effort)}"'
        if limits.velocity is not None:
            self.lost.setdefault("velocity limits", []).append(name)
        return text

    def inertial(self, piece: Piece, heavy: bool) -> Iterator[str]:
        body = weight(piece.name, piece.inertia, "MJCF")
        if body is None:
            if piece.motions and not heavy:
                self.lost.setdefault(f"bodies without mass (given {LEAST:g} kg)", []).append(piece.name)
                moments = numbers([LEAST] * 3)
                yield f'<inertial pos="0 0 0" mass="{number(LEAST)}" diaginertia="{moments}"/>'
            return
        moments_, axes = np.diag(body.tensor), np.eye(3)
        if np.abs(body.tensor - np.diag(moments_)).any():
            moments_, axes = np.linalg.eigh(body.tensor)
            if np.linalg.det(axes) < 0:
                axes[:, 0] = -axes[:, 0]
        least = np.maximum(moments_, LEAST)  # thin rods have a zero, which MuJoCo refuses
        if 2 * least.max() > least.sum() * (1 + 1e-9):
            self.lost.setdefault("inertias no body can have (MuJoCo refuses them)", []).append(piece.name)
        if body.mass < LEAST:
            self.lost.setdefault(f"bodies without mass (given {LEAST:g} kg)", []).append(piece.name)
        pose = _place(Rigid(body.R @ axes, body.centre))
        place = pose if "pos=" in pose else f' pos="0 0 0"{pose}'
        yield f'<inertial{place} mass="{number(max(body.mass, LEAST))}" diaginertia="{numbers(least)}"/>'

    def closure(self, loop: Loop) -> Iterator[str]:
        ends = [(end.link, rigid_of(end.geometry)) for end in (loop.start, loop.end)]
        name = quoteattr(loop.name)
        match loop.joint:
            case "spherical" | "fixed":
                sites = [
                    self.end_site(loop, side, *end) for side, end in zip(("from", "to"), ends, strict=True)
                ]
                tag = "connect" if loop.joint == "spherical" else "weld"
                yield f"    <{tag} name={name} site1={quoteattr(sites[0])} site2={quoteattr(sites[1])}/>"
            case "revolute":
                for k, along in ((1, Rigid()), (2, shifted((0, 0, ARM)))):
                    one, two = (
                        self.end_site(loop, f"{side} {k}", link, pose @ along)
                        for side, (link, pose) in zip(("from", "to"), ends, strict=True)
                    )
                    part = quoteattr(f"{loop.name} (axis {k})")
                    yield f"    <connect name={part} site1={quoteattr(one)} site2={quoteattr(two)}/>"
            case _:
                advice = "Cut another joint of that loop: a revolute, spherical or fixed one."
                raise WrongValue(
                    f"Loop {loop.name!r} is closed by a {loop.joint} joint, which MJCF lacks. {advice}"
                )

    def end_site(self, loop: Loop, side: str, link: str, pose: Rigid) -> str:
        name = self.names.fresh(f"{loop.name} {side}")
        self.site(name, link, pose)
        return name

    def site(self, name: str, link: str, pose: Rigid) -> None:
        self.sites.setdefault(link, []).append(f"    <site name={quoteattr(name)}{_place(pose)}/>")

    def warn(self) -> None:
        if self.lost:
            listed = "\n".join(f"  - {what}: {', '.join(names[:8])}" for what, names in self.lost.items())
            message = f"MJCF cannot hold all of robot {self.robot.name!r}:\n{listed}"
            warn_caller(message, IgnoredWarning)


def _place(pose: Rigid) -> str:
    text = f' pos="{numbers(pose.p)}"' if pose.p.any() else ""
    return text if pose.unrotated else f'{text} quat="{numbers(quaternion_of(pose.R))}"'
