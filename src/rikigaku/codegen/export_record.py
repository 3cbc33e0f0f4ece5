"""What every exporter gets: a program, the name of the function to make, and words for its reader."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from rikigaku.codegen.export_names import Names, checked_name, plain
from rikigaku.codegen.export_walk import Language, Listing, listing
from rikigaku.numbers.program import Port, Program


@dataclass(frozen=True)
class Export:
    """A program on its way into another language. The meanings go with the program's inputs and outputs."""

    program: Program
    name: str
    summary: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True)
class Text:
    """A program in a language: names of the arguments and the lines, for the language's template."""

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
        """Whether any of the operations occurs, here or in a turn of a loop."""
        counts = self.export.program.operations.counts
        return any(counts.get(op, 0) for op in operations)

    def description(self, width: int = 100) -> list[str]:
        """Lines for a comment: what it computes, its arguments and its cost. No line can leave a comment."""
        summary = textwrap.wrap(plain(self.export.summary), width)
        lines = [*summary, f"Operations: {self.export.program.operations}.", ""]
        for title, arguments, meanings in (
            ("Inputs", self.inputs, self.export.inputs),
            ("Outputs", self.outputs, self.export.outputs),
        ):
            lines.append(f"{title}:")
            for (name, port), meaning in zip(arguments, meanings, strict=True):
                text = f"{name} ({size(port)}): {plain(meaning)}"
                lines += textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="    ")
        return lines


def text(export: Export, language: Language) -> Text:
    """The program walked through in a language."""
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
    given = {port.name for port in program.inputs}
    outputs = tuple(
        names.new(f"{port.name}_out" if port.name in given else port.name) for port in program.outputs
    )
    return inputs, outputs


def turn(program: Program, language: Language) -> Listing:
    """One turn of a loop: arrays `shared` and `item` go in, `results` come out."""
    names = Names((*language.reserved, "shared", "item", "results"), language.render)
    return listing(program, language, ("shared", "item"), ("results",), names)


def size(port: Port) -> str:
    """The shape of an argument in words."""
    return " x ".join(map(str, port.shape)) or "a number"


def indented(lines: Sequence[str], by: int = 4) -> list[str]:
    """The lines moved right."""
    return [f"{' ' * by}{line}" if line else line for line in lines]
