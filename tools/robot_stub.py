"""Writes src/rikigaku/robot/robot.pyi: the signature and text of every law and method of `Robot`.

`python tools/robot_stub.py` writes the file; a test compares it with what this module makes.
"""

import ast
import builtins
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from rikigaku.binding.bound_law import bound_law
from rikigaku.binding.call_signature import call_signature, call_text
from rikigaku.laws.catalogue import LAWS, laws_of
from rikigaku.laws.law import REQUIRED, Law
from rikigaku.laws.space.space_law import space_law
from rikigaku.robot.declarations import LawAttribute, LawGroup, Method
from rikigaku.robot.loading import load
from rikigaku.robot.robot import Robot

PLACE = Path(__file__).parents[1] / "src" / "rikigaku" / "robot" / "robot.pyi"
Import = tuple[str | None, str]  # from a module, a name; or a module itself
GROUPS = {"reduced": "ReducedLaws", "space": "SpaceLaws"}
FORMULAS = {0: "ExactFormula", 1: "FormulaVector", 2: "FormulaMatrix"}  # by dimension; `Formulas` beyond

HEAD = '''"""Types of `Robot`, its laws and its methods. Written by tools/robot_stub.py: do not edit."""

'''
ARRAYS = '''class FormulaVector(Formulas):
    """A vector of formulas."""
    @overload
    def __getitem__(self, index: int) -> ExactFormula: ...
    @overload
    def __getitem__(self, index: slice) -> FormulaVector: ...
    @overload
    def __getitem__(self, index: Any) -> Any: ...
    def __iter__(self) -> Iterator[ExactFormula]: ...

class FormulaMatrix(Formulas):
    """A matrix of formulas."""
    @overload
    def __getitem__(self, index: tuple[int, int]) -> ExactFormula: ...
    @overload
    def __getitem__(self, index: int | tuple[int, slice] | tuple[slice, int]) -> FormulaVector: ...
    @overload
    def __getitem__(self, index: slice | tuple[slice, slice]) -> FormulaMatrix: ...
    @overload
    def __getitem__(self, index: Any) -> Any: ...
    def __iter__(self) -> Iterator[FormulaVector]: ...'''
# Names that laws need; those of methods are found in the modules of their functions.
IMPORTS: set[Import] = {
    ("collections.abc", "Iterator"),
    ("collections.abc", "Mapping"),
    ("collections.abc", "Sequence"),
    ("typing", "Any"),
    ("typing", "NamedTuple"),
    ("typing", "Self"),
    ("typing", "overload"),
    ("numpy.typing", "ArrayLike"),
    ("numpy.typing", "NDArray"),
    ("rikigaku.core.types", "Array"),
    ("rikigaku.model.robot_model", "RobotModel"),
    ("rikigaku.robot.robot_law", "RobotLaw"),
    ("rikigaku.symbolic.formulas.exact_formula", "ExactFormula"),
    ("rikigaku.symbolic.formulas.formula_array", "Formulas"),
}
TYPES = {
    "out": "Array | tuple[Array, ...] | None",
    "gravity": "ArrayLike | None",
    "wrenches": "Mapping[str, ArrayLike] | None",
    "symbols": "ArrayLike | Mapping[str, ArrayLike]",
}


def stub() -> str:
    """The text of the stub."""
    imports = set(IMPORTS)
    kinds = (LawAttribute, LawGroup, Method)
    members = [(name, x) for name, x in vars(Robot).items() if isinstance(x, kinds)]
    own = [x for _, x in members if isinstance(x, LawAttribute)]
    classes = [_law_class(x.law, closed=f"closed.{x.name}" in LAWS) for x in own]
    for group, title in GROUPS.items():
        laws = laws_of(group).values()
        classes += [_law_class(law, closed=group == "reduced") for law in laws]
        lines = [f"    {law.name}: {_class_name(law)}" for law in laws]
        classes.append("\n".join([f"class {title}:", _text(_group_text(group)), *lines]))
    body = ["class Robot(RobotModel):", _text(Robot.__doc__ or "")]
    for name, member in members:
        if isinstance(member, LawAttribute):
            body.append(f"    {name}: {_class_name(member.law)}")
        elif isinstance(member, LawGroup):
            body.append(f"    {name}: {GROUPS[member.group]}")
        else:
            body.append(_method(name, member, imports))
    return HEAD + _import_lines(imports) + "\n\n" + "\n\n".join([ARRAYS, *classes, "\n".join(body)]) + "\n"


def _law_class(law: Law, closed: bool) -> str:
    """A law as a class: its call, derivatives and formulas with their types."""
    name, derivative = _class_name(law), f"{_class_name(law)}Derivative"
    parts = []
    if len(law.outputs) > 1:
        parts.append(_named_tuple(f"{name}Results", law.outputs))
    result = "Array" if len(law.outputs) == 1 else f"{name}Results"
    lines = [f"class {name}(RobotLaw):", _text(call_text(law))]
    lines.append(f"    def __call__({_parameters(law)}) -> {result}: ...")
    required = [option for option, default in law.options.items() if default is REQUIRED]
    if required:
        options = ", ".join(f"{option}: str" for option in required)
        lines += [
            "    @overload",
            f"    def fix(self, *, {options}, **options: Any) -> Fixed{name}: ...",
            "    @overload",
            "    def fix(self, **options: Any) -> Self: ...",
        ]
    if len(law.outputs) == 1:
        parts.append(_named_tuple(derivative, law.inputs))
        lines += _derivative(law, derivative)
    if not closed and len(law.outputs) == 1:
        lines += ["    @property", f"    def symbolic(self) -> {_formulas(law)}: ..."]
    if required:
        fixed = replace(law, options={**law.options, **dict.fromkeys(required, ...)})
        text = _text(f"`{law.name}` with {' and '.join(required)} fixed.")
        lines += ["", f"class Fixed{name}({name}):", text]
        lines.append(f"    def __call__({_parameters(fixed)}) -> {result}: ...")
        lines += _derivative(fixed, derivative) if len(law.outputs) == 1 else []
    return "\n\n".join([*parts, "\n".join(lines)])


