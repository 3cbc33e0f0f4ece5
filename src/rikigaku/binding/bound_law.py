"""A law bound to a robot: a callable over arrays, compiled at the first call.

`robot.inverse_dynamics` is a BoundLaw. The first call with a set of options records the law on traced numbers
and compiles it (or reads the code from the cache); later calls run native code. This package is the only one
in which models, laws and the compiler meet.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np

from rikigaku.binding.arguments import LawArguments, ParsedArguments
from rikigaku.binding.call_signature import CallSignature, CallText
from rikigaku.binding.compiled_law import CompiledLaw, compiled_laws
from rikigaku.binding.law_derivatives import Derivatives
from rikigaku.binding.law_products import LawProducts
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
        self.arguments = LawArguments(robot, law, self.fixed)
        self._compiled_laws = compiled_laws(robot, law, self.arguments.symbol_values)
        self._derivatives = Derivatives(self.arguments, self._compiled_laws)
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
            return compiled(self.arguments.arrays(args), {}, {}, out)
        inputs, options, overrides, symbols = self.arguments.parsed(args, keywords)
        if extra and len(args) >= count and not (overrides or symbols):
            self._by_options[extra] = self.fix(**options)
        compiled = self._compiled_laws.of(options, overrides).specialized_to(symbols)
        if keywords.keys() <= {*overrides, *symbols} and are_vectors(args):
            one_state = one_state_call(compiled, symbols, self.fixed)
            self._one_state_calls[tuple(keywords)] = one_state
            if one_state is not None and (result := one_state(args, keywords, out)) is not None:
                return result
        return compiled(inputs, overrides, symbols, out)

    def float32(self, *args: Any, out: Any = None, **keywords: Any) -> Any:
        """The law in single precision: arrays of float32 in and out, twice as many states in a register.

        Arguments as in a call; a program of its own, compiled at the first use. For batches: one state
        costs as much as a register full. The relative error is some 1e-6 for arms (docs/rollout.md).
        """
        alone = not keywords and len(args) == len(self.law.inputs)
        if alone and (compiled := self._of_arrays_alone) is not None:
            return compiled(self.arguments.arrays(args, single=True), {}, {}, out, np.float32)
        inputs, options, overrides, symbols = self.arguments.parsed(args, keywords, single=True)
        return self._compiled_laws.of(options, overrides)(inputs, overrides, symbols, out, np.float32)

    @checked
    def fix(self, **options: Any) -> Self:
        """The same law with options, overrides or symbols fixed: `hand = robot.jacobian.fix(frame="hand")`.

        With options, and plain numbers for symbols, a call with one state goes straight to native code.
        Other numbers need another program: pass values that change from call to call in the call.
        """
        self.arguments.check_names(tuple(options))
        law: Self = bind(self.robot, self.law, {**self.fixed, **options}, self._general)
        return law

    def specialized_call(
        self, args: Sequence[Any], keywords: Mapping[str, Any]
    ) -> tuple[CompiledLaw, ParsedArguments]:
        """The program of a call, and its arguments; arrays of other frameworks stay as they are."""
        parsed = self.arguments.parsed(args, keywords, converted=False)
        compiled = self._compiled_laws.of(parsed.options, parsed.overrides)
        return compiled.specialized_to(parsed.symbols), parsed

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
    def native_loop_of_symbols(self) -> Function:
        """The same with the symbols as further inputs, after the others, in the order of `free_symbols`."""
        return self._specialized({}).kernel.loop

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
                casadi.Function; "casadi c": C that `casadi.external` loads; "sympy": a record of
                expressions; or one that was registered
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
        named = self.arguments.parsed((), options, arrays_required=False).symbols
        if symbols := {**self.arguments.symbol_values, **named}:  # export the robot with these bound
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
        order: int = 1,
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

        order=2: second derivatives. `d.q.v` is the derivative with respect to v of that with respect to q,
        its axes last: (..., n, nv, nv). In the tangent space of quaternions `d.q.q` is not symmetric:
        rotations do not commute.
        """
        return self._derivatives(args, keywords, wrt, packed, out, order)

    @checked
    def gradient(
        self, *args: Any, weights: Any, wrt: str | Sequence[str] | None = None, **keywords: Any
    ) -> Any:
        """Derivatives of sum(weights * result) with respect to each input (or those named in `wrt`): J^T w.

        Costs two to three times the law, however many results it has. `wrt` may also name symbols. The one
        with respect to q is in the tangent space (nv numbers).
        """
        names = self._derivatives.names(True if wrt is None else wrt, always=True)
        return self._products(args, keywords, names).gradient(weights, names)

    @checked
    def tangent(self, *args: Any, directions: Mapping[str, Any], **keywords: Any) -> Any:
        """The derivative of the result in one direction of the inputs: the sum of J t.

        directions: by input or symbol, {"q": (..., nv), "v": (..., nv)}; that of q in its tangent space.
        """
        return self._products(args, keywords, tuple(directions)).tangent(directions)

    @checked
    def hessian_product(
        self,
        *args: Any,
        weights: Any,
        directions: Mapping[str, Any],
        wrt: str | Sequence[str] | None = None,
        **keywords: Any,
    ) -> Any:
        """The derivative of `gradient(..., weights=weights, wrt=wrt)` in one direction: Hessian by vector."""
        names = self._derivatives.names(True if wrt is None else wrt, always=True)
        products = self._products(args, keywords, (*names, *directions))
        return products.hessian_product(weights, directions, names)

    def _products(
        self, args: Sequence[Any], keywords: Mapping[str, Any], names: Sequence[str]
    ) -> LawProducts:
        return LawProducts(self.arguments, self._compiled_laws, args, keywords, names)

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
        return complete and self.fixed.keys() <= {*options, *self.arguments.symbol_values}

    def _specialized(self, options: Mapping[str, Any]) -> CompiledLaw:
        """The program of a call with these options and overrides; it does not depend on the arrays."""
        parsed = self.arguments.parsed((), options, arrays_required=False)
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
