r"""MathML of the LaTeX that the package writes, for pages read without scripts.

The subset: letters, numbers, operators, sub- and superscripts, \frac, \sqrt, \left \right, accents, Greek
letters, named functions, \mathrm, \operatorname, \text, and the environments bmatrix, aligned and cases.
"""

import re
from collections.abc import Callable, Iterator
from html import escape

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongValue
from rikigaku.numbers.latex_names import THIN_PRIMITIVE

_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|[0-9]+(?:\.[0-9]+)?|\s+|[A-Za-z]|.", re.DOTALL)
_LETTERS = re.findall(
    r"\w+",
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi"
    " chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega",
)
_GREEK = dict(zip(_LETTERS, "αβγδϵζηθικλμνξπρστυϕχψωΓΔΘΛΞΠΣΦΨΩ", strict=True))
_OPERATORS = {
    "cdot": "⋅", "times": "×", "pm": "±", "mp": "∓", "le": "≤", "ge": "≥", "leq": "≤", "geq": "≥", "neq": "≠",
    "approx": "≈", "to": "→", "in": "∈", "top": "⊤", "ldots": "…", "dots": "…", "cdots": "⋯", "partial": "∂",
    "sum": "∑", "infty": "∞", "{": "{", "}": "}", "|": "‖", "%": "%", "_": "_", "#": "#", "&": "&", "$": "$",
    "lbrace": "{", "rbrace": "}", "equiv": "≡", "circ": "∘", "prime": "′",
}  # fmt: skip
_SPACES = {
    ",": 0.167, ":": 0.222, ";": 0.278, "!": -0.167, " ": 0.333, "quad": 1.0, "qquad": 2.0, "enspace": 0.5,
}  # fmt: skip
_FUNCTIONS = {"sin", "cos", "tan", "exp", "log", "det", "min", "max", "arctan", "arccos", "arcsin"}
_ACCENTS = {"dot": "˙", "ddot": "¨", "hat": "^", "bar": "¯", "tilde": "~", "vec": "→", "dddot": "⃛"}
_TEXTS = {"text": "mtext", "textrm": "mtext", "mathrm": "mi", "operatorname": "mi", "mathsf": "mi"}
_BOLD = {"mathbf", "boldsymbol", "bm"}
_IGNORED = {"displaystyle", "textstyle", "limits", "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "nonumber"}
_ENVIRONMENTS = {
    "bmatrix": "[]",
    "pmatrix": "()",
    "matrix": "  ",
    "aligned": "  ",
    "cases": "{ ",
    "array": "  ",
}


@checked
def mathml(latex: str, display: bool = False) -> str:
    """The <math> element of a formula.

    Raises:
        WrongValue: for LaTeX outside the subset, with the command that is not known.
    """
    content = _Reader(latex).row(frozenset())
    block = ' display="block"' if display else ""
    return f"<math{block}>{content}</math>"


class _Reader:
    """Recursive descent over the tokens of one formula."""

    def __init__(self, latex: str) -> None:
        self.latex = latex
        self.tokens = [
            token for token in _TOKEN.findall(latex.replace(THIN_PRIMITIVE, r"\, ")) if not token.isspace()
        ]
        self.at = 0

    @property
    def token(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.token
        self.at += 1
        return token

    def expect(self, wanted: str) -> None:
        if self.take() != wanted:
            raise WrongValue(f"{wanted!r} is missing in the LaTeX {self.latex[:80]!r}.")

    def row(self, ends: frozenset[str]) -> str:
        """Items up to one of the ends, which is not taken."""
        found = []
        while self.token and self.token not in ends:
            found.append(self.scripted())
        return "".join(found)

    def group(self) -> str:
        """A group in braces, or one item, as one element."""
        if self.token != "{":
            return self.item()
        return _one(self.braces())

    def braces(self) -> str:
        self.expect("{")
        inside = self.row(frozenset("}"))
        self.expect("}")
        return inside

    def scripted(self) -> str:
        """An item with its sub- and superscript."""
        base = _one(self.braces()) if self.token == "{" else self.item()
        scripts: dict[str, str] = {}
        while self.token in ("_", "^", "'"):
            mark = self.take()
            scripts["^" if mark == "'" else mark] = "<mo>′</mo>" if mark == "'" else self.group()
        if not scripts:
            return base
        base = base or "<mrow></mrow>"
        if len(scripts) == 2:
            return f"<msubsup>{base}{scripts['_']}{scripts['^']}</msubsup>"
        ((mark, script),) = scripts.items()
        tag = "msub" if mark == "_" else "msup"
        return f"<{tag}>{base}{script}</{tag}>"

    def item(self) -> str:
        token = self.take()
        if token.startswith("\\") and len(token) > 1:
            return self.command(token[1:])
        if token[:1].isdigit():
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{escape(token)}</mi>"
        if token == "{":
            self.at -= 1
            return _one(self.braces())
        if token == "-":
            token = "−"
        if token == "&":
            raise WrongValue(f"A column mark outside a matrix in the LaTeX {self.latex[:80]!r}.")
        return f"<mo>{escape(token)}</mo>" if token not in "()[]|" else f'<mo stretchy="false">{token}</mo>'

    def command(self, name: str) -> str:
        if name in _GREEK:
            return f"<mi>{_GREEK[name]}</mi>"
        if name in _FUNCTIONS:
            return f"<mi>{name}</mi>"
        if name in _OPERATORS:
            return f"<mo>{escape(_OPERATORS[name])}</mo>"
        if name in _SPACES:
            return f'<mspace width="{_SPACES[name]}em"/>'
        if name in _ACCENTS:
            return f'<mover accent="true">{self.group()}<mo>{_ACCENTS[name]}</mo></mover>'
        if name in _TEXTS:
            return f"<{_TEXTS[name]}>{escape(self.verbatim())}</{_TEXTS[name]}>"
        if name in _BOLD:
            return f'<mstyle style="font-weight:bold">{self.group()}</mstyle>'
        if name in ("frac", "dfrac", "tfrac"):
            return f"<mfrac>{self.group()}{self.group()}</mfrac>"
        if name == "sqrt":
            return f"<msqrt>{self.group()}</msqrt>"
        if name == "left":
            return self.fenced()
        if name == "begin":
            return self.environment()
        if name in _IGNORED:
            return ""
        raise WrongValue(f"The LaTeX command \\{name} has no MathML here: {self.latex[:80]!r}.")

    def fenced(self) -> str:
        opening = self.fence()
        inside = self.row(frozenset(("\\right",)))
        self.expect("\\right")
        return f"<mrow>{opening}{inside}{self.fence()}</mrow>"

    def fence(self) -> str:
        token = self.take()
        mark = _OPERATORS.get(token[1:], token) if token.startswith("\\") else token
        return "" if mark == "." else f"<mo>{escape(mark)}</mo>"

    def verbatim(self) -> str:
        """The text of a group of letters; its commands are escaped characters."""
        self.expect("{")
        found = []
        while self.token and self.token != "}":
            token = self.take()
            found.append(token[1:] if token.startswith("\\") else token)
        self.expect("}")
        return "".join(found)

    def environment(self) -> str:
        name = self.verbatim()
        if name not in _ENVIRONMENTS:
            raise WrongValue(f"The LaTeX environment {name!r} has no MathML here.")
        if name == "array":
            self.verbatim()  # alignment of the columns
        rows: list[list[str]] = [[]]
        gaps = [""]  # below each row
        while True:
            rows[-1].append(self.row(frozenset(("&", "\\\\", "\\end"))))
            mark = self.take()
            if mark == "\\\\":
                gaps[-1] = self.gap()
                rows.append([])
                gaps.append("")
            elif mark != "&":
                break
        self.verbatim()
        if rows[-1] == [""]:
            rows.pop()
        return _table(name, rows, gaps)

    def gap(self) -> str:
        r"""The length in `\\[0.5em]`, which makes room below a row; "" without one."""
        if self.token != "[":
            return ""
        end = self.tokens.index("]", self.at) if "]" in self.tokens[self.at :] else len(self.tokens)
        length = "".join(self.tokens[self.at + 1 : end])
        self.at = end + 1
        if not re.fullmatch(r"[0-9.]+(em|ex|pt)", length):
            raise WrongValue(f"{length!r} is no length between rows in the LaTeX {self.latex[:80]!r}.")
        return length


def _table(name: str, rows: list[list[str]], gaps: list[str]) -> str:
    left, right = tuple(_ENVIRONMENTS[name])
    lines = []
    for row, gap in zip(rows, gaps, strict=False):
        style = _style(name, gap)
        cells = "".join(f"<mtd{style(k)}>{cell}</mtd>" for k, cell in enumerate(row))
        lines.append(f"<mtr>{cells}</mtr>")
    display = ' displaystyle="true"' if name == "aligned" else ""
    content = "".join(lines)
    table = f"<mtable{display}>{content}</mtable>"
    fences = [f"<mo>{mark}</mo>" if mark.strip() else "" for mark in (left, right)]
    return f"<mrow>{fences[0]}{table}{fences[1]}</mrow>"


def _style(name: str, gap: str) -> Callable[[int], str]:
    """The attribute of a cell by its column: alignment, and room below its row."""
    # LaTeX measures the gap below the strut of a row; below a fraction about half of it is left
    room = f"padding-bottom:calc(0.5ex + {gap} / 2)" if gap else ""

    def of(column: int) -> str:
        left = name == "cases" or (name == "aligned" and column % 2 == 1)
        side = f"text-align:{'left' if left else 'right'}" if name in ("cases", "aligned") else ""
        own = ";".join(part for part in (side, room) if part)
        return f' style="{own}"' if own else ""

    return of


def _one(content: str) -> str:
    """The content as one element."""
    return content if len(list(_elements(content))) == 1 else f"<mrow>{content}</mrow>"


def _elements(content: str) -> Iterator[str]:
    """Top-level elements."""
    depth, start = 0, 0
    for match in re.finditer(r"<(/?)[^>]*?(/?)>", content):
        closing, alone = match[1], match[2]
        depth += 0 if alone else -1 if closing else 1
        if depth == 0:
            yield content[start : match.end()]
            start = match.end()
