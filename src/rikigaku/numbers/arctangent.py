"""atan2 by arithmetic: the same bits for one state, for batches and in WebAssembly.

The smaller of |x| and |y| over the larger, t, is reduced to at most tan(pi/8) without a second division:
atan t = pi/4 + atan((t-1)/(t+1)); a polynomial gives the rest. Error below 2 ulp; zeros have no sign.
Polynomial coefficients: Sun's fdlibm (s_atan.c), 1993, valid up to 7/16.
"""

from collections.abc import Callable
from dataclasses import replace
from operator import lt
from typing import Any

from rikigaku.numbers.elementary_functions import cos, sign, sin, sqrt, where
from rikigaku.numbers.number_kind import Number
from rikigaku.numbers.program import Program
from rikigaku.numbers.program_evaluation import evaluated

_POLYNOMIAL = (
    1.62858201153657823623e-02, -3.65315727442169155270e-02, 4.97687799461593236017e-02,
    -5.83357013379057348645e-02, 6.66107313738753120669e-02, -7.69187620504482999495e-02,
    9.09088713343650656196e-02, -1.11111104054623557880e-01, 1.42857142725034663711e-01,
    -1.99999999998764832476e-01, 3.33333333333329318027e-01,
)  # fmt: skip
_TANGENT = 0.41421356237309503  # of pi/8
# pi/4, pi/2 and pi, each as a float and what it lacks
_QUARTER = 0.7853981633974483, 3.061616997868383e-17
_HALF = 1.5707963267948966, 6.123233995736766e-17
_WHOLE = 3.141592653589793, 1.2246467991473532e-16


def elementary_atan2(y: Number, x: Number) -> Number:
    """The angle of the point (x, y), from -pi to pi; zero at the origin."""
    a, b = where(x < 0, -x, x), where(y < 0, -y, y)
    steep = a < b
    large, small = where(steep, b, a), where(steep, a, b)
    near_one = _TANGENT * large < small
    above = where(near_one, small - large, small)
    below = where(near_one, small + large, large)
    t = above / where(below > 0, below, 1.0)
    z = t * t
    p: Number = _POLYNOMIAL[0]
    for c in _POLYNOMIAL[1:]:
        p = p * z + c
    low, high = where(near_one, _QUARTER[1], 0.0), where(near_one, _QUARTER[0], 0.0)
    # angle = high + low + t - t z p; the small parts are summed first
    rest = low - t * (z * p)
    first = high + (t + rest)
    folded = where(steep, _HALF[0] - (first - _HALF[1]), first)
    angle = where(x < 0, _WHOLE[0] - (folded - _WHOLE[1]), folded)
    return where(y < 0, -angle, angle)


def without_atan2(program: Program) -> Program:
    """The program with every atan2 by arithmetic, and loops unrolled if it has any."""
    if not any(node.op == "atan2" for node in program.nodes):
        return program
    functions: dict[str, Callable[..., Any]] = {"const": float, "less": lt, "choose": where}
    functions |= {"sqrt": sqrt, "sin": sin, "cos": cos, "sign": sign, "atan2": elementary_atan2}
    results = evaluated(program, program.arguments, functions)
    return replace(program, results=tuple(map(tuple, results)))
