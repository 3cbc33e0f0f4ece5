"""Static balance of a robot in contact: joint forces and contact forces that hold it at rest.

At rest tau + J_c^T f + J_p^T lambda = g(q) with f in the friction cones, lambda the multipliers of loops and
guides, and tau zero in passive joints and in a free base. The equations of the passive coordinates determine
f up to its null space; the minimum-norm f inside the cones is taken (a second-order cone program).
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rikigaku.closure.closure_plan import closure
from rikigaku.contact.constraint_blocks import BlockMode, ConstraintBlock
from rikigaku.contact.constraint_projection import placed, placed_contacts
from rikigaku.contact.redundancy import minimum_norm_solution
from rikigaku.contact.redundant_forces import friction_cones, minimum_norm_in_cones
from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array
from rikigaku.robot import Robot

if TYPE_CHECKING:
    from rikigaku.contact.contact_system import ContactSystem

_DEPENDENT = 1e-10  # relative to the largest singular value
_SMALL = 1e-10  # of the largest generalized force: forces below it are zero


class StaticBalance(NamedTuple):
    """A robot at rest in contact.

    Attributes:
        q: closed configuration (nq,). tau: forces as `torque=` of `simulate` takes them: (nv,) of a tree,
            zero in passive joints and a free base; those of the actuated joints of a robot with loops.
        f: force on the robot at each contact, world axes [N] (k, 3). f_n: normal forces [N] (k,).
    """

    q: Array
    tau: Array
    f: Array
    f_n: Array


def static_balance(
    system: "ContactSystem", q: Array, closed: tuple[str, ...] | None, t: float
) -> StaticBalance:
    """The configuration near q that is in contact and at rest, with the forces that hold it there.

    Raises:
        WrongValue: if contacts do not close, or no forces within friction balance the robot.
    """
    robot, engine = system.robot, system.engine
    q = placed(system, q, closed, t)
    still = np.zeros(robot.nv)
    terms = engine.terms(t, q, still, still)
    actuated = _actuated(robot)
    passive = [k for k in range(robot.nv) if k not in actuated]
    touching = placed_contacts(system, closed)
    permanent = list(range(system.constraints.permanent))
    rows, blocks = _blocks(system, touching)
    J, load = terms.configuration.J, -terms.force
    J_c, J_p = J[rows], J[permanent]
    C, P = J_c[:, passive].T, J_p[:, passive].T
    Q = _left_null_space(P)  # equations without the multipliers of loops and guides
    scale = float(np.abs(load).max(initial=0.0))
    f, free = minimum_norm_solution(Q.T @ C, Q.T @ load[passive], scale)
    if f is not None and blocks:
        kinds = [BlockMode("stick" if block.tangents else "slip") for block in blocks]
        f = minimum_norm_in_cones(f, free, friction_cones(f, blocks, kinds), _SMALL * scale)
    if f is None:
        names = ", ".join(system.labels[i] for i in touching) or "no contact"
        raise WrongValue(
            f"Robot {robot.name!r} cannot rest at this configuration on {names}: no forces that push within "
            "static friction balance its weight. Move the centre of mass over the contacts, or close more "
            "contacts."
        )
    multipliers = np.linalg.lstsq(P, load[passive] - C @ f, rcond=_DEPENDENT)[0]
    tau = load - J_c.T @ f - J_p.T @ multipliers
    forces, normal = np.zeros((len(system.contacts), 3)), np.zeros(len(system.contacts))
    for i, block in zip(touching, blocks, strict=True):
        assert block.normal is not None
        normal[i] = f[block.normal]
        for k, row in enumerate((block.normal, *block.tangents)):
            forces[i] += f[row] * terms.configuration.directions[i, k]
    in_order = actuated if _is_closed(robot) else range(robot.nv)
    own = np.array([tau[k] if k in actuated else 0.0 for k in in_order])
    return StaticBalance(q, own, forces, normal)


def _blocks(system: "ContactSystem", touching: list[int]) -> tuple[list[int], list[ConstraintBlock]]:
    """Indices of the constraints of those contacts, and each contact with its indices among them."""
    rows: list[int] = []
    contacts, blocks = system.equation_indices()[0], []
    for i in touching:
        contact, (normal, tangents) = system.contacts[i], contacts[i]
        own = tangents if contact.friction.limit else ()
        first = len(rows)
        rows += [normal, *own]
        indices = tuple(range(first + 1, len(rows)))
        blocks.append(ConstraintBlock(first, indices, contact.friction.limit, bilateral=contact.bilateral))
    return rows, blocks


def _left_null_space(P: Array) -> Array:
    """Orthonormal basis of the vectors orthogonal to all columns of P."""
    if not P.size:
        return np.eye(len(P))
    U, s, _ = np.linalg.svd(P)
    return np.asarray(U[:, int((s > _DEPENDENT * s[0]).sum()) :])


def _is_closed(robot: Robot) -> bool:
    return bool(robot.loops or robot.couplings)


def _actuated(robot: Robot) -> list[int]:
    """Coordinates of v with actuators; a free base has none."""
    if _is_closed(robot):
        return list(closure(robot).structure.actuated)
    slices = [robot.v_slices[j.name] for j in robot.joints if j.nv and j.actuated and j.type != "free"]
    return [k for x in slices for k in range(x.start, x.stop)]
