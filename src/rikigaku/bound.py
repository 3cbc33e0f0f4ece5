"""A law bound to a robot: the one place where model, laws and compiler meet.

`robot.inverse_dynamics` is a BoundLaw. The first call with a set of options records the law on traced numbers
and compiles it (or reads the code from the cache); later calls are native.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

from rikigaku.arguments import Arguments
from rikigaku.codegen.kernel import Kernel as Kernel  # for simulation
from rikigaku.codegen.kernel import set_threads as set_threads  # the top of the package offers it
from rikigaku.constraints.records import CLOSED, REDUCED
from rikigaku.derivatives import Derivatives
from rikigaku.errors import NoFormula
from rikigaku.laws.record import REQUIRED, Law
from rikigaku.model.edit import bind as bind_symbols
from rikigaku.model.robot import Robot
from rikigaku.numbers.program import Operations, Program
from rikigaku.one_state import Short, are_vectors, short_way
from rikigaku.status import status
from rikigaku.variant import Recipe, Variant, Variants

if TYPE_CHECKING:
    from rikigaku.codegen import integrator as integrator


class BoundLaw:
    """A law of one robot: call it with arrays (..., n); it broadcasts and takes `out=`.

    Options and symbols are keywords: `robot.jacobian(q, frame="hand")` (or `robot.jacobian(q, "hand")`),
    `robot.inverse_dynamics(q, v, a, gravity=g, wrenches={"hand": w}, friction=False, L=0.5)`. A symbol whose
    name means something else in a call (a, gravity, ...) is given as `symbols={"a": 0.5}`.

    A call that gives no symbols is one of the robot with its symbols bound to the values they have, in the
    robot's own table or by `fix`: as fast, and with the same bits. Symbols given in a call are inputs of a
    second program, made once for all values.
    """

    def __init__(self, robot: Robot, law: Law, fixed: Mapping[str, Any] | None = None) -> None:
        self.robot, self.law, self.fixed = robot, law, dict(fixed or {})
        self.__doc__ = law.summary
        if (robot.loops or robot.couplings) and law.plan is None and REDUCED + law.name in CLOSED:
            what = "loops" if robot.loops else "gears"
            self.__doc__ += (
                f" Of the spanning tree, over all its joints; robot.reduced.{law.name} knows the {what}."
            )
        self._arguments = Arguments(robot, law, self.fixed)
        self._variants = Variants(robot, law, self._arguments.decided)
        self._derivatives = Derivatives(self._arguments, self._variants)
        self._decided: dict[tuple[Any, ...], BoundLaw] = {}
        self._short: dict[tuple[str, ...], Short | None] = {}  # by the keywords of a call
        self._formulas: dict[tuple[Any, ...], Any] = {}

    def __call__(self, *args: Any, out: Any = None, **keywords: Any) -> Any:
        """The law's value at a state or a batch of states."""
        short = self._short.get(tuple(keywords)) if self._short else None
        if short is not None and (result := short(args, keywords, out)) is not None:
            return result
        count = len(self.law.inputs)
        words = (*args[count:], *keywords.items())
        try:  # options met before lead straight to the law with those options decided
            if words and (known := self._decided.get(words)) is not None:
                return known(*args[:count]) if out is None else known(*args[:count], out=out)
        except TypeError:  # arrays among them: not options alone
            words = ()
        if not keywords and len(args) == count and (plain := self._plain) is not None:
            return plain(self._arguments.arrays(args), {}, {}, out)
        inputs, options, overrides, symbols = self._arguments.sort(args, keywords)
        if words and len(args) >= count and not (overrides or symbols):
            self._decided[words] = bind(self.robot, self.law, {**self.fixed, **options})
        runs = self._variants.of(options, overrides).running(symbols)
        if keywords.keys() <= {*overrides, *symbols} and are_vectors(args):
            short = self._short[tuple(keywords)] = short_way(runs, symbols, self.fixed)
            if short is not None and (result := short(args, keywords, out)) is not None:
                return result
        return runs(inputs, overrides, symbols, out)

    def fix(self, **options: Any) -> "BoundLaw":
        """The same law with options, overrides or symbols decided: `hand = robot.jacobian.fix(frame="hand")`.

        With options, and plain numbers for symbols, one state takes the shortest way into native code;
        new numbers are a new program, so values that change from call to call are better given in the call.
        """
        self._arguments.check_names(tuple(options))
        return bind(self.robot, self.law, {**self.fixed, **options})

    @property
    def operations(self) -> Operations:
        """Operations one state takes, in the program that runs where symbols are given."""
        return self.program().operations

    def program(self, *, derivative: bool | str | Sequence[str] = False, **options: Any) -> Program:
        """The recorded program, the robot's symbols among its inputs.

        derivative=True, or names as in `derivative(wrt=...)`: that of the derivatives.
        """
        if names := self._derivatives.names(derivative):
            return self._derivatives.variant((), options, names, calling=False)[0].kernel.program
        return self._with(options).kernel.program

    @property
    def symbolic(self) -> Any:
        """The law as exact formulas (`rikigaku.symbolic.formulas.Formulas`); see `formulas`."""
        return self.formulas()

    def formulas(
        self,
        *words: Any,
        time_limit: float = 60.0,
        progress: Callable[[str], object] | None = None,
        cancel: threading.Event | None = None,
        **options: Any,
    ) -> Any:
        """The law as exact formulas: `robot.mass_matrix.formulas()[0, 0]`, `robot.jacobian.formulas("hand")`.

        One formula, an array of them, or a named tuple where the law has several results; of closed robots
        `Intermediates` where formulas would be too long to read. Options are those of a call. Symbols of the
        robot stay symbols unless given a value here; gravity=... and wrenches={"hand": ...} make these
        variables too, whatever the value.

        What takes more than a second or two is done in a child process and kept on disk.

        Args:
            time_limit: seconds in the child process. progress: called with each line told on the way.
            cancel: set it from another thread to stop the work (Ctrl-C stops it, too).
        """
        from rikigaku.symbolic.law_formulas import Work, law_formulas  # algebra is for those who ask for it

        self._check_formula()
        work = Work(time_limit, progress, cancel)
        robot, recipe = self._for_formulas(words, options)
        if (robot, recipe) not in self._formulas:
            self._formulas[robot, recipe] = law_formulas(robot, self.law, recipe, work)
        return self._formulas[robot, recipe]

    def intermediates(self, *words: Any, **options: Any) -> Any:
        """The law as a list of intermediate variables (`rikigaku.symbolic.intermediates.Intermediates`).

        For laws of any size; arguments as for `formulas`.
        """
        from rikigaku.symbolic.law_steps import law_intermediates

        self._check_formula()
        robot, recipe = self._for_formulas(words, options)
        return law_intermediates(robot, self.law, recipe)

    def _check_formula(self) -> None:
        if self.law.plan is not None and self.law.name not in CLOSED:  # it compares numbers
            raise NoFormula(f"{self.law.called} of robot {self.robot.name!r} is a program, not a formula.")

    def _for_formulas(self, words: Sequence[Any], options: dict[str, Any]) -> tuple[Robot, Recipe]:
        options = dict(zip(self.law.options, words, strict=False)) | options
        _, options, overrides, symbols = self._arguments.sort((), options, calling=False)
        symbols = {**self._arguments.decided, **symbols}
        robot = bind_symbols(self.robot, **symbols) if symbols else self.robot
        return robot, self._variants.of(options, overrides).recipe

    def export(
        self,
        language: str,
        path: str | PathLike[str] | None = None,
        name: str | None = None,
        *,
        derivative: bool | str | Sequence[str] = False,
        **options: Any,
    ) -> Any:
        """The law in another language, for use without this package.

        Args:
            language: "c", "c++", "python", "julia", "matlab" (and Octave), "rust", "latex", "markdown": text;
                "c header": of the C text; "casadi": a casadi.Function; "sympy": a record of expressions.
            path: a file for the text, replaced in one step; beside C goes its header.
            name: of the function; by default made of the names of robot and law.
            derivative: True, or names as in `derivative(wrt=...)`: the derivatives instead of the law.
            options: of the law (frame="hand"). Symbols of the robot are inputs of the function unless given a
                value here; gravity=... and wrenches={"hand": ...} make these inputs too, whatever the value.
        Returns: the text, or the object.
        """
        from rikigaku.codegen.export import known_language  # languages are for those who ask for them
        from rikigaku.exporting import exported

        known_language(language)  # before any work is done
        given = self._arguments.sort((), options, calling=False).symbols
        if symbols := {**self._arguments.decided, **given}:  # decided: a robot without them
            rest = {
                key: x for key, x in {**self.fixed, **options}.items() if key not in ("symbols", *symbols)
            }
            law = BoundLaw(bind_symbols(self.robot, **symbols), self.law, rest)
            return law.export(language, path, name, derivative=derivative)
        program, names = self.program(derivative=derivative, **options), self._derivatives.names(derivative)
        return exported(language, self.robot, self.law, program, names, path, name)

    def derivative(
        self,
        *args: Any,
        wrt: str | Sequence[str] | None = None,
        packed: bool = False,
        out: Any = None,
        **keywords: Any,
    ) -> Any:
        """Exact derivatives with respect to each input (or those named in `wrt`), as a named tuple.

        The derivative with respect to q is taken in the tangent: nv columns, also where q has quaternions.
        Derivative axes come last. `wrt` may also name symbols of the robot; for the dynamics wrt="parameters"
        means the inertial parameters (and with drives=True rotors and friction) in the order of
        `robot.parameters()`.

        packed=True: of each derivative only the numbers that depend on the state, each once (of the symmetric
        ones a half, of limbs that do not feel each other nothing), in one axis (..., count). `packing` says
        where they stand, and unpacks them.
        """
        return self._derivatives(args, keywords, wrt, packed, out)

    def packing(self, *, wrt: str | Sequence[str] | None = None, **options: Any) -> Any:
        """Where the numbers of `derivative(..., packed=True)` stand: one `Packing` for each input, by name.

        `packing.q.places` are the rows and columns, `packing.q.unpack(d.q)` the whole matrices of `d.q`.
        """
        return self._derivatives.packing(options, wrt)

    @cached_property
    def _plain(self) -> Variant | None:
        """The program of a call with arrays alone, if such a call is possible."""
        return self._with({}) if self._takes_arrays_alone else None

    @property
    def _takes_arrays_alone(self) -> bool:
        """Whether every option is decided, and nothing else is fixed that would be an input."""
        options = self.law.options
        decided = all(value is not REQUIRED for value in {**options, **self.fixed}.values())
        return decided and self.fixed.keys() <= {*options, *self._arguments.decided}

    def _with(self, options: Mapping[str, Any]) -> Variant:
        """The program of a call with these options and overrides, whatever the arrays."""
        given = self._arguments.sort((), options, calling=False)
        return self._variants.of(given.options, given.overrides)

    def status(self, *args: Any, **keywords: Any) -> Any:
        """Why a state's result is NaN or not to be trusted: "ok" or a sentence, one for each state."""
        inputs, options, overrides, symbols = self._arguments.sort(args, keywords)
        return status(self._variants.of(options, overrides), inputs, overrides, symbols)

    def __repr__(self) -> str:
        options = "".join(f", {key}={value!r}" for key, value in self.fixed.items())
        inputs = ", ".join(self.law.inputs)
        return f"<{self.law.called}({inputs}{options}) of robot {self.robot.name!r}: {self.law.summary}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _bound_by_name, (self.robot, self.law.name, self.fixed)  # native code is made anew


