"""Handler of XLA's typed foreign-function interface for a kernel's loop over a batch, as LLVM text.

    XLA_FFI_Error* handler(XLA_FFI_CallFrame* frame)

The interface is a C ABI (xla/ffi/api/c_api.h, in jaxlib's wheel); offsets below are those of its structures
with 64-bit pointers. XLA's buffers are read and written where they are. Each has the shape (states, *core);
one with a single state is shared by all states of the batch. Large batches are divided into chunks, which the
calling thread and XLA's own threads take one after the other: no thread waits for one that has not begun.

The code is the same for all kernels and is compiled once; a table in each copy has the loop and its shapes.
"""

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from rikigaku.compiler import object_cache
from rikigaku.compiler.kernel import Function, cache_key
from rikigaku.compiler.operand_packing import MOST_OPERANDS, check_count
from rikigaku.numbers.program import Port

_MOST_PORTS, _AXES = MOST_OPERANDS, 4
_WORDS_OF_PORT = 2 + _AXES  # elements, axes, strides
_TABLE = 5  # words before those of the ports: loop, inputs, outputs, bytes of a number, numbers of a state
_SMALLEST_CHUNK = 100_000  # numbers read and written
_WRONG = "The operands of the call are not those of the law."
_LANES = 16  # a chunk is a whole number of vector registers


def xla_handler(
    called: str, loop: Function, inputs: Sequence[Port], outputs: Sequence[Port], size: int
) -> Function:
    """The handler of a loop over a batch, with the signature of NumPy's generalized ufuncs.

    Args:
        inputs, outputs: the operands of the loop, none of them empty. size: bytes of a number, 8 or 4.
    Raises:
        TooLarge: if there are more operands than the table holds.
    """
    from rikigaku.compiler.native_code import Library

    check_count(called, inputs, outputs)
    ports = (*inputs, *outputs)
    words = [loop.address, len(inputs), len(outputs), size, sum(port.size for port in ports)]
    for port in ports:
        strides = np.cumprod([size, *port.shape[:0:-1]])[::-1].tolist() if port.shape else []
        words += [port.size, len(port.shape), *strides, *([0] * (_AXES - len(port.shape)))]
    library = Library(_object_code())
    where = ctypes.CFUNCTYPE(ctypes.c_void_p)(library.address("table_address"))()
    table = np.array(words, dtype=np.int64)
    ctypes.memmove(where, table.ctypes.data, table.nbytes)
    return Function(library.address("handler"), (library, loop.keep))


def capsule(function: Function) -> Any:
    """The address as a PyCapsule, as JAX registers it."""
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return new(function.address, None, None)


def _object_code() -> bytes:
    from rikigaku.compiler.native_code import host, object_code

    windows = "windows" in host().triple
    text = _TEXT.replace("@yield", "@SwitchToThread" if windows else "@sched_yield")
    key = cache_key("xla", text)
    if (entry := object_cache.read_code(key)) is None:
        entry = object_cache.Entry({}, object_code(text))
        object_cache.write_code(key, entry)
    return entry.code


# A job in memory: loop 0, states 8, states of a chunk 16, next chunk 24, chunks done 32, users 40, number of
# operands 48, then their strides (64 of states, 256 of axes) and their addresses.
_STEPS, _JOB_STEPS = _MOST_PORTS * (1 + _AXES), 56
_JOB_DATA = _JOB_STEPS + 8 * _STEPS
_JOB_BYTES = _JOB_DATA + 8 * _MOST_PORTS

