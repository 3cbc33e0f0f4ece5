"""The robot that a picture shows: symbols of geometries and of gravity without a value take a typical one."""

from rikigaku.model.geometry_symbols import geometry_symbols
from rikigaku.model.robot_model import RobotModel
from rikigaku.robot import Robot

LENGTH = 0.5  # typical value of a symbol in a geometry, and of an angle of gravity [m, rad]
GRAVITY = 9.81  # typical value of a symbol that is a factor of gravity [m/s^2]


def assumed_values(robot: RobotModel) -> dict[str, float]:
    """Typical values of the symbols that place links, frames or loops, or set gravity, and have no value."""
    geometry, known = geometry_symbols(robot), robot.declared_values
    gravity = {name for component in robot.gravity for name in component.symbols}
    factors = {
        inside
        for component in robot.gravity
        for monomial, _ in component.terms
        for (kind, inside), _ in monomial
        if kind == "symbol"
    }
    return {
        name: GRAVITY if name in factors - geometry else LENGTH
        for name in sorted(geometry | gravity)
        if name not in known
    }


def assumption(values: dict[str, float]) -> str:
    """Assumed values as a note says them: "L1 = 0.5, g = 9.81"."""
    return ", ".join(f"{name} = {value:g}" for name, value in values.items())


def drawn_robot(robot: Robot) -> Robot:
    """The robot with its declared values, and with the assumed ones of symbols that have none."""
    values = robot.declared_values | assumed_values(robot)
    return robot.bind(**values) if values else robot
