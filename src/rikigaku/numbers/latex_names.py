"""Names in LaTeX: Greek letters, indices, and dots of time derivatives."""

import re
from collections.abc import Iterable

GREEK = frozenset(
    re.findall(
        r"\w+",
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon"
        " phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega",
    )
)
# KaTeX refuses a display with more than 1000 macro expansions, of which a thin space takes three. A page of
# paper has room for some 40 rows.
_MACROS, _ROWS = 250, 40  # in one display
_THIN, THIN_PRIMITIVE = r"\,", r"\mkern3mu "  # the same space; the second is no macro
_DOTS = (("_ddot", "ddot"), ("_dot", "dot"))


def latex_name(name: str, indices: tuple[int, ...] = ()) -> str:
    """The name as a formula; indices of an element, from 1, follow those of the name.

    m11 is m_{11}, theta_3 \\theta_{3}, msx2 \\mathrm{msx}_{2}, tau_theta1 \\tau_{\\theta_{1}}, q1_dot
    \\dot{q}_{1} and t2_13 t_{2,13}. Different names may look alike (m2 and m_2).
    """
    for ending, accent in _DOTS:
        if name.endswith(ending) and (moving := name.removesuffix(ending)):
            stem, below = _parts(moving)
            return _indexed(rf"\{accent}{{{stem}}}", below, indices)
    return _indexed(*_parts(name), indices)


def escaped(words: str) -> str:
    """Words of a robot's file inside \\mathrm or \\text: letters, digits, and marks that LaTeX reserves."""
    plain = re.sub(r"[^\w .,:;=()\[\]/^+#$%&{}~-]", " ", words)
    return re.sub(r"[_#$%&{}^~]", lambda found: _ESCAPES.get(found[0], "\\" + found[0]), plain)


_ESCAPES = {"^": r"\hat{}", "~": r"\sim{}"}


def aligned(lines: Iterable[str]) -> str:
    """Equations `left &= right`, one below the other; of any number, for KaTeX, too."""
    source = "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"
    return source if source.count(_THIN) <= _MACROS else source.replace(_THIN, THIN_PRIMITIVE)


def displays(lines: Iterable[str]) -> str:
    """Aligned equations between dollar signs, for notebooks; long lists as several displays."""
    blocks: list[list[str]] = [[]]
    macros = 0
    for line in lines:
        own = line.count(_THIN) + line.count(r"\operatorname")
        if blocks[-1] and (macros + own > _MACROS or len(blocks[-1]) == _ROWS):
            blocks.append([])
            macros = 0
        blocks[-1].append(line)
        macros += own
    return "\n\n".join(f"$${aligned(block)}$$" for block in blocks)


def _parts(name: str) -> tuple[str, str]:
    """The letter (or word) of a name, and its index."""
    if re.fullmatch(r"[pgfnv][xyz]", name):  # components of a vector
        return name[0], name[1]
    if two := re.fullmatch(r"([A-Za-z]+[0-9]+)_([A-Za-z]|[0-9]+)", name):
        stem, index = _parts(two[1])
        return stem, f"{index},{two[2]}"
    match = re.fullmatch(r"([A-Za-z]+)_?([0-9]+|(?<=_)\w*[A-Za-z0-9])?", name)
    if match is None:
        return rf"\mathrm{{{escaped(name)}}}", ""
    word, index = match.groups()
    stem = word if len(word) == 1 else rf"\{word}" if word in GREEK else rf"\mathrm{{{word}}}"
    return stem, _index(index or "")


def _index(text: str) -> str:
    if len(text) <= 1 or text.isdigit():
        return text
    stem, below = _parts(text) if "_" not in text else ("", "")
    if len(stem) == 1 or stem[1:] in GREEK:
        return f"{stem}_{{{below}}}" if below else stem
    return rf"\mathrm{{{escaped(text)}}}"


def _indexed(stem: str, below: str, indices: tuple[int, ...]) -> str:
    all_below = [below] * bool(below) + [str(k) for k in indices]
    return f"{stem}_{{{','.join(all_below)}}}" if all_below else stem
