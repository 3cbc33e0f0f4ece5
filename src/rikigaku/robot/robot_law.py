"""A law as `Robot` offers it: the bound law, its exact formulas, and the status of its results."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rikigaku.binding.bound_law import BoundLaw, bind
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import NoFormula, TimeLimit
from rikigaku.export.export_record import Export
from rikigaku.laws.catalogue import LAWS
from rikigaku.laws.law import Law
from rikigaku.laws.specialization import Specialization
from rikigaku.model.editing import bind as bind_symbols
from rikigaku.model.editing import with_gravity_symbol
from rikigaku.model.robot_model import RobotModel
from rikigaku.robot.law_status import status


class RobotLaw(BoundLaw):
    """A law of one robot: call it with arrays (..., n); it broadcasts and takes `out=`.

    Options and symbols are keywords: `robot.jacobian(q, frame="hand")` (or `robot.jacobian(q, "hand")`),
    `robot.inverse_dynamics(q, v, a, gravity=g, wrenches={"hand": w}, friction=False, L=0.5)`. A symbol that
    has the name of an argument (a, gravity, ...) is passed as `symbols={"a": 0.5}`.
    """

    def __init__(self, robot: RobotModel, law: Law, fixed: Mapping[str, Any] | None = None) -> None:
        super().__init__(robot, law, fixed)
        self._formulas: dict[tuple[Any, ...], Any] = {}
        self._stopped: Any = None  # steps, where formulas took too long

    @checked
    def status(self, *args: Any, **keywords: Any) -> Any:
        """Why a state's result is NaN or invalid: "ok" or a sentence, one for each state."""
        inputs, options, overrides, symbols = self.arguments.parsed(args, keywords)
        return status(self._compiled_laws.of(options, overrides), inputs, overrides, symbols)

    @property
    def symbolic(self) -> Any:
        """The law as exact formulas (`rikigaku.symbolic.formulas.formula_array.Formulas`); see `formulas`.

        What takes longer than a minute comes as `Intermediates`, whose `reason` says so.
        """
        if self._stopped is not None and not self._formulas:  # do not wait again
            return self._stopped
        try:
            return self.formulas()
        except TimeLimit as error:
            self._stopped = self._by_steps((), {}, str(error))
            return self._stopped

    @checked
    def formulas(
        self,
        *args: Any,
        time_limit: float = 60.0,
        progress: Callable[[str], object] | None = None,
        cancel: threading.Event | None = None,
        **options: Any,
    ) -> Any:
        """The law as exact formulas: `robot.mass_matrix.formulas()[0, 0]`, `robot.jacobian.formulas("hand")`.

        One formula, an array of them, or a named tuple where the law has several results. Where formulas are
        too long, or their computation fails, the law comes as `Intermediates`, whose `reason` says why.
        Options are those of a call. Symbols of the robot stay symbols unless given a value here. gravity="g"
        makes the magnitude of gravity a symbol; gravity=True and wrenches={"hand": True} make these variables
        too, element by element.

        What takes more than a second or two is done in a child process and kept on disk.

        Args:
            time_limit: seconds of the whole wait, after which TimeLimit is raised; with 0 only a result on
                disk is read.
            progress: called with each line of progress.
            cancel: set it from another thread to stop the work (Ctrl-C stops it, too).
        """
        from rikigaku.symbolic.formulas.law_formulas import JobOptions, law_formulas  # loads FLINT

        self._check_formula()
        work = JobOptions(time_limit, progress, cancel)
        robot, specialization = self._for_formulas(args, options)
        if (robot, specialization) not in self._formulas:
            self._formulas[robot, specialization] = law_formulas(robot, self.law, specialization, work)
        return self._formulas[robot, specialization]

    @checked
    def intermediates(self, *args: Any, **options: Any) -> Any:
        """The law as a list of intermediate variables (`symbolic.formulas.intermediates.Intermediates`).

        For laws of any size; arguments as for `formulas`.
        """
        self._check_formula()
        return self._by_steps(args, options)

    def _by_steps(self, args: Sequence[Any], options: dict[str, Any], reason: str = "") -> Any:
        from rikigaku.symbolic.formulas.law_intermediates import law_intermediates

        robot, specialization = self._for_formulas(args, options)
        return law_intermediates(robot, self.law, specialization, reason)

    def _check_formula(self) -> None:
        if self.law.plan is not None and (self.law.group == "contact" or self.law.key not in LAWS):
            raise NoFormula(f"{self.law.called} of robot {self.robot.name!r} is a program, not a formula.")

    def _for_formulas(
        self, args: Sequence[Any], options: dict[str, Any]
    ) -> tuple[RobotModel, Specialization]:
        options = dict(zip(self.law.options, args, strict=False)) | options
        magnitude = options.pop("gravity") if isinstance(options.get("gravity"), str) else None
        _, options, overrides, symbols = self.arguments.parsed((), options, arrays_required=False)
        symbols = {**self.arguments.symbol_values, **symbols}
        robot = bind_symbols(self.robot, **symbols) if symbols else self.robot
        robot = robot if magnitude is None else with_gravity_symbol(robot, magnitude)
        return robot, self._compiled_laws.of(options, overrides).specialization

    def _object_exporters(self) -> dict[str, Callable[[Export], Any]]:
        from rikigaku.symbolic.formulas.object_exports import OBJECT_EXPORTERS

        return {**super()._object_exporters(), **OBJECT_EXPORTERS}


def law(robot: RobotModel, record: Law) -> RobotLaw:
    """A law of your own, bound to the robot: compiled, differentiated and exported like any other.

    Args:
        record: name, recursion, inputs and outputs; see docs/extending.md.
    """
    known: dict[tuple[Any, ...], RobotLaw] = robot.__dict__.setdefault("_own_laws", {})
    place = record.key, record.function, record.plan
    if place not in known or known[place].law != record:  # a record may change under one name
        known[place] = bind(robot, record, None, RobotLaw)
    return known[place]


RobotLaw._general = RobotLaw
