"""Laws of a robot traced once and evaluated on any kind of number: floats, arrays, balls, residues.

The trace holds each operation once, and none on zeros. Constants (lengths like 0.4, the sine of 15 degrees)
are inputs, so that each kind of number represents them exactly.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from operator import add, lt, mul, neg, sub, truediv
from typing import Any

from rikigaku.laws.closed.loop_equations import loop_alignment, loop_bias, loop_jacobian, loop_residual
from rikigaku.laws.tree.regressor import regressor
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.elementary_functions import atan2, cos, sign, sin, sqrt, where
from rikigaku.numbers.expression_graph import Node
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.number_kind import FLOATS, Kind, Number, right_angle_sin_cos
from rikigaku.numbers.program import Program, trace
from rikigaku.numbers.program_evaluation import unrolled

Constant = Callable[[Kind], Number]  # a constant in any kind of number

_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "add": add,
    "sub": sub,
    "mul": mul,
    "div": truediv,
    "neg": neg,
    "sqrt": sqrt,
    "sin": sin,
    "cos": cos,
    "sign": sign,
    "atan2": atan2,
    "less": lt,
    "choose": where,
}


class Tape:
    """A traced program as a list of operations, for repeated evaluation."""

    def __init__(self, program: Program) -> None:
        program = unrolled(program)
        self.shapes = [port.shape for port in program.outputs]
        place: dict[Node, int] = {}
        for node in (node for nodes in program.arguments for node in nodes):
            place[node] = len(place)
        self.inputs = len(place)
        self.constants: list[float] = []
        rest = [node for node in program.nodes if node not in place]
        for node in (node for node in rest if node.op == "const"):
            place[node] = self.inputs + len(self.constants)
            self.constants.append(float(node.value))
        self.steps = []
        for node in (node for node in rest if node.op != "const"):
            self.steps.append((_FUNCTIONS[node.op], tuple(place[x] for x in node.args)))
            place[node] = len(place)
        self.results = [
            [place[x] if isinstance(x, Node) else float(x) for x in elements] for elements in program.results
        ]

    def __call__(self, inputs: Sequence[Number]) -> list[list[Number]]:
        """The elements of every output, row-major; floats where they are constant."""
        known = [*inputs, *self.constants]
        append = known.append
        for function, args in self.steps:
            if len(args) == 2:
                append(function(known[args[0]], known[args[1]]))
            else:
                append(function(*[known[k] for k in args]))
        return [[known[x] if type(x) is int else x for x in places] for places in self.results]


class _Constants:
    """Constants of a mechanism as inputs of the trace, in the order of first use."""

    def __init__(self, inputs: Sequence[Number] | None = None) -> None:
        self.constants: dict[Any, Constant] = {}
        self._inputs = inputs

    def rational(self, value: Any) -> Number:
        if value in (-1, 0, 1):  # these fold away and keep structural zeros
            return float(value)
        return self._one(("rational", value), lambda kind: kind.rational(value))

    def pi(self) -> Number:
        return self._one("pi", lambda kind: kind.pi())

    def sin_cos(self, angle: Formula) -> tuple[Number, Number]:
        if right_angle_sin_cos(float(angle)) is not None:
            return FLOATS.sin_cos(angle)
        s = self._one(("sin", angle), lambda kind: kind.sin_cos(angle)[0])
        return s, self._one(("cos", angle), lambda kind: kind.sin_cos(angle)[1])

    def sqrt(self, value: Formula) -> Number:
        return self._one(("sqrt", value), lambda kind: kind.sqrt(value))

    def _one(self, key: Any, constant: Constant) -> Number:
        if key not in self.constants:
            self.constants[key] = constant
        if self._inputs is None:
            return constant(FLOATS)
        return self._inputs[list(self.constants).index(key)]


class RecordedLaws:
    """The laws of one robot, each traced at its first use."""

    def __init__(self, robot: RobotModel) -> None:
        self.robot = robot
        first = _Constants()
        instantiate(robot, first, dict.fromkeys(robot.free_symbols, 0.5))
        self._constants = list(first.constants.values())

    def numbers(self, kind: Kind, symbols: Mapping[str, Number]) -> list[Number]:
        """Constants and symbols in a kind of number: the first inputs of every law."""
        return [*(ask(kind) for ask in self._constants), *(symbols[x] for x in self.robot.free_symbols)]

    @cached_property
    def structure(self) -> Mechanism:
        """Bodies and joints; its numbers are arbitrary."""
        return instantiate(self.robot, FLOATS, dict.fromkeys(self.robot.free_symbols, 0.5))

    @cached_property
    def closing(self) -> Tape:
        """(numbers, q) -> residual, alignment and Jacobian of the loops."""

        def law(mechanism: Mechanism, q: Any) -> dict[str, Any]:
            return {
                "residual": loop_residual(mechanism, q),
                "alignment": loop_alignment(mechanism, q),
                "jacobian": loop_jacobian(mechanism, q),
            }

        return self._tape(law, self.robot.nq)

    @cached_property
    def bias(self) -> Tape:
        """(numbers, q, v) -> second rate of the residual without accelerations."""
        return self._tape(lambda m, q, v: {"bias": loop_bias(m, q, v)}, self.robot.nq, self.robot.nv)

    def regressor(self, gravity: Any, joint_parameters: bool) -> Tape:
        """(numbers, q, v, a, gravity) -> the regressor of the tree; without gravity if None."""
        known = self.__dict__.setdefault("_regressors", {})
        if (gravity, joint_parameters) not in known:
            nq, nv = self.robot.nq, self.robot.nv

            def law(m: Mechanism, q: Any, v: Any, a: Any, *g: Any) -> dict[str, Any]:
                return {"Y": regressor(m, q, v, a, tuple(g[0]) if g else (0.0, 0.0, 0.0), joint_parameters)}

            known[gravity, joint_parameters] = self._tape(law, nq, nv, nv, *([3] if gravity else []))
        return known[gravity, joint_parameters]

    def _tape(self, law: Callable[..., dict[str, Any]], *sizes: int) -> Tape:
        names = self.robot.free_symbols

        def function(constants: Any, symbols: Any, *inputs: Any) -> dict[str, Any]:
            mechanism = instantiate(self.robot, _Constants(constants), dict(zip(names, symbols, strict=True)))
            return law(mechanism, *inputs)

        shapes = [("constants", (len(self._constants),)), ("symbols", (len(names),))]
        shapes += [(f"input{k}", (size,)) for k, size in enumerate(sizes)]
        return Tape(trace("recorded", shapes, function))


@lru_cache(maxsize=32)
def recorded(robot: RobotModel) -> RecordedLaws:
    """The recorded laws of a robot."""
    return RecordedLaws(robot)
