"""Traced numbers: a hash-consed graph of elementary operations.

Running a law on nodes records a program. A node is (operation, arguments) and exists once in its graph, which
eliminates common subexpressions. Constants stay Python floats until they are combined with a node; operations
on constants, and with 0 and 1, are folded. Signs move outward (-a*b is -(a*b)), where sums absorb them. Every
rule keeps the value of finite numbers to the last bit (a zero may lose its sign), with two exceptions:
constant factors are merged, and division by a constant becomes multiplication by its reciprocal.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from numbers import Real
from typing import Any, SupportsFloat, SupportsIndex, Union

from rikigaku.core.errors import TooLarge, WrongValue

Traced = Union["Node", float]

ELEMENTARY = "Use sin, cos, sqrt, where, ... of rikigaku.numbers.elementary_functions."

# Operations in the order of tests and tables. "input" and "const" are leaves.
OPERATIONS = (
    "add", "sub", "mul", "div", "neg", "sqrt", "sin", "cos", "sign", "atan2", "less", "choose", "lookup",
)  # fmt: skip


class Node:
    """A traced number. Operators combine nodes of one graph with each other and with floats."""

    __slots__ = ("args", "graph", "id", "op", "value")

    # the float of a constant, the name of an input, the program of a loop body, a table, else None
    value: Any

    def __init__(self, graph: "Graph", op: str, args: tuple["Node", ...], value: Any, id: int) -> None:
        self.graph, self.op, self.args, self.value, self.id = graph, op, args, value, id

    def __repr__(self) -> str:
        inner = self.value if self.op in ("input", "const") else ", ".join(f"#{arg.id}" for arg in self.args)
        return f"<#{self.id} {self.op} {inner}>"

    # NumPy arrays leave operators with nodes to the node.
    __array_ufunc__ = None

    def __neg__(self) -> "Node":
        if self.op == "neg":
            return self.args[0]
        if self.op == "sub":
            a, b = self.args
            if (opposite := self.graph.table.get(("sub", b, a))) is not None:
                return opposite
        return self.graph.node("neg", (self,))

    def __pos__(self) -> "Node":
        return self

    def __add__(self, other: Traced) -> Traced:
        if type(other) is not Node:
            if hasattr(other, "rate"):
                return NotImplemented  # a dual number has the reflected operator
            other = _float(other)
            if other == 0.0:
                return self
            if self.op == "const":
                return self.value + other
            return self.graph.node("add", (self, self.graph.constant(other)))
        if other.op == "neg":
            return self - other.args[0]
        if self.op == "neg":
            return other - self.args[0]
        return self.graph.node("add", (self, other) if self.id <= other.id else (other, self))

    __radd__ = __add__

    def __sub__(self, other: Traced) -> Traced:
        if type(other) is not Node:
            return NotImplemented if hasattr(other, "rate") else self + (-_float(other))
        if other is self:
            return 0.0
        if other.op == "neg":
            return self + other.args[0]
        if self.op == "neg":
            return -(self.args[0] + other)
        graph = self.graph
        if (opposite := graph.table.get(("sub", other, self))) is not None:
            return graph.node("neg", (opposite,))
        return graph.node("sub", (self, other))

    def __rsub__(self, other: Traced) -> Traced:
        return (-self) + other

    def __mul__(self, other: Traced) -> Traced:
        if type(other) is not Node:
            return NotImplemented if hasattr(other, "rate") else self._scaled(_float(other))
        if self.op == "neg":
            return -(self.args[0] * other)
        if other.op == "neg":
            return -(self * other.args[0])
        return self.graph.node("mul", (self, other) if self.id <= other.id else (other, self))

    __rmul__ = __mul__

    def _scaled(self, factor: float) -> Traced:
        if factor == 0.0:
            return 0.0
        if factor == 1.0:
            return self
        if factor < 0.0:
            return -(self._scaled(-factor))
        if self.op == "neg":
            return -(self.args[0]._scaled(factor))
        if self.op == "mul" and self.args[1].op == "const":
            return self.args[0]._scaled(self.args[1].value * factor)
        return self.graph.node("mul", (self, self.graph.constant(factor)))

    def __truediv__(self, other: Traced) -> Traced:
        if type(other) is not Node:
            if hasattr(other, "rate"):
                return NotImplemented
            other = _float(other)
            if other == 0.0:
                raise WrongValue(f"The traced number {self!r} is divided by the constant zero.")
            return self._scaled(1.0 / other)
        if other.op == "neg":
            return -(self / other.args[0])
        if self.op == "neg":
            return -(self.args[0] / other)
        return self.graph.node("div", (self, other))

    def __rtruediv__(self, other: Traced) -> Traced:
        other = _float(other)
        if other == 0.0:
            return 0.0
        if other < 0.0:
            return -((-other) / self)
        return self.graph.node("div", (self.graph.constant(other), self))

    def __pow__(self, exponent: Any) -> Traced:
        if not isinstance(exponent, Real) or exponent % 1 != 0:
            raise WrongValue(f"A traced number takes whole exponents, not {exponent!r}; use sqrt for roots.")
        if exponent < 0:
            return 1.0 / self ** (-exponent)
        result: Traced = 1.0
        for _ in range(int(float(exponent))):
            result = result * self
        return result

    def __lt__(self, other: Traced) -> "Node":
        return self.graph.node("less", (self, self.graph.lift(other)))

    def __gt__(self, other: Traced) -> "Node":
        return self.graph.node("less", (self.graph.lift(other), self))

    def __bool__(self) -> bool:
        raise WrongValue("A traced number has no truth value: a law must not branch on one; use `where`.")

    def __float__(self) -> float:
        raise WrongValue(f"A traced number has no value while a program is being recorded. {ELEMENTARY}")

    def sin(self) -> "Node":
        return -(self.args[0].sin()) if self.op == "neg" else self.graph.node("sin", (self,))

    def cos(self) -> "Node":
        return self.args[0].cos() if self.op == "neg" else self.graph.node("cos", (self,))

    def sqrt(self) -> "Node":
        return self.graph.node("sqrt", (self,))

    def sign(self) -> "Node":
        return self.graph.node("sign", (self,))

    def lifted(self, x: Traced) -> "Node":
        """A constant as a node of this graph."""
        return self.graph.lift(x)

    def atan2(self, x: Traced) -> "Node":
        """The angle of the point (x, self), from -pi to pi."""
        return self.graph.node("atan2", (self, self.graph.lift(x)))

    def lookup(self, table: tuple[float, ...]) -> "Node":
        """The element of a table of constants at the whole part of this number."""
        return self.graph.lookup(table, self)

    def choose(self, yes: Traced, no: Traced) -> Traced:
        """`yes` where this condition holds, else `no`."""
        if yes is no or (type(yes) is float and yes == no):
            return yes
        return self.graph.node("choose", (self, self.graph.lift(yes), self.graph.lift(no)))


class Graph:
    """All nodes of one program, in an order in which every argument precedes its use."""

    # Larger programs cannot be compiled; stopping here avoids filling the memory.
    LARGEST = 1_000_000

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.table: dict[tuple[object, ...], Node] = {}

    def node(self, op: str, args: tuple[Node, ...]) -> Node:
        """The node (op, args), created on first use."""
        key = (op, *args)
        found = self.table.get(key)
        if found is None:
            found = self.table[key] = Node(self, op, args, None, len(self.nodes))
            self.nodes.append(found)
            if len(self.nodes) > self.LARGEST:
                raise TooLarge(f"more than {self.LARGEST} operations were recorded")
        return found

    def constant(self, value: float) -> Node:
        """A constant as a node; -0.0 and 0.0 are different keys."""
        return self._leaf("const", float(value))

    def input(self, name: str) -> Node:
        """The input of that name."""
        return self._leaf("input", name)

    def call(self, body: object, args: tuple[Node, ...]) -> Node:
        """One iteration of a loop whose body is a program of its own (`numbers.repeated_function`)."""
        key = ("call", id(body), *args)  # another body may have the same arguments
        found = self.table.get(key)
        if found is None:
            found = self.table[key] = Node(self, "call", args, body, len(self.nodes))
            self.nodes.append(found)
        return found

    def lookup(self, table: tuple[float, ...], index: Node) -> Node:
        """The element of a table of constants at the whole part of the index."""
        key = ("lookup", id(table), index)  # the node keeps the table alive
        found = self.table.get(key)
        if found is None:
            found = self.table[key] = Node(self, "lookup", (index,), table, len(self.nodes))
            self.nodes.append(found)
        return found

    def result(self, call: Node, k: int) -> Node:
        """The k-th result of an iteration of a loop."""
        key = ("result", call, k)
        found = self.table.get(key)
        if found is None:
            found = self.table[key] = Node(self, "result", (call,), k, len(self.nodes))
            self.nodes.append(found)
        return found

    def lift(self, x: Traced) -> Node:
        """A node for a node or a float."""
        return x if type(x) is Node else self.constant(_float(x))

    def _leaf(self, op: str, value: float | str) -> Node:
        key = (op, value.hex() if type(value) is float else value)
        found = self.table.get(key)
        if found is None:
            found = self.table[key] = Node(self, op, (), value, len(self.nodes))
            self.nodes.append(found)
        return found


def reachable(outputs: Iterable[Traced]) -> Iterator[Node]:
    """The nodes the outputs depend on, arguments before uses."""
    needed: set[Node] = set()
    stack = [x for x in outputs if type(x) is Node]
    while stack:
        node = stack.pop()
        if node not in needed:
            needed.add(node)
            stack.extend(node.args)
    return iter(sorted(needed, key=_id))


def _id(node: Node) -> int:
    return node.id


def _float(x: object) -> float:
    """The number as a float; texts, which float() would parse, are not numbers."""
    if isinstance(x, (int, float)):  # nearly always; the protocols below are slow to test
        return float(x)
    with suppress(TypeError, ValueError):
        if isinstance(x, SupportsFloat | SupportsIndex):
            return float(x)
    raise WrongValue(f"{x!r} is not a number and cannot be combined with a traced number.")
