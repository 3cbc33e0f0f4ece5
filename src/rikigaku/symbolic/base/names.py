"""Names of parameters for people: as in ROSAM II, and in LaTeX."""

import re
from collections.abc import Sequence

from rikigaku.model.robot import Robot


def branches(robot: Robot) -> dict[str, tuple[int, int]]:
    """For each link that moves its number in its branch, and the number of that branch, from one.

    A link that follows the last link of a branch continues it; any other begins a new one.
    """
    tips: list[str] = []
    result: dict[str, tuple[int, int]] = {}
    carrier = {robot.base: robot.base}
    waiting = list(robot.links)
    while waiting:
        link = next(x for x in waiting if x.parent in carrier)
        waiting.remove(link)
        parent = carrier[link.parent]
        if link.joint.type == "fixed":
            carrier[link.name] = parent
            continue
        carrier[link.name] = link.name
        if parent in tips:
            branch = tips.index(parent)
            tips[branch] = link.name
            result[link.name] = (result[parent][0] + 1, branch + 1)
        else:
            tips.append(link.name)
            result[link.name] = (1, len(tips))
    return result


def paper_names(robot: Robot, parameters: Sequence[str]) -> dict[str, str]:
    """Names with link and branch number: m11, msx31, Inzz31; drives keep the name of their joint."""
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
