"""Arrays of any layout given to laws, compared bit by bit with contiguous copies.

A layout has steps of any sign over the axes of a larger array, an offset in bytes, axes in any order in
memory, broadcast axes, another type of number or byte order, and may be read-only. Outputs are written into
such layouts, too: around them nothing may change.
"""

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

import rikigaku as rk

LAWS = (
    "inverse_dynamics",
    "forward_dynamics",
    "mass_matrix",
    "velocity_forces",
    "gravity_forces",
    "jacobian",
)
INPUTS = {
    "inverse_dynamics": 3,
    "forward_dynamics": 3,
    "mass_matrix": 1,
    "velocity_forces": 2,
    "gravity_forces": 1,
    "jacobian": 1,
}
ROBOTS = ("scara", "iiwa14")
TYPES = ("<f8", ">f8", "<f4", ">f4", "<i8", ">i4", "<f2", "i1")


@dataclass(frozen=True)
class Layout:
    """How an array lies in memory; entries beyond its axes are not used."""

    steps: tuple[int, ...]
    order: int  # which permutation of the axes
    offset: int  # bytes in front, so that numbers need not be aligned
    broadcast: tuple[bool, ...]
    type: str
    writeable: bool


@dataclass(frozen=True)
class Call:
    """One call of a law: a layout for each input, and one for the output (None: no out=)."""

    robot: str
    law: str
    batch: tuple[int, ...]
    inputs: tuple[Layout, ...]
    out: Layout | None
    aliased: bool  # the output is the memory of an input of the same shape
    seed: int


def _is_small(batch: tuple[int, ...]) -> bool:
    """Whether the memory around the array, 3 times as long in each of its axes, stays small."""
    return math.prod(batch) <= 200


_steps = st.tuples(*[st.sampled_from((1, -1, 2, -2, 3, -3))] * 5)
_layouts = st.builds(
    Layout,
    _steps,
    st.integers(0, 119),
    st.sampled_from((0, 0, 8, 16, 1, 3, 4)),
    st.tuples(*[st.sampled_from((False, False, False, True))] * 3),
    st.sampled_from(TYPES),
    st.booleans(),
)
calls = st.builds(
    Call,
    st.sampled_from(ROBOTS),
    st.sampled_from(LAWS),
    st.lists(st.sampled_from((0, 1, 2, 3, 7, 9, 17)), max_size=3).map(tuple).filter(_is_small),
    st.tuples(_layouts, _layouts, _layouts),
    st.none() | _layouts,
    st.sampled_from((False, False, True)),
    st.integers(0, 2**32 - 1),
)


@cache
def _robot(name: str) -> rk.Robot:
    robot = rk.load(name)
    return robot.bind(**robot.declared_values)


def _laid_out(values: np.ndarray, layout: Layout, *, out: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """An array of these values in that layout, and the memory it lies in."""
    dims = values.ndim
    axes = _permutation(dims, layout.order)
    steps = layout.steps[:dims]
    type_ = np.dtype("<f8" if out else layout.type)
    shape = [max(size * abs(step), 1) for size, step in zip(values.shape, steps, strict=True)]
    stored = [shape[axis] for axis in axes]
    count = int(np.prod(stored)) * type_.itemsize
    memory = np.full(count + layout.offset + 64, 0x5A, dtype=np.uint8)
    whole = np.ndarray(stored, type_, buffer=memory, offset=layout.offset).transpose(np.argsort(axes))
    slices = tuple(
        slice(0, size * step, step)
        if step > 0
        else slice(size * -step - 1 if size else 0, None if size else 0, step)
        for size, step in zip(values.shape, steps, strict=True)
    )
    view = whole[slices]
    assert view.shape == values.shape
    view[...] = values
    return view, memory


def _permutation(count: int, which: int) -> list[int]:
    axes, left = [], list(range(count))
    for size in range(count, 0, -1):
        which, place = divmod(which, size)
        axes.append(left.pop(place))
    return axes


def check(call: Call) -> None:
    """Same bits as for contiguous float64 copies, and nothing written around the output.

    Raises:
        AssertionError: naming what differs.
    """
    robot = _robot(call.robot)
    law = getattr(robot, call.law)
    options = {"frame": robot.frame_names[-1]} if call.law == "jacobian" else {}
    rng = np.random.default_rng(call.seed)
    given, copies, memories = [], [], []
    for layout in call.inputs[: INPUTS[call.law]]:
        values = rng.normal(size=(*call.batch, robot.nq))
        if layout.type in ("<i8", ">i4", "i1"):
            values = np.round(3 * values)
        shrunk = tuple(
            slice(0, min(size, 1)) if flat else slice(None)
            for size, flat in zip(call.batch, layout.broadcast, strict=False)
        )
        array, memory = _laid_out(values[shrunk], layout)
        array = np.broadcast_to(array, values.shape) if any(layout.broadcast[: len(call.batch)]) else array
        if not layout.writeable:
            array.flags.writeable = False
        given.append(array)
        memories.append((memory, memory.copy()))
        copies.append(np.ascontiguousarray(array, dtype=np.float64).copy())
    wanted = law(*copies, **options)
    if call.out is None:
        got = law(*given, **options)
    else:
        if call.aliased and given[-1].shape == wanted.shape and given[-1].dtype == np.dtype("<f8"):
            out = given[-1]
            memory = memories.pop()[0]
        else:
            out, memory = _laid_out(np.full(wanted.shape, np.nan), call.out, out=True)
        if not out.flags.writeable or (0 in out.strides and out.size > 1):
            return  # nothing can be written there; NumPy's own rules
        expected = memory.copy()
        np.ndarray(out.shape, out.dtype, expected, _offset(out, memory), out.strides)[...] = wanted
        got = law(*given, **options, out=out)
        assert got is out, "another array than out= was returned"
        assert memory.tobytes() == expected.tobytes(), (
            "memory around the output changed, or its values differ"
        )
    assert got.shape == wanted.shape
    assert np.ascontiguousarray(got).tobytes() == wanted.tobytes(), "other bits than from contiguous copies"
    for memory, before in memories:
        assert memory.tobytes() == before.tobytes(), "an input was changed"


def _offset(array: np.ndarray, memory: np.ndarray) -> int:
    """Where the array's first element lies in its memory [bytes]."""
    address: Any = array.__array_interface__["data"][0]
    return int(address - memory.__array_interface__["data"][0])
