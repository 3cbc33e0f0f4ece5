"""Rollouts with contacts, loops and stops by the fixed steps of `simulation.time_stepping`."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rikigaku.contact.constraint_projection import initial_gap_text
from rikigaku.contact.constraint_setup import coulomb_joints
from rikigaku.contact.contact_system import ContactSystem
from rikigaku.contact.contact_tolerances import CLOSED
from rikigaku.contact.friction_law import JointFriction
from rikigaku.contact.friction_moment import FrictionMoment
from rikigaku.contact.kept_contact_systems import contact_modes, kept_system
from rikigaku.core.errors import CannotClose, WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.hybrid.loop_projection import states_onto_loops, still_open
from rikigaku.hybrid.smooth_motion import is_closed
from rikigaku.integrators.time_stepping_driver import StepStatus
from rikigaku.laws.contact.stepping_terms import stepping_sizes
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot
from rikigaku.rollout.rollout_arguments import Worlds, part
from rikigaku.rollout.rollout_problem import RolloutProblem
from rikigaku.rollout.rollout_result import Integers
from rikigaku.simulation.time_stepping import WORLDS_PER_TILE, TimeStepping

_WORLDS = 16 * WORLDS_PER_TILE  # whose rows are in memory together, for each thread


def contact_rollout(
    problem: RolloutProblem, contacts: Any, q: Array, v: Array
) -> tuple[Integers, Integers, Array]:
    """Fill q and v; steps of each world, its `StepStatus`, its largest friction residual."""
    robot, actuation, worlds, table = problem.robot, problem.actuation, problem.worlds, problem.table
    steps, every, threads, start = problem.steps, problem.every, problem.threads, problem.start
    if isinstance(contacts, Iterable) and not isinstance(contacts, str):
        contacts = tuple(contacts)
    varied_joints = _varied_joints(problem, contacts)
    system = _system(robot, contacts, varied_joints)
    stepping = TimeStepping(system, actuation, problem.dt)
    friction = _friction(system, worlds)
    # By the arguments, not by their values: any part of the worlds takes the same program.
    varied = worlds.has_parameters
    stop = None if problem.stop is None else problem.stop.kernel(robot)
    nq, end = robot.nq, robot.nq + robot.nv
    taken, causes = np.zeros((2, worlds.count), dtype=np.int64)
    residual, place = np.zeros(worlds.count), stepping.parts["residual"]
    size = _WORLDS * threads
    for first in range(0, worlds.count, size):
        here = slice(first, min(first + size, worlds.count))
        count = here.stop - first
        inputs = None
        if table is not None:
            own = table[:, here] if table.shape[1] > 1 else table
            inputs = np.broadcast_to(own, (steps, count, table.shape[2]))
        q0, v0 = (np.broadcast_to(x, (count, x.shape[1])) for x in (worlds.q(here), worlds.v(here)))
        symbols = _symbols(system, worlds, here)
        if is_closed(robot):
            q0, v0, is_open = states_onto_loops(robot, q0, v0, symbols)
            if is_open.any():
                world = int(np.argmax(is_open))
                own_symbols = {name: float(x[world if len(x) > 1 else 0]) for name, x in symbols.items()}
                error = still_open(robot, q0[world], own_symbols)
                raise CannotClose(f"World {first + world} of q0: {error}", error.loop, error.reason)
        _check_start(system, symbols, here, q0, start)
        parameters = None
        if varied:
            parameters = np.broadcast_to(worlds.parameters(here), (count, len(worlds.columns)))
        done = stepping.worlds(
            q0, v0, steps, start=start, every=every, inputs=inputs, threads=threads, parameters=parameters,
            friction=None if friction is None else friction[here],
            coulomb=_coulomb(system, varied_joints, symbols, count), stop=stop,
        )  # fmt: skip
        if every:
            records = done.records[: len(q)]  # those beyond: the last states
            q[:, here], v[:, here] = records[..., :nq], records[..., nq:end]
        else:
            q[here], v[here] = done.records[-1, :, :nq], done.records[-1, :, nq:end]
        finite = np.isfinite(done.rows[:, :end]).all(axis=1)
        taken[here] = np.where(finite, np.where(done.taken < 0, steps, done.taken), done.failed)
        causes[here] = np.where(finite, StepStatus.DONE, done.causes)
        residual[here] = done.rows[:, place].max(axis=1)
    return taken, causes, residual


def _system(robot: Robot, contacts: Any, varied: tuple[str, ...]) -> ContactSystem:
    """The contact system; joints whose dry friction varies have it in all worlds, with a number of none."""
    if contacts is None:
        return ContactSystem(robot, (), joints=())
    if not varied:
        return contact_modes(robot, contacts, None).system
    constant = [joint for joint in coulomb_joints(robot) if joint.joint not in varied]
    return kept_system(robot, contacts, (*constant, *(JointFriction(name, 1.0) for name in varied)))


def _varied_joints(problem: RolloutProblem, contacts: Any) -> tuple[str, ...]:
    """Joints whose Coulomb friction is a formula of symbols with values of the rollout."""
    if not (problem.worlds.has_parameters and isinstance(contacts, tuple)):
        return ()
    own = {x.joint for x in contacts if isinstance(x, JointFriction)}
    return tuple(
        x.name for x in problem.robot.joints if x.nv == 1 and x.coulomb.symbols and x.name not in own
    )


def _coulomb(
    system: ContactSystem, varied: tuple[str, ...], symbols: Mapping[str, Array], count: int
) -> Array | None:
    """Dry friction of each world and joint (count, joints) where it varies; else None."""
    if not varied:
        return None
    columns = []
    for joint in system.joints:
        value: Any = joint.coulomb
        if joint.joint in varied:
            value = system.robot.joint(joint.joint).coulomb.evaluate(FLOATS, symbols)
        columns.append(np.broadcast_to(value, (count,)))
        if (least := float(columns[-1].min(initial=0.0))) < 0:
            raise WrongValue(
                f"The Coulomb friction of joint {joint.joint!r} is {least:g} in a world; it must be >= 0."
            )
    return np.stack(columns, axis=1)


def _symbols(system: ContactSystem, worlds: Worlds, here: slice) -> dict[str, Array]:
    """Values of the robot's symbols in some worlds, if they are not its own, each (1,) or (worlds,)."""
    if not worlds.has_parameters:
        return {}
    names = system.robot.free_symbols
    values = worlds.columns[len(worlds.columns) - len(names) :]
    return {name: part(x, here) for name, x in zip(names, values, strict=True)}


