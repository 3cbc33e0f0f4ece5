"""Forward derivatives of a rollout: in one direction, and of each step (discrete linearization)."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from rikigaku.core.arrays import floats
from rikigaku.core.errors import UnknownName, WrongSize, WrongValue
from rikigaku.core.thread_blocks import each_block
from rikigaku.core.types import Array
from rikigaku.rollout.adjoint_step import AdjointStep
from rikigaku.rollout.lanes import Lanes, filled
from rikigaku.rollout.rollout_arguments import part
from rikigaku.rollout.rollout_problem import RolloutProblem
from rikigaku.rollout.step_derivative import AdjointProgram, adjoint_program, tangent_program
from rikigaku.rollout.step_loop import Place, StepLoop, Table
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
            begin = {"q": q, "v": worlds.v(here), "v'": part(change["v"], here)}
            begin["q'"] = pushed_forward(robot, q, part(change["q"], here))
            block.begin(first, begin, {"p": worlds.parameters(here), "p'": part(own, here)})
            if problem.every:
                block.record(problem.every, {name: x[:, here] for name, x in raw.items()})
            if not block.run(steps, stopped):
                return
            if not problem.every:
                for name, x in raw.items():
                    x[here] = block.after(steps)[name]

    each_block(worlds.count, size, problem.threads, work)
    return RolloutTangent(coordinates(robot, states["q"], raw["q'"]), raw["v'"])


def rollout_linearization(problem: RolloutProblem, states: Mapping[str, Array]) -> Linearization:
    """A, B and P of each step, from adjoints of unit vectors."""
    if problem.every != 1:
        raise WrongValue(
            f"The linearization needs the state before each step; every={problem.every} was given to "
            "rollout. Give every=1."
        )
    robot, nv, worlds = problem.robot, problem.robot.nv, problem.worlds
    adjoint = adjoint_program(problem.program)
    for program in (adjoint, adjoint.step):
        program.kernel.lanes  # noqa: B018  (compiled before threads start)
    everyone = slice(0, worlds.count)
    first = {"q": worlds.q(everyone), "v": worlds.v(everyone)}
    before: dict[str, Array] = {}  # states before the steps, those of all steps and worlds as rows
    for name, x in states.items():
        joined = np.concatenate([np.broadcast_to(first[name], x[:1].shape), x[:-1]])
        before[name] = joined.reshape(-1, x.shape[-1])
    total, count = len(before["v"]), len(robot.free_symbols)
    basis = cotangent_basis(robot, states["q"]).reshape(total, nv, robot.nq)
    A, B, P = (np.empty((total, 2 * nv, n)) for n in (2 * nv, adjoint.step.sizes.get("u", 0), count))
    size = worlds_of_block(problem.program, total, problem.threads)

    def work(firsts: range, stopped: Callable[[], bool]) -> None:
        for first in firsts:
            if stopped():
                return
            here = slice(first, min(first + size, total))
            block = _Rows(problem, adjoint, before, here)
            for row in range(2 * nv):
                unit = basis[here, row] if row < nv else np.eye(nv)[row - nv]
                found = block.adjoints("q" if row < nv else "v", unit)
                A[here, row, :nv] = pulled_back(robot, before["q"][here], found["q"])
                A[here, row, nv:] = found["v"]
                if B.shape[2]:
                    B[here, row] = found["u"]
                if count:
                    P[here, row] = found["p"][:, -count:]

    each_block(total, size, problem.threads, work)
    lost = np.isnan(before["v"]).any(axis=1) | np.isnan(states["v"].reshape(total, nv)).any(axis=1)
    for x in (A, B, P):
        x[lost] = np.nan
    A, B, P = (x.reshape(*states["v"].shape[:2], *x.shape[1:]) for x in (A, B, P))
    return Linearization(A, B, P)


class _Rows:
    """Rows of the derivatives of some steps of some worlds, which are computed together as worlds are.

    states: q and v before the steps of all worlds, as rows.
    """

    def __init__(
        self, problem: RolloutProblem, adjoint: AdjointProgram, states: Mapping[str, Array], here: slice
    ) -> None:
        count, sizes = here.stop - here.start, adjoint.step.sizes
        steps, worlds = np.divmod(np.arange(here.start, here.stop), problem.worlds.count)
        inputs: dict[str, Place] = {name: filled(x[here]) for name, x in states.items()}
        for name, x in problem.tables.items():
            own = x[steps if len(x) > 1 else 0 * steps, :, worlds if x.shape[2] > 1 else 0 * worlds]
            inputs[name] = Table(np.ascontiguousarray(own.swapaxes(0, 1))[None])
        if "p" in sizes:
            p = problem.worlds.parameters(slice(0, problem.worlds.count))
            inputs["p"] = filled(p[worlds] if len(p) > 1 else p)
        step = AdjointStep(adjoint, problem.dt, count, inputs)
        if forward := step.forward():
            StepLoop(count, forward, forward).run(0, 1)
        self.before = {name: Lanes(count, sizes[name]) for name in ("q", "v")}
        names = [name for name in sizes if name in ("q", "v", "u", "p")]
        self.after = {name: Lanes(count, sizes[name]) for name in names}
        backward = step.backward(self.before, self.after)
        self.loop = StepLoop(count, backward, backward)

    def adjoints(self, name: str, unit: Array) -> dict[str, Array]:
        """Adjoints of q, v, u and p before the step, from those of q or v after it."""
        for own, x in self.before.items():
            x.fill(unit if own == name else np.zeros(x.size))
        self.loop.run(0, 1)
        return {name: x.rows for name, x in self.after.items()}


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
