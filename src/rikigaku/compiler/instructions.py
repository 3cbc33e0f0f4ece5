"""A program as a list of instructions, with fused multiply-adds.

A product that is used by one sum only is fused with it. Native code for one state, for batches and exported
sources all use this list, so that they give the same bits.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from rikigaku.numbers.expression_graph import Node
from rikigaku.numbers.program import Program

# Signs are part of operands, comparisons part of choices; loops run after all instructions.
_NOT_INSTRUCTIONS = ("neg", "less", "call", "result")


@dataclass(frozen=True, slots=True)
class Operand:
    """A value with a sign: what instruction `index` computes, or its negative."""

    index: int
    negative: bool = False


@dataclass(frozen=True, slots=True)
class Instruction:
    """index = op(args). Leaves carry `value`: (input number, element) or a constant; a lookup its table."""

    index: int
    op: str
    args: tuple[Operand, ...] = ()
    value: float | tuple[int, int] | tuple[float, ...] | None = None

    @property
    def constant(self) -> float:
        """The value of a "const"."""
        assert isinstance(self.value, float)
        return self.value

    @property
    def position(self) -> tuple[int, int]:
        """Number of the input and of its element, of an "input"."""
        assert isinstance(self.value, tuple)
        number, element = self.value
        return int(number), int(element)

    @property
    def table(self) -> tuple[float, ...]:
        """The constants of a "lookup"."""
        assert isinstance(self.value, tuple)
        return self.value


def instructions(program: Program, fuse: bool = True) -> Iterator[Instruction]:
    """The program's instructions, arguments before uses."""
    positions = {
        node: (number, element)
        for number, nodes in enumerate(program.arguments)
        for element, node in enumerate(nodes)
    }
    fused_products = _fused_products(program) if fuse else {}
    products = set(fused_products.values())
    for node in program.nodes:
        if node.op in _NOT_INSTRUCTIONS or node in products:
            continue
        if node.op == "input":
            yield Instruction(node.id, "input", value=positions[node])
        elif node.op == "const":
            yield Instruction(node.id, "const", value=float(node.value))
        elif (product := fused_products.get(node)) is not None:
            yield _fused(node, product)
        elif node.op == "choose":  # comparisons are made where they are used: (a < b) ? yes : no
            condition, yes, no = node.args
            yield Instruction(node.id, "choose", tuple(operand(x) for x in (*condition.args, yes, no)))
        elif node.op == "lookup":
            yield Instruction(node.id, "lookup", (operand(node.args[0]),), node.value)
        else:
            yield Instruction(node.id, node.op, tuple(operand(arg) for arg in node.args))


def operand(node: Node) -> Operand:
    """The node as an operand; a sign in front of it moves onto the operand."""
    return Operand(node.args[0].id, True) if node.op == "neg" else Operand(node.id)


def _fused_products(program: Program) -> dict[Node, Node]:
    """For each sum that is fused with a product: that product. The product has no other use."""
    uses = Counter(arg for node in program.nodes for arg in node.args)
    uses.update(x for result in program.results for x in result if isinstance(x, Node))
    chosen: dict[Node, Node] = {}
    for node in program.nodes:
        if node.op in ("add", "sub"):
            for arg in reversed(node.args):
                if arg.op == "mul" and uses[arg] == 1:
                    chosen[node] = arg
                    break
    return chosen


def _fused(node: Node, product: Node) -> Instruction:
    """x*y + z with the signs of the sum worked in."""
    x, y = (operand(arg) for arg in product.args)
    first = node.args[0] is product
    z = operand(node.args[1] if first else node.args[0])
    if node.op == "sub":
        if first:
            z = Operand(z.index, not z.negative)
        else:
            x = Operand(x.index, not x.negative)
    return Instruction(node.id, "fma", (x, y, z))