def _check_start(
    system: ContactSystem, symbols: Mapping[str, Array], here: slice, q: Array, t: float
) -> None:
    """Refuse starts inside a surface.

    Raises:
        WrongValue: with the first world of them.
    """
    if not system.contacts:
        return
    nv, sizes = system.robot.nv, stepping_sizes(system.engine.structure)
    law, zeros, implicit = system.law("stepping_terms"), np.zeros(nv), np.zeros(2 * nv + 1)
    terms = law(q, zeros, zeros, zeros, np.array([t]), implicit, **symbols)
    first = sum(list(sizes.values())[: list(sizes).index("residual")])
    residual = terms[:, first : first + sizes["residual"]]
    gaps = residual[:, [normal for normal, _ in system.equation_indices()[0]]]
    inside = (gaps < -CLOSED) & [not contact.bilateral for contact in system.contacts]
    if inside.any():
        world, k = (int(x[0]) for x in np.nonzero(inside))
        text = initial_gap_text(system.labels[k], system.contacts[k].frame, float(gaps[world, k]))
        raise WrongValue(f"World {here.start + world} of q0: {text}")


def _friction(system: ContactSystem, worlds: Worlds) -> Array | None:
    """Coefficients of each world and contact, if they are not those of the contacts."""
    if worlds.friction is None:
        return None
    contacts = [c for c in system.contacts if not isinstance(c, FrictionMoment)]
    own = worlds.friction
    if not contacts:
        raise WrongValue("friction is that of contacts=[...], of which none are given.")
    if own.shape[1] not in (1, len(contacts)):
        raise WrongSize(
            f"friction has the shape (worlds,) or (worlds, {len(contacts)}), one for each contact; "
            f"(worlds, {own.shape[1]}) was given."
        )
    if named := [str(c.frame) for c in contacts if c.friction.limit != c.friction.kinetic]:
        raise WrongValue(
            "friction replaces one coefficient of each contact; static and kinetic friction differ at "
            f"{', '.join(named)}."
        )
    return np.broadcast_to(own, (worlds.count, len(contacts)))
