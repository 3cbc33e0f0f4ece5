"""Conversion of RobotData (Table 2 of the paper) to a Robot; all errors of the data are reported together."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rikigaku.core.errors import BadFormula, BadModel, RikigakuError
from rikigaku.core.known_names import KnownNames
from rikigaku.core.value_text import short
from rikigaku.model.angle_units import warn_of_degrees
from rikigaku.model.geometry import ModifiedDH
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint
from rikigaku.model.part_check import negative_mass
from rikigaku.model.robot_model import Frame, Link, Loop, LoopEnd, Symbol
from rikigaku.numbers.formula import ZERO, Formula
from rikigaku.robot import Robot
from rikigaku.rosam.data_check import type_problems
from rikigaku.rosam.robot_data import BASE, ROBOT_TYPES, BranchInfo, LinkInfo, RobotData

_COLUMNS = ("alpha", "a", "theta", "d", "beta", "b")
_TYPES: dict[str, tuple[str, str]] = {"R": ("revolute", "theta"), "P": ("prismatic", "d")}


def robot_from_data(data: RobotData | Mapping[str, Any]) -> Robot:
    """The robot that RobotData (or a table with its fields) describes; q branch by branch (eq. 6).

    Raises:
        BadModel: with every mistake that was found, by its place. CannotClose, WrongSize, WrongValue: if the
        loop does not close, or General is not as many coordinates as the closed robot has degrees of freedom.
    """
    robot = unchecked_robot(data)
    warn_of_degrees(robot)
    if robot.loops:
        from rikigaku.symbolic.loops.loop_constraints import loop_constraints

        loop_constraints(robot)  # raises if the loop cannot close or General is not independent
    return robot


def unchecked_robot(data: RobotData | Mapping[str, Any]) -> Robot:
    """The robot as the data describe it; whether its loop closes is not checked."""
    return _Reader(RobotData.of(data)).robot()


class _Reader:
    def __init__(self, data: RobotData) -> None:
        self.data, self.problems = data, list(type_problems(data)) or list(_shape_problems(data))

    def robot(self) -> Robot:
        data = self.data
        self.stop()
        links = [
            self.link(k, i, branch, link)
            for k, branch in sorted(data.BranchInfo.items())
            for i, link in enumerate(branch.Links, start=1)
        ]
        frames = [
            Frame(
                self.hand_name(k),
                self.name(k, len(branch.Links)),
                self.row(f"BranchInfo.{k}, Hand", branch.Hand),
            )
            for k, branch in sorted(data.BranchInfo.items())
            if branch.Hand is not None
        ]
        for name, (place, row) in data.frames.items():
            frames.append(Frame(name, self.place(f"frames, {name}", place), self.row(f"frames, {name}", row)))
        loops = tuple(self.loops())
        gravity = self.formulas("gravity", data.gravity, 3)
        self.stop()
        return Robot(
            name=data.name,
            links=tuple(links),
            frames=tuple(frames),
            loops=loops,
            independent=tuple(data.General),
            symbols=tuple(s if isinstance(s, Symbol) else Symbol(*s) for s in data.symbols),
            gravity=(gravity[0], gravity[1], gravity[2]),
            base=data.base,
        )

    def stop(self) -> None:
        if self.problems:
            raise BadModel(self.problems, f"RobotData of {short(self.data.name)}")

    def link(self, k: int, i: int, branch: BranchInfo, link: LinkInfo) -> Link:
        where = f"BranchInfo.{k}, link {i}"
        unknown: tuple[str, str] = ("fixed", "")
        type_, column = _TYPES.get(link.Type, unknown)
        if not column:
            self.problems.append(f"{where}: Type is {link.Type!r}; write 'R' (revolute) or 'P' (prismatic).")
        row = dict(
            zip(_COLUMNS, self.formulas(f"{where}, DH (alpha, a, theta, d)", link.DH, 4), strict=False)
        )
        if i == 1:
            beta, b = self.formulas(f"BranchInfo.{k}, SubDH (beta, b)", branch.SubDH, 2)
            row |= {"beta": beta, "b": b}
        variable = self.variable(where, link, column, row)
        if variable:
            row[column] = row[column] - Formula.symbol(variable)
        joint = Joint(
            variable or f"q{i}{k}",
            type_,
            actuated=bool(link.Actuated),
            limits=link.limits,
            viscous=self.formula(f"{where}, viscous", link.viscous),
            coulomb=self.formula(f"{where}, coulomb", link.coulomb),
            rotor=self.formula(f"{where}, rotor", link.rotor),
        )
        m, ms = self.mass(f"{where}, m", link.m), self.formulas(f"{where}, ms", link.ms, 3)
        In = self.formulas(f"{where}, In (xx, xy, xz, yy, yz, zz)", link.In, 6)
        moments = (ms[0], ms[1], ms[2])
        tensor = (In[0], In[1], In[2], In[3], In[4], In[5])
        inertia = Inertia("origin", m, moments, tensor) if any((m, *ms, *In)) else None
        parent = (
            self.place(f"BranchInfo.{k}, Connection", branch.Connection) if i == 1 else self.name(k, i - 1)
        )
        return Link(self.name(k, i), parent, joint, ModifiedDH(**row), inertia)

    def variable(self, where: str, link: LinkInfo, column: str, row: Mapping[str, Formula]) -> str:
        """The joint's variable: it occurs only in its own DH column, with coefficient one."""
        if not column:
            return ""
        names = sorted(row[column].symbols)
        name = link.variable or (names[0] if len(names) == 1 else "")
        if not name:
            held = (
                f"holds {', '.join(names)}: say which is the joint's, variable='...'"
                if names
                else "is constant"
            )
            advice = "" if names else f"; the variable of a joint of type {link.Type} stands there, like 'q1'"
            self.problems.append(f"{where}: {column} {held}{advice}.")
            return ""
        stray = [
            c for c, x in row.items() if name in (x - Formula.symbol(name) if c == column else x).symbols
        ]
        for c in stray:
            self.problems.append(
                f"{where}: {c} is {row[c]}; the variable {name} of a joint of type {link.Type} stands once, "
                f"in {column}, alone or with a constant added."
            )
        return "" if stray else name

    def loops(self) -> Iterator[Loop]:
        data = self.data
        pairs, rows = _by_loop(data.ConCoor), _by_loop(data.ConDH)
        for n, (pair, two) in enumerate(zip(pairs, rows, strict=True)):
            where = f"loop {n + 1}"
            ends = []
            for side, (place, row) in enumerate(zip(pair, two, strict=True), start=1):
                link = self.place(f"ConCoor, {where}, side {side}", place)
                is_row = isinstance(row, tuple | list)
                free = [0 if isinstance(x, str) and x == "free" else x for x in row] if is_row else row
                ends.append(LoopEnd(link, self.row(f"ConDH, {where}, side {side}", free)))
            type_ = data.cut[n] if n < len(data.cut) else "revolute"
            name = (
                data.cut_names[n]
                if n < len(data.cut_names)
                else ("cut" if len(pairs) == 1 else f"cut{n + 1}")
            )
            yield Loop(name, type_, ends[0], ends[1])

    # -- names and formulas ---------------------------------------------------------------------------------
    def name(self, k: int, i: int) -> str:
        own = self.data.BranchInfo[k].Links[i - 1].name
        return own or (f"l{i}{k}" if max(i, k) < 10 else f"l{i}_{k}")

    def hand_name(self, k: int) -> str:
        return self.data.BranchInfo[k].hand_name or ("hand" if k == 1 else f"hand{k}")

    def place(self, where: str, place: Any) -> str:
        """The link with these numbers (branch, link)."""
        try:
            k, i = (int(x) for x in place)
        except (TypeError, ValueError, OverflowError):
            self.problems.append(f"{where} is {short(place)}; write [branch, link], two numbers.")
            return self.data.base
        if (k, i) == BASE:
            return self.data.base
        known = {k: len(branch.Links) for k, branch in sorted(self.data.BranchInfo.items())}
        if k in known and 1 <= i <= known[k]:
            return self.name(k, i)
        sizes = KnownNames(f"branch {k} has links 1 to {n}" for k, n in known.items()).listed()
        self.problems.append(
            f"{where} names link {short(i)} of branch {short(k)}, which does not exist: {sizes}; "
            "[0, 0] is the base."
        )
        return self.data.base

    def row(self, where: str, row: Any) -> ModifiedDH:
        """A constant DH row; beta and b may follow."""
        size = 6 if isinstance(row, Sequence) and len(row) == 6 else 4
        return ModifiedDH(*self.formulas(f"{where} (alpha, a, theta, d)", row, size))

    def formulas(self, where: str, values: Any, size: int) -> list[Formula]:
        if not isinstance(values, Sequence) or isinstance(values, str) or len(values) != size:
            count = (
                f"has {len(values)}"
                if isinstance(values, Sequence) and not isinstance(values, str)
                else "is no row"
            )
            self.problems.append(f"{where} takes {size} parameters; {short(values)} {count}.")
            return [ZERO] * size
        return [self.formula(where, x) for x in values]

    def mass(self, where: str, x: Any) -> Formula:
        m = self.formula(where, x)
        self.problems += negative_mass(where, m)
        return m

    def formula(self, where: str, x: Any) -> Formula:
        try:
            return Formula.of(x)
        except BadFormula as error:
            self.problems.append(f"{where}: {error}")
        except RikigakuError as error:
            self.problems.append(f"{where}: {short(x)} is no parameter ({error})")
        return ZERO


