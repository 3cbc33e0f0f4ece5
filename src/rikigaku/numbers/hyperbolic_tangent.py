"""tanh by arithmetic and tables: the same bits for one state, for batches and in exported code.

With y = 2 |x| = k ln 2 + r, |r| <= ln(2)/2: exp(y) - 1 = 2^k (exp(r) - 1) + (2^k - 1) loses no digits, and
tanh |x| = (exp(y) - 1) / (exp(y) + 1). Error below 4 ulp.
"""

import math

from rikigaku.numbers.elementary_functions import lookup, where
from rikigaku.numbers.number_kind import Number

_LARGEST = 20.0  # tanh is 1 beyond 19.1
_POWERS = tuple(2.0**k for k in range(60))
_WHOLE = tuple(float(k) for k in range(60))
# ln 2 as a float of 32 bits, whose products with whole numbers are exact, and what it lacks
_LN2 = 0.693147180369123816490, 1.90821492927058770002e-10
_SERIES = tuple(1.0 / math.factorial(k) for k in range(14, 0, -1))  # of (exp(r) - 1) / r


def tanh(x: Number) -> Number:
    """The hyperbolic tangent; its derivative by the recorded operations is that of tanh to rounding."""
    negative = x < 0
    y = 2.0 * where(negative, -x, x)
    y = where(y > 2 * _LARGEST, 2 * _LARGEST, y)
    place = y * (1.0 / math.log(2.0)) + 0.5
    k, power = lookup(_WHOLE, place), lookup(_POWERS, place)
    r = (y - k * _LN2[0]) - k * _LN2[1]
    p: Number = _SERIES[0]
    for c in _SERIES[1:]:
        p = p * r + c
    grown = power * (r * p) + (power - 1.0)
    result = grown / (grown + 2.0)
    return where(negative, -result, result)
