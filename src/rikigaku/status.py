"""Why a result of a law is NaN or not to be trusted, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rikigaku.arrays import Array
from rikigaku.constraints.records import CLOSED
from rikigaku.constraints.staying import tearing
from rikigaku.errors import NoValue
from rikigaku.states import quaternion_errors
from rikigaku.variant import Variant

_UNIT = 1e-6  # how far from 1 the length of a quaternion may be before it is worth a word
_OPEN = 1e-6  # what may be left of the equations of loops


def status(
    variant: Variant, inputs: list[Array], overrides: Mapping[str, Any], symbols: Mapping[str, Any]
) -> Any:
    """ "ok" or a sentence, one for each state."""
    robot, law, runs = variant.robot, variant.law, variant.running(symbols)
    try:
        with np.errstate(all="ignore"):
            result = runs(inputs, overrides, symbols, None)
    except NoValue as error:  # at any state
        batch = np.broadcast_shapes(*(x.shape[:-1] for x in inputs))
        return np.full(batch, str(error), dtype=object) if batch else str(error)
    bad = _not_finite(runs, result)
    known = {**variant.decided, **symbols}
    words = np.full(bad.shape, "ok", dtype=object)
    if law.name in CLOSED and law.plan is not None and law.name != "closing_step":
        torn = tearing(robot, law.name, inputs, result, known)
        words[np.broadcast_to(torn, bad.shape)] = (
            "the loops do not stay closed here: they move in another way than robot.closure() says"
        )
        gaps = np.abs(robot.loop_residual(inputs[0], symbols=known)).max(axis=-1, initial=0)  # type: ignore[attr-defined]
        words[np.broadcast_to(gaps > _OPEN, bad.shape)] = (
            "the loops are open here: robot.assemble(...) closes them"
        )
    if law.name == "forward_dynamics" and law.plan is None and robot.couplings:
        torn = tearing(robot, law.name, inputs, result, known)
        words[np.broadcast_to(torn, bad.shape)] = (
            "the gears do not hold in this law: robot.loop_dynamics and robot.reduced know them"
        )
    words[bad] = law.singular or "the result overflows"
    if "q" in law.inputs:
        for name, off in quaternion_errors(robot, inputs[0]).items():
            words[np.broadcast_to(off > _UNIT, bad.shape)] = f"the quaternion of joint {name!r} is not unit"
    _name_broken_inputs(words, bad, runs, runs.arrays(inputs, overrides, symbols))
    return words if bad.ndim else str(words[()])


def _not_finite(variant: Variant, result: Any) -> Any:
    results = result if isinstance(result, tuple) else (result,)
    return np.logical_or.reduce(
        [
            ~np.isfinite(x).all(axis=tuple(range(-len(port.shape), 0)))
            for port, x in zip(variant.kernel.ports[1], results, strict=True)
        ]
    )


def _name_broken_inputs(words: Any, bad: Any, variant: Variant, arrays: Sequence[Array]) -> None:
    ports = variant.kernel.ports[0]
    # the first that is broken has the last word
    for port, x in reversed(list(zip(ports, arrays, strict=True))):
        for k in reversed(range(port.size)):
            element = x[..., k] if port.shape else x
            name = f"{port.name}[{k}]" if port.shape else port.name
            words[np.broadcast_to(~np.isfinite(element), bad.shape) & bad] = f"{name} is not finite"
