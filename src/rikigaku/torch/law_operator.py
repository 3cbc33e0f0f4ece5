"""The operator of PyTorch that runs a law's kernel, with its derivatives and batches.

Each operand has the shape (states, *core), or (1, *core) where all states share it. An autograd function runs
the kernel, with backward and forward derivatives; torch.compile sees a custom operator instead.
A function is named by the key of the law's code and the derivatives taken of it, so that a graph which
torch.compile has cached names the same function in every process.
"""

from collections.abc import Sequence
from typing import Any

import torch

from rikigaku.binding.law_function import LawFunction
from rikigaku.core.errors import MissingValue

Tensors = Sequence[torch.Tensor]

_laws: dict[str, LawFunction] = {}


def function_key(function: LawFunction) -> str:
    """Name of a function in graphs: "key of the law/t0,1/g0": the gradient by 0 of the tangent by 0, 1."""
    if function.parent is None:
        key = function.kernel.key("batch")
        _laws.setdefault(key, function)
        return key
    return product_key(function_key(function.parent), function.active, function.reverse)


def product_key(key: str, active: Sequence[int], reverse: bool) -> str:
    """Name of a product of the derivatives of the function `key` by the inputs `active`."""
    return f"{key}/{'g' if reverse else 't'}{','.join(map(str, active))}"


def function_of(key: str) -> LawFunction:
    """The function of a name."""
    base, *products = key.split("/")
    if base not in _laws:
        raise MissingValue(
            "A graph of torch.compile names a law that this process has not made. Make it with "
            "rikigaku.torch.law(...) of the same robot before the graph runs."
        )
    function = _laws[base]
    for product in products:
        active = tuple(int(k) for k in product[1:].split(","))
        function = function.gradient(active) if product[0] == "g" else function.tangent(active)
    return function


def _states(operands: Tensors) -> int:
    return next((x.shape[0] for x in operands if x.shape[0] != 1), 1)


def _native(operands: Tensors, key: str) -> list[torch.Tensor]:
    function, states = function_of(key), _states(operands)
    results = [operands[0].new_empty((states, *port.shape)) for port in function.outputs]
    function.kernel([x.detach().resolve_neg().numpy() for x in operands], [x.numpy() for x in results])
    return results


def _weighted(
    operands: Tensors, weights: Sequence[Any], key: str, active: Sequence[int], run: Any
) -> list[Any]:
    """Gradients by the active operands, None for the others."""
    outputs, states = function_of(key).outputs, _states(operands)
    whole = [
        operands[0].new_zeros((states, *port.shape)) if w is None else w
        for w, port in zip(weights, outputs, strict=True)
    ]
    found = run([*operands, *whole], product_key(key, active, True))
    result: list[Any] = [None] * len(operands)
    for k, y in zip(active, found, strict=True):  # operands that all states share add up
        result[k] = y if operands[k].shape[0] == y.shape[0] else y.sum(0, keepdim=True)
    return result


def _batched(info: Any, axes: Sequence[int | None], operands: Tensors) -> tuple[list[torch.Tensor], int]:
    """Operands with the batch axis of vmap and their own as one, and the length of their own."""
    count = info.batch_size
    moved = [x if axis is None else x.movedim(axis, 0) for x, axis in zip(operands, axes, strict=True)]
    own = [x.shape[int(axis is not None)] for x, axis in zip(moved, axes, strict=True)]
    states = next((n for n in own if n != 1), 1)
    flat = []
    for x, axis in zip(moved, axes, strict=True):
        if axis is None and x.shape[0] == 1:  # all states share it
            flat.append(x)
            continue
        x = x if axis is not None else x[None]
        flat.append(x.expand(count, states, *x.shape[2:]).reshape(count * states, *x.shape[2:]))
    return flat, states


def _unbatched(info: Any, results: Tensors, states: int) -> list[torch.Tensor]:
    return [y.reshape(info.batch_size, states, *y.shape[1:]) for y in results]


class LawCall(torch.autograd.Function):
    """The kernel with its derivatives, for autograd and torch.func."""

    @staticmethod
    def forward(key: str, *operands: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tuple(_native(operands, key))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.key, *operands = inputs
        ctx.save_for_backward(*operands)
        ctx.save_for_forward(*operands)

    @staticmethod
    def backward(ctx: Any, *weights: Any) -> tuple[Any, ...]:
        active = [k for k, needed in enumerate(ctx.needs_input_grad[1:]) if needed]
        return None, *_weighted(ctx.saved_tensors, weights, ctx.key, active, run_eagerly)

    @staticmethod
    def jvp(ctx: Any, _: Any, *directions: Any) -> tuple[torch.Tensor, ...]:
        active = [k for k, t in enumerate(directions) if t is not None]
        operands = [*ctx.saved_tensors, *(directions[k] for k in active)]
        return run_eagerly(operands, product_key(ctx.key, active, False))

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], key: str, *operands: torch.Tensor) -> Any:
        flat, states = _batched(info, in_dims[1:], operands)
        return tuple(_unbatched(info, run_eagerly(flat, key), states)), (0,) * len(function_of(key).outputs)


def run_eagerly(operands: Tensors, key: str) -> tuple[torch.Tensor, ...]:
    """The kernel by the autograd function."""
    found: tuple[torch.Tensor, ...] = LawCall.apply(key, *operands)
    return found


@torch.library.custom_op("rikigaku::law", mutates_args=())
def law_operator(operands: Sequence[torch.Tensor], key: str) -> list[torch.Tensor]:
    """The kernel as an operator in graphs of torch.compile."""
    return _native(operands, key)


@law_operator.register_fake
def _(operands: Tensors, key: str) -> list[torch.Tensor]:
    states = _states(operands)
    return [operands[0].new_empty((states, *port.shape)) for port in function_of(key).outputs]


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    operands, ctx.key = inputs
    ctx.save_for_backward(*operands)


def _backward(ctx: Any, weights: Sequence[Any]) -> tuple[Any, ...]:
    active = [k for k, needed in enumerate(ctx.needs_input_grad[0]) if needed]
    return _weighted(ctx.saved_tensors, weights, ctx.key, active, law_operator), None


law_operator.register_autograd(_backward, setup_context=_keep)


@law_operator.register_vmap
def _(info: Any, in_dims: tuple[Any, ...], operands: Tensors, key: str) -> Any:
    flat, states = _batched(info, in_dims[0], operands)
    results = _unbatched(info, law_operator(flat, key), states)
    return results, [0] * len(results)
