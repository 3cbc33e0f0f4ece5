"""A law as a function that other frameworks differentiate: its kernel, and those of J t and J^T w.

Both products are functions of the same kind, so derivatives of any order are native. Derivatives by a
configuration with quaternions are by all its nq numbers, projected onto the tangent space: T T^+ with
dq/dt = T(q) v. A gradient is then orthogonal to each quaternion, and the step q - h g leaves the unit sphere
by O(h^2) only; `integrate` is the retraction that stays on it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rikigaku.binding.compiled_law import CompiledLaw
from rikigaku.binding.tangent_derivative import directions
from rikigaku.compiler.kernel import Kernel
from rikigaku.compiler.operand_packing import packed_ports
from rikigaku.model.joints.joint_types import joint_type
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.expression_graph import Node, Traced
from rikigaku.numbers.program import Port, Program, Shape
from rikigaku.numbers.program_products import gradient_program, tangent_program


class LawFunction:
    """Native code of a law (`parent` None), or of a product of its parent's derivatives with vectors.

    Args:
        compiled: the specialization of the law.
        active: indices of the parent's inputs with respect to which it is differentiated.
        reverse: the product is J^T w (a gradient), else J t (a derivative in one direction).
        ambient: directions and gradients of q have nq numbers, projected; else the nv of its tangent space.

    Attributes:
        linear: the number of last inputs in which the function is linear: the directions or weights.
    """

    def __init__(
        self,
        compiled: CompiledLaw,
        parent: "LawFunction | None" = None,
        active: tuple[int, ...] = (),
        reverse: bool = False,
        ambient: bool = True,
    ) -> None:
        self.ambient = ambient
        self.compiled, self.parent, self.active, self.reverse = compiled, parent, active, reverse
        self._products: dict[tuple[tuple[int, ...], bool], LawFunction] = {}
        self.linear = 0
        if parent is not None:
            self.linear = len(parent.outputs) if reverse else len(active)

    @property
    def text(self) -> str:
        """What distinguishes the program from the law's, for the cache."""
        if self.parent is None:
            return ""
        kind = "gradient" if self.reverse else "tangent"
        return f"{self.parent.text} {kind}{' (nv)' * (not self.ambient)} {self.active}"

    @cached_property
    def kernel(self) -> Kernel:
        """Native code; recorded and compiled at first use."""
        compiled = self.compiled
        if self.parent is None:
            return compiled.kernel
        name = f"{compiled.called}{self.text}"
        return Kernel(f"{name}\n{compiled.identity}", self._trace, by_program=not compiled.in_package)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Of the law, gravity, wrenches, symbols; then directions or weights."""
        return self.kernel.ports[0]

    @property
    def outputs(self) -> tuple[Port, ...]:
        return self.kernel.ports[1]

    @property
    def packed(self) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
        """Inputs and outputs of the native code: if they are too many, all scalars are one last array."""
        return packed_ports(*self.kernel.ports)

    def tangent(self, active: Sequence[int]) -> "LawFunction":
        """The function (inputs, directions of the active inputs) -> derivative of each output."""
        return self._product(tuple(active), False)

    def gradient(self, active: Sequence[int]) -> "LawFunction":
        """The function (inputs, weights of the outputs) -> derivative of their weighted sum by each active
        input."""
        return self._product(tuple(active), True)

    @property
    def transposed(self) -> "LawFunction":
        """The transposed linear map: the gradient for a tangent and vice versa."""
        assert self.parent is not None
        return self.parent._product(self.active, not self.reverse)

    def _product(self, active: tuple[int, ...], reverse: bool) -> "LawFunction":
        key = active, reverse
        if key not in self._products:
            self._products[key] = LawFunction(self.compiled, self, active, reverse, self.ambient)
        return self._products[key]

    def _trace(self) -> Program:
        assert self.parent is not None
        robot, program = self.compiled.robot, self.parent.kernel.program
        names = self.compiled.law.inputs
        own = "q" in names and robot.nq != robot.nv and program.inputs[names.index("q")].size == robot.nq
        place = names.index("q") if own else -1
        symbols = {
            port.name: nodes[0]
            for port, nodes in zip(program.inputs, program.arguments, strict=True)
            if port.name in robot.free_symbols and not port.shape
        }
        chart = (AmbientChart if self.ambient else TangentChart)(robot, place, symbols)
        return (gradient_program if self.reverse else tangent_program)(program, self.active, chart)


def law_function(compiled: CompiledLaw, ambient: bool = True) -> LawFunction:
    """The function of a specialization, made once: frameworks compare functions by identity."""
    known: dict[bool, LawFunction] = compiled.__dict__.setdefault("_law_functions", {})
    if ambient not in known:
        known[ambient] = LawFunction(compiled, ambient=ambient)
    return known[ambient]


@dataclass(frozen=True)
class AmbientChart:
    """Directions by all numbers of an input; of those of q the components along quaternions are removed.

    place: index of q among the inputs, -1 where its numbers are coordinates of its tangent space.
    """

    robot: RobotModel
    place: int
    symbols: Mapping[str, Node]

    def shape(self, k: int, port: Port) -> Shape:
        return port.shape

    def pushed(self, k: int, x: Sequence[Node], t: Sequence[Traced]) -> Sequence[Traced]:
        return _tangent_part(quaternion_places(self.robot), x, t) if k == self.place else t

    pulled = pushed  # the projection is symmetric


@dataclass(frozen=True)
class TangentChart:
    """Directions of q by the nv numbers of its tangent space: dq/dt = T(q) v."""

    robot: RobotModel
    place: int
    symbols: Mapping[str, Node]

    def shape(self, k: int, port: Port) -> Shape:
        return (self.robot.nv,) if k == self.place else port.shape

    def pushed(self, k: int, x: Sequence[Node], t: Sequence[Traced]) -> Sequence[Traced]:
        if k != self.place:
            return t
        result: list[Traced] = [0.0] * len(x)
        for column, factor in zip(self._columns(x), t, strict=True):
            for node, rate in column.items():
                result[x.index(node)] += rate * factor
        return result

    def pulled(self, k: int, x: Sequence[Node], g: Sequence[Traced]) -> Sequence[Traced]:
        if k != self.place:
            return g
        by_node = dict(zip(x, g, strict=True))
        columns = self._columns(x)
        return [sum((rate * by_node[node] for node, rate in c.items()), start=0.0) for c in columns]

    def _columns(self, x: Sequence[Node]) -> list[dict[Node, Traced]]:
        return directions(self.robot, "q", list(x), self.symbols)


def quaternion_places(robot: RobotModel) -> tuple[int, ...]:
    """Index in q of the first number of each quaternion."""
    places = ((robot.q_slices[joint.name].start, joint_type(joint.type).quaternion) for joint in robot.joints)
    return tuple(first + place for first, place in places if place is not None)


def _tangent_part(places: Sequence[int], q: Sequence[Node], t: Sequence[Traced]) -> list[Traced]:
    """t without its components along the quaternions."""
    result = list(t)
    for first in places:
        own = range(first, first + 4)
        along = sum((q[k] * t[k] for k in own), start=0.0) / sum((q[k] * q[k] for k in own), start=0.0)
        for k in own:
            result[k] = t[k] - q[k] * along
    return result
