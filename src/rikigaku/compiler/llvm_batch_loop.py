"""The loop over a batch, with the signature NumPy gives to generalized ufuncs, as LLVM text.

    void loop(char** args, intp* dims, intp* steps, void* data)

Whole blocks of states with contiguous elements go straight to @tile. The rest of the batch, and arrays with
other strides, pass through a small buffer in the same layout, so every state is computed by the same code.
"""

from rikigaku.compiler.llvm_output_stores import STREAM_ALIGN
from rikigaku.compiler.llvm_text import Vector
from rikigaku.core.errors import WrongSize
from rikigaku.numbers.program import Port, Program

CACHED_BYTES = 8_000_000  # outputs up to this size stay in the caches for the caller
_AXES = 4  # every array is treated as one of four axes, leading ones of length 1 (dposes/dq has four)


def loop_function(program: Program, t: Vector, tile: int) -> str:
    """Definitions of @loop and of the copying it needs; `tile` blocks at most go to @tile at once."""
    ports = (*program.inputs, *program.outputs)
    count, width = len(ports), t.width
    for port in ports:
        if len(port.shape) > _AXES:
            raise WrongSize(
                f"{port.name} of {program.name} has {len(port.shape)} axes; native code takes {_AXES}."
            )
    lines = [
        "define void @loop(ptr %args, ptr %dims, ptr %steps, ptr %data) {",
        "entry:",
        "  %n = load i64, ptr %dims",
    ]
    offset = count
    conditions = []
    for k, port in enumerate(ports):
        lines += [
            f"  %a{k} = getelementptr ptr, ptr %args, i64 {k}",
            f"  %p{k} = load ptr, ptr %a{k}",
            f"  %b{k} = getelementptr i64, ptr %steps, i64 {k}",
            f"  %s{k} = load i64, ptr %b{k}",
        ]
        for axis, (size, expected) in enumerate(zip(port.shape, _row_major(port.shape, t), strict=True)):
            name = f"%c{k}.{axis}"
            lines += [
                f"  {name}.p = getelementptr i64, ptr %steps, i64 {offset}",
                f"  {name} = load i64, ptr {name}.p",
            ]
            if size != 1:
                lines.append(f"  {name}.e = icmp eq i64 {name}, {expected}")
                conditions.append(f"{name}.e")
            offset += 1
    lines += _all("%contiguous", conditions)
    lines += [
        f"  %whole = sdiv i64 %n, {width}",
        f"  %blocks = mul i64 %whole, {width}",
        "  %limit = select i1 %contiguous, i64 %blocks, i64 0",
        *_stream(program, t),
        "  br label %fast",
        "fast:",
        "  %i = phi i64 [ 0, %entry ], [ %i.next, %tiled ]",
        "  %i.more = icmp slt i64 %i, %limit",
        "  br i1 %i.more, label %tiled, label %rest",
        "tiled:",
        *_offsets(count, "i", "x"),
        "  %i.left = sub i64 %limit, %i",
        f"  %i.blocks = sdiv i64 %i.left, {width}",
        f"  %i.less = icmp slt i64 %i.blocks, {tile}",
        f"  %i.count = select i1 %i.less, i64 %i.blocks, i64 {tile}",
        f"  call void @tile({_operands(count, 'x')}, i64 %i.count, i1 %stream)",
        f"  %i.states = mul i64 %i.count, {width}",
        "  %i.next = add i64 %i, %i.states",
        "  br label %fast",
        "rest:",
        "  %left = icmp slt i64 %limit, %n",
        "  br i1 %left, label %buffered, label %done",
        "buffered:",
        f"  %buffer = call ptr @malloc(i64 {t.bytes * sum(max(port.size, 1) for port in ports)})",
        *_buffers(ports, t),
        "  br label %slow",
        "slow:",
        "  %j = phi i64 [ %limit, %buffered ], [ %j.next, %copying ]",
        "  %j.more = icmp slt i64 %j, %n",
        "  br i1 %j.more, label %copying, label %free",
        "copying:",
        *_offsets(count, "j", "y"),
        "  %remaining = sub i64 %n, %j",
        f"  %few = icmp slt i64 %remaining, {width}",
        f"  %valid = select i1 %few, i64 %remaining, i64 {width}",
        "  %last = sub i64 %valid, 1",
        f"  %padding = sub i64 {width}, %valid",
    ]
    for k, port in enumerate(program.inputs):
        lines += _copy_in(k, port, t)
    stride = ", ".join(f"ptr %w{k}, i64 {t.size * max(port.size, 1)}" for k, port in enumerate(ports))
    lines.append(f"  call void @block({stride})")
    for k, port in enumerate(ports):
        if k >= len(program.inputs):
            lines.append(
                _copy(
                    f"%y{k}",
                    f"%s{k}",
                    _core(k, port),
                    f"%w{k}",
                    t.size * port.size,
                    _flat(port, t),
                    "%valid",
                    port,
                )
            )
    lines += [
        f"  %j.next = add i64 %j, {width}",
        "  br label %slow",
        "free:",
        "  call void @free(ptr %buffer)",
        "  br label %done",
        "done:",
        "  br i1 %stream, label %fence, label %return",
        "fence:",  # non-temporal stores become visible before the caller continues
        "  fence seq_cst",
        "  br label %return",
        "return:",
        "  ret void",
        "}",
        _nested_copy(t),
    ]
    return "\n".join(lines)


