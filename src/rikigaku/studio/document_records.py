"""The edited robot as records for the page: every cell as the text that was typed, mistakes at their cells.

A path leads to a value of the robot file by keys and places: ["link", 2, "dh", "alpha"], ["gravity", 0].
"""

from dataclasses import dataclass
from typing import Literal

from rikigaku.web.model_document import RobotDocument

GeometryKind = Literal["dh", "standard_dh", "placement", "none"]


@dataclass(frozen=True)
class GeometryCells:
    """Geometry of a link, frame or loop end. Cells that its kind does not have are empty.

    alpha, a, theta, d, beta, b: of Denavit-Hartenberg rows, xyz and rpy: of placements.
    """

    kind: GeometryKind
    alpha: str
    a: str
    theta: str
    d: str
    beta: str
    b: str
    xyz: list[str]
    rpy: list[str]


@dataclass(frozen=True)
class JointCells:
    """A joint; cells that the file leaves out are empty."""

    name: str
    type: str
    axis: list[str]
    pitch: str
    actuated: bool
    lower: str
    upper: str
    velocity: str
    effort: str
    viscous: str
    coulomb: str
    rotor: str
    stiffness: str
    rest: str


@dataclass(frozen=True)
class InertiaCells:
    """Inertial parameters. position: first moments (about "origin") or centre of mass (about "com").

    tensor: Ixx, Ixy, Ixz, Iyy, Iyz, Izz.
    """

    about: str
    m: str
    position: list[str]
    tensor: list[str]
    rpy: list[str]


@dataclass(frozen=True)
class LinkCells:
    """A link with the joint that carries it."""

    name: str
    parent: str
    joint: JointCells
    geometry: GeometryCells
    inertia: InertiaCells | None


@dataclass(frozen=True)
class FrameCells:
    """A named frame on a link."""

    name: str
    link: str
    geometry: GeometryCells


@dataclass(frozen=True)
class LoopEndCells:
    """One end of a cut joint."""

    link: str
    geometry: GeometryCells


@dataclass(frozen=True)
class LoopCells:
    """A loop closure: a cut joint between two links. start, end: keys "from" and "to" of the file."""

    name: str
    joint: str
    start: LoopEndCells
    end: LoopEndCells


@dataclass(frozen=True)
class CouplingCells:
    """A gear: position of the joint = multiplier * position of the reference + offset."""

    joint: str
    reference: str
    multiplier: str
    offset: str


@dataclass(frozen=True)
class SymbolCells:
    """A symbol; value is empty where it has none."""

    name: str
    value: str
    unit: str


@dataclass(frozen=True)
class RobotCells:
    """All tables of the robot file. configuration: q that pictures show, empty for the default."""

    name: str
    source: str
    visuals: str
    configuration: list[float]
    gravity: list[str]
    base: str
    base_inertia: InertiaCells | None
    symbols: list[SymbolCells]
    links: list[LinkCells]
    frames: list[FrameCells]
    loops: list[LoopCells]
    couplings: list[CouplingCells]
    independent: list[str]


@dataclass(frozen=True)
class BothChanged:
    """A place that both sides changed: the value here, and the one in the file; "" where it is removed."""

    place: str
    own: str
    other: str


@dataclass(frozen=True)
class CellMistake:
    """What is wrong, and the path of the cell; of a table, or an empty one, where no cell is at fault."""

    path: list[str | int]
    message: str


@dataclass(frozen=True)
class EditedDocument:
    """The document of a session. revision counts its changes, undone ones too.

    text: the robot file. cells: None where the text is no TOML (its mistake then has an empty path).
    file: path in the workspace, "" where it was never saved. source: the file of the workspace whose visuals
    are drawn, "" where the text names none that is there. undo, redo: what these would do, "" for nothing.
    """

    revision: int
    text: str
    cells: RobotCells | None
    file: str
    source: str
    saved: bool
    undo: str
    redo: str


@dataclass(frozen=True)
class ImpossibleInertia:
    """A link whose inertia no rigid body has, and why."""

    link: str
    problems: list[str]


@dataclass(frozen=True)
class CheckedRobot:
    """What a worker found in one revision of the document: mistakes, or the robot.

    missing: symbols without a value; the picture is drawn only if none of them places a link.
    robot: None where the document has mistakes, or where the picture needs values.
    complete: whether the robot has all its laws; if not, a second check of the revision brings the dynamics.
    """

    revision: int
    mistakes: list[CellMistake]
    warnings: list[str]
    missing: list[str]
    impossible: list[ImpossibleInertia]
    nq: int
    nv: int
    mobility: int | None
    redundant: int | None
    robot: RobotDocument | None
    no_picture: str
    complete: bool
