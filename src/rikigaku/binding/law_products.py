"""Products of a law's derivatives with vectors in plain calls: J^T w, J t, and the change of J^T w along t.

None of them forms a Jacobian: J t and J^T w cost two to three times the law.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rikigaku.binding.arguments import LawArguments
from rikigaku.binding.compiled_law import CompiledLaw, CompiledLaws, named_tuple
from rikigaku.binding.framework_call import batch_shape
from rikigaku.binding.law_function import LawFunction, law_function
from rikigaku.core.arrays import Array, empty, floats
from rikigaku.core.errors import UnknownName, WrongSize, WrongValue
from rikigaku.core.value_text import short
from rikigaku.numbers.program import Port


class LawProducts:
    """A call of the products of one law. Those by q are in its tangent space (nv numbers)."""

    def __init__(
        self, arguments: LawArguments, laws: CompiledLaws, args: Sequence[Any], keywords: Mapping[str, Any],
        names: Sequence[str],
    ) -> None:  # fmt: skip
        parsed = arguments.parsed(args, keywords)
        compiled = laws.of(parsed.options, parsed.overrides)
        symbols = [name for name in names if name not in arguments.law.inputs]
        if not symbols:
            compiled = compiled.specialized_to(parsed.symbols)
        self.compiled: CompiledLaw = compiled
        self.function = law_function(compiled, ambient=False)
        self.inputs = compiled.arrays(parsed.inputs, parsed.overrides, parsed.symbols)

    def gradient(self, weights: Any, wrt: Sequence[str]) -> Any:
        function = self.function.gradient(self._places(wrt))
        return named_tuple("Gradient", tuple(wrt))(
            *self._run(function, [*self.inputs, *self._weights(weights)])
        )

    def tangent(self, directions: Mapping[str, Any]) -> Any:
        places, vectors = self._directions(self.function, directions)
        results = self._run(self.function.tangent(places), [*self.inputs, *vectors])
        if len(results) == 1:
            return results[0]
        return named_tuple("Results", tuple(port.name for port in self.function.outputs))(*results)

    def hessian_product(self, weights: Any, directions: Mapping[str, Any], wrt: Sequence[str]) -> Any:
        gradient = self.function.gradient(self._places(wrt))
        places, vectors = self._directions(self.function, directions)
        operands = [*self.inputs, *self._weights(weights), *vectors]
        return named_tuple("Gradient", tuple(wrt))(*self._run(gradient.tangent(places), operands))

    def _places(self, names: Sequence[str]) -> tuple[int, ...]:
        known = [port.name for port in self.function.inputs]
        for name in names:
            if not isinstance(name, str):
                raise WrongValue(f"directions of {self.compiled.called} have names, not {short(name)}.")
            if name not in known:
                raise UnknownName("input or symbol", name, known, f"the law {self.compiled.called}")
        return tuple(known.index(name) for name in names)

    def _weights(self, weights: Any) -> list[Array]:
        ports = self.function.outputs
        given = weights if len(ports) > 1 and isinstance(weights, tuple) else (weights,)
        if len(given) != len(ports):
            raise WrongSize(
                f"weights of {self.compiled.called} are a tuple of {len(ports)} arrays, one for each result "
                f"({', '.join(port.name for port in ports)})."
            )
        what = f"weights of {self.compiled.called}"
        return [_ending(what, x, port) for x, port in zip(given, ports, strict=True)]

    def _directions(
        self, function: LawFunction, directions: Mapping[str, Any]
    ) -> tuple[tuple[int, ...], list[Array]]:
        if not isinstance(directions, Mapping) or not directions:
            raise WrongValue(
                f"directions of {self.compiled.called} are given by name, as "
                f'{{"{self.compiled.law.inputs[0]}": ...}}, not as {short(directions)}.'
            )
        places = self._places(tuple(directions))
        ports = function.tangent(places).inputs[-len(places) :]
        vectors = [_ending(port.name, x, port) for x, port in zip(directions.values(), ports, strict=True)]
        return places, vectors

    def _run(self, function: LawFunction, operands: Sequence[Array]) -> list[Array]:
        batch = batch_shape(self.compiled.called, function.inputs, [x.shape for x in operands])
        results = [empty((*batch, *port.shape)) for port in function.outputs]
        function.kernel(operands, results)
        return results


def _ending(what: str, x: Any, port: Port) -> Array:
    """An array of float64 whose last axes have the shape of the port."""
    array = floats(what, x)
    if array.ndim < len(port.shape) or array.shape[array.ndim - len(port.shape) :] != port.shape:
        raise WrongSize(f"{what} ends in axes {port.shape}; an array of shape {np.shape(array)} was given.")
    return array
