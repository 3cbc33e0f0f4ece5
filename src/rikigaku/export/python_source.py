"""A program as a Python module over NumPy: one state or any batch that broadcasts."""

import builtins
import keyword
from dataclasses import replace

from rikigaku.export.export_record import Export, indented, loop_body, text
from rikigaku.export.program_walk import INFIX, SUM, Language, Spelling, flat, indices
from rikigaku.numbers.program import Program, Shape

_WORDS = frozenset((*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "np", "numpy", "sized"))


def _element(name: str, shape: Shape, k: int) -> str:
    """Batch axes come first."""
    return f"{name}[..., {', '.join(map(str, indices(shape, k)))}]" if shape else name


def _place(name: str, shape: Shape, k: int) -> str:
    return _element(name, shape, k) if shape else f"{name}[...]"


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
    call="{0} = {2}({3}, {4})",
    inline=3,
)
_LOOP_BODY = replace(PYTHON, element=flat, place=flat)  # lists of numbers, or of arrays of states

_SIZED = '''def sized(name, value, shape):
    """The value as an array of floats that ends in the shape."""
    array = np.asarray(value, dtype=float)
    if array.ndim < len(shape) or array.shape[array.ndim - len(shape):] != shape:
        raise ValueError(f"{name} ends in axes {shape}; an array of shape {array.shape} was given")
    return array
'''


def source(export: Export) -> str:
    """A module with `def name(q, ...)`; several results make a tuple."""
    python = text(export, PYTHON)
    doc = python.description()
    doc += ["", "Each array may have batch axes in front; they broadcast."]
    body = [f'"""{doc[0]}', *doc[1:], '"""']
    body += [f'{name} = sized("{name}", {name}, {port.shape!r})' for name, port in python.inputs]
    shapes = [
        f"{name}.shape[:{name}.ndim - {len(port.shape)}]" if port.shape else f"{name}.shape"
        for name, port in python.inputs
    ]
    batch = python.names.new("batch")
    body += [f"{batch} = np.broadcast_shapes({', '.join(shapes)})", *python.listing.lines]
    body += [f"{name} = np.zeros({batch} + {port.shape!r})" for name, port in python.outputs]
    back = ", ".join(name if port.shape else f"{name}[()]" for name, port in python.outputs)
    body += [*python.listing.results, f"return {back}"]
    head = f"def {export.name}({', '.join(name for name, _ in python.inputs)}):"
    parts = ["import numpy as np\n\n", _SIZED + "\n"]
    parts += [_loop_function(name, program) for name, program in python.listing.loop_bodies.items()]
    return "\n".join([*parts, head, *indented(body), ""])


def _loop_function(name: str, program: Program) -> str:
    body = loop_body(program, _LOOP_BODY)
    lines = [*body.lines, f"results = [0.0] * {program.outputs[0].size}", *body.results, "return results"]
    return "\n".join([f"def {name}(shared, item):", *indented(lines), "", ""])
