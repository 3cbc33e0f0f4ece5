"""Terms of a fixed step with contact: those of the constraints, with implicit damping and stiffness in M.

Damping d and stiffness k of a coordinate (of its joint, and of a controller) act at the end of the step h:

    M' = M + diag(h theta d + h^2 k / 4),      theta = (1 + coth(z/2) - 2/z) / 2,   z = h d / M_ii

With this theta the decay of one coordinate is exact: the trapezoidal rule for weak damping (theta = 1/2), the
implicit Euler method for strong damping (theta = 1). A rational approximation of the function is used.
"""

from rikigaku.laws.contact.active_constraints import ActiveConstraints
from rikigaku.laws.contact.contact_geometry import Numbers
from rikigaku.laws.contact.contact_terms import ConstraintStructure, Terms, configuration_terms
from rikigaku.laws.tree.composite_body import mass_entries
from rikigaku.laws.tree.ltdl_factorization import factorize
from rikigaku.laws.tree.newton_euler import inverse_dynamics, smooth_resistance
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.number_kind import Number


def stepping_sizes(structure: ConstraintStructure) -> dict[str, int]:
    """Names and sizes of the parts of `stepping_terms`."""
    nv = structure.mechanism.nv
    more = {"force": nv, "viscous_force": nv, "viscous_inertia": nv, "control_inertia": nv}
    return {**structure.configuration_sizes, **more}


def stepping_terms(
    mechanism: Mechanism,
    q: Numbers,
    v: Numbers,
    predicted: Numbers,
    tau: Numbers,
    time: Numbers,
    implicit: Numbers,
    plan: ActiveConstraints,
) -> Terms:
    """Terms of a step, one after the other.

    Args:
        predicted: velocities at which centrifugal and Coriolis forces are taken (nv).
        implicit: damping (nv) and stiffness (nv) of a controller, then the step [s].
    Returns: `configuration_terms` with the mass matrix M'; force: tau - h - g - viscous friction - springs
        (nv); viscous_force: of the joints (nv); viscous_inertia, control_inertia: what viscous friction and
        the controller add to the diagonal of M (nv).
    """
    nv = mechanism.nv
    damping, stiffness, step = implicit[:nv], implicit[nv : 2 * nv], implicit[2 * nv]
    entries = dict(mass_entries(mechanism, q))
    viscous: Terms = [0] * nv
    springs: Terms = [0] * nv
    for body in mechanism.bodies:
        for k in body.v:
            viscous[k], springs[k] = body.viscous, body.stiffness
    by_friction: Terms = []
    by_control: Terms = []
    for k in range(nv):
        weight = step * _implicitness(step * (viscous[k] + damping[k]) / entries[k, k])
        quarter = 0.25 * step * step
        by_friction.append(weight * viscous[k])
        by_control.append(weight * damping[k] + quarter * stiffness[k])
        entries[k, k] = entries[k, k] + by_friction[k] + by_control[k] + quarter * springs[k]
    mass = factorize(entries, mechanism.parent_dofs())
    inertial = inverse_dynamics(mechanism, q, predicted, [0] * nv, friction=False)
    resistance = smooth_resistance(mechanism, q, v)
    force = [t - b - r for t, b, r in zip(tau, inertial, resistance, strict=True)]
    drag = [d * x for d, x in zip(viscous, v, strict=True)]
    return [*configuration_terms(mechanism, q, time, plan, mass), *force, *drag, *by_friction, *by_control]


def _implicitness(z: Number) -> Number:
    """theta: coth(x) - 1/x at x = z/2 is x/3 for small x, 1 - 1/x for large; so is this fraction."""
    x = 0.5 * z
    return 0.5 + 0.5 * (x * x + 2 * x) / (x * x + 3 * x + 6)
