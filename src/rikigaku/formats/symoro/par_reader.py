"""Robots from `.par` files of SYMORO (Khalil and Kleinfinger's notation).

Row j places frame j on its antecedent: Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r), sigma 0 revolute,
1 prismatic, 2 fixed. Frames 1 to NL are the links of the spanning tree, NL + 1 to NJ the cut joints, and
frame j + NJ - NL is the other side of cut joint j, fixed on its antecedent. Inertias are about the origins of
the frames, XY = -sum m x y; IA, FV and FS are rotor inertia, viscous and Coulomb friction; G is the
acceleration of free fall. Joints are called by their variables, links link1, link2, ...
Reference: W. Khalil, J.-F. Kleinfinger, A new geometric notation for open and closed-loop robots, Proc. IEEE
Int. Conf. Robotics and Automation, 1986, pp. 1174-1180.
"""

import os
from collections import Counter
from pathlib import Path
from typing import Any

from rikigaku.core.caller_warnings import warn_caller
from rikigaku.core.errors import BadModel, IgnoredWarning
from rikigaku.core.input_files import read_input
from rikigaku.core.input_limits import LINKS as MOST_LINKS
from rikigaku.core.input_limits import shortened
from rikigaku.formats.symoro import par_text
from rikigaku.formats.symoro.par_text import ParText
from rikigaku.formats.toml.toml_text import decoded
from rikigaku.model.editing import on_free_base
from rikigaku.model.geometry import ModifiedDH
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint
from rikigaku.model.model_check import name_problem
from rikigaku.model.part_check import is_negative, negative_mass
from rikigaku.model.robot_model import STANDARD_GRAVITY, Frame, Link, Loop, LoopEnd, RobotModel
from rikigaku.numbers.formula import ONE, ZERO, Formula

_TYPES = ("revolute", "prismatic", "fixed")  # by sigma
_VARIABLE = ("theta", "r", "")
_IDENTITY = tuple(ONE if k % 5 == 0 else ZERO for k in range(16))


def read_par(path: str | os.PathLike[str]) -> RobotModel:
    """The robot in a file.

    Raises:
        BadModel: with every mistake found and its line. TooLarge: beyond a limit of readers.
        NoFile: if it cannot be read.
    """
    path = Path(path)
    return parse_par(decoded(read_input(path), path.name), path.name)


def parse_par(text: str, source: str = "The text") -> RobotModel:
    """The robot that the text of a `.par` file describes; what a robot does not hold is reported.

    Raises:
        BadModel: with every mistake found and its line. TooLarge: beyond a limit of readers.
    """
    return _Reader(ParText(text, source)).robot()


