"""A law bound to a robot: the one place where model, laws and compiler meet.

`robot.inverse_dynamics` is a BoundLaw. The first call with a set of options records the law on traced numbers
and compiles it (or reads the code from the cache); later calls are native.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from rikigaku.arguments import Arguments, Sorted
from rikigaku.codegen.kernel import Kernel as Kernel  # for simulation
from rikigaku.codegen.kernel import set_threads as set_threads  # the top of the package offers it
from rikigaku.constraints.records import CLOSED, REDUCED
from rikigaku.errors import NoFormula, WrongValue
from rikigaku.laws.record import REQUIRED, Law
from rikigaku.model.edit import bind as bind_symbols
from rikigaku.model.robot import Robot
from rikigaku.numbers.program import Operations, Program
from rikigaku.status import status
from rikigaku.variant import Recipe, Variant, named_tuple

if TYPE_CHECKING:
    from rikigaku.codegen import integrator as integrator


class BoundLaw:
    """A law of one robot: call it with arrays (..., n); it broadcasts and takes `out=`.

    Options and symbols are keywords: `robot.jacobian(q, frame="hand")` (or `robot.jacobian(q, "hand")`),
    `robot.inverse_dynamics(q, v, a, gravity=g, wrenches={"hand": w}, friction=False, L=0.5)`. A symbol whose
    name means something else in a call (a, gravity, ...) is given as `symbols={"a": 0.5}`.
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
        self._variants: dict[Recipe, Variant] = {}
        self._decided: dict[tuple[Any, ...], BoundLaw] = {}
        self._formulas: dict[tuple[Any, ...], Any] = {}

    def __call__(self, *args: Any, out: Any = None, **keywords: Any) -> Any:
        """The law's value at a state or a batch of states."""
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
        if words and len(args) >= count and not (overrides or symbols or self.robot.free_symbols):
            self._decided[words] = bind(self.robot, self.law, options)
        variant = self._variant(options, overrides)
        return variant(inputs, overrides, symbols, out)

    def fix(self, **options: Any) -> "BoundLaw":
        """The same law with options, overrides or symbols decided: `hand = robot.jacobian.fix(frame="hand")`.

        With options alone, one state takes the shortest way there is into native code.
        """
        self._arguments.check_names(tuple(options))
        return bind(self.robot, self.law, {**self.fixed, **options})

    @property
    def operations(self) -> Operations:
        """Operations one state takes, in the program that runs."""
        return self.program().operations

    def program(self, *, derivative: bool | str | Sequence[str] = False, **options: Any) -> Program:
        """The recorded program; derivative=True, or names as in `derivative(wrt=...)`: of the derivatives."""
        names = self._named(derivative)
        if names == ("parameters",) and self.law.by_parameters is not None:
            return self._by_parameters.program(**self._without_own(options))
        _, options, overrides, _ = self._arguments.sort((), options, calling=False)
        variant = self._derivatives(options, overrides, names) if names else self._variant(options, overrides)
        return variant.kernel.program

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
            raise NoFormula(f"{self.law.name} of robot {self.robot.name!r} is a program, not a formula.")

    def _for_formulas(self, words: Sequence[Any], options: dict[str, Any]) -> tuple[Robot, Recipe]:
        options = dict(zip(self.law.options, words, strict=False)) | options
        _, options, overrides, symbols = self._arguments.sort((), options, calling=False)
        robot = bind_symbols(self.robot, **symbols) if symbols else self.robot
        return robot, self._variant(options, overrides).recipe

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
        symbols = self._arguments.sort((), options, calling=False).symbols
        if symbols:  # decided: a robot without them
            rest = {
                key: x for key, x in {**self.fixed, **options}.items() if key not in ("symbols", *symbols)
            }
            law = BoundLaw(bind_symbols(self.robot, **symbols), self.law, rest)
            return law.export(language, path, name, derivative=derivative)
        program = self.program(derivative=derivative, **options)
        return exported(language, self.robot, self.law, program, self._named(derivative), path, name)

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
        plain = wrt is None and not keywords and packed is False
        plain = plain and all(type(x) is np.ndarray and x.ndim == 1 for x in args)
        if plain and (short := self._derivative_of_one) is not None:
            result = short(args, out)
            if result is not None:
                return result
        names = self._named(True if wrt is None else wrt)
        variant, given = self._derivation(args, keywords, names, packed)
        result = variant(given.inputs, given.overrides, given.symbols, out)
        if isinstance(result, tuple):
            return result
        return named_tuple("Derivative", names)(result)

    def packing(self, *, wrt: str | Sequence[str] | None = None, **options: Any) -> Any:
        """Where the numbers of `derivative(..., packed=True)` stand: one `Packing` for each input, by name.

        `packing.q.places` are the rows and columns, `packing.q.unpack(d.q)` the whole matrices of `d.q`.
        """
        names = self._named(True if wrt is None else wrt)
        variant, _ = self._derivation((), options, names, packed=True, calling=False)
        return named_tuple("Packings", names)(*(port.packing for port in variant.kernel.ports[1]))

    def _named(self, wrt: bool | str | Sequence[str]) -> tuple[str, ...]:
        """What to derive by: all inputs for True, nothing for False."""
        if isinstance(wrt, bool):
            return self.law.inputs if wrt else ()
        names = (wrt,) if isinstance(wrt, str) else tuple(wrt)
        if not names:
            raise WrongValue(
                f"wrt=() leaves nothing to derive {self.law.name} by; known: {', '.join(self.law.inputs)}."
            )
        if len(set(names)) < len(names):
            raise WrongValue(f"wrt names something twice: {', '.join(names)}.")
        return names

    def _derivation(
        self,
        args: Sequence[Any],
        keywords: Mapping[str, Any],
        names: tuple[str, ...],
        packed: bool,
        calling: bool = True,
    ) -> tuple[Variant, Sorted]:
        """The program of derivatives that is asked for, and what was given for it."""
        if not isinstance(packed, bool):
            raise WrongValue(f"packed of derivatives is True or False, not {packed!r}.")
        if names == ("parameters",) and self.law.by_parameters is not None:
            law = self._by_parameters
            given = law._arguments.sort(args, self._without_own(keywords), calling)
            return law._variant(given.options, given.overrides, packed=packed), given
        given = self._arguments.sort(args, keywords, calling)
        return self._derivatives(given.options, given.overrides, names, packed), given

    def _derivatives(
        self,
        options: Mapping[str, Any],
        overrides: Mapping[str, Any],
        names: tuple[str, ...],
        packed: bool = False,
    ) -> Variant:
        """The program of derivatives: by structure where the law knows how, else term by term."""
        way = self.law.derivative
        if way is not None and set(names) <= set(self.law.inputs) and set(overrides) <= set(way.overrides):
            own = {name: options[name] for name in way.options}
            return self._by_structure._variant(own, overrides, only=names, packed=packed)
        if len(self.law.outputs) > 1:
            raise WrongValue(
                f"{self.law.name} has several results ({', '.join(self.law.outputs)}); derivatives are those "
                "of laws with one."
            )
        return self._variant(options, overrides, names, packed=packed)

    def _without_own(self, keywords: Mapping[str, Any]) -> dict[str, Any]:
        """Keywords, and what is fixed, for the derivatives by parameters, which have fewer options."""
        assert self.law.by_parameters is not None
        others = set(self.law.options) - set(self.law.by_parameters.options)
        return {key: value for key, value in {**self.fixed, **keywords}.items() if key not in others}

    @cached_property
    def _plain(self) -> Variant | None:
        """The program of a call with arrays alone, if such a call is possible."""
        decided = {**self.law.options, **self.fixed}
        if (
            any(value is REQUIRED for value in decided.values())
            or not self.fixed.keys() <= self.law.options.keys()
        ):
            return None
        _, options, overrides, _ = self._arguments.sort((), {}, calling=False)
        return self._variant(options, overrides)

    @cached_property
    def _derivative_of_one(self) -> Callable[[tuple[Any, ...], Any], Any] | None:
        """The shortest way to all derivatives of one state; it returns None where the long way is needed."""
        law = self.law
        if law.derivative is None or len(law.inputs) < 2 or self.robot.free_symbols or not self.robot.nv:
            return None
        if not self.fixed.keys() <= law.options.keys():
            return None
        _, options, overrides, _ = self._arguments.sort((), {}, calling=False)
        own = {name: options[name] for name in law.derivative.options}
        kernel = self._by_structure._variant(own, overrides, only=law.inputs).kernel
        fill = kernel.one(law.derivative.name, lambda *arrays: None)
        shapes = [port.shape for port in kernel.ports[1]]
        made = named_tuple("Results", law.inputs)

        def short(args: tuple[Any, ...], out: Any) -> Any:
            if out is None:
                out = [np.empty(shape) for shape in shapes]
            elif type(out) is not tuple:
                return None
            return None if fill(*args, *out) is None else made(*out)

        return short

    @cached_property
    def _by_structure(self) -> "BoundLaw":
        """The law's derivative as a law of its own."""
        assert self.law.derivative is not None
        return BoundLaw(self.robot, self.law.derivative)

    @cached_property
    def _by_parameters(self) -> "BoundLaw":
        """The derivative with respect to the parameters as a law of its own."""
        assert self.law.by_parameters is not None
        return BoundLaw(self.robot, self.law.by_parameters)

    def status(self, *args: Any, **keywords: Any) -> Any:
        """Why a state's result is NaN or not to be trusted: "ok" or a sentence, one for each state."""
        inputs, options, overrides, symbols = self._arguments.sort(args, keywords)
        return status(self._variant(options, overrides), inputs, overrides, symbols)

    def __repr__(self) -> str:
        options = "".join(f", {key}={value!r}" for key, value in self.fixed.items())
        inputs = ", ".join(self.law.inputs)
        return f"<{self.law.name}({inputs}{options}) of robot {self.robot.name!r}: {self.law.summary}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _bound_by_name, (self.robot, self.law.name, self.fixed)  # native code is made anew

    def _variant(
        self,
        options: Mapping[str, Any],
        overrides: Mapping[str, Any],
        wrt: tuple[str, ...] | None = None,
        only: tuple[str, ...] | None = None,
        packed: bool = False,
    ) -> "Variant":
        frames = tuple(sorted(overrides.get("wrenches", ())))
        for name in (*frames, *([options["frame"]] if "frame" in options else [])):
            self.robot.frame(name)  # an unknown name is an error here, with a suggestion
        key = Recipe(tuple(options.items()), "gravity" in overrides, frames, wrt, only, packed)
        try:
            known = key in self._variants
        except TypeError:
            raise WrongValue(
                f"{self.law.name} takes words, numbers or truth values as options, not {options!r}."
            ) from None
        if not known:
            self._variants[key] = Variant(self.robot, self.law, key)
        return self._variants[key]


def bind(robot: Robot, law: Law, fixed: Mapping[str, Any] | None = None) -> BoundLaw:
    """The law bound to the robot; one state goes straight from CPython into native code where it can."""
    bound = BoundLaw(robot, law, fixed)
    decided = all(value is not REQUIRED for value in {**law.options, **bound.fixed}.values())
    if not decided or robot.free_symbols or not bound.fixed.keys() <= law.options.keys():
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
        if len(args) >= len(bound.law.inputs) and bound.robot.nv and all(_is_vector(x) for x in args):
            _, options, overrides, _ = bound._arguments.sort((), {}, calling=False)
            kernel = bound._variant(options, overrides).kernel
            type(bound).__call__ = staticmethod(kernel.one(bound.law.name, general))  # type: ignore[method-assign]
            return type(bound).__call__(*args, **keywords)
        return general(*args, **keywords)

    return first


def _is_vector(x: object) -> bool:
    return isinstance(x, np.ndarray) and x.ndim == 1


def __getattr__(name: str) -> Any:
    """`integrator`, for simulation: loaded when it is first asked for."""
    if name != "integrator":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from rikigaku.codegen import integrator

    return integrator