def lanes_function(program: Program, t: Vector, tile: int) -> str:
    """Definition of @loop for arrays (blocks, elements, width): dims has the number of blocks, steps those
    of the first axes over the width, 0 for arrays of one block that all blocks share."""
    count = len(program.inputs) + len(program.outputs)
    lines = [
        "define void @loop(ptr %args, ptr %dims, ptr %steps, ptr %data) {",
        "entry:",
        "  %n = load i64, ptr %dims",
    ]
    for k in range(count):
        lines += [
            f"  %a{k} = getelementptr ptr, ptr %args, i64 {k}",
            f"  %p{k} = load ptr, ptr %a{k}",
            f"  %b{k} = getelementptr i64, ptr %steps, i64 {k}",
            f"  %s{k} = load i64, ptr %b{k}",
        ]
    return "\n".join(
        [
            *lines,
            "  br label %head",
            "head:",
            "  %i = phi i64 [ 0, %entry ], [ %i.next, %tiled ]",
            "  %left = sub i64 %n, %i",
            "  %more = icmp sgt i64 %left, 0",
            "  br i1 %more, label %tiled, label %done",
            "tiled:",
            f"  %less = icmp slt i64 %left, {tile}",
            f"  %count = select i1 %less, i64 %left, i64 {tile}",
            f"  %world = mul i64 %i, {t.width}",
            *_offsets(count, "world", "x"),
            f"  call void @tile({_operands(count, 'x')}, i64 %count, i1 false)",
            "  %i.next = add i64 %i, %count",
            "  br label %head",
            "done:",
            "  ret void",
            "}",
        ]
    )


def _stream(program: Program, t: Vector) -> list[str]:
    """%stream: the outputs exceed the caches, and are aligned for non-temporal stores.

    The last group of an output ends with it: the bytes of an output must be a multiple of the alignment,
    in single precision of a register.
    """
    bytes_each = sum(t.size * port.size for port in program.outputs)
    # eight rows of float32 in parts of registers exceed the write-combining buffers: four times slower
    multiple = t.bytes if t.single else STREAM_ALIGN
    even = all(t.size * port.size % multiple == 0 for port in program.outputs)
    lines = [f"  %stream.bytes = mul i64 %n, {bytes_each}", "  %stream.odd0 = or i64 0, 0"]
    for i in range(len(program.outputs)):
        k = len(program.inputs) + i
        lines += [
            f"  %stream.p{i} = ptrtoint ptr %p{k} to i64",
            f"  %stream.s{i} = or i64 %stream.p{i}, %s{k}",
            f"  %stream.odd{i + 1} = or i64 %stream.odd{i}, %stream.s{i}",
        ]
    return [
        *lines,
        f"  %stream.low = and i64 %stream.odd{len(program.outputs)}, {STREAM_ALIGN - 1}",
        "  %stream.even = icmp eq i64 %stream.low, 0",
        f"  %stream.large = icmp sgt i64 %stream.bytes, {CACHED_BYTES}",
        "  %stream.fits = and i1 %stream.even, %stream.large",
        f"  %stream = and i1 %stream.fits, {str(even).lower()}",
    ]


def _row_major(shape: tuple[int, ...], t: Vector) -> list[int]:
    strides, step = [], t.size
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return strides[::-1]


def _all(out: str, conditions: list[str]) -> list[str]:
    lines, value = [], "true"
    for i, condition in enumerate(conditions):
        lines.append(f"  {out}.{i} = and i1 {value}, {condition}")
        value = f"{out}.{i}"
    return [*lines, f"  {out} = and i1 {value}, true"]


