"""LLVM text to object code, and object code to addresses: the only module that calls llvmlite."""

import ctypes
import os
import threading
import weakref
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from rikigaku.compiler import numpy_c_api
from rikigaku.compiler.constant_table import TABLE
from rikigaku.core.errors import WrongValue
from rikigaku.core.forking import free_at_fork

Made = TypeVar("Made")

# Programs are optimised as graphs; LLVM does instruction selection and register allocation only.
_lock = threading.RLock()

# A fork inside LLVM would leave the child with half-changed data and held locks: it waits, also for the calls
# that other packages make through llvmlite, which have one lock of their own.
free_at_fork(_lock)
if (_shared := getattr(getattr(llvm.ffi.lib, "_lock", None), "_lock", None)) is not None:
    free_at_fork(_shared)


@dataclass(frozen=True)
class Cpu:
    """The processor that code is generated for."""

    triple: str
    name: str
    features: str

    @property
    def width(self) -> int:
        """Doubles in a vector register."""
        if self.has("avx512f"):
            return 8
        return 4 if self.has("avx") else 2

    @property
    def fused(self) -> bool:
        """Whether it has fused multiply-add instructions."""
        return self.has("fma") or self.triple.startswith(("aarch64", "arm64"))

    def has(self, feature: str) -> bool:
        return f"+{feature}" in self.features.split(",")

    @property
    def fingerprint(self) -> str:
        """Everything object code depends on besides its text."""
        return f"{self.triple} {self.name} {self.features} llvmlite {llvmlite.__version__}"


# Processors that code can be made for instead of this one, so that other machines can run it: their features.
_V2 = "+sse2,+sse4.2,+popcnt"
_V3 = f"{_V2},+avx,+avx2,+fma,+bmi,+bmi2"
_V4 = f"{_V3},+avx512f,+avx512bw,+avx512dq,+avx512vl"
_LEVELS = {
    "x86_64": {"x86-64": "+sse2", "x86-64-v2": _V2, "x86-64-v3": _V3, "x86-64-v4": _V4},
    "aarch64": {"generic": "+neon"},
}
_LEVELS["arm64"] = _LEVELS["aarch64"]


@cache
def host() -> Cpu:
    """The processor to generate code for: this machine's, or the one that RIKIGAKU_CPU names."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    own = Cpu(llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    return chosen_cpu(own, os.environ.get("RIKIGAKU_CPU", ""))


def chosen_cpu(own: Cpu, name: str) -> Cpu:
    """The processor of that name; `own` for "" and "native".

    Raises:
        WrongValue: if there is none of that name, or `own` cannot run its code.
    """
    if name in ("", "native"):
        return own
    levels = _LEVELS.get(own.triple.partition("-")[0], {})
    if name not in levels:
        raise WrongValue(f"RIKIGAKU_CPU is one of {', '.join((*levels, 'native'))} here; {name!r} was given.")
    features = levels[name].split(",")
    if missing := [x[1:] for x in features if not own.has(x[1:])]:
        raise WrongValue(
            f"RIKIGAKU_CPU={name} needs a processor with {', '.join(missing)}, which this one, {own.name}, "
            "does not have."
        )
    return Cpu(own.triple, name, levels[name])


def object_code(text: str, optimise: bool = False) -> bytes:
    """Object code of an LLVM text for this machine; optimise: stack slots to registers (SROA), simpler loops.

    LLVM's own pipeline takes ten times as long (it unrolls every loop), and integrations run no faster.
    """
    with _lock:
        module = llvm.parse_assembly(text)
        module.verify()
        machine = _machine()
        if optimise:
            passes = llvm.create_new_module_pass_manager()
            passes.add_sroa_pass()
            passes.add_simplify_cfg_pass()
            passes.add_new_gvn_pass()
            passes.add_instruction_combine_pass()
            passes.add_loop_rotate_pass()
            passes.add_simplify_cfg_pass()
            options = llvm.create_pipeline_tuning_options(speed_level=2)
            passes.run(module, llvm.create_pass_builder(machine, options))
        return bytes(machine.emit_object(module))


_engines: dict[int, llvm.ExecutionEngine] = {}  # of the code in use, by the identity of its use
_unused: list[llvm.ExecutionEngine] = []


def _use_of(engine: llvm.ExecutionEngine) -> object:
    """An object that stands for the use of an engine's code: the code is released after it is gone.

    It is an array because arrays take no part in garbage collection. So the code outlives all finalizers of a
    garbage cycle, which may still call it; the engine's own finalizer would run among them.
    """
    use = np.empty(0)
    _engines[id(use)] = engine
    weakref.finalize(use, _release, id(use)).atexit = False
    return use


def _release(use: int) -> None:
    _unused.append(_engines.pop(use))
    # Never wait here: finalizers run anywhere, also while a fork holds the lock. The next call disposes.
    if _lock.acquire(blocking=False):
        try:
            _dispose_unused()
        finally:
            _lock.release()


def _dispose_unused() -> None:
    while _unused:
        _unused.pop().close()


class Library:
    """Object code loaded into this process; alive as long as this object.

    Args:
        constants: the program's, for the table of this copy of the code (`constant_table`).
        width: copies of each constant in the table, one for each lane of a register.
        single: the table has numbers of 32 bits.
    """

    def __init__(
        self, code: bytes, constants: Sequence[float] = (), width: int = 1, single: bool = False
    ) -> None:
        self._addresses: dict[str, int] = {}  # of functions; LLVM takes long to find one
        with _lock:
            _dispose_unused()
            _publish_symbols()
            empty = llvm.parse_assembly("")
            self._engine = llvm.create_mcjit_compiler(empty, _machine())
            self._use = _use_of(self._engine)
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
            self._engine.finalize_object()
        if constants:
            where = ctypes.CFUNCTYPE(ctypes.c_void_p)(self.address(f"{TABLE}_address"))()
            with np.errstate(over="ignore"):
                table = np.asarray(constants, dtype=np.float64).astype(np.float32 if single else np.float64)
            values = np.repeat(table, width)
            ctypes.memmove(where, values.ctypes.data, values.nbytes)

    def address(self, name: str) -> int:
        """Address of a function."""
        if name not in self._addresses:
            self._addresses[name] = int(self._engine.get_function_address(name))
        return self._addresses[name]


def loaded_once(known: MutableMapping[str, Made], key: str, load: Callable[[], Made]) -> Made:
    """known[key], loaded if it is missing. Threads that ask at the same time get one object: of two copies of
    the same code one would be released while its addresses are in use."""
    with _lock:
        found = known.get(key)
        if found is None:
            found = known[key] = load()
        return found


def _machine() -> llvm.TargetMachine:
    """Code for this processor.

    On x86-64 with the large code model: LLVM asks the system for the sections of an object one by one, and
    in a process with large mappings (WebAssembly, PyTorch) they may lie more than 2 GB apart. Relative
    addresses of 32 bits do not reach so far, and LLVM aborts the process. It is not slower
    (docs/decisions.md).
    """
    cpu = host()
    target = llvm.Target.from_triple(cpu.triple)
    far = cpu.triple.startswith("x86_64") and "linux" in cpu.triple
    reloc, model = ("static", "large") if far else ("pic", "small")
    return target.create_target_machine(
        cpu=cpu.name, features=cpu.features, opt=2, reloc=reloc, codemodel=model
    )


@cache
def _publish_symbols() -> None:
    for name, address in numpy_c_api.symbols().items():
        llvm.add_symbol(name, address)
