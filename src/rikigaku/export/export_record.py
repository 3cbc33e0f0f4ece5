"""The record that every exporter receives: a program, the name of the function, and its documentation."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from rikigaku.export.identifiers import Names, checked_name, plain
from rikigaku.export.program_walk import Language, Listing, listing
from rikigaku.numbers.program import Port, Program


@dataclass(frozen=True)
class Export:
    """A program to export, with one sentence on it and a description of each input and output."""

    program: Program
    name: str
    summary: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


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
    inputs, outputs = argument_names(program, names)
    lines = listing(program, language, inputs, outputs, names)
    return Text(
        export,
        language,
        names,
        tuple(zip(inputs, program.inputs, strict=True)),
        tuple(zip(outputs, program.outputs, strict=True)),
        lines,
    )


def argument_names(program: Program, names: Names) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the inputs and of the outputs; an output called like an input gets another name."""
    inputs = tuple(names.new(port.name) for port in program.inputs)
    input_names = {port.name for port in program.inputs}
    outputs = tuple(
        names.new(f"{port.name}_out" if port.name in input_names else port.name) for port in program.outputs
    )
    return inputs, outputs


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