def bind(robot: Robot, law: Law, fixed: Mapping[str, Any] | None = None) -> BoundLaw:
    """The law bound to the robot; one state goes straight from CPython into native code where it can."""
    bound = BoundLaw(robot, law, fixed)
    if not bound._takes_arrays_alone:
        return bound
    # Python looks a call up on the class: a class of its own lets the builtin stand there.
    one = type(law.name, (BoundLaw,), {"__call__": staticmethod(_first_call(bound))})
    bound.__class__ = one
    return bound


def _bound_by_name(robot: Robot, name: str, fixed: dict[str, Any]) -> BoundLaw:
    owner: Any = robot.reduced if name.startswith(REDUCED) else robot  # type: ignore[attr-defined]
    law: BoundLaw = getattr(owner, name.removeprefix(REDUCED))
    return law.fix(**fixed) if fixed else law


def _first_call(bound: BoundLaw) -> Callable[..., Any]:
    """Compiles when first called with one state, and from then on is native code."""

    def general(*args: Any, **keywords: Any) -> Any:
        return BoundLaw.__call__(bound, *args, **keywords)

    def first(*args: Any, **keywords: Any) -> Any:
        arrays_alone = len(args) >= len(bound.law.inputs) and not keywords.keys() - {"out"}
        if arrays_alone and bound.robot.nv and are_vectors(args):
            runs = bound._with({}).running({})
            if not runs.robot.free_symbols:  # else values are missing, and the general way asks for them
                native = runs.kernel.one(bound.law.name, general)
                type(bound).__call__ = staticmethod(native)  # type: ignore[method-assign]
                return native(*args, **keywords)
        return general(*args, **keywords)

    return first


def __getattr__(name: str) -> Any:
    """`integrator`, for simulation: loaded when it is first asked for."""
    if name != "integrator":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from rikigaku.codegen import integrator

    return integrator
