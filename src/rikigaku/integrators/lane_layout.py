"""Conversion of rows (worlds, size) to the layout of vector registers, (blocks, size, lanes), and back.

A block has the states of as many worlds as a register has lanes. Lanes of the last block without a world
repeat the last world: they are computed as the others, and write the same numbers to the same place.
"""

from rikigaku.compiler.llvm_text import Vector, read_narrow, transposed, write_narrow
from rikigaku.integrators.llvm_writer import Array, Value, Writer

_SUMS = 4  # independent sums, so that consecutive additions do not wait for each other


def layout_text(t: Vector, suffix: str) -> str:
    """@pack, @unpack and @is_finite with that suffix."""
    return "\n".join([_moved(t, suffix, pack=True), _moved(t, suffix, pack=False), _is_finite(t, suffix)])


def _moved(t: Vector, suffix: str, pack: bool) -> str:
    """@pack(lanes, rows, stride, worlds, size): lanes = rows, `stride` bytes apart; @unpack: rows = lanes."""
    w = Writer()
    worlds, size, stride = (Value(w, "i64", f"%{name}") for name in ("worlds", "size", "stride"))
    with w.loop((worlds + (t.width - 1)) / t.width) as block:
        lanes = Array(w, "%lanes", t.scalar).at(block * size * t.width)
        rows = []
        for lane in range(t.width):
            world = w.min(block * t.width + lane, worlds - 1)
            rows.append(Array(w, Array(w, "%rows", "i8").at(world * stride).pointer, t.scalar))
        group = t.width
        while group:  # groups of elements: the largest power of two; the last group may overlap
            fits = size >= group if group == t.width else (size >= group) & (size < 2 * group)
            with w.when(fits), w.loop((size + (group - 1)) / group) as k:
                first = w.min(k * group, size - group)
                _move_group(w, t, lanes.at(first * t.width), [row.at(first) for row in rows], group, pack)
            group //= 2
    w.leave_void()
    name = "pack" if pack else "unpack"
    return w.function(
        f"define internal void @{name}{suffix}(ptr %lanes, ptr %rows, i64 %stride, i64 %worlds, i64 %size)"
    )


def _move_group(w: Writer, t: Vector, lanes: Array, rows: list[Array], group: int, pack: bool) -> None:
    """Transpose some elements of a block."""
    columns = [lanes.at(k * t.width).pointer for k in range(group)]
    pointers = [row.pointer for row in rows]
    name = w.result("i64", "or i64 0, 0").name  # a new name
    if pack:
        if group == t.width:
            values = [f"{name}.r{k}" for k in range(group)]
            for value, pointer in zip(values, pointers, strict=True):
                w.line(f"{value} = load {t.real}, ptr {pointer}, align {t.size}")
            lines, values = transposed(t, values, name)
        else:
            lines, values = read_narrow(t, pointers, group, name)
        w.lines += lines
        for value, pointer in zip(values, columns, strict=True):
            w.line(f"store {t.real} {value}, ptr {pointer}, align {t.bytes}")
        return
    values = [f"{name}.c{k}" for k in range(group)]
    for value, pointer in zip(values, columns, strict=True):
        w.line(f"{value} = load {t.real}, ptr {pointer}, align {t.bytes}")
    if group < t.width:
        w.lines += write_narrow(t, pointers, values, name)
        return
    lines, values = transposed(t, values, name)
    w.lines += lines
    for value, pointer in zip(values, pointers, strict=True):
        w.line(f"store {t.real} {value}, ptr {pointer}, align {t.size}")


def _is_finite(t: Vector, suffix: str) -> str:
    """@is_finite(lanes, registers): whether all numbers of so many registers are finite, as i1."""
    w = Writer()
    lanes, count = Array(w, "%lanes", t.real), Value(w, "i64", "%registers")
    zero = Value(w, t.real, "zeroinitializer")
    sums = [w.cell(zero, t.real) for _ in range(_SUMS)]
    whole = count / _SUMS

    def add(index: Value, k: int) -> None:
        x = w.result(t.real, f"load {t.real}, ptr {lanes.at(index).pointer}, align {t.bytes}")
        y = w.result(t.real, f"fmul {t.real} {x.name}, zeroinitializer")  # 0, or NaN
        sums[k].value = w.result(t.real, f"fadd {t.real} {sums[k].value.name}, {y.name}")

    with w.loop(whole) as i:
        for k in range(_SUMS):
            add(i * _SUMS + k, k)
    with w.loop(count, whole * _SUMS) as i:
        add(i, 0)
    total = sums[0].value
    for other in sums[1:]:
        total = w.result(t.real, f"fadd {t.real} {total.name}, {other.value.name}")
    bad = w.result(t.bool, f"fcmp uno {t.real} {total.name}, {total.name}")
    w.lines += t.any("%any", bad.name)
    w.line("%all = xor i1 %any, true")
    w.line("ret i1 %all")
    w.lines.append("end:")
    return w.function(f"define internal i1 @is_finite{suffix}(ptr %lanes, i64 %registers)")
