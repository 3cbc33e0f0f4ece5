"""Terms of a fixed step with contact: those of the constraints, with implicit damping and stiffness in M.

Damping d and stiffness k of a coordinate (of its joint, and of a controller) act at the end of the step h:

    M' = M + diag(h theta d + h^2 k / 4),      theta = (1 + coth(z/2) - 2/z) / 2,   z = h d / M_ii

With this theta the decay of one coordinate is exact: the trapezoidal rule for weak damping (theta = 1/2), the
implicit Euler method for strong damping (theta = 1). A rational approximation of the function is used.

Loop closures, guides and bilateral contacts hold at the end of the step, not in its middle:
J v' + rate + h/2 bias = 0. With J v' + rate = 0 alone each step would remove the velocity by which J has
changed, and its energy, of order h.

What contacts need of the motion without impulses, Y = L^-T J^T and (of a few constraints) the Delassus matrix
W = Y^T D^-1 Y are computed for all constraints, open contacts too: in vector registers over many worlds that
costs less than a selection in each world.
"""

from rikigaku.laws.contact.active_constraints import ActiveConstraints
from rikigaku.laws.contact.contact_geometry import Numbers
from rikigaku.laws.contact.contact_terms import (
    ConstraintStructure,
    Terms,
    bilateral_bias,
    configuration_terms,
)
from rikigaku.laws.tree.composite_body import mass_entries
from rikigaku.laws.tree.ltdl_factorization import Factors, ancestors, factorize
from rikigaku.laws.tree.newton_euler import inverse_dynamics, smooth_resistance
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.elementary_functions import where
from rikigaku.numbers.number_kind import Number

_MOST_CONSTRAINTS = 24  # of which the program computes W; its length grows with their square
_DEPENDENT = 1e-10  # smallest accepted pivot of W, relative to the diagonal element it comes from


def stepping_sizes(structure: ConstraintStructure) -> dict[str, int]:
    """Names and sizes of the parts of `stepping_terms`."""
    nv, m = structure.mechanism.nv, structure.count
    forces = {"viscous_force": nv, "viscous_inertia": nv, "control_inertia": nv}
    free = {"free_acceleration": nv, "free": nv, "before_rates": m, "free_rates": m}
    few = has_whole_W(structure)
    whole = {
        "Y": structure.row_starts[-1],
        "whole_W": m * (m + 1) // 2 if few else 0,
        "sticking_impulses": m + 1 if few else 0,
    }
    return {**structure.configuration_sizes, **forces, **free, **whole}


def has_whole_W(structure: ConstraintStructure) -> bool:
    """Whether the terms contain the Delassus matrix of all constraints, and the impulses that stop all."""
    return structure.count <= _MOST_CONSTRAINTS


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
    Returns: `configuration_terms` with the mass matrix M'; viscous_force: of the joints (nv);
        viscous_inertia, control_inertia: what viscous friction and the controller add to the diagonal of M
        (nv); free_acceleration, free: acceleration and velocity at the end of the step without impulses (nv);
        before_rates, free_rates: J v + rate before the step, and at its end without impulses, of loop
        closures, guides and bilateral contacts with h/2 bias; Y on the patterns of J;
        whole_W: lower triangle of W, row by row; sticking_impulses: P with W P + free_rates = 0, then 1, or
        0 where constraints are redundant.
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
    terms = configuration_terms(mechanism, q, time, plan, mass)
    a = mass.solve(force)
    free = [x + step * y for x, y in zip(v, a, strict=True)]
    structure = ConstraintStructure(mechanism, plan)
    change = [0.5 * step * b for b in bilateral_bias(mechanism, q, predicted, time, plan)]
    return [
        *terms,
        *drag,
        *by_friction,
        *by_control,
        *a,
        *free,
        *_constraint_terms(structure, terms, mass, v, free, change),
    ]


def _constraint_terms(
    structure: ConstraintStructure, terms: Terms, mass: Factors, v: Numbers, free: Numbers, change: Numbers
) -> Terms:
    """before_rates, free_rates, Y, whole_W, sticking_impulses.

    change: of the rates until the end of the step.
    """
    sizes, parts, at = structure.configuration_sizes, dict[str, Terms](), 0
    for name, size in sizes.items():
        parts[name] = terms[at : at + size]
        at += size
    starts, patterns = structure.row_starts, structure.patterns
    rows = [
        dict(zip(pattern, parts["J"][first : first + len(pattern)], strict=True))
        for first, pattern in zip(starts, patterns, strict=False)
    ]
    rates = [
        [
            sum((x * motion[k] for k, x in row.items()), start)
            for row, start in zip(rows, parts["rate"], strict=True)
        ]
        for motion in (v, free)
    ]
    rates[1] = [x + y for x, y in zip(rates[1], change, strict=True)]
    Y = [_substituted(row, mass) for row in rows]
    W: Terms = []
    if has_whole_W(structure):
        scaled = [{k: mass.inverse_D[k] * x for k, x in y.items()} for y in Y]
        W = [
            sum((x * Y[b][k] for k, x in scaled[a].items() if k in Y[b]), 0)
            for a in range(len(Y))
            for b in range(a + 1)
        ]
        W += _solved(W, rates[1])
    return [*rates[0], *rates[1], *(x for y in Y for x in y.values()), *W]


def _solved(W: Terms, rates: Terms) -> Terms:
    """P with W P + rates = 0 by W = C E C^T, C with unit diagonal; then 1, or 0 if a pivot is at rounding."""
    n = len(rates)
    regular: Number = 1
    C = [W[i * (i + 1) // 2 : (i + 1) * (i + 2) // 2] for i in range(n)]
    inverse: Terms = []
    x: Terms = [-rate for rate in rates]
    for i in range(n):
        size, scaled = C[i][i], list(C[i][:i])
        for j in range(i):
            for k in range(j):
                scaled[j] = scaled[j] - scaled[k] * C[j][k]
        for j in range(i):
            C[i][j] = scaled[j] * inverse[j]
            C[i][i] = C[i][i] - scaled[j] * C[i][j]
            x[i] = x[i] - C[i][j] * x[j]
        good = C[i][i] > _DEPENDENT * size
        inverse.append(1 / where(good, C[i][i], 1))
        regular = where(good, regular, 0)
    for i in reversed(range(n)):
        x[i] = x[i] * inverse[i]
        for j in range(i + 1, n):
            x[i] = x[i] - C[j][i] * x[j]
    return [*x, regular]


def _substituted(row: dict[int, Number], mass: Factors) -> dict[int, Number]:
    """L^-T times a row whose elements come before those of their ancestors."""
    x = dict(row)
    for i in row:
        for j in ancestors(mass.parents, i):
            x[j] = x[j] - mass.L[i, j] * x[i]
    return x


def _implicitness(z: Number) -> Number:
    """theta: coth(x) - 1/x at x = z/2 is x/3 for small x, 1 - 1/x for large; so is this fraction."""
    x = 0.5 * z
    return 0.5 + 0.5 * (x * x + 2 * x) / (x * x + 3 * x + 6)
