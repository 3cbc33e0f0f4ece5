"""Sine and cosine together, for vectors of any width, as LLVM text.

The angle is reduced by multiples of pi/2 in three parts, exactly for the first (both x and k*P1 are multiples
of the same unit), then two polynomials on [-pi/4, pi/4] give both functions. Error below 1.5 ulp for
|x| <= 10 000; beyond, the C library is called lane by lane. Lanes are independent of each other.
Polynomial coefficients: Sun's fdlibm (k_sin.c, k_cos.c), 1993.
"""

from rikigaku.compiler.constant_table import CONSTANTS
from rikigaku.compiler.llvm_text import Vector

LARGEST = 1e4  # beyond: the C library

TWO_OVER_PI = 0.6366197723675814
# pi/2 in three parts, in double and in single precision
REDUCTION = 1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33
_SINGLE_REDUCTION = 1.5707963705062866, -4.371139000186243e-08, -1.7151245100058819e-15
# 1.5 * 2^52 and 1.5 * 2^23: adding it leaves the nearest integer in the low bits
ROUNDER, _SINGLE_ROUNDER = 6755399441055744.0, 12582912.0
_SINGLE_TERMS = 4  # of each polynomial that matter in single precision
SINE = (1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06,
        -1.98412698298579493134e-04, 8.33333333332248946124e-03, -1.66666666666666324348e-01)  # fmt: skip
COSINE = (-1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07,
        2.48015872894767294178e-05, -1.38888888888741095749e-03, 4.16666666666666019037e-02)  # fmt: skip


def sincos_inline(t: Vector, x: str, p: str) -> list[str]:
    """Lines that leave {p}.sin and {p}.cos of x; large angles call @sincos_far."""
    both = f"{{ {t.real}, {t.real} }}"
    label = p.removeprefix("%")
    return [
        f"  {p}.abs = call {t.real} {t.intrinsic('fabs')}({t.real} {x})",
        f"  {p}.far = fcmp ogt {t.real} {p}.abs, {t.constant(LARGEST)}",
        *t.any(f"{p}.any", f"{p}.far"),
        f"  br i1 {p}.any, label {p}.library, label {p}.near, !prof !0",
        f"{label}.library:",
        f"  {p}.both = call {both} @sincos_far({t.real} {x}, {t.bool} {p}.far)",
        f"  {p}.s1 = extractvalue {both} {p}.both, 0",
        f"  {p}.c1 = extractvalue {both} {p}.both, 1",
        f"  br label {p}.done",
        f"{label}.near:",
        *_polynomials(t, x, p),
        f"  br label {p}.done",
        f"{label}.done:",
        f"  {p}.sin = phi {t.real} [ {p}.s0, {p}.near ], [ {p}.s1, {p}.library ]",
        f"  {p}.cos = phi {t.real} [ {p}.c0, {p}.near ], [ {p}.c1, {p}.library ]",
    ]


def far_function(t: Vector) -> str:
    """Definition of @sincos_far: the C library in the lanes that are far, the polynomials in the others."""
    both = f"{{ {t.real}, {t.real} }}"
    lines = [
        f"define internal {both} @sincos_far({t.real} %x, {t.bool} %far) noinline cold {{",
        CONSTANTS,
        # lanes left to the library must not overflow in the polynomials: NumPy would warn of it
        f"  %near = select {t.bool} %far, {t.real} {t.constant(0.0)}, {t.real} %x",
        *_polynomials(t, "%near", "%p"),
        *_library(t),
        f"  %pair = insertvalue {both} undef, {t.real} %slib, 0",
        f"  %both = insertvalue {both} %pair, {t.real} %clib, 1",
        f"  ret {both} %both",
        "}",
        "declare double @sin(double)",
        "declare double @cos(double)",
    ]
    return "\n".join(lines)


