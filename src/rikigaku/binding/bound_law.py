"""A law bound to a robot: a callable over arrays, compiled at the first call.

`robot.inverse_dynamics` is a BoundLaw. The first call with a set of options records the law on traced numbers
and compiles it (or reads the code from the cache); later calls run native code. This package is the only one
in which models, laws and the compiler meet.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from rikigaku.binding.arguments import LawArguments
from rikigaku.binding.call_signature import CallSignature, CallText
from rikigaku.binding.compiled_law import CompiledLaw, compiled_laws
from rikigaku.binding.law_derivatives import Derivatives
from rikigaku.binding.one_state_call import OneStateCall, are_vectors, one_state_call
from rikigaku.compiler.kernel import Function, Kernel
from rikigaku.core.checked_calls import checked
from rikigaku.laws.catalogue import LAWS
from rikigaku.laws.law import REQUIRED, Law
from rikigaku.model.editing import bind as bind_symbols
from rikigaku.model.robot_model import RobotModel
from rikigaku.numbers.program import Operations, Program

if TYPE_CHECKING:
    from rikigaku.export.export_record import Export

Bound = TypeVar("Bound", bound="BoundLaw")


class BoundLaw:
    """A law of one robot: call it with arrays (..., n); it broadcasts and takes `out=`.

    Options and symbols are keywords: `robot.jacobian(q, frame="hand")` (or `robot.jacobian(q, "hand")`),
    `robot.inverse_dynamics(q, v, a, gravity=g, wrenches={"hand": w}, friction=False, L=0.5)`. A symbol that
    has the name of an argument (a, gravity, ...) is passed as `symbols={"a": 0.5}`.

    A call without symbols runs the program in which they are bound to the values of the robot's table, or of
    `fix`: as fast as a robot without symbols, and with the same bits. A call with symbols runs a second
    program, which has them as inputs and is compiled once for all values.
    """

    _general: ClassVar[Any]  # base of the class that `bind` makes for each bound law

    def __init__(self, robot: RobotModel, law: Law, fixed: Mapping[str, Any] | None = None) -> None:
        self.robot, self.law, self.fixed = robot, law, dict(fixed or {})
        self._arguments = LawArguments(robot, law, self.fixed)
        self._compiled_laws = compiled_laws(robot, law, self._arguments.symbol_values)
        self._derivatives = Derivatives(self._arguments, self._compiled_laws)
        self._by_options: dict[tuple[Any, ...], BoundLaw] = {}  # with the options of earlier calls fixed
        self._one_state_calls: dict[tuple[str, ...], OneStateCall | None] = {}  # by the keywords of a call

    @property
    def __name__(self) -> str:
        return self.law.name

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """The law's value at a state or a batch of states."""
        out = keywords.pop("out", None)
        one_state = self._one_state_calls.get(tuple(keywords)) if self._one_state_calls else None
        if one_state is not None and (result := one_state(args, keywords, out)) is not None:
            return result
        count = len(self.law.inputs)
        extra = (*args[count:], *keywords.items())
        try:  # options of an earlier call: the law with these options fixed is known
            if extra and (known := self._by_options.get(extra)) is not None:
                return known(*args[:count]) if out is None else known(*args[:count], out=out)
        except TypeError:  # an array is among them: it cannot be hashed and is not an option
            extra = ()
        if not keywords and len(args) == count and (compiled := self._of_arrays_alone) is not None:
            return compiled(self._arguments.arrays(args), {}, {}, out)
        inputs, options, overrides, symbols = self._arguments.parsed(args, keywords)
        if extra and len(args) >= count and not (overrides or symbols):
            self._by_options[extra] = self.fix(**options)
        compiled = self._compiled_laws.of(options, overrides).specialized_to(symbols)
        if keywords.keys() <= {*overrides, *symbols} and are_vectors(args):
            one_state = one_state_call(compiled, symbols, self.fixed)
            self._one_state_calls[tuple(keywords)] = one_state
            if one_state is not None and (result := one_state(args, keywords, out)) is not None:
                return result
        return compiled(inputs, overrides, symbols, out)

    @checked
    def fix(self, **options: Any) -> Self:
        """The same law with options, overrides or symbols fixed: `hand = robot.jacobian.fix(frame="hand")`.

        With options, and plain numbers for symbols, a call with one state goes straight to native code.
        Other numbers need another program: pass values that change from call to call in the call.
        """
        self._arguments.check_names(tuple(options))
        law: Self = bind(self.robot, self.law, {**self.fixed, **options}, self._general)
        return law

    @property
    def native(self) -> Function:
        """The law for other native code: a function of pointers to its inputs, then to its results.

        Symbols are bound to the values of the robot's table.
        """
        return self._bound_kernel.function

    @property
    def native_loop(self) -> Function:
        """The same for a batch: see `Kernel.loop`."""
        return self._bound_kernel.loop

    @property
    def _bound_kernel(self) -> Kernel:
        compiled = self._specialized({}).specialized_to({})
        compiled.symbol_arrays({})  # raises where a value is missing
        return compiled.kernel

    @property
    def operations(self) -> Operations:
        """Operation counts of one state, with the robot's symbols as inputs."""
        return self.program().operations

    @checked
    def program(self, *, derivative: bool | str | Sequence[str] = False, **options: Any) -> Program:
        """The recorded program, the robot's symbols among its inputs.

        Args:
            derivative: True, or names as in `derivative(wrt=...)`: the program of the derivatives instead.
        """
        if names := self._derivatives.names(derivative):
            return self._derivatives.compiled((), options, names, arrays_required=False)[0].kernel.program
        return self._specialized(options).kernel.program

    @checked
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
                "c header": of the C text; "wasm": the bytes of a WebAssembly module; "casadi": a
                casadi.Function; "sympy": a record of expressions; or one that was registered
                (`rikigaku.export.languages.register_language`).
            path: a file for the text or bytes, replaced in one step; a C header is written beside C.
            name: of the function; by default made of the names of robot and law.
            derivative: True, or names as in `derivative(wrt=...)`: the derivatives instead of the law.
            options: of the law (frame="hand"). Symbols of the robot are inputs of the function unless they
                have a value here; gravity=... and wrenches={"hand": ...} make these inputs, for any value.
        Returns: the text, the bytes or the object.
        """
        from rikigaku.binding.law_export import exported
        from rikigaku.export.languages import known_language  # loaded at the first export

        known_language(language)  # before any work is done
        named = self._arguments.parsed((), options, arrays_required=False).symbols
        if symbols := {**self._arguments.symbol_values, **named}:  # export the robot with these bound
            rest = {
                key: x for key, x in {**self.fixed, **options}.items() if key not in ("symbols", *symbols)
            }
            law = self._general(bind_symbols(self.robot, **symbols), self.law, rest)
            return law.export(language, path, name, derivative=derivative)
        program, names = self.program(derivative=derivative, **options), self._derivatives.names(derivative)
        exporters = self._object_exporters()
        return exported(language, self.robot, self.law, program, names, path, name, exporters)

    def _object_exporters(self) -> dict[str, Callable[["Export"], Any]]:
        """Exporters of this class of bound laws, beside those of `rikigaku.export.languages`."""
        return {}

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
        means the inertial parameters (and with joint_parameters=True rotors and friction) in the order of
        `robot.parameters()`.

        packed=True: of each derivative only the elements that depend on the state, in one axis (..., count).
        Structural zeros and constants are omitted, equal elements (a symmetric matrix) appear once. `packing`
        returns their rows and columns, and unpacks them.
        """
        return self._derivatives(args, keywords, wrt, packed, out)

    @checked
    def packing(self, *, wrt: str | Sequence[str] | None = None, **options: Any) -> Any:
        """Layout of the elements of `derivative(..., packed=True)`: one `Packing` for each input, by name.

        `packing.q.places` are the rows and columns, `packing.q.unpack(d.q)` the whole matrices of `d.q`.
        """
        return self._derivatives.packing(options, wrt)

    @cached_property
    def _of_arrays_alone(self) -> CompiledLaw | None:
        """The program of a call with arrays only, if such a call is possible."""
        return self._specialized({}) if self._takes_arrays_alone else None

    @property
    def _takes_arrays_alone(self) -> bool:
        """Whether every option has a value, and no other fixed argument would be an input."""
        options = self.law.options
        complete = all(value is not REQUIRED for value in {**options, **self.fixed}.values())
        return complete and self.fixed.keys() <= {*options, *self._arguments.symbol_values}

    def _specialized(self, options: Mapping[str, Any]) -> CompiledLaw:
        """The program of a call with these options and overrides; it does not depend on the arrays."""
        parsed = self._arguments.parsed((), options, arrays_required=False)
        return self._compiled_laws.of(parsed.options, parsed.overrides)

    def __repr__(self) -> str:
        options = "".join(f", {key}={value!r}" for key, value in self.fixed.items())
        inputs = ", ".join(self.law.inputs)
        return f"<{self.law.called}({inputs}{options}) of robot {self.robot.name!r}: {self.law.summary}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return bind, (self.robot, self.law, self.fixed, self._general)  # native code is loaded anew


