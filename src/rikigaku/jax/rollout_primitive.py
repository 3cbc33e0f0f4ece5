"""The primitive of JAX that runs a rollout in native code, its derivative in one direction and its gradient.

Operands are initial states, torques and parameters, each (worlds, *core) or (1, *core) where all worlds share
it. The derivative in one direction is linear in the directions; its transpose is the adjoint method.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from rikigaku.core.errors import WrongValue
from rikigaku.core.types import Array
from rikigaku.jax.law_primitive import flat_operands, state_count
from rikigaku.robot import Robot
from rikigaku.rollout.rollout_result import Rollout
from rikigaku.rollout.tangent_space import coordinates, cotangent_basis, pushed_forward


@dataclass(frozen=True, eq=False)
class Torque:
    """A controller or None, compared by identity."""

    controller: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Torque) and self.controller is other.controller

    def __hash__(self) -> int:
        return id(self.controller)


@dataclass(frozen=True)
class Motion:
    """What is fixed when a rollout is traced. names: of the operands. active: those that are differentiated.

    kind: "states" (q, v of the records), "tangent" (their derivative in one direction), "gradient" (of a
    weighted sum of them by the active operands).
    """

    robot: Robot
    torque: Torque
    names: tuple[str, ...]
    steps: int
    every: int
    options: tuple[tuple[str, Any], ...]
    kind: str = "states"
    active: tuple[int, ...] = ()

    @property
    def records(self) -> tuple[int, ...]:
        return (self.steps // self.every,) if self.every else ()

    @property
    def linear(self) -> int:
        """Number of last operands in which it is linear."""
        return {"states": 0, "tangent": len(self.active), "gradient": 2}[self.kind]

    def results(self, operands: Sequence[Any]) -> list[tuple[int, ...]]:
        """Shapes of the results."""
        worlds = state_count(operands)
        if self.kind == "gradient":
            return [(worlds, *operands[k].shape[1:]) for k in self.active]
        return [(worlds, *self.records, size) for size in (self.robot.nq, self.robot.nv)]

    def run(self, *operands: Any) -> list[Array]:
        """The results in native code, of NumPy arrays; NaN for worlds with an operand that is not finite."""
        worlds = state_count(operands)
        arrays = [np.asarray(x) for x in operands]
        finite = np.ones(worlds, dtype=np.bool_)
        for x in arrays:
            finite &= np.isfinite(x).reshape(len(x), -1).all(axis=1)
        if finite.all():
            return self._run(arrays, worlds)
        shapes, dtype = self.results(arrays), arrays[0].dtype
        results = [np.full(shape, np.nan, dtype) for shape in shapes]
        if finite.any():
            some = self._run([x if len(x) == 1 else x[finite] for x in arrays], int(finite.sum()))
            for whole, part in zip(results, some, strict=True):
                whole[finite] = part
        return results

    def _run(self, arrays: Sequence[Array], worlds: int) -> list[Array]:
        dtype = arrays[0].dtype
        own = dict(zip(self.names, arrays[: len(self.names)], strict=True))
        vectors = [x.astype(np.float64, copy=False) for x in arrays[len(self.names) :]]
        if self.kind == "states":
            motion = self._rollout(own, worlds, dtype.type)
            return [_worlds_first(x, dtype) for x in (motion.q, motion.v)]
        if self.kind == "tangent":
            return [_worlds_first(x, dtype) for x in self._tangent(own, worlds, vectors)]
        return [x.astype(dtype, copy=False) for x in self._gradient(own, worlds, vectors)]

    def _rollout(self, own: Mapping[str, Array], worlds: int, dtype: Any = np.float64) -> Rollout:
        q0 = np.broadcast_to(own["q0"], (worlds, self.robot.nq))
        torque: Any = self.torque.controller
        if "torque" in own:
            torque = np.ascontiguousarray(np.moveaxis(own["torque"], 0, 1), dtype=np.float64)
        parameters = {name: own[name] for name in self.names if name not in ("q0", "v0", "torque")}
        return self.robot.rollout(
            q0, own["v0"], torque, steps=self.steps, every=self.every, parameters=parameters, dtype=dtype,
            **dict(self.options),
        )  # fmt: skip

    def _tangent(self, own: Mapping[str, Array], worlds: int, vectors: Sequence[Array]) -> list[Array]:
        motion, directions = self._rollout(own, worlds), {}
        for k, t in zip(self.active, vectors, strict=True):
            directions[self.names[k]] = np.broadcast_to(t, (worlds, *t.shape[1:]))
        if "q0" in directions:
            directions["q0"] = coordinates(self.robot, own["q0"], directions["q0"])
        if "torque" in directions:
            directions["torque"] = np.moveaxis(directions["torque"], 0, 1)
        states = {name: directions.pop(name, None) for name in ("q0", "v0", "torque")}
        found = motion.tangent(**states, parameters=directions)
        return [pushed_forward(self.robot, motion.q, found.q), found.v]

    def _gradient(self, own: Mapping[str, Array], worlds: int, vectors: Sequence[Array]) -> list[Array]:
        own = dict(own)
        if "torque" in own:  # each world has a gradient of its own
            own["torque"] = np.broadcast_to(own["torque"], (worlds, *own["torque"].shape[1:]))
        motion = self._rollout(own, worlds)
        weights = [np.broadcast_to(w, (worlds, *w.shape[1:])) for w in vectors]
        if self.every:
            weights = [np.moveaxis(w, 0, 1) for w in weights]
        found = motion.gradient(*weights)
        results = []
        for name in (self.names[k] for k in self.active):
            if name == "q0":
                basis = cotangent_basis(self.robot, np.broadcast_to(own["q0"], (worlds, self.robot.nq)))
                results.append(np.einsum("wi,wij->wj", found.q0, basis))
            elif name == "torque":
                assert found.torque is not None
                results.append(np.moveaxis(found.torque, 0, 1))
            else:
                results.append(found.v0 if name == "v0" else found.parameters[name])
        return results


def _worlds_first(x: Array, dtype: Any) -> Array:
    """(records, worlds, n) or (worlds, n) with the worlds first."""
    return np.ascontiguousarray(np.moveaxis(x, -2, 0), dtype=dtype)


rollout_primitive = Primitive("rikigaku_rollout")
rollout_primitive.multiple_results = True


@lru_cache(maxsize=256)
def _compiled(motion: Motion) -> Any:
    return jax.jit(partial(rollout_primitive.bind, motion=motion))


@rollout_primitive.def_impl
def _run(*operands: Any, motion: Motion) -> Any:
    return _compiled(motion)(*operands)


@rollout_primitive.def_abstract_eval
def _shapes(*operands: Any, motion: Motion) -> list[Any]:
    return [jax.core.ShapedArray(shape, operands[0].dtype) for shape in motion.results(operands)]


def _native(*operands: Any, motion: Motion) -> Any:
    shapes = [jax.ShapeDtypeStruct(shape, operands[0].dtype) for shape in motion.results(operands)]
    return jax.pure_callback(motion.run, shapes, *operands)


def _batched(operands: Sequence[Any], axes: Sequence[Any], *, motion: Motion) -> Any:
    flat, count, worlds = flat_operands(operands, axes)
    results = rollout_primitive.bind(*flat, motion=motion)
    return [y.reshape(count, worlds, *y.shape[1:]) for y in results], [0] * len(results)


def _tangents(primals: Sequence[Any], tangents: Sequence[Any], *, motion: Motion) -> Any:
    results = rollout_primitive.bind(*primals, motion=motion)
    nonlinear = len(primals) - motion.linear
    active = tuple(k for k in range(nonlinear) if type(tangents[k]) is not ad.Zero)
    if motion.linear:
        if active:
            raise WrongValue(
                "Rollouts have first derivatives. For second ones write the steps as jax.lax.scan over "
                "rikigaku.jax.law(robot.forward_dynamics)."
            )
        directions = [ad.instantiate_zeros(t) for t in tangents[nonlinear:]]
        return results, rollout_primitive.bind(*primals[:nonlinear], *directions, motion=motion)
    along = replace(motion, kind="tangent", active=active)
    return results, rollout_primitive.bind(*primals, *(tangents[k] for k in active), motion=along)


def _transpose(weights: Sequence[Any], *operands: Any, motion: Motion) -> list[Any]:
    nonlinear = len(operands) - motion.linear
    weights = [ad.instantiate_zeros(w) for w in weights]
    kind = "gradient" if motion.kind == "tangent" else "tangent"
    found = rollout_primitive.bind(*operands[:nonlinear], *weights, motion=replace(motion, kind=kind))
    result: list[Any] = [None] * nonlinear
    for x, y in zip(operands[nonlinear:], found, strict=True):
        if not ad.is_undefined_primal(x):
            result.append(None)
        else:  # what all worlds share adds up
            result.append(y if x.aval.shape[0] == y.shape[0] else jnp.sum(y, axis=0, keepdims=True))
    return result


mlir.register_lowering(rollout_primitive, mlir.lower_fun(_native, multiple_results=True))
batching.primitive_batchers[rollout_primitive] = _batched
ad.primitive_jvps[rollout_primitive] = _tangents
ad.primitive_transposes[rollout_primitive] = _transpose
