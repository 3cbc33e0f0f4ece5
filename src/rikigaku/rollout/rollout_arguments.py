"""Arguments of `robot.rollout`: torques, states and parameters of the worlds, arrays for the results."""

import math
import os
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rikigaku.core.arrays import empty, floats, single_precision, too_large_for_single
from rikigaku.core.errors import MissingValue, TooLarge, UnknownName, WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import choice
from rikigaku.hybrid.smooth_motion import is_closed
from rikigaku.model.states import neutral
from rikigaku.robot import Robot
from rikigaku.rollout.step_program import METHODS
from rikigaku.simulation.actuation import Actuation, JointForces, Sampled, actuation_of
from rikigaku.simulation.piecewise_polynomial import PiecewisePolynomial
from rikigaku.simulation.simulate import actuated_coordinates

TIME_STEPPING = "time_stepping"
_CHUNK = 1 << 16  # numbers


@dataclass(frozen=True, eq=False)
class Worlds:
    """States and parameters of all worlds, each shared by all or one for each."""

    count: int
    q0: Array
    v0: Array
    columns: tuple[Array, ...]  # of the parameters of the programs: (1,) or (count,)
    friction: Array | None = None  # coefficients of the contacts, (1 or count, 1 or contacts)
    has_parameters: bool = False  # whether `parameters` has values of symbols

    @property
    def nbytes(self) -> int:
        """Bytes of the initial states and parameters."""
        return self.q0.nbytes + self.v0.nbytes + sum(x.nbytes for x in self.columns)

    def copied(self) -> "Worlds":
        """The same numbers in memory that no caller can write to."""
        columns = tuple(x.copy() for x in self.columns)
        return replace(self, q0=self.q0.copy(), v0=self.v0.copy(), columns=columns)

    @property
    def varied(self) -> bool:
        """Whether worlds have parameters of their own."""
        return any(len(x) > 1 for x in self.columns)

    def q(self, here: slice) -> Array:
        return part(self.q0, here)

    def v(self, here: slice) -> Array:
        return part(self.v0, here)

    def parameters(self, here: slice) -> Array:
        """(worlds, parameters), or (1, parameters) if all worlds have the same."""
        if not self.columns:
            return np.zeros((1, 0))
        if not self.varied:
            return np.array([[x[0] for x in self.columns]])
        count = here.stop - here.start
        return np.stack([np.broadcast_to(part(x, here), (count,)) for x in self.columns], axis=1)


def part(x: Array, here: slice) -> Array:
    """The rows of some worlds; all of an array that has one for all."""
    return x[here] if len(x) > 1 else x


