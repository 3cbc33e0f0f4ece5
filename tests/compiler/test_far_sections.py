"""Code reaches its data wherever the sections of an object are loaded."""

import struct
import sys

import pytest

import rikigaku as rk
from rikigaku.compiler import native_code

PC_RELATIVE = {2, 4, 9, 41, 42}  # PC32, PLT32, GOTPCREL and its two relaxed forms, of 32 bits


def relocations(code: bytes) -> list[int]:
    """Types of the relocations of an ELF64 object's code."""
    (first,) = struct.unpack_from("<Q", code, 40)
    size, count = struct.unpack_from("<HH", code, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", code, first + k * size) for k in range(count)]
    found = []
    for header in headers:
        if header[1] == 4 and headers[header[7]][2] & 4:  # RELA of an executable section
            for at in range(header[4], header[4] + header[5], 24):
                found.append(struct.unpack_from("<QII", code, at)[1])
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="objects of Linux are read")
def test_code_has_no_relative_addresses_of_32_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """LLVM aborts where such an address does not reach: sections may lie more than 2 GB apart."""
    if not native_code.host().triple.startswith("x86_64"):
        pytest.skip("of x86-64 only")
    codes = []
    plain = native_code.Library.__init__

    def kept(self: native_code.Library, code: bytes, *args: object, **options: object) -> None:
        codes.append(code)
        plain(self, code, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(native_code.Library, "__init__", kept)
    arm = rk.load("planar_3r").bind(l1=0.123)
    arm.inverse_dynamics([0.1] * 3, [0.2] * 3, [0.3] * 3)
    arm.mass_matrix([[0.1] * 3] * 5)
    assert codes
    types = [kind for code in codes for kind in relocations(code)]
    assert types
    assert not PC_RELATIVE & set(types)
