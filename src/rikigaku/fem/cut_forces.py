"""Forces through the cuts and gears of a moving mechanism, as its rule of sharing says."""

import numpy as np
from numpy.typing import NDArray

from rikigaku.errors import NoValue, WrongValue
from rikigaku.fem.joints import driven
from rikigaku.fem.loads import Problem, carrier_of_mass
from rikigaku.fem.loops import Cut, gear_columns
from rikigaku.fem.sharing import Ratio, Sharing, Weighted, freedom, least, nearest

Array = NDArray[np.float64]

_MISSING = 1e-9  # of the largest force: what passive joints may be left with


def shared_forces(problem: Problem, tau: Array, cuts: list[Cut], sharing: Sharing | None) -> Array:
    """Forces through the cuts and the gears, (samples, unknowns)."""
    t, motors = problem.motion.t, driven(problem.layout.robot)
    columns = [c.forces * problem.phases.is_closed(c.name, t)[:, None, None] for c in cuts]
    gears = np.broadcast_to(
        gear_columns(problem.state), (len(t), tau.shape[1], len(problem.state.mechanism.gears))
    )
    C = np.concatenate([*columns, gears], axis=2)
    spare, missing = freedom(tau, C, motors)
    if missing > _MISSING:
        raise NoValue(_underdriven(problem, tau, motors, C))
    if spare and sharing is None:
        raise WrongValue(
            f"Robot {problem.layout.robot.name!r} has {spare} motors more than this motion needs, and no "
            "rule how they share: give sharing='least_norm', a ratio at the cut node (sharing=0.5), "
            "Weighted({...}), or make joints passive (robot.with_actuated)."
        )
    bare = nearest(tau, C, motors, np.zeros((len(t), C.shape[2])))
    if not spare or sharing is None:
        return bare
    if isinstance(sharing, Ratio):
        f = nearest(tau, C, motors, _by_ratio(problem, cuts, sharing, C.shape[2]))
    else:
        f = least(tau, C, motors, _weights(problem, sharing))
    weight = np.ones_like(f)
    start = 0
    for c in cuts:
        weight[:, start : start + c.count] = problem.phases.weight(c.name, t)[:, None]
        start += c.count
    if (weight == 1).all():
        return f
    return nearest(tau, C, motors, bare + weight * (f - bare))


def _by_ratio(problem: Problem, cuts: list[Cut], sharing: Ratio, size: int) -> Array:
    """The start link carries its part of the force on the mass at the cut node, the end link the rest."""
    sharing.check(problem.layout.robot.name, problem.layout.ends)
    t, f, found = problem.motion.t, np.zeros((len(problem.motion.t), size)), False
    start = 0
    for c in cuts:
        mass = problem.layout.masses.get(c.name, 0.0)
        if mass > 0:
            found = True
            node, body = carrier_of_mass(problem, c.name)
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


def _weights(problem: Problem, sharing: Sharing) -> Array:
    robot = problem.layout.robot
    weights = np.ones(robot.nv)
    if isinstance(sharing, Weighted):
        for name, weight in sharing.weights.items():
            robot.joint(name)
            weights[robot.v_slices[name]] = weight
    return weights


def _underdriven(problem: Problem, tau: Array, driven: NDArray[np.bool_], C: Array) -> str:
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
