"""A program as C with CasADi's interface for external functions: values, sparse Jacobian, adjoint, Hessian.

`casadi.external(name, file)` loads the compiled file. Beside the function `name` it finds `jac_name` (all
Jacobians, by all numbers of an input, without structural zeros), `adj1_name` (J^T w) and `jac_adj1_name` (the
second derivatives of w^T y), so that gradients and Hessians of a Lagrangian are exact. acados takes the same
functions.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from rikigaku.core.errors import WrongValue
from rikigaku.export.c_source import CONTRACTION_AGAIN, NO_CONTRACTION, C, comment, helpers
from rikigaku.export.export_record import Export, Text, argument_names, indented, text
from rikigaku.export.identifiers import Names
from rikigaku.numbers.expression_graph import Node, Traced, reachable
from rikigaku.numbers.program import Port, Program
from rikigaku.numbers.program_derivative import forward, reverse
from rikigaku.numbers.program_evaluation import unrolled

# Operations of unrolled derivatives, about; longer ones run once for each column, so that compilers cope.
_LONGEST = 40_000

_HEAD = """#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef _WIN32
#define CASADI_EXPORT __declspec(dllexport)
#else
#define CASADI_EXPORT
#endif
#ifdef __cplusplus
#define RK_LINKAGE extern "C"
#else
#define RK_LINKAGE
#endif
typedef long long int casadi_int;
"""


@dataclass(frozen=True)
class Sparsity:
    """Compressed columns of a matrix: of each column the rows that are not structurally zero."""

    rows: int
    columns: tuple[tuple[int, ...], ...]

    @staticmethod
    def dense(rows: int, columns: int) -> "Sparsity":
        return Sparsity(rows, (tuple(range(rows)),) * columns)

    @property
    def numbers(self) -> list[int]:
        """As CasADi writes it: rows, columns, starts of the columns, row of each element."""
        starts = [0]
        for column in self.columns:
            starts.append(starts[-1] + len(column))
        return [self.rows, len(self.columns), *starts, *chain(*self.columns)]


@dataclass(frozen=True)
class External:
    """One function of the file: its program, whose results are the elements of its outputs.

    inputs: names and sizes of all inputs. places: those that the program reads; not the values of
        outputs, which CasADi passes to derivatives.
    columns: None, or the program is the derivative in one direction, its last input, and runs once for each
        of these: its index among the directions, and the elements it gives: (place among the results,
        output, place among the elements of that output).
    """

    name: str
    program: Program
    inputs: tuple[tuple[str, Sparsity], ...]
    outputs: tuple[tuple[str, Sparsity], ...]
    places: tuple[int, ...]
    columns: tuple[tuple[int, tuple[tuple[int, int, int], ...]], ...] | None = None


def source(export: Export) -> str:
    """A C file for `casadi.external(export.name, ...)`."""
    functions = externals(export)
    texts = [text(Export(f.program, f"{f.name}_values", export.summary, (), ()), C) for f in functions]
    first = text(replace(export, program=functions[0].program), C)
    uses = {op: any(t.uses(op) for t in texts) for op in ("sign", "sin", "cos")}
    fullest = next((t for t in texts if all(t.uses(op) or not uses[op] for op in uses)), texts[-1])
    parts = [comment(first), _HEAD, NO_CONTRACTION, "", *helpers(fullest, "static", "")]
    for external, body in zip(functions, texts, strict=True):
        parts += [_values(body), _interface(external)]
    return "\n".join([*parts, CONTRACTION_AGAIN, ""])


def externals(export: Export) -> list[External]:
    """The function, its Jacobian, its adjoint, and the Jacobian of that."""
    program = _columns_first(unrolled(export.program))
    if not any(program.arguments):
        raise WrongValue(f"{export.name} has no inputs: CasADi needs a function of at least one.")
    names, results = argument_names(program, Names(frozenset(("null", "jac", "hess"))))
    program = replace(  # names that are identifiers, also with a prefix
        program,
        inputs=tuple(replace(port, name=x) for x, port in zip(names, program.inputs, strict=True)),
        outputs=tuple(replace(port, name=x) for x, port in zip(results, program.outputs, strict=True)),
    )
    inputs = [(x, _vector(port)) for x, port in zip(names, program.inputs, strict=True)]
    outputs = [
        (x, Sparsity.dense(*_matrix(port))) for x, port in zip(results, export.program.outputs, strict=True)
    ]
    own = tuple(range(len(inputs)))
    value = External(export.name, program, tuple(inputs), tuple(outputs), own)
    weights = tuple(Port(f"weights{k}", (port.size,)) for k, port in enumerate(program.outputs))
    adjoint = _adjoint(program, weights)
    given = [(f"out_{x}", sparsity) for x, sparsity in outputs]
    seeds = [(f"adj_{x}", sparsity) for x, sparsity in outputs]
    back = External(
        f"adj1_{export.name}",
        adjoint,
        (*inputs, *given, *seeds),
        tuple((f"adj_{x}", sparsity) for x, sparsity in inputs),
        (*own, *range(len(inputs) + len(given), len(inputs) + len(given) + len(seeds))),
    )
    return [value, _jacobian(value), back, _jacobian(back)]


def _jacobian(function: External) -> External:
    """All derivatives of the outputs by the inputs, each a sparse matrix."""
    program, places = function.program, function.places
    given = [(f"out_{x}", sparsity) for x, sparsity in function.outputs]
    nodes, results = list(chain(*program.arguments)), list(chain(*program.results))
    looped = program.operations.total * len(nodes) > _LONGEST
    if looped:
        table: Sequence[Sequence[Traced]] = _dependence(results, nodes)
    elif len(results) < len(nodes) / 3:  # gradients of few results
        table = reverse(results, nodes)
    else:
        table = forward(results, [{node: 1.0} for node in nodes])
    ports: list[Port] = []
    elements: list[tuple[Traced, ...]] = []
    outputs: list[tuple[str, Sparsity]] = []
    stores: dict[int, list[tuple[int, int, int]]] = {}
    row = 0
    for (output, _), values in zip(function.outputs, program.results, strict=True):
        column = 0
        for place, (name, sparsity) in enumerate(function.inputs):
            size = len(sparsity.columns) * sparsity.rows
            block: list[tuple[int, ...]] = [()] * size
            found: list[Traced] = []
            for j in range(size if place in places else 0):
                own = [(i, table[row + i][column + j]) for i in range(len(values))]
                own = [(i, x) for i, x in own if isinstance(x, Node) or x != 0]
                block[j] = tuple(i for i, _ in own)
                for i, x in own:
                    stores.setdefault(column + j, []).append((row + i, len(outputs), len(found)))
                    found.append(x)
            column += size if place in places else 0
            ports.append(Port(f"block{len(ports)}", (len(found),)))
            elements.append(tuple(found))
            outputs.append((f"jac_{output}_{name}", Sparsity(len(values), tuple(block))))
        row += len(values)
    name, inputs = f"jac_{function.name}", (*function.inputs, *given)
    if looped:
        columns = tuple((j, tuple(own)) for j, own in sorted(stores.items()))
        return External(name, _in_one_direction(program), inputs, tuple(outputs), places, columns)
    made = replace(program, outputs=tuple(ports), results=tuple(elements))
    return External(name, made, inputs, tuple(outputs), places)


def _dependence(results: Sequence[Traced], nodes: Sequence[Node]) -> list[list[float]]:
    """1 where a result depends on an input, else 0."""
    known = {node: 1 << k for k, node in enumerate(nodes)}  # a bit for each input
    for node in reachable(results):
        if node not in known:
            bits = 0
            for arg, slope in zip(node.args, _slopes(node), strict=True):
                bits |= known.get(arg, 0) if slope else 0
            known[node] = bits
    bits_of = [known.get(x, 0) if isinstance(x, Node) else 0 for x in results]
    return [[float(bits >> k & 1) for k in range(len(nodes))] for bits in bits_of]


def _slopes(node: Node) -> tuple[bool, ...]:
    """Whether the derivative by each argument can differ from zero."""
    if node.op in ("sign", "less", "lookup"):
        return (False,) * len(node.args)
    return (node.op != "choose", *(True,) * (len(node.args) - 1)) if node.args else ()


def _in_one_direction(program: Program) -> Program:
    """The derivative of all results in a direction, which is its last input; results as one output."""
    graph = next(node.graph for nodes in program.arguments for node in nodes)
    nodes = list(chain(*program.arguments))
    direction = tuple(graph.input(f"{program.name} direction[{k}]") for k in range(len(nodes)))
    rates = forward(list(chain(*program.results)), [dict(zip(nodes, direction, strict=True))])
    return Program(
        f"{program.name} in one direction",
        (*program.inputs, Port("direction", (len(nodes),))),
        (Port("rates", (len(rates),)),),
        (*program.arguments, direction),
        (tuple(x for (x,) in rates),),
    )


def _adjoint(program: Program, weights: Sequence[Port]) -> Program:
    """The gradient of the sum of weights and results, by all numbers of the inputs."""
    graph = next(node.graph for nodes in program.arguments for node in nodes)
    vectors = [tuple(graph.input(f"{port.name} #adj[{i}]") for i in range(port.size)) for port in weights]
    total: Traced = 0.0
    for y, w in zip(chain(*program.results), chain(*vectors), strict=True):
        total = total + y * w
    slopes = iter(reverse([total], list(chain(*program.arguments)))[0])
    results = tuple(tuple(next(slopes) for _ in nodes) for nodes in program.arguments)
    outputs = tuple(Port(f"gradient{k}", port.shape) for k, port in enumerate(program.inputs))
    return Program(
        f"adjoint of {program.name}",
        (*program.inputs, *weights),
        outputs,
        (*program.arguments, *vectors),
        results,
    )


def _columns_first(program: Program) -> Program:
    """The program with matrices of results in CasADi's order, columns first."""
    results = []
    for port, values in zip(program.outputs, program.results, strict=True):
        rows, columns = _matrix(port)
        results.append(tuple(values[i * columns + j] for j in range(columns) for i in range(rows)))
    outputs = tuple(Port(port.name, (port.size,)) for port in program.outputs)
    return replace(program, outputs=outputs, results=tuple(results))


