"""A law of a robot as a function of arrays in blocks, evaluated when their numbers are asked for."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import dask.array
import numpy as np

from rikigaku.binding.bound_law import BoundLaw
from rikigaku.binding.compiled_law import named_tuple
from rikigaku.core.arrays import floats
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongValue
from rikigaku.core.value_text import short
from rikigaku.numbers.program import Port


@checked
def law(bound: BoundLaw) -> Callable[..., Any]:
    """The law as a function of Dask arrays (..., n), with the arguments of the law.

    Blocks divide all axes but the last; each is one call of the compiled law, on the worker that has it. The
    code is compiled once a machine. Arrays of xarray keep their dimensions and coordinates; the last
    dimension of each is that of the law, and those of the results are named after them ("tau", "M_1").
    """
    if not isinstance(bound, BoundLaw):
        raise WrongValue(f"A law of a robot is needed, as robot.inverse_dynamics; {short(bound)} was given.")

    def function(*args: Any, **keywords: Any) -> Any:
        count = len(bound.law.inputs)
        compiled, parsed = bound.specialized_call(args, keywords)
        if parsed.overrides or parsed.symbols:
            raise WrongValue(
                "Blocks take the inputs of the law and its options; gravity, wrenches and symbols are those "
                "of the robot: bind them, as robot.bind(m=2.0)."
            )
        outputs = compiled.kernel.ports[1]
        own = partial(bound, **parsed.options)
        arrays = list(parsed.inputs)[:count]
        if any(type(x).__module__.partition(".")[0] == "xarray" for x in arrays):
            return _labelled(own, bound, arrays, outputs)
        return _by_blocks(own, bound, arrays, outputs)

    function.__name__ = function.__qualname__ = bound.law.name
    function.__doc__ = type(bound).__doc__
    return function


def _by_blocks(
    own: Callable[..., Any], bound: BoundLaw, arrays: Sequence[Any], outputs: Sequence[Port]
) -> Any:
    whole = [_whole_states(name, bound, x) for name, x in zip(bound.law.inputs, arrays, strict=True)]
    ends = [tuple(f"{port.name}{k}" for k in range(len(port.shape))) for port in outputs]
    signature = ",".join(f"(input{k})" for k in range(len(arrays)))
    signature += "->" + ",".join(f"({','.join(dims)})" for dims in ends)
    sizes = {
        d: n for dims, port in zip(ends, outputs, strict=True) for d, n in zip(dims, port.shape, strict=True)
    }
    found = dask.array.apply_gufunc(
        own, signature, *whole, output_dtypes=[np.float64] * len(outputs), output_sizes=sizes
    )
    return found if len(outputs) == 1 else named_tuple("Results", tuple(p.name for p in outputs))(*found)


def _whole_states(name: str, bound: BoundLaw, x: Any) -> Any:
    """A Dask array whose last axis is in one block."""
    array = x if isinstance(x, dask.array.Array) else dask.array.from_array(floats(name, x))
    bound.arguments.check_shape(name, array.shape)
    return array.rechunk({array.ndim - 1: -1})


def _labelled(
    own: Callable[..., Any], bound: BoundLaw, arrays: Sequence[Any], outputs: Sequence[Port]
) -> Any:
    import xarray

    given = [x if isinstance(x, xarray.DataArray) else xarray.DataArray(x) for x in arrays]
    for name, x in zip(bound.law.inputs, given, strict=True):
        bound.arguments.check_shape(name, x.shape)
    last = [f"{name} of the law" for name in bound.law.inputs]  # lengths may differ where names are the same
    renamed = [x.rename({x.dims[-1]: dim}) for x, dim in zip(given, last, strict=True)]
    dims = [
        [port.name if len(port.shape) == 1 else f"{port.name}_{k + 1}" for k in range(len(port.shape))]
        for port in outputs
    ]

    def of_arrays(*x: Any) -> Any:
        lazy = any(isinstance(y, dask.array.Array) for y in x)
        return _by_blocks(own, bound, x, outputs) if lazy else own(*x)

    found = xarray.apply_ufunc(
        of_arrays, *renamed, input_core_dims=[[dim] for dim in last], output_core_dims=dims, dask="allowed"
    )
    return found if len(outputs) == 1 else named_tuple("Results", tuple(p.name for p in outputs))(*found)
