"""Binary encoding of WebAssembly modules: numbers, sections, functions.

Reference: WebAssembly Core Specification 2.0, chapter 5 (binary format).
"""

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

F64, I32 = 0x7C, 0x7F  # value types
PAGE = 65536  # bytes of a page of memory
_MAGIC = b"\x00asm\x01\x00\x00\x00"

Signature = tuple[tuple[int, ...], tuple[int, ...]]  # types of the parameters and of the results

# Instructions without immediate operands.
OPCODES = {
    "end": b"\x0b", "select": b"\x1b", "i32.or": b"\x72", "i32.xor": b"\x73", "i32.and": b"\x71",
    "i32.shr_u": b"\x76", "f64.eq": b"\x61", "f64.lt": b"\x63", "f64.gt": b"\x64", "f64.abs": b"\x99",
    "f64.neg": b"\x9a", "f64.nearest": b"\x9e", "f64.sqrt": b"\x9f", "f64.add": b"\xa0",
    "f64.sub": b"\xa1", "f64.mul": b"\xa2", "f64.div": b"\xa3", "f64.copysign": b"\xa6",
    "i32.wrap_i64": b"\xa7", "i64.trunc_sat_f64_s": b"\xfc\x06",
}  # fmt: skip


@dataclass(frozen=True)
class Function:
    """A function of a module: its types, the number of its f64 locals, its code, its name if exported."""

    signature: Signature
    locals: int
    code: bytes
    name: str = ""


def unsigned(n: int) -> bytes:
    """LEB128 of a natural number."""
    out = bytearray()
    while True:
        n, low = n >> 7, n & 0x7F
        out.append(low | (0x80 if n else 0))
        if not n:
            return bytes(out)


def signed(n: int) -> bytes:
    """LEB128 of an integer."""
    out = bytearray()
    while True:
        low, n = n & 0x7F, n >> 7
        done = (n == 0 and not low & 0x40) or (n == -1 and low & 0x40)
        out.append(low if done else low | 0x80)
        if done:
            return bytes(out)


def f64_const(x: float) -> bytes:
    return b"\x44" + struct.pack("<d", x)


def i32_const(n: int) -> bytes:
    return b"\x41" + signed(n)


def local_get(k: int) -> bytes:
    return b"\x20" + unsigned(k)


def local_set(k: int) -> bytes:
    return b"\x21" + unsigned(k)


def call(k: int) -> bytes:
    return b"\x10" + unsigned(k)


def f64_load(offset: int) -> bytes:
    """Load from the address on the stack plus the offset; aligned to 8 bytes."""
    return b"\x2b\x03" + unsigned(offset)


def f64_store(offset: int) -> bytes:
    return b"\x39\x03" + unsigned(offset)


def module(functions: Sequence[Function], heap_base: int, sections: dict[str, bytes]) -> bytes:
    """A module without imports: memory, the global "heap_base", the named functions, custom sections."""
    signatures = list(dict.fromkeys(function.signature for function in functions))
    pages = heap_base // PAGE + 1
    exports = [_name("memory") + b"\x02\x00", _name("heap_base") + b"\x03\x00"]
    exports += [_name(f.name) + b"\x00" + unsigned(k) for k, f in enumerate(functions) if f.name]
    constant = bytes([I32, 0]) + i32_const(heap_base) + OPCODES["end"]
    parts = [
        _section(1, _vector(b"\x60" + _types(takes) + _types(gives) for takes, gives in signatures)),
        _section(3, _vector(unsigned(signatures.index(function.signature)) for function in functions)),
        _section(5, _vector([b"\x00" + unsigned(pages)])),
        _section(6, _vector([constant])),
        _section(7, _vector(exports)),
        _section(10, _vector(map(_body, functions))),
        *(_section(0, _name(name) + content) for name, content in sections.items()),
    ]
    return _MAGIC + b"".join(parts)


def _body(function: Function) -> bytes:
    groups = [unsigned(function.locals) + bytes([F64])] if function.locals else []
    code = _vector(groups) + function.code + OPCODES["end"]
    return unsigned(len(code)) + code


def _section(number: int, content: bytes) -> bytes:
    return bytes([number]) + unsigned(len(content)) + content


def _vector(items: Iterable[bytes]) -> bytes:
    items = list(items)
    return unsigned(len(items)) + b"".join(items)


def _types(types: Sequence[int]) -> bytes:
    return unsigned(len(types)) + bytes(types)


def _name(text: str) -> bytes:
    encoded = text.encode()
    return unsigned(len(encoded)) + encoded
