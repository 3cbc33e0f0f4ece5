"""What is wrong with a robot, all of it at once, in sentences that say what to do."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rikigaku.errors import WrongValue
from rikigaku.model.check_parts import (
    Problem,
    at,
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


def problems(robot: "Robot") -> list[Problem]:
    """All that contradicts itself in a robot; empty for a sound one. Symbols need not be declared."""
    base = () if robot.base_inertia is None else inertia_problems("the base", robot.base_inertia)
    return [
        *_name_problems(robot),
        *_tree_problems(robot),
        *at("gravity", found=triple("gravity", robot.gravity)),
        *at("base", "inertia", found=base),
        *(
            problem
            for k, link in enumerate(robot.links)
            for problem in at("link", k, found=link_problems(link))
        ),
        *_frame_problems(robot),
        *(p for k, loop in enumerate(robot.loops) for p in at("loop", k, found=_loop_problems(robot, loop))),
        *_coupling_problems(robot),
        *at("independent", found=_independent_problems(robot)),
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


def _name_problems(robot: "Robot") -> Iterator[Problem]:
    bodies = [
        ("base", robot.base, ("base", "name")),
        *(("link", link.name, ("link", k, "name")) for k, link in enumerate(robot.links)),
        *(("frame", frame.name, ("frame", k, "name")) for k, frame in enumerate(robot.frames)),
    ]
    joints = [("joint", link.joint.name, ("link", k, "joint", "name")) for k, link in enumerate(robot.links)]
    loops = [("loop", loop.name, ("loop", k, "name")) for k, loop in enumerate(robot.loops)]
    symbols = [("symbol", symbol.name, ("symbols", symbol.name)) for symbol in robot.symbols]
    for what, name, place in (("robot", robot.name, ("name",)), *bodies, *joints, *loops):
        if why := name_problem(name):
            yield from at(*place, found=[f"{what} {name!r}: {why}."])
    for what, named in (
        ("links and frames (the base counts)", bodies),
        ("joints", joints),
        ("loops", loops),
        ("symbols", symbols),
    ):
        last = {name: place for _, name, place in named}
        for name, count in Counter(name for _, name, _ in named).items():
            if count > 1:
                sentence = f"{count} {what} are named {name!r}; names must differ."
                yield from at(*last[name], found=[sentence])


def _tree_problems(robot: "Robot") -> Iterator[Problem]:
    known = (robot.base, *(link.name for link in robot.links))
    parents = {link.name: link.parent for link in robot.links}
    places = {link.name: k for k, link in enumerate(robot.links)}
    for k, link in enumerate(robot.links):
        if link.parent not in parents and link.parent != robot.base:
            why = f"link {link.name!r}: {unknown('parent link', link.parent, known)}"
            yield from at("link", k, "parent", found=[why])
    sound = {robot.base}
    for start in parents:
        walked: dict[str, None] = {}
        here = start
        while here in parents and here not in sound and here not in walked:
            walked[here] = None
            here = parents[here]
        if here in walked:
            ring = list(walked)[list(walked).index(here) :]
            why = f"links {' -> '.join(map(repr, [*ring, here]))}: each hangs on the next, none on the base."
            yield from at("link", places[here], "parent", found=[why])
        sound.update(walked)  # reported or sound: not looked at again


def _frame_problems(robot: "Robot") -> Iterator[Problem]:
    known = (robot.base, *(link.name for link in robot.links))
    for k, frame in enumerate(robot.frames):
        if frame.link not in known:
            why = f"frame {frame.name!r}: {unknown('link', frame.link, known)}"
            yield from at("frame", k, "link", found=[why])
        yield from at("frame", k, found=geometry_problems(f"frame {frame.name!r}", frame.geometry))


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
            yield from at(side, "link", found=[f"{where}, {side}: {unknown('link', end.link, known)}"])
        yield from at(side, found=geometry_problems(f"{where}, {side}", end.geometry))
    if loop.start.link == loop.end.link:
        yield f"{where}: both ends are on link {loop.start.link!r}; a loop joins two links."


def _others_of_loop(robot: "Robot", loop: "Loop") -> Iterator[str]:
    """Joints of the tree on a loop that might be cut, with their types."""
    carrier = {link.name: link for link in robot.links}
    sides: list[list[str]] = []
    for end in (loop.start, loop.end):
        here, side = end.link, list[str]()
        while here in carrier and here not in side:  # a tree that turns in circles is told elsewhere
            side.append(here)
            here = carrier[here].parent
        sides.append(side)
    for name in sorted(set(sides[0]) ^ set(sides[1]), key=list(carrier).index):
        joint = carrier[name].joint
        if joint.type in CLOSING_TYPES and joint.type != "fixed":
            yield f"{joint.name} ({joint.type})"


def _coupling_problems(robot: "Robot") -> Iterator[Problem]:
    single = tuple(joint.name for joint in robot.joints if POSITION_SIZE.get(joint.type) == 1)
    for k, coupling in enumerate(robot.couplings):
        where = f"coupling of {coupling.joint!r}"
        for what, name in (("joint", coupling.joint), ("reference", coupling.reference)):
            if name not in single:
                why = f"{where}, {what}: {unknown('moving one-coordinate joint', name, single)}"
                yield from at("coupling", k, what, found=[why])
        yield from at("coupling", k, found=not_formula(f"{where}: multiplier", coupling.multiplier))
        yield from at("coupling", k, found=not_formula(f"{where}: offset", coupling.offset))
    last = {coupling.joint: k for k, coupling in enumerate(robot.couplings)}
    for name, count in Counter(coupling.joint for coupling in robot.couplings).items():
        if count > 1:
            why = f"joint {name!r} is coupled {count} times; once is enough."
            yield from at("coupling", last[name], "joint", found=[why])
    for ring in _coupling_rings({c.joint: c for c in robot.couplings}):
        why = f"couplings {' -> '.join(map(repr, ring))}: each follows the next, none is free."
        yield from at("coupling", last[ring[0]], "joint", found=[why])


def _coupling_rings(couplings: "dict[str, Coupling]") -> Iterator[list[str]]:
    done: set[str] = set()
    for start in couplings:
        walked: list[str] = []
        here = start
        while here in couplings and here not in done and here not in walked:
            walked.append(here)
            here = couplings[here].reference
        if here in walked:
            yield [*walked[walked.index(here) :], here]
        done.update(walked)


def _independent_problems(robot: "Robot") -> Iterator[str]:
    known = tuple(joint.name for joint in robot.joints)
    for name, count in Counter(robot.independent).items():
        if name not in known:
            yield f"independent: {unknown('moving joint', name, known)}"
        if count > 1:
            yield f"independent: {name!r} stands {count} times."


def _symbol_problems(robot: "Robot") -> Iterator[Problem]:
    for symbol in robot.symbols:
        wrong: list[str] = []
        try:
            Formula.symbol(symbol.name)
        except WrongValue as error:
            wrong.append(f"symbols: {error}")
        if symbol.value is not None:
            wrong += not_formula(f"symbol {symbol.name!r}: value", symbol.value)
            if isinstance(symbol.value, Formula) and symbol.value.symbols:
                wrong.append(
                    f"symbol {symbol.name!r}: its value {symbol.value} must be a number, without symbols."
                )
        yield from at("symbols", symbol.name, found=wrong)


def _value_problems(robot: "Robot") -> Iterator[Problem]:
    """Constants without a finite value, such as a quotient whose divisor cancels only numerically."""
    for where, formula in formulas(robot):
        if formula.is_number:
            try:
                float(formula)
            except WrongValue as error:
                part = re.match(r"(link|frame|loop|coupling)s\[(\d+)\]|([a-z]+)", where)
                place = () if part is None else (part[3],) if part[3] else (part[1], int(part[2]))
                yield from at(*place, found=[f"{where}: {error}"])
