"""Robots written as `.par` files of SYMORO: rows of modified DH, loops with their cut joints."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rikigaku.core.caller_warnings import warn_caller
from rikigaku.core.errors import IgnoredWarning, WrongValue
from rikigaku.core.files import write_whole
from rikigaku.formats.symoro import par_text
from rikigaku.model.geometry import Geometry, ModifiedDH, Placement
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Z_AXIS, Joint
from rikigaku.model.robot_model import Link, RobotModel
from rikigaku.numbers.formula import ONE, ZERO, Formula

_SIGMA = {"revolute": 0, "prismatic": 1, "fixed": 2}
_COLUMN = {"revolute": "theta", "prismatic": "d"}
_ADVICE = "rosam.robot_from_data(rosam.robot_data(robot)) gives a robot in modified DH."


def write_par(robot: RobotModel, path: str | os.PathLike[str]) -> None:
    """Save a robot; what the format does not hold is listed in an IgnoredWarning.

    Raises:
        WrongValue: for joints, geometries and inertias that the format does not have.
    """
    write_whole(Path(path), par_file_text(robot).encode())


def par_file_text(robot: RobotModel) -> str:
    """The robot as the text of a file."""
    table = _Table(robot)
    if dropped := table.dropped():
        warn_caller(
            f"SYMORO's files do not hold {', '.join(dropped)} of robot {robot.name!r}.", IgnoredWarning
        )
    return table.text()


class _Table:
    """Rows of frames, links and joints, numbered from 1."""

    def __init__(self, robot: RobotModel) -> None:
        if robot.couplings:
            raise WrongValue(f"Robot {robot.name!r} has gears, which SYMORO's files do not have.")
        self.robot = robot
        root = robot.links[0] if robot.links else None
        self.floating = root is not None and root.joint.type == "free" and root.parent == robot.base
        if self.floating and (root is None or root.geometry != Placement()):
            raise WrongValue(
                f"The free joint of robot {robot.name!r} is not placed at the origin of the world."
            )
        self.base = root.name if self.floating and root is not None else robot.base
        self.ordered = _outward(robot, self.base)
        self.number = {self.base: 0} | {link.name: k for k, link in enumerate(self.ordered, start=1)}
        taken = set(robot.free_symbols)
        self.rows = [self.link_row(link, taken) for link in self.ordered]
        self.rows += [self.row(f"frame {x.name!r}", x.link, x.geometry) for x in robot.frames]
        self.links = len(self.rows)
        cuts: list[dict[str, str]] = []
        for loop in robot.loops:
            if loop.joint not in _SIGMA:
                raise WrongValue(f"Cut joint {loop.name!r} is {loop.joint}; SYMORO has {', '.join(_SIGMA)}.")
            start = self.row(f"loop {loop.name!r}, from", loop.start.link, loop.start.geometry)
            start["sigma"] = str(_SIGMA[loop.joint])
            column = {"theta": "theta", "d": "r"}.get(_COLUMN.get(loop.joint, ""))
            if column:
                name = _new(f"cut_{len(cuts) + 1}", taken)
                start[column] = str(Formula.of(start[column]) + Formula.symbol(name))
            cuts.append(start)
        self.rows += cuts
        self.joints = len(self.rows)
        self.rows += [self.row(f"loop {x.name!r}, to", x.end.link, x.end.geometry) for x in robot.loops]

    def row(self, where: str, on: str, geometry: Geometry) -> dict[str, str]:
        row = ModifiedDH() if geometry == Placement() else geometry
        if not isinstance(row, ModifiedDH):
            raise WrongValue(
                f"The geometry of {where} is {type(geometry).__name__}; SYMORO has modified DH. {_ADVICE}"
            )
        if on not in self.number:
            raise WrongValue(
                f"The {where} is fixed to the world, and the robot's base moves: SYMORO has no such row."
            )
        cells = {
            "b": row.b,
            "d": row.a,
            "r": row.d,
            "gamma": row.beta,
            "alpha": row.alpha,
            "theta": row.theta,
        }
        whole = {"ant": str(self.number[on]), "sigma": "2", "mu": "0"}
        return whole | {key: str(x) for key, x in cells.items()}

    def link_row(self, link: Link, taken: set[str]) -> dict[str, str]:
        joint = link.joint
        if joint.type not in _SIGMA or (joint.type != "fixed" and joint.axis != Z_AXIS):
            what = f"is {joint.type}" if joint.type not in _SIGMA else "has an axis other than z"
            raise WrongValue(
                f"Joint {joint.name!r} {what}; SYMORO has {', '.join(_SIGMA)} joints about z. {_ADVICE}"
            )
        row = self.row(f"link {link.name!r}", link.parent, link.geometry)
        row |= {"sigma": str(_SIGMA[joint.type]), "mu": str(int(joint.actuated and joint.type != "fixed"))}
        if joint.type != "fixed":
            column = "theta" if joint.type == "revolute" else "r"
            row[column] = str(Formula.of(row[column]) + Formula.symbol(_new(joint.name, taken)))
        return row

    def text(self) -> str:
        robot = self.robot
        inertias = [link.inertia for link in self.ordered]
        padding = self.links - len(self.ordered)
        if self.floating:
            inertias.insert(0, robot.links[0].inertia)
        bodies = [_ten(x) for x in inertias] + [(ZERO,) * 10] * padding
        joints: list[Joint | None] = (
            [None] * self.floating + [link.joint for link in self.ordered] + [None] * padding
        )
        parts: dict[str, Sequence[Any]] = {key: [row[key] for row in self.rows] for key in par_text.FRAMES}
        lists = {key: [body[k] for body in bodies] for k, key in enumerate(par_text.INERTIA)}
        fields = {"IA": "rotor", "FV": "viscous", "FS": "coulomb"}
        lists |= {key: [getattr(j, name) if j else ZERO for j in joints] for key, name in fields.items()}
        springs = [joint.stiffness for joint in joints[self.floating :] if joint is not None]
        springs += [ZERO] * (self.joints - len(springs))
        moving = {"eta": [ONE if x else ZERO for x in springs], "k": springs}
        head = [
            f"(* Robotname = '{re.sub(r'[^A-Za-z0-9_ -]', '_', robot.name)}' *)",
            *(f"{key} = {n}" for key, n in (("NL", self.links), ("NJ", self.joints), ("NF", len(self.rows)))),
            f"Type = {2 if robot.loops else 0 if self.is_chain() else 1}",
            f"is_floating = {self.floating}",
            "is_mobile = False",
        ]
        sections = (
            ("Geometric parameters", parts),
            ("Dynamic parameters", lists),
            ("Joint parameters", moving),
            ("Acceleration of gravity", {"G": robot.gravity}),
        )
        for title, content in sections:
            head += ["", f"(* {title} *)"]
            head += [f"{key} = {{{','.join(map(str, values))}}}" for key, values in content.items()]
        return "\n".join([*head, "", "(* End of definition *)", ""])

    def is_chain(self) -> bool:
        return [row["ant"] for row in self.rows[: self.links]] == [str(k) for k in range(self.links)]

    def dropped(self) -> list[str]:
        robot = self.robot
        found = []
        if any(symbol.value is not None for symbol in robot.symbols):
            found.append("values of symbols (robot.bind puts them in)")
        if any(joint.limits != Joint("x").limits for joint in robot.joints):
            found.append("limits of joints")
        if any(joint.rest for joint in robot.joints):
            found.append("springs' positions at rest")
        if any(link.section is not None for link in robot.links):
            found.append("sections")
        return found


def _outward(robot: RobotModel, base: str) -> list[Link]:
    """The links after their parents, in the robot's order otherwise."""
    left = {link.name: link for link in robot.links if link.name != base}
    ordered: dict[str, Link] = {}
    for name in left:
        way = []
        while name in left and name not in ordered:
            way.append(name)
            name = left[name].parent
        ordered |= {one: left[one] for one in reversed(way)}
    return list(ordered.values())


def _ten(inertia: Inertia | None) -> tuple[Formula, ...]:
    if inertia is None:
        return (ZERO,) * 10
    if inertia.about == "origin":
        return (inertia.m, *inertia.position, *inertia.tensor)
    if any(inertia.rpy):
        raise WrongValue("An inertia in rotated axes cannot be written to SYMORO's files. " + _ADVICE)
    m, (x, y, z), (xx, xy, xz, yy, yz, zz) = inertia.m, inertia.position, inertia.tensor
    first = (xx + m * (y * y + z * z), xy - m * x * y, xz - m * x * z)
    return (
        m,
        m * x,
        m * y,
        m * z,
        *first,
        yy + m * (x * x + z * z),
        yz - m * y * z,
        zz + m * (x * x + y * y),
    )


def _new(wanted: str, taken: set[str]) -> str:
    """A symbol like the joint's name that was not taken, and is now."""
    name = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in wanted)
    while name in taken or not _is_symbol(name):
        name = f"q_{name}" if not name[:1].isalpha() else f"{name}_"
    taken.add(name)
    return name


def _is_symbol(name: str) -> bool:
    try:
        Formula.symbol(name)
    except WrongValue:
        return False
    return True