def _polynomials(t: Vector, x: str, p: str) -> list[str]:
    """{p}.s0 and {p}.c0: sine and cosine of a near x."""
    d, i = t.real, t.whole
    rounder = t.constant(_SINGLE_ROUNDER if t.single else ROUNDER)
    parts = _SINGLE_REDUCTION if t.single else REDUCTION
    sine, cosine = (x[-_SINGLE_TERMS:] if t.single else x for x in (SINE, COSINE))
    sign = 8 * t.size - 1
    return [
        *_fma(t, f"{p}.t", x, TWO_OVER_PI, rounder),
        f"  {p}.j = bitcast {d} {p}.t to {i}",
        f"  {p}.k = fsub {d} {p}.t, {rounder}",
        f"  {p}.nk = fneg {d} {p}.k",
        *_fma(t, f"{p}.r1", f"{p}.nk", parts[0], x),
        *_fma(t, f"{p}.r2", f"{p}.nk", parts[1], f"{p}.r1"),
        *_fma(t, f"{p}.r", f"{p}.nk", parts[2], f"{p}.r2"),
        f"  {p}.z = fmul {d} {p}.r, {p}.r",
        *_horner(t, f"{p}.ps", f"{p}.z", sine),
        f"  {p}.rz = fmul {d} {p}.r, {p}.z",
        *_fma(t, f"{p}.s", f"{p}.rz", f"{p}.ps", f"{p}.r"),
        *_horner(t, f"{p}.pc", f"{p}.z", cosine),
        *_fma(t, f"{p}.w", f"{p}.z", -0.5, t.constant(1.0)),
        f"  {p}.zz = fmul {d} {p}.z, {p}.z",
        *_fma(t, f"{p}.c", f"{p}.zz", f"{p}.pc", f"{p}.w"),
        # quadrant: the lowest bit of j swaps, the next one is the sign; moved up to the sign bit, where
        # a select needs no comparison
        f"  {p}.odd = shl {i} {p}.j, {t.integer(sign)}",
        f"  {p}.swap = icmp slt {i} {p}.odd, {t.integer(0)}",
        f"  {p}.sa = select {t.bool} {p}.swap, {d} {p}.c, {d} {p}.s",
        f"  {p}.ca = select {t.bool} {p}.swap, {d} {p}.s, {d} {p}.c",
        f"  {p}.js = shl {i} {p}.j, {t.integer(sign - 1)}",
        f"  {p}.jc = xor {i} {p}.js, {p}.odd",  # cosine: negative in the second and third quadrant
        *_flip(t, f"{p}.s0", f"{p}.sa", f"{p}.js"),
        *_flip(t, f"{p}.c0", f"{p}.ca", f"{p}.jc"),
    ]


def _fma(t: Vector, out: str, x: str, y: str | float, z: str | float) -> list[str]:
    """out = x y + z; a constant among them is read from memory."""
    lines, values = [], [x]
    for name, operand in (("y", y), ("z", z)):
        if isinstance(operand, float):
            more, operand = t.loaded(operand, f"{out}.{name}")
            lines += more
        values.append(operand)
    args = ", ".join(f"{t.real} {a}" for a in values)
    return [*lines, f"  {out} = call {t.real} {t.intrinsic('fma')}({args})"]


def _horner(t: Vector, out: str, z: str, coefficients: tuple[float, ...]) -> list[str]:
    lines, value = t.loaded(coefficients[0], f"{out}.first")
    for i, a in enumerate(coefficients[1:]):
        name = out if i == len(coefficients) - 2 else f"{out}{i}"
        lines += _fma(t, name, value, z, a)
        value = name
    return lines


def _flip(t: Vector, out: str, x: str, bits: str) -> list[str]:
    """x with its sign changed where the highest of the bits is set."""
    return [
        f"  {out}.m = and {t.whole} {bits}, {t.integer(-(2 ** (8 * t.size - 1)))}",
        f"  {out}.b = bitcast {t.real} {x} to {t.whole}",
        f"  {out}.f = xor {t.whole} {out}.b, {out}.m",
        f"  {out} = bitcast {t.whole} {out}.f to {t.real}",
    ]


def _library(t: Vector) -> list[str]:
    """%slib and %clib: the C library in the lanes that are far."""
    if t.width == 1:
        return ["  %slib = call double @sin(double %x)", "  %clib = call double @cos(double %x)"]
    lines, s, c, one = [], "%p.s0", "%p.c0", t.scalar
    for lane in range(t.width):
        s_next, c_next = (f"%sv{lane}", f"%cv{lane}") if lane < t.width - 1 else ("%slib", "%clib")
        lines += [
            f"  %x{lane} = extractelement {t.real} %x, i32 {lane}",
            f"  %f{lane} = extractelement {t.bool} %far, i32 {lane}",
            f"  %so{lane} = extractelement {t.real} %p.s0, i32 {lane}",
            f"  %co{lane} = extractelement {t.real} %p.c0, i32 {lane}",
            *_called(t, lane),
            f"  %sx{lane} = select i1 %f{lane}, {one} %sl{lane}, {one} %so{lane}",
            f"  %cx{lane} = select i1 %f{lane}, {one} %cl{lane}, {one} %co{lane}",
            f"  {s_next} = insertelement {t.real} {s}, {one} %sx{lane}, i32 {lane}",
            f"  {c_next} = insertelement {t.real} {c}, {one} %cx{lane}, i32 {lane}",
        ]
        s, c = s_next, c_next
    return lines


def _called(t: Vector, lane: int) -> list[str]:
    """%sl and %cl of a lane, in double precision."""
    if not t.single:
        return [
            f"  %sl{lane} = call double @sin(double %x{lane})",
            f"  %cl{lane} = call double @cos(double %x{lane})",
        ]
    return [
        f"  %xd{lane} = fpext float %x{lane} to double",
        f"  %sd{lane} = call double @sin(double %xd{lane})",
        f"  %cd{lane} = call double @cos(double %xd{lane})",
        f"  %sl{lane} = fptrunc double %sd{lane} to float",
        f"  %cl{lane} = fptrunc double %cd{lane} to float",
    ]
