"""The code of a program for blocks of states (as many as a register holds), as LLVM text.

    void chunk<i>(ptr in0, i64 stride0, ..., ptr out0, i64 stride0, ..., ptr scratch)
    void block(ptr in0, i64 stride0, ..., ptr out0, i64 stride0, ...)          all chunks in order
    void tile(..., i64 count, i1 stream)                         each chunk over several blocks, then the next

read and write states whose elements lie one after the other (row-major core), states `stride` bytes apart.
"""

from typing import NamedTuple

from rikigaku.compiler.chunks import Chunk, ChunkPlan, chunk_plan
from rikigaku.compiler.constant_table import CONSTANTS
from rikigaku.compiler.instructions import instructions
from rikigaku.compiler.llvm_chunk import ChunkWriter
from rikigaku.compiler.llvm_loop_body import iteration_lines, loop_body_function
from rikigaku.compiler.llvm_output_stores import (
    constant_lines,
    result_maps,
    write_functions,
    write_lines,
)
from rikigaku.compiler.llvm_text import Vector
from rikigaku.compiler.schedule import Iteration, Schedule
from rikigaku.numbers.program import Program

_TILE_BYTES = 200_000  # scratch of the blocks of one tile, to stay in the second-level cache
_SMALLEST_TILE, _LARGEST_TILE = 5, 16
_MOST_ON_STACK = 65_536  # bytes; threads of some systems have stacks of half a megabyte


class Blocks(NamedTuple):
    """LLVM definitions, and the number of blocks that one call of @tile processes."""

    text: str
    tile: int


def block_functions(program: Program, t: Vector, fuse: bool = True) -> Blocks:
    """Definitions of all @chunk<i>, of @block, and for batches of @tile."""
    cut = chunk_plan(program, list(instructions(program, fuse)), t.group)
    texts = []
    for i, chunk in enumerate(cut.chunks):
        writer = ChunkWriter(program, t, chunk)
        if cut.following:
            writer.line("ret void")
        else:
            writer.propagate_nan()
        texts.append(_function(program, f"chunk{i}", writer.lines))
    count = len(cut.chunks)
    if (following := cut.following) is not None:
        texts += result_maps(following, t)
        texts += write_functions(program, t)
        texts += [loop_body_function(i, loop, t, fuse) for i, loop in enumerate(following.loops)]
        for i in range(len(following.parts)):
            texts.append(_function(program, f"chunk{count + i}", _later(program, t, following, i, False)))
            if t.streams:
                texts.append(
                    _function(program, f"streamed{count + i}", _later(program, t, following, i, True))
                )
        count += len(following.parts)
    texts.append(_block(program, t, cut, count))
    if t.width > 1:
        texts.append(_tile(program, t, cut, count))
    return Blocks("\n".join(texts), tile_size(t, cut))


def _later(program: Program, t: Vector, following: Schedule, part: int, streamed: bool) -> list[str]:
    """Run some loop iterations and store some results."""
    writer = ChunkWriter(program, t, Chunk())
    if part == 0:
        writer.lines += constant_lines(t, following)
    loops = following.loops
    for step in following.parts[part]:
        writer.lines += (
            iteration_lines(step, loops) if isinstance(step, Iteration) else write_lines(step, streamed)
        )
    if part < len(following.parts) - 1:
        writer.line("ret void")
        return writer.lines
    writer.check_slots(following.checked)
    writer.propagate_nan()
    return writer.lines


def _function(program: Program, name: str, lines: list[str]) -> str:
    head = f'define internal void @{name}({_parameters(program)}, ptr noalias %scratch) "stackrealign" {{'
    return "\n".join([head, "entry:", CONSTANTS, *lines, "}"])


def _block(program: Program, t: Vector, cut: ChunkPlan, count: int) -> str:
    arguments = _arguments(program)
    calls = [f"  call void @chunk{i}({arguments}, ptr %scratch)" for i in range(count)]
    return "\n".join(
        [
            f"define internal void @block({_parameters(program)}) {{",
            *_scratch(t, cut, 1),
            *calls,
            *_scratch_end(t, cut, 1),
            "  ret void",
            "}",
        ]
    )