class _Reader:
    """Rows of the table; lists are numbered from 1, as in the notation."""

    def __init__(self, par: ParText) -> None:
        self.par = par
        self.links = par.whole("NL", 1, MOST_LINKS)
        self.joints = par.whole("NJ", self.links, 2 * MOST_LINKS)
        frames = 2 * self.joints - self.links
        self.frames = par.whole("NF", frames, frames, default=frames)
        if par.whole("Type", 0, 2, default=2) < 2 and self.joints > self.links:
            par.note(
                par.line("Type"), "NJ is more than NL, so there are loops: write Type = 2 (closed loops)."
            )
        self.floating, self.mobile = par.flag("is_floating"), par.flag("is_mobile")
        par.notes.refuse(par.source)  # sizes of lists are not known
        first = 0 if self.floating or self.mobile else 1
        self.rows = {key: (ZERO, *par.formulas(key, self.frames, "frame")) for key in par_text.FRAMES}
        sizes = f"link, from {first}" if first == 0 else "link"
        self.of_links = {
            key: (*(ZERO,) * first, *par.formulas(key, self.links + 1 - first, sizes))
            for key in par_text.LINKS
        }
        self.of_joints = {key: (ZERO, *par.formulas(key, self.joints, "joint")) for key in ("eta", "k")}
        for key in ("ant", "sigma", "alpha", "d", "theta", "r"):
            if key not in par.entries:
                par.note(0, f"{key} is missing. Write {key} = {{...}} with {self.frames} values.")
        self.ant = self.whole_row("ant", self.frames)
        self.sigma = self.whole_row("sigma", 2)
        self.mu = self.whole_row("mu", 1) if "mu" in par.entries else [1] * (self.frames + 1)
        self.inertias = [self.inertia(j) for j in range(self.links + 1)]
        self.used = Counter(name for key in _GEOMETRY for x in self.rows[key] for name in x.symbols)

    def robot(self) -> RobotModel:
        par = self.par
        frames = {j for j in range(1, self.links + 1) if self.is_frame(j)}
        links = [self.link(j) for j in range(1, self.links + 1) if j not in frames]
        links += [self.fixed(j) for j in range(self.joints + 1, self.frames + 1) if j in self.antecedents]
        shift = self.joints - self.links
        loops = [self.loop(j, j + shift) for j in range(self.links + 1, self.joints + 1)]
        gravity = par.formulas("G", 3, "axis") if "G" in par.entries else STANDARD_GRAVITY
        name = par.name if par.name and not name_problem(par.name) else Path(par.source).stem
        ignored = self.ignored()
        par.notes.refuse(par.source)
        try:
            robot = RobotModel(
                name=name if not name_problem(name) else "robot",
                links=links,
                frames=[Frame(f"frame{j}", self.body(j, "ant"), self.row(j)) for j in sorted(frames)],
                loops=loops,
                gravity=gravity,
                base_inertia=self.inertias[0],
            )
        except BadModel as error:
            raise BadModel(error.problems, par.source, error.further) from error
        if ignored:
            warn_caller(f"{par.source} holds what is left out here: {'; '.join(ignored)}.", IgnoredWarning)
        return on_free_base(robot) if self.floating or self.mobile else robot

    @property
    def antecedents(self) -> set[int]:
        return set(self.ant[1:])

    def whole_row(self, key: str, most: int) -> list[int]:
        """A list of whole numbers from 0 to `most`; 0 stands for others, which are noted."""
        found = []
        for j, value in enumerate(self.rows[key]):
            number = value.rational
            right = number is not None and number.denominator == 1 and 0 <= number <= most
            if not right:
                self.note(key, j, f"is {value}; a whole number from 0 to {most} belongs there")
            found.append(int(number) if right and number is not None else 0)
        return found

    def note(self, key: str, j: int, what: str) -> None:
        self.par.note(self.par.line(key), f"{key} of frame {j} {shortened(what, 200)}.")

    # -- parts of the robot ---------------------------------------------------------------------------------
    def is_frame(self, j: int) -> bool:
        """Whether a row is a frame on its antecedent: fixed, without inertia, and nothing stands on it."""
        return self.sigma[j] == 2 and self.inertias[j] is None and j not in self.antecedents

    def link(self, j: int) -> Link:
        type_, column = _TYPES[self.sigma[j]], _VARIABLE[self.sigma[j]]
        name = self.variable(j, column) if column else f"fixed{j}"
        row = self.row(j, column, name)
        if not column:
            return Link(f"link{j}", self.body(j, "ant"), Joint(name, type_), row, self.inertias[j])
        if self.of_joints["eta"][j] not in (ZERO, ONE):
            self.par.note(
                self.par.line("eta"), f"eta of joint {j} is {self.of_joints['eta'][j]}; write 0 or 1."
            )
        joint = Joint(
            name or f"q{j}",
            type_,
            actuated=self.mu[j] == 1,
            viscous=self.positive("FV", j),
            coulomb=self.positive("FS", j),
            rotor=self.positive("IA", j),
            stiffness=self.of_joints["k"][j] if self.of_joints["eta"][j] == ONE else ZERO,
        )
        return Link(f"link{j}", self.body(j, "ant"), joint, row, self.inertias[j])

    def fixed(self, j: int) -> Link:
        """A fixed frame that carries others."""
        return Link(f"frame{j}", self.body(j, "ant"), Joint(f"fixed{j}", "fixed"), self.row(j))

    def loop(self, j: int, other: int) -> Loop:
        """Cut joint j: frame j on one link, before its motion, and its other side on another."""
        column = _VARIABLE[self.sigma[j]]
        if self.mu[j]:
            self.note("mu", j, "is 1, but a cut joint has no motor. Cut the loop at a passive joint")
        if self.sigma[other] != 2:
            self.note(
                "sigma", other, f"is {self.sigma[other]}; the other side of cut joint {j} is fixed: write 2"
            )
        symbols = self.rows[column][j].symbols if column else ()
        name = self.variable(j, column) if symbols else ""
        start = LoopEnd(self.body(j, "ant"), self.row(j, column, name))
        return Loop(
            f"cut{j}", _TYPES[self.sigma[j]], start, LoopEnd(self.body(other, "ant"), self.row(other))
        )

    def row(self, j: int, column: str = "", variable: str = "") -> ModifiedDH:
        """Row j, without the joint's variable."""
        cells = {key: self.rows[key][j] for key in _GEOMETRY}
        if variable and column:
            cells[column] = cells[column] - Formula.symbol(variable)
        return ModifiedDH(cells["alpha"], cells["d"], cells["theta"], cells["r"], cells["gamma"], cells["b"])

    def variable(self, j: int, column: str) -> str:
        """The variable of joint j: a symbol of its column that occurs there only, with coefficient one."""
        value = self.rows[column][j]
        own = [x for x in value.symbols if self.used[x] == 1 and x not in (value - Formula.symbol(x)).symbols]
        if len(own) == 1:
            return own[0]
        advice = "the joint's variable stands there, alone or with a constant added"
        if own:
            advice = f"it is not clear which of {', '.join(sorted(own))} is the joint's variable; leave one"
        elif value.symbols:
            advice = "the joint's variable stands there once, and nowhere else"
        self.note(column, j, f"is {value}; {advice}")
        return ""

    def body(self, j: int, key: str) -> str:
        """The link that carries frame j."""
        on = self.ant[j]
        if on == j or self.links < on <= self.joints:
            what = "itself" if on == j else f"the cut joint {on}, which carries nothing"
            self.note(key, j, f"is {on}, {what}; give a link from 0 (the base) to {self.links}")
            return "base"
        return "base" if on == 0 else f"link{on}" if on <= self.links else f"frame{on}"

    def inertia(self, j: int) -> Inertia | None:
        """Inertia of link j; 0 is the base."""
        m, x, y, z, *tensor = (self.of_links[key][j] for key in par_text.INERTIA)
        for problem in negative_mass(f"M of link {j}", m):
            self.par.note(self.par.line("M"), problem)
        return Inertia("origin", m, (x, y, z), tensor) if any((m, x, y, z, *tensor)) else None

    def positive(self, key: str, j: int) -> Formula:
        value = self.of_links[key][j]
        if is_negative(value):
            self.par.note(self.par.line(key), f"{key} of joint {j} is {value}, below zero.")
            return ZERO
        return value

    def ignored(self) -> list[str]:
        """What the file holds and a robot does not."""
        par, found = self.par, []
        wrenches = [
            f"{key}{j}"
            for key in par_text.WRENCH
            for j, x in enumerate(self.of_links[key])
            if x and x not in map(Formula.symbol, x.symbols)
        ]
        if wrenches:
            found.append(f"wrenches on links ({', '.join(wrenches[:6])}); laws take them as wrenches={{...}}")
        moving = [key for key in par_text.VECTORS[:4] if any(par.formulas(key, 3, "axis"))]
        if moving:
            found.append(f"motion of the base ({', '.join(moving)})")
        if "Z" in par.entries and par.formulas("Z", 16, "element") != _IDENTITY:
            found.append("Z, the pose of frame 0; poses are those in frame 0")
        if self.mobile and not self.floating:
            found.append("is_mobile: the base is free, its motion is not prescribed")
        return found


_GEOMETRY: tuple[Any, ...] = ("b", "d", "r", "gamma", "alpha", "theta")
