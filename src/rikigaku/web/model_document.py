"""Data of a web page about a robot, as frozen records that become JSON.

`tools/web_types.py` writes the same records as TypeScript (web/src/document/model_document.ts). Lengths in m,
angles in rad, masses in kg. A pose is its 3 x 4 matrix [R p], row-major, 12 numbers. Body -1 is the world.
"""

from dataclasses import dataclass, field
from typing import Literal

CoordinateKind = Literal["angle", "screw angle", "length", "quaternion"]
JointShape = Literal["cylinder", "box", "ball", "free body"]
VisualShape = Literal["box", "cylinder", "sphere", "mesh"]

SCHEMA = 1


@dataclass(frozen=True)
class Coordinate:
    """One element of q. lower, upper: limits, None if unbounded; v: its place in v (-1 for a quaternion)."""

    name: str
    joint: str
    kind: CoordinateKind
    lower: float | None
    upper: float | None
    v: int


@dataclass(frozen=True)
class JointRecord:
    """A joint: its places in q and v, and what moves it."""

    name: str
    type: str
    q: int
    nq: int
    v: int
    nv: int
    actuated: bool


@dataclass(frozen=True)
class Bar:
    """A straight part of a body, between two points in its frame."""

    body: int
    start: list[float]
    end: list[float]


@dataclass(frozen=True)
class Seat:
    """Place of an elementary joint on the parent body (z along its motion); `body` moves on it.

    q: place of its first coordinate.
    """

    kind: str
    shape: JointShape
    parent: int
    pose: list[float]
    body: int
    q: int


@dataclass(frozen=True)
class MassPoint:
    """Mass of a body, its centre, and the ellipsoid of inertia.

    axes: principal axes, a 3 x 3 rotation row-major; radii: half axes of the homogeneous ellipsoid with
    the same mass and principal moments [m]; None where no rigid body has these moments.
    """

    body: int
    mass: float
    centre: list[float]
    axes: list[float]
    radii: list[float] | None


@dataclass(frozen=True)
class FrameRecord:
    """A named frame on a body; law: the exported Jacobian of the frame, "" if there is none."""

    name: str
    body: int
    pose: list[float]
    law: str


@dataclass(frozen=True)
class ClosureRecord:
    """A cut joint: the poses of its two ends, which coincide where the loop is closed."""

    name: str
    joint: str
    start_body: int
    start: list[float]
    end_body: int
    end: list[float]


@dataclass(frozen=True)
class Visual:
    """A shape of the robot's file on a body; size: box edges, or radius and length, or radius.

    mesh: triangles, three vertices of three coordinates each, as base64 of little-endian 32-bit floats.
    """

    body: int
    shape: VisualShape
    pose: list[float]
    size: list[float]
    color: list[float]
    mesh: str | None


@dataclass(frozen=True)
class LoopRecord:
    """Structure of the loop equations: rows of the residual, and coordinates of v, by their places."""

    equations: list[int]
    independent: list[int]
    dependent: list[int]
    actuated: list[int]
    mobility: int
    redundant: int


@dataclass(frozen=True)
class SurfaceMesh:
    """A surface as triangles: x, y, z of its vertices [m] in the axes of the body that carries it.

    vertices: one row; of a surface that moves by itself one row for each sample of the motion.
    triangles: places of three vertices each.
    """

    body: int
    vertices: list[list[float]]
    triangles: list[int]


@dataclass(frozen=True)
class ContactTrack:
    """A contact over the samples of a motion: its point [m] and the force on the robot [N], world axes.

    x, y, z of each sample, one after the other; the force is zero where the contact is open.
    """

    name: str
    points: list[float]
    forces: list[float]


@dataclass(frozen=True)
class BeamMotion:
    """Beams over the samples of a motion: pairs of nodes, and x, y, z of all nodes [m] for each sample.

    rails: pairs of nodes, the seat of a prismatic joint and what it carries; a rail is rigid.
    """

    elements: list[int]
    rails: list[int]
    nodes: list[list[float]]


@dataclass(frozen=True)
class Motion:
    """A recorded motion that the page plays: times [s] and one row of q for each.

    shapes: of bodies in contact. Flexible links have beams; then the rows of q are those of the joints.
    """

    title: str
    times: list[float]
    positions: list[list[float]]
    contacts: list[ContactTrack] = field(default_factory=list)
    surfaces: list[SurfaceMesh] = field(default_factory=list)
    shapes: list[Visual] = field(default_factory=list)
    beams: BeamMotion | None = None


@dataclass(frozen=True)
class BeamShape:
    """Displacements of all nodes [m], x, y, z each: a deflection, or the real part of a vibration mode.

    frequency: of a vibration mode [Hz], None for a deflection. imaginary: of a damped vibration mode, whose
    parts are out of phase; else empty.
    """

    name: str
    frequency: float | None
    displacements: list[float]
    imaginary: list[float]


@dataclass(frozen=True)
class BeamMesh:
    """Undeformed beams at a configuration q: pairs of nodes, x, y, z of all nodes [m], and shapes on them.

    rails: pairs of nodes, as of `BeamMotion`.
    """

    title: str
    q: list[float]
    nodes: list[float]
    elements: list[int]
    rails: list[int]
    shapes: list[BeamShape]


@dataclass(frozen=True)
class NamedConfigurations:
    """Configurations shown as ghosts: branches of inverse kinematics, assembly modes.

    law: the law that computes them from q, rows of NaN for those that do not exist; "": they stay.
    """

    title: str
    names: list[str]
    positions: list[list[float]]
    law: str = ""


@dataclass(frozen=True)
class StateNames:
    """Names of the elements of q, v and tau in formulas, as in `law.formulas`."""

    q: list[str]
    v: list[str]
    tau: list[str]


@dataclass(frozen=True)
class RobotDocument:
    """A robot for the page: what is drawn, what can be moved, and its laws as one WebAssembly module.

    q: the configuration shown first. wasm: base64 of the module, "" where symbols without a value leave none.
    size: diagonal of the picture [m]; view: direction from the robot to the camera; ground: its height [m].
    """

    schema: int
    name: str
    nq: int
    nv: int
    gravity: list[float]
    q: list[float]
    size: float
    centre: list[float]
    view: list[float]
    ground: float | None
    coordinates: list[Coordinate]
    joints: list[JointRecord]
    bodies: list[str]
    bars: list[Bar]
    seats: list[Seat]
    masses: list[MassPoint]
    frames: list[FrameRecord]
    closures: list[ClosureRecord]
    visuals: list[Visual]
    loops: LoopRecord | None
    names: StateNames
    wasm: str
    ghosts: list[NamedConfigurations]
    motions: list[Motion]
    surfaces: list[SurfaceMesh] = field(default_factory=list)
    beams: list[BeamMesh] = field(default_factory=list)


@dataclass(frozen=True)
class PageDocument:
    """What a page holds beside its HTML: the robot (None where it cannot be drawn), and its language."""

    schema: int
    host: Literal["report", "notebook", "studio"]
    language: Literal["en", "ja"]
    robot: RobotDocument | None
