"""Exported Rust: compiled, it gives the bits of the native kernel."""

import ctypes
from collections.abc import Sequence
from pathlib import Path

import pytest
from export_cases import (
    Case,
    arrays_of,
    difficult_cases,
    every_law,
    looped_case,
    program_on_path,
    puma,
    run,
    same_bits,
)

from rikigaku.numbers.program import Shape


def test_rust_of_every_law_of_the_puma_gives_the_native_bits(tmp_path: Path) -> None:
    check(every_law(puma()), tmp_path)


def test_rust_of_difficult_laws_gives_the_native_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check([*difficult_cases(), looped_case(monkeypatch)], tmp_path)


def check(cases: Sequence[Case], folder: Path) -> None:
    """Each law is a module of one library, with a function of pointers to call it."""
    glue = ["#![deny(warnings)]"]
    for k, case in enumerate(cases):
        case.export("rust", folder / f"law{k}.rs", f"law{k}")
        glue += [f"mod law{k};", with_pointers(case, f"law{k}")]
    (folder / "laws.rs").write_text("\n".join(glue))
    options = ["--edition", "2021", "--crate-type", "cdylib", "-C", "opt-level=0", "-o"]
    library = str(folder / "laws.so")
    run([program_on_path("rustc", "rustc"), *options, library, str(folder / "laws.rs")])
    functions = ctypes.CDLL(library)
    for k, case in enumerate(cases):
        assert same_bits(arrays_of(functions[f"call_law{k}"], case), case), case.law


def with_pointers(case: Case, name: str) -> str:
    inputs, outputs = case.ports
    given = [f"a{i}: {f'*const {kind(x.shape)}' if x.shape else 'f64'}" for i, x in enumerate(inputs)]
    taken = [f"b{i}: *mut {kind(x.shape)}" for i, x in enumerate(outputs)]
    call = f"{name}::{name}({', '.join(f'&*a{i}' if x.shape else f'a{i}' for i, x in enumerate(inputs))})"
    body = f"let r = {call};"
    if len(outputs) == 1:
        body += " *b0 = r;"
    else:
        body += "".join(f" *b{i} = r.{i};" for i in range(len(outputs)))
    head = f'#[no_mangle]\npub extern "C" fn call_{name}({", ".join([*given, *taken])})'
    return f"{head} {{ unsafe {{ {body} }} }}"


def kind(shape: Shape) -> str:
    result = "f64"
    for count in reversed(shape):
        result = f"[{result}; {count}]"
    return result
