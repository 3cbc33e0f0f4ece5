"""A bound on the terms of the mass matrix's determinant, known before equations of motion are solved.

The inverse of M and the accelerations are fractions over det M. The terms of a row of M, multiplied over all
rows, bound the terms of det M multiplied out.
"""

import math

from rikigaku.core.errors import TooLarge
from rikigaku.laws.catalogue import LAWS, SINGULAR_MASS_MATRIX
from rikigaku.laws.law import Law
from rikigaku.laws.specialization import Specialization
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.exact_number import Exact
from rikigaku.symbolic.formulas.exact_state import exact_results

# Bound beyond which formulas take minutes, if they end, and nobody would read them: the Stanford arm has 4e6,
# the UR5 4e8, a 6R arm in symbols 5e14.
_LARGEST = 100_000_000


def check_determinant(robot: RobotModel, law: Law) -> None:
    """Raise TooLarge if the law of a tree divides by a determinant of M that is too long."""
    if law.group != "tree" or law.singular != SINGULAR_MASS_MATRIX:
        return
    _, found = exact_results(robot, LAWS["tree.mass_matrix"], Specialization())
    terms = math.prod(
        sum(len(x.polynomial) if isinstance(x, Exact) else int(x != 0) for x in row) for row in found["M"]
    )
    if terms > _LARGEST:
        raise TooLarge(
            f"The determinant of the mass matrix has up to {float(terms):.0e} terms, multiplied out: the law "
            "is given by intermediate variables. Give numbers to some symbols (law.formulas(L=0.4))."
        )
