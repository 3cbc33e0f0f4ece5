"""The record that every exporter receives: a program, the name of the function, and its documentation."""

import textwrap
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field

from rikigaku.export.identifiers import Names, checked_name, plain
from rikigaku.export.program_walk import Language, Listing, listing
from rikigaku.numbers.program import Port, Program, Shape


@dataclass(frozen=True)
class Export:
    """A program to export, with one sentence on it and a description of each input and output.

    elements: by input or output, names of its elements for readers ("v": ("theta1_dot", ...)), where they
    have names of their own. has_absent: results that do not exist are NaN, made by a division by zero.
    """

    program: Program
    name: str
    summary: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    elements: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    has_absent: bool = False


@dataclass(frozen=True)
class Text:
    """A program in a language: names of its arguments and its lines, for the template of the language."""

    export: Export
    language: Language
    names: Names
    inputs: tuple[tuple[str, Port], ...]
    outputs: tuple[tuple[str, Port], ...]
    listing: Listing

    @property
    def name(self) -> str:
        return self.export.name

    def uses(self, *operations: str) -> bool:
        """Whether any of the operations occurs, here or in the body of a loop."""
        counts = self.export.program.operations.counts
        return any(counts.get(op, 0) for op in operations)

    def description(self, width: int = 100) -> list[str]:
        """Lines for a comment: what it computes, its arguments and its cost. No line can leave a comment."""
        summary = textwrap.wrap(plain(self.export.summary), width)
        lines = [*summary, f"Operations: {self.export.program.operations}.", ""]
        for title, arguments, descriptions in (
            ("Inputs", self.inputs, self.export.inputs),
            ("Outputs", self.outputs, self.export.outputs),
        ):
            lines.append(f"{title}:")
            for (name, port), description in zip(arguments, descriptions, strict=True):
                text = f"{name} ({size(port)}): {plain(description)}"
                lines += textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="    ")
        return lines


def text(export: Export, language: Language) -> Text:
    """The program written in a language."""
    checked_name(export.name, language.reserved, language.name)
    names = Names((*language.reserved, export.name), language.render)
    program = export.program
    elements = export.elements if language.named_elements else {}
    element = language.element if language.named_elements else None
    inputs, outputs = argument_names(program, names, element, elements)
    lines = listing(program, language, inputs, outputs, names, elements)
    return Text(
        export,
        language,
        names,
        tuple(zip(inputs, program.inputs, strict=True)),
        tuple(zip(outputs, program.outputs, strict=True)),
        lines,
    )


def argument_names(
    program: Program,
    names: Names,
    element: Callable[[str, Shape, int], str] | None = None,
    named: Container[str] = (),
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the inputs and of the outputs; an output called like an input gets another name.

    element: the text of an element, where no element may look like another argument (g_{1} and the symbol
    g1); named: arguments whose elements have names of their own.
    """
    inputs = {port.name for port in program.inputs}

    def new(port: Port, ending: str) -> str:
        if element is None or port.name in named:
            return names.new(port.name + ending)
        elements = range(port.size if port.shape else 0)
        wanted = port.name + ending
        if not names.taken.isdisjoint(element(wanted, port.shape, k) for k in elements):
            wanted = f"{port.name}_{'in' if port in program.inputs else 'out'}"
        return names.new(wanted, lambda name: (element(name, port.shape, k) for k in elements))

    places = range(len(program.inputs))
    ordered = sorted(places, key=lambda k: bool(program.inputs[k].shape and element))  # symbols come first
    known = {k: new(program.inputs[k], "") for k in ordered}
    outputs = tuple(new(port, "_out" * (port.name in inputs)) for port in program.outputs)
    return tuple(known[k] for k in places), outputs


def loop_body(program: Program, language: Language) -> Listing:
    """One iteration of a loop: arrays `shared` and `item` go in, `results` come out."""
    names = Names((*language.reserved, "shared", "item", "results"), language.render)
    return listing(program, language, ("shared", "item"), ("results",), names)


def size(port: Port) -> str:
    """The shape of an argument as text."""
    return " x ".join(map(str, port.shape)) or "a number"


def indented(lines: Sequence[str], by: int = 4) -> list[str]:
    """The lines moved right."""
    return [f"{' ' * by}{line}" if line else line for line in lines]
