"""One state straight into native code where gravity, wrenches or symbols come by name.

The builtin of the program judges the arrays: what it does not take as it is goes the general way.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rikigaku.variant import Variant

Short = Callable[[tuple[Any, ...], Mapping[str, Any], Any], Any]


def short_way(variant: Variant, given: Mapping[str, Any], fixed: Mapping[str, Any]) -> Short | None:
    """A call of the arrays, the keywords and `out`; its answer is None where the general way is needed.

    Args:
        variant: the program that runs. given: the symbols that come by name in every such call.
        fixed: keywords decided beforehand.
    """
    if len(variant.law.outputs) > 1:
        return None
    native, own = variant.one, {port.name: x for port, x in variant.symbol_arrays(given)}
    gravity, frames = variant.recipe.gravity, dict.fromkeys(variant.recipe.frames)

    def short(args: tuple[Any, ...], keywords: Mapping[str, Any], out: Any) -> Any:
        words = {**fixed, **keywords} if fixed else keywords
        try:
            arrays = [np.asarray(words["gravity"])] if gravity else []
            if "wrenches" in words:
                wrenches = words["wrenches"]
                if type(wrenches) is not dict or wrenches.keys() != frames.keys():
                    return None
                arrays += [np.asarray(wrenches[name]) for name in frames]
            arrays += [_number(words[name]) if name in given else x for name, x in own.items()]
        except (TypeError, ValueError, OverflowError):  # no numbers
            return None
        return native(*args, *arrays) if out is None else native(*args, *arrays, out=out)

    return short


def are_vectors(args: tuple[Any, ...]) -> bool:
    """Whether all are arrays of one axis, as those of one state."""
    for x in args:  # noqa: SIM110 - all(...) takes thrice as long, and this is the shortest way in
        if type(x) is not np.ndarray or x.ndim != 1:
            return False
    return True


def _number(x: Any) -> Any:
    return np.asarray(float(x) if type(x) is int else x)
