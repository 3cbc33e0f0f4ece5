"""Results of a contact system at a state: gaps and speeds, forces, the linear contact problem."""

from typing import NamedTuple

from rikigaku.core.types import Array


class ContactState(NamedTuple):
    """For each contact: gap [m], its rate [m/s] (k,), sliding velocity along the tangents [m/s] (k, 2).

    Torsional and rolling friction follow after all contacts: gap of the contact, angular velocity [rad/s].
    """

    gap: Array
    approach: Array
    sliding: Array


class ContactForces(NamedTuple):
    """Accelerations and forces in one contact mode.

    Attributes:
        a: accelerations (nv,). f: force on the robot at each contact, world axes [N] (k, 3).
        f_n: normal forces [N] (k,). joints: dry friction of joints [N m, N].
        power: dissipated by friction [W]. surface_power: of moving surfaces on the robot [W].
        guides: force and moment of each guide on the robot at its frame, world axes (k, 6).
    """

    a: Array
    f: Array
    f_n: Array
    joints: Array
    power: float
    guides: Array
    surface_power: float = 0.0


class ConstraintEquations(NamedTuple):
    """All constraints of a state (loops, guides, contacts, joints with dry friction) as J a + bias.

    Attributes:
        J: constraint Jacobian (m, nv). bias: bias accelerations (m,).
        directions: of the contact equations, world axes (contact equations, 3).
        response: M^-1 J^T, transposed (m, nv). W: Delassus matrix J M^-1 J^T (m, m).
        a: accelerations without constraint forces (nv,). free: J a + bias (m,).
        rates: of the residuals and of sliding (m,). residual: of loops, guides and gaps (m,).
        magnitude: sums of absolute terms of J a + bias (n,): its rounding errors are relative to these.
    """

    J: Array
    bias: Array
    directions: Array
    response: Array
    W: Array
    a: Array
    free: Array
    rates: Array
    residual: Array
    magnitude: Array
