"""The model with which a controller computes: that of the robot it was made of, not of the controlled one."""

from rikigaku.core.errors import MissingValue
from rikigaku.model.mechanism import Mechanism, instantiate
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot


def controller_mechanism(model: Robot, controlled: Mechanism) -> Mechanism:
    """The mechanism of a controller's model.

    Symbols of the model that are free in the controlled robot, too, have the values there; other free symbols
    have their declared values.

    Raises:
        MissingValue: for symbols that have neither.
    """
    declared = model.declared_values
    values = {name: controlled.symbols.get(name, declared.get(name)) for name in model.free_symbols}
    if missing := [name for name, x in values.items() if x is None]:
        raise MissingValue(
            f"A controller with the model of robot {model.name!r} needs numbers for {', '.join(missing)}. "
            f"Make it of robot.bind({missing[0]}=...)."
        )
    return instantiate(model, FLOATS, {name: x for name, x in values.items() if x is not None})
