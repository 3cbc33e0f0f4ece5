"""Kernels for other processors and systems, run by emulators and compared with this machine's.

    python tools/emulated_kernels.py

The code generator writes a law for arm64 (NEON), SSE2, AVX-512 and Windows; a cross compiler links a
driver in C, which is run by qemu-user or wine. Needed: qemu-user, gcc-aarch64-linux-gnu,
gcc-mingw-w64-x86-64, wine64. What is missing is said.
"""

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np

import rikigaku as rk
from rikigaku.compiler import constant_table, llvm_module
from rikigaku.compiler.native_code import Cpu

STATES = 37  # not a multiple of any vector width
DRIVER = """
#include <stdint.h>
#include <stdio.h>
double *{table}_address(void);
static const double constants[] = {{{constants}}};
void loop(char **args, const intptr_t *dims, const intptr_t *steps, void *data);
static double q[{n}][6], v[{n}][6], a[{n}][6], tau[{n}][6];
int main(void)
{{
    for (int i = 0; i < (int)(sizeof constants / sizeof *constants); ++i)
        for (int j = 0; j < {width}; ++j) {table}_address()[i * {width} + j] = constants[i];
    for (int i = 0; i < {n}; ++i)
        for (int j = 0; j < 6; ++j) {{
            q[i][j] = ((i * 7 + j * 3) % 23) / 8.0 - 1.25;
            v[i][j] = ((i * 5 + j * 11) % 19) / 8.0 - 1.0;
            a[i][j] = ((i * 3 + j * 13) % 17) / 4.0 - 2.0;
        }}
    char *args[] = {{(char *)q, (char *)v, (char *)a, (char *)tau}};
    const intptr_t dims[] = {{{n}, 6, 6, 6, 6}};
    const intptr_t steps[] = {{48, 48, 48, 48, 8, 8, 8, 8}};
    loop(args, dims, steps, 0);
    for (int i = 0; i < {n} * 6; ++i) printf("%.17g\\n", tau[0][i]);
    return 0;
}}
"""


@dataclass(frozen=True)
class Target:
    """A processor, the linker of its programs, and the command that runs them."""

    name: str
    cpu: Cpu
    linker: tuple[str, ...]
    runner: tuple[str, ...]


_V3 = "+sse2,+sse4.2,+popcnt,+avx,+avx2,+fma,+bmi,+bmi2"
_LINUX = "x86_64-unknown-linux-gnu"
TARGETS = (
    Target(
        "Linux arm64, NEON",
        Cpu("aarch64-unknown-linux-gnu", "generic", "+neon"),
        ("aarch64-linux-gnu-gcc", "-static"),
        ("qemu-aarch64",),
    ),
    Target("Linux x86-64, SSE2", Cpu(_LINUX, "x86-64", "+sse2"), ("gcc",), ("qemu-x86_64",)),
    Target("Linux x86-64, AVX2", Cpu(_LINUX, "x86-64-v3", _V3), ("gcc",), ("qemu-x86_64", "-cpu", "max")),
    Target(
        "Linux x86-64, AVX-512",
        Cpu(_LINUX, "x86-64-v4", f"{_V3},+avx512f,+avx512bw,+avx512dq,+avx512vl"),
        ("gcc",),
        ("qemu-x86_64", "-cpu", "max"),
    ),
    Target(
        "Windows x86-64, AVX2",
        Cpu("x86_64-w64-windows-gnu", "x86-64-v3", _V3),
        ("x86_64-w64-mingw32-gcc", "-static"),
        (shutil.which("wine") or "/usr/lib/wine/wine64",),
    ),
)


def inputs() -> list[np.ndarray]:
    """The states of the driver."""
    i, j = np.arange(STATES)[:, None], np.arange(6)
    q = ((i * 7 + j * 3) % 23) / 8 - 1.25
    return [q, ((i * 5 + j * 11) % 19) / 8 - 1.0, ((i * 3 + j * 13) % 17) / 4 - 2.0]


def run(target: Target, folder: Path) -> np.ndarray:
    """The results of the driver on that target."""
    program = rk.load("ur5").inverse_dynamics.program()
    text, vector = llvm_module.text(program, "batch", target.cpu)
    skeleton = constant_table.skeleton(text)
    places = constant_table.assigned_places(skeleton.uses)
    constants = constant_table.table(skeleton.uses, places)
    assert constants is not None
    machine = llvm.Target.from_triple(target.cpu.triple).create_target_machine(
        cpu=target.cpu.name, features=target.cpu.features, opt=2, reloc="pic", codemodel="small"
    )
    module = llvm.parse_assembly(constant_table.with_table(skeleton, places, vector))
    module.triple = target.cpu.triple
    (folder / "law.o").write_bytes(machine.emit_object(module))
    texts = ", ".join(float(x).hex() for x in constants)
    driver = DRIVER.format(n=STATES, table=constant_table.TABLE, constants=texts, width=vector.width)
    (folder / "driver.c").write_text(driver)
    file = folder / "driver.exe"
    command = [*target.linker, "-O1", str(folder / "driver.c"), str(folder / "law.o"), "-o", str(file), "-lm"]
    subprocess.run(command, check=True, capture_output=True, text=True)
    done = subprocess.run(
        [*target.runner, str(file)], check=True, capture_output=True, text=True, timeout=120, cwd=folder
    )
    return np.array([float(line) for line in done.stdout.split()]).reshape(STATES, 6)


def main() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    wanted = rk.load("ur5").inverse_dynamics(*inputs())
    for target in TARGETS:
        with tempfile.TemporaryDirectory() as name:
            try:
                error = np.abs(run(target, Path(name)) - wanted).max() / np.abs(wanted).max()
                said = f"error {error:.1e}" + ", the same bits" * bool(error == 0)
            except FileNotFoundError as missing:
                said = f"not run: {missing.filename} is missing"
            except subprocess.CalledProcessError as failed:
                said = f"FAILED ({failed.returncode}): {(failed.stderr or '')[-300:]}"
        print(f"{target.name:24} {target.cpu.width} states in a register: {said}")


if __name__ == "__main__":
    main()
