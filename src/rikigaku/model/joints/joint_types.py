"""The table of joint types, one line a type, and how to add another from outside."""

from collections.abc import Iterable

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.model.joints.cylindrical import CYLINDRICAL_CUT
from rikigaku.model.joints.fixed import FIXED
from rikigaku.model.joints.free import FREE
from rikigaku.model.joints.helical import HELICAL
from rikigaku.model.joints.joint_type import CutJoint, JointType
from rikigaku.model.joints.planar import PLANAR
from rikigaku.model.joints.prismatic import PRISMATIC
from rikigaku.model.joints.revolute import REVOLUTE
from rikigaku.model.joints.spherical import SPHERICAL
from rikigaku.model.joints.universal import UNIVERSAL

_SHIPPED = (
    REVOLUTE,
    PRISMATIC,
    FIXED,
    HELICAL,
    UNIVERSAL,
    SPHERICAL,
    PLANAR,
    FREE,
)

# Types of joints of the tree, by name.
JOINT_TYPES: dict[str, JointType] = {type_.name: type_ for type_ in _SHIPPED}

# Equations of joints that close loops, by name of the type.
CUT_JOINTS: dict[str, CutJoint] = {type_.name: type_.cut for type_ in _SHIPPED if type_.cut is not None}
CUT_JOINTS["cylindrical"] = CYLINDRICAL_CUT


def joint_type(name: str) -> JointType:
    """The joint type of that name.

    Raises:
        UnknownName: with the nearest known name.
    """
    if not isinstance(name, str) or name not in JOINT_TYPES:
        raise UnknownName("joint type", name, JOINT_TYPES, "the table of joint types")
    return JOINT_TYPES[name]


@checked
def register_joint_type(type_: JointType) -> None:
    """Add a joint type: from now on `rk.Joint(name, type_.name)`, files, laws, formulas and pictures know it.

    Raises:
        WrongValue: if a type, or a cut joint with other equations, has that name.
    """
    if type_.name in JOINT_TYPES:
        raise WrongValue(f"There is a joint type {type_.name!r} already. Give the new one another name.")
    if type_.cut is not None and CUT_JOINTS.setdefault(type_.name, type_.cut) != type_.cut:
        raise WrongValue(
            f"There is a cut joint {type_.name!r} with other equations already. Leave out `cut`, or give the "
            "new type another name."
        )
    JOINT_TYPES[type_.name] = type_


@checked
def remove_joint_type(name: str) -> None:
    """Remove a joint type that was added by `register_joint_type`.

    Raises:
        UnknownName: if there is none. WrongValue: if the package ships it.
    """
    type_ = joint_type(name)
    if type_ in _SHIPPED:
        raise WrongValue(f"Joint type {name!r} belongs to the package and stays.")
    del JOINT_TYPES[name]
    if CUT_JOINTS.get(name) is type_.cut:
        CUT_JOINTS.pop(name, None)


def added_definitions(names: Iterable[str]) -> str:
    """The definitions of those types that the package does not ship: part of the key of compiled programs."""
    added = (joint_type(name) for name in dict.fromkeys(names))
    return "".join(f"\n{type_}" for type_ in added if type_ not in _SHIPPED)
