"""The adjoint of one step for a block of worlds, as calls of the programs of its stages."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rikigaku.rollout.lanes import Lanes, filled
from rikigaku.rollout.step_derivative import AdjointProgram
from rikigaku.rollout.step_loop import Place, ProgramCall, program_call
from rikigaku.rollout.step_program import coefficients


class AdjointStep:
    """The stages of a step forward, and their adjoints backward.

    inputs: places of q and v at the start of the step, and of t, u and p.
    """

    def __init__(self, adjoint: AdjointProgram, dt: float, count: int, inputs: Mapping[str, Place]) -> None:
        step, sizes = adjoint.step, adjoint.sizes
        self.adjoint, self.count = adjoint, count
        self._arrays: dict[tuple[Any, str], Lanes] = {}
        self._coefficients = [filled(np.array(c)) for c in coefficients(step.method, dt)]
        self._shared: dict[str, Place] = {name: inputs[name] for name in ("t", "u", "p") if name in sizes}
        self._shared |= step.starts_at(inputs)
        # the inputs of each stage that the stage before it computes
        self._at: list[dict[str, Place]] = [{"q": inputs["q"], "v": inputs["v"], **step.sums_at(inputs)}]
        for k in range(len(self._coefficients) - 1):
            self._at.append({name: self._array(k, name) for name in adjoint.states})

    def forward(self) -> list[ProgramCall]:
        """The stages, except the last, whose results the adjoints do not need."""
        step, calls = self.adjoint.step, []
        for k, found in enumerate(self._at[1:]):
            stopped = {} if step.stop is None else {"z": self._array(k, "z", 1)}
            calls.append(program_call(step, k, self._inputs(k), {**found, **stopped}))
        return calls

    def backward(
        self, before: Mapping[str, Place], after: Mapping[str, Place], cost: Mapping[str, Place] | None = None
    ) -> list[ProgramCall]:
        """The adjoints of the stages, the last one first.

        before: adjoints of the state after the step, and of p so far. after: places of the adjoints of the
        state at its start, of u, and of p. cost: what is added to the adjoints of q and v; left out: nothing.
        Zeros where a place is missing.
        """
        adjoint, sums = self.adjoint, self.adjoint.step.sum_names
        sizes, names = adjoint.sizes, (*adjoint.states, *adjoint.gathered)
        zeros: dict[str, Place] = {name: Lanes(1, size) for name, size in sizes.items()}
        flow: dict[str, Place] = {f"adjoint {x}": before.get(x, zeros[x]) for x in adjoint.states}
        flow |= {f"cost {x}": (cost or zeros).get(f"cost {x}", zeros[x]) for x in ("q", "v")}
        flow |= {
            f"gathered {x}": before[x] if x == "p" and x in before else zeros[x] for x in adjoint.gathered
        }
        calls = []
        for k in reversed(range(len(self._at))):
            outputs: dict[str, Place] = {name: self._array((k % 2, "adjoint"), name) for name in names}
            outputs |= {f"all {name}": self._array("all", name) for name in ("q", "v")}
            if k == 0:
                own = {f"all {x}" if sums and x in "qv" else x: place for x, place in after.items()}
                outputs |= {name: place for name, place in own.items() if name in adjoint.outputs}
            calls.append(program_call(adjoint, k, self._inputs(k) | flow, outputs))
            flow = {f"adjoint {name}": outputs[name] for name in adjoint.states}
            flow |= {f"cost {name}": zeros[name] for name in ("q", "v")}
            flow |= {f"gathered {name}": outputs[name] for name in adjoint.gathered}
        return calls

    def _inputs(self, stage: int) -> dict[str, Place]:
        return self._shared | self._at[stage] | {"c": self._coefficients[stage]}

    def _array(self, place: Any, name: str, size: int | None = None) -> Lanes:
        """An array for results in between, one for each place and name."""
        if (place, name) not in self._arrays:
            size = self.adjoint.step.sizes[name] if size is None else size
            self._arrays[place, name] = Lanes(self.count, size)
        return self._arrays[place, name]
