"""What a robot can do beyond its laws, attached to Robot in one place; Robot itself holds data only."""

from rikigaku import display, inverse_kinematics, plotting, states, structure
from rikigaku.model.edit import EDITS
from rikigaku.model.robot import Robot

for _method in (
    *EDITS,
    *structure.METHODS,
    *states.METHODS,
    *inverse_kinematics.METHODS,
    *display.METHODS,
    *plotting.METHODS,
):
    setattr(Robot, _method.__name__, _method)