def _shape_problems(data: RobotData) -> Iterator[str]:
    """Contradictions between the fields."""
    if data.RobotType not in ROBOT_TYPES:
        yield f"RobotType is {short(data.RobotType)}. Known: {', '.join(ROBOT_TYPES)}."
    if sorted(data.BranchInfo) != list(range(1, data.BranchNum + 1)):
        present = KnownNames(f"BranchInfo.{k}" for k in sorted(data.BranchInfo)).listed() or "none"
        needed = f"BranchInfo.1 to BranchInfo.{data.BranchNum} are needed"
        yield f"BranchNum is {data.BranchNum}, so {needed}; given: {present}."
    for k, branch in data.BranchInfo.items():
        if not branch.Links:
            yield f"BranchInfo.{k} has no links."
    if data.RobotType == "serial" and data.BranchNum != 1:
        yield f"A serial robot has one branch; BranchNum is {data.BranchNum}. Say RobotType = 'tree'."
    closing = [name for name in ("General", "ConCoor", "ConDH") if getattr(data, name)]
    if data.RobotType == "closed":
        for name in ("General", "ConCoor", "ConDH"):
            if name not in closing:
                yield f"A closed robot needs {name}."
        if len(_by_loop(data.ConCoor)) != len(_by_loop(data.ConDH)):
            yield (
                f"ConCoor has {len(_by_loop(data.ConCoor))} loops and ConDH {len(_by_loop(data.ConDH))}; "
                "each loop has a pair in both."
            )
        for name in ("ConCoor", "ConDH"):
            for n, pair in enumerate(_by_loop(getattr(data, name)), start=1):
                if not isinstance(pair, tuple | list) or len(pair) != 2:
                    yield f"{name}, loop {n} is {short(pair)}; a cut has two sides."
    elif closing:
        yield f"{', '.join(closing)} belong to closed robots; RobotType is {data.RobotType!r}."


def _by_loop(value: Sequence[Any]) -> Sequence[Any]:
    """Pairs, one for each loop; the paper's form, a single pair, is one loop."""
    first = value[0] if value else ()
    single = not (isinstance(first, tuple | list) and first and isinstance(first[0], tuple | list))
    return [value] if value and single else list(value)
