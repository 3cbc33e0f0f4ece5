"""Checks of a robot: all problems at once, each a sentence that says what to do."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rikigaku.core.errors import WrongValue
from rikigaku.core.input_limits import MISTAKES, NAME_CHARACTERS
from rikigaku.core.known_names import KnownNames
from rikigaku.core.value_text import short
from rikigaku.model.formula_fields import formulas
from rikigaku.model.joints.joint_types import CUT_JOINTS, JOINT_TYPES, joint_type
from rikigaku.model.part_check import (
    Problem,
    at,
    geometry_problems,
    inertia_problems,
    link_problems,
    not_formula,
    triple,
    unknown,
)
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.latex_names import latex_name

if TYPE_CHECKING:
    from rikigaku.model.robot_model import Coupling, Loop, RobotModel

# Names go into files, generated source, web pages and LaTeX: these characters would need escaping there.
FORBIDDEN_IN_NAMES = frozenset("<>&\"'`\\")


def problems(robot: "RobotModel") -> list[Problem]:
    """All problems of a robot; none for a consistent one. Symbols need not be declared."""
    bodies = KnownNames((robot.base, *(link.name for link in robot.links)))
    base = () if robot.base_inertia is None else inertia_problems("the base", robot.base_inertia)
    return [
        *_name_problems(robot),
        *_tree_problems(robot, bodies),
        *at("gravity", found=triple("gravity", robot.gravity, like="(0, 0, -9.81)")),
        *at("base", "inertia", found=base),
        *(
            problem
            for k, link in enumerate(robot.links)
            for problem in at("link", k, found=link_problems(link))
        ),
        *_frame_problems(robot, bodies),
        *(
            problem
            for k, loop in enumerate(robot.loops)
            for problem in at("loop", k, found=_loop_problems(robot, loop, bodies, detailed=k < MISTAKES))
        ),
        *_coupling_problems(robot),
        *at("independent", found=_independent_problems(robot)),
        *_symbol_problems(robot),
        *_lookalike_problems(robot),
        *_value_problems(robot),
    ]


def used_symbols(robot: "RobotModel") -> set[str]:
    """Names of the symbols that occur in some parameter."""
    parts = (robot.links, robot.frames, robot.loops, robot.couplings, robot.gravity, robot.base_inertia)
    return {name for _, formula in formulas(parts) for name in formula.symbols}


def name_problem(name: object) -> str:
    """Why this cannot name a thing of a robot; empty if it can."""
    if not isinstance(name, str) or not name:
        return "a name must be a text that is not empty"
    if len(name) > NAME_CHARACTERS:
        return f"a name may have {NAME_CHARACTERS} characters, this one has {len(name)}"
    bad = sorted({c for c in name if c in FORBIDDEN_IN_NAMES or not c.isprintable()})
    if bad or name != name.strip():
        return f"a name may not hold {' '.join(map(repr, bad)) or 'blanks at its ends'}"
    return ""


def _name_problems(robot: "RobotModel") -> Iterator[Problem]:
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
            yield from at(*place, found=[f"{what} {short(name)}: {why}."])
    for what, named in (
        ("links and frames (the base included)", bodies),
        ("joints", joints),
        ("loops", loops),
        ("symbols", symbols),
    ):
        last = {name: place for _, name, place in named}
        for name, count in Counter(name for _, name, _ in named).items():
            if count > 1:
                sentence = f"{count} {what} are named {name!r}; names must differ."
                yield from at(*last[name], found=[sentence])


def _tree_problems(robot: "RobotModel", known: KnownNames) -> Iterator[Problem]:
    parents = {link.name: link.parent for link in robot.links}
    places = {link.name: k for k, link in enumerate(robot.links)}
    for k, link in enumerate(robot.links):
        if link.parent not in parents and link.parent != robot.base:
            why = f"link {link.name!r}: {unknown('parent link', link.parent, known)}"
            yield from at("link", k, "parent", found=[why])
    checked = {robot.base}
    for start in parents:
        walked: dict[str, None] = {}
        here = start
        while here in parents and here not in checked and here not in walked:
            walked[here] = None
            here = parents[here]
        if here in walked:
            ring = list(walked)[list(walked).index(here) :]
            shown = " -> ".join(map(repr, [*ring, here]))
            why = f"links {shown}: each is the child of the next, none of the base."
            yield from at("link", places[here], "parent", found=[why])
        checked.update(walked)  # reported or connected to the base


def _frame_problems(robot: "RobotModel", known: KnownNames) -> Iterator[Problem]:
    for k, frame in enumerate(robot.frames):
        if frame.link not in known:
            why = f"frame {frame.name!r}: {unknown('link', frame.link, known)}"
            yield from at("frame", k, "link", found=[why])
        yield from at("frame", k, found=geometry_problems(f"frame {frame.name!r}", frame.geometry))


def _loop_problems(robot: "RobotModel", loop: "Loop", known: KnownNames, detailed: bool) -> Iterator[str]:
    """detailed: list the other joints of the loop, which takes a walk along it."""
    where = f"loop {loop.name!r}"
    if loop.joint in JOINT_TYPES and JOINT_TYPES[loop.joint].has_pitch and loop.joint not in CUT_JOINTS:
        others = KnownNames(_others_of_loop(robot, loop) if detailed else ()).listed() or "none there"
        yield f"{where}: a helical joint cannot close a loop; cut another joint of it: {others}."
    elif loop.joint not in CUT_JOINTS:
        yield f"{where}: {unknown('closing joint type', loop.joint, KnownNames(CUT_JOINTS))}"
    for side, end in (("from", loop.start), ("to", loop.end)):
        if end.link not in known:
            yield from at(side, "link", found=[f"{where}, {side}: {unknown('link', end.link, known)}"])
        yield from at(side, found=geometry_problems(f"{where}, {side}", end.geometry))
    if loop.start.link == loop.end.link:
        yield f"{where}: both ends are on link {loop.start.link!r}; a loop joins two links."


def _others_of_loop(robot: "RobotModel", loop: "Loop") -> Iterator[str]:
    """Joints of the tree on a loop that might be cut, with their types."""
    link_of = {link.name: link for link in robot.links}
    sides: list[set[str]] = []
    for end in (loop.start, loop.end):
        here, side = end.link, set[str]()
        while here in link_of and here not in side:  # cycles are reported by another check
            side.add(here)
            here = link_of[here].parent
        sides.append(side)
    on_loop = sides[0] ^ sides[1]
    for name in (name for name in link_of if name in on_loop):
        joint = link_of[name].joint
        if joint.type in CUT_JOINTS and joint.type != "fixed":
            yield f"{joint.name} ({joint.type})"


def _coupling_problems(robot: "RobotModel") -> Iterator[Problem]:
    single = KnownNames(joint.name for joint in robot.joints if joint.type in JOINT_TYPES and joint.nq == 1)
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
        walked: dict[str, None] = {}
        here = start
        while here in couplings and here not in done and here not in walked:
            walked[here] = None
            here = couplings[here].reference
        if here in walked:
            names = list(walked)
            yield [*names[names.index(here) :], here]
        done.update(walked)


def _independent_problems(robot: "RobotModel") -> Iterator[str]:
    known = KnownNames(joint.name for joint in robot.joints)
    for name, count in Counter(robot.independent).items():
        if name not in known:
            yield f"independent: {unknown('moving joint', name, known)}"
        if count > 1:
            yield f"independent: {name!r} is named {count} times."


def _symbol_problems(robot: "RobotModel") -> Iterator[Problem]:
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


def _lookalike_problems(robot: "RobotModel") -> Iterator[Problem]:
    """Symbols that formulas would print like another symbol, a joint, its velocity, acceleration or force.

    m1 and m_1 are both m with index 1, and q1_dot is the velocity of the joint q1.
    """
    used = used_symbols(robot)
    declared = [symbol.name for symbol in robot.symbols]
    symbols = [*declared, *sorted(used.difference(declared))]
    printed = dict(_printed_of_joints(robot))
    own_names = {joint.name for joint in robot.joints}  # the coordinate is then written with a trailing _
    for name in symbols:
        if not isinstance(name, str) or name in own_names:
            continue
        other = printed.setdefault(latex_name(name), f"symbol {name!r}")
        if other != f"symbol {name!r}":
            why = f"symbol {name!r} is printed like {other} in formulas, {latex_name(name)}. Rename one."
            yield from at(*(("symbols", name) if name in declared else ()), found=[why])


def _printed_of_joints(robot: "RobotModel") -> Iterator[tuple[str, str]]:
    """What formulas print for each joint, and whose it is; the names are those of `laws.display_names`."""
    for joint in robot.joints:
        if joint.type not in JOINT_TYPES or not isinstance(joint.name, str):
            continue
        kind = joint_type(joint.type)
        coordinates = [joint.name + ending for ending in kind.coordinate_suffixes]
        rates = [joint.name + ending for ending in kind.velocity_suffixes]
        dots = ("", "_dot") if rates else ("_dot", "_ddot")
        for name in rates or coordinates:
            yield latex_name(name + dots[0]), f"the velocity of joint {joint.name!r}"
            yield latex_name(name + dots[1]), f"the acceleration of joint {joint.name!r}"
            yield latex_name(f"tau_{name}"), f"the force of joint {joint.name!r}"
        yield from ((latex_name(name), f"joint {joint.name!r}") for name in coordinates)


def _value_problems(robot: "RobotModel") -> Iterator[Problem]:
    """Constants without a finite value, such as a quotient whose divisor cancels only numerically."""
    for where, formula in formulas(robot):
        if formula.is_number:
            try:
                float(formula)
            except WrongValue as error:
                part = re.match(r"(link|frame|loop|coupling)s\[(\d+)\]|([a-z]+)", where)
                place = () if part is None else (part[3],) if part[3] else (part[1], int(part[2]))
                yield from at(*place, found=[f"{where}: {error}"])
