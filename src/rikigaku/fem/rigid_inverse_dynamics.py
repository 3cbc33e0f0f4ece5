"""Inverse dynamics of a rigid mechanism from the nodal forces of its mesh.

Nodal forces of the target motion are f = M (a - g); [L][T]{P} maps them to joint torques. Loops add the
constraint forces of their cut joints, which passive joints and the load-sharing rule determine.

The methods "newmark" and "recursive" take accelerations from equation (3) of the paper, Newmark's formula
applied to the increments of the target,

    a(t + dt) = du/(b dt^2) - v/(b dt) - (1/(2b) - 1) a,    b = 1/4.

With v and a from its own recursion the error of the acceleration is (-1)^k (e0 + t j0/3), j0 the initial
jerk, independent of dt. With the target's v and a in every step it is of first order, jerk dt/3. The default
takes the exact accelerations of the target.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.closure.closure_plan import coordinate_names
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import GRAVITY, choice, flag, numbers, short
from rikigaku.fem import mesh_plots
from rikigaku.fem.body_kinematics import BodyMotion, body_motion
from rikigaku.fem.cut_joint_forces import Impulse, cut_joint, cut_joint_forces, gear_columns, loop_impacts
from rikigaku.fem.internal_forces import InternalForces, internal_forces
from rikigaku.fem.load_sharing import SharingRule, as_sharing
from rikigaku.fem.loop_phases import Phases, Problem, check_closed
from rikigaku.fem.mesh_layout import Layout
from rikigaku.fem.nodal_forces import (
    Load,
    actuated,
    force_units,
    joint_torques,
    loaded_joint_wrenches,
    mass_loads,
    wrench_loads,
)
from rikigaku.fem.sampled_motion import Motion
from rikigaku.model.mechanism import WORLD

Method = Literal["exact", "newmark", "recursive"]
_B = 0.25


@dataclass(frozen=True, eq=False)
class Result:
    """Inverse dynamics of a motion: torques (samples, nv), [N m] or [N]; zero for passive joints.

    cut_forces: {loop: (samples, 6)}, force and moment of the start link on the end link, world axes.
    internal_forces: along the links; impulses: impacts of loops that close.
    """

    motion: Motion
    torques: Array
    cut_forces: dict[str, Array]
    forces: Callable[[], InternalForces] = field(repr=False)
    impulses: tuple[Impulse, ...]
    layout: Layout

    @cached_property
    def internal_forces(self) -> InternalForces:
        """Internal forces along the links; computed at first use."""
        return self.forces()

    @property
    def t(self) -> Array:
        """Times [s]."""
        return self.motion.t

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns of torques."""
        return coordinate_names(self.layout.robot)

    @property
    def units(self) -> tuple[str, ...]:
        """Units of the columns of torques: "N m" or "N"."""
        return force_units(self.layout.robot)

    @checked
    def torque(self, joint: str) -> Array:
        """Torque [N m] or force [N] of one joint over the motion, (samples,)."""
        if joint not in self.names:
            raise UnknownName("joint", joint, self.names, f"robot {self.layout.robot.name!r}")
        return self.torques[:, self.names.index(joint)]

    @property
    def power(self) -> Array:
        """Total power of all joints [W], (samples,)."""
        return np.asarray((self.torques * self.motion.v).sum(axis=1))

    plot = mesh_plots.plot_torques
    plot_internal = mesh_plots.plot_internal

    def __repr__(self) -> str:
        largest = np.abs(self.torques).max(axis=0, initial=0.0)
        lines = [f"Inverse dynamics of {self.layout.robot.name!r}, {len(self.t)} samples to {self.t[-1]:g} s"]
        motors = np.flatnonzero(actuated(self.layout.robot))
        lines += [f"  {self.names[k]}: up to {largest[k]:.4g} {self.units[k]}" for k in motors]
        passive = [name for k, name in enumerate(self.names) if k not in motors]
        lines += [f"  passive: {', '.join(passive)}"] if passive else []
        lines += [
            f"  {i.loop} closes at {i.t:g} s with an impact: {i.speed:.3g} m/s, {i.spin:.3g} rad/s, "
            f"{i.energy:.3g} J"
            for i in self.impulses
            if i.speed or i.spin
        ]
        return "\n".join(lines)


