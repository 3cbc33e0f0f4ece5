"""Physical consistency of an inertia, and the nearest consistent one.

The density of a body is not negative. Hence its mass is positive, and the second moments of mass about the
centre of mass, Sigma = tr(I)/2 1 - I [kg m^2] (I the inertia tensor there), have no negative eigenvalue. In
the principal moments this is the triangle inequality I1 + I2 >= I3, which implies that I has no negative
eigenvalue. Point masses and thin rods are limiting cases and allowed; so is a link without mass.
Reference: P. M. Wensing, S. Kim, J.-J. E. Slotine, Linear matrix inequalities for physically consistent
inertial parameter identification, IEEE Robotics and Automation Letters 3(1), 2018.
"""

from dataclasses import replace
from typing import Literal

import numpy as np

from rikigaku.core.caller_warnings import warn_caller
from rikigaku.core.errors import UnphysicalInertia, UnphysicalInertiaWarning, WrongValue
from rikigaku.core.input_limits import listed
from rikigaku.core.types import Array
from rikigaku.model.inertial_parameters import Inertia, Sextuple
from rikigaku.model.robot_model import ModelT
from rikigaku.numbers.formula import Formula

# Relative to the largest tensor element as given. Thin rods and discs lie on the border, where the last digit
# of a file or of our arithmetic decides; mistakes are far beyond it.
TOLERANCE = 1e-9
# A repaired body keeps this part of its largest second moment in every direction, so that M stays invertible.
FLOOR = 1e-6

_ROWS, _COLUMNS = (0, 0, 0, 1, 1, 2), (0, 1, 2, 1, 2, 2)  # Ixx Ixy Ixz Iyy Iyz Izz


def inertia_problems(inertia: Inertia) -> list[str]:
    """Why no rigid body has this inertia, with the numbers; empty if one has, or if it holds symbols."""
    if not _is_numeric(inertia):
        return []
    m, tensor = float(inertia.m), _matrix(inertia.tensor)
    if m == 0 and not tensor.any() and (inertia.about == "com" or not any(inertia.position)):
        return []  # a mere frame
    if m <= 0:
        return [f"mass {m:g} kg, yet an inertia" if m == 0 else f"mass {m:g} kg is negative"]
    with np.errstate(over="ignore", invalid="ignore"):
        about_com = _about_com(inertia)
    if not _multiplies(about_com):
        return ["its numbers are too large for principal moments to be computed"]
    moments = np.linalg.eigvalsh(about_com)
    slack = TOLERANCE * _scale(inertia)
    shown = ", ".join(f"{moment:.6g}" for moment in moments)
    if moments[0] < -slack:
        return [f"principal moments {shown} kg m^2 about the centre of mass: a negative one"]
    if moments[0] + moments[1] < moments[2] - slack:
        excess = f"{moments[0]:.6g} + {moments[1]:.6g} < {moments[2]:.6g}"
        return [f"principal moments {shown} kg m^2 about the centre of mass: {excess} (triangle inequality)"]
    return []


def nearest_physical(inertia: Inertia) -> Inertia:
    """The inertia with the same mass and centre of mass whose second moments are nearest, and possible.

    Nearest in the Frobenius norm of Sigma: its negative eigenvalues are raised to FLOOR of the largest
    magnitude. An inertia that is possible, or symbolic, is returned as it is.

    Raises:
        UnphysicalInertia: if the mass is not positive; no mass can be guessed.
    """
    problems = inertia_problems(inertia)
    if not problems:
        return inertia
    if float(inertia.m) <= 0:
        advice = "it cannot be repaired. Give the mass, or leave the inertia out."
        raise UnphysicalInertia(f"{problems[0]}: {advice}")
    with np.errstate(over="ignore", invalid="ignore"):
        about_com = _about_com(inertia)
    if not _multiplies(about_com):
        raise UnphysicalInertia(f"{problems[0]}: it cannot be repaired. Give other numbers, or other units.")
    second = np.trace(about_com) / 2 * np.eye(3) - about_com
    values, axes = np.linalg.eigh(second)
    values = np.maximum(values, FLOOR * np.abs(values).max())
    second = axes @ np.diag(values) @ axes.T
    tensor = np.trace(second) * np.eye(3) - second
    if inertia.about == "origin":
        tensor = tensor + _shift(inertia)
    xx, xy, xz, yy, yz, zz = (Formula.of(float(x)) for x in tensor[_ROWS, _COLUMNS])
    return replace(inertia, tensor=(xx, xy, xz, yy, yz, zz))


