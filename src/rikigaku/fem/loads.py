"""What acts on the bodies of a moving mechanism besides their own mass, and the joint forces that take it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rikigaku.fem.internal import Load
from rikigaku.fem.kinematics import Moving
from rikigaku.fem.layout import Layout
from rikigaku.fem.motion import Motion
from rikigaku.fem.phases import Phases
from rikigaku.fem.quaternions import cross
from rikigaku.fem.torques import Carried, NodalForces, carried, joint_forces, nodal_forces
from rikigaku.given import by_name, numbers
from rikigaku.model.mechanism import WORLD

Array = NDArray[np.float64]


class Problem(NamedTuple):
    """A motion of a mesh, and when its loops are closed."""

    layout: Layout
    motion: Motion
    state: Moving
    phases: Phases
    friction: bool


def loaded(state: Moving, loads: list[Load]) -> Carried:
    forces = nodal_forces(state)
    F, N = forces.F.copy(), forces.N.copy()
    for load in loads:
        F[load.body] += load.force
        N[load.body] += load.moment + cross(load.place - state.c[load.body], load.force)
    return carried(state, NodalForces(F, N))


def torques_of(problem: Problem, loads: list[Load]) -> Array:
    """Of all joints: what bodies and loads take, and what drives and bearings take themselves."""
    state, motion = problem.state, problem.motion
    tau = joint_forces(state, loaded(state, loads))
    own = state.bodies.drives
    tau += own.rotor * motion.a
    if problem.friction:
        tau += own.viscous * motion.v + own.coulomb * np.sign(motion.v)
        tau[:, own.sprung] += own.stiffness * (motion.q[:, own.place] - own.rest)
    return tau


def carrier_of_mass(problem: Problem, name: str) -> tuple[int, int]:
    """Node and body that carry an extra mass."""
    node = problem.layout.carrier_of_mass(name, problem.phases.carried_by_end(name))
    return node, problem.layout.nodes[node].body


def mass_loads(problem: Problem) -> list[Load]:
    loads = []
    for name, mass in problem.layout.masses.items():
        node, body = carrier_of_mass(problem, name)
        if body != WORLD:
            place = problem.layout.nodes[node].place
            push = mass * problem.state.felt_at(body, place)
            loads.append(Load(body, node, problem.state.place(body, place), push, np.zeros_like(push)))
    return loads


def wrench_loads(problem: Problem, wrenches: Mapping[str, Any]) -> list[Load]:
    """Wrenches on the robot at frames: the joints give the opposite."""
    loads, size = [], len(problem.motion.t)
    for name, wrench in by_name("Wrenches", wrenches, "wrenches={frame: six numbers}").items():
        problem.layout.robot.frame(name)
        body, pose = problem.layout.mechanism.frames[name]
        what = f"The wrench at {name!r}, (force, moment) of six numbers or six for each sample,"
        w = np.broadcast_to(numbers(what, wrench, (6,), (1, 6), (size, 6)), (size, 6))
        if body != WORLD:
            node = problem.layout.frames.get(name, problem.layout.origin[body])
            loads.append(Load(body, node, problem.state.place(body, pose.p), -w[:, :3], -w[:, 3:]))
    return loads
