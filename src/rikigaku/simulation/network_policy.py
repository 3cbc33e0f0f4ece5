"""A dense neural network as a controller: joint forces of the state x = (q, v)."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.arrays import floats
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import choice, numbers
from rikigaku.model.mechanism import Mechanism
from rikigaku.numbers.elementary_functions import where
from rikigaku.numbers.hyperbolic_tangent import tanh
from rikigaku.numbers.number_kind import Number
from rikigaku.robot import Robot
from rikigaku.simulation.actuation import Function, Numbers, TorqueSource
from rikigaku.simulation.pd_control import actuated_indices
from rikigaku.simulation.piecewise_polynomial import PiecewisePolynomial


def _relu(x: Number) -> Number:
    return where(x > 0, x, 0.0)


_ACTIVATIONS: dict[str, Callable[[Number], Number]] = {"tanh": tanh, "relu": _relu}
_LARGEST = 20_000  # weights: the network is compiled without loops


class NetworkPolicy(TorqueSource):
    """tau = W_n s(... s(W_1 x + b_1) ...) + b_n in the actuated joints, x = (q, v), s the activation.

    Args:
        layers: pairs (W, b): weights (outputs, inputs) and biases (outputs,), from the state to the torques.
            The first has nq + nv inputs; the last has an output [N m, N] for each actuated coordinate.
        activation: "tanh" or "relu", between the layers.
        scale: factors of the state, (nq + nv,); ones if left out.
    Weights are read at run time: another network of the same layers compiles nothing. `gradient` of a rollout
    has the derivatives by all weights in `controller`; `layers_of` gives them the shape of the layers.
    """

    size = 0
    pieces: PiecewisePolynomial | None = None
    function: Function | None = None
    period: float | None = None

    @checked
    def __init__(
        self,
        robot: Robot,
        layers: Sequence[tuple[ArrayLike, ArrayLike]],
        activation: str = "tanh",
        scale: ArrayLike | None = None,
    ) -> None:
        self.v, self.nv, width = actuated_indices(robot), robot.nv, robot.nq + robot.nv
        self.activation = choice("activation", activation, tuple(_ACTIVATIONS))
        self.scale = np.ones(width) if scale is None else numbers("scale", scale, (width,))
        self.shapes: tuple[tuple[int, int], ...] = ()
        flat: list[float] = []
        inputs = width
        for k, layer in enumerate(layers, 1):
            if not isinstance(layer, Sequence) or len(layer) != 2:
                raise WrongValue(f"Layer {k} of the network is a pair (weights, biases).")
            W = floats(f"The weights of layer {k}", layer[0])
            if W.ndim != 2 or W.shape[1] != inputs:
                raise WrongSize(
                    f"The weights of layer {k} have the shape (outputs, {inputs}); {W.shape} was given."
                )
            b = numbers(f"The biases of layer {k}", layer[1], (len(W),))
            inputs, self.shapes = len(W), (*self.shapes, W.shape)
            flat += [*W.ravel().tolist(), *b.tolist()]
        if not self.shapes or inputs != len(self.v):
            raise WrongSize(
                f"The last layer has {len(self.v)} outputs, one for each actuated coordinate; "
                f"{inputs if self.shapes else 'no layer'} was given."
            )
        if len(flat) > _LARGEST:
            raise WrongValue(
                f"A compiled network has at most {_LARGEST} weights; {len(flat)} were given. Evaluate larger "
                "ones outside, and give their torques as an array."
            )
        if not np.isfinite(flat).all():
            raise WrongValue("The weights of a network are finite; NaN or infinity was given.")
        self.parameters = (*(float(x) for x in self.scale), *flat)

    @property
    def identity(self) -> str:
        return f"NetworkPolicy {self.v} {self.shapes} {self.activation}"

    def layers_of(self, values: ArrayLike) -> list[tuple[Array, Array]]:
        """A vector of the length of `parameters` (a gradient) as pairs (W, b)."""
        x = numbers("values", values, (len(self.parameters),))
        found, at = [], len(self.scale)
        for rows, columns in self.shapes:
            end = at + rows * columns
            found.append((x[at:end].reshape(rows, columns), x[end : end + rows]))
            at = end + rows
        return found

    def forces(
        self, mechanism: Mechanism, t: Number, q: Numbers, v: Numbers, u: Numbers, p: Numbers
    ) -> list[Number]:
        state: list[Any] = [*q, *v]
        x = [a * b for a, b in zip(p, state, strict=False)]
        at, activate = len(state), _ACTIVATIONS[self.activation]
        for k, (rows, columns) in enumerate(self.shapes):
            biases = p[at + rows * columns :]
            sums: list[Number] = []
            for i in range(rows):
                row = p[at + i * columns : at + (i + 1) * columns]
                sums.append(sum((a * b for a, b in zip(row, x, strict=True)), start=biases[i]))
            x = sums if k == len(self.shapes) - 1 else [activate(y) for y in sums]
            at += rows * (columns + 1)
        tau: list[Number] = [0] * mechanism.nv
        for k, y in zip(self.v, x, strict=True):
            tau[k] = y
        return tau
