"""What a caller gave to a law, sorted: arrays, options, overrides and values of symbols, each checked."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rikigaku.arrays import Array, floats
from rikigaku.errors import UnknownName, WrongSize, WrongValue
from rikigaku.given import short
from rikigaku.laws.record import REQUIRED, Law
from rikigaku.model.robot import Robot
from rikigaku.recipe import input_size

_ARRAYS = (np.ndarray, list, tuple)


class Sorted(NamedTuple):
    """The law's inputs, its options (all of them), inputs added to it, and symbols given in the call."""

    inputs: list[Array]
    options: dict[str, Any]
    overrides: dict[str, Any]
    symbols: dict[str, Any]


@dataclass(frozen=True)
class Arguments:
    """Knows what a law of a robot takes, with some of it decided beforehand."""

    robot: Robot
    law: Law
    fixed: Mapping[str, Any]

    @cached_property
    def decided(self) -> dict[str, float]:
        """Symbols fixed at plain numbers: their values unless a call gives others."""
        taken = (*self.law.options, *self.law.overrides)
        names = [name for name in self.fixed if name in self.robot.free_symbols and name not in taken]
        return {name: float(self.fixed[name]) for name in names if _is_plain(self.fixed[name])}

    def sort(self, args: Sequence[Any], keywords: Mapping[str, Any], calling: bool = True) -> Sorted:
        """Positional and keyword arguments, sorted. Not `calling`: the arrays may be missing."""
        law, keywords = self.law, dict(keywords)
        symbols = dict(keywords.pop("symbols", None) or {})  # for names that mean something else in a call
        for name in symbols:
            if name not in self.robot.free_symbols:
                raise UnknownName("symbol", name, self.robot.free_symbols, f"robot {self.robot.name!r}")
        given = {name: value for name, value in self.fixed.items() if name in law.options}
        later = {name: self.fixed[name] for name in self.fixed if name not in (*law.options, *self.decided)}
        keywords = later | keywords
        arrays = list(args)
        for name in law.options:  # words may follow the inputs in order: jacobian(q, "hand")
            if len(arrays) > len(law.inputs) and not isinstance(arrays[len(law.inputs)], _ARRAYS):
                given[name] = arrays.pop(len(law.inputs))
        for name in law.inputs[len(arrays) :]:
            if name in keywords:
                arrays.append(keywords.pop(name))
        if calling and len(arrays) != len(law.inputs):
            raise WrongSize(
                f"{law.called} of robot {self.robot.name!r} takes {_counted(len(law.inputs), 'array')} "
                f"({', '.join(law.inputs)}); {_counted(len(arrays), 'array')} were given. "
                "Options and out= are keywords."
            )
        given |= {name: keywords.pop(name) for name in law.options if name in keywords}
        overrides = {name: keywords.pop(name) for name in law.overrides if keywords.get(name) is not None}
        symbols |= {name: keywords.pop(name) for name in self.robot.free_symbols if name in keywords}
        # an override that is None is one not made
        self.check_names([name for name, x in keywords.items() if x is not None or name not in law.overrides])
        if not isinstance(overrides.get("wrenches", {}), Mapping):
            raise WrongValue(
                f"wrenches are given by frame, as {{frame: six numbers}}, not as {overrides['wrenches']!r}."
            )
        options = {name: given.get(name, default) for name, default in law.options.items()}
        for name, value in options.items():
            self._check_option(name, value)
        return Sorted(self.arrays(arrays), options, overrides, symbols)

    def arrays(self, given: Sequence[Any]) -> list[Array]:
        """The law's inputs as arrays of the right size."""
        return [self._array(name, x) for name, x in zip(self.law.inputs, given, strict=False)]

    def check_names(self, names: Sequence[str]) -> None:
        """Refuse a keyword that is neither an option nor an override nor a symbol."""
        known = (*self.law.options, *self.law.overrides, *self.robot.free_symbols)
        for name in names:
            if name not in known:
                where = f"{self.law.called} of robot {self.robot.name!r}"
                raise UnknownName("option or symbol", name, known, where)

    def _check_option(self, name: str, value: Any) -> None:
        default = self.law.options[name]
        if default is REQUIRED and not isinstance(value, str):
            frames = [frame.name for frame in self.robot.frames] or list(self.robot.frame_names)
            given = "" if value is REQUIRED else f" {short(value)} was given."
            raise WrongValue(
                f"{self.law.called} needs {name}=...: a frame ({', '.join(frames[-12:])}) or any link of the "
                f"robot (all: robot.frame_names).{given}"
            )
        if isinstance(default, bool) and not isinstance(value, (bool, np.bool_)):
            raise WrongValue(f"{name} of {self.law.called} is True or False, not {value!r}.")
        if not isinstance(default, bool) and not isinstance(value, str):
            raise WrongValue(f"{name} of {self.law.called} is a word, not {value!r}.")

    def _array(self, name: str, x: Any) -> Array:
        size = input_size(self.robot, self.law, name)
        if type(x) is np.ndarray and x.dtype == np.float64 and x.ndim and x.shape[-1] == size:
            return x
        array = floats(f"{name} of robot {self.robot.name!r}", x)
        if array.ndim == 0 or array.shape[-1] != size:
            own = self.law.coordinates.get(name)
            names = own or [joint.name for joint in self.robot.joints]
            words = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
            if own is None:
                words = f"joints {words}"
            raise WrongSize(
                f"{name} of robot {self.robot.name!r} has {size} numbers ({words}), so its "
                f"array ends in an axis of {size}; an array of shape {array.shape} was given."
            )
        return array


def _is_plain(x: Any) -> bool:
    """Whether it is a finite number: no array, no text."""
    most = sys.float_info.max
    return isinstance(x, int | float | np.integer | np.floating) and bool(-most <= x <= most)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
