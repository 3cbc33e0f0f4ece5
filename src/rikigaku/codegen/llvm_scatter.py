"""The loop that writes waiting results to the outputs, row after row, as LLVM text.

Results of a long program wait in slots, one register of states each. The loop looks the slot of every element
up in a table (elements that are equal share one), transposes a register's width of elements at a time and
writes each state's row from front to back, which is what caches and memory like best. Outputs too large for
the caches are written past them, which spares memory reading each line before it is overwritten.
"""

from rikigaku.codegen.chunks import Plan
from rikigaku.codegen.llvm_text import Vector, transposed
from rikigaku.numbers.program import Program

STREAM_ALIGN = 16  # bytes: what stores past the caches ask of an address
STREAM = "!1 = !{i32 1}"  # marks them

_AHEAD = 512  # bytes: how far in front of the stores lines are asked for


def result_maps(cut: Plan, t: Vector) -> list[str]:
    """Tables: where every element of every output waits, in bytes."""
    texts = []
    for i, slots in enumerate(cut.maps):
        numbers = ", ".join(f"i32 {8 * t.width * slot}" for slot in slots)
        texts.append(f"@map{i} = internal constant [{len(slots)} x i32] [{numbers}]")
    return texts


def constant_lines(t: Vector, cut: Plan) -> list[str]:
    """Put the constants among the results into their slots."""
    lines = []
    for value, slot in cut.constants:
        lines += [
            f"  %c{slot} = getelementptr double, ptr %scratch, i64 {slot * t.width}",
            f"  store {t.double} {t.constant(value)}, ptr %c{slot}, align {8 * t.width}",
        ]
    return lines


def scatter_lines(
    program: Program, t: Vector, cut: Plan, watch: bool, streamed: bool
) -> tuple[list[str], str]:
    """Lines that write all outputs of a block from the scratch array, past the caches if `streamed`; and, if
    asked to watch them, the name of a sum that is NaN for a state with a result not finite."""
    lines: list[str] = []
    total = t.constant(0.0)
    for i, port in enumerate(program.outputs):
        if port.size < t.width:
            lines += _one_by_one(i, port.size, t)
            watched = [f"%x{i}.{k}.v" for k in range(port.size)]
        else:
            lines += _by_groups(i, port.size, t, streamed)
            watched = [f"%y{i}.w{k}" for k in range(t.width)]
        for k, result in enumerate(watched if watch else ()):
            lines.append(_zero_sum(t, f"%u{i}.{k}", result, total))
            total = f"%u{i}.{k}"
    return lines, total


def _zero_sum(t: Vector, out: str, value: str, total: str) -> str:
    args = ", ".join(f"{t.double} {a}" for a in (value, t.constant(0.0), total))
    return f"  {out} = call {t.double} {t.intrinsic('fma')}({args})"


def _by_groups(i: int, size: int, t: Vector, streamed: bool) -> list[str]:
    w, p = t.width, f"%y{i}"
    label = f"y{i}"
    lines = [
        f"  br label {p}.enter",
        f"{label}.enter:",
        f"  br label {p}.loop",
        f"{label}.loop:",
        f"  {p}.e = phi i64 [ 0, {p}.enter ], [ {p}.next, {p}.body ]",
        *(  # sums of zeros, one for each place in the group: short chains
            f"  {p}.w{k} = phi {t.double} [ {t.constant(0.0)}, {p}.enter ], [ {p}.s{k}, {p}.body ]"
            for k in range(w)
        ),
        f"  {p}.more = icmp slt i64 {p}.e, {size}",
        f"  br i1 {p}.more, label {p}.body, label {p}.done",
        f"{label}.body:",
        f"  {p}.late = icmp sgt i64 {p}.e, {size - w}",  # the last group overlaps the one before
        f"  {p}.at = select i1 {p}.late, i64 {size - w}, i64 {p}.e",
    ]
    rows: list[str] = []
    for k in range(w):
        lines += _element(f"{p}.{k}", i, f"{p}.at", k, t)
        rows.append(f"{p}.{k}.v")
        lines.append(_zero_sum(t, f"{p}.s{k}", rows[-1], f"{p}.w{k}"))
    moved, columns = transposed(t, rows, f"{p}.t") if w > 1 else ([], rows)
    lines += moved
    for lane, column in enumerate(columns):
        lines.append(f"  {p}.o{lane} = getelementptr double, ptr %out{i}.{lane}, i64 {p}.at")
        if streamed:
            lines.append(
                f"  store {t.double} {column}, ptr {p}.o{lane}, align {STREAM_ALIGN}, !nontemporal !1"
            )
            continue
        lines += [
            f"  store {t.double} {column}, ptr {p}.o{lane}, align 8",
            f"  {p}.a{lane} = getelementptr i8, ptr {p}.o{lane}, i64 {_AHEAD}",
            f"  call void @llvm.prefetch.p0(ptr {p}.a{lane}, i32 1, i32 3, i32 1)",
        ]
    return [
        *lines,
        f"  {p}.next = add i64 {p}.e, {w}",
        f"  br label {p}.loop",
        f"{label}.done:",
    ]


def _one_by_one(i: int, size: int, t: Vector) -> list[str]:
    lines = []
    for k in range(size):
        name = f"%x{i}.{k}"
        lines += _element(name, i, "0", k, t)
        for lane in range(t.width):
            lines += [
                f"  {name}.l{lane} = extractelement {t.double} {name}.v, i32 {lane}",
                f"  {name}.p{lane} = getelementptr double, ptr %out{i}.{lane}, i64 {k}",
                f"  store double {name}.l{lane}, ptr {name}.p{lane}, align 8",
            ]
    return lines


def _element(name: str, i: int, start: str, k: int, t: Vector) -> list[str]:
    """{name}.v: the waiting result of element start + k of output i."""
    return [
        f"  {name}.i = add i64 {start}, {k}",
        f"  {name}.m = getelementptr i32, ptr @map{i}, i64 {name}.i",
        f"  {name}.n = load i32, ptr {name}.m",
        f"  {name}.s = zext i32 {name}.n to i64",
        f"  {name}.p = getelementptr i8, ptr %scratch, i64 {name}.s",
        f"  {name}.v = load {t.double}, ptr {name}.p, align {8 * t.width}",
    ]