def bind(robot: RobotModel, law: Law, fixed: Mapping[str, Any] | None, general: type[Bound]) -> Bound:
    """The law bound to the robot; calls with one state run native code without Python in between.

    Args:
        general: the class of the result, `BoundLaw` or a subclass.
    """
    bound = general(robot, law, fixed)
    # Python looks up a call, a docstring and help() on the class: each bound law has a class of its own.
    own: dict[str, Any] = {
        "__doc__": CallText(law, robot),
        "__signature__": CallSignature(law),
        "_general": general,
        "__module__": general.__module__,
    }
    if bound._takes_arrays_alone:
        own["__call__"] = staticmethod(_first_call(bound))
    bound.__class__ = type(law.name, (general,), own)
    return bound


def bound_law(robot: RobotModel, law: Law | str) -> BoundLaw:
    """A law of the catalogue ("tree.loop_residual"), or any record, bound to the robot once and kept."""
    record = LAWS[law] if isinstance(law, str) else law
    known: dict[tuple[str, Any], BoundLaw] = robot.__dict__.setdefault("_bound_laws", {})
    key = record.key, record.plan
    if key not in known:
        known[key] = bind(robot, record, None, BoundLaw)
    return known[key]


def _first_call(bound: BoundLaw) -> Callable[..., Any]:
    """A `__call__` that compiles at the first call with one state, and replaces itself by native code."""

    def general(*args: Any, **keywords: Any) -> Any:
        return BoundLaw.__call__(bound, *args, **keywords)

    def first(*args: Any, **keywords: Any) -> Any:
        arrays_alone = len(args) >= len(bound.law.inputs) and not keywords.keys() - {"out"}
        if arrays_alone and bound.robot.nv and are_vectors(args):
            compiled = bound._specialized({}).specialized_to({})
            if not compiled.robot.free_symbols:  # else values are missing: the general call raises
                native = compiled.kernel.one(bound.law.name, general)
                own_class: Any = type(bound)
                own_class.__call__ = staticmethod(native)
                return native(*args, **keywords)
        return general(*args, **keywords)

    return first


BoundLaw._general = BoundLaw
