"""A program as the code of one WebAssembly function.

WebAssembly has no fused multiply-add, so results agree with the native kernel to rounding, not to the bit.
All inputs are read before anything is written: outputs may overlap inputs.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rikigaku.core.errors import WrongValue
from rikigaku.export.wasm_encoding import (
    OPCODES,
    call,
    f64_const,
    f64_load,
    f64_store,
    i32_const,
    local_get,
    local_set,
)
from rikigaku.numbers.expression_graph import Node, Traced
from rikigaku.numbers.program import Program

# Operations inside one expression: engines compile deep expressions recursively.
_DEEPEST = 64

_BINARY = {"add": "f64.add", "sub": "f64.sub", "mul": "f64.mul", "div": "f64.div"}
_UNARY = {"neg": "f64.neg", "sqrt": "f64.sqrt"}


class Local(NamedTuple):
    """Read or write of a value by its number, which gets a local variable of the function later."""

    number: int
    is_write: bool


@dataclass
class Scratch:
    """Memory of the module for the arrays of loops, by its first free byte."""

    end: int

    def array(self, size: int) -> int:
        """The address of a new array of numbers."""
        address, self.end = self.end, self.end + 8 * size
        return address


@dataclass
class FunctionCode:
    """Code of a function whose parameters are the addresses of its input arrays, then of its outputs.

    Args:
        bodies: indices of the functions of loop bodies. sincos: index of the function of sine and cosine.
        one_block: inputs are one array, and outputs another; else each is an array of its own.
    """

    program: Program
    bodies: Callable[[Program], int]
    sincos: int
    scratch: Scratch
    one_block: bool = True
    _code: list[bytes | Local] = field(default_factory=list)
    _numbers: dict[Node, int] = field(default_factory=dict)
    _depth: dict[Node, int] = field(default_factory=dict)
    _pairs: dict[Node, tuple[int, int]] = field(default_factory=dict)
    _results: dict[Node, int] = field(default_factory=dict)
    _shared: dict[Program, int] = field(default_factory=dict)
    _count: int = 0

    @property
    def parameters(self) -> int:
        """How many addresses the function takes."""
        return 2 if self.one_block else len(self.program.inputs) + len(self.program.outputs)

    def encoded(self) -> tuple[int, bytes]:
        """Number of local variables, and the code."""
        nodes = self.program.nodes
        # A comparison is part of the code of each `choose` that reads it, so its arguments are read there.
        uses = Counter(arg for node in nodes if node.op != "less" for arg in _arguments(node))
        uses.update(x for result in self.program.results for x in result if isinstance(x, Node))
        uses.update(node.args[0] for node in nodes if node.op == "sign")  # its code reads it four times
        self._load_inputs(set(nodes))
        for node in nodes:
            if node.op in ("input", "const", "result", "less"):
                continue
            if node.op == "call":
                self._run_iteration(node)
            elif node.op in ("sin", "cos"):
                self._sine_and_cosine(node.args[0])
            else:
                self._depth[node] = 1 + max(self._depth.get(arg, 0) for arg in _arguments(node))
                if uses[node] > 1 or self._depth[node] > _DEEPEST:
                    code = self._expression(node)
                    self._keep(node, code)
        self._store_results()
        return self._with_locals()

    def _load_inputs(self, needed: set[Node]) -> None:
        offset = 0
        for k, nodes in enumerate(self.program.arguments):
            for element, node in enumerate(nodes):
                if node in needed:
                    place = local_get(0) if self.one_block else local_get(k)
                    at = 8 * (offset + element) if self.one_block else 8 * element
                    self._keep(node, [place, f64_load(at)])
            offset += len(nodes)

    def _keep(self, node: Node, code: Sequence[bytes | Local]) -> None:
        """The value of a node in a variable."""
        self._code += [*code, self._write(node)]
        self._depth[node] = 0

    def _write(self, node: Node) -> Local:
        self._numbers[node] = self._new()
        return Local(self._numbers[node], True)

    def _new(self) -> int:
        self._count += 1
        return self._count

    def _value(self, x: Traced) -> list[bytes | Local]:
        """Code that puts a value on the stack."""
        if not isinstance(x, Node):
            return [f64_const(float(x))]
        if x in self._numbers:
            return [Local(self._numbers[x], False)]
        if x.op == "const":
            return [f64_const(float(x.value))]
        if x.op in ("sin", "cos"):
            return [Local(self._pairs[x.args[0]][x.op == "cos"], False)]
        if x.op == "result":
            return [i32_const(self._results[x.args[0]]), f64_load(8 * x.value)]
        return self._expression(x)

    def _expression(self, node: Node) -> list[bytes | Local]:
        op, args = node.op, [self._value(arg) for arg in node.args if arg.op != "less"]
        if op in _BINARY:
            return [*args[0], *args[1], OPCODES[_BINARY[op]]]
        if op in _UNARY:
            return [*args[0], OPCODES[_UNARY[op]]]
        if op == "sign":  # 1, -1, or x itself where it is zero or not a number
            (x,) = args
            one = [f64_const(1.0), *x, OPCODES["f64.copysign"]]
            below = [*x, f64_const(0.0), OPCODES["f64.lt"]]
            above = [*x, f64_const(0.0), OPCODES["f64.gt"]]
            return [*one, *x, *below, *above, OPCODES["i32.or"], OPCODES["select"]]
        if op == "choose":
            a, b = (self._value(arg) for arg in node.args[0].args)
            return [*args[0], *args[1], *a, *b, OPCODES["f64.lt"], OPCODES["select"]]
        raise WrongValue(f"WebAssembly has no instruction for {op!r}, which the program needs.")

    def _sine_and_cosine(self, angle: Node) -> None:
        if angle not in self._pairs:
            s, c = self._pairs[angle] = self._new(), self._new()
            self._code += [*self._value(angle), call(self.sincos), Local(c, True), Local(s, True)]

    def _run_iteration(self, node: Node) -> None:
        """An iteration of a loop: a call of its body with arrays in the scratch memory."""
        body: Program = node.value
        count = body.inputs[0].size
        if body not in self._shared:
            self._shared[body] = self._array(node.args[:count])
        item = self._array(node.args[count:])
        self._results[node] = self.scratch.array(body.outputs[0].size)
        addresses = self._shared[body], item, self._results[node]
        self._code += [*map(i32_const, addresses), call(self.bodies(body))]

    def _array(self, nodes: Sequence[Node]) -> int:
        address = self.scratch.array(len(nodes))
        for k, node in enumerate(nodes):
            self._code += [i32_const(address), *self._value(node), f64_store(8 * k)]
        return address

    def _store_results(self) -> None:
        offset, first = 0, len(self.program.inputs)
        for k, elements in enumerate(self.program.results):
            for element, x in enumerate(elements):
                place = local_get(1) if self.one_block else local_get(first + k)
                at = 8 * (offset + element) if self.one_block else 8 * element
                self._code += [place, *self._value(x), f64_store(at)]
            offset += len(elements)

    def _with_locals(self) -> tuple[int, bytes]:
        """The code with local variables in place of values; a variable is used again after its last read."""
        last = {item.number: at for at, item in enumerate(self._code) if isinstance(item, Local)}
        variables: dict[int, int] = {}
        unused: list[int] = []
        out, count = bytearray(), 0
        for at, item in enumerate(self._code):
            if isinstance(item, bytes):
                out += item
                continue
            if item.number not in variables:
                if not unused:
                    unused.append(self.parameters + count)
                    count += 1
                variables[item.number] = unused.pop()
            variable = variables[item.number]
            out += local_set(variable) if item.is_write else local_get(variable)
            if last[item.number] == at:
                unused.append(variable)
        return count, bytes(out)


def _arguments(node: Node) -> tuple[Node, ...]:
    """Arguments of a node, with those of its comparison."""
    return tuple(x for arg in node.args for x in (arg.args if arg.op == "less" else (arg,)))
