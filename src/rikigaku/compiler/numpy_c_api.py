"""The few entries of NumPy's and CPython's C interfaces that native code needs, through ctypes."""

import ctypes
import sys
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from typing import Any

import numpy as np

from rikigaku.numbers.program import Port, Program

_umath = import_module("numpy._core._multiarray_umath")  # NumPy's types do not declare it

_ARRAY_NEW = 93  # PyArray_New in NumPy's array interface
_UFUNC_FROM_SIGNATURE = 31  # PyUFunc_FromFuncAndDataAndSignature in its ufunc interface
_FASTCALL_KEYWORDS = 0x0080 | 0x0002  # METH_FASTCALL | METH_KEYWORDS
_OUT_NAME = sys.intern("out")


def symbols() -> dict[str, int]:
    """Addresses under the names generated code uses."""
    vectorcall = ctypes.cast(ctypes.pythonapi.PyObject_Vectorcall, ctypes.c_void_p).value
    release = ctypes.cast(ctypes.pythonapi.Py_DecRef, ctypes.c_void_p).value
    return {
        "rk_array_type": id(np.ndarray),
        "rk_double_descr": id(np.dtype(np.float64)),
        "rk_out_name": id(_OUT_NAME),
        "rk_new_array": _entry(_umath._ARRAY_API, _ARRAY_NEW),
        "rk_vectorcall": int(vectorcall or 0),
        "rk_release": int(release or 0),
    }


@cache
def layout_is_known() -> bool:
    """Whether the memory layout of arrays is the one that the one-state entry assumes; some builds differ."""
    probe = np.zeros((2, 3))

    def at(offset: int, kind: type[Any]) -> Any:
        return kind.from_address(id(probe) + offset).value

    dims = at(32, ctypes.c_void_p)
    return bool(
        ctypes.sizeof(ctypes.c_void_p) == 8
        and at(8, ctypes.c_void_p) == id(np.ndarray)
        and at(16, ctypes.c_void_p) == probe.ctypes.data
        and at(24, ctypes.c_int) == 2
        and [ctypes.c_ssize_t.from_address(dims + 8 * k).value for k in range(2)] == [2, 3]
        and at(56, ctypes.c_void_p) == id(np.dtype(np.float64))
        and at(64, ctypes.c_int) & 0x501 == 0x501  # contiguous, aligned, writeable
        and sys.implementation.name == "cpython"
        and not hasattr(sys, "gettotalrefcount")  # debug builds have another object layout
        and getattr(sys, "_is_gil_enabled", lambda: True)()
    )


class _MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class _Ufunc(ctypes.Structure):
    """PyUFuncObject of NumPy's ufuncobject.h, up to the object that a ufunc owns."""

    _fields_ = (
        ("head", ctypes.c_byte * object.__basicsize__),
        ("counts", ctypes.c_int * 4),
        ("loops", ctypes.c_void_p * 2),
        ("types", ctypes.c_int * 2),
        ("texts", ctypes.c_void_p * 4),
        ("obj", ctypes.py_object),
    )


def builtin(name: str, address: int, fallback: Callable[..., Any], keep: object) -> Callable[..., Any]:
    """A builtin function at that address whose self is `fallback`, and which keeps `keep` alive."""
    method = _MethodDef(name.encode(), address, _FASTCALL_KEYWORDS, None)
    own = partial(fallback)
    own.__dict__.update(keep=(method, keep))  # CPython lets self own the method definition
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    function: Callable[..., Any] = make(ctypes.addressof(method), own, None)
    return function


def gufunc(program: Program, address: int, keep: object, single: bool = False) -> np.ufunc:
    """The loop at that address as a NumPy generalized ufunc, which keeps `keep` alive.

    single: of float32 instead of float64.
    """
    ports = (*program.inputs, *program.outputs)
    loops = (ctypes.c_void_p * 1)(address)
    data = (ctypes.c_void_p * 1)(None)
    number = np.dtype(np.float32 if single else np.float64).num
    types = ctypes.create_string_buffer(bytes([number]) * len(ports))
    name, doc = ctypes.create_string_buffer(program.name.encode()), ctypes.create_string_buffer(b"")
    text = ctypes.create_string_buffer(signature(program).encode())
    prototype = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int,
        ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p,
    )  # fmt: skip
    make = prototype(_entry(_umath._UFUNC_API, _UFUNC_FROM_SIGNATURE))
    pointers = [ctypes.cast(x, ctypes.c_void_p) for x in (loops, data, types, name, doc, text)]
    ufunc: np.ufunc = make(
        *pointers[:3],
        1,
        len(program.inputs),
        len(program.outputs),
        -1,
        pointers[3],
        pointers[4],
        0,
        pointers[5],
    )
    kept = (loops, data, types, name, doc, text, keep)  # NumPy keeps pointers into these
    if hasattr(ufunc, "__dict__"):
        ufunc.__dict__.update(keep=kept)
    else:  # NumPy before 2.2
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
        _Ufunc.from_address(id(ufunc)).obj = kept
    return ufunc


def signature(program: Program) -> str:
    """The gufunc signature, with every core dimension a number: "(7),(7),(7)->(7)"."""
    return f"{_shapes(program.inputs)}->{_shapes(program.outputs)}"


def _shapes(ports: tuple[Port, ...]) -> str:
    return ",".join(f"({','.join(map(str, port.shape))})" for port in ports)


def _entry(capsule: object, index: int) -> int:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    table = ctypes.cast(get(capsule, None), ctypes.POINTER(ctypes.c_void_p))
    return int(table[index] or 0)
