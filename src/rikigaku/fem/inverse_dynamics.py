"""Inverse dynamics of a mechanism as one assembly of beams: nodal forces of the target motion, then torques.

Nothing is cut in the mesh and no constraint is solved for: forces of nodes come one by one from the motion,
f = M (a - g), and [L][T]{P} turns them into torques. Which joints are passive and how motors share is data.
"""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import WrongValue
from rikigaku.fem.closing import impulses_of
from rikigaku.fem.cut_forces import shared_forces
from rikigaku.fem.internal import Load, internal_forces
from rikigaku.fem.joints import driven
from rikigaku.fem.kinematics import moving
from rikigaku.fem.layout import Layout
from rikigaku.fem.loads import Problem, loaded, mass_loads, torques_of, wrench_loads
from rikigaku.fem.loops import cut, gear_columns
from rikigaku.fem.motion import Motion
from rikigaku.fem.newmark import as_computed
from rikigaku.fem.openness import check_closed
from rikigaku.fem.phases import Phases
from rikigaku.fem.result import Result
from rikigaku.fem.sharing import as_sharing
from rikigaku.given import GRAVITY, flag, numbers, short, word
from rikigaku.model.mechanism import WORLD

Array = NDArray[np.float64]
Method = Literal["exact", "newmark", "recursive"]


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
    phases = Phases() if phases is None else phases
    if not isinstance(phases, Phases):
        raise WrongValue(f"phases are given as rikigaku.fem.Phases({short(phases)}), not bare.")
    phases.check(layout)
    flag("friction", friction)
    word("method", method, ("exact", "newmark", "recursive"))
    if gravity is not None:
        gravity = numbers(GRAVITY, gravity, (3,))
    state = moving(layout.bodies, motion.q, motion.v, motion.a, gravity)
    if method != "exact":
        state = as_computed(state, motion.t, layout.normal, method == "recursive")
    problem = Problem(layout, motion, state, phases, friction)
    check_closed(problem)
    loads = [*mass_loads(problem), *wrench_loads(problem, wrenches or {})]
    cuts = [cut(state, loop) for loop in layout.mechanism.loops]
    tau = torques_of(problem, loads)
    f = shared_forces(problem, tau, cuts, as_sharing(sharing))
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
    torques = torques_of(problem, loads) + gears if f.shape[1] else tau
    return Result(
        motion=motion,
        torques=np.where(driven(layout.robot), torques, 0.0),  # of passive joints only rounding is left
        cut_forces=passed,
        forces=lambda: internal_forces(layout, state, loaded(state, loads), loads),
        impulses=tuple(impulses_of(problem)),
        layout=layout,
    )
