"""Layout of the memory that Python and native code of a general arm share."""

from enum import IntEnum

from rikigaku.inverse_kinematics.elimination import UPPER
from rikigaku.inverse_kinematics.trigonometric_roots import CELLS, PARTS, POINTS, SAMPLES

PLANE = CELLS + 4  # values of a function at the ends of all cells; a multiple of vectors
FILLED_KEPT, FILLED_ROWS = 32, 8  # points of the kept joints (27) and equations (6); multiples of vectors
MOST_UNCLEAR = 256  # cells to divide
MOST_SMALL_CELLS = 64  # cells with direct values
MOST_ZEROS = 64
DIVIDED, SURROUNDED = PARTS + 1, PARTS + 5  # points of a divided cell, and with two more on either side

# Doubles of working memory. Constants come first.
CONSTANTS = {
    "kept": 6 * FILLED_KEPT, "angles": POINTS, "inverse": POINTS * POINTS, "monomials": SAMPLES * 3 * PLANE,
    "grid": PLANE,
}  # fmt: skip
_AT_ZEROS = (
    "low", "high", "x", "zero_f", "zero_slope", "zero_curvature", "left", "right", "at_left", "at_right",
    "secant", "secant_f", "done", "moved",
)  # fmt: skip
WORK = {
    "functions": 14 * FILLED_KEPT, "E": 27 * FILLED_ROWS, "R": MOST_ZEROS * UPPER, "samples": POINTS,
    "a": POINTS, "terms": 3 * PLANE, "cells": MOST_UNCLEAR, "next": MOST_UNCLEAR,
    **dict.fromkeys(("points", "f", "slope", "curvature"), MOST_UNCLEAR * DIVIDED),
    "small": MOST_SMALL_CELLS, **dict.fromkeys(("small_x", "small_f"), MOST_SMALL_CELLS * SURROUNDED),
    **dict.fromkeys(_AT_ZEROS, MOST_ZEROS),
    "others": MOST_ZEROS * 5, "q": MOST_ZEROS * 6, "step": MOST_ZEROS * 6, "errors": MOST_ZEROS * 3,
}  # fmt: skip


class Slot(IntEnum):
    """Whole numbers of the block: number of poses, addresses of memory and results, then the calls."""

    POSES, MEMORY, PLACES, SCALES, Q, RESIDUAL, FOUND, STATUS = range(8)
    CALLS = 8


class Call(IntEnum):
    """Kernels that are called at a pose."""

    FUNCTIONS, EQUATIONS, SAMPLES, DIVIDED, REFINED, SLOPES = range(6)
    SMALL, SECANT, FACTORS, JOINTS, NEWTON = range(6, 11)


class CallSlot(IntEnum):
    """Numbers of a call: addresses of the function and its arguments.

    The first MOVING arguments are FIRST at the first pose and ADVANCE bytes further at each next one.
    """

    FUNCTION, ARGUMENTS, DIMENSIONS, STRIDES, FIRST, ADVANCE, MOVING = range(7)
    SIZE = 7


class Fallback(IntEnum):
    """Why a pose is left to the slower method (bits of its status)."""

    MANY, HIDDEN, FLAT, SMALL, NEWTON, EQUAL, SINGULAR, ODD, NOISE, FAR = (1 << k for k in range(10))
