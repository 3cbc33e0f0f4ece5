"""Mass, centre and inertia of an MJCF body: from its <inertial>, or from its geoms, as in MuJoCo."""

import math
from dataclasses import dataclass

import numpy as np

from rikigaku.formats.mjcf.mjcf_values import Settings, flag, minimal_rotation, number, numbers, place
from rikigaku.formats.xml_tree import Element
from rikigaku.formats.xml_values import name_of, shown
from rikigaku.model.float_poses import Array, Rigid, formulas, rpy_formulas
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.numbers.formula import ZERO, Formula

_SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
_WEIGHTLESS = ("plane", "hfield")  # they stand on the ground
_TYPES = (*_SIZES, *_WEIGHTLESS, "mesh", "sdf")


@dataclass(frozen=True, eq=False)
class Lump:
    """A rigid piece: mass [kg], its centre's frame in the body, principal moments in that frame [kg m^2]."""

    mass: float
    pose: Rigid
    moments: Array


def inertial_lump(element: Element, settings: Settings) -> Lump | None:
    """An <inertial> element."""
    notes, owner = settings.notes, name_of(element)
    if "mass" not in element.attributes:
        notes.add(element, owner, "attribute 'mass' is missing")
        return None
    mass, pose = number(element, "mass", 0.0, notes), place(element, settings)
    if mass < 0:
        notes.add(element, owner, f"mass={mass:g} is negative")
    if "fullinertia" not in element.attributes:
        return Lump(mass, pose, np.array(numbers(element, "diaginertia", (0, 0, 0), notes)))
    if "diaginertia" in element.attributes:
        notes.add(element, owner, "diaginertia and fullinertia are both given; one is enough")
    xx, yy, zz, xy, xz, yz = numbers(element, "fullinertia", (0,) * 6, notes)
    moments, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    if np.linalg.det(axes) < 0:
        axes[:, 0] = -axes[:, 0]
    return Lump(mass, pose @ Rigid(axes), moments)


def geom_lump(geom: Element, around: Rigid, settings: Settings) -> Lump | None:
    """A geom as a body of uniform density; None where it has no mass, or none that is known here.

    around: the frame the geom is placed in, on the body.
    """
    notes, owner = settings.notes, name_of(geom)
    kind = geom.attributes.get("type", "sphere")
    if kind not in _TYPES:
        notes.add(geom, owner, f"there is no geom type {shown(kind)}. Known: {', '.join(_TYPES)}")
        return None
    low, high = settings.groups
    if kind in _WEIGHTLESS or not low <= number(geom, "group", 0, notes) <= high:
        return None
    mass = number(geom, "mass", -1.0, notes) if "mass" in geom.attributes else None
    density = number(geom, "density", 1000.0, notes)
    if mass == 0 or (mass is None and density == 0):
        return None
    if kind not in _SIZES or "mesh" in geom.attributes:
        settings.leave_out(
            "inertia of mesh geoms (give the body an <inertial>)", geom.attributes.get("name", "?")
        )
        return None
    if flag(geom, "shellinertia", False, notes):
        notes.add(geom, owner, "shellinertia is not read; give the body an <inertial>")
        return None
    size, pose = size_and_pose(geom, kind, settings)
    if min(size[: _SIZES[kind]]) <= 0:
        notes.add(
            geom, owner, f"size={shown(geom.attributes.get('size', ''))}: a {kind} needs positive sizes"
        )
        return None
    mass = density * volume(kind, size) if mass is None else mass
    return Lump(mass, around @ pose, mass * moments_per_mass(kind, size))


def volume(kind: str, size: list[float]) -> float:
    """Volume of a shape of MuJoCo's half sizes [m^3]."""
    a, b, c = size
    match kind:
        case "sphere":
            return 4 / 3 * math.pi * a**3
        case "capsule":
            return math.pi * a * a * 2 * b + 4 / 3 * math.pi * a**3
        case "cylinder":
            return math.pi * a * a * 2 * b
        case "ellipsoid":
            return 4 / 3 * math.pi * a * b * c
    return 8 * a * b * c


