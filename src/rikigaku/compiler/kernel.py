"""Native code of a program: one state at a time, or a batch on any number of threads.

Code for one state and code for batches are compiled (or read from the cache) at first use.
"""

import contextvars
import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np

from rikigaku.compiler import numpy_c_api, object_cache
from rikigaku.compiler.compile_progress import compile_progress
from rikigaku.compiler.operand_packing import (
    are_packed,
    check_count,
    packed_inputs,
    packed_outputs,
    packed_ports,
    packed_program,
)
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import TooLarge
from rikigaku.core.types import Array
from rikigaku.core.validation import whole
from rikigaku.numbers.packed_outputs import Packing
from rikigaku.numbers.program import Port, Program, with_elements
from rikigaku.numbers.program_fingerprint import fingerprint

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from rikigaku.compiler.native_code import Library

# Unrolled code beyond this many operations takes minutes to compile and exceeds the instruction cache.
LARGEST_PROGRAM = 400_000
_ADVICE = (
    "Use a law that grows linearly with the robot (inverse_dynamics, forward_dynamics), or a smaller robot."
)
# A batch is divided among threads if each reads and writes at least this many numbers.
_NUMBERS_PER_THREAD = 200_000

_threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
_pool: "ThreadPoolExecutor | None" = None


@checked
def set_threads(count: int) -> None:
    """Set how many threads a large batch may use; the default is the processors of this process."""
    global _threads, _pool
    _threads, _pool = whole("The number of threads", count), None


def thread_count() -> int:
    """How many threads a large batch may use."""
    return _threads


@dataclass(frozen=True, eq=False)
class Loaded:
    """Native code in this process, with the inputs and outputs of its program."""

    ports: tuple[tuple[Port, ...], tuple[Port, ...]]
    library: "Library"


# Code in use, by its key in the cache: equal robots share it. The functions made of it keep it loaded.
_loaded: WeakValueDictionary[str, Loaded] = WeakValueDictionary()


class Function(NamedTuple):
    """The address of a native function, and the object that keeps its code loaded."""

    address: int
    keep: object