def _matrix(port: Port) -> tuple[int, int]:
    """Rows and columns: the last axis stays, the others are stacked."""
    if len(port.shape) < 2:
        return port.size, 1
    return port.size // port.shape[-1] if port.shape[-1] else 0, port.shape[-1]


def _vector(port: Port) -> Sparsity:
    return Sparsity.dense(port.size, 1)


def _values(body: Text) -> str:
    """The numbers of all outputs one after the other; a result that is not wanted is a null pointer."""
    inputs = [f"const double *{name}" if port.shape else f"double {name}" for name, port in body.inputs]
    outputs = [f"double *{name}" for name, _ in body.outputs]
    lines = [*body.listing.lines]
    wanted: dict[str, list[str]] = {name: [] for name, _ in body.outputs}
    for line in body.listing.results:
        wanted[line.partition("[")[0].strip()].append(line)
    for name, stores in wanted.items():
        if stores:
            lines += [f"if ({name}) {{", *indented(stores), "}"]
    unused = [f"(void){name};" for name, _ in (*body.inputs, *body.outputs)]
    return "\n".join(
        [
            f"static void {body.name}({', '.join([*inputs, *outputs])})",
            "{",
            *indented([*unused, *lines]),
            "}",
            "",
        ]
    )


def _interface(f: External) -> str:
    """What CasADi calls: sizes, names, sparsities, work, and the function over arrays of pointers."""
    arguments, most = [], 1
    for port, place in zip(f.program.inputs, f.places, strict=False):  # a direction follows the others
        value = f"arg[{place}] ? arg[{place}]"
        arguments.append(f"{value} : zeros" if port.shape else f"{value}[0] : 0.0")
        most = max(most, port.size)
    own = "RK_LINKAGE CASADI_EXPORT"
    if f.columns is None:
        arguments += [f"res[{k}]" for k in range(len(f.outputs))]
        work = [f"{f.name}_values({', '.join(arguments)});"]
    else:
        work = _column_loop(f, arguments)
    lines = [
        f"{own} int {f.name}(const double** arg, double** res, casadi_int* iw, double* w, int mem)",
        "{",
        f"    static const double zeros[{most}] = {{0}};",
        "    (void)iw; (void)w; (void)mem; (void)zeros;",
        *indented(work),
        "    return 0;",
        "}",
        f"{own} casadi_int {f.name}_n_in(void) {{ return {len(f.inputs)}; }}",
        f"{own} casadi_int {f.name}_n_out(void) {{ return {len(f.outputs)}; }}",
    ]
    for side, items in (("in", f.inputs), ("out", f.outputs)):
        names = ", ".join(f'"{name}"' for name, _ in items)
        lines += [
            f"{own} const char* {f.name}_name_{side}(casadi_int i)",
            "{",
            f"    static const char* const names[] = {{{names}}};",
            f"    return i >= 0 && i < {len(items)} ? names[i] : 0;",
            "}",
            f"{own} const casadi_int* {f.name}_sparsity_{side}(casadi_int i)",
            "{",
        ]
        for k, (_, sparsity) in enumerate(items):
            numbers = ", ".join(map(str, sparsity.numbers))
            lines.append(f"    static const casadi_int s{k}[] = {{{numbers}}};")
        table = ", ".join(f"s{k}" for k in range(len(items)))
        lines += [
            f"    static const casadi_int* const all[] = {{{table}}};",
            f"    return i >= 0 && i < {len(items)} ? all[i] : 0;",
            "}",
        ]
    lines += [
        f"{own} int {f.name}_work(casadi_int* sz_arg, casadi_int* sz_res, casadi_int* sz_iw, "
        "casadi_int* sz_w)",
        "{",
        f"    if (sz_arg) *sz_arg = {len(f.inputs)};",
        f"    if (sz_res) *sz_res = {len(f.outputs)};",
        "    if (sz_iw) *sz_iw = 0;",
        "    if (sz_w) *sz_w = 0;",
        "    return 0;",
        "}",
        "",
    ]
    return "\n".join(lines)


