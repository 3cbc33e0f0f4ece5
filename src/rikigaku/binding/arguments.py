"""Arguments of a call of a law, validated: arrays, options, overrides and values of symbols."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rikigaku.core.arrays import Array, floats
from rikigaku.core.errors import UnknownName, WrongSize, WrongValue
from rikigaku.core.validation import is_number, short
from rikigaku.laws.law import REQUIRED, Law
from rikigaku.laws.specialization import input_size
from rikigaku.model.robot_model import RobotModel

_ARRAYS = (np.ndarray, list, tuple)


class ParsedArguments(NamedTuple):
    """Arrays of the law's inputs, values of all its options, overrides, and symbols named in the call."""

    inputs: list[Array]
    options: dict[str, Any]
    overrides: dict[str, Any]
    symbols: dict[str, Any]


@dataclass(frozen=True)
class LawArguments:
    """The arguments that a law of a robot takes; `fixed` holds those set before the call (`law.fix`)."""

    robot: RobotModel
    law: Law
    fixed: Mapping[str, Any]

    @cached_property
    def symbol_values(self) -> dict[str, float]:
        """Symbols fixed at plain numbers; a call may override them."""
        taken = (*self.law.options, *self.law.overrides)
        names = [name for name in self.fixed if name in self.robot.free_symbols and name not in taken]
        return {name: float(self.fixed[name]) for name in names if _is_plain(self.fixed[name])}

    def parsed(
        self,
        args: Sequence[Any],
        keywords: Mapping[str, Any],
        arrays_required: bool = True,
        single: bool = False,
        converted: bool = True,
    ) -> ParsedArguments:
        """Validate positional and keyword arguments and assign each to its kind.

        Args:
            arrays_required: False where only the options matter; the arrays may then be missing.
            single: arrays of float32 stay as they are.
            converted: False where the inputs belong to another framework; they are returned as they are.
        Raises:
            UnknownName, WrongSize, WrongValue: if an argument is unknown, missing or does not fit.
        """
        law, keywords = self.law, dict(keywords)
        # for symbols that share a name with an argument
        symbols = dict(_mapping("symbols", "name", "{name: value}", keywords.pop("symbols", None)))
        for name in symbols:
            if name not in self.robot.free_symbols:
                raise UnknownName("symbol", name, self.robot.free_symbols, f"robot {self.robot.name!r}")
        chosen = {name: value for name, value in self.fixed.items() if name in law.options}
        others = {
            name: self.fixed[name] for name in self.fixed if name not in (*law.options, *self.symbol_values)
        }
        keywords = others | keywords
        arrays = list(args)
        for name in law.options:  # options may follow the arrays in order: jacobian(q, "hand")
            if len(arrays) > len(law.inputs) and not isinstance(arrays[len(law.inputs)], _ARRAYS):
                chosen[name] = arrays.pop(len(law.inputs))
                self._check_once(name, keywords)
        for name in law.inputs[: len(arrays)]:
            if name not in self.robot.free_symbols:
                self._check_once(name, keywords)
        for name in law.inputs[len(arrays) :]:
            if name in keywords:
                arrays.append(keywords.pop(name))
        if arrays_required and len(arrays) != len(law.inputs):
            raise WrongSize(
                f"{law.called} of robot {self.robot.name!r} takes {_counted(len(law.inputs), 'array')} "
                f"({', '.join(law.inputs)}); {_counted(len(arrays), 'array')} were given. "
                "Options and out= are keywords."
            )
        chosen |= {name: keywords.pop(name) for name in law.options if name in keywords}
        overrides = {name: keywords.pop(name) for name in law.overrides if keywords.get(name) is not None}
        symbols |= {name: keywords.pop(name) for name in self.robot.free_symbols if name in keywords}
        # gravity=None and wrenches=None are the defaults: no override
        self.check_names([name for name, x in keywords.items() if x is not None or name not in law.overrides])
        _mapping("wrenches", "frame", "{frame: six numbers}", overrides.get("wrenches"))
        options = {name: chosen.get(name, default) for name, default in law.options.items()}
        for name, value in options.items():
            self._check_option(name, value)
        inputs = self.arrays(arrays, single) if converted else arrays
        return ParsedArguments(inputs, options, overrides, symbols)

    def arrays(self, values: Sequence[Any], single: bool = False) -> list[Array]:
        """The law's inputs as float64 arrays whose last axis has the right size; single: float32 stays."""
        return [self._array(name, x, single) for name, x in zip(self.law.inputs, values, strict=False)]

    def check_names(self, names: Sequence[str]) -> None:
        """Raise UnknownName for a keyword that is neither an option nor an override nor a symbol."""
        known = (*self.law.options, *self.law.overrides, *self.robot.free_symbols)
        for name in names:
            if name not in known:
                where = f"{self.law.called} of robot {self.robot.name!r}"
                raise UnknownName("option or symbol", name, known, where)

    def _check_once(self, name: str, keywords: Mapping[str, Any]) -> None:
        if name in keywords:
            raise WrongValue(
                f"{name} of {self.law.called} is given twice: by position, and as {name}=.... Leave one out."
            )

    def _check_option(self, name: str, value: Any) -> None:
        default = self.law.options[name]
        if default is REQUIRED and not isinstance(value, str):
            frames = [frame.name for frame in self.robot.frames] or list(self.robot.frame_names)
            received = "" if value is REQUIRED else f" {short(value)} was given."
            raise WrongValue(
                f"{self.law.called} needs {name}=...: a frame ({', '.join(frames[-12:])}) or any link of the "
                f"robot (all: robot.frame_names).{received} "
                f"robot.{self.law.called}.fix({name}={frames[0]!r}) is the law of one frame."
            )
        if isinstance(default, bool) and not isinstance(value, (bool, np.bool_)):
            raise WrongValue(f"{name} of {self.law.called} is True or False, not {short(value)}.")
        if is_number(default) and not is_number(value):
            raise WrongValue(f"{name} of {self.law.called} is a finite number, not {short(value)}.")
        if not isinstance(default, bool) and not is_number(default) and not isinstance(value, str):
            raise WrongValue(f"{name} of {self.law.called} is a string, not {short(value)}.")

    def _array(self, name: str, x: Any, single: bool) -> Array:
        size = input_size(self.robot, self.law, name)
        kept = (np.float64, np.float32) if single else (np.float64,)
        if type(x) is np.ndarray and x.dtype in kept and x.ndim and x.shape[-1] == size:
            return x
        array = floats(f"{name} of robot {self.robot.name!r}", x, single)
        self.check_shape(name, array.shape)
        return array

    def check_shape(self, name: str, shape: tuple[int, ...]) -> None:
        """Raise WrongSize if the last axis of an input has not the right size."""
        size = input_size(self.robot, self.law, name)
        if not shape or shape[-1] != size:
            coordinates = self.law.coordinates.get(name)
            names = coordinates or [joint.name for joint in self.robot.joints]
            listed = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
            if coordinates is None:
                listed = f"joints {listed}"
            raise WrongSize(
                f"{name} of robot {self.robot.name!r} has {size} numbers ({listed}), so its "
                f"array ends in an axis of {size}; an array of shape {shape} was given."
            )


def _mapping(what: str, by: str, example: str, x: Any) -> Mapping[str, Any]:
    """Values by name; None is none."""
    if x is None:
        return {}
    if not isinstance(x, Mapping) or not all(isinstance(name, str) for name in x):
        raise WrongValue(f"{what} are given by {by}, as {example}, not as {short(x)}.")
    return x


def _is_plain(x: Any) -> bool:
    """Whether x is a finite scalar."""
    largest = sys.float_info.max
    return isinstance(x, int | float | np.integer | np.floating) and bool(-largest <= x <= largest)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
