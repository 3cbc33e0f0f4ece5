"""RobotData: the data structure of ROSAM II (Table 2 of the paper).

The paper prints the names RobotType, BranchNum, BranchInfo.k, General, ConCoor, ConDH; its text defines the
contents of a branch (modified DH, beta and b, ten parameters a link, revolute or prismatic, actuated or not).
Fields that are not in the paper begin with a lower-case letter and are optional. `data_reader` converts it to
a Robot, `data_writer` a Robot to it.
Reference: H. Kawasaki, T. Shimizu, Development of the robot symbolic analysis system ROSAM II, J. Robotics
Society of Japan 17(3), 1999, pp. 408-415.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from rikigaku.core.errors import BadModel, WrongValue
from rikigaku.core.input_limits import DEPTH
from rikigaku.core.value_text import short
from rikigaku.model.joint import Limits
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.sympy_reading import is_sympy, symbol_name

ROBOT_TYPES = ("serial", "tree", "closed")
BASE = (0, 0)  # branch and link number of the base

# A number, the text of a formula, a Formula or a SymPy expression.
Parameter = Any


@dataclass(frozen=True)
class LinkInfo:
    """One link: its joint, its row of modified DH, its ten parameters about the link's origin.

    Every parameter is a number, the text of a formula, a Formula or a SymPy expression; angles are in rad.

    Attributes:
        Type: "R" (revolute) or "P" (prismatic).
        DH: alpha, a, theta, d. The joint's variable stands in theta (R) or d (P), alone or with a constant
            added: ("-pi/2", 0, "theta31", 0). Its name becomes the joint's name.
        m: mass [kg]. ms: first moments m*x, m*y, m*z [kg m]. In: tensor xx, xy, xz, yy, yz, zz [kg m^2], the
            tensor's elements (xy = -sum m x y). All in the link's frame, about its origin; zero if left out.
        Actuated: True if a motor drives the joint, False if it is passive. Inverse dynamics of a closed robot
            gives the forces of the actuated joints; General need not be the actuated ones.
        variable: the joint's variable, needed where its column holds other symbols too ("q1 + offset").
        name: of the link; l31 (link 3, branch 1) if left out.
        viscous, coulomb: friction of the joint [N m s/rad, N m, or N s/m, N]; rotor: reflected inertia of the
            motor [kg m^2 or kg]. Table 1 leaves friction out of tau; `robot.inverse_dynamics` includes it.
        limits: Limits(lower, upper, velocity, effort) of the joint.
    """

    Type: str
    DH: tuple[Parameter, ...]
    m: Parameter = 0
    ms: tuple[Parameter, ...] = (0, 0, 0)
    In: tuple[Parameter, ...] = (0, 0, 0, 0, 0, 0)
    Actuated: bool = True
    variable: str = ""
    name: str = ""
    viscous: Parameter = 0
    coulomb: Parameter = 0
    rotor: Parameter = 0
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class BranchInfo:
    """One branch: where it begins, and its links.

    Attributes:
        Links: from the base outward.
        Connection: branch and link number of its parent, (0, 0) for the base.
        SubDH: beta, b: Rz(beta) Tz(b) before its first link (eq. 1).
        Hand: DH row alpha, a, theta, d from its last link to the hand; None where there is no hand.
        hand_name: name of that frame; "hand" for branch 1, "hand2" for branch 2, ... if left out.
    """

    Links: tuple[LinkInfo, ...]
    Connection: tuple[int, int] = BASE
    SubDH: tuple[Parameter, Parameter] = (0, 0)
    Hand: tuple[Parameter, ...] | None = None
    hand_name: str = ""


@dataclass(frozen=True)
class RobotData:
    """A robot as ROSAM II describes it (Table 2 of the paper).

    Attributes:
        RobotType: "serial", "tree" or "closed".
        BranchNum: number of branches; BranchInfo: {1: BranchInfo(...), 2: ...}.
        General: for closed robots, the independent joint variables (names or SymPy symbols), as many as the
            robot has degrees of freedom.
        ConCoor: for closed robots, (branch, link) on both sides of the virtual cut; (0, 0) is the base.
        ConDH: DH rows from those links to the cut frame; "free" for the theta about which the cut joint
            rotates. A row of Hand and ConDH may have beta and b as fifth and sixth element. With several
            loops, ConCoor and ConDH have one such pair for each loop.

    The others are not in the paper, begin with a lower-case letter and may be left out:

    Attributes:
        name: of the robot; base: of its base link.
        gravity: acceleration of free fall in the base frame [m/s^2].
        symbols: values of symbols: Symbol(name, value, unit) or (name, value, unit); as a dictionary
            {"L": 0.4} or {"L": {"value": 0.4, "unit": "m"}}. A symbol without a value needs no entry;
            one with a value stays a symbol in formulas, and numeric laws use the value.
        cut: type of the cut joint of each loop, "revolute" if left out; cut_names: of the loops.
        frames: more frames: {name: ((branch, link), row)}.
    """

    RobotType: str
    BranchNum: int
    BranchInfo: Mapping[int, BranchInfo]
    General: tuple[str, ...] = ()
    ConCoor: tuple[Any, ...] = ()
    ConDH: tuple[Any, ...] = ()
    name: str = "robot"
    base: str = "base"
    gravity: tuple[Parameter, Parameter, Parameter] = (0, 0, "-9.81")
    symbols: tuple[Any, ...] = ()
    cut: tuple[str, ...] = ()
    cut_names: tuple[str, ...] = ()
    frames: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if isinstance(self.General, tuple | list):  # symbols of SymPy by their names
            object.__setattr__(self, "General", tuple(symbol_name(x) or x for x in self.General))

    def table(self) -> dict[str, Any]:
        """The data as a dictionary for JSON, keys as in the paper: "RobotType", "BranchInfo.1", ..."""
        result: dict[str, Any] = {}
        for f in fields(self):
            value = getattr(self, f.name)
            if f.name == "BranchInfo":
                result |= {f"BranchInfo.{k}": _plain(branch) for k, branch in value.items()}
            elif f.name != "symbols":
                result[f.name] = _plain(value)
        result["symbols"] = {s.name: {"value": _plain(s.value), "unit": s.unit} for s in self.symbols}
        return result

    @classmethod
    def of(cls, table: "RobotData | Mapping[str, Any]") -> "RobotData":
        """RobotData from a dictionary with the keys of `table`.

        Raises:
            BadModel: naming keys that are unknown or missing.
        """
        if isinstance(table, RobotData):
            return table
        if not isinstance(table, Mapping):
            raise BadModel(
                [
                    f"A RobotData or a table of its fields is needed; {short(table)} was given. "
                    f"Known fields: {', '.join(f.name for f in fields(cls))}."
                ],
                "RobotData",
            )
        if isinstance(count := table.get("BranchNum", 0), bool) or not isinstance(count, int):
            raise BadModel(
                [f"BranchNum is how many branches there are; {short(count)} was given."], "RobotData"
            )
        if isinstance(general := table.get("General", ()), str) or not _are_names(general):
            raise BadModel(
                [f"General is a list of joint variables, General = ['theta11']; {short(general)} was given."],
                "RobotData",
            )
        for name in ("ConCoor", "ConDH", "cut", "cut_names"):
            if not isinstance(value := table.get(name, ()), list | tuple):
                raise BadModel([f"{name} is a list; {short(value)} was given."], "RobotData")
        from rikigaku.model.robot_model import Symbol

        if odd := [key for key in table if not isinstance(key, str)]:
            raise BadModel([f"Names of fields are texts; {short(odd[0])} was given."], "RobotData")
        if not isinstance(table.get("symbols", {}), Mapping):
            raise BadModel(
                [f"symbols is a table of values by name; {short(table['symbols'])} was given."], "RobotData"
            )
        branches = {key: value for key, value in table.items() if key.startswith("BranchInfo.")}
        others = {key: value for key, value in table.items() if key not in branches and key != "symbols"}
        problems = [
            f"{key}: the part after the dot must be the number of a branch."
            for key in branches
            if not re.fullmatch("[0-9]{1,9}", key[len("BranchInfo.") :])
        ]
        problems += _unknown("RobotData", others, cls) + _missing(
            "RobotData", {**others, "BranchInfo": 0}, cls
        )
        made = (
            {}
            if problems
            else {int(key[11:]): _branch(key, value, problems) for key, value in branches.items()}
        )
        if problems:
            raise BadModel(problems, "RobotData")
        symbols = []
        for name, x in table.get("symbols", {}).items():
            given = x if isinstance(x, Mapping) else {"value": x}
            if set(given) <= {"value", "unit"}:
                symbols.append(Symbol(name, given.get("value"), given.get("unit", "")))
            else:
                problems.append(f"symbols, {short(name)}: {short(x)} was given; known: value, unit.")
        if problems:
            raise BadModel(problems, "RobotData")
        return cls(**{key: _tuples(x) for key, x in others.items()}, BranchInfo=made, symbols=tuple(symbols))


def _branch(where: str, table: Any, problems: list[str]) -> BranchInfo:
    if isinstance(table, BranchInfo):
        return table
    if not isinstance(table, Mapping) or not isinstance(table.get("Links", ()), list | tuple):
        problems.append(
            f"{where} is a table with a list of Links, {{'Links': [...]}}; {short(table)} was given."
        )
        return BranchInfo(())
    problems += (wrong := _unknown(where, table, BranchInfo) + _missing(where, table, BranchInfo))
    links = []
    for i, link in enumerate(table.get("Links", ()), start=1):
        if isinstance(link, LinkInfo):
            links.append(link)
            continue
        at = f"{where}, link {i}"
        if not isinstance(link, Mapping):
            wrong.append(f"{at} is a table, {{'Type': 'R', 'DH': [...]}}; {short(link)} was given.")
            problems.append(wrong[-1])
            continue
        wrong += (own := _unknown(at, link, LinkInfo) + _missing(at, link, LinkInfo))
        problems += own
        limits = link.get("limits", {})
        if not isinstance(limits, Limits) and (
            not isinstance(limits, Mapping) or _unknown(f"{at}, limits", limits, Limits)
        ):
            wrong.append(f"{at}: limits is {short(limits)}; known: lower, upper, velocity, effort.")
            problems.append(wrong[-1])
            continue
        if not own:
            try:
                made = limits if isinstance(limits, Limits) else Limits(**limits)
            except WrongValue as error:
                wrong.append(f"{at}, limits: {error}")
                problems.append(wrong[-1])
                continue
            links.append(LinkInfo(**{key: _tuples(x) for key, x in link.items()} | {"limits": made}))
    if wrong:
        return BranchInfo(())
    return BranchInfo(**{key: _tuples(x) for key, x in table.items()} | {"Links": tuple(links)})


def _are_names(x: Any) -> bool:
    return isinstance(x, list | tuple) and all(symbol_name(name) for name in x)


def _unknown(where: str, table: Mapping[str, Any], kind: Any) -> list[str]:
    known = [f.name for f in fields(kind)]
    unknown = [key for key in table if key not in known]
    return [f"{where} has no field {short(key)}. Known: {', '.join(known)}." for key in unknown]


def _missing(where: str, table: Mapping[str, Any], kind: Any) -> list[str]:
    from dataclasses import MISSING

    needed = [f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING]
    return [f"{where} lacks {name}." for name in needed if name not in table]


def _plain(x: Any) -> Any:
    """Tuples, dictionaries, numbers and text; formulas as their text."""
    if isinstance(x, BranchInfo | LinkInfo | Limits):
        return {f.name: _plain(getattr(x, f.name)) for f in fields(x)}
    if isinstance(x, tuple | list):
        return [_plain(y) for y in x]
    if isinstance(x, Mapping):
        return {key: _plain(y) for key, y in x.items()}
    return x if x is None or isinstance(x, str | int | float) else str(Formula.of(x) if is_sympy(x) else x)


def _tuples(x: Any, depth: int = 0) -> Any:
    if depth > DEPTH:
        raise BadModel([f"lists are nested more than {DEPTH} deep."], "RobotData")
    if isinstance(x, Mapping):
        return {key: _tuples(y, depth + 1) for key, y in x.items()}
    return tuple(_tuples(y, depth + 1) for y in x) if isinstance(x, list | tuple) else x
