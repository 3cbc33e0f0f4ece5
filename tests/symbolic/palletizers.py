"""Palletizers whose parallelograms hold the wrist level, as TOML: lengths and inertias are symbols."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from readers import parse_toml

import rikigaku as rk

Array = np.ndarray

_LENGTHS = {"a1": 0.35, "L2": 1.25, "L3": 1.35, "b": 0.5, "c": 0.3, "d": 0.25, "a5": 0.2}


def _link(symbolic: bool, k: int, name: str, parent: str, frame: str, actuated: bool = False) -> str:
    numbers = {"m": 2 + k, "mx": 0.3 * k, "my": 0.1 * k, "zz": 1 + 0.4 * k}
    own = [f'"{x}{k}"' if symbolic else f"{y:g}" for x, y in numbers.items()]
    return f"""
[[link]]
name = "{name}"
parent = "{parent}"
joint = {{ name = "theta{k}", type = "revolute", actuated = {str(actuated).lower()} }}
{frame}
inertia = {{ about = "origin", m = {own[0]}, ms = [{own[1]}, {own[2]}, 0], I = [0, 0, 0, 0, 0, {own[3]}] }}
"""


def _loop(name: str, link: str, length: str, to: str) -> str:
    return f"""
[[loop]]
name = "{name}"
joint = "revolute"
from = {{ link = "{link}", dh = {{ a = "{length}" }} }}
to = {{ {to} }}
"""


def palletizer_text(symbolic: bool = True, independent: Sequence[str] = ()) -> str:
    """Four actuated joints (1, 2, 7, 5) and three parallelograms, as KUKA's KR 470 PA has them.

    Joint 7 moves the upper arm 3 from the shoulder through the rod 8. The guides 10 and 11 keep the plate 9
    on the elbow, and so the wrist 4, at a constant angle to the column. At q = 0 all of them lie flat.
    """
    head = 'schema = 1\nname = "palletizer"\ngravity = [0, 0, -9.81]\n'
    head += f"independent = {list(independent)!r}\n".replace("'", '"') if independent else ""
    head += "[symbols]\n" + "".join(f'{n} = {{ value = {x}, unit = "m" }}\n' for n, x in _LENGTHS.items())
    shoulder = 'dh = { alpha = "pi/2", a = "a1", theta = "q" }'
    links: list[Any] = [
        (1, "column", "base", 'dh = { theta = "q" }', True),
        (2, "lower", "column", shoulder, True),
        (3, "upper", "lower", 'dh = { a = "L2", theta = "q" }'),
        (4, "wrist", "upper", 'dh = { a = "L3", theta = "q" }'),
        (5, "flange", "wrist", 'dh = { alpha = "pi/2", a = "a5", theta = "q" }', True),
        (7, "crank", "column", shoulder, True),
        (8, "rod", "crank", 'dh = { a = "b", theta = "q" }'),
        (9, "plate", "lower", 'dh = { a = "L2", theta = "q" }'),
        (10, "guide1", "column", 'dh = { alpha = "pi/2", a = "a1 - c", theta = "q" }'),
        (11, "guide2", "plate", 'placement = { xyz = [0, "d", 0] }'),
    ]
    loops = [
        _loop("drive", "rod", "L2", 'link = "upper", dh = { a = "-b" }'),
        _loop("level1", "guide1", "L2", 'link = "plate", dh = { a = "-c" }'),
        _loop("level2", "guide2", "L3", 'link = "wrist", placement = { xyz = [0, "d", 0] }'),
    ]
    frame = '\n[[frame]]\nname = "hand"\nlink = "flange"\nplacement = { xyz = [0, 0, "-0.1"] }\n'
    body = "".join(_link(symbolic, *link) for link in links)
    return head + body + frame + "".join(loops)


@cache
def palletizer(symbolic: bool = True) -> rk.Robot:
    return parse_toml(palletizer_text(symbolic))
