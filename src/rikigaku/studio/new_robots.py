"""Robots from nothing: a short text that the structure screen continues."""

from rikigaku.formats.toml.toml_document import inline
from rikigaku.studio.messages import RobotKind

_HEAD = """schema = 1
name = {name}
gravity = [0, 0, -9.81]

[symbols]

"""
_LINK = """[[link]]
name = "{name}"
parent = "{parent}"
joint = {{ type = "revolute" }}
dh = {{ alpha = 0, a = {a}, theta = "{theta}", d = 0 }}

"""
_FRAME = """[[frame]]
name = "{name}"
link = "{link}"
dh = {{ alpha = 0, a = {a}, theta = 0, d = 0 }}

"""
# Link and branch are the digits of a name, as in papers of Kawasaki: l21 is link 2 of branch 1. Arms that
# will be closed stand side by side, branches of a tree spread: no link is drawn on another.
_LINKS: dict[RobotKind, tuple[tuple[str, str, float, str], ...]] = {
    "serial": (("l1", "base", 0, "q"),),
    "tree": (("l1", "base", 0, "q"), ("l21", "l1", 0.4, "q + pi/4"), ("l22", "l1", 0.4, "q - pi/4")),
    "closed": (
        ("l11", "base", 0, "q + pi/2"),
        ("l21", "l11", 0.4, "q"),
        ("l12", "base", 0.4, "q + pi/2"),
        ("l22", "l12", 0.4, "q"),
    ),
}
_FRAMES: dict[RobotKind, tuple[tuple[str, str], ...]] = {
    "serial": (("hand", "l1"),),
    "tree": (("hand1", "l21"), ("hand2", "l22")),
    "closed": (("hand", "l21"),),
}


def new_robot(kind: RobotKind, name: str) -> str:
    """The text of a new robot file."""
    parts = [_HEAD.format(name=inline(name))]
    parts += [
        _LINK.format(name=link, parent=parent, a=a, theta=theta) for link, parent, a, theta in _LINKS[kind]
    ]
    parts += [_FRAME.format(name=frame, link=link, a=0.4) for frame, link in _FRAMES[kind]]
    return "".join(parts).rstrip("\n") + "\n"
