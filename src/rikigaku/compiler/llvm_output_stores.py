"""Functions that store results from scratch slots to the outputs, row after row, as LLVM text.

    void write<i>(ptr out, i64 stride, ptr scratch, i64 start, i64 stop)
    void stream<i>(...)                                                       the same, non-temporal stores

Results of a long program are kept in slots, one register of states each. A loop reads the slot of every
element from a table (equal elements share one), transposes a register's width of elements at a time and
stores each state's row from front to back, so that whole cache lines are written. Outputs larger than the
caches use non-temporal stores: memory is then not read before it is overwritten.
"""

from rikigaku.compiler.llvm_text import Vector, read_transposed
from rikigaku.compiler.schedule import Schedule, Write
from rikigaku.numbers.program import Program

STREAM_ALIGN = 16  # bytes: least alignment of a non-temporal store
STREAM = "!1 = !{i32 1}"  # metadata of non-temporal stores

_AHEAD = 512  # bytes: prefetch distance


def result_maps(following: Schedule, t: Vector) -> list[str]:
    """Tables of the slot of every element of every output, in bytes."""
    texts = []
    for i, slots in enumerate(following.maps):
        numbers = ", ".join(f"i32 {t.bytes * slot}" for slot in slots)
        texts.append(f"@map{i} = internal constant [{len(slots)} x i32] [{numbers}]")
    return texts


def constant_lines(t: Vector, following: Schedule) -> list[str]:
    """Store the constants among the results in their slots."""
    lines = []
    for value, slot in following.constants:
        read, x = t.program_constant(value, f"%k.{slot}")
        lines += [
            *read,
            f"  %c{slot} = getelementptr {t.scalar}, ptr %scratch, i64 {slot * t.width}",
            f"  store {t.real} {x}, ptr %c{slot}, align {t.bytes}",
        ]
    return lines


def write_functions(program: Program, t: Vector) -> list[str]:
    """Definitions of all @write<i>, and for batches of all @stream<i>."""
    texts = []
    for i, port in enumerate(program.outputs):
        for streamed in (False, True) if t.streams else (False,):
            lines = [
                f"define internal void @{_name(i, streamed)}(ptr %out, i64 %os, ptr noalias %scratch, "
                "i64 %start, i64 %stop) noinline {",
                "entry:",
                *_lane_pointers(t),
                *_written(i, port.size, t, streamed),
                "done:",
                "  ret void",
                "}",
            ]
            texts.append("\n".join(lines))
    return texts


def write_lines(step: Write, streamed: bool) -> list[str]:
    """Store some elements of an output; streamed: with non-temporal stores."""
    i = step.output
    bounds = f"i64 {step.start}, i64 {step.stop}"
    return [f"  call void @{_name(i, streamed)}(ptr %out{i}, i64 %os{i}, ptr %scratch, {bounds})"]


def _name(i: int, streamed: bool) -> str:
    return f"stream{i}" if streamed else f"write{i}"


def _lane_pointers(t: Vector) -> list[str]:
    lines = ["  %out0 = getelementptr i8, ptr %out, i64 0"]
    for lane in range(1, t.group):
        lines.append(f"  %out{lane} = getelementptr i8, ptr %out{lane - 1}, i64 %os")
    return lines


def _written(i: int, size: int, t: Vector, streamed: bool) -> list[str]:
    """Single elements, groups, or non-temporal stores of whole registers where the alignment allows."""
    if t.lanes:
        return _copied(i, t)
    if size < t.width:
        return [*_one_by_one(i, size, t), "  br label %done"]
    if not streamed or size % t.width:
        return _by_groups(i, size, t, STREAM_ALIGN if streamed else None, "%entry", "each")
    whole = t.bytes
    return [
        "  %address = ptrtoint ptr %out to i64",
        "  %bits = or i64 %address, %os",
        f"  %misaligned = and i64 %bits, {whole - 1}",
        "  %aligned = icmp eq i64 %misaligned, 0",
        "  br i1 %aligned, label %wide, label %narrow",
        "wide:",
        *_by_groups(i, size, t, whole, "%wide", "w"),
        "narrow:",
        *_by_groups(i, size, t, STREAM_ALIGN, "%narrow", "n"),
    ]


