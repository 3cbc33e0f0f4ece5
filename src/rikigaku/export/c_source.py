"""A program as C with no dependency but libm, and its header: the bits of the native kernel."""

import hashlib
import re

from rikigaku.export.export_record import Export, Text, indented, loop_body, text
from rikigaku.export.identifiers import words
from rikigaku.export.program_walk import INFIX, SUM, Language, Spelling, flat
from rikigaku.export.sincos_source import sincos_parts
from rikigaku.numbers.program import Port, Shape

# Words, functions the text calls, and macros of the headers it includes (and of compilers in GNU mode).
WORDS = words("""
    auto bool break case char const constexpr continue default do double else enum extern false float
    for goto if inline int long nullptr register restrict return short signed sizeof static
    static_assert struct switch thread_local true typedef typeof typeof_unqual union unsigned void
    volatile while alignas alignof asm main near far linux unix i386 fma sqrt sin cos atan2 fabs copysign
    memcpy sincos_of sign_of uint64_t errno NULL EOF I NAN INFINITY HUGE_VAL HUGE_VALF HUGE_VALL
    MAXFLOAT DOMAIN SING OVERFLOW UNDERFLOW PLOSS TLOSS X_TLOSS HUGE isnan isinf isfinite isnormal
    signbit fpclassify isgreater isless islessgreater isunordered math_errhandling
""")


def _place(name: str, _shape: Shape, k: int) -> str:
    """Element of a result, which is an array even if it has one number."""
    return f"{name}[{k}]"


C = Language(
    "C",
    WORDS,
    {
        **INFIX,
        "fma": Spelling("fma({0}, {1}, {2})"),
        "sqrt": Spelling("sqrt({0})"),
        "sign": Spelling("sign_of({0})"),
        "atan2": Spelling("atan2({0}, {1})"),
        "choose": Spelling("{0} < {1} ? {2} : {3}", needs=(SUM, SUM, SUM, SUM)),
    },
    let="const double {0} = {1};",
    element=flat,
    place=_place,
    sincos="double {0}, {1};\nsincos_of({2}, &{0}, &{1});",
    array="const double {0}[{1}] = {{{2}}};",
    call="double {0}[{1}];\n{2}({3}, {4}, {0});",
    fused=True,
    zeroed=False,
)

SIGN = """/* 1, -1, or x itself where it is zero or not a number */
{prefix} double sign_of(double x)
{{
    return x != 0.0 && x == x ? {std}copysign(1.0, x) : x;
}}
"""

SINCOS = """/* sine and cosine together, as in the native kernels */
{prefix} void sincos_of(double x, double *s, double *c)
{{
    if ({std}fabs(x) > {largest}) {{
        *s = {std}sin(x);
        *c = {std}cos(x);
        return;
    }}
    const double t = {t};
    const double k = {k};
    {std}uint64_t j;
    {std}memcpy(&j, &t, sizeof j);
    const double r = {r};
    const double z = r * r;
    const double p = {p};
    const double q = {q};
    const double a = j & 1 ? q : p, b = j & 1 ? p : q;
    *s = j & 2 ? -a : a;
    *c = (j ^ (j << 1)) & 2 ? -b : b;
}}
"""

# What GCC fuses by itself, where the target allows, would change the last bits. (This it always does:
# -fma(x, y, z) becomes one instruction, which loses the sign of a zero.)
NO_CONTRACTION = """#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize ("fp-contract=off")
#elif defined(_MSC_VER)
#pragma fp_contract (off)
#endif"""
CONTRACTION_AGAIN = """#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif"""


def source(export: Export) -> str:
    """A C file with `void name(const double q[6], ..., double tau[6])` for one state.

    An output may be the same array as an input: everything is read before anything is written.
    """
    c = text(export, C)
    parts = [comment(c), "#include <math.h>\n#include <stdint.h>\n#include <string.h>\n", NO_CONTRACTION, ""]
    parts += helpers(c, "static", "")
    for name, program in c.listing.loop_bodies.items():
        body = loop_body(program, C)
        parts += [
            f"static void {name}(const double *shared, const double *item, double *results)",
            "\n".join(["{", *indented([*body.lines, *body.results]), "}", ""]),
        ]
    parts.append("\n".join([_signature(c), "{", *indented([*c.listing.lines, *c.listing.results]), "}"]))
    return "\n".join(parts) + "\n"


def header(export: Export) -> str:
    """The header of that file, for C and C++."""
    c = text(export, C)
    guard = f"{export.name.upper()}_H"
    return "\n".join(
        [
            *(f"#ifndef {guard}", f"#define {guard}", f"#define {_record(export)}", "", comment(c)),
            *("#ifdef __cplusplus", 'extern "C" {', "#endif", "", f"{_signature(c)};", ""),
            *("#ifdef __cplusplus", "}", "#endif", "", f"#endif /* {guard} */", ""),
        ]
    )


def header_check(export: Export, header: str) -> str:
    """Lines that end a C file: the compiler refuses a header beside it that is of another export.

    The two files are renamed one after the other; an export that is killed between them is found so.
    """
    if not re.fullmatch(r"[\w.+-]+", header, re.ASCII):  # a name that #include may not be able to hold
        return ""
    name, value = _record(export).split()
    return f"""
#ifdef __has_include
#if __has_include("{header}")
#include "{header}"
#if {name} != {value}
#error "{header} is of another export than this file: export it again"
#endif
#endif
#endif
"""


def _record(export: Export) -> str:
    """A macro of the header, and its value: a digest of the source without its comment."""
    code = source(export).removeprefix(comment(text(export, C)))
    return f"{export.name.upper()}_EXPORT 0x{hashlib.sha256(code.encode()).hexdigest()[:8]}"


def comment(c: Text) -> str:
    """What the function computes, for C and C++."""
    return "\n".join(["/*", *(f" * {line}".rstrip() for line in c.description()), " */"])


def helpers(c: Text, prefix: str, std: str) -> list[str]:
    """Definitions the text needs."""
    parts = []
    if c.uses("sign"):
        parts.append(SIGN.format(prefix=prefix, std=std))
    if c.uses("sin", "cos"):
        parts.append(SINCOS.format(prefix=prefix, std=std, **sincos_parts(f"{std}fma({{}}, {{}}, {{}})")))
    return parts


def _signature(c: Text) -> str:
    inputs = [_parameter(name, port) for name, port in c.inputs]
    outputs = [f"double {name}[{port.size}]" if port.size else f"double *{name}" for name, port in c.outputs]
    return f"void {c.name}({', '.join([*inputs, *outputs]) or 'void'})"


def _parameter(name: str, port: Port) -> str:
    if not port.shape:
        return f"double {name}"
    return f"const double {name}[{port.size}]" if port.size else f"const double *{name}"
