"""A program as a Julia function for one state, over any real numbers (Float64, BigFloat, dual numbers)."""

from rikigaku.export.export_record import Export, indented, loop_body, text
from rikigaku.export.identifiers import words
from rikigaku.export.program_walk import INFIX, SUM, Language, Spelling, indices
from rikigaku.numbers.program import Program, Shape

_WORDS = words("""
    abstract as baremodule begin break catch const continue do else elseif end export false finally for
    function global if import in isa let local macro module mutable new outer primitive public quote
    return struct true try type using var where while AbstractArray DimensionMismatch Real Vector eltype
    fma float ifelse im Inf length NaN nothing pi promote_type sign sincos sqrt throw typeof zero zeros
    missing ans atan Float64
""")


def _element(name: str, shape: Shape, k: int) -> str:
    return f"{name}[{', '.join(str(i + 1) for i in indices(shape, k))}]" if shape else name


JULIA = Language(
    "Julia",
    _WORDS,
    {
        **INFIX,
        "fma": Spelling("fma({0}, {1}, {2})"),
        "sqrt": Spelling("sqrt({0})"),
        "sign": Spelling("sign({0})"),
        "atan2": Spelling("atan({0}, {1})"),
        "choose": Spelling("ifelse({0} < {1}, {2}, {3})", needs=(SUM, SUM, 0, 0)),
    },
    let="{0} = {1}",
    element=_element,
    first=1,
    store="{0} = {1}",
    sincos="{0}, {1} = sincos({2})",
    array="{0} = [{2}]",
    call="{0} = {2}({3}, {4})",
    fused=True,
)


def source(export: Export) -> str:
    """A file with `function name(q, ...)`; several results make a tuple."""
    julia = text(export, JULIA)
    kinds = [f"eltype({name})" if port.shape else f"typeof({name})" for name, port in julia.inputs]
    kind = julia.names.new("T")
    body = [
        f'length({name}) == {port.size} || throw(DimensionMismatch("{name} has {port.size} elements"))'
        for name, port in julia.inputs
        if port.shape
    ]
    body += [f"{kind} = float(promote_type({', '.join(['Float64', *kinds])}))", *julia.listing.lines]
    for name, port in julia.outputs:
        sizes = "".join(f", {count}" for count in port.shape)
        body.append(f"{name} = zeros({kind}{sizes})" if port.shape else f"{name} = zero({kind})")
    back = ", ".join(name for name, _ in julia.outputs)
    body += [*julia.listing.results, f"return {back}"]
    parameters = [
        f"{name}::AbstractArray{{<:Real}}" if port.shape else f"{name}::Real" for name, port in julia.inputs
    ]
    comment = [f"# {line}".rstrip() for line in julia.description()]
    head = f"function {export.name}({', '.join(parameters)})"
    parts = [_loop_function(name, program) for name, program in julia.listing.loop_bodies.items()]
    return "\n".join([*parts, *comment, head, *indented(body), "end", ""])


def _loop_function(name: str, program: Program) -> str:
    body = loop_body(program, JULIA)
    made = f"results = zeros(promote_type(eltype(shared), eltype(item)), {program.outputs[0].size})"
    lines = [*body.lines, made, *body.results, "return results"]
    return "\n".join([f"function {name}(shared, item)", *indented(lines), "end", ""])
