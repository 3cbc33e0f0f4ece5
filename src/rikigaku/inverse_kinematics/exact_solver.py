"""All configurations of a serial chain at given poses: by its formulas, by elimination or by continuation.

Formulas exist where square roots suffice (Puma, UR, SCARA, ...). Every other chain of up to six joints is
solved by elimination, or by continuation where that is degenerate.
"""

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from rikigaku.core.errors import NotSolvable
from rikigaku.core.types import Array
from rikigaku.inverse_kinematics.doubtful_formulas import united
from rikigaku.inverse_kinematics.elimination_configurations import configurations_by_elimination, general_arm
from rikigaku.inverse_kinematics.exact_chain import BRANCH, JOINTS, ExactChain, ExactConfigurations
from rikigaku.inverse_kinematics.formula_configurations import configurations_by_formulas
from rikigaku.inverse_kinematics.formula_kernel import FormulaKernel
from rikigaku.inverse_kinematics.general_arm import GeneralArm
from rikigaku.inverse_kinematics.redundant_joints import null_spaces, redundant_sets
from rikigaku.inverse_kinematics.square_root_arms import may_have_formulas
from rikigaku.model.robot_model import RobotModel
from rikigaku.symbolic.inverse_kinematics.ik_branches import JointFormulas
from rikigaku.symbolic.inverse_kinematics.numeric_formulas import numeric_formulas

_CHOICES = 12  # sets of redundant joints that are tried
_MOST_KNOWN = 32
_known: "dict[tuple[object, ...], ExactSolver]" = {}
_latest: "dict[tuple[object, ...], ExactSolver]" = {}


class ExactSolver(ExactChain):
    """A method for one frame of one robot: `method` says which.

    wanted: "auto" for the best there is, or the method that shall be used.
    """

    def __init__(
        self,
        robot: RobotModel,
        frame: str,
        symbols: Mapping[str, float],
        given: tuple[str, ...],
        wanted: str = "auto",
    ) -> None:
        super().__init__(robot, frame, symbols, given)
        self.wanted = wanted
        self.formulas: FormulaKernel | None = None
        self.general: GeneralArm | None = None
        looked_for = wanted in ("auto", "formulas") and may_have_formulas(self.arm, self.free)
        found = self._formulas() if looked_for else None
        if found is not None and not found.undecided:  # otherwise a branch may be left out
            values = {k: float(v) for k, v in {**robot.declared_values, **symbols}.items()}
            self.formulas = FormulaKernel(found, self.arm, self.names, values)

    def _formulas(self) -> JointFormulas | None:
        return numeric_formulas(self.robot, self.frame, self.given)

    def _general_arm(self, given: Mapping[str, Array]) -> GeneralArm:
        return general_arm(self, given, self.wanted != "continuation")

    def solve(
        self, poses: Array, given: Mapping[str, Array], tolerance: float = BRANCH
    ) -> ExactConfigurations:
        """All configurations at poses (n, 4, 4); given: values (n,) of the joints that are not solved for.

        tolerance: largest error [m] and [rad] of a configuration; one of fewer than six joints may have some.
        """
        if self.formulas is not None:
            found, doubtful = configurations_by_formulas(self, self.formulas, poses, given, tolerance)
            rows = doubtful.rows
            if not len(rows):
                return found
            own = {name: x[rows] for name, x in given.items()}
            return united(self, found, doubtful, self._without_formulas(poses[rows], own, tolerance))
        return self._without_formulas(poses, given, tolerance)

    def _without_formulas(
        self, poses: Array, given: Mapping[str, Array], tolerance: float
    ) -> ExactConfigurations:
        if self.general is None:
            self.general = self._general_arm(given)
        return configurations_by_elimination(self, self.general, poses, given, tolerance)

    @property
    def method(self) -> str:
        """How configurations are found: "formulas", "elimination" or "continuation"."""
        if self.formulas is not None:
            return "formulas"
        return "elimination" if self.general is None or self.general.solvers else "continuation"

    @cached_property
    def is_degenerate(self) -> bool:
        """Whether there are no formulas, and every elimination vanishes identically."""
        if self.formulas is None and self.general is None and 0 < len(self.free) <= JOINTS:
            try:
                self.general = self._general_arm({name: np.zeros(1) for name in self.given})
            except NotSolvable:
                return True
        return self.method == "continuation"

    @cached_property
    def _null_spaces(self) -> Array:
        return null_spaces(self)

    @property
    def dimension(self) -> int:
        """Dimension of the family of configurations at a pose: joints minus the rank of the Jacobian."""
        return int(self._null_spaces.shape[-1]) if self.free else 0

    @cached_property
    def redundant_joints(self) -> tuple[str, ...]:
        """Joints, as many as the family has dimensions, that leave isolated configurations once given.

        Raises:
            NotSolvable: if there is none.
        """
        rng = np.random.default_rng(11)
        q = rng.uniform(-1, 1, len(self.arm.revolute)) * np.where(self.angles, 2.0, 0.3 * self.reach)
        pose = self.arm.pose(q)[None]
        for names in redundant_sets(self, self._null_spaces)[:_CHOICES]:
            given = {name: q[[self.names.index(name)]] for name in (*self.given, *names)}
            try:
                solver = exact_solver(self.robot, self.frame, self.symbols, tuple(sorted(given)), self.wanted)
                found = solver.solve(pose, given)
            except NotSolvable:
                continue
            gap = np.where(self.angles, np.exp(1j * found.q[0]) - np.exp(1j * q), found.q[0] - q)
            known = (np.abs(gap).max(axis=1) < 1e-6) & (found.multiplicity[0] == 1)
            if (known & (found.family[0] == 0)).any():
                return names
        raise NotSolvable(
            f"No {self.dimension} joints of frame {self.frame!r} leave isolated configurations when they are "
            "given.",
            [],
        )


def exact_solver(
    robot: RobotModel,
    frame: str,
    symbols: Mapping[str, float],
    given: tuple[str, ...],
    wanted: str = "auto",
) -> ExactSolver:
    """The solver of a frame; the latest ones are kept."""
    values = tuple(sorted(symbols.items()))
    # by identity first: the hash of a robot is that of all its data
    latest = _latest.get((id(robot), frame, values, given, wanted))
    if latest is not None and latest.robot is robot:
        return latest
    key = (robot, frame, values, given, wanted)
    if key not in _known:
        if len(_known) >= _MOST_KNOWN:
            del _known[next(iter(_known))]
        _known[key] = ExactSolver(robot, frame, symbols, given, wanted)
    if len(_latest) >= _MOST_KNOWN:
        _latest.clear()
    if _known[key].robot is robot:
        _latest[id(robot), frame, values, given, wanted] = _known[key]
    return _known[key]
