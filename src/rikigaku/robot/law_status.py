"""Reasons why a result of a law is NaN or invalid, as sentences (`law.status`)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rikigaku.binding.bound_law import bound_law
from rikigaku.binding.compiled_law import CompiledLaw
from rikigaku.closure.constraint_consistency import violates_constraints
from rikigaku.core.arrays import Array
from rikigaku.core.errors import NoValue
from rikigaku.model.states import quaternion_errors

_UNIT = 1e-6  # deviation of a quaternion's norm from 1 that is reported
_OPEN = 1e-6  # closure residual that is reported [m, or sine of an angle]


def status(
    compiled: CompiledLaw, inputs: list[Array], overrides: Mapping[str, Any], symbols: Mapping[str, Any]
) -> Any:
    """ "ok" or a sentence, one for each state."""
    robot, law, specialized = compiled.robot, compiled.law, compiled.specialized_to(symbols)
    try:
        with np.errstate(all="ignore"):
            result = specialized(inputs, overrides, symbols, None)
    except NoValue as error:  # at any state
        batch = np.broadcast_shapes(*(x.shape[:-1] for x in inputs))
        return np.full(batch, str(error), dtype=object) if batch else str(error)
    bad = _not_finite(specialized, result)
    known = {**compiled.symbol_values, **symbols}
    reasons = np.full(bad.shape, "ok", dtype=object)
    if law.group in ("closed", "reduced") and law.name != "loop_projection_step":
        torn = violates_constraints(robot, law, inputs, result, known)
        reasons[np.broadcast_to(torn, bad.shape)] = (
            "the loops do not stay closed here: this configuration has another mobility than robot.closure()"
        )
        gaps = np.abs(bound_law(robot, "tree.loop_residual")(inputs[0], symbols=known)).max(
            axis=-1, initial=0
        )
        reasons[np.broadcast_to(gaps > _OPEN, bad.shape)] = (
            "the loops are open here: robot.assemble(...) closes them"
        )
    if law.name == "forward_dynamics" and law.plan is None and robot.couplings:
        torn = violates_constraints(robot, law, inputs, result, known)
        reasons[np.broadcast_to(torn, bad.shape)] = (
            "the gears do not hold in this law: robot.loop_dynamics and robot.reduced include them"
        )
    reasons[bad] = law.singular or "the result overflows"
    if "q" in law.inputs:
        for name, off in quaternion_errors(robot, inputs[0]).items():
            reasons[np.broadcast_to(off > _UNIT, bad.shape)] = f"the quaternion of joint {name!r} is not unit"
    _name_broken_inputs(reasons, bad, specialized, specialized.arrays(inputs, overrides, symbols))
    return reasons if bad.ndim else str(reasons[()])


def _not_finite(compiled: CompiledLaw, result: Any) -> Any:
    results = result if isinstance(result, tuple) else (result,)
    return np.logical_or.reduce(
        [
            ~np.isfinite(x).all(axis=tuple(range(-len(port.shape), 0)))
            for port, x in zip(compiled.kernel.ports[1], results, strict=True)
        ]
    )


def _name_broken_inputs(reasons: Any, bad: Any, compiled: CompiledLaw, arrays: Sequence[Array]) -> None:
    ports = compiled.kernel.ports[0]
    # in reverse, so that the first input that is not finite is reported
    for port, x in reversed(list(zip(ports, arrays, strict=True))):
        for k in reversed(range(port.size)):
            element = x[..., k] if port.shape else x
            name = f"{port.name}[{k}]" if port.shape else port.name
            reasons[np.broadcast_to(~np.isfinite(element), bad.shape) & bad] = f"{name} is not finite"