def _derivative(law: Law, result: str) -> list[str]:
    """The derivatives with respect to all inputs, and to named ones."""
    whole = _parameters(law, "wrt: None = None, packed: bool = False")
    some = _parameters(law, "wrt: str | Sequence[str], packed: bool = False")
    return [
        "    @overload  # type: ignore[override]",
        f"    def derivative({whole}) -> {result}: ...",
        "    @overload",
        f"    def derivative({some}) -> Any: ...",
    ]


def _formulas(law: Law) -> str:
    """The type of a law's formulas, from the number of dimensions of its result."""
    robot = load("space_arm_6" if law.group == "space" else "planar_2r")
    bound = bound_law(robot, space_law(robot, law.name) if law.group == "space" else law)
    options = {option: "hand" for option, default in law.options.items() if default is REQUIRED}
    (output,) = bound.program(**options).outputs
    return FORMULAS.get(len(output.shape), "Formulas")


def _parameters(law: Law, extra: str = "") -> str:
    """The parameters of a law's call; extra: those of its derivative, before the other keywords."""
    words, keyword_only = ["self"], False
    for p in call_signature(law).parameters.values():
        if f"{p.name}:" in extra:  # `packed` of the derivative stands for that of the law
            continue
        if p.kind is p.KEYWORD_ONLY and not keyword_only:
            words, keyword_only = [*words, "*", *([extra] if extra else [])], True
        default = (
            "" if p.default is p.empty else f" = {p.default!r}".replace("'", '"').replace("Ellipsis", "...")
        )
        kind = TYPES.get(p.name) or ("ArrayLike" if p.name in law.inputs else _type_of(p.default))
        words.append(f"**{p.name}: {kind}" if p.kind is p.VAR_KEYWORD else f"{p.name}: {kind}{default}")
    return ", ".join(words)


def _type_of(default: Any) -> str:
    return "bool" if isinstance(default, bool) else "str"


def _named_tuple(name: str, fields: Iterable[str]) -> str:
    return "\n".join([f"class {name}(NamedTuple):", *(f"    {field}: Array" for field in fields)])


def _class_name(law: Law) -> str:
    title = "".join(word.title() for word in law.name.split("_"))
    return f"Reduced{title}" if law.group == "reduced" else title


def _group_text(group: str) -> str:
    return str(vars(Robot)[group].__doc__)


def _method(name: str, method: Method, imports: set[Import]) -> str:
    """A method with the signature of its function, less the robot, and the function's text."""
    function = inspect.unwrap(method.target)
    source = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(source, ast.FunctionDef)
    arguments = source.args
    first = arguments.posonlyargs or arguments.args
    first[0] = ast.arg("self")
    imports |= set(_names_to_import(source, function))
    returns = ast.unparse(source.returns) if source.returns else "None"
    returns = returns.strip("'").replace("ModelT", "Robot")
    lines = ["    @property"] if method.is_property else []
    lines.append(f"    def {name}({ast.unparse(arguments)}) -> {returns}:")
    lines.append(textwrap.indent(_text(inspect.getdoc(function) or ""), "    "))
    return "\n".join(lines)


def _names_to_import(source: ast.FunctionDef, function: Callable[..., Any]) -> Iterator[Import]:
    """Module and name of everything the annotations and defaults mention."""
    module = sys.modules[function.__module__]
    imported = {
        alias.asname or alias.name: _imported(node, alias)
        for node in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    for node in (source.args, source.returns):
        for name in _names(node):
            if name in ("ModelT", "RobotModel") or hasattr(builtins, name):
                continue
            yield imported.get(name, (function.__module__, name))


def _imported(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> Import:
    if isinstance(node, ast.ImportFrom):
        return node.module, alias.name
    return None, f"{alias.name} as {alias.asname}" if alias.asname else alias.name


def _names(node: ast.AST | None) -> Iterator[str]:
    """Names in annotations and defaults, types in quotes among them."""
    for child in ast.walk(node) if node is not None else ():
        if isinstance(child, ast.Name):
            yield child.id
        elif isinstance(child, ast.Constant) and re.fullmatch(r"[A-Z]\w*", str(child.value)):
            yield str(child.value)


def _import_lines(imports: set[Import]) -> str:
    modules: dict[str, list[str]] = {}
    for module, name in sorted((module, name) for module, name in imports if module):
        modules.setdefault(module, []).append(name)
    whole = "".join(f"import {name}\n" for module, name in sorted(imports, key=str) if module is None)
    return whole + "".join(f"from {module} import {', '.join(names)}\n" for module, names in modules.items())


def _text(text: str) -> str:
    """A docstring within a class."""
    escaped = text.replace("\\", "\\\\").strip()
    lines = escaped.splitlines()
    end = '"""' if len(lines) == 1 else '\n"""'
    return textwrap.indent(f'"""{escaped}{end}', "    ")


if __name__ == "__main__":
    PLACE.write_text(stub())