def memory() -> float:
    """Bytes of this machine's memory; infinite where the system does not say."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return math.inf


def method_of(robot: Robot, method: str | None, contacts: Any = None) -> str:
    """The integration method; with contacts, loops or gears it is time stepping.

    Raises:
        WrongValue: if it is not known, or the robot or its contacts need another.
    """
    if method is None:
        return "euler" if contacts is None and not is_closed(robot) else TIME_STEPPING
    if choice("method", method, (*METHODS, TIME_STEPPING)) == TIME_STEPPING:
        return method
    if contacts is not None:
        raise WrongValue(f'Contacts take method="{TIME_STEPPING}"; {method!r} was given.')
    if is_closed(robot):
        raise WrongValue(
            f"Method {method!r} takes trees; robot {robot.name!r} has loops or gears. "
            f'Give method="{TIME_STEPPING}", or integrate single motions by rk.simulate.'
        )
    return method


def torques_of(
    robot: Robot, torque: Any, steps: int, dtype: type[np.floating[Any]] = np.float64
) -> tuple[Actuation, Array | None]:
    """The actuation, and the table of torques (steps or 1, worlds or 1, n) if they are an array.

    An array of that precision is not copied.
    """
    coordinates = actuated_coordinates(robot)
    n = len(coordinates)
    if _is_table(torque):
        array = floats("torque", torque, dtype is np.float32)
        table = np.require(array, requirements=("C", "ALIGNED"))
        if table.ndim != 3 or table.shape[2] != n or table.shape[0] not in (1, steps):
            raise WrongSize(
                f"Torques of a rollout are (steps, worlds, {n}), here ({steps}, worlds, {n}), steps or "
                f"worlds 1 where all are equal; shape {table.shape} was given."
            )
        _check_finite("A torque", "Torques of a rollout are finite", table, dtype)
        inputs = PiecewisePolynomial(np.zeros(1), np.zeros((1, 1, n)))
        return JointForces(robot.nv, coordinates, inputs), table.astype(dtype, copy=False)
    if isinstance(torque, Sampled):
        raise WrongValue(
            "A rollout evaluates controllers in every step and takes no rk.Sampled: give the controller "
            "itself, or torques (steps, worlds, n)."
        )
    actuation = actuation_of(robot.nv, coordinates, torque)
    if actuation.function is not None:
        raise WrongValue(
            "A rollout runs no Python: give torques (steps, worlds, n), formulas of t, rk.Data or a "
            "controller (rk.PD, rk.ComputedTorque, rk.LinearPolicy, rk.NetworkPolicy), or call rk.simulate "
            "with the function."
        )
    return actuation, None


def _check_finite(what: str, rule: str, x: Array, dtype: type[np.floating[Any]]) -> None:
    """Raise WrongValue if numbers of a contiguous array are not finite in a precision.

    Takes no memory of the array's size. what: a number of the array. rule: that they are finite.
    """
    flat, largest = x.reshape(-1), float(np.finfo(dtype).max)
    for k in range(0, len(flat), _CHUNK):
        size = np.abs(flat[k : k + _CHUNK])
        if not (size <= largest).all():
            if np.isfinite(size).all():
                raise too_large_for_single(what, float(size.max()))
            raise WrongValue(f"{rule}; NaN or infinity was given.")


def _is_table(torque: Any) -> bool:
    """Whether torques are an array of several axes, also of another package, or lists in lists."""
    if hasattr(type(torque), "__dlpack__"):
        return len(torque.shape) > 1
    return isinstance(torque, list | tuple) and any(isinstance(x, list | tuple | np.ndarray) for x in torque)


def worlds_of(
    robot: Robot,
    q0: Any,
    v0: Any,
    table: Array | None,
    parameters: Any,
    actuation: Actuation,
    friction: Any = None,
    dtype: type[np.floating[Any]] = np.float64,
) -> Worlds:
    """States and parameters of the worlds, of which all arguments have the same number, or one for all."""
    q = _states("q0", robot, neutral(robot) if q0 is None else q0, robot.nq, dtype)
    v = _states("v0", robot, np.zeros(robot.nv) if v0 is None else v0, robot.nv, dtype)
    check_quaternions(robot, q)
    columns = _columns(robot, parameters or {}, dtype)
    lengths = {"q0": len(q), "v0": len(v), "torque": 1 if table is None else table.shape[1]}
    lengths |= {name: len(x) for name, x in columns.items()}
    mu = None if friction is None else _coefficients(friction)
    lengths["friction"] = 1 if mu is None else len(mu)
    counts = {name: length for name, length in lengths.items() if length != 1}
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{name} {length}" for name, length in counts.items())
        raise WrongSize(f"All arguments have the same number of worlds, or one for all; they have: {listed}.")
    own = tuple(np.array([x]) for x in actuation.parameters)
    count = next(iter(counts.values()), 1)
    return Worlds(count, q, v, (*own, *columns.values()), mu, bool(parameters))


def _coefficients(friction: Any) -> Array:
    x = floats("friction", friction)
    if x.ndim > 2 or not np.isfinite(x).all() or (x < 0).any():
        raise WrongValue(
            "friction is a finite coefficient of at least 0, one for each world, (worlds,), or for each "
            f"world and contact, (worlds, contacts); an array of shape {x.shape} was given."
        )
    return np.ascontiguousarray(x if x.ndim == 2 else x.reshape(-1, 1))


def _states(what: str, robot: Robot, x: Any, size: int, dtype: type[np.floating[Any]]) -> Array:
    array = floats(f"{what} of robot {robot.name!r}", x, dtype is np.float32)
    if array.ndim not in (1, 2) or array.shape[-1] != size:
        raise WrongSize(
            f"{what} of robot {robot.name!r} has the shape ({size},) or (worlds, {size}); shape "
            f"{array.shape} was given."
        )
    array = np.ascontiguousarray(array.reshape(-1, size))
    name = f"{what} of robot {robot.name!r}"
    _check_finite(f"A number of {name}", f"{name} is finite", array, dtype)
    return array


def check_quaternions(robot: Robot, q: Array) -> None:
    """Raise WrongValue if a quaternion of the configurations (worlds, nq) has another length than 1."""
    for joint in robot.joints:
        for first in range(0, len(q) if joint.nq != joint.nv else 0, _CHUNK):
            rows = q[first : first + _CHUNK, robot.q_slices[joint.name]]
            length = np.linalg.norm(rows[:, -4:], axis=1)
            if (far := np.abs(length - 1) > 1e-6).any():
                k = int(np.argmax(far))
                raise WrongValue(
                    f"The quaternion of joint {joint.name!r} has length 1; it is {length[k]:.9g} in "
                    f"world {first + k} of q0."
                )


def check_symbols(robot: Robot, names: Collection[str]) -> None:
    """Raise if a name is no symbol of the robot, or a symbol has neither a name here nor a value of its own.

    Raises:
        UnknownName, MissingValue.
    """
    known = robot.free_symbols
    for name in names:
        if name not in known:
            raise UnknownName("symbol", name, known, f"robot {robot.name!r}")
    if missing := [name for name in known if name not in names and name not in robot.declared_values]:
        raise MissingValue(
            f"A rollout of robot {robot.name!r} needs numbers for {', '.join(missing)}. "
            f"Give them: parameters={{{missing[0]!r}: ...}}."
        )


def _columns(robot: Robot, parameters: Any, dtype: type[np.floating[Any]]) -> dict[str, Array]:
    """A column (1,) or (worlds,) for each free symbol of the robot; one of that precision is not copied."""
    check_symbols(robot, parameters)
    values = {**robot.declared_values, **parameters}
    columns = {}
    for name in robot.free_symbols:
        what = f"The symbol {name!r}"
        x = floats(what, values[name], dtype is np.float32)
        if x.ndim > 1:
            raise WrongValue(
                f"{what} takes a finite number or one for each world, (worlds,); an array of shape "
                f"{x.shape} was given."
            )
        columns[name] = np.ascontiguousarray(x.reshape(-1))
        _check_finite(what, f"{what} takes a finite number or one for each world", columns[name], dtype)
    return columns


def check_single(actuation: Actuation) -> None:
    """Raise WrongValue if a parameter of the controller is infinite in single precision."""
    single_precision("A parameter of the controller", np.array(actuation.parameters, dtype=float))


def check_single_times(start: float, dt: float, steps: int) -> None:
    """Raise WrongValue if the step is zero or a time infinite in single precision."""
    single_precision("The time of the last step", np.array([start + dt * steps]))
    if np.float32(dt) < np.finfo(np.float32).tiny:
        raise WrongValue(f"dt = {dt:.3g} s is zero or has few digits in single precision. Leave dtype out.")


def outputs_of(
    out: Any,
    robot: Robot,
    worlds: Worlds,
    records: int | None,
    table: Array | None,
    dtype: type[np.floating[Any]],
) -> tuple[Array, Array]:
    """Arrays for q and v; records None: final states only."""
    shapes = [
        (worlds.count, size) if records is None else (records, worlds.count, size)
        for size in (robot.nq, robot.nv)
    ]
    if out is None:
        size = np.dtype(dtype).itemsize * sum(math.prod(shape) for shape in shapes)
        if size > memory():
            raise TooLarge(
                f"q and v of this rollout take {size / 1e9:.3g} GB, more than the memory of this machine. "
                "Record fewer states (every=...), or call rollout for parts of the worlds."
            )
        return empty(shapes[0], dtype), empty(shapes[1], dtype)
    if not isinstance(out, tuple | list) or len(out) != 2:
        raise WrongValue("out is two arrays, for q and for v.")
    for name, x, shape in zip("qv", out, shapes, strict=True):
        if not isinstance(x, np.ndarray) or x.dtype != dtype or x.shape != shape:
            actual = f"{x.dtype} {x.shape}" if isinstance(x, np.ndarray) else type(x).__name__
            raise WrongSize(
                f"out for {name} is a {dtype.__name__} array of shape {shape}; {actual} was given."
            )
        if not (x.flags.c_contiguous and x.flags.writeable):
            raise WrongValue(f"out for {name} is contiguous (C order) and writeable; the given array is not.")
        if not x.flags.aligned:
            raise WrongValue(
                f"out for {name} is aligned: its address is a multiple of {x.itemsize}. That of the given "
                "array is not: it is a view of bytes or of a record. Give an array of np.empty."
            )
    others = [worlds.q0, worlds.v0, *worlds.columns, *([] if table is None else [table])]
    if any(np.may_share_memory(x, y) for x in out for y in others) or np.may_share_memory(*out):
        raise WrongValue("out shares memory with an argument or with itself: give other arrays.")
    return out[0], out[1]
