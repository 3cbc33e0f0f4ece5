"""A program for readers, in LaTeX or Markdown: inputs, numbered variables, results, operations."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from rikigaku.export.export_record import Export, Text, size, text
from rikigaku.export.identifiers import plain
from rikigaku.export.program_walk import PRODUCT, SUM, Language, Spelling, indices
from rikigaku.numbers.latex_names import latex_name
from rikigaku.numbers.program import Port, Program, Shape
from rikigaku.numbers.program_evaluation import unrolled

_LINES = 20  # equations in one block: renderers of Markdown are slow with long ones


def _element(name: str, shape: Shape, k: int) -> str:
    """Indices count from 1."""
    return latex_name(name, tuple(i + 1 for i in indices(shape, k)))


def _number(x: float) -> str:
    """A number with twelve digits: 0.0028799999999999997 is shown as 0.00288."""
    digits, _, power = f"{x:.12g}".partition("e")
    return rf"{digits} \cdot 10^{{{int(power)}}}" if power else digits


def _product(factors: Sequence[str]) -> str:
    """Numbers first; equal factors as powers."""
    counts = Counter(factors)
    ordered = sorted(counts, key=lambda x: not x[0].isdigit())
    return r" \, ".join(x if counts[x] == 1 else _power(x, counts[x]) for x in ordered)


def _power(base: str, n: int) -> str:
    """A function has its exponent behind its name: sin^2(q)."""
    if found := re.fullmatch(r"(\\sin|\\cos)(\(.*\))", base):
        return f"{found[1]}^{{{n}}}{found[2]}"
    simple = re.fullmatch(r"\(.*\)|[\\\w{},]*", base) and not base.startswith((r"\frac", r"\sqrt", r"\begin"))
    return f"{base}^{{{n}}}" if simple else f"({base})^{{{n}}}"


MATHEMATICS = Language(
    "LaTeX",
    frozenset(),
    {
        "add": Spelling("{0} + {1}", SUM, (SUM, SUM)),
        "sub": Spelling("{0} - {1}", SUM, (SUM, PRODUCT)),
        "div": Spelling(r"\frac{{{0}}}{{{1}}}"),
        "sqrt": Spelling(r"\sqrt{{{0}}}"),
        "sin": Spelling(r"\sin({0})"),
        "cos": Spelling(r"\cos({0})"),
        "sign": Spelling(r"\operatorname{{sign}}({0})"),
        "atan2": Spelling(r"\operatorname{{atan2}}({0}, {1})"),
        "choose": Spelling(
            r"\begin{{cases}} {2} & {0} < {1} \\ {3} & \text{{else}} \end{{cases}}", needs=(SUM, SUM, 0, 0)
        ),
    },
    let="{0} &= {1}",
    element=_element,
    store="{0} &= {1}",
    inline=8,
    unpack=False,
    render=latex_name,
    number=_number,
    product=_product,
    named_elements=True,
)


def latex(export: Export) -> str:
    """A piece of LaTeX for a document that uses amsmath."""
    document = _document(export)
    parts = [f"% {line}".rstrip() for line in document.description()]
    parts += [rf"\subsection*{{{_escaped(export.name)}}}", _escaped(export.summary), ""]
    for title, arguments, descriptions in _arguments(document):
        items = [
            rf"  \item ${_argument(document, name, port)}$ ({_size(port)}): {_escaped(description)}"
            for (name, port), description in zip(arguments, descriptions, strict=True)
        ]
        if items:
            parts += [rf"\paragraph{{{title}}}", r"\begin{itemize}", *items, r"\end{itemize}"]
    for title, lines in _equations(document):
        rows = " \\\\\n".join(f"  {line}" for line in lines)
        block = ["{\\allowdisplaybreaks\n\\begin{align*}", rows, "\\end{align*}}"] if lines else []
        parts += [rf"\paragraph{{{title}}}", *block]
    return "\n".join([*parts, rf"\paragraph{{Operations}} {export.program.operations}.", ""])


def markdown(export: Export) -> str:
    """A page of Markdown with formulas between dollar signs."""
    document = _document(export)
    parts = [f"# {_marked(export.name)}", "", _marked(export.summary), ""]
    for title, arguments, descriptions in _arguments(document):
        items = [
            f"- ${_argument(document, name, port)}$ ({size(port)}): {_marked(description)}"
            for (name, port), description in zip(arguments, descriptions, strict=True)
        ]
        parts += [f"## {title}", "", *items, ""]
    for title, lines in _equations(document):
        parts += [f"## {title}", ""]
        for k in range(0, len(lines), _LINES):
            rows = " \\\\\n".join(lines[k : k + _LINES])
            parts += [f"$$\n\\begin{{aligned}}\n{rows}\n\\end{{aligned}}\n$$", ""]
    return "\n".join([*parts, "## Operations", "", f"{export.program.operations}.", ""])


def _document(export: Export) -> Text:
    program = unrolled(export.program)
    return text(replace(export, program=program), MATHEMATICS)


def _argument(document: Text, name: str, port: Port) -> str:
    """The argument with the names of its elements, where they have some."""
    own = document.listing.elements.get(name)
    return f"{latex_name(name)} = ({', '.join(own)})" if own else latex_name(name)


def _arguments(document: Text) -> list[tuple[str, tuple[tuple[str, Port], ...], tuple[str, ...]]]:
    export = document.export
    return [
        ("Inputs", document.inputs, export.inputs),
        ("Outputs", document.outputs, export.outputs),
    ]


def _equations(document: Text) -> list[tuple[str, list[str]]]:
    rest = " (elements not listed are zero)" if _has_zeros(document.export.program) else ""
    steps = [("Intermediate variables", document.listing.lines)] if document.listing.lines else []
    return [*steps, (f"Results{rest}", document.listing.results)]


def _has_zeros(program: Program) -> bool:
    return any(isinstance(x, (int, float)) and x == 0 for elements in program.results for x in elements)


def _size(port: Port) -> str:
    return "$" + size(port).replace("x", r"\times") + "$" if port.shape else size(port)


def _escaped(words: str) -> str:
    """Words from a robot's file as text of LaTeX."""
    return re.sub(r"[_^]", lambda found: {"_": r"\_", "^": r"\^{}"}[found[0]], plain(words))


def _marked(words: str) -> str:
    """Words from a robot's file as text of Markdown."""
    return re.sub(r"([_\[\]])", r"\\\1", plain(words))
