"""Inverse dynamics of a mechanism as one assembly of beams: nodal forces of the target motion, then torques.

Nothing is cut in the mesh and no constraint is solved for: forces of nodes come one by one from the motion,
f = M (a - g), and [L][T]{P} turns them into torques. Which joints are passive and how motors share is data.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import CannotClose, NoValue, WrongValue
from rikigaku.fem.internal import Load, internal_forces
from rikigaku.fem.kinematics import Moving, moving
from rikigaku.fem.layout import Layout
from rikigaku.fem.loops import Cut, cut, gear_columns
from rikigaku.fem.newmark import as_computed
from rikigaku.fem.phases import Impulse, Phases, impulse
from rikigaku.fem.result import Result
from rikigaku.fem.sharing import Ratio, Sharing, Weighted, as_sharing, freedom, least, nearest
from rikigaku.fem.targets import Motion
from rikigaku.fem.torques import Carried, NodalForces, carried, joint_forces, nodal_forces
from rikigaku.model.mechanism import WORLD

Array = NDArray[np.float64]
Method = Literal["exact", "newmark", "recursive"]

_MISSING = 1e-9  # of the largest force: what passive joints may be left with
_OPEN = 1e-6  # [m, or sines of angles]: gap of a loop that counts as closed
_MEETING = 1e-9  # [m/s]: slower than this ends meet without a blow


class _Problem(NamedTuple):
    layout: Layout
    motion: Motion
    state: Moving
    phases: Phases
    friction: bool


def inverse_dynamics(
    layout: Layout,
    motion: Motion,
    *,
    sharing: Any = None,
    phases: Phases | None = None,
    method: Method = "exact",
    wrenches: Mapping[str, Any] | None = None,
    friction: bool = True,
    gravity: Any = None,
) -> Result:
    """Joint forces of a motion; see `Mesh.inverse_dynamics`."""
    phases = phases or Phases()
    phases.check(layout)
    state = moving(layout.mechanism, motion.q, motion.v, motion.a, gravity)
    if method != "exact":
        if method not in ("newmark", "recursive"):
            raise WrongValue(f"There is no method {method!r}. Known: exact, newmark, recursive.")
        state = as_computed(state, motion.t, layout.normal, method == "recursive")
    problem = _Problem(layout, motion, state, phases, friction)
    _check_closed(problem)
    loads = [*_mass_loads(problem), *_wrench_loads(problem, wrenches or {})]
    cuts = [cut(state, loop) for loop in layout.mechanism.loops]
    tau = _forces(problem, loads)
    f = _shared(problem, tau, cuts, as_sharing(sharing))
    passed: dict[str, Array] = {}
    start = 0
    for one in cuts:
        w = np.einsum("tk,tkx->tx", f[:, start : start + one.count], one.wrenches)
        start += one.count
        passed[one.name] = w
        ends = layout.ends[one.name]
        for body, node, sign in ((one.start, ends[0], 1.0), (one.end, ends[1], -1.0)):
            if body != WORLD:
                loads.append(Load(body, node, one.place, sign * w[:, :3], sign * w[:, 3:]))
    gears = f[:, start:] @ gear_columns(state).T
    return Result(
        motion=motion,
        torques=_forces(problem, loads) + gears,
        cut_forces=passed,
        internal_forces=internal_forces(layout, state, _carried(state, loads), loads),
        impulses=tuple(_impulses(problem)),
        layout=layout,
    )


def _carried(state: Moving, loads: list[Load]) -> Carried:
    forces = nodal_forces(state)
    F, N = forces.F.copy(), forces.N.copy()
    for load in loads:
        F[load.body] += load.force
        N[load.body] += load.moment + np.cross(load.place - state.c[load.body], load.force)
    return carried(state, NodalForces(F, N))


def _forces(problem: _Problem, loads: list[Load]) -> Array:
    """Of all joints: what bodies and loads take, and what drives and bearings take themselves."""
    state, motion = problem.state, problem.motion
    tau = joint_forces(state, _carried(state, loads))
    for body in state.mechanism.bodies:
        for k in body.v:
            tau[:, k] += float(body.rotor) * motion.a[:, k]
            if problem.friction:
                tau[:, k] += float(body.viscous) * motion.v[:, k] + float(body.coulomb) * np.sign(
                    motion.v[:, k]
                )
    return tau


def _mass_node(problem: _Problem, name: str) -> tuple[int, int]:
    """Node and body that carry an extra mass."""
    layout = problem.layout
    node = layout.mass_node(name)
    if name in layout.ends and problem.phases.carried_by_end(name):
        node = layout.ends[name][1]
    if layout.nodes[node].body == WORLD and name in layout.ends:
        node = next((n for n in layout.ends[name] if layout.nodes[n].body != WORLD), node)
    return node, layout.nodes[node].body


def _mass_loads(problem: _Problem) -> list[Load]:
    loads = []
    for name, mass in problem.layout.masses.items():
        node, body = _mass_node(problem, name)
        if body != WORLD:
            place = problem.layout.nodes[node].place
            push = mass * problem.state.felt_at(body, place)
            loads.append(Load(body, node, problem.state.place(body, place), push, np.zeros_like(push)))
    return loads


def _wrench_loads(problem: _Problem, wrenches: Mapping[str, Any]) -> list[Load]:
    """Wrenches on the robot at frames: the joints give the opposite."""
    loads, size = [], len(problem.motion.t)
    for name, wrench in wrenches.items():
        problem.layout.robot.frame(name)
        body, pose = problem.layout.mechanism.frames[name]
        w = np.broadcast_to(np.asarray(wrench, dtype=np.float64), (size, 6))
        if body != WORLD:
            node = problem.layout.frames.get(name, problem.layout.origin[body])
            loads.append(Load(body, node, problem.state.place(body, pose.p), -w[:, :3], -w[:, 3:]))
    return loads


def _driven(problem: _Problem) -> NDArray[np.bool_]:
    robot = problem.layout.robot
    driven = np.zeros(robot.nv, dtype=bool)
    for joint in robot.joints:
        driven[robot.v_slices[joint.name]] = joint.actuated
    return driven


def _shared(problem: _Problem, tau: Array, cuts: list[Cut], sharing: Sharing | None) -> Array:
    """Forces through the cuts and the gears, (samples, unknowns)."""
    t, driven = problem.motion.t, _driven(problem)
    columns = [c.forces * problem.phases.is_closed(c.name, t)[:, None, None] for c in cuts]
    gears = np.broadcast_to(
        gear_columns(problem.state), (len(t), tau.shape[1], len(problem.state.mechanism.gears))
    )
    C = np.concatenate([*columns, gears], axis=2)
    spare, missing = freedom(tau, C, driven)
    if missing > _MISSING:
        raise NoValue(_underdriven(problem, tau, driven, C))
    if spare and sharing is None:
        raise WrongValue(
            f"Robot {problem.layout.robot.name!r} has {spare} motors more than this motion needs, and no "
            "rule how they share: give sharing='least_norm', a ratio at the cut node (sharing=0.5), "
            "Weighted({...}), or make joints passive (robot.with_actuated)."
        )
    bare = nearest(tau, C, driven, np.zeros((len(t), C.shape[2])))
    if not spare or sharing is None:
        return bare
    if isinstance(sharing, Ratio):
        f = nearest(tau, C, driven, _by_ratio(problem, cuts, sharing, C.shape[2]))
    else:
        f = least(tau, C, driven, _weights(problem, sharing))
    weight = np.ones_like(f)
    start = 0
    for c in cuts:
        weight[:, start : start + c.count] = problem.phases.weight(c.name, t)[:, None]
        start += c.count
    if (weight == 1).all():
        return f
    return nearest(tau, C, driven, bare + weight * (f - bare))


def _by_ratio(problem: _Problem, cuts: list[Cut], sharing: Ratio, size: int) -> Array:
    """The start link carries its part of the force on the mass at the cut node, the end link the rest."""
    t, f, found = problem.motion.t, np.zeros((len(problem.motion.t), size)), False
    start = 0
    for c in cuts:
        mass = problem.layout.masses.get(c.name, 0.0)
        if mass > 0:
            found = True
            node, body = _mass_node(problem, c.name)
            push = mass * problem.state.felt_at(body, problem.layout.nodes[node].place)
            part = sharing.parts(c.name, t)[:, None]
            on_end = node == problem.layout.ends[c.name][1]
            wanted = part * push if on_end else (part - 1) * push
            # the axes of the joint are at right angles: components are products
            f[:, start : start + c.count] = np.einsum("tkx,tx->tk", c.wrenches[:, :, :3], wanted)
        start += c.count
    if not found:
        names = ", ".join(problem.layout.ends) or "none"
        raise WrongValue(
            f"A sharing ratio divides the mass at a cut node, and there is none (loops: {names}). Give "
            "masses={loop: kg}, or share by sharing='least_norm'."
        )
    return f


def _weights(problem: _Problem, sharing: Sharing) -> Array:
    robot = problem.layout.robot
    weights = np.ones(robot.nv)
    if isinstance(sharing, Weighted):
        for name, weight in sharing.weights.items():
            robot.joint(name)
            if not (np.isfinite(weight) and weight > 0):
                raise WrongValue(f"The weight of joint {name!r} must be above zero; {weight} was given.")
            weights[robot.v_slices[name]] = weight
    return weights


def _underdriven(problem: _Problem, tau: Array, driven: NDArray[np.bool_], C: Array) -> str:
    f = nearest(tau, C, driven, np.zeros((len(tau), C.shape[2])))
    left = np.abs(tau + np.einsum("tij,tj->ti", C, f))
    left[:, driven] = 0
    sample, k = np.unravel_index(int(np.argmax(left)), left.shape)
    robot = problem.layout.robot
    name = next(j.name for j in robot.joints if k in range(*robot.v_slices[j.name].indices(robot.nv)))
    return (
        f"Joint {name!r} is passive, and at t = {problem.motion.t[sample]:.6g} s this motion asks "
        f"{left[sample, k]:.4g} N m (or N) of it that no motor can pass on. Drive it (robot.with_actuated), "
        "or close a loop then."
    )


def _check_closed(problem: _Problem) -> None:
    """Where a loop is said to be closed, the motion must close it."""
    robot, t = problem.layout.robot, problem.motion.t
    if not robot.loops:
        return
    from rikigaku.structure import loop_rows

    residual = np.abs(cast(Any, robot).loop_residual(problem.motion.q))
    names = [row.split(":")[0] for row in loop_rows(robot)]
    for loop in robot.loops:
        rows = [k for k, name in enumerate(names) if name == loop.name]
        gap = np.where(
            problem.phases.is_closed(loop.name, t), residual[:, rows].max(axis=1, initial=0.0), 0.0
        )
        k = int(np.argmax(gap))
        if not gap[k] < _OPEN:
            raise CannotClose(
                f"The motion leaves loop {loop.name!r} of robot {robot.name!r} open by {gap[k]:.3g} at "
                f"t = {t[k]:.6g} s. Give paths of the independent joints (the others follow), or phases that "
                "say when it is closed.",
                loop.name,
            )


def _impulses(problem: _Problem) -> list[Impulse]:
    found = []
    t, motion, layout = problem.motion.t, problem.motion, problem.layout
    for time, name in problem.phases.closings(t):
        k = int(np.searchsorted(t, time, side="left")) - 1
        dt = time - t[k]
        v = motion.v[k] + dt * motion.a[k]
        q = np.asarray(cast(Any, layout.robot).integrate(motion.q[k], dt * (motion.v[k] + v) / 2))[None]
        state = moving(layout.mechanism, q, v[None], np.zeros((1, len(v))))
        loop = next(loop for loop in layout.mechanism.loops if loop.name == name)
        one = cut(state, loop)
        M = mass_matrix(layout, q[0], problem.phases)
        blow = impulse(time, name, one.wrenches[0], one.forces[0], M, v)
        if blow.speed > _MEETING:
            found.append(blow)
    return found


def mass_matrix(layout: Layout, q: Array, phases: Phases | None = None) -> Array:
    """Of the open mechanism with its extra masses and rotors, (nv, nv), by unit accelerations."""
    nv = layout.mechanism.nv
    qs, zero = np.repeat(q[None], nv, axis=0), np.zeros((nv, nv))
    state = moving(layout.mechanism, qs, zero, np.eye(nv), (0.0, 0.0, 0.0))
    motion = Motion(layout.robot, np.arange(nv, dtype=np.float64), qs, zero, np.eye(nv))
    problem = _Problem(layout, motion, state, phases or Phases(), False)
    M = _forces(problem, _mass_loads(problem))
    return (M + M.T) / 2
