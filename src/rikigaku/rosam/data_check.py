"""Types of the fields of RobotData, checked before it is converted to a Robot."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rikigaku.core.input_limits import LINKS
from rikigaku.core.value_text import short
from rikigaku.model.joint import Limits
from rikigaku.model.robot_model import Symbol
from rikigaku.rosam.robot_data import BranchInfo, LinkInfo, RobotData

Check = tuple[Callable[[Any], bool], str]


def type_problems(data: RobotData) -> Iterator[str]:
    """A sentence for each field that has a wrong type."""
    yield from _wrong("", data, _DATA)
    given: Any = data.BranchInfo  # whatever it was made with
    branches = given if isinstance(given, Mapping) else {}
    count = 0
    for k, branch in branches.items():
        where = f"BranchInfo.{short(k)}"
        if not (_is_count(k) and isinstance(branch, BranchInfo)):
            yield f"{where} is {short(branch)}; branches are BranchInfo(...) by their numbers, 1, 2, ..."
            continue
        yield from _wrong(where, branch, _BRANCH)
        links = branch.Links if _is_row(branch.Links) else ()
        yield from _link_problems(where, links)
        count += len(links)
    if count > LINKS:
        yield f"There are {count} links; at most {LINKS} are read."


def _link_problems(where: str, links: Any) -> Iterator[str]:
    for i, link in enumerate(links, start=1):
        at = f"{where}, link {i}"
        if isinstance(link, LinkInfo):
            yield from _wrong(at, link, _LINK)
        else:
            yield f"{at} is {short(link)}; write LinkInfo('R', DH=(...))."


def _wrong(where: str, part: object, checks: Mapping[str, Check]) -> Iterator[str]:
    for name, (is_right, wanted) in checks.items():
        if not is_right(value := getattr(part, name)):
            yield f"{where + ', ' if where else ''}{name} is {short(value)}; {wanted} belongs there."


def _is_text(x: object) -> bool:
    return isinstance(x, str)


def _is_count(x: object) -> bool:
    return isinstance(x, int) and not isinstance(x, bool) and 0 <= x <= LINKS


def _is_row(x: object) -> bool:
    return isinstance(x, tuple | list)


def _are_texts(x: Any) -> bool:
    return _is_row(x) and all(isinstance(item, str) for item in x)


def _are_symbols(x: Any) -> bool:
    return _is_row(x) and all(isinstance(s, Symbol) or (_is_row(s) and 1 <= len(s) <= 3) for s in x)


def _are_frames(x: Any) -> bool:
    return isinstance(x, Mapping) and all(
        isinstance(name, str) and _is_row(frame) and len(frame) == 2 for name, frame in x.items()
    )


def _are_limits(x: Any) -> bool:
    bounds = (x.lower, x.upper, x.velocity, x.effort) if isinstance(x, Limits) else ("",)
    return all(b is None or (isinstance(b, int | float) and not isinstance(b, bool)) for b in bounds)


_TEXT: Check = (_is_text, "a text")
_NAMES: Check = (_are_texts, "a list of names")
_ROW: Check = (_is_row, "a list")
_DATA: dict[str, Check] = {
    "RobotType": _TEXT,
    "BranchNum": (_is_count, f"a whole number up to {LINKS}"),
    "BranchInfo": (lambda x: isinstance(x, Mapping), "a table of branches by number"),
    "General": _NAMES,
    "ConCoor": _ROW,
    "ConDH": _ROW,
    "name": _TEXT,
    "base": _TEXT,
    "symbols": (_are_symbols, "a list of symbols (name, value, unit)"),
    "cut": _NAMES,
    "cut_names": _NAMES,
    "frames": (_are_frames, "a table {name: ((branch, link), row)}"),
}
_BRANCH: dict[str, Check] = {"Links": _ROW, "hand_name": _TEXT}
_LINK: dict[str, Check] = {
    "Type": _TEXT,
    "Actuated": (lambda x: isinstance(x, bool), "True or False"),
    "variable": _TEXT,
    "name": _TEXT,
    "limits": (_are_limits, "Limits(lower, upper, velocity, effort) of numbers"),
}
