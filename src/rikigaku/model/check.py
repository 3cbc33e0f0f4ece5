"""What is wrong with a robot, all of it at once, in sentences that say what to do."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rikigaku.errors import WrongValue
from rikigaku.model.check_parts import (
    geometry_problems,
    inertia_problems,
    link_problems,
    not_formula,
    triple,
    unknown,
)
from rikigaku.model.joint import CLOSING_TYPES, POSITION_SIZE
from rikigaku.model.walk import formulas
from rikigaku.numbers.formula import Formula

if TYPE_CHECKING:
    from rikigaku.model.robot import Coupling, Loop, Robot

LONGEST_NAME = 100
# Names go into files, generated source, web pages and LaTeX: these characters would need escaping there.
FORBIDDEN_IN_NAMES = frozenset("<>&\"'`\\")


def problems(robot: "Robot") -> list[str]:
    """All that contradicts itself in a robot; empty for a sound one. Symbols need not be declared."""
    return [
        *_name_problems(robot),
        *_tree_problems(robot),
        *triple("gravity", robot.gravity),
        *(inertia_problems("the base", robot.base_inertia) if robot.base_inertia is not None else ()),
        *(problem for link in robot.links for problem in link_problems(link)),
        *_frame_problems(robot),
        *(problem for loop in robot.loops for problem in _loop_problems(robot, loop)),
        *_coupling_problems(robot),
        *_independent_problems(robot),
        *_symbol_problems(robot),
        *_value_problems(robot),
    ]


def used_symbols(robot: "Robot") -> set[str]:
    """Names of the symbols that occur in some parameter."""
    parts = (robot.links, robot.frames, robot.loops, robot.couplings, robot.gravity, robot.base_inertia)
    return {name for _, formula in formulas(parts) for name in formula.symbols}


def name_problem(name: object) -> str:
    """Why this cannot name a thing of a robot; empty if it can."""
    if not isinstance(name, str) or not name:
        return "a name must be a text that is not empty"
    if len(name) > LONGEST_NAME:
        return f"a name may have {LONGEST_NAME} characters, this one has {len(name)}"
    bad = sorted({c for c in name if c in FORBIDDEN_IN_NAMES or not c.isprintable()})
    if bad or name != name.strip():
        return f"a name may not hold {' '.join(map(repr, bad)) or 'blanks at its ends'}"
    return ""


def _name_problems(robot: "Robot") -> Iterator[str]:
    named = [
        ("robot", robot.name),
        ("base", robot.base),
        *(("link", link.name) for link in robot.links),
        *(("joint", link.joint.name) for link in robot.links),
        *(("frame", frame.name) for frame in robot.frames),
        *(("loop", loop.name) for loop in robot.loops),
    ]
    for what, name in named:
        if why := name_problem(name):
            yield f"{what} {name!r}: {why}."
    for what, names in (
        ("links and frames (the base counts)", robot.frame_names),
        ("joints", [link.joint.name for link in robot.links]),
        ("loops", [loop.name for loop in robot.loops]),
        ("symbols", [symbol.name for symbol in robot.symbols]),
    ):
        for name, count in Counter(names).items():
            if count > 1:
                yield f"{count} {what} are named {name!r}; names must differ."


def _tree_problems(robot: "Robot") -> Iterator[str]:
    known = (robot.base, *(link.name for link in robot.links))
    parents = {link.name: link.parent for link in robot.links}
    for link in robot.links:
        if link.parent not in parents and link.parent != robot.base:
            yield f"link {link.name!r}: {unknown('parent link', link.parent, known)}"
    sound = {robot.base}
    for start in parents:
        walked: dict[str, None] = {}
        at = start
        while at in parents and at not in sound and at not in walked:
            walked[at] = None
            at = parents[at]
        if at in walked:
            ring = list(walked)[list(walked).index(at) :]
            yield f"links {' -> '.join(map(repr, [*ring, at]))}: each hangs on the next, none on the base."
        sound.update(walked)  # reported or sound: not looked at again


def _frame_problems(robot: "Robot") -> Iterator[str]:
    known = (robot.base, *(link.name for link in robot.links))
    for frame in robot.frames:
        if frame.link not in known:
            yield f"frame {frame.name!r}: {unknown('link', frame.link, known)}"
        yield from geometry_problems(f"frame {frame.name!r}", frame.geometry)


def _loop_problems(robot: "Robot", loop: "Loop") -> Iterator[str]:
    known = (robot.base, *(link.name for link in robot.links))
    where = f"loop {loop.name!r}"
    if str(loop.joint) == "helical":  # not of the type, but some will try
        others = ", ".join(_others_of_loop(robot, loop)) or "none there"
        yield f"{where}: a screw cannot close a loop; cut another joint, and let the screw move: {others}."
    elif loop.joint not in CLOSING_TYPES:
        yield f"{where}: {unknown('closing joint type', loop.joint, CLOSING_TYPES)}"
    for side, end in (("from", loop.start), ("to", loop.end)):
        if end.link not in known:
            yield f"{where}, {side}: {unknown('link', end.link, known)}"
        yield from geometry_problems(f"{where}, {side}", end.geometry)
    if loop.start.link == loop.end.link:
        yield f"{where}: both ends are on link {loop.start.link!r}; a loop joins two links."


def _others_of_loop(robot: "Robot", loop: "Loop") -> Iterator[str]:
    """Joints of the tree on a loop that might be cut, with their types."""
    carrier = {link.name: link for link in robot.links}
    sides: list[list[str]] = []
    for end in (loop.start, loop.end):
        at, side = end.link, list[str]()
        while at in carrier and at not in side:  # a tree that turns in circles is told elsewhere
            side.append(at)
            at = carrier[at].parent
        sides.append(side)
    for name in sorted(set(sides[0]) ^ set(sides[1]), key=list(carrier).index):
        joint = carrier[name].joint
        if joint.type in CLOSING_TYPES and joint.type != "fixed":
            yield f"{joint.name} ({joint.type})"


def _coupling_problems(robot: "Robot") -> Iterator[str]:
    single = tuple(joint.name for joint in robot.joints if POSITION_SIZE.get(joint.type) == 1)
    for coupling in robot.couplings:
        where = f"coupling of {coupling.joint!r}"
        for what, name in (("joint", coupling.joint), ("reference", coupling.reference)):
            if name not in single:
                yield f"{where}, {what}: {unknown('moving one-coordinate joint', name, single)}"
        yield from not_formula(f"{where}: multiplier", coupling.multiplier)
        yield from not_formula(f"{where}: offset", coupling.offset)
    for name, count in Counter(coupling.joint for coupling in robot.couplings).items():
        if count > 1:
            yield f"joint {name!r} is coupled {count} times; once is enough."
    yield from _coupling_rings({c.joint: c for c in robot.couplings})


def _coupling_rings(couplings: "dict[str, Coupling]") -> Iterator[str]:
    done: set[str] = set()
    for start in couplings:
        walked: list[str] = []
        at = start
        while at in couplings and at not in done and at not in walked:
            walked.append(at)
            at = couplings[at].reference
        if at in walked:
            ring = [*walked[walked.index(at) :], at]
            yield f"couplings {' -> '.join(map(repr, ring))}: each follows the next, none is free."
        done.update(walked)


def _independent_problems(robot: "Robot") -> Iterator[str]:
    known = tuple(joint.name for joint in robot.joints)
    for name, count in Counter(robot.independent).items():
        if name not in known:
            yield f"independent: {unknown('moving joint', name, known)}"
        if count > 1:
            yield f"independent: {name!r} stands {count} times."


def _symbol_problems(robot: "Robot") -> Iterator[str]:
    for symbol in robot.symbols:
        try:
            Formula.symbol(symbol.name)
        except WrongValue as error:
            yield f"symbols: {error}"
        if symbol.value is not None:
            yield from not_formula(f"symbol {symbol.name!r}: value", symbol.value)
            if isinstance(symbol.value, Formula) and symbol.value.symbols:
                yield f"symbol {symbol.name!r}: its value {symbol.value} must be a number, without symbols."


def _value_problems(robot: "Robot") -> Iterator[str]:
    """Constants without a finite value, such as a quotient whose divisor cancels only numerically."""
    for place, formula in formulas(robot):
        if formula.is_number:
            try:
                float(formula)
            except WrongValue as error:
                yield f"{place}: {error}"