def moments_per_mass(kind: str, size: list[float]) -> Array:
    """Principal moments of a unit mass spread evenly over the shape [m^2]; z is a cylinder's axis."""
    a, b, c = size
    match kind:
        case "sphere":
            return np.full(3, 2 / 5 * a * a)
        case "ellipsoid":
            return np.array([b * b + c * c, a * a + c * c, a * a + b * b]) / 5
        case "box":
            return np.array([b * b + c * c, a * a + c * c, a * a + b * b]) / 3
    across, along = a * a / 4 + b * b / 3, a * a / 2
    if kind == "cylinder":
        return np.array([across, across, along])
    # A capsule: a cylinder and two half balls, whose centres lie 3/8 a beyond its ends.
    ball = 4 / 3 * a / (4 / 3 * a + 2 * b)  # part of the mass
    capped = 2 / 5 * a * a + b * b + 3 / 4 * a * b
    across = (1 - ball) * across + ball * capped
    return np.array([across, across, (1 - ball) * along + ball * 2 / 5 * a * a])


def together(lumps: list[Lump]) -> Lump | None:
    """Several pieces as one, in axes parallel to the body's; a lone piece stays as it is."""
    lumps = [lump for lump in lumps if lump.mass > 0]
    if len(lumps) <= 1:
        return lumps[0] if lumps else None
    mass = sum(lump.mass for lump in lumps)
    centre = sum((lump.mass * lump.pose.p for lump in lumps), np.zeros(3)) / mass
    tensor = np.zeros((3, 3))
    for lump in lumps:
        d = lump.pose.p - centre
        tensor += lump.pose.R @ np.diag(lump.moments) @ lump.pose.R.T
        tensor += lump.mass * (d @ d * np.eye(3) - np.outer(d, d))
    moments, axes = np.linalg.eigh(tensor)
    if np.linalg.det(axes) < 0:
        axes[:, 0] = -axes[:, 0]
    return Lump(mass, Rigid(axes, centre), moments)


def bounded(lump: Lump | None, settings: Settings) -> Lump | None:
    """The piece after <compiler> boundmass, boundinertia and balanceinertia."""
    if lump is None or not (settings.least_mass or settings.least_inertia or settings.balance):
        return lump
    moments = np.maximum(lump.moments, settings.least_inertia)
    if settings.balance and 2 * moments.max() > moments.sum():
        moments = np.full(3, moments.mean())
    return Lump(max(lump.mass, settings.least_mass), lump.pose, moments)


def inertia_of(lump: Lump | None, scale: float = 1.0) -> Inertia | None:
    """As data of the model; scale multiplies mass and moments."""
    if lump is None:
        return None
    xx, yy, zz = (Formula.of(float(x * scale)) for x in lump.moments)
    tensor = (xx, ZERO, ZERO, yy, ZERO, zz)
    rpy = (ZERO,) * 3 if np.ptp(lump.moments) == 0 else rpy_formulas(lump.pose.R)
    return Inertia("com", Formula.of(float(lump.mass * scale)), formulas(lump.pose.p), tensor, rpy)


def size_and_pose(geom: Element, kind: str, settings: Settings) -> tuple[list[float], Rigid]:
    """Half sizes, and the geom's frame; fromto gives the long axis by its ends."""
    size = numbers(geom, "size", (0, 0, 0), settings.notes, at_least=1)
    if "fromto" not in geom.attributes or kind not in ("capsule", "cylinder", "ellipsoid", "box"):
        return size, place(geom, settings)
    ends = np.array(numbers(geom, "fromto", (0,) * 6, settings.notes))
    along = ends[:3] - ends[3:]
    half = float(np.linalg.norm(along)) / 2
    size = [size[0], half, 0.0] if kind in ("capsule", "cylinder") else [size[0], size[0], half]
    return size, Rigid(minimal_rotation(along), (ends[:3] + ends[3:]) / 2)