def _tile(program: Program, t: Vector, cut: ChunkPlan, count: int) -> str:
    """@tile: `count` blocks, at most tile_size of them; stream: with non-temporal stores."""
    bytes_each = t.bytes * cut.slots
    lines = [f"define internal void @tile({_parameters(program)}, i64 %count, i1 %stream) {{", "entry:"]
    names = [f"@chunk{i}" for i in range(count)]
    for i in range(len(cut.chunks), count if t.streams else 0):
        lines.append(f"  %last{i} = select i1 %stream, ptr @streamed{i}, ptr @chunk{i}")
        names[i] = f"%last{i}"
    lines += [*_scratch(t, cut, tile_size(t, cut)), "  br label %head0"]
    for i in range(count):
        before = "%entry" if i == 0 else f"%head{i - 1}"
        moved, arguments = [], []
        for side, ports in (("in", program.inputs), ("out", program.outputs)):
            for k in range(len(ports)):
                stride, name = f"%{side[0]}s{k}", f"%{side}{k}.{i}"
                moved += [
                    f"  {name}.s = mul i64 {stride}, {t.width}",
                    f"  {name}.o = mul i64 {name}.s, %b{i}",
                    f"  {name} = getelementptr i8, ptr %{side}{k}, i64 {name}.o",
                ]
                arguments.append(f"ptr {name}, i64 {stride}")
        arguments.append(f"ptr %w{i}")
        following = f"head{i + 1}" if i < count - 1 else "done"
        lines += [
            f"head{i}:",
            f"  %b{i} = phi i64 [ 0, {before} ], [ %b{i}.next, %body{i} ]",
            f"  %more{i} = icmp slt i64 %b{i}, %count",
            f"  br i1 %more{i}, label %body{i}, label %{following}",
            f"body{i}:",
            *moved,
            f"  %w{i}.o = mul i64 %b{i}, {bytes_each}",
            f"  %w{i} = getelementptr i8, ptr %scratch, i64 %w{i}.o",
            f"  call void {names[i]}({', '.join(arguments)})",
            f"  %b{i}.next = add i64 %b{i}, 1",
            f"  br label %head{i}",
        ]
    return "\n".join([*lines, "done:", *_scratch_end(t, cut, tile_size(t, cut)), "  ret void", "}"])


def tile_size(t: Vector, cut: ChunkPlan) -> int:
    """Blocks that share one pass through the code."""
    bytes_each = max(1, t.bytes * cut.slots)
    return max(_SMALLEST_TILE, min(_LARGEST_TILE, _TILE_BYTES // bytes_each))


def _scratch(t: Vector, cut: ChunkPlan, blocks: int) -> list[str]:
    """%scratch: on the stack while it is small."""
    size = _scratch_bytes(t, cut, blocks)
    if size <= _MOST_ON_STACK:
        return [f"  %scratch = alloca i8, i64 {size}, align 64"]
    return [f"  %scratch = call ptr @aligned_alloc(i64 64, i64 {size})"]


def _scratch_end(t: Vector, cut: ChunkPlan, blocks: int) -> list[str]:
    return ["  call void @free(ptr %scratch)"] if _scratch_bytes(t, cut, blocks) > _MOST_ON_STACK else []


def _scratch_bytes(t: Vector, cut: ChunkPlan, blocks: int) -> int:
    """A multiple of a cache line."""
    return max(64, -(-t.bytes * cut.slots * blocks // 64) * 64)


def _parameters(program: Program) -> str:
    inputs = [f"ptr noalias %in{i}, i64 %is{i}" for i in range(len(program.inputs))]
    return ", ".join(inputs + [f"ptr noalias %out{i}, i64 %os{i}" for i in range(len(program.outputs))])


def _arguments(program: Program) -> str:
    return _parameters(program).replace("noalias ", "")
