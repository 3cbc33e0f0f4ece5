"""Names and sums of parameters as text, in the notation of ROSAM II, and in LaTeX."""

import re
from collections.abc import Mapping, Sequence

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
    for name, x in terms.items():
        shown = names[name] if names else f"[{name}]"
        if x == ONE or x == -ONE:
            sign, product = (x == ONE), shown
        elif len(x.terms) == 1:
            sign = x.terms[0][1] > 0
            product = f"{x if sign else -x}*{shown}"
        else:
            sign, product = True, f"({x})*{shown}"
        text += (" + " if sign else " - ") + product
    return text.removeprefix(" + ").lstrip() if text.startswith(" + ") else text.strip()


def latex_term(x: Formula, name: str) -> str:
    """A parameter with its coefficient in LaTeX."""
    if x == ONE or x == -ONE:
        return name if x == ONE else f"-{name}"
    inside = latex(x)
    return rf"{inside}\,{name}" if len(x.terms) == 1 else rf"\left({inside}\right) {name}"