def _by_groups(i: int, size: int, t: Vector, stream: int | None, before: str, name: str) -> list[str]:
    """A loop over groups; stream: alignment [bytes] of non-temporal stores, None for ordinary ones."""
    w, p, loop, body = t.width, f"%{name}", f"{name}.loop", f"{name}.body"
    lines = [
        f"  br label %{loop}",
        f"{loop}:",
        f"  {p}.e = phi i64 [ %start, {before} ], [ {p}.next, %{body} ]",
        f"  {p}.more = icmp slt i64 {p}.e, %stop",
        f"  br i1 {p}.more, label %{body}, label %done",
        f"{body}:",
    ]
    at = f"{p}.e"
    if size % w:  # the last group overlaps the one before
        at = f"{p}.at"
        lines += [
            f"  {p}.late = icmp sgt i64 {p}.e, {size - w}",
            f"  {at} = select i1 {p}.late, i64 {size - w}, i64 {p}.e",
        ]
    for k in range(w):
        lines += _place(f"{p}.{k}", i, at, k)
    moved, columns = read_transposed(t, [f"{p}.{k}.p" for k in range(w)], f"{p}.t")
    lines += moved
    for lane, column in enumerate(columns):
        lines.append(f"  {p}.o{lane} = getelementptr {t.scalar}, ptr %out{lane}, i64 {at}")
        if stream is not None:
            lines.append(f"  store {t.real} {column}, ptr {p}.o{lane}, align {stream}, !nontemporal !1")
            continue
        lines += [
            f"  store {t.real} {column}, ptr {p}.o{lane}, align {t.size}",
            f"  {p}.a{lane} = getelementptr i8, ptr {p}.o{lane}, i64 {_AHEAD}",
            f"  call void @llvm.prefetch.p0(ptr {p}.a{lane}, i32 1, i32 3, i32 1)",
        ]
    return [
        *lines,
        f"  {p}.next = add i64 {p}.e, {w}",
        f"  br label %{loop}",
    ]


def _copied(i: int, t: Vector) -> list[str]:
    """A loop over elements, each a register of states."""
    return [
        "  br label %loop",
        "loop:",
        "  %e = phi i64 [ %start, %entry ], [ %next, %body ]",
        "  %more = icmp slt i64 %e, %stop",
        "  br i1 %more, label %body, label %done",
        "body:",
        *_place("%x", i, "%e", 0),
        f"  %x = load {t.real}, ptr %x.p, align {t.bytes}",
        f"  %to = getelementptr {t.real}, ptr %out0, i64 %e",
        f"  store {t.real} %x, ptr %to, align {t.bytes}",
        "  %next = add i64 %e, 1",
        "  br label %loop",
    ]


def _one_by_one(i: int, size: int, t: Vector) -> list[str]:
    lines = []
    for k in range(size):
        name = f"%x{i}.{k}"
        lines += _place(name, i, "0", k)
        lines.append(f"  {name}.v = load {t.real}, ptr {name}.p, align {t.bytes}")
        for lane in range(t.width):
            lines += [
                f"  {name}.l{lane} = extractelement {t.real} {name}.v, i32 {lane}",
                f"  {name}.p{lane} = getelementptr {t.scalar}, ptr %out{lane}, i64 {k}",
                f"  store {t.scalar} {name}.l{lane}, ptr {name}.p{lane}, align {t.size}",
            ]
    return lines


def _place(name: str, i: int, start: str, k: int) -> list[str]:
    """{name}.p: pointer to the slot of element start + k of output i."""
    return [
        f"  {name}.i = add i64 {start}, {k}",
        f"  {name}.m = getelementptr i32, ptr @map{i}, i64 {name}.i",
        f"  {name}.n = load i32, ptr {name}.m",
        f"  {name}.s = zext i32 {name}.n to i64",
        f"  {name}.p = getelementptr i8, ptr %scratch, i64 {name}.s",
    ]
