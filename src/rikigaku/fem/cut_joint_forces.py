"""Constraint forces through cut joints and gears, and the impacts of loops that close during a motion.

The joint forces of the closed mechanism are tau = tau_0 + C f: tau_0 of the open tree, f the unknown
constraint forces of cut joints and gears. Passive joints have tau = 0; `load_sharing` resolves what remains
undetermined.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from rikigaku.core.errors import NoValue, WrongValue
from rikigaku.core.types import Array, Mask
from rikigaku.fem.body_kinematics import BodyMotion, body_motion
from rikigaku.fem.load_sharing import Ratio, Sharing, Weighted, minimum_norm, nearest, redundancy
from rikigaku.fem.loop_phases import Phases, Problem
from rikigaku.fem.mesh_layout import Layout
from rikigaku.fem.nodal_forces import actuated, joint_torques, mass_loads, node_of_mass, wrench_forces
from rikigaku.fem.sampled_motion import Motion
from rikigaku.model.mechanism import WORLD, Closure

# Axes of the start frame along which a cut joint transmits forces and moments.
_FORCES = {"prismatic": (0, 1), "cylindrical": (0, 1), "planar": (2,)}
_MOMENTS = {
    "revolute": (0, 1),
    "cylindrical": (0, 1),
    "planar": (0, 1),
    "prismatic": (0, 1, 2),
    "fixed": (0, 1, 2),
}
_UNBALANCED = 1e-9  # of the largest force: tolerance at passive joints
_NO_IMPACT = 1e-9  # [m/s, rad/s]: relative velocities below this cause no impact


@dataclass(frozen=True, eq=False)
class CutJoint:
    """One cut joint over a motion.

    wrenches: unit constraint wrenches of the start link on the end link at `position`, (samples, unknowns,
    6). forces: joint forces that balance them, the columns of C, (samples, nv, unknowns).
    """

    name: str
    start: int
    end: int
    position: Array
    wrenches: Array
    forces: Array

    @property
    def count(self) -> int:
        """Number of unknown constraint forces."""
        return int(self.wrenches.shape[1])


def cut_joint(state: BodyMotion, loop: Closure) -> CutJoint:
    """Constraint wrenches of a cut joint and the joint forces of the open tree that balance them."""
    (a, start), (b, end) = loop.start, loop.end
    position = state.position(b, end.p)
    S = _axes(state, a) @ np.array(start.R, dtype=np.float64)
    E = _axes(state, b) @ np.array(end.R, dtype=np.float64)
    zero = np.zeros_like(position)
    wrenches = [np.concatenate([S[:, :, k], zero], axis=1) for k in _FORCES.get(loop.joint, (0, 1, 2))]
    wrenches += [np.concatenate([zero, S[:, :, k]], axis=1) for k in _MOMENTS.get(loop.joint, ())]
    if loop.joint == "universal":  # perpendicular to both of its axes
        wrenches.append(np.concatenate([zero, np.cross(S[:, :, 2], E[:, :, 0])], axis=1))
    columns = []
    for w in wrenches:
        force, moment = w[:, :3], w[:, 3:]
        tau = np.zeros((len(position), state.mechanism.nv))
        if a != WORLD:
            tau += wrench_forces(state, a, position, force, moment)
        if b != WORLD:
            tau -= wrench_forces(state, b, position, force, moment)
        columns.append(tau)
    return CutJoint(loop.name, a, b, position, np.stack(wrenches, axis=1), np.stack(columns, axis=-1))


def gear_columns(state: BodyMotion) -> Array:
    """Joint forces that balance a unit of force in each gear coupling, (nv, gears)."""
    result = np.zeros((state.mechanism.nv, len(state.mechanism.gears)))
    for k, gear in enumerate(state.mechanism.gears):
        result[gear.joint[1], k] += 1.0
        result[gear.reference[1], k] -= float(gear.ratio)
    return result


def _axes(state: BodyMotion, body: int) -> Array:
    return np.broadcast_to(np.eye(3), (state.p.shape[1], 3, 3)) if body == WORLD else state.R[body]


def cut_joint_forces(problem: Problem, tau: Array, cuts: list[CutJoint], sharing: Sharing | None) -> Array:
    """Constraint forces f of the cut joints and gears by the sharing rule, (samples, unknowns)."""
    t, motors = problem.motion.t, actuated(problem.layout.robot)
    columns = [c.forces * problem.phases.is_closed(c.name, t)[:, None, None] for c in cuts]
    gears = np.broadcast_to(
        gear_columns(problem.state), (len(t), tau.shape[1], len(problem.state.mechanism.gears))
    )
    C = np.concatenate([*columns, gears], axis=2)
    degree, unbalanced = redundancy(tau, C, motors)
    if unbalanced > _UNBALANCED:
        raise NoValue(_not_actuated(problem, tau, motors, C))
    if degree and sharing is None:
        raise WrongValue(
            f"Robot {problem.layout.robot.name!r} has {degree} motors more than this motion needs, and no "
            "sharing rule: give sharing='least_norm', a ratio at the cut node (sharing=0.5), "
            "Weighted({...}), or make joints passive (robot.with_actuated)."
        )
    unshared = nearest(tau, C, motors, np.zeros((len(t), C.shape[2])))
    if not degree or sharing is None:
        return unshared
    if isinstance(sharing, Ratio):
        f = nearest(tau, C, motors, _by_ratio(problem, cuts, sharing, C.shape[2]))
    else:
        f = minimum_norm(tau, C, motors, _weights(problem, sharing))
    weight = np.ones_like(f)
    start = 0
    for c in cuts:
        weight[:, start : start + c.count] = problem.phases.weight(c.name, t)[:, None]
        start += c.count
    if (weight == 1).all():
        return f
    return nearest(tau, C, motors, unshared + weight * (f - unshared))


def _by_ratio(problem: Problem, cuts: list[CutJoint], sharing: Ratio, size: int) -> Array:
    """The start link takes its part of the force on the mass at the cut node, the end link the remainder."""
    sharing.check(problem.layout.robot.name, problem.layout.ends)
    t, f, found = problem.motion.t, np.zeros((len(problem.motion.t), size)), False
    start = 0
    for c in cuts:
        mass = problem.layout.masses.get(c.name, 0.0)
        if mass > 0:
            found = True
            node, body = node_of_mass(problem, c.name)
            force = mass * problem.state.a_minus_g_at(body, problem.layout.nodes[node].position)
            part = sharing.parts(c.name, t)[:, None]
            on_end = node == problem.layout.ends[c.name][1]
            through_cut = part * force if on_end else (part - 1) * force
            # The axes are orthonormal: components are dot products.
            f[:, start : start + c.count] = np.einsum("tkx,tx->tk", c.wrenches[:, :, :3], through_cut)
        start += c.count
    if not found:
        names = ", ".join(problem.layout.ends) or "none"
        raise WrongValue(
            f"A sharing ratio divides the mass at a cut node, and there is none (loops: {names}). Give "
            "masses={loop: kg}, or share by sharing='least_norm'."
        )
    return f


def _weights(problem: Problem, sharing: Sharing) -> Array:
    robot = problem.layout.robot
    weights = np.ones(robot.nv)
    if isinstance(sharing, Weighted):
        for name, weight in sharing.weights.items():
            robot.joint(name)
            weights[robot.v_slices[name]] = weight
    return weights


def _not_actuated(problem: Problem, tau: Array, actuated: Mask, C: Array) -> str:
    f = nearest(tau, C, actuated, np.zeros((len(tau), C.shape[2])))
    left = np.abs(tau + np.einsum("tij,tj->ti", C, f))
    left[:, actuated] = 0
    sample, k = np.unravel_index(int(np.argmax(left)), left.shape)
    robot = problem.layout.robot
    name = next(j.name for j in robot.joints if k in range(*robot.v_slices[j.name].indices(robot.nv)))
    return (
        f"Joint {name!r} is passive, and at t = {problem.motion.t[sample]:.6g} s this motion needs "
        f"{left[sample, k]:.4g} N m (or N) there that no motor can supply. Actuate it (robot.with_actuated), "
        "or close a loop then."
    )


@dataclass(frozen=True, eq=False)
class Impulse:
    """Perfectly plastic impact of a loop that closes while its ends move relative to each other.

    force, moment: impulse of the start link on the end link at the cut [N s, N m s], world axes. speed, spin:
    relative velocity of the ends before the impact [m/s, rad/s] along the constrained directions; 0 for a
    loop that was closed before and transmits a part of the impact. after: v of all joints after the impact;
    energy: kinetic energy lost [J]. Both belong to the whole impact and are the same for all loops involved.
    """

    t: float
    loop: str
    force: Array
    moment: Array
    speed: float
    spin: float
    after: Array
    energy: float


def closing_impact(
    t: float, cuts: Sequence[CutJoint], new: Collection[str], gears: Array, M: Array, v: Array
) -> list[Impulse]:
    """Plastic impact of closing loops: M (v+ - v) = -C L with C^T v+ = 0, over all closed loops and gears.

    Args:
        cuts: all loops closed from this time on; new: names of those that close now; gears: their columns
            (nv, gears); M: mass matrix of the open tree.
    Returns:
        The impulse through each loop.
    """
    columns = np.concatenate([*(one.forces[0] for one in cuts), gears], axis=1)
    M_inv_C = np.linalg.solve(M, columns)
    L = np.linalg.lstsq(columns.T @ M_inv_C, columns.T @ v, rcond=1e-10)[0]
    after = v - M_inv_C @ L
    energy_loss = 0.5 * float(v @ M @ v - after @ M @ after)
    found, start = [], 0
    for one in cuts:
        impulse = L[start : start + one.count] @ one.wrenches[0]
        start += one.count
        approach = one.forces[0].T @ v * (one.name in new)  # along orthonormal directions
        linear = one.wrenches[0, :, :3].any(axis=1)
        speed, spin = (float(np.linalg.norm(approach[rows])) for rows in (linear, ~linear))
        found.append(Impulse(t, one.name, impulse[:3], impulse[3:], speed, spin, after, energy_loss))
    return found


def loop_impacts(problem: Problem) -> list[Impulse]:
    """All impacts of a motion; loops that close at the same time share one, and closed loops stay closed."""
    found: list[Impulse] = []
    t, motion, layout, phases = problem.motion.t, problem.motion, problem.layout, problem.phases
    closings = phases.closings(t)
    for time in sorted({time for time, _ in closings}):
        q, v = motion.before(time)
        q = q[None]
        state = body_motion(layout.bodies, q, v[None], np.zeros((1, len(v))))
        closed = [
            cut_joint(state, loop)
            for loop in layout.mechanism.loops
            if phases.is_closed(loop.name, np.array([time]))[0]
        ]
        new = {name for when, name in closings if when == time}
        impact = closing_impact(time, closed, new, gear_columns(state), mass_matrix(layout, q[0], phases), v)
        if max(max(one.speed, one.spin) for one in impact) > _NO_IMPACT:
            found += impact
    return found


def mass_matrix(layout: Layout, q: Array, phases: Phases | None = None) -> Array:
    """Mass matrix of the open tree with extra masses and rotors, (nv, nv), by unit accelerations."""
    nv = layout.mechanism.nv
    qs, zero = np.repeat(q[None], nv, axis=0), np.zeros((nv, nv))
    state = body_motion(layout.bodies, qs, zero, np.eye(nv), (0.0, 0.0, 0.0))
    motion = Motion(layout.robot, np.arange(nv, dtype=np.float64), qs, zero, np.eye(nv))
    problem = Problem(layout, motion, state, phases or Phases(), False)
    M = joint_torques(problem, mass_loads(problem))
    return (M + M.T) / 2