class Kernel:
    """Native code of a program.

    Args:
        identity: a text that determines the program, for the cache; its first line is the law's name.
        make: records the program; not called when the cache has the code.
        by_program: the recorded program is part of the identity, where no text determines it (functions of
            users); it is then recorded in every process.
    """

    def __init__(self, identity: str, make: Callable[[], Program], *, by_program: bool = False) -> None:
        self._text, self._make, self._by_program = identity, make, by_program
        self._name = identity.split("\n")[0]

    @cached_property
    def _identity(self) -> str:
        return f"{self._text}\n{fingerprint(self.program)}" if self._by_program else self._text

    @cached_property
    def program(self) -> Program:
        """The recorded program."""
        try:
            program = self._make()
        except TooLarge:
            raise TooLarge(
                f"{self._name} takes more operations a state than can be recorded. {_ADVICE}"
            ) from None
        if (length := program.length) > LARGEST_PROGRAM:
            raise TooLarge(f"{self._name} has {length} operations; the limit is {LARGEST_PROGRAM}. {_ADVICE}")
        return program

    # -- calls ----------------------------------------------------------------------------------------------
    def one(self, name: str, fallback: Callable[..., Any]) -> Callable[..., Any]:
        """A builtin for one state. Arguments: the inputs, then optionally `out=`; a program of several
        outputs takes them all as arguments after the inputs. With other arguments it calls `fallback`."""
        if not numpy_c_api.layout_is_known() or self._has_empty:
            return fallback
        if are_packed(*self.ports):  # the caller passes scalars one by one
            return fallback
        code = self._code("one")
        entry = "call" if len(code.ports[1]) == 1 else "fill"
        return numpy_c_api.builtin(name, code.library.address(entry), fallback, code)

    @cached_property
    def function(self) -> "Function":
        """The program for other native code: a function of pointers to its inputs, then its outputs."""
        code = self._code("function")
        return Function(code.library.address("function"), code)

    @cached_property
    def loop(self) -> "Function":
        """The loop over a batch for other native code, with the signature of NumPy's generalized ufuncs.

        Its arguments are the inputs and outputs that are not empty, in their order.
        """
        code = self._code("batch")
        return Function(code.library.address("loop"), code)

    @cached_property
    def loop32(self) -> "Function":
        """The same in single precision, on arrays of float32."""
        code = self._code("batch32")
        return Function(code.library.address("loop"), code)

    @cached_property
    def lanes(self) -> "Function":
        """The loop on arrays in the layout of vector registers, (blocks, elements, width), without NaN
        propagation: dims has the number of blocks, steps those of the first axes over the width."""
        code = self._code("lanes")
        return Function(code.library.address("loop"), code)

    @cached_property
    def lanes32(self) -> "Function":
        """The same in single precision, on arrays of float32."""
        code = self._code("lanes32")
        return Function(code.library.address("loop"), code)

    @cached_property
    def batch(self) -> np.ufunc:
        """A NumPy generalized ufunc over any batch shape."""
        return self._ufunc("batch")

    @cached_property
    def batch32(self) -> np.ufunc:
        """The same in single precision, on arrays of float32."""
        return self._ufunc("batch32")

    def _ufunc(self, kind: str) -> np.ufunc:
        code = self._code(kind)
        inputs, outputs = (with_elements(side, side)[0] for side in packed_ports(*code.ports))
        check_count(self._name, inputs, outputs)
        signature = Program(self._name, inputs, outputs, (), ())
        return numpy_c_api.gufunc(signature, code.library.address("loop"), code, kind == "batch32")

    def __call__(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        """Fill the outputs, whose leading axes are the batch; inputs broadcast against it.

        Outputs of float32 are computed in single precision, from inputs of float32.
        """
        if are_packed(*self.ports):
            results, numbers = packed_outputs(self.ports[1], outputs)
            self._fill(packed_inputs(self.ports[0], inputs), results)
            for k, x in enumerate(numbers):
                x[...] = results[-1][..., k]
        else:
            self._fill(inputs, outputs)

    def _fill(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        ports, outer = packed_ports(*self.ports)
        if self._has_empty:
            (ports, inputs), (outer, outputs) = with_elements(ports, inputs), with_elements(outer, outputs)
            if not outputs or not inputs:
                self._fill_constants(outputs)
                return
        ufunc = self.batch32 if outputs[0].dtype == np.float32 else self.batch
        numbers = sum(x.size for x in outputs) + sum(x.size for x in inputs)
        if numbers < 2 * _NUMBERS_PER_THREAD:
            ufunc(*inputs, out=tuple(outputs))
            return
        batch_axes = outputs[0].ndim - len(outer[0].shape)
        length = outputs[0].shape[0] if batch_axes else 1
        workers = min(_threads, numbers // _NUMBERS_PER_THREAD, length)
        # NumPy copies inputs that overlap an output; a thread would overwrite the inputs of another
        if workers < 2 or any(np.may_share_memory(x, y) for x in inputs for y in outputs):
            ufunc(*inputs, out=tuple(outputs))
            return
        bounds = [length * i // workers for i in range(workers + 1)]
        jobs = []
        for start, stop in pairwise(bounds):
            part = [
                _slice(x, batch_axes, len(port.shape), start, stop)
                for x, port in zip(inputs, ports, strict=True)
            ]
            outs = tuple(x[start:stop] for x in outputs)
            # NumPy's errstate lives in the context: each thread runs in a copy of the caller's
            jobs.append(_executor().submit(contextvars.copy_context().run, ufunc, *part, out=outs))
        for job in jobs:
            job.result()

    @cached_property
    def _has_empty(self) -> bool:
        """Whether an input or output is empty, which NumPy's signatures cannot express."""
        inputs, outputs = self.ports
        return not inputs or any(port.size == 0 for port in (*inputs, *outputs))

    def _fill_constants(self, outputs: Sequence[Array]) -> None:
        """Store the results of a program without inputs."""
        program = packed_program(self.program)
        ports, results = with_elements(program.outputs, program.results)
        for x, values, port in zip(outputs, results, ports, strict=True):
            x[...] = np.reshape(np.array(values, dtype=np.float64), port.shape)

    @cached_property
    def ports(self) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
        """Inputs and outputs with their shapes."""
        for kind in ("batch", "one", "function", "batch32", "lanes", "lanes32"):
            if (entry := object_cache.read(self.key(kind))) is not None:
                return _ports(entry)
        return self.program.inputs, self.program.outputs

    # -- code -----------------------------------------------------------------------------------------------
    def _code(self, kind: str) -> Loaded:
        # Imported here: llvmlite is loaded when code is first needed, not with the package.
        from rikigaku.compiler.llvm_module import vector_of
        from rikigaku.compiler.native_code import Library, host, loaded_once

        key = self.key(kind)
        if (code := _loaded.get(key)) is None:
            entry = object_cache.read(key)
            found = None if entry is None else object_cache.read_code(str(entry.description["code"]))
            if entry is None or found is None:
                entry, found = self._compiled(kind)
                object_cache.write(key, entry)
            constants: Any = entry.description["constants"]
            t, ports, object_code = vector_of(kind, host()), _ports(entry), found.code
            code = loaded_once(
                _loaded, key, lambda: Loaded(ports, Library(object_code, constants, t.width, t.single))
            )
        return code

    def _compiled(self, kind: str) -> tuple[object_cache.Entry, object_cache.Entry]:
        """The program and its object code: that of another program of the same structure, or compiled."""
        from rikigaku.compiler import constant_table, llvm_module, native_code

        program, cpu = self.program, native_code.host()
        text, vector = llvm_module.text(packed_program(program), kind, cpu)
        skeleton = constant_table.skeleton(text)
        own = constant_table.assigned_places(skeleton.uses)
        # Coinciding constants share a place. A program of the same structure in which they differ needs its
        # own code, under the second key.
        keys = [cache_key(kind, skeleton.text), cache_key(kind, skeleton.text, str(own))]
        for key in keys:
            found = object_cache.read_code(key)
            if found is None:
                with compile_progress(self._name, program.operations.total, kind):
                    code = native_code.object_code(constant_table.with_table(skeleton, own, vector))
                found = object_cache.Entry({"places": own}, code)
                object_cache.write_code(key, found)
            places: Any = found.description["places"]
            if (constants := constant_table.table(skeleton.uses, places)) is not None:
                break
        else:
            raise AssertionError("no table holds the program's constants")
        ports = [[_port_record(port) for port in side] for side in (program.inputs, program.outputs)]
        return object_cache.Entry({"ports": ports, "code": key, "constants": constants}, b""), found

    def key(self, kind: str) -> str:
        """Key in the cache of the code of that kind (see `llvm_module.text`)."""
        return cache_key(kind, self._identity)


def cache_key(*parts: str) -> str:
    """Cache key: a hash of the parts, the package's source, the processor and NumPy's version."""
    from rikigaku.compiler.native_code import host

    known = (object_cache.source_fingerprint(), host().fingerprint, np.__version__)
    return hashlib.sha256("\n".join((*parts, *known)).encode()).hexdigest()


def _ports(entry: object_cache.Entry) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    ports: Any = entry.description["ports"]
    inputs, outputs = ports
    return tuple(_port(*record) for record in inputs), tuple(_port(*record) for record in outputs)


def _port_record(port: Port) -> list[Any]:
    """A port as JSON for the cache."""
    packing = port.packing
    layout = None if packing is None else [packing.shape, packing.sources, packing.constants]
    return [port.name, port.shape, port.used, layout]


def _port(name: str, shape: list[int], used: bool, layout: list[list[Any]] | None) -> Port:
    return Port(name, tuple(shape), used, None if layout is None else Packing(*map(tuple, layout)))


def _slice(x: Array, batch_axes: int, core_axes: int, start: int, stop: int) -> Array:
    """The part of an input that belongs to states start to stop of the leading batch axis."""
    if x.ndim - core_axes == batch_axes and x.shape[0] != 1:
        return x[start:stop]
    return x


def _forget_pool() -> None:
    """Drop the pool in a forked child: threads do not survive a fork, and the pool would never finish."""
    global _pool
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)


def _executor() -> "ThreadPoolExecutor":
    global _pool
    if _pool is None:
        from concurrent.futures import ThreadPoolExecutor

        _pool = ThreadPoolExecutor(_threads, thread_name_prefix="rikigaku")
    return _pool
