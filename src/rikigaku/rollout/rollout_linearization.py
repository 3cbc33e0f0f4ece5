"""Forward derivatives of a rollout: in one direction, and of each step (discrete linearization)."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from rikigaku.core.arrays import floats
from rikigaku.core.errors import UnknownName, WrongSize, WrongValue
from rikigaku.core.thread_blocks import each_block
from rikigaku.core.types import Array
from rikigaku.rollout.rollout_problem import RolloutProblem
from rikigaku.rollout.step_derivative import adjoint_program, tangent_program
from rikigaku.rollout.step_loop import Table
from rikigaku.rollout.step_program import coefficients
from rikigaku.rollout.tangent_space import coordinates, cotangent_basis, pulled_back, pushed_forward
from rikigaku.rollout.world_block import WorldBlock, worlds_of_block


class RolloutTangent(NamedTuple):
    """Directional derivatives of recorded states in their tangent space, each of the shape of v."""

    q: Array
    v: Array


class Linearization(NamedTuple):
    """x' = A x + B u + P p for the change x = (dq, dv) of the state in each step, dq in the tangent space.

    A: (steps, worlds, 2 nv, 2 nv). B: (steps, worlds, 2 nv, n), n elements of a row of torques.
    P: (steps, worlds, 2 nv, number of symbols).
    """

    A: Array
    B: Array
    P: Array


def rollout_tangent(
    problem: RolloutProblem, states: Mapping[str, Array], q0: Any, v0: Any, torque: Any,
    parameters: Mapping[str, Any],
) -> RolloutTangent:  # fmt: skip
    """Derivatives of the recorded states in a direction of the arguments; None: no change."""
    robot, worlds, steps = problem.robot, problem.worlds, problem.steps
    program = tangent_program(problem.program)
    program.kernel.lanes  # noqa: B018  (compiled before threads start)
    change = {name: _direction(f"{name}0", x, (worlds.count, robot.nv)) for name, x in (("q", q0), ("v", v0))}
    rates = {"u'": _inputs(problem, torque)}
    own = _parameters(problem, parameters)
    shape = states["q"].shape
    raw = {"q'": np.empty(shape), "v'": np.empty(states["v"].shape)}
    size = worlds_of_block(program, worlds.count, problem.threads)
    tables = {name: Table(x) for name, x in (problem.tables | rates).items() if name in program.sizes}
    varied = worlds.varied or len(own) > 1

    def work(firsts: range, stopped: Callable[[], bool]) -> None:
        for first in firsts:
            here = slice(first, min(first + size, worlds.count))
            block = WorldBlock(program, here.stop - first, problem.dt, tables, varied)
            q = worlds.q(here)
            begin = {"q": q, "v": worlds.v(here), "v'": _part(change["v"], here)}
            begin["q'"] = pushed_forward(robot, q, _part(change["q"], here))
            block.begin(first, begin, {"p": worlds.parameters(here), "p'": _part(own, here)})
            if problem.every:
                block.record(problem.every, {name: x[:, here] for name, x in raw.items()})
            if not block.run(steps, stopped):
                return
            if not problem.every:
                for name, x in raw.items():
                    x[here] = block.after(steps)[name]

    each_block(worlds.count, size, problem.threads, work)
    for x in raw.values():
        x[np.isnan(states["v"]).any(axis=-1)] = np.nan
    return RolloutTangent(coordinates(robot, states["q"], raw["q'"]), raw["v'"])


def rollout_linearization(problem: RolloutProblem, states: Mapping[str, Array]) -> Linearization:
    """A, B and P of each step, from adjoints of unit vectors."""
    if problem.every != 1:
        raise WrongValue(
            f"The linearization needs the state before each step; every={problem.every} was given to "
            "rollout. Give every=1."
        )
    robot, nv = problem.robot, problem.robot.nv
    adjoint, worlds = adjoint_program(problem.program), problem.worlds
    step, batch = adjoint.step, (problem.steps, worlds.count)
    everyone = slice(0, worlds.count)
    first = {"q": worlds.q(everyone), "v": worlds.v(everyone)}
    before: dict[str, Array] = {}
    for name, x in states.items():
        before[name] = np.concatenate([np.broadcast_to(first[name], x[:1].shape), x[:-1]])
    stages = np.array(coefficients(step.method, problem.dt))
    shared = step.starts_at(before)
    if "p" in step.sizes:
        shared["p"] = worlds.parameters(everyone)
    at = [before | step.sums_at(before)]

    def inputs(k: int) -> dict[str, Array]:
        tables = {name: x[:, min(k, x.shape[1] - 1)] for name, x in problem.tables.items()}
        return shared | tables | at[k] | {"c": stages[k]}

    for k in range(len(stages) - 1):
        outputs: dict[str, Array] = {name: np.empty((*batch, step.sizes[name])) for name in adjoint.states}
        found = outputs if step.stop is None else outputs | {"z": np.empty((*batch, 1))}
        step.kernel([inputs(k)[name] for name in step.sizes], [found[name] for name in step.outputs])
        at.append(outputs)
    n, count = step.sizes.get("u", 0), len(robot.free_symbols)
    A, B, P = (np.empty((*batch, 2 * nv, size)) for size in (2 * nv, n, count))
    basis = cotangent_basis(robot, states["q"])
    for row in range(2 * nv):
        flow: dict[str, Array] = {name: np.zeros(size) for name, size in adjoint.sizes.items()}
        if row < nv:
            flow["adjoint q"] = basis[..., row, :]
        else:
            flow["adjoint v"] = np.eye(nv)[row - nv]
        for k in reversed(range(len(stages))):
            outputs = {name: np.empty((*batch, _size(step.sizes, name))) for name in adjoint.outputs}
            given = flow | inputs(k)
            places = [given[name] for name in adjoint.sizes], [outputs[name] for name in adjoint.outputs]
            adjoint.kernel(*places)
            flow |= {f"adjoint {name}": outputs[name] for name in adjoint.states}
            flow |= {f"gathered {name}": outputs[name] for name in adjoint.gathered}
        start = "all " if step.sum_names else ""
        A[..., row, :nv] = pulled_back(robot, before["q"], outputs[f"{start}q"])
        A[..., row, nv:] = outputs[f"{start}v"]
        if n:
            B[..., row, :] = outputs["u"]
        if count:
            P[..., row, :] = outputs["p"][..., -count:]
    return Linearization(A, B, P)


def _size(sizes: Mapping[str, int], name: str) -> int:
    return sizes[name.removeprefix("all ")]


def _part(x: Array, here: slice) -> Array:
    return x[here] if len(x) > 1 else x


def _direction(name: str, given: Any, shape: tuple[int, ...]) -> Array:
    """A direction (worlds or 1, n)."""
    if given is None:
        return np.zeros((1, shape[-1]))
    x = floats(f"The direction of {name}", given)
    x = x.reshape((1,) * (len(shape) - x.ndim) + x.shape)
    fits = x.ndim == len(shape) and x.shape[-1] == shape[-1]
    if not fits or any(n not in (1, m) for n, m in zip(x.shape, shape, strict=True)):
        raise WrongSize(f"The direction of {name} has the shape {shape}; shape {np.shape(given)} was given.")
    return x


def _inputs(problem: RolloutProblem, given: Any) -> Array:
    """The direction of the torques, (steps or 1, 1, worlds or 1, n)."""
    if given is None:
        return np.zeros((1, 1, 1, problem.actuation.size))
    if problem.table is None:
        raise WrongValue(
            "The torques of this rollout are no table (steps, worlds, n): they have no direction."
        )
    x = _direction("torque", given, (problem.steps, problem.worlds.count, problem.table.shape[2]))
    return np.ascontiguousarray(x[:, None])


def _parameters(problem: RolloutProblem, given: Mapping[str, Any]) -> Array:
    """The direction of the parameters of the programs, (worlds or 1, count)."""
    known, count = problem.robot.free_symbols, problem.worlds.count
    for name in given:
        if name not in known:
            raise UnknownName("symbol", name, known, f"robot {problem.robot.name!r}")
    columns = [np.zeros(1) for _ in problem.actuation.parameters]
    columns += [floats(f"The direction of {name}", given.get(name, 0.0)).reshape(-1) for name in known]
    if not columns:
        return np.zeros((1, 0))
    if any(len(x) not in (1, count) for x in columns):
        raise WrongSize(f"Directions of symbols are numbers or one for each of the {count} worlds.")
    return np.stack(np.broadcast_arrays(*columns), axis=1)
