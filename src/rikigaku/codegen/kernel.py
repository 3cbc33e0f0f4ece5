"""A program as native code: one state at a time, or a batch on any number of threads.

Code for one state and code for batches are made (or read from the cache) when first needed.
"""

import contextvars
import hashlib
import os
import sys
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rikigaku.codegen import cache, numpy_api
from rikigaku.codegen.packing import packed_arrays, packed_ports, packed_program
from rikigaku.errors import TooLarge, WrongValue
from rikigaku.numbers.packed import Packing
from rikigaku.numbers.program import Port, Program, with_elements

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from rikigaku.codegen.native import Library

Array = np.ndarray[Any, np.dtype[np.float64]]

# Unrolled code beyond this many operations takes minutes to compile and runs out of the instruction cache.
LARGEST_PROGRAM = 400_000
_ADVICE = (
    "Use a law that grows linearly with the robot (inverse_dynamics, forward_dynamics), or a smaller robot."
)
# From here on compiling takes seconds, and whoever waits should know why.
_WORTH_A_WORD = 15_000
# A batch is shared among threads when each gets at least this many numbers to read and write.
_WORTH_A_THREAD = 200_000

_threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
_pool: "ThreadPoolExecutor | None" = None


def set_threads(count: int) -> None:
    """How many threads a large batch may use (the processors of this process, unless set)."""
    global _threads, _pool
    if not (isinstance(count, (int, np.integer)) and count >= 1):
        raise WrongValue(f"{count!r} threads cannot work; give a whole number, 1 or more.")
    _threads, _pool = int(count), None


# Code in this process, by its key in the cache: equal robots share it, however often they are made.
_loaded: dict[str, tuple[tuple[tuple[Port, ...], tuple[Port, ...]], "Library"]] = {}


class Function(NamedTuple):
    """An address, and what must live as long as it is called."""

    address: int
    keep: object


class Kernel:
    """Native code of a program.

    Args:
        identity: what the program is, for the cache: equal text, equal program.
        make: records the program; not called when the cache has the code.
    """

    def __init__(self, identity: str, make: Callable[[], Program]) -> None:
        self._identity, self._make = identity, make
        self._name = identity.split("\n")[0]

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
            raise TooLarge(
                f"{self._name} is {length} operations long; code is made up to {LARGEST_PROGRAM}. {_ADVICE}"
            )
        return program

    # -- calls ----------------------------------------------------------------------------------------------
    def one(self, name: str, fallback: Callable[..., Any]) -> Callable[..., Any]:
        """A builtin for one state: inputs, then nothing or `out=`; all outputs as arguments where there are
        several. With anything else it calls fallback."""
        if not numpy_api.layout_is_known() or self._has_empty:
            return fallback
        if packed_ports(*self.ports) is not self.ports[0]:  # the caller has them one by one
            return fallback
        (_, outputs), library = self._code("one")
        entry = "call" if len(outputs) == 1 else "fill"
        return numpy_api.builtin(name, library.address(entry), fallback, library)

    @cached_property
    def function(self) -> "Function":
        """The program for other native code: a function of pointers to its inputs, then its outputs."""
        _, library = self._code("function")
        return Function(library.address("function"), library)

    @cached_property
    def batch(self) -> np.ufunc:
        """A NumPy generalized ufunc over any batch shape."""
        (inside, outside), library = self._code("batch")
        sides = (packed_ports(inside, outside), outside)
        inputs, outputs = (with_elements(side, side)[0] for side in sides)
        signature = Program(self._name, inputs, outputs, (), ())
        return numpy_api.gufunc(signature, library.address("loop"), library)

    def __call__(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        """Fill the outputs, whose leading axes are the batch; inputs broadcast against it."""
        ports, outer = self.ports
        ports, inputs = packed_ports(ports, outer), packed_arrays(ports, outer, inputs)
        if self._has_empty:
            (ports, inputs), (outer, outputs) = with_elements(ports, inputs), with_elements(outer, outputs)
            if not outputs or not inputs:
                self._fill_constants(outputs)
                return
        ufunc = self.batch
        numbers = sum(x.size for x in outputs) + sum(x.size for x in inputs)
        if numbers < 2 * _WORTH_A_THREAD:
            ufunc(*inputs, out=tuple(outputs))
            return
        batch_axes = outputs[0].ndim - len(outer[0].shape)
        length = outputs[0].shape[0] if batch_axes else 1
        workers = min(_threads, numbers // _WORTH_A_THREAD, length)
        # NumPy copies inputs an output lies over; between threads a part would overwrite the next's inputs
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
        """Whether an input or output holds no numbers, for which NumPy's signatures have no word."""
        inputs, outputs = self.ports
        return not inputs or any(port.size == 0 for port in (*inputs, *outputs))

    def _fill_constants(self, outputs: Sequence[Array]) -> None:
        """Results of a program that reads no number."""
        ports, results = with_elements(self.program.outputs, self.program.results)
        for x, values, port in zip(outputs, results, ports, strict=True):
            x[...] = np.reshape(np.array(values, dtype=np.float64), port.shape)

    @cached_property
    def ports(self) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
        """Inputs and outputs with their shapes."""
        for kind in ("batch", "one", "function"):
            if (entry := cache.read(self._key(kind))) is not None:
                return _described(entry)
        return self.program.inputs, self.program.outputs

    # -- code -----------------------------------------------------------------------------------------------
    def _code(self, kind: str) -> tuple[tuple[tuple[Port, ...], tuple[Port, ...]], "Library"]:
        # llvmlite and the writers of its language are loaded when code is first needed, not on import.
        from rikigaku.codegen import llvm_module, native

        key = self._key(kind)
        if key not in _loaded:
            entry = cache.read(key)
            if entry is None:
                program = self.program
                if program.operations.total > _WORTH_A_WORD:
                    print(
                        f"rikigaku: compiling {self._name}, {program.operations.total} operations ...",
                        file=sys.stderr,
                    )
                code = native.object_code(llvm_module.text(packed_program(program), kind, native.host()))
                sides = (program.inputs, program.outputs)
                ports = [[_words(port) for port in side] for side in sides]
                entry = cache.Entry({"ports": ports}, code)
                cache.write(key, entry)
            _loaded[key] = _described(entry), native.Library(entry.code)
        return _loaded[key]

    def _key(self, kind: str) -> str:
        from rikigaku.codegen.native import host

        parts = (kind, self._identity, cache.source_fingerprint(), host().fingerprint, np.__version__)
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _described(entry: cache.Entry) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    ports: Any = entry.description["ports"]
    inputs, outputs = ports
    return tuple(_port(*words) for words in inputs), tuple(_port(*words) for words in outputs)


def _words(port: Port) -> list[Any]:
    """A port as the cache keeps it."""
    packing = port.packing
    how = None if packing is None else [packing.shape, packing.sources, packing.constants]
    return [port.name, port.shape, port.used, how]


def _port(name: str, shape: list[int], used: bool, how: list[list[Any]] | None) -> Port:
    return Port(name, tuple(shape), used, None if how is None else Packing(*map(tuple, how)))


def _slice(x: Array, batch_axes: int, core_axes: int, start: int, stop: int) -> Array:
    """The part of an input that belongs to states start to stop of the leading batch axis."""
    if x.ndim - core_axes == batch_axes and x.shape[0] != 1:
        return x[start:stop]
    return x


def _forget_pool() -> None:
    """Threads do not survive a fork; a pool without them would wait for ever."""
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
