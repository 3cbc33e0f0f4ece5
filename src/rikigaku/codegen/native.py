"""LLVM text to object code, and object code to addresses in this process."""

import threading
from dataclasses import dataclass
from functools import cache

import llvmlite
import llvmlite.binding as llvm

from rikigaku.codegen import numpy_api

# Programs come optimised out of the graph: instruction selection and register allocation are what is left.
_lock = threading.Lock()


@dataclass(frozen=True)
class Cpu:
    """What code is generated for."""

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
        """Multiplies and adds in one instruction."""
        return self.has("fma") or self.triple.startswith(("aarch64", "arm64"))

    def has(self, feature: str) -> bool:
        return f"+{feature}" in self.features.split(",")

    @property
    def fingerprint(self) -> str:
        """Everything object code depends on besides its text."""
        return f"{self.triple} {self.name} {self.features} llvmlite {llvmlite.__version__}"


@cache
def host() -> Cpu:
    """This machine."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return Cpu(llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())


def object_code(text: str, optimise: bool = False) -> bytes:
    """Compile LLVM text for this machine; optimise: as text written with loops and variables needs."""
    with _lock:
        module = llvm.parse_assembly(text)
        module.verify()
        machine = _machine()
        if optimise:
            passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
            passes.getModulePassManager().run(module, passes)
        return bytes(machine.emit_object(module))


class Library:
    """Object code loaded into this process; alive as long as this object."""

    def __init__(self, code: bytes) -> None:
        with _lock:
            _publish_symbols()
            empty = llvm.parse_assembly("")
            self._engine = llvm.create_mcjit_compiler(empty, _machine())
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
            self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Address of a function."""
        return int(self._engine.get_function_address(name))


def _machine() -> llvm.TargetMachine:
    cpu = host()
    target = llvm.Target.from_triple(cpu.triple)
    return target.create_target_machine(
        cpu=cpu.name, features=cpu.features, opt=2, reloc="pic", codemodel="small"
    )


@cache
def _publish_symbols() -> None:
    for name, address in numpy_api.symbols().items():
        llvm.add_symbol(name, address)
