"""Tables of a robot's parameters for a report: Denavit-Hartenberg columns, placements, inertias, limits."""

from rikigaku.model.geometry import Geometry, ModifiedDH, Placement, StandardDH
from rikigaku.model.inertial_parameters import Inertia
from rikigaku.model.joint import Joint
from rikigaku.model.robot_model import RobotModel
from rikigaku.model.robot_tables import (
    Table,
    coupling_text,
    frame_table,
    geometry_text,
    joint_text,
    loop_table,
    number_text,
    spring_text,
    symbol_table,
)
from rikigaku.numbers.formula import Formula

_MODIFIED = ("beta", "b", "alpha", "a", "theta", "d")
_STANDARD = ("theta", "d", "a", "alpha")
_GREEK = {"alpha": "α", "beta": "β", "theta": "θ"}
_TENSOR = ("Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")


def parameter_tables(robot: RobotModel) -> dict[str, Table]:
    """Tables by the key of their title; empty ones are left out."""
    tables = {
        "table.dh": dh_table(robot),
        "table.geometry": placement_table(robot),
        "table.inertia": inertia_table(robot),
        "table.limits": limit_table(robot),
        "table.joints": joint_table(robot),
        "table.frames": frame_table(robot),
        "table.loops": loop_table(robot),
        "table.symbols": symbol_table(robot),
    }
    return {key: table for key, table in tables.items() if table.rows}


def dh_table(robot: RobotModel) -> Table:
    """Links placed by Denavit-Hartenberg parameters, the joint's variable among them."""
    links = [link for link in robot.links if not isinstance(link.geometry, Placement)]
    if not links:
        return Table((), ())
    names = _MODIFIED if any(isinstance(link.geometry, ModifiedDH) for link in links) else _STANDARD
    optional = {"beta", "b"}
    columns = [
        name
        for name in names
        if name not in optional or any(getattr(link.geometry, name, None) for link in links)
    ]
    kinds = {type(link.geometry) for link in links}
    mixed = len(kinds) > 1
    head = ("link", "on", "joint", "type", *((f"{_GREEK.get(name, name)}{_unit(name)}") for name in columns))
    rows = []
    for link in links:
        cells = [_dh_cell(link.geometry, link.joint, name) for name in columns]
        kind = " (standard DH)" if mixed and isinstance(link.geometry, StandardDH) else ""
        rows.append((link.name, link.parent, link.joint.name, joint_text(link.joint) + kind, *cells))
    return Table(head, rows)


def placement_table(robot: RobotModel) -> Table:
    """Links placed by position and angles."""
    rows = [
        (link.name, link.parent, link.joint.name, joint_text(link.joint), geometry_text(link.geometry))
        for link in robot.links
        if isinstance(link.geometry, Placement)
    ]
    return Table(("link", "on", "joint", "type", "placement [m, rad]"), rows)


def inertia_table(robot: RobotModel) -> Table:
    """Mass, centre of mass or first moments, and inertia tensor of each link that has an inertia."""
    bodies: list[tuple[str, Inertia]] = []
    if robot.base_inertia is not None:
        bodies.append((robot.base, robot.base_inertia))
    bodies += [(link.name, link.inertia) for link in robot.links if link.inertia is not None]
    if not bodies:
        return Table((), ())
    about = {inertia.about for _, inertia in bodies}
    place = (
        ("cx", "cy", "cz")
        if about == {"com"}
        else ("mx", "my", "mz")
        if about == {"origin"}
        else ("x", "y", "z")
    )
    turned = any(any(inertia.rpy) for _, inertia in bodies)
    head = ("link", "m [kg]", *place, *_TENSOR, "about", *(("axes rpy",) if turned else ()))
    rows = []
    for name, inertia in bodies:
        axes = (" ".join(number_text(x) for x in inertia.rpy) if any(inertia.rpy) else "",) if turned else ()
        numbers = (inertia.m, *inertia.position, *inertia.tensor)
        rows.append((name, *(number_text(x) for x in numbers), inertia.about, *axes))
    return Table(head, rows)


def limit_table(robot: RobotModel) -> Table:
    """Limits of the joints that have any."""
    rows = []
    for joint in robot.joints:
        limits = joint.limits
        values = (limits.lower, limits.upper, limits.velocity, limits.effort)
        if any(value is not None for value in values):
            rows.append((joint.name, *("" if x is None else f"{x:.5g}" for x in values)))
    return Table(("joint", "lower [rad, m]", "upper [rad, m]", "speed", "effort [N m, N]"), rows)


def joint_table(robot: RobotModel) -> Table:
    """Friction, rotor inertia, springs and gears of the joints that have any."""
    follows = {coupling.joint: coupling for coupling in robot.couplings}
    rows = []
    for joint in robot.joints:
        cells = (
            _unless_zero(joint.viscous),
            _unless_zero(joint.coulomb),
            _unless_zero(joint.rotor),
            spring_text(joint),
            coupling_text(follows[joint.name]) if joint.name in follows else "",
        )
        if any(cells):
            rows.append((joint.name, *cells))
    head = ("joint", "viscous", "Coulomb", "rotor [kg m²]", "spring", "follows")
    kept = [k for k in range(len(head)) if k == 0 or any(row[k] for row in rows)]
    return Table(tuple(head[k] for k in kept), [tuple(row[k] for k in kept) for row in rows])


def _unit(name: str) -> str:
    return " [m]" if name in ("a", "b", "d") else " [rad]"


def _dh_cell(geometry: Geometry, joint: Joint, name: str) -> str:
    value: Formula | None = getattr(geometry, name, None)
    if value is None:
        return ""
    variable = {"revolute": "theta", "continuous": "theta", "prismatic": "d"}.get(joint.type)
    constant = number_text(value)
    if name != variable:
        return constant
    return joint.name if not value else f"{joint.name} + {constant}".replace("+ -", "− ")


def _unless_zero(amount: Formula) -> str:
    return number_text(amount) if amount else ""
