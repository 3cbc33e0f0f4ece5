"""Rollouts of a robot as functions of JAX."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rikigaku.binding.framework_call import batch_shape, flat_batch
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import UnknownName, WrongSize, WrongValue
from rikigaku.core.validation import by_name, number, whole
from rikigaku.hybrid.smooth_motion import is_closed
from rikigaku.jax.jax_law import array, precision
from rikigaku.jax.rollout_primitive import Motion, Torque, rollout_primitive
from rikigaku.numbers.program import Port
from rikigaku.robot import Robot
from rikigaku.rollout.rollout_arguments import check_quaternions, check_symbols, torques_of
from rikigaku.rollout.step_program import METHODS
from rikigaku.simulation.simulate import actuated_coordinates


class RolloutStates(NamedTuple):
    """Recorded states of a rollout: q (..., records, nq), v (..., records, nv)."""

    q: jax.Array
    v: jax.Array


@checked
def rollout(
    robot: Robot,
    q0: Any,
    v0: Any = None,
    torque: Any = None,
    *,
    steps: int,
    dt: float,
    method: str = "euler",
    parameters: Mapping[str, Any] | None = None,
    every: int = 1,
    start: float = 0.0,
) -> RolloutStates:
    """A motion over fixed steps, its time loop in native code (see `robot.rollout`), as a function of JAX.

    Initial states, torques and parameters may be traced: `jit`, `vmap` (each element is a world), `jvp` and
    `grad` (by the adjoint method). Derivatives by q0 are by its nq numbers, in the tangent space.

    Args:
        q0, v0: initial positions (..., nq) and velocities (..., nv); at rest without v0.
        torque: (..., steps, n), constant in each step, or (..., 1, n) for all; or a controller, as `rk.PD`.
        steps, dt, method, every, start: as in `robot.rollout`; method "euler", "implicit" or "rk4".
        parameters: values of the robot's symbols, each (...).
    Raises:
        WrongSize, WrongValue, UnknownName, MissingValue: when it is traced, for arguments that do not fit.
    Returns: the states after every `every` steps; with every=0 the last ones, (..., nq) and (..., nv).
    """
    steps, every = whole("steps", steps), whole("every", every, 0)
    if every > steps:
        raise WrongValue(
            f"every={every} records no state of {steps} steps: give at most {steps}, or 0 for final states."
        )
    if method not in METHODS:
        raise UnknownName("method", method, METHODS, "rikigaku.jax.rollout")
    if is_closed(robot):
        raise WrongValue(
            f"rikigaku.jax.rollout takes trees; robot {robot.name!r} has loops or gears. robot.rollout moves "
            "it outside JAX, without derivatives."
        )
    if not robot.nv:
        raise WrongValue(f"Robot {robot.name!r} has no joint that moves.")
    parameters = by_name("parameters", parameters or {}, '{"m2": 0.8}')
    check_symbols(robot, parameters)
    given = {"q0": array(q0), "v0": array([0.0] * robot.nv if v0 is None else v0)}
    shapes = {"q0": (robot.nq,), "v0": (robot.nv,)}
    if hasattr(torque, "shape") or isinstance(torque, list | tuple):
        given["torque"] = array(torque)
        n, own = len(actuated_coordinates(robot)), given["torque"].shape
        if len(own) < 2 or own[-1] != n or own[-2] not in (1, steps):
            raise WrongSize(
                f"torque ends in axes ({steps}, {n}) or (1, {n}); an array of shape {own} was given."
            )
        shapes["torque"], torque = own[-2:], None
    else:
        torques_of(robot, torque, steps)  # raises where it is no controller
    given |= {name: array(x) for name, x in parameters.items()}
    ports = [Port(name, shapes.get(name, ())) for name in given]
    for port in ports[:2]:
        if given[port.name].shape[-1:] != port.shape:
            raise WrongSize(
                f"{port.name} of robot {robot.name!r} ends in an axis of {port.shape[0]}; an array of shape "
                f"{given[port.name].shape} was given."
            )
    if not isinstance(given["q0"], jax.core.Tracer):
        check_quaternions(robot, np.asarray(given["q0"]).reshape(-1, robot.nq))
    inputs = list(given.values())
    batch = batch_shape("rollout", ports, [x.shape for x in inputs])
    dtype = precision(inputs)
    operands = []
    for x, port in zip(inputs, ports, strict=True):
        full, flat = flat_batch(x.shape, port, batch)
        x = x if full is None else jnp.broadcast_to(x, full)
        operands.append(jnp.asarray(x.reshape(flat), dtype))
    options = (("dt", number("dt", dt, above=0)), ("method", method), ("start", number("start", start)))
    motion = Motion(robot, Torque(torque), tuple(given), steps, every, options)
    q, v = rollout_primitive.bind(*operands, motion=motion)
    return RolloutStates(q.reshape(*batch, *q.shape[1:]), v.reshape(*batch, *v.shape[1:]))
