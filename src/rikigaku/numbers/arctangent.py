"""atan2 by + - * / sqrt and comparisons, for languages that have no such function (WebAssembly).

The angle is halved four times, atan(t) = 2 atan(t/(1 + sqrt(1 + t^2))), then summed as a power series. The
error is a few ulp. Zeros have no sign: the angle of (-1, -0) is pi.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from operator import lt
from typing import Any

from rikigaku.numbers.elementary_functions import cos, sign, sin, sqrt, where
from rikigaku.numbers.program import Program
from rikigaku.numbers.program_evaluation import evaluated

_HALVINGS = 4  # t <= 1 becomes tan(pi/64) < 0.05
_TERMS = 7  # of the series: 0.05^14/15 is below the rounding


def elementary_atan2(y: Any, x: Any) -> Any:
    """The angle of the point (x, y) on numbers with + - * /, `sqrt` and `where`."""
    wide, high = where(x < 0.0, -x, x), where(y < 0.0, -y, y)
    steep = wide < high
    small, large = where(steep, wide, high), where(steep, high, wide)
    t = small / where(large > 0.0, large, 1.0)
    for _ in range(_HALVINGS):
        t = t / (1.0 + sqrt(1.0 + t * t))
    z = t * t
    series: Any = 0.0
    for k in reversed(range(_TERMS)):
        series = series * z + (-1.0) ** k / (2 * k + 1)
    angle = 2.0**_HALVINGS * (t * series)
    angle = where(steep, math.pi / 2 - angle, angle)
    angle = where(x < 0.0, math.pi - angle, angle)
    return where(y < 0.0, -angle, angle)


def without_atan2(program: Program) -> Program:
    """The same program with every atan2 replaced by elementary operations."""
    if not program.operations.counts.get("atan2"):
        return program
    functions: dict[str, Callable[..., Any]] = {"const": float, "less": lt, "choose": where}
    functions |= {"sqrt": sqrt, "sin": sin, "cos": cos, "sign": sign, "atan2": elementary_atan2}
    results = evaluated(program, program.arguments, functions)
    return replace(program, results=tuple(map(tuple, results)))
