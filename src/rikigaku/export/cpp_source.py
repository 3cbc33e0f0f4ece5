"""A program as a C++17 header over std::array: the bits of the native kernel."""

from dataclasses import replace

from rikigaku.export.c_source import CONTRACTION_AGAIN, NO_CONTRACTION, WORDS, C, comment, helpers
from rikigaku.export.export_record import Export, Text, indented, loop_body, text
from rikigaku.export.identifiers import words
from rikigaku.export.program_walk import Spelling, nested
from rikigaku.numbers.program import Port, Program

_WORDS = WORDS | words("""
    and and_eq bitand bitor catch char8_t char16_t char32_t class co_await co_return co_yield compl
    concept const_cast consteval constinit decltype delete dynamic_cast explicit export friend mutable
    namespace new noexcept not not_eq operator or or_eq private protected public reinterpret_cast
    requires static_cast template this throw try typeid typename using virtual wchar_t xor xor_eq std
    rikigaku
""")

CPP = replace(
    C,
    name="C++",
    reserved=_WORDS,
    operations={
        **C.operations,
        "fma": Spelling("std::fma({0}, {1}, {2})"),
        "sqrt": Spelling("std::sqrt({0})"),
        "atan2": Spelling("std::atan2({0}, {1})"),
    },
    element=nested,
    place=None,
    array="const std::array<double, {1}> {0} = {{{2}}};",
    call="const std::array<double, {1}> {0} = {2}({3}, {4});",
    zeroed=True,
)


def source(export: Export) -> str:
    """A header with `inline std::array<double, 6> name(const std::array<double, 6> &q, ...)`.

    It lives in the namespace `rikigaku`. A matrix is an array of rows; several results make a struct.
    """
    cpp = text(export, CPP)
    guard = f"RIKIGAKU_{export.name.upper()}_HPP"
    parts = [f"#ifndef {guard}\n#define {guard}\n", comment(cpp)]
    parts.append("#include <array>\n#include <cmath>\n#include <cstdint>\n#include <cstring>\n")
    parts += [NO_CONTRACTION, "", "namespace rikigaku {", ""]
    inner = helpers(cpp, "inline", "std::")
    inner += [_loop_function(name, program) for name, program in cpp.listing.loop_bodies.items()]
    if inner:
        own = f"{export.name}_parts"  # two headers in one file must not define one function twice
        parts += [f"namespace {own} {{", "", *inner, f"}} // namespace {own}", ""]
    if len(cpp.outputs) != 1:
        fields = [f"{type_of(port)} {name}{{}};" for name, port in cpp.outputs]
        parts += [f"struct {export.name}_results {{", *indented(fields), "};", ""]
    parts += [_function(cpp, f"using namespace {export.name}_parts;" if inner else ""), ""]
    parts += ["} // namespace rikigaku", "", CONTRACTION_AGAIN, "", f"#endif // {guard}", ""]
    return "\n".join(parts)


def _function(cpp: Text, using: str) -> str:
    parameters = [
        f"const {type_of(port)} &{name}" if port.shape else f"double {name}" for name, port in cpp.inputs
    ]
    body = [*([using] if using else []), *cpp.listing.lines]
    if len(cpp.outputs) == 1:
        ((name, port),) = cpp.outputs
        made, last, back = type_of(port), [f"{type_of(port)} {name}{{}};"], name
    else:
        made, back = f"{cpp.name}_results", cpp.names.new("results")
        last = [f"{made} {back};"]
        last += [f"{type_of(port)} &{name} = {back}.{name};" for name, port in cpp.outputs]
    body += [*last, *cpp.listing.results, f"return {back};"]
    return "\n".join([f"inline {made} {cpp.name}({', '.join(parameters)})", "{", *indented(body), "}"])


def _loop_function(name: str, program: Program) -> str:
    shared, item, results = (type_of(port) for port in (*program.inputs, *program.outputs))
    body = loop_body(program, CPP)
    lines = [*body.lines, f"{results} results{{}};", *body.results, "return results;"]
    head = f"inline {results} {name}(const {shared} &shared, const {item} &item)"
    return "\n".join([head, "{", *indented(lines), "}", ""])


def type_of(port: Port) -> str:
    """double, or arrays of arrays of it."""
    kind = "double"
    for count in reversed(port.shape):
        kind = f"std::array<{kind}, {count}>"
    return kind
