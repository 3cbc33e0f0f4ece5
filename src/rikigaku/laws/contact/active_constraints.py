"""The active set of a contact mode, as data."""

from dataclasses import dataclass

from rikigaku.laws.contact.contact_geometry import Limit, Numbers
from rikigaku.laws.contact.guide_equations import GuideConstraint
from rikigaku.laws.contact.relative_motion import Point
from rikigaku.numbers.number_kind import Number
from rikigaku.spatial.vector import Vector


@dataclass(frozen=True)
class ActiveConstraints:
    """The active set of a contact mode: which contacts are closed, stick and slide.

    Attributes:
        points: all contacts. joints: coordinates of v with dry friction.
        loop_equations: independent equations of the loop residual.
        contacts: independent active constraints (contact, direction): direction 0 is the normal, 1 and 2 are
            the tangents.
        sliding: (contact, sign, side): sign +-1 along the one tangent, 0 along the velocity (3-D); side is
            the sign of the normal force, -1 where a bilateral contact pulls.
        sticking_joints: coordinates of v that stick. moving_joints: (coordinate, sign of its velocity) that
            move against dry friction.
        guides: bilateral constraints on part of a frame's pose. guide_equations: the independent ones among
            their equations.
        redundant: constraints (contact, direction), or (-1, coordinate), that are active and redundant, and
            carry force as well.
        unloaded: contacts that slide, closed by the other constraints, and carry no force.
    `contact_inputs`, the run-time input of the laws: t; kinetic, fall, bend, viscous of each contact; an
    initial sliding direction (3) of each contact and the time it started; the Coulomb force of each of
    `joints`; reference forces where constraints are redundant.
    """

    points: tuple[Point | Limit, ...]
    joints: tuple[int, ...] = ()
    loop_equations: tuple[int, ...] = ()
    contacts: tuple[tuple[int, int], ...] = ()
    sliding: tuple[tuple[int, int, int], ...] = ()
    sticking_joints: tuple[int, ...] = ()
    moving_joints: tuple[tuple[int, int], ...] = ()
    guides: tuple[GuideConstraint, ...] = ()
    guide_equations: tuple[int, ...] = ()
    redundant: tuple[tuple[int, int], ...] = ()
    unloaded: tuple[int, ...] = ()

    @property
    def permanent(self) -> int:
        """Number of constraints that are active in every contact mode: loops and guides."""
        return len(self.loop_equations) + len(self.guide_equations)

    @property
    def independent(self) -> int:
        """Number of independent active constraints."""
        return self.permanent + len(self.contacts) + len(self.sticking_joints)

    @property
    def input_size(self) -> int:
        """Number of elements of `contact_inputs`."""
        return 1 + 8 * len(self.points) + len(self.joints) + self.undetermined

    @property
    def undetermined(self) -> int:
        """Number of constraint forces if these are not unique (redundant constraints); else 0."""
        return self.independent + len(self.redundant) if self.redundant else 0

    def friction(self, contact_inputs: Numbers, i: int) -> Numbers:
        """kinetic, fall, bend, viscous of contact i: see `Friction.coefficients`."""
        return contact_inputs[1 + 4 * i : 5 + 4 * i]

    def initial_direction(self, contact_inputs: Numbers, i: int) -> tuple[Vector, Number]:
        """Direction in which contact i started to slide, and when [s]."""
        at = 1 + 4 * len(self.points) + 4 * i
        x, y, z, start = contact_inputs[at : at + 4]
        return (x, y, z), start

    def coulomb(self, contact_inputs: Numbers, joint: int) -> Number:
        """Coulomb friction of a joint [N m, N]."""
        return contact_inputs[1 + 8 * len(self.points) + self.joints.index(joint)]

    def reference_forces(self, contact_inputs: Numbers) -> Numbers:
        """Forces (of loops, guides, contacts, sticking joints, redundant) that undetermined ones approach."""
        return contact_inputs[self.input_size - self.undetermined : self.input_size]
