"""Laws that a page evaluates: programs of kinematics, loop closure, dynamics and energies for one module."""

from collections.abc import Iterator, Sequence
from typing import Any

from rikigaku.core.errors import RikigakuError
from rikigaku.laws.law import Law
from rikigaku.laws.tree.kinematics import world_poses
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.number_kind import Number
from rikigaku.numbers.program import Program
from rikigaku.robot import Robot

# Larger programs would make the page slow to load; a humanoid's forward dynamics has some 30 000 operations.
_MOST_OPERATIONS = 80_000
_MOST_FRAMES = 12  # frames that can be dragged


def body_poses(mechanism: Mechanism, q: Sequence[Number]) -> list[list[list[Number]]]:
    """Poses [R p] of all bodies of the mechanism in the world frame, (bodies, 3, 4)."""
    return [pose.matrix()[:3] for pose in world_poses(mechanism, q)]


def configuration_rate(mechanism: Mechanism, q: Sequence[Number], v: Sequence[Number]) -> list[Number]:
    """dq/dt from the joint velocities v, (nq,); differs from v for quaternions."""
    rate: list[Number] = [0] * mechanism.nq
    for body in mechanism.bodies:
        own = body.joint.rate([q[k] for k in body.q], [v[k] for k in body.v])
        for k, x in zip(body.q, own, strict=True):
            rate[k] = x
    return rate


BODY_POSES = Law("body_poses", body_poses, ("q",), ("poses",), "Poses of all bodies in the world frame.")
CONFIGURATION_RATE = Law(
    "configuration_rate", configuration_rate, ("q", "v"), ("rate",), "Time derivative of q."
)

_TREE = (
    "mass_matrix",
    "velocity_forces",
    "gravity_forces",
    "coriolis_matrix",
    "inverse_dynamics",
    "kinetic_energy",
    "potential_energy",
    "center_of_mass",
)
_CLOSED = ("complete", "loop_projected_velocity")
_REDUCED = (
    "jacobian",
    "mass_matrix",
    "velocity_forces",
    "gravity_forces",
    "coriolis_matrix",
    "inverse_dynamics",
    "actuation",
)


def page_programs(robot: Robot, frames: Sequence[str], dynamics: bool = True) -> dict[str, Program]:
    """The programs by the names that the page uses; laws that need symbols without a value are left out.

    Args:
        robot: its declared symbols bound to their values.
        frames: those with a Jacobian, "jacobian_0", "jacobian_1", ...
        dynamics: without it only what moves the picture, its loops closed.
    """
    found: dict[str, Program] = {}
    wanted = [*_kinematics(robot, frames), *(_dynamics(robot) if dynamics else ())]
    for name, owner, options in wanted:
        try:
            program = _without_unread_symbols(robot, owner().program(**options))
        except RikigakuError:  # singular at every state, or without a value
            continue
        if program is not None and program.operations.total <= _MOST_OPERATIONS:
            found[name] = program
    return found


def draggable_frames(robot: Robot) -> list[str]:
    """Frames that a person would drag: the named ones, and links without one that carry no other link.

    Such links of a closed robot end at a cut joint: there its named frames serve alone, if it has any.
    """
    carriers = {link.parent for link in robot.links}
    still = _still_links(robot)
    leaves = [link.name for link in robot.links if link.name not in carriers | still]
    own = [frame.name for frame in robot.frames if frame.link not in still]
    if own and robot.loops:
        return own[:_MOST_FRAMES]
    covered = {frame.link for frame in robot.frames}
    return [*own, *(name for name in leaves if name not in covered)][:_MOST_FRAMES]


def _still_links(robot: Robot) -> set[str]:
    """The base, and links that are fixed to it."""
    still, links = {robot.base}, list(robot.links)
    while found := {x.name for x in links if x.joint.type == "fixed" and x.parent in still} - still:
        still |= found
    return still


def _kinematics(robot: Robot, frames: Sequence[str]) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    yield "body_poses", lambda: robot.law(BODY_POSES), {}
    yield "configuration_rate", lambda: robot.law(CONFIGURATION_RATE), {}
    yield "integrate", lambda: robot.integrate, {}
    for k, name in enumerate(frames):
        yield f"jacobian_{k}", lambda: robot.jacobian, {"frame": name}
    if robot.loops or robot.couplings:
        yield "loop_residual", lambda: robot.loop_residual, {}
        yield "loop_jacobian", lambda: robot.loop_jacobian, {}


def _dynamics(robot: Robot) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    closed = bool(robot.loops or robot.couplings)
    tree: Any = robot.tree if closed else robot
    if closed:
        for name in _CLOSED:
            yield name, lambda name=name: getattr(robot, name), {}
        for name in _REDUCED:
            yield f"reduced_{name}", lambda name=name: getattr(robot.reduced, name), {}
    if robot.loops:
        yield "closed_inverse_dynamics", lambda: robot.inverse_dynamics, {}
    for name in _TREE:
        yield name, lambda name=name: getattr(tree, name), {}
    # Gravity is an input, so that the page can remove it. Loops and gears take forces in all joints.
    dynamics = (lambda: robot.loop_dynamics) if closed else (lambda: tree.forward_dynamics)
    yield "forward_dynamics", dynamics, {"gravity": (0.0, 0.0, -9.81)}


def _without_unread_symbols(robot: Robot, program: Program) -> Program | None:
    """The program without inputs for symbols that no result depends on; None if one is needed."""
    from dataclasses import replace

    symbols = set(robot.free_symbols)
    if not symbols:
        return program
    needed = set(program.nodes)
    kept = [k for k, port in enumerate(program.inputs) if port.name not in symbols]
    for k, port in enumerate(program.inputs):
        if port.name in symbols and not needed.isdisjoint(program.arguments[k]):
            return None
    return replace(
        program,
        inputs=tuple(program.inputs[k] for k in kept),
        arguments=tuple(program.arguments[k] for k in kept),
    )