_TEXT = f"""
@table = internal global [{_TABLE + _WORDS_OF_PORT * _MOST_PORTS} x i64] zeroinitializer, align 8
@wrong = internal constant [{len(_WRONG) + 1} x i8] c"{_WRONG}\\00"
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @yield()

define ptr @table_address() {{ ret ptr @table }}

define internal i64 @word(ptr %p, i64 %offset) alwaysinline {{
  %at = getelementptr i8, ptr %p, i64 %offset
  %x = load i64, ptr %at
  ret i64 %x
}}

define internal ptr @pointer(ptr %p, i64 %offset) alwaysinline {{
  %at = getelementptr i8, ptr %p, i64 %offset
  %x = load ptr, ptr %at
  ret ptr %x
}}

define internal void @set(ptr %p, i64 %offset, i64 %x) alwaysinline {{
  %at = getelementptr i8, ptr %p, i64 %offset
  store i64 %x, ptr %at
  ret void
}}

define internal void @release(ptr %job) {{
  %at = getelementptr i8, ptr %job, i64 40
  %users = atomicrmw sub ptr %at, i64 1 seq_cst
  %last = icmp eq i64 %users, 1
  br i1 %last, label %free, label %done
free:
  call void @free(ptr %job)
  br label %done
done:
  ret void
}}

; Take chunks of the batch until none is left.
define internal void @work(ptr %job) {{
entry:
  %args = alloca [{_MOST_PORTS} x ptr], align 8
  %dims = alloca i64, align 8
  %loop = call ptr @pointer(ptr %job, i64 0)
  %n = call i64 @word(ptr %job, i64 8)
  %chunk = call i64 @word(ptr %job, i64 16)
  %next = getelementptr i8, ptr %job, i64 24
  %finished = getelementptr i8, ptr %job, i64 32
  %count = call i64 @word(ptr %job, i64 48)
  %steps = getelementptr i8, ptr %job, i64 {_JOB_STEPS}
  %data = getelementptr i8, ptr %job, i64 {_JOB_DATA}
  br label %take
take:
  %i = atomicrmw add ptr %next, i64 1 seq_cst
  %first = mul i64 %i, %chunk
  %some = icmp slt i64 %first, %n
  br i1 %some, label %part, label %done
part:
  %left = sub i64 %n, %first
  %short = icmp slt i64 %left, %chunk
  %states = select i1 %short, i64 %left, i64 %chunk
  store i64 %states, ptr %dims
  br label %head
head:
  %k = phi i64 [ 0, %part ], [ %k.next, %body ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %body, label %run
body:
  %step.p = getelementptr i64, ptr %steps, i64 %k
  %step = load i64, ptr %step.p
  %base.p = getelementptr ptr, ptr %data, i64 %k
  %base = load ptr, ptr %base.p
  %offset = mul i64 %first, %step
  %here = getelementptr i8, ptr %base, i64 %offset
  %arg = getelementptr ptr, ptr %args, i64 %k
  store ptr %here, ptr %arg
  %k.next = add i64 %k, 1
  br label %head
run:
  call void %loop(ptr %args, ptr %dims, ptr %steps, ptr null)
  %old = atomicrmw add ptr %finished, i64 1 seq_cst
  br label %take
done:
  ret void
}}

define internal void @task(ptr %job) {{
  call void @work(ptr %job)
  call void @release(ptr %job)
  ret void
}}

; The answer is the version that XLA itself has: the fields read here have the same places in all.
define internal ptr @describe(ptr %frame, ptr %extension) {{
entry:
  %metadata = call ptr @pointer(ptr %extension, i64 24)
  %api = call ptr @pointer(ptr %frame, i64 16)
  %none = icmp eq ptr %api, null
  br i1 %none, label %own, label %theirs
theirs:
  %version = call i64 @word(ptr %api, i64 32)
  br label %store
own:
  br label %store
store:
  %x = phi i64 [ %version, %theirs ], [ {3 << 32}, %own ]
  call void @set(ptr %metadata, i64 24, i64 %x)
  %traits = getelementptr i8, ptr %metadata, i64 32
  store i32 0, ptr %traits
  ret ptr null
}}

; Fill a job from the buffers of a call; returns the number of states, or -1 if the operands differ.
define internal i64 @prepare(ptr %frame, ptr %job) {{
entry:
  %inputs = call i64 @word(ptr @table, i64 8)
  %outputs = call i64 @word(ptr @table, i64 16)
  %size = call i64 @word(ptr @table, i64 24)
  %count = add i64 %inputs, %outputs
  %loop = call i64 @word(ptr @table, i64 0)
  call void @set(ptr %job, i64 0, i64 %loop)
  call void @set(ptr %job, i64 24, i64 0)
  call void @set(ptr %job, i64 32, i64 0)
  call void @set(ptr %job, i64 40, i64 1)
  call void @set(ptr %job, i64 48, i64 %count)
  %given = call i64 @word(ptr %frame, i64 56)
  %taken = call i64 @word(ptr %frame, i64 96)
  %same.in = icmp eq i64 %given, %inputs
  %same.out = icmp eq i64 %taken, %outputs
  %same = and i1 %same.in, %same.out
  br i1 %same, label %start, label %differ
start:
  %args = call ptr @pointer(ptr %frame, i64 72)
  %rets = call ptr @pointer(ptr %frame, i64 112)
  br label %head
head:
  %k = phi i64 [ 0, %start ], [ %k.next, %next ]
  %at = phi i64 [ %count, %start ], [ %at.end, %next ]
  %n = phi i64 [ 1, %start ], [ %length, %next ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %body, label %done
body:
  %is.in = icmp slt i64 %k, %inputs
  %k.out = sub i64 %k, %inputs
  %list = select i1 %is.in, ptr %args, ptr %rets
  %index = select i1 %is.in, i64 %k, i64 %k.out
  %buffer.p = getelementptr ptr, ptr %list, i64 %index
  %buffer = load ptr, ptr %buffer.p
  %data = call i64 @word(ptr %buffer, i64 24)
  %rank = call i64 @word(ptr %buffer, i64 32)
  %dims = call ptr @pointer(ptr %buffer, i64 40)
  %length = load i64, ptr %dims
  %k.words = mul i64 %k, {8 * _WORDS_OF_PORT}
  %k.at = add i64 %k.words, {8 * _TABLE}
  %port = getelementptr i8, ptr @table, i64 %k.at
  %elements = load i64, ptr %port
  %axes = call i64 @word(ptr %port, i64 8)
  %expected = add i64 %axes, 1
  %fits = icmp eq i64 %rank, %expected
  br i1 %fits, label %fill, label %differ
fill:
  %bytes = mul i64 %elements, %size
  %one = icmp eq i64 %length, 1
  %step = select i1 %one, i64 0, i64 %bytes
  %steps = getelementptr i8, ptr %job, i64 {_JOB_STEPS}
  %step.p = getelementptr i64, ptr %steps, i64 %k
  store i64 %step, ptr %step.p
  %all = getelementptr i8, ptr %job, i64 {_JOB_DATA}
  %data.p = getelementptr i64, ptr %all, i64 %k
  store i64 %data, ptr %data.p
  br label %axis
axis:
  %j = phi i64 [ 0, %fill ], [ %j.next, %stride ]
  %j.more = icmp slt i64 %j, %axes
  br i1 %j.more, label %stride, label %next
stride:
  %j.words = mul i64 %j, 8
  %j.at = add i64 %j.words, 16
  %own = call i64 @word(ptr %port, i64 %j.at)
  %place = add i64 %at, %j
  %stride.p = getelementptr i64, ptr %steps, i64 %place
  store i64 %own, ptr %stride.p
  %j.next = add i64 %j, 1
  br label %axis
next:
  %at.end = add i64 %at, %axes
  %k.next = add i64 %k, 1
  br label %head
done:
  call void @set(ptr %job, i64 8, i64 %n)
  call void @set(ptr %job, i64 16, i64 %n)
  ret i64 %n
differ:
  ret i64 -1
}}

; Divide a large batch among XLA's threads and this one.
define internal void @divide(ptr %frame, ptr %source, i64 %n, i64 %numbers) {{
entry:
  %query = alloca [4 x i64], align 8
  %threads.p = alloca i64, align 8
  %order = alloca [5 x i64], align 8
  store i64 1, ptr %threads.p
  %api = call ptr @pointer(ptr %frame, i64 16)
  %context = call i64 @word(ptr %frame, i64 24)
  call void @set(ptr %query, i64 0, i64 32)
  call void @set(ptr %query, i64 8, i64 0)
  call void @set(ptr %query, i64 16, i64 %context)
  %threads.address = ptrtoint ptr %threads.p to i64
  call void @set(ptr %query, i64 24, i64 %threads.address)
  %ask = call ptr @pointer(ptr %api, i64 144)
  %refused = call ptr %ask(ptr %query)
  call void @forget(ptr %api, ptr %refused)
  %threads = load i64, ptr %threads.p
  %useful = sdiv i64 %numbers, {_SMALLEST_CHUNK}
  %fewer = icmp slt i64 %useful, %threads
  %workers = select i1 %fewer, i64 %useful, i64 %threads
  %alone = icmp slt i64 %workers, 2
  br i1 %alone, label %single, label %several
single:
  call void @work(ptr %source)
  ret void
several:
  %job = call ptr @malloc(i64 {_JOB_BYTES})
  call void @llvm.memcpy.p0.p0.i64(ptr %job, ptr %source, i64 {_JOB_BYTES}, i1 false)
  %parts = mul i64 %workers, 4
  %enough = icmp slt i64 %useful, %parts
  %chunks = select i1 %enough, i64 %useful, i64 %parts
  %sum = add i64 %n, %chunks
  %above = sub i64 %sum, 1
  %share = sdiv i64 %above, %chunks
  %lanes = add i64 %share, {_LANES - 1}
  %blocks = sdiv i64 %lanes, {_LANES}
  %chunk = mul i64 %blocks, {_LANES}
  call void @set(ptr %job, i64 16, i64 %chunk)
  %n.more = add i64 %n, %chunk
  %n.above = sub i64 %n.more, 1
  %total = sdiv i64 %n.above, %chunk
  call void @set(ptr %order, i64 0, i64 40)
  call void @set(ptr %order, i64 8, i64 0)
  call void @set(ptr %order, i64 16, i64 %context)
  %task.address = ptrtoint ptr @task to i64
  call void @set(ptr %order, i64 24, i64 %task.address)
  %job.address = ptrtoint ptr %job to i64
  call void @set(ptr %order, i64 32, i64 %job.address)
  %schedule = call ptr @pointer(ptr %api, i64 136)
  %users = getelementptr i8, ptr %job, i64 40
  br label %head
head:
  %i = phi i64 [ 1, %several ], [ %i.next, %next ]
  %more = icmp slt i64 %i, %workers
  br i1 %more, label %send, label %own
send:
  %old = atomicrmw add ptr %users, i64 1 seq_cst
  %error = call ptr %schedule(ptr %order)
  %failed = icmp ne ptr %error, null
  br i1 %failed, label %back, label %next
back:
  call void @forget(ptr %api, ptr %error)
  call void @release(ptr %job)
  br label %next
next:
  %i.next = add i64 %i, 1
  br label %head
own:
  call void @work(ptr %job)
  %finished = getelementptr i8, ptr %job, i64 32
  br label %check
check:
  %done = load atomic i64, ptr %finished seq_cst, align 8
  %all = icmp eq i64 %done, %total
  br i1 %all, label %leave, label %wait
wait:
  %ignored = call i32 @yield()
  br label %check
leave:
  call void @release(ptr %job)
  ret void
}}

define internal void @forget(ptr %api, ptr %error) {{
entry:
  %args = alloca [3 x i64], align 8
  %none = icmp eq ptr %error, null
  br i1 %none, label %done, label %destroy
destroy:
  call void @set(ptr %args, i64 0, i64 24)
  call void @set(ptr %args, i64 8, i64 0)
  %address = ptrtoint ptr %error to i64
  call void @set(ptr %args, i64 16, i64 %address)
  %function = call ptr @pointer(ptr %api, i64 64)
  call void %function(ptr %args)
  br label %done
done:
  ret void
}}

define ptr @handler(ptr %frame) {{
entry:
  %job = alloca [{_JOB_BYTES} x i8], align 8
  %extension = call ptr @pointer(ptr %frame, i64 8)
  %plain = icmp eq ptr %extension, null
  br i1 %plain, label %call, label %look
look:
  %kind.p = getelementptr i8, ptr %extension, i64 8
  %kind = load i32, ptr %kind.p
  %metadata = icmp eq i32 %kind, 1
  br i1 %metadata, label %answer, label %call
answer:
  %described = call ptr @describe(ptr %frame, ptr %extension)
  ret ptr %described
call:
  %stage.p = getelementptr i8, ptr %frame, i64 32
  %stage = load i32, ptr %stage.p
  %execute = icmp eq i32 %stage, 3
  br i1 %execute, label %run, label %done
run:
  %n = call i64 @prepare(ptr %frame, ptr %job)
  %bad = icmp slt i64 %n, 0
  br i1 %bad, label %refuse, label %decide
decide:
  %each = call i64 @word(ptr @table, i64 32)
  %numbers = mul i64 %n, %each
  %large = icmp sge i64 %numbers, {2 * _SMALLEST_CHUNK}
  br i1 %large, label %threads, label %small
small:
  call void @work(ptr %job)
  ret ptr null
threads:
  call void @divide(ptr %frame, ptr %job, i64 %n, i64 %numbers)
  ret ptr null
refuse:
  %args = alloca [4 x i64], align 8
  call void @set(ptr %args, i64 0, i64 28)
  call void @set(ptr %args, i64 8, i64 0)
  %text = ptrtoint ptr @wrong to i64
  call void @set(ptr %args, i64 16, i64 %text)
  call void @set(ptr %args, i64 24, i64 3)
  %api = call ptr @pointer(ptr %frame, i64 16)
  %create = call ptr @pointer(ptr %api, i64 48)
  %error = call ptr %create(ptr %args)
  ret ptr %error
done:
  ret ptr null
}}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""
