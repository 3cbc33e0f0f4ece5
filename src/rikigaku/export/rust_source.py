"""A program as Rust without crates: the bits of the native kernel.

The text allocates nothing; mul_add, sqrt and (far from zero) sin and cos are all it takes from std, each in
one small function, so that a no_std build has one place to change.
"""

from rikigaku.export.export_record import Export, Text, indented, loop_body, text
from rikigaku.export.identifiers import words
from rikigaku.export.program_walk import INFIX, SUM, Language, Spelling, nested
from rikigaku.export.sincos_source import sincos_parts
from rikigaku.numbers.program import Port, Program, Shape

_WORDS = words("""
    abstract as async await become box break const continue crate do dyn else enum extern false final fn
    for gen if impl in let loop macro match mod move mut override priv pub ref return self Self static
    struct super trait true try type typeof union unsafe unsized use virtual where while yield
    macro_rules f64 u64 bool main std core fma sqrt atan2 far_sincos sincos_of sign_of Some None Ok Err
""")

RUST = Language(
    "Rust",
    _WORDS,
    {
        **INFIX,
        "fma": Spelling("fma({0}, {1}, {2})"),
        "sqrt": Spelling("sqrt({0})"),
        "sign": Spelling("sign_of({0})"),
        "atan2": Spelling("atan2({0}, {1})"),
        "choose": Spelling("if {0} < {1} {{ {2} }} else {{ {3} }}", needs=(SUM, SUM, 0, 0)),
    },
    let="let {0}: f64 = {1};",
    element=nested,
    sincos="let ({0}, {1}) = sincos_of({2});",
    array="let {0}: [f64; {1}] = [{2}];",
    call="let {0}: [f64; {1}] = {2}(&{3}, &{4});",
    fused=True,
)

_FMA = """#[inline]
fn fma(x: f64, y: f64, z: f64) -> f64 {
    x.mul_add(y, z) // no_std: libm::fma
}
"""
_SQRT = """#[inline]
fn sqrt(x: f64) -> f64 {
    x.sqrt() // no_std: libm::sqrt
}
"""
_ATAN2 = """#[inline]
fn atan2(y: f64, x: f64) -> f64 {
    y.atan2(x) // no_std: libm::atan2
}
"""
_SIGN = """/// 1, -1, or x itself where it is zero or not a number.
#[inline]
fn sign_of(x: f64) -> f64 {
    if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { x }
}
"""
_SINCOS = """#[cold]
fn far_sincos(x: f64) -> (f64, f64) {{
    (x.sin(), x.cos()) // no_std: libm::sin, libm::cos
}}

/// Sine and cosine together, as in the native kernels.
#[inline]
fn sincos_of(x: f64) -> (f64, f64) {{
    if x > {largest} || x < -{largest} {{
        return far_sincos(x);
    }}
    let t: f64 = {t};
    let k: f64 = {k};
    let j = t.to_bits();
    let r: f64 = {r};
    let z: f64 = r * r;
    let p: f64 = {p};
    let q: f64 = {q};
    let (a, b) = if j & 1 == 1 {{ (q, p) }} else {{ (p, q) }};
    (if j & 2 == 2 {{ -a }} else {{ a }}, if (j ^ (j << 1)) & 2 == 2 {{ -b }} else {{ b }})
}}
"""
_ALLOWED = "#[allow(unused, non_snake_case, clippy::all)]"


def source(export: Export) -> str:
    """A file with `pub fn name(q: &[f64; 6], ...) -> [f64; 6]`; several results make a tuple."""
    rust = text(export, RUST)
    parts = _helpers(rust)
    parts += [_loop_function(name, program) for name, program in rust.listing.loop_bodies.items()]
    comment = [f"/// {line}".rstrip() for line in rust.description()]
    return "\n".join([*parts, *comment, _function(rust)])


def _helpers(rust: Text) -> list[str]:
    parts = []
    if rust.uses("add", "sub", "sin", "cos"):
        parts.append(f"#[allow(unused)]\n{_FMA}")
    if rust.uses("sqrt"):
        parts.append(_SQRT)
    if rust.uses("atan2"):
        parts.append(_ATAN2)
    if rust.uses("sign"):
        parts.append(_SIGN)
    if rust.uses("sin", "cos"):
        parts.append(_SINCOS.format(**sincos_parts("fma({}, {}, {})")))
    return parts


def _function(rust: Text) -> str:
    parameters = [f"{name}: {'&' if port.shape else ''}{_type(port.shape)}" for name, port in rust.inputs]
    kinds = [_type(port.shape) for _, port in rust.outputs]
    made = [_made(name, port) for name, port in rust.outputs]
    back = ", ".join(name for name, _ in rust.outputs)
    kind = kinds[0] if len(kinds) == 1 else f"({', '.join(kinds)})"
    body = [*rust.listing.lines, *made, *rust.listing.results, back if len(kinds) == 1 else f"({back})"]
    head = f"pub fn {rust.name}({', '.join(parameters)}) -> {kind} {{"
    return "\n".join([_ALLOWED, head, *indented(body), "}", ""])


def _loop_function(name: str, program: Program) -> str:
    shared, item, results = (_type(port.shape) for port in (*program.inputs, *program.outputs))
    body = loop_body(program, RUST)
    lines = [*body.lines, _made("results", program.outputs[0]), *body.results, "results"]
    head = f"fn {name}(shared: &{shared}, item: &{item}) -> {results} {{"
    return "\n".join([_ALLOWED, head, *indented(lines), "}", ""])


def _made(name: str, port: Port) -> str:
    value = "0.0"
    for count in reversed(port.shape):
        value = f"[{value}; {count}]"
    return f"let mut {name}: {_type(port.shape)} = {value};"


def _type(shape: Shape) -> str:
    kind = "f64"
    for count in reversed(shape):
        kind = f"[{kind}; {count}]"
    return kind
