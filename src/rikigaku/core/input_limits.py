"""Limits of what readers accept: one budget for files, formulas and messages.

They lie far above real robots (a humanoid with meshes, a chain of 10 000 links, a scene of several MB) and
far below what exhausts a machine. What exceeds one is refused with an error that names it; docs/promises.md
lists them.
"""

from collections.abc import Sequence

# Files.
FILE_BYTES = 20_000_000
INCLUDES = 100  # files that one MJCF file may include
ELEMENTS = 400_000  # of XML
ATTRIBUTES = 200  # of one XML element; twice as many with those of its defaults classes
VALUES = 800_000  # keys, values, tables and lists of TOML; values of .par files
KEY_PARTS = 16  # of a dotted TOML key
DEPTH = 100  # nested XML elements, TOML lists and tables, defaults classes, lists of RobotData
BODY_DEPTH = 12_000  # nested elements of MJCF: a chain is as deep as it is long

# Saved solutions.
SOLUTION_BYTES = 200_000_000  # unpacked; `rk.load_solution(..., largest=...)` allows more
SOLUTION_ARRAYS = 1000
SOLUTION_DIRECTORY_BYTES = 1_000_000  # of the list of members of the archive
SOLUTION_TEXT = 40_000_000  # characters of the metadata; some 10 000 events of a humanoid are 15 million
SOLUTION_VALUES = 4_000_000  # in the metadata

# Robots.
LINKS = 20_000
NAME_CHARACTERS = 100

# Numbers and formulas.
NUMBER_DIGITS = 1000
EXPONENT = 400  # of a decimal: beyond those of a float are mistakes
NUMBER_BITS = 14_000  # of a rational number that a formula makes; CPython prints integers up to 14 280
MAGNITUDE = 1e30  # of a length, an angle, a mass of SDF and MJCF, whose poses and inertias are multiplied
FORMULA_CHARACTERS = 1000
FORMULA_DEPTH = 50

# Messages.
MISTAKES = 100  # of a file that are described; the others are counted
MISTAKE_CHARACTERS = 500
MESSAGE_CHARACTERS = 10_000
SUGGESTION_WORK = 1_000_000  # pairs of characters compared for the nearest names of one kind


def listed(lines: Sequence[str], count: int) -> list[str]:
    """As many of the lines as a message holds, and how many of `count` are left out."""
    shown: list[str] = []
    left = MESSAGE_CHARACTERS - 5 * NAME_CHARACTERS  # for what stands above and below them
    for line in lines[:MISTAKES]:
        one = f"  - {shortened(line, MISTAKE_CHARACTERS)}"
        left -= len(one) + 1
        if left < 0:
            break
        shown.append(one)
    return shown if len(shown) == count else [*shown, f"  ... and {count - len(shown)} more"]


def shortened(text: str, most: int) -> str:
    """The text, or its beginning and how many characters are left out."""
    if len(text) <= most:
        return text
    head = max(most - 40, 0)
    return f"{text[:head]}... ({len(text) - head} more characters)"
