"""A program as a Python module over NumPy: one state or any batch that broadcasts.

The arrays may be those of JAX or PyTorch, too: nothing is assigned in place, so these packages trace,
differentiate and compile the function.
"""

import builtins
import keyword
from dataclasses import replace

from rikigaku.export.export_record import Export, indented, loop_body, text
from rikigaku.export.program_walk import INFIX, SUM, Language, Spelling, flat, indices
from rikigaku.numbers.program import Program, Shape

_HELPERS = ("np", "numpy", "namespace", "sized", "stacked")
_WORDS = frozenset((*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *_HELPERS))


def _element(name: str, shape: Shape, k: int) -> str:
    """Batch axes come first."""
    return f"{name}[..., {', '.join(map(str, indices(shape, k)))}]" if shape else name


def _place(name: str, shape: Shape, k: int) -> str:
    """Results are lists until they are stacked."""
    return f"{name}[{k}]"


PYTHON = Language(
    "Python",
    _WORDS,
    {
        **INFIX,
        "sqrt": Spelling("np.sqrt({0})"),
        "sign": Spelling("np.sign({0})"),
        "atan2": Spelling("np.arctan2({0}, {1})"),
        "choose": Spelling("np.where({0} < {1}, {2}, {3})", needs=(SUM, SUM, 0, 0)),
    },
    let="{0} = {1}",
    element=_element,
    place=_place,
    made=flat,
    store="{0} = {1}",
    sincos="{0} = np.sin({2})\n{1} = np.cos({2})",
    array="{0} = [{2}]",
    call="{0} = {2}(np, {3}, {4})",
    inline=3,
)
_LOOP_BODY = replace(PYTHON, element=flat, place=flat)  # lists of numbers, or of arrays of states

_FUNCTIONS = '''def namespace(*values):
    """numpy, or the module of arrays of another package: jax.numpy, torch."""
    for value in values:
        if hasattr(value, "__array_namespace__") and not isinstance(value, (numpy.ndarray, numpy.generic)):
            return value.__array_namespace__()
        if type(value).__module__.split(".")[0] == "torch":
            import torch
            return torch
    return numpy


def sized(np, name, value, shape):
    """The value as an array of floats that ends in the shape."""
    if np is numpy:
        array = np.asarray(value, dtype=float)
    else:
        array = value if namespace(value) is np else np.asarray(value)
    if array.ndim < len(shape) or array.shape[array.ndim - len(shape):] != shape:
        raise ValueError(f"{name} ends in axes {shape}; an array of shape {tuple(array.shape)} was given")
    return array


def stacked(np, like, elements, batch, shape):
    """The elements, each a number or an array of the batch, as one array."""
    if not elements:
        return np.zeros(batch + shape, dtype=like.dtype)
    zeros = np.zeros(batch, dtype=like.dtype)
    whole = [x if getattr(x, "shape", None) == zeros.shape else x + zeros for x in elements]
    return np.stack(whole, -1).reshape(batch + shape)
'''


def source(export: Export) -> str:
    """A module with `def name(q, ...)`; several results make a tuple."""
    python = text(export, PYTHON)
    doc = python.description()
    doc += ["", "Each array may have batch axes in front; they broadcast."]
    body = [f'"""{doc[0]}', *doc[1:], '"""']
    body += [f"np = namespace({', '.join(name for name, _ in python.inputs)})"]
    body += [f'{name} = sized(np, "{name}", {name}, {port.shape!r})' for name, port in python.inputs]
    shapes = [
        f"{name}.shape[:{name}.ndim - {len(port.shape)}]" if port.shape else f"{name}.shape"
        for name, port in python.inputs
    ]
    batch, first = python.names.new("batch"), python.inputs[0][0]
    body += [f"{batch} = np.broadcast_shapes({', '.join(shapes)})", *python.listing.lines]
    body += [f"{name} = [0.0] * {port.size}" for name, port in python.outputs]
    back = [
        f"stacked(np, {first}, {name}, {batch}, {port.shape!r}){'' if port.shape else '[()]'}"
        for name, port in python.outputs
    ]
    body += [*python.listing.results, f"return {', '.join(back)}"]
    head = f"def {export.name}({', '.join(name for name, _ in python.inputs)}):"
    parts = ["import numpy\n\n", _FUNCTIONS + "\n"]
    parts += [_loop_function(name, program) for name, program in python.listing.loop_bodies.items()]
    if export.has_absent:
        head = f'@numpy.errstate(divide="ignore", invalid="ignore")\n{head}'
    return "\n".join([*parts, head, *indented(body), ""])


def _loop_function(name: str, program: Program) -> str:
    body = loop_body(program, _LOOP_BODY)
    lines = [*body.lines, f"results = [0.0] * {program.outputs[0].size}", *body.results, "return results"]
    return "\n".join([f"def {name}(np, shared, item):", *indented(lines), "", ""])
