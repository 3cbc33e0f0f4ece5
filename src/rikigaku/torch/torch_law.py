"""A law of a robot as a function of PyTorch."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
import torch

from rikigaku.binding.arguments import input_size
from rikigaku.binding.bound_law import BoundLaw
from rikigaku.binding.compiled_law import named_tuple
from rikigaku.binding.framework_call import batch_shape, framework_call
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongValue
from rikigaku.core.validation import short
from rikigaku.torch.law_operator import function_key, function_of, law_operator, run_eagerly

_WRENCH = 6  # numbers


@checked
def law(bound: BoundLaw) -> Callable[..., Any]:
    """The law as a function of tensors, with the arguments of the law.

    Inputs, gravity, wrenches and symbols take part in autograd, `torch.func` (vmap, grad, vjp, jvp, jacrev,
    jacfwd, hessian) and `torch.compile`. Tensors and arrays of float64 are computed in double precision, of
    float32 in single precision; Python numbers and values of the robot take the precision of the tensors.

    Derivatives by q are by all its nq numbers, without the components along quaternions: the gradient is in
    the tangent space. `law(robot.integrate)` is the retraction.
    """
    if not isinstance(bound, BoundLaw):
        raise WrongValue(f"A law of a robot is needed, as robot.inverse_dynamics; {short(bound)} was given.")

    # torch.compile evaluates the plan of a call while it traces, from the shapes of the tensors.
    @torch.compiler.assume_constant_result
    def plan(positional: tuple[Any, ...], named: tuple[Any, ...]) -> Any:
        return _plan(bound, positional, named)

    names, options = bound.law.inputs, tuple(bound.law.options)
    sizes = {name: input_size(bound.robot, bound.law, name) for name in names} | {"gravity": 3}

    def function(*args: Any, **keywords: Any) -> Any:
        tensors: list[torch.Tensor] = []
        positional = tuple(
            _description(x, sizes[names[k]], tensors) if k < len(names) else ("value", x)
            for k, x in enumerate(args)
        )
        named = tuple(
            (name, ("value", x) if name in options else _description(x, sizes.get(name, 0), tensors))
            for name, x in keywords.items()
        )
        key, sources, shapes, outputs = plan(positional, named)
        inputs = [tensors[k] if isinstance(k, int) else torch.tensor(k, dtype=torch.float64) for k in sources]
        dtype = _precision([*args, *keywords.values()])
        return _run(bound.law.called, key, [x.to(dtype) for x in inputs], shapes, outputs)

    function.__name__ = function.__qualname__ = bound.law.name
    function.__doc__ = type(bound).__doc__
    return function


class _StandIn(NamedTuple):
    """A tensor in the plan of a call: its place among the tensors, and its shape."""

    place: int
    shape: tuple[int, ...]


def _description(x: Any, size: int, tensors: list[torch.Tensor]) -> Any:
    """An argument without the numbers of tensors; these are added to the list.

    size: length of the last axis; 0 for symbols, whose axes are all of the batch.
    """
    if isinstance(x, dict):
        return ("mapping", *((name, _description(y, _WRENCH, tensors)) for name, y in x.items()))
    if x is None or isinstance(x, str):
        return "value", x
    tensors.append(_tensor(x))
    shape = tuple(tensors[-1].shape)
    if torch.compiler.is_compiling():
        shape = _constant_shape(shape, size)
    return "tensor", len(tensors) - 1, shape


def _constant_shape(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """A shape without variables of the graph that torch.compile records: lengths of the batch are 1.

    A wrong shape is kept, for the error. `range` makes a variable constant.
    """
    if not size:
        return ()
    if shape and shape[-1] == size:
        return (*(1 for _ in shape[:-1]), len(range(size)))
    return tuple(len(range(n)) for n in shape)


def _argument(kind: str, *content: Any) -> Any:
    """The argument that a description stands for."""
    if kind == "mapping":
        return {name: _argument(*item) for name, item in content}
    return _StandIn(*content) if kind == "tensor" else content[0]


def _plan(bound: BoundLaw, positional: tuple[Any, ...], named: tuple[Any, ...]) -> Any:
    """Key of the function, the place (or value) and the shape of each input, and the names of the outputs."""
    args, keywords = [_argument(*x) for x in positional], {name: _argument(*x) for name, x in named}
    function, inputs = framework_call(bound, args, keywords, lambda x: x)
    sources = tuple(x.place if isinstance(x, _StandIn) else float(x) for x in inputs)
    names = tuple(port.name for port in function.outputs)
    return function_key(function), sources, tuple(port.shape for port in function.inputs), names


def _run(called: str, key: str, inputs: list[torch.Tensor], shapes: Any, names: tuple[str, ...]) -> Any:
    compiling = torch.compiler.is_compiling()
    given = [tuple(x.shape[: x.ndim - len(shape)]) for x, shape in zip(inputs, shapes, strict=True)]
    if compiling:
        batch = tuple(torch.broadcast_shapes(*given))
    else:
        batch = batch_shape(called, function_of(key).inputs, [tuple(x.shape) for x in inputs])
    operands = []
    for x, own, shape in zip(inputs, given, shapes, strict=True):
        if prod(own) == 1:  # all states share it
            operands.append(x.reshape(1, *shape))
        else:
            operands.append(x.expand(*batch, *shape).reshape(prod(batch), *shape))
    found = law_operator(operands, key) if compiling else run_eagerly(operands, key)
    results = [y.reshape(*batch, *y.shape[1:]) for y in found]
    return results[0] if len(results) == 1 else named_tuple("Results", names)(*results)


def _precision(arguments: Sequence[Any]) -> torch.dtype:
    """float64 if a tensor or NumPy array has it, else float32; float64 without any of them."""
    given = [y for x in arguments for y in (x.values() if isinstance(x, dict) else (x,))]
    found = [x.dtype for x in given if isinstance(x, torch.Tensor)]
    for x in given:
        if isinstance(x, np.ndarray) and x.shape and np.issubdtype(x.dtype, np.floating):
            found.append(torch.float32 if x.dtype == np.float32 else torch.float64)
    dtype = torch.float32 if found else torch.float64
    for own in found:
        dtype = torch.promote_types(dtype, own)
    return dtype


def _tensor(x: Any) -> torch.Tensor:
    if not isinstance(x, torch.Tensor):
        try:
            single = isinstance(x, np.ndarray) and x.dtype == np.float32
            x = torch.as_tensor(np.asarray(x, dtype=np.float32 if single else np.float64))
        except (TypeError, ValueError) as error:
            raise WrongValue(f"A tensor of real numbers is needed; {short(x)} was given.") from error
    if x.device.type != "cpu":
        raise WrongValue(
            f"Laws are native code for the processor; a tensor on {x.device} was given: use .cpu()."
        )
    if x.dtype.is_complex:
        raise WrongValue(f"Laws take real numbers; a tensor of {x.dtype} was given.")
    return x
