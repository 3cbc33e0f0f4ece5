"""Derivatives of a stage of a step as traced programs: directional (tangent) and transposed (adjoint).

Positions count as nq numbers inside the steps, so that the derivatives of successive steps compose without
changes of basis; the callers turn to the tangent space at the ends.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from rikigaku.compiler.kernel import Kernel
from rikigaku.numbers.number_kind import Number
from rikigaku.numbers.program import trace
from rikigaku.numbers.program_derivative import forward, reverse
from rikigaku.rollout.step_program import StepProgram, start_of, sum_of
from rikigaku.simulation.actuation_program import kernel_of
from rikigaku.simulation.kept_programs import kept

Numbers = Sequence[Number]


class TangentProgram(StepProgram):
    """A stage with its directional derivative: every input and output x but t, c has a derivative x'."""

    kind = "tangent step"
    state_names = ("q", "v", "q'", "v'")
    parameter_names = ("p", "p'")

    @property
    def sizes(self) -> dict[str, int]:
        base = super().sizes
        return base | {f"{name}'": size for name, size in base.items() if name not in ("t", "c")}

    def _results(self, x: Mapping[str, Numbers]) -> dict[str, list[Number]]:
        results = self.stage(x)
        seed = {
            node: rate
            for name, nodes in x.items()
            if f"{name}'" in x
            for node, rate in zip(nodes, x[f"{name}'"], strict=True)
        }
        rates = {f"{name}'": [row[0] for row in forward(y, [seed])] for name, y in results.items()}
        both = results | rates
        return {name: both[name] for name in self.outputs if name != "z"}


class AdjointProgram:
    """The transposed derivative of a stage: adjoints of its inputs from those of its outputs.

    Inputs: those of the stage; "adjoint x" for each output x; "cost q", "cost v", which are added to the
    adjoints of q, v; "gathered x" for u, p (rk4: also "start q", "start v"), to which their adjoints are
    added. Outputs: adjoints of q, v (rk4: also of the sums) and of the gathered inputs; for rk4 "all q",
    "all v", the adjoints of the state at the start of the step if this is its first stage.
    """

    def __init__(self, step: StepProgram) -> None:
        self.step = step

    @cached_property
    def states(self) -> tuple[str, ...]:
        """The outputs of the stage without z."""
        return (*self.step.state_names, *self.step.sum_names)

    @cached_property
    def gathered(self) -> tuple[str, ...]:
        """The inputs whose adjoints are added up over the stages."""
        names = (start_of("q"), start_of("v"), "u", "p")
        return tuple(name for name in names if name in self.step.sizes)

    @cached_property
    def sizes(self) -> dict[str, int]:
        base = self.step.sizes
        return (
            base
            | {f"adjoint {name}": base[name] for name in self.states}
            | {f"cost {name}": base[name] for name in ("q", "v")}
            | {f"gathered {name}": base[name] for name in self.gathered}
        )

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        totals = ("all q", "all v") if self.step.sum_names else ()
        return (*self.states, *self.gathered, *totals)

    @cached_property
    def kernel(self) -> Kernel:
        names = tuple(self.sizes)

        def function(*inputs: Any) -> Mapping[str, Any]:
            return self._adjoints(dict(zip(names, inputs, strict=True)))

        shapes = [(name, (size,)) for name, size in self.sizes.items()]
        name = f"{self.step.method} adjoint step of {self.step.robot.name}"
        return kernel_of(trace(name, shapes, function))

    def _adjoints(self, x: Mapping[str, Numbers]) -> dict[str, list[Number]]:
        results = self.step.stage(x)
        product: Number = 0.0
        for name in self.states:
            weights = x[f"adjoint {name}"]
            if (cost := x.get(f"cost {name}")) is not None:
                weights = [a + b for a, b in zip(weights, cost, strict=True)]
            for weight, y in zip(weights, results[name], strict=True):
                product = product + weight * y
        inputs = (*self.states, *self.gathered)
        row = iter(reverse([product], [node for name in inputs for node in x[name]])[0])
        found = {name: [next(row) for _ in x[name]] for name in inputs}
        for name in self.gathered:
            found[name] = [a + b for a, b in zip(x[f"gathered {name}"], found[name], strict=True)]
        if self.step.sum_names:
            for name in ("q", "v"):
                parts = (found[name], found[sum_of(name)], found[start_of(name)])
                found[f"all {name}"] = [a + b + c for a, b, c in zip(*parts, strict=True)]
        return found


def tangent_program(step: StepProgram) -> TangentProgram:
    """The tangent program of a step, made once for a robot."""
    key = (TangentProgram, step.actuation.identity, step.method, step.stop)
    return kept(step.robot, key, lambda: TangentProgram(step.robot, step.actuation, step.method, step.stop))


def adjoint_program(step: StepProgram) -> AdjointProgram:
    """The adjoint program of a step, made once for a robot."""
    key = (AdjointProgram, step.actuation.identity, step.method, step.stop)
    return kept(step.robot, key, lambda: AdjointProgram(step))
