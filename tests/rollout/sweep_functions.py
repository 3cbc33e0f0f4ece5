"""Functions of sweeps, in a module that worker processes import."""

import os
import time
from pathlib import Path
from typing import Any

import numpy as np

import rikigaku as rk


def draw(item: float, random: np.random.Generator) -> dict[str, Any]:
    return {"item": item, "noise": item + random.normal(size=3)}


def swing(item: float, random: np.random.Generator) -> Any:
    """The final configuration of a rollout of 20 worlds."""
    arm = rk.load("planar_2r")
    q0 = item + random.normal(size=(20, 2))
    return arm.rollout(q0, steps=30, dt=1e-3, every=0, threads=1).q


def weight(robot: rk.Robot, item: float, random: np.random.Generator) -> float:
    """Largest torque of gravity at a random configuration times the item."""
    return float(item * np.abs(robot.gravity_forces(random.normal(size=robot.nq))).max())


def fails_at_three(item: int, random: np.random.Generator) -> float:
    if item == 3:
        raise ValueError("three is not possible")
    return float(random.random())


def counted(item: tuple[str, int, float], random: np.random.Generator) -> float:
    """Appends a line to a file at every call, then takes some time."""
    path, k, seconds = item
    with open(path, "a") as file:
        file.write(f"{k}\n")
    time.sleep(seconds)
    return k + float(random.random())


def fails_once(item: tuple[str, int], random: np.random.Generator) -> float:
    """Raises an error at the first call for an item."""
    mark = Path(item[0]) / f"tried {item[1]}"
    value = float(random.random())
    if not mark.exists():
        mark.touch()
        raise RuntimeError("the first attempt fails")
    return value


def dies_once(item: tuple[str, int], random: np.random.Generator) -> float:
    """Ends its process at the first call for item 2."""
    mark = Path(item[0]) / "died"
    value = float(random.random())
    if item[1] == 2 and not mark.exists():
        mark.touch()
        os._exit(9)
    return value


def dies_at_zero(item: int, random: np.random.Generator) -> float:
    """Ends its process at item 0, always."""
    if item == 0:
        os._exit(9)
    time.sleep(0.01)
    return float(item)


def text(item: Any, random: np.random.Generator) -> object:
    return object()


def uneven(item: int, random: np.random.Generator) -> Any:
    return np.zeros(item)
