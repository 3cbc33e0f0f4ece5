"""A program as a MATLAB function file for one state, which Octave reads too."""

from rikigaku.export.export_record import Export, indented, loop_body, text
from rikigaku.export.identifiers import words
from rikigaku.export.program_walk import INFIX, SUM, Language, Spelling, indices
from rikigaku.numbers.program import Port, Program, Shape

# Words of MATLAB and of Octave, the functions the text calls, and names both give a meaning of their own.
_WORDS = words("""
    break case catch classdef continue do else elseif end end_try_catch end_unwind_protect endclassdef
    endenumeration endevents endfor endfunction endif endmethods endparfor endproperties endswitch
    endwhile enumeration events for function global if methods otherwise parfor persistent properties
    return spmd switch try until unwind_protect unwind_protect_cleanup while ans atan2 choose cos error eps i
    Inf inf j NaN nan numel pi sign sin sqrt zeros
""")


def _element(name: str, shape: Shape, k: int) -> str:
    return f"{name}({', '.join(str(i + 1) for i in indices(shape, k))})" if shape else name


MATLAB = Language(
    "MATLAB",
    _WORDS,
    {
        **INFIX,
        "sqrt": Spelling("sqrt({0})"),
        "sign": Spelling("sign({0})"),
        "atan2": Spelling("atan2({0}, {1})"),
        "choose": Spelling("choose({0} < {1}, {2}, {3})", needs=(SUM, SUM, 0, 0)),
    },
    let="{0} = {1};",
    element=_element,
    first=1,
    sincos="{0} = sin({2});\n{1} = cos({2});",
    array="{0} = [{2}];",
    call="{0} = {2}({3}, {4});",
    inline=3,
)

_CHOOSE = """
function x = choose(condition, yes, no)
    if condition
        x = yes;
    else
        x = no;
    end
end
"""


def source(export: Export) -> str:
    """A file with `function tau = name(q, ...)`; vectors are columns, several results [a, b] = name(...)."""
    matlab = text(export, MATLAB)
    body = [f"% {line}".rstrip() for line in matlab.description()]
    body += [_check(export.name, name, port) for name, port in matlab.inputs if port.shape]
    body += [*matlab.listing.lines, *(_zeros(name, port) for name, port in matlab.outputs)]
    outputs = ", ".join(name for name, _ in matlab.outputs)
    inputs = ", ".join(name for name, _ in matlab.inputs)
    results = outputs if len(matlab.outputs) == 1 else f"[{outputs}]"
    head = f"function {results} = {export.name}({inputs})"
    parts = [_loop_function(name, program) for name, program in matlab.listing.loop_bodies.items()]
    parts += [_CHOOSE] if matlab.uses("choose") else []
    return "\n".join([head, *indented([*body, *matlab.listing.results]), "end", *parts, ""])


def _check(function: str, name: str, port: Port) -> str:
    return (
        f"if numel({name}) ~= {port.size}, "
        f"error('{function}:size', '{name} has {port.size} elements, not %d.', numel({name})); end"
    )


def _zeros(name: str, port: Port) -> str:
    sizes = {0: (1, 1), 1: (*port.shape, 1)}.get(len(port.shape), port.shape)
    return f"{name} = zeros({', '.join(map(str, sizes))});"


def _loop_function(name: str, program: Program) -> str:
    body = loop_body(program, MATLAB)
    lines = [*body.lines, _zeros("results", program.outputs[0]), *body.results]
    return "\n".join(["", f"function results = {name}(shared, item)", *indented(lines), "end", ""])
