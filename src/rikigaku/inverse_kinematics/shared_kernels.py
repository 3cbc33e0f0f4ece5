"""Kernels that do not depend on an arm, by name, and their calls."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rikigaku.compiler.kernel import Kernel
from rikigaku.core.types import Array
from rikigaku.numbers.program import trace

Ports = Sequence[tuple[str, tuple[int, ...]]]
_shared: dict[str, Kernel] = {}


def general_kernel(name: str, inputs: Ports, function: Callable[..., Any]) -> Kernel:
    """The kernel of that name."""
    if name not in _shared:
        _shared[name] = Kernel(name, lambda: trace(name, inputs, function))
    return _shared[name]


def run(
    kernel: Kernel, inputs: Sequence[Array], shapes: Sequence[tuple[int, ...]], single: bool = False
) -> list[Array]:
    """The outputs of a kernel, with these shapes, in this thread. Results that are not finite are NaN.

    single: in single precision, from and to arrays of float32. The caller ignores NumPy's warnings
    (np.errstate): entering it here would cost more than a small kernel.
    """
    outputs = [np.empty(shape, np.float32 if single else np.float64) for shape in shapes]
    (kernel.batch32 if single else kernel.batch)(*inputs, out=tuple(outputs))
    return outputs