def _column_loop(f: External, arguments: Sequence[str]) -> list[str]:
    """One call for each direction, and a table of where its elements belong."""
    assert f.columns is not None
    size, count = f.program.inputs[-1].size, f.program.outputs[0].size
    table = [(j, *item) for j, own in f.columns for item in own]
    starts = [0]
    for _, own in f.columns:
        starts.append(starts[-1] + len(own))
    numbers = ", ".join(f"{row}, {output}, {place}" for _, row, output, place in table)
    return [
        f"static const int columns[] = {{{', '.join(str(j) for j, _ in f.columns)}}};",
        f"static const int starts[] = {{{', '.join(map(str, starts))}}};",
        f"static const int table[] = {{{numbers}}};",
        f"double direction[{size}] = {{0}}, rates[{count}];",
        f"for (int k = 0; k < {len(f.columns)}; ++k) {{",
        "    direction[columns[k]] = 1.0;",
        f"    {f.name}_values({', '.join([*arguments, 'direction', 'rates'])});",
        "    direction[columns[k]] = 0.0;",
        "    for (int i = starts[k]; i < starts[k + 1]; ++i)",
        "        if (res[table[3 * i + 1]]) res[table[3 * i + 1]][table[3 * i + 2]] = rates[table[3 * i]];",
        "}",
    ]
