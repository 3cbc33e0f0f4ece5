"""External wrenches over time on frames of a robot: generalized forces J^T w, compiled with the actuation."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rikigaku.compiler.kernel import Kernel
from rikigaku.core.types import Array
from rikigaku.core.validation import by_name
from rikigaku.hybrid.hybrid_system import EXTRA_STATES
from rikigaku.laws.contact.contact_joint_wrenches import moving_links
from rikigaku.laws.tree.kinematics import world_poses
from rikigaku.laws.tree.newton_euler import inverse_dynamics
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.numbers.number_kind import FLOATS, Number
from rikigaku.numbers.program import trace
from rikigaku.robot import Robot
from rikigaku.simulation.actuation import Actuation, Numbers, actuation_of
from rikigaku.simulation.actuation_program import actuation_parameters, actuation_program, kernel_of
from rikigaku.simulation.actuation_sum import ActuationSum, CombinedInputs
from rikigaku.simulation.kept_programs import kept
from rikigaku.spatial import vector
from rikigaku.spatial.twist import Wrench
from rikigaku.spatial.vector import cross

EXTERNAL = "external wrenches"
_COMPONENTS = (*(f"force {axis} [N]" for axis in "xyz"), *(f"moment {axis} [N m]" for axis in "xyz"))


class ExternalWrenches(CombinedInputs):
    """Wrenches on frames: force and moment at the origin of each frame, world axes [N, N m].

    Args:
        wrenches: for each frame six numbers, six formulas of t, `rk.Data(t, w)` with w (m, 6), or a function
            (t, q, v) -> six numbers.
    """

    def __init__(self, robot: Robot, wrenches: Mapping[str, Any]) -> None:
        for frame in wrenches:
            robot.frame(frame)  # raises UnknownName, with a suggestion
        self.frames = tuple(wrenches)
        super().__init__([actuation_of(6, range(6), w, frame) for frame, w in wrenches.items()])

    @property
    def identity(self) -> str:
        return f"wrenches {self.frames} {super().identity}"

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(f"{frame} {part}" for frame in self.frames for part in _COMPONENTS)

    def applied(
        self, mechanism: Mechanism, t: Number, q: Numbers, v: Numbers, u: Numbers, p: Numbers
    ) -> dict[str, list[Number]]:
        """The wrench on each frame."""
        parts = self.split(u, p)
        values = [part.forces(mechanism, t, q, v, own, parameters) for part, own, parameters in parts]
        return dict(zip(self.frames, values, strict=True))

    def forces(
        self, mechanism: Mechanism, t: Number, q: Numbers, v: Numbers, u: Numbers, p: Numbers
    ) -> list[Number]:
        """J^T w in all joints: the negative inverse dynamics at rest without gravity."""
        rest, applied = [0] * mechanism.nv, self.applied(mechanism, t, q, v, u, p)
        balance = inverse_dynamics(mechanism, q, rest, rest, vector.ZERO, applied, friction=False)
        return [-x for x in balance]


class LoadedActuation(ActuationSum):
    """The forces of actuators and of external wrenches."""

    def __init__(self, actuators: Actuation, external: ExternalWrenches) -> None:
        self.actuators, self.external = actuators, external
        super().__init__([actuators, external])


def loaded(robot: Robot, actuation: Actuation, wrenches: Any) -> Actuation:
    """The actuation with the argument `wrenches` of `simulate`.

    Raises:
        UnknownName, WrongValue, WrongSize: for frames and wrenches that do not fit.
    """
    if wrenches is None:
        return actuation
    given = by_name("wrenches", wrenches, "{frame: six numbers or formulas}")
    return LoadedActuation(actuation, ExternalWrenches(robot, given)) if given else actuation


def with_external(
    actuation: Actuation,
    mechanism: Mechanism,
    t: Number,
    q: Numbers,
    v: Numbers,
    u: Numbers,
    p: Numbers,
    through: list[list[Number]],
) -> list[list[Number]]:
    """Joint wrenches of moving links with those of the external wrenches, if there are any."""
    if not isinstance(actuation, LoadedActuation):
        return through
    (_, (_, own, parameters)) = actuation.split(u, p)
    applied = actuation.external.applied(mechanism, t, q, v, own, parameters)
    added = _through_joints(mechanism, q, applied)
    return [[x + y for x, y in zip(*rows, strict=True)] for rows in zip(through, added, strict=True)]


def separated(
    robot: Robot, actuation: Actuation, found: Mapping[str, Array], t: Array, y: Array, u: Array
) -> dict[str, Array]:
    """Results under external wrenches: tau of the actuators alone, joint wrenches, the wrenches applied."""
    if not isinstance(actuation, LoadedActuation):
        return {}
    made = kept(robot, ("external wrenches", actuation.identity), lambda: _kernel(robot, actuation))
    outputs = [np.empty((len(t), *port.shape)) for port in made.ports[1]]
    made([t[:, None], y, u, np.array(actuation_parameters(robot, actuation))], outputs)
    named = {port.name: x for port, x in zip(made.ports[1], outputs, strict=True)}
    own = actuation.split(u.T, [])[0][1]  # type: ignore[arg-type]  # columns of u
    inputs = np.array(own).reshape(actuation.actuators.size, len(t)).T
    program = actuation_program(robot, actuation.actuators)
    results = {"tau": program.at(actuation.actuators, t, y, np.ascontiguousarray(inputs))}
    if "joint wrenches" in found:
        results["joint wrenches"] = found["joint wrenches"] + named["through joints"]
    return results | {EXTERNAL: named["applied"]}


def _through_joints(mechanism: Mechanism, q: Numbers, applied: Mapping[str, Numbers]) -> list[list[Number]]:
    """What the wrenches add to the force and moment through the joint of each moving link, at its origin.

    A joint carries the negative sum of the wrenches on the links beyond it, world axes.
    """
    poses = world_poses(mechanism, q)
    last = {body.name: i for i, body in enumerate(mechanism.bodies)}
    result = []
    for name in moving_links(mechanism):
        i, on_link = mechanism.frames[name]
        origin = poses[i].compose(on_link).p
        total = Wrench(vector.ZERO, vector.ZERO)
        for frame, w in applied.items():
            j, on_body = mechanism.frames[frame]
            if last[name] in mechanism.support(j):
                arm = vector.sub(poses[j].compose(on_body).p, origin)
                force = (w[0], w[1], w[2])
                total = total.minus(Wrench(force, vector.add((w[3], w[4], w[5]), cross(arm, force))))
        result.append([*total.force, *total.moment])
    return result


def _kernel(robot: Robot, actuation: LoadedActuation) -> Kernel:
    nq, nv, own = robot.nq, robot.nv, len(actuation.parameters)

    def function(t: list[Number], y: list[Number], u: list[Number], p: list[Number]) -> dict[str, Any]:
        mechanism = instantiate(robot, FLOATS, dict(zip(robot.free_symbols, p[own:], strict=True)))
        q, v = y[:nq], y[nq : nq + nv]
        (_, (_, inputs, parameters)) = actuation.split(u, p[:own])
        applied = actuation.external.applied(mechanism, t[0], q, v, inputs, parameters)
        return {"applied": list(applied.values()), "through joints": _through_joints(mechanism, q, applied)}

    sizes = {"t": 1, "y": nq + nv + EXTRA_STATES, "u": actuation.size, "p": own + len(robot.free_symbols)}
    shapes = [(name, (size,)) for name, size in sizes.items()]
    return kernel_of(trace(f"external wrenches of {robot.name}", shapes, function))
