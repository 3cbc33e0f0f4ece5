"""Exported C++: compiled, it gives the bits of the native kernel."""

import ctypes
from collections.abc import Sequence
from pathlib import Path

import pytest
from export_cases import (
    Case,
    arrays_of,
    compiler,
    difficult_cases,
    every_law,
    looped_case,
    puma,
    run,
    same_bits,
)

from rikigaku.compiler import native_code
from rikigaku.export.cpp_source import type_of

# With -mfma GCC makes one instruction of -fma(x, y, z), and loses the sign of a zero.
FMA = ["-mfma"] if native_code.host().has("fma") else []
STRICT = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-shared", "-fPIC"]


def test_cpp_of_every_law_of_the_puma_gives_the_native_bits_in_one_file(tmp_path: Path) -> None:
    check_cpp(every_law(puma()), tmp_path)


def test_cpp_of_difficult_laws_gives_the_native_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_cpp([*difficult_cases(), looped_case(monkeypatch)], tmp_path, *FMA)


def check_cpp(cases: Sequence[Case], folder: Path, *flags: str) -> None:
    """All headers in one file, each twice, and a function with pointers for each law."""
    glue = []
    for k, case in enumerate(cases):
        case.export("c++", folder / f"law{k}.hpp", f"law{k}")
        glue.append(f'#include "law{k}.hpp"\n#include "law{k}.hpp"\n{with_pointers(case, f"law{k}")}')
    (folder / "laws.cpp").write_text("\n".join(glue))
    target = str(folder / "laws.so")
    source = str(folder / "laws.cpp")
    run([*compiler("g++", "c++"), "-O1", "-std=c++17", "-pedantic", *flags, *STRICT, "-o", target, source])
    library = ctypes.CDLL(target)
    for k, case in enumerate(cases):
        assert same_bits(arrays_of(library[f"call_law{k}"], case), case, "-mfma" not in flags), case.law


def with_pointers(case: Case, name: str) -> str:
    inputs, outputs = case.ports
    given = [f"const {type_of(x)} *a{i}" if x.shape else f"double a{i}" for i, x in enumerate(inputs)]
    taken = [f"{type_of(x)} *b{i}" for i, x in enumerate(outputs)]
    call = f"rikigaku::{name}({', '.join(f'*a{i}' if x.shape else f'a{i}' for i, x in enumerate(inputs))})"
    if len(outputs) == 1:
        body = f"*b0 = {call};"
    else:
        names = ", ".join(f"r{i}" for i in range(len(outputs)))
        body = f"const auto [{names}] = {call}; " + " ".join(f"*b{i} = r{i};" for i in range(len(outputs)))
    return f'extern "C" void call_{name}({", ".join([*given, *taken])}) {{ {body} }}'
