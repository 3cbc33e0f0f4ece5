"""The joints of an MJCF body: axis and anchor, limits, friction, spring and rotor."""

from typing import NamedTuple

import numpy as np

from rikigaku.formats.mjcf.mjcf_values import Settings, number, numbers, word
from rikigaku.formats.xml_tree import Element
from rikigaku.formats.xml_values import name_of
from rikigaku.model.float_poses import Array, Rigid, formulas
from rikigaku.model.joint import Z_AXIS, Joint, Limits
from rikigaku.model.joints.joint_types import JOINT_TYPES
from rikigaku.numbers.formula import Formula

_TYPES = {type_.mjcf: type_ for type_ in JOINT_TYPES.values() if type_.mjcf}
# Limits come in pairs: a bound as far away as this is none.
UNBOUNDED = 1e10


class JointMove(NamedTuple):
    """A joint of a body, and its anchor there."""

    joint: Joint
    anchor: Array


def joint_move(name: str, element: Element, around: Rigid, settings: Settings) -> JointMove:
    """A <joint> or <freejoint>, defaults applied; `around` is the frame on the body it is placed in."""
    notes, owner = settings.notes, name_of(element)
    kind = "free" if element.tag == "freejoint" else word(element, "type", tuple(_TYPES), "hinge", notes)
    single = _TYPES[kind].nq == 1
    axis = numbers(element, "axis", (0, 0, 1), notes)
    if single and not any(axis):
        notes.add(element, owner, "axis='0 0 0': the zero vector has no direction")
        axis = [0.0, 0.0, 1.0]
    ref = number(element, "ref", 0.0, notes)
    ref = settings.angle(ref) if kind == "hinge" else ref if single else 0.0
    rotor = number(element, "armature", 0.0, notes)
    viscous, *poly = numbers(element, "damping", (0, 0, 0), notes, at_least=1)
    coulomb = number(element, "frictionloss", 0.0, notes)
    stiffness, *bent = numbers(element, "stiffness", (0, 0, 0), notes, at_least=1)
    relaxed = number(element, "springref", 0.0, notes)
    relaxed = settings.angle(relaxed) if kind == "hinge" else relaxed
    if stiffness and not single:
        settings.leave_out(f"stiffness of {kind} joints", name)
    if any(poly):
        settings.leave_out("damping of higher order", name)
    if any(bent):
        settings.leave_out("stiffness of higher order", name)
    if "springdamper" in element.attributes:
        settings.leave_out("springs given by time constant (springdamper)", name)
    joint = Joint(
        name,
        _TYPES[kind].name,
        axis=formulas(around.R @ axis if not around.unrotated else axis) if single else Z_AXIS,
        actuated=single,
        limits=_limits(element, kind, ref, settings) if single else Limits(),
        viscous=Formula.of(viscous),
        coulomb=Formula.of(coulomb),
        rotor=Formula.of(rotor),
        stiffness=Formula.of(stiffness if single else 0),
        rest=Formula.of(relaxed - ref if stiffness and single else 0),
    )
    anchor = around.p + around.R @ np.array(numbers(element, "pos", (0, 0, 0), notes))
    return JointMove(joint, anchor)


def _limits(element: Element, kind: str, ref: float, settings: Settings) -> Limits:
    def bounds(attribute: str, switch: str) -> tuple[float | None, float | None]:
        given = attribute in element.attributes
        on = word(element, switch, ("auto", "true", "false"), "auto", settings.notes)
        if on == "false" or (on == "auto" and not (given and settings.autolimits)):
            return None, None
        low, high = numbers(element, attribute, (0, 0), settings.notes, bound=True)
        if low > high:
            settings.notes.add(element, name_of(element), f"{attribute}: {low:g} is above {high:g}")
            return None, None
        return low, high

    low, high = bounds("range", "limited")
    if low is not None and high is not None:
        low, high = (_bound((settings.angle(x) if kind == "hinge" else x) - ref) for x in (low, high))
    weak, strong = bounds("actuatorfrcrange", "actuatorfrclimited")
    effort = None if weak is None or strong is None else max(-weak, strong)
    return Limits(low, high, effort=effort)


def _bound(value: float) -> float | None:
    return None if abs(value) >= UNBOUNDED else value
