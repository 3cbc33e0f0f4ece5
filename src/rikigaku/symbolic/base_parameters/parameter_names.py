"""Names and sums of parameters as text, in the notation of ROSAM II, and in LaTeX."""

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.formula import ONE, Formula
from rikigaku.numbers.formula_text import latex


def branches(robot: RobotModel) -> dict[str, tuple[int, int]]:
    """For each link that moves its number in its branch, and the number of that branch, from one.

    A link that follows the last link of a branch continues it; any other begins a new one.
    """
    tips: list[str] = []
    result: dict[str, tuple[int, int]] = {}
    moving = {robot.base: robot.base}
    left = list(robot.links)
    while left:
        link = next(x for x in left if x.parent in moving)
        left.remove(link)
        parent = moving[link.parent]
        if link.joint.type == "fixed":
            moving[link.name] = parent
            continue
        moving[link.name] = link.name
        if parent in tips:
            branch = tips.index(parent)
            tips[branch] = link.name
            result[link.name] = (result[parent][0] + 1, branch + 1)
        else:
            tips.append(link.name)
            result[link.name] = (1, len(tips))
    return result


def paper_names(robot: RobotModel, parameters: Sequence[str]) -> dict[str, str]:
    """Names with link and branch number: m11, msx31, Inzz31; joint parameters keep their joint's name."""
    numbers, result = branches(robot), {}
    wide = any(i > 9 or k > 9 for i, k in numbers.values())
    for name in parameters:
        parameter, owner = name.split(" of ", 1)
        if owner in numbers:
            i, k = numbers[owner]
            letters = f"In{parameter[1:]}" if parameter.startswith("I") else parameter
            result[name] = f"{letters}{i}_{k}" if wide else f"{letters}{i}{k}"
        else:
            result[name] = f"{parameter}_{owner}"
    return result


def latex_name(name: str) -> str:
    """ "Izz of link2" as I_{zz,\\mathrm{link2}}."""
    parameter, owner = name.split(" of ", 1)
    owner = r"\mathrm{" + re.sub(r"([_#$%{}])", r"\\\1", owner) + "}"
    if parameter in ("rotor", "viscous", "coulomb"):
        letter, index = {"rotor": ("J", ""), "viscous": ("F", "v"), "coulomb": ("F", "c")}[parameter]
    elif parameter.startswith("ms"):
        letter, index = "ms", parameter[2:]
    else:
        letter, index = parameter[:1], parameter[1:]
    return rf"{letter}_{{{index + ',' if index else ''}{owner}}}"


def sum_text(terms: Mapping[str, Formula], names: Mapping[str, str] | None = None) -> str:
    """Parameters with their coefficients as one sum; names: other names for the parameters."""
    text = ""
    for x, members in _by_coefficient(terms):
        shown = _members(members, lambda name: names[name] if names else f"[{name}]")
        if x == ONE or x == -ONE:
            sign, product = (x == ONE), shown
        elif len(x.terms) == 1:
            sign = x.terms[0][1] > 0
            product = _product_text(x if sign else -x, shown)
        else:
            sign, product = True, f"({x})*{shown}"
        text += (" + " if sign else " - ") + product
    return text.removeprefix(" + ").lstrip() if text.startswith(" + ") else text.strip()


def latex_terms(terms: Mapping[str, Formula], name: Callable[[str], str]) -> list[str]:
    """Parameters with their coefficients in LaTeX, each product with its sign; name: of a parameter."""
    found = []
    for x, members in _by_coefficient(terms):
        shown, negative = _members(members, name), len(x.terms) == 1 and x.terms[0][1] < 0
        size = -x if negative else x
        inside = latex(size)
        if size != ONE:
            shown = rf"{inside}\,{shown}" if len(x.terms) == 1 else rf"\left({inside}\right) {shown}"
        found.append(("- " if negative else "+ ") + shown)
    return found


def _by_coefficient(terms: Mapping[str, Formula]) -> list[tuple[Formula, list[tuple[str, bool]]]]:
    """Coefficients, each with its parameters: a2*m3 + a2*m4 is a2*(m3 + m4); True: with the other sign."""
    found: list[tuple[Formula, list[tuple[str, bool]]]] = []
    for name, x in terms.items():
        alone = x == ONE or x == -ONE
        same = next((group for group in found if not alone and group[0] in (x, -x)), None)
        if same is None:
            found.append((x, [(name, False)]))
        else:
            same[1].append((name, same[0] != x))
    return found


def _members(members: list[tuple[str, bool]], name: Callable[[str], str]) -> str:
    """One name, or a sum of names in brackets."""
    if len(members) == 1:
        return name(members[0][0])
    first, *rest = ((name(x), negative) for x, negative in members)
    return f"({first[0]}" + "".join(f" {'-' if n else '+'} {x}" for x, n in rest) + ")"


def _product_text(x: Formula, shown: str) -> str:
    """A positive product times a parameter: zz2/L2**2 for 1/L2**2*zz2."""
    ((monomial, c),) = x.terms
    below = Formula(((tuple((f, -n) for f, n in monomial if n < 0), Fraction(1)),))
    if below == ONE:
        return f"{x}*{shown}"
    above = Formula(((tuple((f, n) for f, n in monomial if n > 0), c),))
    divisor = f"/{below}" if sum(n < 0 for _, n in monomial) == 1 else f"/({below})"
    return (shown if above == ONE else f"{above}*{shown}") + divisor
