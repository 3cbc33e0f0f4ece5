"""`Robot`: the model of a robot plus every law and method it has, declared."""

from rikigaku.robot.loading import load
from rikigaku.robot.robot import Robot

__all__ = ["Robot", "load"]