def check_inertias(robot: ModelT, strict: bool = False, repair: Literal["nearest"] | None = None) -> ModelT:
    """The robot, with a warning that lists its impossible inertias.

    Args:
        strict: raise instead of warning.
        repair: "nearest" returns a robot with `nearest_physical` inertias and warns what was changed.
    Raises:
        UnphysicalInertia: if strict, or if an inertia cannot be repaired.
    """
    if repair not in (None, "nearest"):
        raise WrongValue(f"repair={repair!r} is unknown. Give repair='nearest', or None to keep the numbers.")
    bodies = [(robot.base, robot.base_inertia), *((link.name, link.inertia) for link in robot.links)]
    found = {name: wrong for name, inertia in bodies if inertia and (wrong := inertia_problems(inertia))}
    if not found:
        return robot
    lines = [f"link {name!r}: {'; '.join(wrong)}" for name, wrong in found.items()]
    shown = "\n".join(listed(lines, len(lines)))
    head = f"Robot {robot.name!r} has {len(found)} inertia{'s' * (len(found) > 1)} no rigid body can have"
    if strict:
        raise UnphysicalInertia(f"{head}:\n{shown}\nCorrect the file, or read it with repair='nearest'.")
    if repair is None:
        advice = "The numbers are used as they are; strict=True refuses them, repair='nearest' corrects them."
        warn_caller(f"{head}:\n{shown}\n{advice}", UnphysicalInertiaWarning)
        return robot
    repaired, changes = _repaired(robot, set(found))
    now = "\n".join(listed(changes, len(changes)))
    text = f"{head}; replaced by the nearest possible:\n{shown}\nNow:\n{now}"
    warn_caller(text, UnphysicalInertiaWarning)
    return repaired


def _repaired(robot: ModelT, names: set[str]) -> tuple[ModelT, list[str]]:
    """The robot with the named inertias repaired, and a line about each."""
    changes: list[str] = []
    beyond: list[str] = []

    def mended(name: str, inertia: Inertia | None) -> Inertia | None:
        if name not in names or inertia is None:
            return inertia
        try:
            result = nearest_physical(inertia)
        except UnphysicalInertia as error:
            beyond.append(f"Robot {robot.name!r}, link {name!r}: {error}")
            return inertia
        moments = ", ".join(f"{moment:.6g}" for moment in np.linalg.eigvalsh(_about_com(result)))
        changes.append(f"link {name!r}: principal moments {moments} kg m^2")
        return result

    base_inertia = mended(robot.base, robot.base_inertia)
    links = tuple(replace(link, inertia=mended(link.name, link.inertia)) for link in robot.links)
    if beyond:
        raise UnphysicalInertia("\n".join(beyond))
    return replace(robot, base_inertia=base_inertia, links=links), changes


def _multiplies(tensor: Array) -> bool:
    """Whether the numbers are far enough from the largest float for eigenvalues to be computed."""
    return bool(np.abs(tensor).max() < 1e150)  # False for nan, too


def _is_numeric(inertia: Inertia) -> bool:
    return all(x.is_number for x in (inertia.m, *inertia.position, *inertia.tensor, *inertia.rpy))


def _matrix(tensor: Sextuple) -> Array:
    values = np.array([float(x) for x in tensor])
    result = np.zeros((3, 3))
    result[_ROWS, _COLUMNS] = values
    result[_COLUMNS, _ROWS] = values
    return result


def _shift(inertia: Inertia) -> Array:
    """What the mass adds to the tensor about the origin: m (c.c 1 - c c^T), with c = (first moments)/m."""
    moments, m = np.array([float(x) for x in inertia.position]), float(inertia.m)
    shift: Array = (moments @ moments * np.eye(3) - np.outer(moments, moments)) / m
    return shift


def _about_com(inertia: Inertia) -> Array:
    """Tensor about the centre of mass, in the axes it was given in (eigenvalues do not depend on axes)."""
    tensor = _matrix(inertia.tensor)
    return tensor if inertia.about == "com" else tensor - _shift(inertia)


def _scale(inertia: Inertia) -> float:
    """Size of the numbers the moments were computed from, which bounds their rounding."""
    return float(np.abs(_matrix(inertia.tensor)).max())
