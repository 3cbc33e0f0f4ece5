"""The walk over a program's instructions that all exported languages share.

A language is a table of spellings. The text around the lines (declarations, loops over states, comments) is
the template of its own module. Parentheses keep the order of operations: where a language has a fused
multiply-add, the text computes the same bits as the native kernel.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import copysign, isfinite
from typing import NamedTuple

from rikigaku.compiler.instructions import Instruction, Operand, instructions, operand
from rikigaku.core.errors import WrongValue
from rikigaku.export.identifiers import Names
from rikigaku.numbers.expression_graph import Node, Traced
from rikigaku.numbers.program import Port, Program, Shape

ANY, SUM, PRODUCT, ATOM = range(4)  # precedence of a text


class Spelling(NamedTuple):
    """Text of an operation, its precedence, and the least precedence of its arguments without parentheses."""

    text: str
    level: int = ATOM
    needs: tuple[int, ...] = (ANY,) * 4


INFIX = {
    "add": Spelling("{0} + {1}", SUM, (SUM, PRODUCT)),
    "sub": Spelling("{0} - {1}", SUM, (SUM, PRODUCT)),
    "mul": Spelling("{0}*{1}", PRODUCT, (PRODUCT, ATOM)),
    "div": Spelling("{0}/{1}", PRODUCT, (PRODUCT, ATOM)),
}


@dataclass(frozen=True)
class Language:
    """The spellings of a language. Texts in braces are filled in; see each field."""

    name: str
    reserved: frozenset[str]
    operations: Mapping[str, Spelling]
    let: str  # {0} is the name, {1} what it stands for
    element: Callable[[str, Shape, int], str]  # the k-th element, row-major, of an array of this shape
    place: Callable[[str, Shape, int], str] | None = None  # the same for results; None: as `element`
    made: Callable[[str, Shape, int], str] | None = None  # the same for arrays that loop bodies return
    store: str = "{0} = {1};"
    sincos: str = ""  # names sine {0} and cosine {1} of {2}; empty: they are operations like the others
    array: str = ""  # {0} is an array of {1} numbers, {2}
    call: str = (
        ""  # {0}: the {1} results of loop body {2} for the arrays {3} (shared) and {4} (of the iteration)
    )
    fused: bool = False  # whether products that feed one sum are fused with it
    inline: int = 0  # how many operations used once may stand inside another
    zeroed: bool = True  # whether new arrays hold zeros, so that none need be stored
    first: int = 0  # index of the first element
    unpack: bool = True  # whether elements of inputs get names of their own
    render: Callable[[str], str] = str  # how a name is shown
    number: Callable[[float], str] | None = None  # rounded, for readers
    product: Callable[[Sequence[str]], str] | None = None  # of factors, equal ones as powers, for readers
    named_elements: bool = False  # whether elements of arguments are shown by names of their own


@dataclass
class Listing:
    """The result of a walk: lines, and the loop bodies that they call by name."""

    lines: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)  # the lines that store results
    loop_bodies: dict[str, Program] = field(default_factory=dict)
    elements: dict[str, list[str]] = field(default_factory=dict)  # of arguments, where they have names


class _Term(NamedTuple):
    text: str
    level: int = ATOM
    size: int = 0  # operations inside
    factors: tuple[str, ...] = ()  # of a product, where a language shows powers


def listing(
    program: Program,
    language: Language,
    inputs: Sequence[str],
    outputs: Sequence[str],
    names: Names,
    elements: Mapping[str, Sequence[str]] | None = None,
) -> Listing:
    """The program in a language; its arguments have these names, further names come from `names`.

    elements: by argument, names of its elements, where they are shown by names of their own.
    """
    return _Walk(program, language, names, elements or {}).run(inputs, outputs)


class _Walk:
    def __init__(
        self, program: Program, language: Language, names: Names, elements: Mapping[str, Sequence[str]]
    ) -> None:
        self.program, self.language, self.names = program, language, names
        self.named = elements
        self.steps = list(instructions(program, language.fused))
        self.uses = _uses(program, self.steps)
        self.constants = {step.index: step.constant for step in self.steps if step.op == "const"}
        self.terms: dict[int, _Term] = {}
        self.pairs: dict[int, tuple[str, str]] = {}  # names of the sine and cosine of an angle
        self.shared: dict[Program, tuple[str, str]] = {}  # function and shared array of a loop
        self.called: dict[Node, tuple[str, Shape]] = {}  # the array of an iteration's results
        self.count = 0
        self.out = Listing()

    def run(self, inputs: Sequence[str], outputs: Sequence[str]) -> Listing:
        known = {port.name for port in self.program.inputs}
        for ports, arguments in ((self.program.inputs, inputs), (self.program.outputs, outputs)):
            for port, name in zip(ports, arguments, strict=True):
                if port.name in self.named and (ports is self.program.inputs or port.name not in known):
                    own = [self.names.new(x) for x in self.named[port.name]]
                    self.out.elements[name] = [self.language.render(x) for x in own]
        self._take_inputs(inputs)
        steps = {step.index: step for step in self.steps if step.op != "input"}
        for node in self.program.nodes:
            if node.id in steps:
                self.terms[node.id] = self._term(steps[node.id])
            elif node.op == "call":
                self._run_iteration(node)
            elif node.op == "result":
                element = self.language.made or self.language.element
                self.terms[node.id] = _Term(element(*self.called[node.args[0]], node.value))
        for name, port, elements in zip(outputs, self.program.outputs, self.program.results, strict=True):
            self._store(name, port, elements)
        return self.out

    def _take_inputs(self, inputs: Sequence[str]) -> None:
        used = {step.index for step in self.steps if step.op == "input"}
        for name, port, nodes in zip(inputs, self.program.inputs, self.program.arguments, strict=True):
            for k, node in enumerate(nodes):
                text = self._element(name, port.shape, k)
                if port.shape and not self.language.unpack:
                    self.names.taken.add(text)
                elif port.shape and node.id in used:
                    element = self.names.new(f"{name}{k + self.language.first}")
                    self._let(element, text)
                    text = element
                self.terms[node.id] = _Term(text)

    def _element(self, name: str, shape: Shape, k: int) -> str:
        own = self.out.elements.get(name)
        return own[k] if own else self.language.element(name, shape, k)

    def _let(self, name: str, text: str) -> None:
        self.out.lines.append(self.language.let.format(name, text))

    def _term(self, step: Instruction) -> _Term:
        if step.op == "const":
            return self._number(step.constant)
        if step.op in ("sin", "cos") and self.language.sincos:
            return self._sine_or_cosine(step)
        op, args = step.op, [self._operand(arg) for arg in step.args]
        last = self.constants.get(step.args[-1].index)
        if op == "add" and last is not None and last < 0:
            op, args[1] = "sub", self._number(-last)
        elif op == "mul" and self.language.product:
            return self._named(step, self._product(args))
        elif op == "add" and self.language.number and args[1].text.startswith("-"):
            op, args[1] = "sub", _Term(args[1].text[1:], ATOM, args[1].size)  # a + (-b + c) reads a - b + c
        spelling = self._spelling(op)
        size = 1 + sum(arg.size for arg in args)
        text = spelling.text.format(*map(_parenthesized, args, spelling.needs))
        if step.op in ("sin", "cos") and size == 1:  # sin(q1) reads better than a name for it
            return _Term(text, spelling.level)
        return self._named(step, _Term(text, spelling.level, size))

    def _product(self, args: Sequence[_Term]) -> _Term:
        """A product for readers: numbers first, signs in front, equal factors as powers."""
        assert self.language.product is not None
        negative = False
        factors: list[str] = []
        for arg in args:
            sign = arg.text.startswith("-") and (bool(arg.factors) or arg.text[1:2].isdigit())
            negative ^= sign
            factors += arg.factors or (arg.text[1:] if sign else _parenthesized(arg, PRODUCT),)
        text = self.language.product(factors)
        size = 1 + sum(arg.size for arg in args)
        return _Term(f"-{text}" if negative else text, SUM if negative else PRODUCT, size, tuple(factors))

    def _named(self, step: Instruction, term: _Term) -> _Term:
        """The term, where it is short and used once; else a name for it, defined by a line."""
        if self.uses[step.index] == 1 and term.size <= self.language.inline:
            return term
        text = term.text
        self.count += 1
        name = self.names.new(f"t{self.count}")
        shown = self.language.render(name)
        self._let(shown, text)
        return _Term(shown)

    def _spelling(self, op: str) -> Spelling:
        operations = self.language.operations
        if op not in operations:
            raise WrongValue(
                f"{self.language.name} has no spelling of {op!r}. Known: {', '.join(operations)}. Add it to "
                "the operations of its Language."
            )
        return operations[op]

    def _number(self, x: float) -> _Term:
        return _Term(self.language.number(x), SUM if x < 0 else ATOM) if self.language.number else number(x)

    def _sine_or_cosine(self, step: Instruction) -> _Term:
        (arg,) = step.args
        if arg.index not in self.pairs:
            n = len(self.pairs) + 1
            self.pairs[arg.index] = self.names.new(f"sin{n}"), self.names.new(f"cos{n}")
            angle = self._operand(arg).text
            self.out.lines += self.language.sincos.format(*self.pairs[arg.index], angle).split("\n")
        return _Term(self.pairs[arg.index][step.op == "cos"])

    def _operand(self, arg: Operand) -> _Term:
        term = self.terms[arg.index]
        if not arg.negative:
            return term
        if term.factors and term.text.startswith("-"):
            return _Term(term.text[1:], PRODUCT, term.size, term.factors)
        return _Term(f"-{_parenthesized(term, PRODUCT)}", SUM, term.size, term.factors)

    def _run_iteration(self, call: Node) -> None:
        """An iteration of a loop: a call of its body with the shared values and its own."""
        if not (self.language.array and self.language.call):
            raise WrongValue(
                f"{self.language.name} has no `array` and `call`, which programs with loops need. Add them "
                "to its Language, or export `rikigaku.numbers.program_evaluation.unrolled(export.program)`."
            )
        body: Program = call.value
        count = body.inputs[0].size
        if body not in self.shared:
            n = len(self.shared) + 1
            self.shared[body] = self.names.new(f"loop_body{n}"), self._array(f"shared{n}", call.args[:count])
            self.out.loop_bodies[self.shared[body][0]] = body
        function, array = self.shared[body]
        n = len(self.called) + 1
        item = self._array(f"item{n}", call.args[count:])
        name, size = self.names.new(f"result{n}"), body.outputs[0].size
        self.out.lines += self.language.call.format(name, size, function, array, item).split("\n")
        self.called[call] = name, (size,)

    def _array(self, name: str, nodes: Sequence[Node]) -> str:
        name = self.names.new(name)
        texts = ", ".join(self._operand(operand(node)).text for node in nodes)
        self.out.lines.append(self.language.array.format(name, len(nodes), texts))
        return name

    def _store(self, name: str, port: Port, elements: Sequence[Traced]) -> None:
        for k, x in enumerate(elements):
            term = self._operand(operand(x)) if isinstance(x, Node) else self._number(float(x))
            if isinstance(x, Node) or not self.language.zeroed or x != 0 or copysign(1, x) < 0:
                place = self.language.place or self._element
                self.out.results.append(self.language.store.format(place(name, port.shape, k), term.text))


def number(x: float) -> _Term:
    """The shortest decimal that reads back as the same number; all these languages round to nearest."""
    if not isfinite(x):
        raise WrongValue(f"The program holds the constant {x}, which has no spelling in other languages.")
    return _Term(repr(x), SUM if copysign(1, x) < 0 else ATOM)


def flat(name: str, shape: Shape, k: int) -> str:
    """Element of an array in row-major order, counted from 0."""
    return f"{name}[{k}]" if shape else name


def indices(shape: Shape, k: int) -> tuple[int, ...]:
    """The indices of the k-th element, row-major, from 0."""
    result: list[int] = []
    for size in reversed(shape):
        result.insert(0, k % size)
        k //= size
    return tuple(result)


def nested(name: str, shape: Shape, k: int) -> str:
    """Element of arrays of arrays, counted from 0: M[1][2]."""
    return name + "".join(f"[{i}]" for i in indices(shape, k))


def _parenthesized(term: _Term, needed: int) -> str:
    return term.text if term.level >= needed else f"({term.text})"


def _uses(program: Program, steps: Sequence[Instruction]) -> Counter[int]:
    uses = Counter(arg.index for step in steps for arg in step.args)
    uses.update(operand(x).index for result in program.results for x in result if isinstance(x, Node))
    uses.update(operand(x).index for node in program.nodes if node.op == "call" for x in node.args)
    return uses