def inverse_dynamics(
    layout: Layout,
    motion: Motion,
    *,
    sharing: SharingRule = None,
    phases: Phases | None = None,
    method: Method = "exact",
    wrenches: Mapping[str, ArrayLike] | None = None,
    friction: bool = True,
    gravity: ArrayLike | None = None,
) -> Result:
    """Joint forces of a motion; see `Mesh.inverse_dynamics`."""
    phases = Phases() if phases is None else phases
    if not isinstance(phases, Phases):
        raise WrongValue(f"phases are given as rikigaku.fem.Phases({short(phases)}), not bare.")
    phases.check(layout)
    flag("friction", friction)
    choice("method", method, ("exact", "newmark", "recursive"))
    if gravity is not None:
        gravity = numbers(GRAVITY, gravity, (3,))
    state = body_motion(layout.bodies, motion.q, motion.v, motion.a, gravity)
    if method != "exact":
        state = with_newmark_accelerations(state, motion.t, layout.normal, method == "recursive")
    problem = Problem(layout, motion, state, phases, friction)
    check_closed(problem)
    loads = [*mass_loads(problem), *wrench_loads(problem, wrenches or {})]
    cuts = [cut_joint(state, loop) for loop in layout.mechanism.loops]
    tau = joint_torques(problem, loads)
    f = cut_joint_forces(problem, tau, cuts, as_sharing(sharing))
    cut_forces: dict[str, Array] = {}
    start = 0
    for one in cuts:
        w = np.einsum("tk,tkx->tx", f[:, start : start + one.count], one.wrenches)
        start += one.count
        cut_forces[one.name] = w
        ends = layout.ends[one.name]
        for body, node, sign in ((one.start, ends[0], 1.0), (one.end, ends[1], -1.0)):
            if body != WORLD:
                loads.append(Load(body, node, one.position, sign * w[:, :3], sign * w[:, 3:]))
    gears = f[:, start:] @ gear_columns(state).T
    torques = joint_torques(problem, loads) + gears if f.shape[1] else tau
    return Result(
        motion=motion,
        torques=np.where(actuated(layout.robot), torques, 0.0),  # passive joints: only rounding remains
        cut_forces=cut_forces,
        forces=lambda: internal_forces(layout, state, loaded_joint_wrenches(state, loads), loads),
        impulses=tuple(loop_impacts(problem)),
        layout=layout,
    )


def newmark_accelerations(u: Array, v: Array, a: Array, dt: float, recursive: bool) -> Array:
    """Accelerations by equation (3), samples along the second axis; the first sample is the target's."""
    result = np.array(a)
    v_k, a_k = v[:, 0], a[:, 0]
    for k in range(1, u.shape[1]):
        if not recursive:
            v_k, a_k = v[:, k - 1], a[:, k - 1]
        new = (u[:, k] - u[:, k - 1]) / (_B * dt**2) - v_k / (_B * dt) - (1 / (2 * _B) - 1) * a_k
        v_k, a_k = v_k + dt / 2 * (a_k + new), new
        result[:, k] = new
    return result


def with_newmark_accelerations(
    state: BodyMotion, t: Array, normal: Array | None, recursive: bool
) -> BodyMotion:
    """The body motion with accelerations by equation (3).

    Raises:
        WrongValue: for spatial motions, whose rotations have no increments to divide, and for uneven times.
    """
    if normal is None:
        raise WrongValue(
            "Equation (3) is written for motion in a plane. Leave method out for exact accelerations."
        )
    steps = np.diff(t)
    if not len(steps) or np.abs(steps - steps[0]).max() > 1e-9 * steps[0]:
        raise WrongValue("Equation (3) takes even steps of time: give t=np.linspace(...).")
    dt = float(steps[0])
    a_minus_g = (
        newmark_accelerations(state.c, state.velocity, state.a_minus_g - state.minus_g, dt, recursive)
        + state.minus_g
    )
    e1 = np.linalg.svd(normal[None])[2][1]
    e2 = np.cross(normal, e1)
    # Any line fixed on each body in the plane gives its rotation angle.
    line = np.einsum("bji,j->bi", state.R[:, 0], e1)
    own = np.einsum("btij,bj->bti", state.R, line)
    angle = np.unwrap(np.arctan2(own @ e2, own @ e1), axis=1)[..., None]
    rate, alpha = (x @ normal for x in (state.omega, state.alpha))
    alpha_k = newmark_accelerations(angle, rate[..., None], alpha[..., None], dt, recursive) * normal
    return replace(state, a_minus_g=a_minus_g, alpha=alpha_k)
