"""The primitive of JAX that runs a law's kernel: shapes, native call, batching and derivatives.

Each operand has the shape (states, *core), or (1, *core) where all states share it. A derivative in one
direction is the primitive of J t, which is linear in t; its transpose is the primitive of J^T w.
"""

import threading
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from rikigaku.binding.law_function import LawFunction
from rikigaku.compiler.operand_packing import are_packed, divided
from rikigaku.compiler.xla_handler import capsule, xla_handler
from rikigaku.core.errors import WrongValue

law_primitive = Primitive("rikigaku_law")
law_primitive.multiple_results = True

_handlers: dict[str, object] = {}  # XLA may run a handler as long as the process lives
_registration = threading.Lock()  # XLA refuses a name that is registered twice


@cache
def _compiled(function: LawFunction) -> Any:
    return jax.jit(partial(law_primitive.bind, function=function))


@law_primitive.def_impl
def _run(*operands: Any, function: LawFunction) -> Any:
    return _compiled(function)(*operands)


@law_primitive.def_abstract_eval
def _shapes(*operands: Any, function: LawFunction) -> list[Any]:
    states = state_count(operands)
    dtype = operands[0].dtype
    return [jax.core.ShapedArray((states, *port.shape), dtype) for port in function.outputs]


def state_count(operands: Sequence[Any]) -> int:
    """Length of the batch of operands of which each has the whole batch, or one state for all."""
    lengths = {x.shape[0] for x in operands} - {1}
    return lengths.pop() if lengths else 1


# -- native call --------------------------------------------------------------------------------------------
def _native(*operands: Any, function: LawFunction) -> list[Any]:
    """The call of the kernel, which has no empty operands and at most 64."""
    states, dtype = state_count(operands), operands[0].dtype
    results = [jax.ShapeDtypeStruct((states, *port.shape), dtype) for port in function.packed[1]]
    given = [x for x in _packed(function, operands) if x.size or not states]
    full = [x for x in results if x.size or not states]
    found = iter(jax.ffi.ffi_call(_target(function, dtype == jnp.float32), full)(*given))
    packed = [next(found) if x.size or not states else jnp.zeros(x.shape, dtype) for x in results]
    return _unpacked(function, packed)


def _packed(function: LawFunction, operands: Sequence[Any]) -> Sequence[Any]:
    """The operands of the native code."""
    if not are_packed(function.inputs, function.outputs):
        return operands
    arrays, numbers = divided(function.inputs, operands)
    return [*arrays, *([jnp.stack(jnp.broadcast_arrays(*numbers), axis=-1)] if numbers else [])]


def _unpacked(function: LawFunction, results: list[Any]) -> list[Any]:
    """The outputs of the function of those of the native code."""
    if not are_packed(function.inputs, function.outputs):
        return results
    _, numbers = divided(function.outputs, function.outputs)
    rest, scalars = iter(results), iter(jnp.unstack(results[-1], axis=1) if numbers else ())
    return [next(rest if port.shape else scalars) for port in function.outputs]


def _target(function: LawFunction, single: bool) -> str:
    """Name under which XLA knows the kernel; registered at first use."""
    kernel = function.kernel
    name = f"rikigaku_{kernel.key('batch32' if single else 'batch')}"
    with _registration:
        if name not in _handlers:
            loop = kernel.loop32 if single else kernel.loop
            inputs, outputs = ([port for port in side if port.size] for side in function.packed)
            called = f"{function.compiled.called}{function.text}"
            handler = xla_handler(called, loop, inputs, outputs, 4 if single else 8)
            jax.ffi.register_ffi_target(name, capsule(handler), platform="cpu")
            _handlers[name] = handler
    return name


def _refuse(context: Any, *operands: Any, function: LawFunction) -> Any:
    raise WrongValue(
        f"{function.compiled.called} is native code for the processor; the function is compiled for another "
        "device. Place its arrays on jax.devices('cpu')[0], or set jax.config.update('jax_platforms', 'cpu')."
    )


mlir.register_lowering(law_primitive, mlir.lower_fun(_native, multiple_results=True), platform="cpu")
mlir.register_lowering(law_primitive, _refuse)


# -- batches ------------------------------------------------------------------------------------------------
def flat_operands(operands: Sequence[Any], axes: Sequence[Any]) -> tuple[list[Any], int, int]:
    """Operands with the axis of vmap and that of states as one; the lengths of both."""
    count = next(x.shape[axis] for x, axis in zip(operands, axes, strict=True) if axis is not None)
    moved = [x if axis is None else jnp.moveaxis(x, axis, 0) for x, axis in zip(operands, axes, strict=True)]
    lengths = {x.shape[axis is not None] for x, axis in zip(moved, axes, strict=True)} - {1}
    states = lengths.pop() if lengths else 1
    flat = []
    for x, axis in zip(moved, axes, strict=True):
        core = x.shape[1:] if axis is None else x.shape[2:]
        if axis is None and x.shape[0] == 1:  # all states share it
            flat.append(x)
            continue
        own = x if axis is not None else x[None]
        if own.shape[:2] != (count, states):
            own = jnp.broadcast_to(own, (count, states, *core))
        flat.append(own.reshape(count * states, *core))
    return flat, count, states


def _batched(operands: Sequence[Any], axes: Sequence[Any], *, function: LawFunction) -> Any:
    flat, count, states = flat_operands(operands, axes)
    results = law_primitive.bind(*flat, function=function)
    results = [y.reshape(count, states, *y.shape[1:]) for y in results]
    return results, [0] * len(results)


batching.primitive_batchers[law_primitive] = _batched


# -- derivatives --------------------------------------------------------------------------------------------
def _tangents(primals: Sequence[Any], tangents: Sequence[Any], *, function: LawFunction) -> Any:
    results = law_primitive.bind(*primals, function=function)
    nonlinear = len(primals) - function.linear
    active = tuple(k for k in range(nonlinear) if type(tangents[k]) is not ad.Zero)
    parts = []
    if active:
        directions = [tangents[k] for k in active]
        parts.append(law_primitive.bind(*primals, *directions, function=function.tangent(active)))
    if any(type(t) is not ad.Zero for t in tangents[nonlinear:]):
        directions = [ad.instantiate_zeros(t) for t in tangents[nonlinear:]]
        parts.append(law_primitive.bind(*primals[:nonlinear], *directions, function=function))
    if len(parts) == 2:
        return results, [ad.add_jaxvals(x, y) for x, y in zip(*parts, strict=True)]
    return results, parts[0]


def _transpose(weights: Sequence[Any], *operands: Any, function: LawFunction) -> list[Any]:
    nonlinear = len(operands) - function.linear
    known, unknown = operands[:nonlinear], operands[nonlinear:]
    weights = [ad.instantiate_zeros(w) for w in weights]
    found = law_primitive.bind(*known, *weights, function=function.transposed)
    result: list[Any] = [None] * nonlinear
    for x, y in zip(unknown, found, strict=True):
        if not ad.is_undefined_primal(x):
            result.append(None)
        elif x.aval.shape[0] == y.shape[0]:
            result.append(y)
        else:  # all states share the operand: its cotangents add up
            result.append(y.sum(axis=0, keepdims=True))
    return result


ad.primitive_jvps[law_primitive] = _tangents
ad.primitive_transposes[law_primitive] = _transpose
