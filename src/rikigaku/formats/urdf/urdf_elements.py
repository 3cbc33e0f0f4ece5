"""The elements of a URDF file as model data: origins, inertias, joints, mimics.

Mistakes in an element are noted and reading continues, so that all are reported together.
"""

from rikigaku.core.errors import UnknownName
from rikigaku.core.known_names import KnownNames
from rikigaku.formats.xml_tree import Element
from rikigaku.formats.xml_values import (
    Notes,
    Triple,
    name_of,
    note_slips,
    number_of,
    only,
    shown,
    text_of,
    triple_of,
)
from rikigaku.model.geometry import Placement
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import X_AXIS, Joint, Limits
from rikigaku.model.joints.joint_types import JOINT_TYPES
from rikigaku.model.robot_model import Coupling
from rikigaku.numbers.formula import ONE, ZERO, Formula

_TYPES = {name: type_.name for type_ in JOINT_TYPES.values() for name in type_.urdf}
_TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
# Means "no bound" where the format requires a number.
UNBOUNDED = 1e300


def placement(parent: Element, owner: str, notes: Notes) -> Placement:
    """The <origin> of a joint or an inertial; the identity where there is none."""
    origin = only(parent, "origin", owner, notes)
    if origin is None:
        return Placement()
    zero = (ZERO, ZERO, ZERO)
    return Placement(
        triple_of(origin, "xyz", owner, notes, zero), triple_of(origin, "rpy", owner, notes, zero)
    )


def inertia(link: Element, notes: Notes) -> Inertia | None:
    """The <inertial> of a link: mass, centre of mass, tensor about it in the axes of its origin."""
    owner = name_of(link)
    note_slips(link, owner, notes)
    inertial = only(link, "inertial", owner, notes)
    if inertial is None:
        return None
    mass, tensor = (only(inertial, tag, owner, notes) for tag in ("mass", "inertia"))
    for element, tag in ((mass, "mass"), (tensor, "inertia")):
        if element is None:
            notes.add(inertial, owner, f"<{tag}> is missing")
    where = placement(inertial, owner, notes)
    if mass is None or tensor is None:
        return None
    m = number_of(mass, "value", owner, notes)
    if float(m) < 0:
        notes.add(mass, owner, f"value={shown(mass.attributes['value'])}: a mass cannot be negative")
    xx, xy, xz, yy, yz, zz = (number_of(tensor, name, owner, notes) for name in _TENSOR)
    return Inertia("com", m, where.xyz, (xx, xy, xz, yy, yz, zz), where.rpy)


def joint(element: Element, notes: Notes) -> Joint:
    """A <joint> without its place in the tree; a mimic joint is not actuated."""
    owner = name_of(element)
    note_slips(element, owner, notes)
    name = text_of(element, "name", owner, notes)
    type_text = text_of(element, "type", owner, notes)
    if type_text and type_text not in _TYPES:
        unknown = UnknownName("joint type", type_text, _TYPES, "URDF")
        notes.add(element, owner, str(unknown))
    kind = _TYPES.get(type_text, "fixed")
    if kind == "fixed":  # its axis, limit and mimic have no effect and are often left over
        return Joint(name, "fixed")
    if kind == "free":
        return Joint(name, "free", actuated=False)
    return Joint(
        name,
        kind,
        axis=_axis(element, owner, notes),
        actuated=kind != "planar" and not element.all("mimic"),  # URDF cannot actuate a planar joint
        limits=Limits() if kind == "planar" else _limits(element, type_text, owner, notes),
        viscous=_friction(element, "damping", owner, notes),
        coulomb=_friction(element, "friction", owner, notes),
    )


def coupling(element: Element, joints: dict[str, Joint], names: KnownNames, notes: Notes) -> Coupling | None:
    """The <mimic> of a joint: q = multiplier * q[reference] + offset. names: of the joints."""
    owner, name = name_of(element), element.attributes.get("name", "")
    mimic = only(element, "mimic", owner, notes)
    if mimic is None or name not in joints or joints[name].type == "fixed":
        return None  # on a joint that was locked the tag is left over
    multiplier = number_of(mimic, "multiplier", owner, notes, ONE)
    offset = number_of(mimic, "offset", owner, notes, ZERO)
    reference = text_of(mimic, "joint", owner, notes)
    if not reference:
        return None
    if reference not in joints:
        notes.add(mimic, owner, str(UnknownName("joint", reference, names, "the file")))
        return None
    for role, one in (("follower", name), ("leader", reference)):
        if joints[one].type not in ("revolute", "prismatic"):
            reason = f"the {role} {one!r} must have one coordinate; it is {joints[one].type}"
            notes.add(mimic, owner, reason)
            return None
    return Coupling(name, reference, multiplier, offset)


def _axis(element: Element, owner: str, notes: Notes) -> Triple:
    axis = only(element, "axis", owner, notes)
    if axis is None:
        return X_AXIS  # URDF's default
    known = notes.count
    xyz = triple_of(axis, "xyz", owner, notes, X_AXIS)
    could_be_read = notes.count == known  # otherwise zeros replace it
    if could_be_read and not any(xyz):
        notes.add(axis, owner, f"xyz={shown(axis.attributes['xyz'])}: the zero vector has no direction")
    return X_AXIS if notes.count > known else xyz


def _limits(element: Element, type_text: str, owner: str, notes: Notes) -> Limits:
    """Effort and velocity are required by the format; both bounds left out is taken as unbounded.

    The format's default for a bound is 0, but a joint with neither bound is a wheel in every file we know.
    """
    limit = only(element, "limit", owner, notes)
    if limit is None:
        if type_text != "continuous":
            advice = (
                "give lower, upper, effort and velocity, or make it 'continuous' if it rotates without bounds"
            )
            notes.add(element, owner, f"<limit> is missing; {advice}")
        return Limits()
    velocity, effort = (
        _bound(float(number_of(limit, name, owner, notes))) for name in ("velocity", "effort")
    )
    lower, upper = (float(number_of(limit, name, owner, notes, ZERO)) for name in ("lower", "upper"))
    for name, value in (("velocity", velocity), ("effort", effort)):
        if value is not None and value < 0:
            notes.add(limit, owner, f"{name}={value:g} is negative; it is a largest magnitude")
    if type_text == "continuous" or not {"lower", "upper"} & set(limit.attributes):
        return Limits(velocity=velocity, effort=effort)
    if lower > upper:
        notes.add(limit, owner, f"lower={lower:g} is above upper={upper:g}")
        return Limits(velocity=velocity, effort=effort)
    return Limits(_bound(lower), _bound(upper), velocity, effort)


def _bound(value: float) -> float | None:
    return None if abs(value) >= UNBOUNDED else value


def _friction(element: Element, attribute: str, owner: str, notes: Notes) -> Formula:
    dynamics = element.all("dynamics")
    if not dynamics:
        return ZERO
    value = number_of(dynamics[0], attribute, owner, notes, ZERO)
    if float(value) < 0:
        reason = f"{attribute}={float(value):g} is negative: friction would add energy"
        notes.add(dynamics[0], owner, reason)
        return ZERO
    return value
