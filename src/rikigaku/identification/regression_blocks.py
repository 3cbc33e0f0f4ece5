"""Blocks of the regression W theta = y from filtered motions: bounded memory for recordings of any length."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from rikigaku.core.types import Array
from rikigaku.identification.experiment import Experiment
from rikigaku.identification.measurement_model import MeasurementModel
from rikigaku.identification.signal_filtering import FilteredMotion

BLOCK = 1024  # samples after decimation that are in memory at a time
_BEFORE = 8192  # rows before decimation that are in memory at a time, at least
_KEPT = 1 << 28  # bytes of W that are kept
_MARGIN = 3  # samples on both sides that a central difference needs
Form = Literal["acceleration", "momentum"]


@dataclass(frozen=True)
class Regression:
    """All samples of some experiments.

    scale: gains of the columns of tau. form: "acceleration": W(q, v, a); "momentum": the momentum's columns
    are differentiated in place of the velocities.
    """

    model: MeasurementModel
    motions: tuple[tuple[Experiment, FilteredMotion], ...]
    scale: Array
    form: Form = "acceleration"

    def __call__(self, backward: bool = False) -> Iterator[tuple[int, Array, Array]]:
        """(experiment, W, y) after decimation; torques of known loads and springs are subtracted."""
        layout = self.model.layout
        for k, values in self.packed(backward):
            yield k, layout.columns(values), values[:, layout.right_sides]

    def packed(self, backward: bool = False) -> Iterator[tuple[int, Array]]:
        """(experiment, packed rows [W, y]) after decimation.

        Short recordings are kept in memory for the next pass.
        """
        if self._short:
            yield from self._blocks[::-1] if backward else self._blocks
        else:
            yield from self._computed(backward)

    @cached_property
    def _short(self) -> bool:
        samples = sum(motion.count for _, motion in self.motions)
        return samples * self.model.layout.size * 8 <= _KEPT

    @cached_property
    def _blocks(self) -> list[tuple[int, Array]]:
        return list(self._computed(False))

    def _computed(self, backward: bool) -> Iterator[tuple[int, Array]]:
        direction = -1 if backward else 1
        for k, (x, motion) in list(enumerate(self.motions))[::direction]:
            size = max(32, min(BLOCK, _BEFORE // motion.step))
            for first in range(0, motion.count, size)[::direction]:
                last = min(first + size, motion.count)
                yield k, self._block(x, motion, first, last)

    def some(self, count: int) -> Iterator[tuple[Array, Array]]:
        """The first samples."""
        found = 0
        for _, W, y in self():
            yield W, y
            found += len(W)
            if found >= count:
                return

    def of(self, model: MeasurementModel) -> "Regression":
        """The same samples with another model."""
        return replace(self, model=model)

    def instruments(self, others: tuple[tuple[Experiment, FilteredMotion], ...]) -> "Regression":
        """The columns at other motions (commanded ones), sample by sample."""
        return replace(self, motions=others)

    def _block(self, x: Experiment, motion: FilteredMotion, first: int, last: int) -> Array:
        rows = motion.inputs(first, last)
        q, v, a = motion.q[rows], motion.v[rows], motion.a[rows]
        y = self._right_side(x, motion, rows, (q, v, a))
        load = self.model.carriers.index(x) if x.unknown_load is not None else None
        known = isinstance(x.load, Mapping)
        layout = self.model.layout
        if self.form == "acceleration" and not self.model.equations.contact_rows:
            values = self.model.packed_rows(q, v, a, y, load, known)
        else:
            values = layout.packed(*self._projected(motion, rows, load, known, y))
        values = motion.decimated(values, last - first)
        moving = motion.moving[first:last]
        for j in np.flatnonzero(~moving.all(axis=0)):
            values[~moving[:, j], slice(*layout.bounds[j])] = 0.0
        return values

    def _projected(
        self, motion: FilteredMotion, rows: slice, load: int | None, known: bool, y: Array
    ) -> tuple[Array, Array]:
        """W and y of equations without contact forces, or by the momentum."""
        q, v, a = motion.q[rows], motion.v[rows], motion.a[rows]
        if self.form == "acceleration":
            W = self.model.columns(q, v, a, load, known)
        else:
            start = max(0, rows.start - _MARGIN)
            wide = slice(start, min(len(motion.t), rows.stop + _MARGIN))
            W = self.model.momentum_columns(motion.q[wide], motion.v[wide], motion.dt, load, known)
            W = W[rows.start - start :][: rows.stop - rows.start]
        if self.model.equations.contact_rows:
            contacts = {frame: c[rows] for frame, c in motion.contacts.items()}
            B = self.model.equations.annihilator(q, contacts, motion.q[0])
            W, y = B @ W, np.einsum("nij,nj->ni", B, y)
        return W, y

    def _right_side(
        self, x: Experiment, motion: FilteredMotion, rows: slice, state: tuple[Array, Array, Array]
    ) -> Array:
        model, q = self.model, state[0]
        y = motion.tau[rows] * self.scale
        if not model.equations.direct:
            y = np.einsum("nij,nj->ni", model.equations.channels(q), y)
        if motion.forces:
            y = y + model.equations.contact_forces(q, {frame: f[rows] for frame, f in motion.forces.items()})
        if isinstance(x.load, Mapping):
            y = y - model.load_torque(*state, x.load)
        springs = model.spring_torque(q)
        return y if springs is None else y - springs
