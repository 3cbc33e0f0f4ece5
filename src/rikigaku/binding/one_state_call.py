"""Calls of native code with one state where gravity, wrenches or symbols are keywords.

The builtin of the program checks the arrays. Where it cannot take them as they are, the general call follows.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rikigaku.binding.compiled_law import CompiledLaw

OneStateCall = Callable[[tuple[Any, ...], Mapping[str, Any], Any], Any]


def one_state_call(
    compiled: CompiledLaw, symbols: Mapping[str, Any], fixed: Mapping[str, Any]
) -> OneStateCall | None:
    """A function of the arrays, the keywords and `out`; it returns None where the general call is needed.

    Args:
        compiled: the program to run. symbols: those that every such call names. fixed: keywords set before.
    """
    if len(compiled.law.outputs) > 1:
        return None
    native, own = compiled.one, {port.name: x for port, x in compiled.symbol_arrays(symbols)}
    gravity, frames = compiled.specialization.gravity, dict.fromkeys(compiled.specialization.frames)

    def call(args: tuple[Any, ...], keywords: Mapping[str, Any], out: Any) -> Any:
        values = {**fixed, **keywords} if fixed else keywords
        try:
            arrays = [np.asarray(values["gravity"])] if gravity else []
            if "wrenches" in values:
                wrenches = values["wrenches"]
                if type(wrenches) is not dict or wrenches.keys() != frames.keys():
                    return None
                arrays += [np.asarray(wrenches[name]) for name in frames]
            arrays += [_number(values[name]) if name in symbols else x for name, x in own.items()]
        except (TypeError, ValueError, OverflowError):  # no numbers
            return None
        return native(*args, *arrays) if out is None else native(*args, *arrays, out=out)

    return call


def are_vectors(args: tuple[Any, ...]) -> bool:
    """Whether all are arrays with one axis, as for one state."""
    for x in args:  # noqa: SIM110 - all(...) takes three times as long in every call
        if type(x) is not np.ndarray or x.ndim != 1:
            return False
    return True


def _number(x: Any) -> Any:
    return np.asarray(float(x) if type(x) is int else x)