def _offsets(count: int, index: str, out: str) -> list[str]:
    lines = []
    for k in range(count):
        lines += [
            f"  %{out}o{k} = mul i64 %{index}, %s{k}",
            f"  %{out}{k} = getelementptr i8, ptr %p{k}, i64 %{out}o{k}",
        ]
    return lines


def _operands(count: int, name: str) -> str:
    return ", ".join(f"ptr %{name}{k}, i64 %s{k}" for k in range(count))


def _buffers(ports: tuple[Port, ...], t: Vector) -> list[str]:
    lines, start = [], 0
    for k, port in enumerate(ports):
        lines.append(f"  %w{k} = getelementptr i8, ptr %buffer, i64 {start}")
        start += t.bytes * max(port.size, 1)
    return lines


def _copy_in(k: int, port: Port, t: Vector) -> list[str]:
    """The valid states, then the last of them again into the unused lanes."""
    last, pad = f"%t{k}", f"%u{k}"
    return [
        _copy(
            f"%w{k}", t.size * port.size, _flat(port, t), f"%y{k}", f"%s{k}", _core(k, port), "%valid", port
        ),
        f"  {last}o = mul i64 %last, %s{k}",
        f"  {last} = getelementptr i8, ptr %y{k}, i64 {last}o",
        f"  {pad}o = mul i64 %valid, {t.size * port.size}",
        f"  {pad} = getelementptr i8, ptr %w{k}, i64 {pad}o",
        _copy(pad, t.size * port.size, _flat(port, t), last, 0, _core(k, port), "%padding", port),
    ]


def _core(k: int, port: Port) -> list[object]:
    return [0] * (_AXES - len(port.shape)) + [f"%c{k}.{axis}" for axis in range(len(port.shape))]


def _flat(port: Port, t: Vector) -> list[object]:
    return [*([0] * (_AXES - len(port.shape))), *_row_major(port.shape, t)]


def _copy(
    to: str,
    to_lane: object,
    to_core: list[object],
    source: str,
    lane: object,
    core: list[object],
    lanes: str,
    port: Port,
) -> str:
    sizes = [1] * (_AXES - len(port.shape)) + list(port.shape)
    numbers = ", ".join(f"i64 {x}" for x in (to_lane, *to_core))
    others = ", ".join(f"i64 {x}" for x in (lane, *core, lanes, *sizes))
    return f"  call void @copy(ptr {to}, {numbers}, ptr {source}, {others})"


def _nested_copy(t: Vector) -> str:
    """Nested loops: lanes and all axes, any strides on both sides."""
    depth, last = _AXES + 1, _AXES
    parameters = ", ".join(f"i64 %d{axis}" for axis in range(depth))
    others = ", ".join(
        [f"i64 %s{axis}" for axis in range(depth)] + [f"i64 %n{axis}" for axis in range(depth)]
    )
    lines = [
        f"define internal void @copy(ptr %to, {parameters}, ptr %from, {others}) noinline cold {{",
        "entry:",
    ]
    lines.append("  br label %head0")
    for axis in range(depth):
        before = "%entry" if axis == 0 else f"%body{axis - 1}"
        up = ("%to", "%from") if axis == 0 else (f"%e{axis - 1}", f"%f{axis - 1}")
        lines += [
            f"head{axis}:",
            f"  %i{axis} = phi i64 [ 0, {before} ], [ %i{axis}.next, %tail{axis} ]",
            f"  %more{axis} = icmp slt i64 %i{axis}, %n{axis}",
            f"  br i1 %more{axis}, label %body{axis}, label %{'done' if axis == 0 else f'tail{axis - 1}'}",
            f"body{axis}:",
            f"  %eo{axis} = mul i64 %i{axis}, %d{axis}",
            f"  %e{axis} = getelementptr i8, ptr {up[0]}, i64 %eo{axis}",
            f"  %fo{axis} = mul i64 %i{axis}, %s{axis}",
            f"  %f{axis} = getelementptr i8, ptr {up[1]}, i64 %fo{axis}",
        ]
        if axis < last:
            lines.append(f"  br label %head{axis + 1}")
    lines += [
        f"  %x = load {t.scalar}, ptr %f{last}, align {t.size}",
        f"  store {t.scalar} %x, ptr %e{last}, align {t.size}",
    ]
    lines.append(f"  br label %tail{last}")
    for axis in reversed(range(depth)):
        lines += [f"tail{axis}:", f"  %i{axis}.next = add i64 %i{axis}, 1", f"  br label %head{axis}"]
    return "\n".join([*lines, "done:", "  ret void", "}"])
