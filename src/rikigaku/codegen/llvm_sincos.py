"""Sine and cosine together, for vectors of any width, as LLVM text.

The angle is reduced by multiples of pi/2 in three parts, exactly for the first (both x and k*P1 are multiples
of the same unit), then two polynomials on [-pi/4, pi/4] give both functions. Error below 1.5 ulp for
|x| <= 10 000; beyond, the C library is asked, lane by lane. Each lane depends on itself alone.
Polynomial coefficients: Sun's fdlibm (k_sin.c, k_cos.c), 1993.
"""

from rikigaku.codegen.llvm_text import Vector

LARGEST = 1e4  # beyond: the C library

_TWO_OVER_PI = 0.6366197723675814
_P1, _P2, _P3 = 1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33
_ROUNDER = 6755399441055744.0  # 1.5 * 2^52: adding it leaves the nearest integer in the low bits
_SIN = (1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06,
        -1.98412698298579493134e-04, 8.33333333332248946124e-03, -1.66666666666666324348e-01)  # fmt: skip
_COS = (-1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07,
        2.48015872894767294178e-05, -1.38888888888741095749e-03, 4.16666666666666019037e-02)  # fmt: skip


def sincos_function(t: Vector) -> str:
    """Definition of @sincos: {sin, cos} of a vector."""
    c = t.constant
    lines = [
        f"define internal {{ {t.double}, {t.double} }} @sincos({t.double} %x) {{",
        "entry:",
        f"  %abs = call {t.double} {t.intrinsic('fabs')}({t.double} %x)",
        f"  %far = fcmp ogt {t.double} %abs, {c(LARGEST)}",
        # lanes left to the library must not overflow here: NumPy would warn of it
        f"  %near = select {t.bool} %far, {t.double} {c(0.0)}, {t.double} %x",
        f"  %t = call {t.double} {t.intrinsic('fma')}({t.double} %near, {t.double} {c(_TWO_OVER_PI)}, {t.double} {c(_ROUNDER)})",
        f"  %j = bitcast {t.double} %t to {t.int}",
        f"  %k = fsub {t.double} %t, {c(_ROUNDER)}",
        f"  %nk = fneg {t.double} %k",
        *_fma(t, "%r1", "%nk", c(_P1), "%near"),
        *_fma(t, "%r2", "%nk", c(_P2), "%r1"),
        *_fma(t, "%r", "%nk", c(_P3), "%r2"),
        f"  %z = fmul {t.double} %r, %r",
        *_horner(t, "%ps", _SIN),
        f"  %rz = fmul {t.double} %r, %z",
        *_fma(t, "%s", "%rz", "%ps", "%r"),
        *_horner(t, "%pc", _COS),
        f"  %hz = fmul {t.double} %z, {c(0.5)}",
        f"  %w = fsub {t.double} {c(1.0)}, %hz",
        f"  %lost = fsub {t.double} {c(1.0)}, %w",
        f"  %back = fsub {t.double} %lost, %hz",
        f"  %zz = fmul {t.double} %z, %z",
        *_fma(t, "%tail", "%zz", "%pc", "%back"),
        f"  %c = fadd {t.double} %w, %tail",
        # quadrant: swap at odd ones, signs from the second bit
        f"  %j1 = and {t.int} %j, {t.integer(1)}",
        f"  %even = icmp eq {t.int} %j1, {t.integer(0)}",
        f"  %s0 = select {t.bool} %even, {t.double} %s, {t.double} %c",
        f"  %c0 = select {t.bool} %even, {t.double} %c, {t.double} %s",
        f"  %js = and {t.int} %j, {t.integer(2)}",
        f"  %ss = shl {t.int} %js, {t.integer(62)}",
        f"  %jp = add {t.int} %j, {t.integer(1)}",
        f"  %jc = and {t.int} %jp, {t.integer(2)}",
        f"  %cs = shl {t.int} %jc, {t.integer(62)}",
        *_flip(t, "%sine", "%s0", "%ss"),
        *_flip(t, "%cosine", "%c0", "%cs"),
        *t.any("%is_far", "%far"),
        "  br i1 %is_far, label %library, label %done",
        "library:",
        *_library(t),
        "  br label %done",
        "done:",
        f"  %sout = phi {t.double} [ %sine, %entry ], [ %slib, %library ]",
        f"  %cout = phi {t.double} [ %cosine, %entry ], [ %clib, %library ]",
        f"  %pair = insertvalue {{ {t.double}, {t.double} }} undef, {t.double} %sout, 0",
        f"  %both = insertvalue {{ {t.double}, {t.double} }} %pair, {t.double} %cout, 1",
        f"  ret {{ {t.double}, {t.double} }} %both",
        "}",
        "declare double @sin(double)",
        "declare double @cos(double)",
    ]
    return "\n".join(lines)


def _fma(t: Vector, out: str, x: str, y: str, z: str) -> list[str]:
    args = ", ".join(f"{t.double} {a}" for a in (x, y, z))
    return [f"  {out} = call {t.double} {t.intrinsic('fma')}({args})"]


def _horner(t: Vector, out: str, coefficients: tuple[float, ...]) -> list[str]:
    lines, value = [], t.constant(coefficients[0])
    for i, a in enumerate(coefficients[1:]):
        name = out if i == len(coefficients) - 2 else f"{out}{i}"
        lines += _fma(t, name, value, "%z", t.constant(a))
        value = name
    return lines


def _flip(t: Vector, out: str, x: str, bits: str) -> list[str]:
    return [
        f"  {out}b = bitcast {t.double} {x} to {t.int}",
        f"  {out}f = xor {t.int} {out}b, {bits}",
        f"  {out} = bitcast {t.int} {out}f to {t.double}",
    ]


def _library(t: Vector) -> list[str]:
    """The C library's answer in the lanes that are far, the polynomial's in the others."""
    if t.width == 1:
        return ["  %slib = call double @sin(double %x)", "  %clib = call double @cos(double %x)"]
    lines, s, c = [], "%sine", "%cosine"
    for lane in range(t.width):
        last = lane == t.width - 1
        lines += [
            f"  %x{lane} = extractelement {t.double} %x, i32 {lane}",
            f"  %f{lane} = extractelement {t.bool} %far, i32 {lane}",
            f"  %so{lane} = extractelement {t.double} %sine, i32 {lane}",
            f"  %co{lane} = extractelement {t.double} %cosine, i32 {lane}",
            f"  %sl{lane} = call double @sin(double %x{lane})",
            f"  %cl{lane} = call double @cos(double %x{lane})",
            f"  %sx{lane} = select i1 %f{lane}, double %sl{lane}, double %so{lane}",
            f"  %cx{lane} = select i1 %f{lane}, double %cl{lane}, double %co{lane}",
        ]
        s_next, c_next = ("%slib", "%clib") if last else (f"%sv{lane}", f"%cv{lane}")
        lines += [
            f"  {s_next} = insertelement {t.double} {s}, double %sx{lane}, i32 {lane}",
            f"  {c_next} = insertelement {t.double} {c}, double %cx{lane}, i32 {lane}",
        ]
        s, c = s_next, c_next
    return lines


