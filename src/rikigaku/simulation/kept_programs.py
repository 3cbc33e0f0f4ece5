"""Programs of simulations, kept with the robot they belong to: its native code is released with it."""

import threading
from collections.abc import Callable, Hashable
from typing import TypeVar

from rikigaku.robot import Robot

Made = TypeVar("Made")

_KEPT = 64  # for each robot: events of users are functions, of which there may be any number
_lock = threading.Lock()


def kept(robot: Robot, key: Hashable, make: Callable[[], Made]) -> Made:
    """What `make` gives, made once for a robot and a key; the least recently used are dropped."""
    with _lock:  # of another thread, a look and a removal may come between ours
        known: dict[Hashable, Made] = robot.__dict__.setdefault("_simulation_programs", {})
        made = known.pop(key) if key in known else make()
        known[key] = made  # the last one is the one used last
        if len(known) > _KEPT:
            del known[next(iter(known))]
    return made
