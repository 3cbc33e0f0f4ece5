"""A function CPython can call directly on one state, as LLVM text.

    PyObject* call(PyObject* fallback, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames)

Accepts exactly: float64 arrays of the right shape, contiguous and aligned, for every input, and then either
nothing more (a new array is returned) or `out=array`. For anything else (lists, other types, batches, several
outputs, NaN results) it calls `fallback` with the same arguments, which converts, broadcasts or raises.
"""

from rikigaku.numbers.program import Port, Program

# Offsets in CPython's PyObject and NumPy's PyArrayObject_fields on 64-bit machines.
# `numpy_c_api.layout_is_known` checks them in this process; if they differ, there is no one-state entry.
_TYPE, _DATA, _ND, _DIMENSIONS, _DESCR, _FLAGS = 8, 16, 24, 32, 56, 64
_ALIGNED, _WRITEABLE = 0x100, 0x400
_DOUBLE = 12  # NPY_DOUBLE

DECLARATIONS = """
@rk_array_type = external global i8
@rk_double_descr = external global i8
@rk_out_name = external global i8
declare ptr @rk_new_array(ptr, i32, ptr, i32, ptr, ptr, i32, i32, ptr)
declare ptr @rk_vectorcall(ptr, ptr, i64, ptr)
declare void @rk_release(ptr)
"""


def call_function(program: Program, checks_result: bool) -> str:
    """Definition of @call for a program of one output.

    checks_result: let the fallback warn when the result is NaN.
    """
    (port,), n = program.outputs, len(program.inputs)
    lines = [DECLARATIONS, _check_array()]
    lines += [_shape_constant(f"@shape{k}", p) for k, p in enumerate((*program.inputs, port))]
    lines += [
        "define ptr @call(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) {",
        "entry:",
        f"  %enough = icmp eq i64 %nargs, {n}",
        "  br i1 %enough, label %counted, label %fallback",
        "counted:",
        "  %fresh = icmp eq ptr %kwnames, null",
        "  br i1 %fresh, label %inputs, label %named",
        "named:",  # the only keyword: out
        "  %kwsize.p = getelementptr i8, ptr %kwnames, i64 16",
        "  %kwsize = load i64, ptr %kwsize.p",
        "  %first.p = getelementptr i8, ptr %kwnames, i64 24",
        "  %first = load ptr, ptr %first.p",
        "  %one = icmp eq i64 %kwsize, 1",
        "  %is_out = icmp eq ptr %first, @rk_out_name",
        "  %fits = and i1 %one, %is_out",
        "  br i1 %fits, label %inputs, label %fallback",
        "inputs:",
    ]
    for k, input_port in enumerate(program.inputs):
        lines += _argument(k, input_port, 0)
    lines += [
        "  br i1 %fresh, label %make, label %out",
        "make:",
        f"  %new = call ptr @rk_new_array(ptr @rk_array_type, i32 {len(port.shape)}, ptr @shape{n}, "
        f"i32 {_DOUBLE}, ptr null, ptr null, i32 0, i32 0, ptr null)",
        "  %made = icmp ne ptr %new, null",
        "  br i1 %made, label %ready, label %failed",
        "ready:",
        f"  %new.d = getelementptr i8, ptr %new, i64 {_DATA}",
        "  %new.data = load ptr, ptr %new.d",
        "  br label %compute",
        "failed:",
        "  ret ptr null",
        "out:",
        *_argument(n, port, _WRITEABLE),
        *_disjoint(n, program),
        "  br label %compute",
        "compute:",
        f"  %result = phi ptr [ %new, %ready ], [ %arg{n}, %apart{n}.{n - 1} ]",
        f"  %target = phi ptr [ %new.data, %ready ], [ %data{n}, %apart{n}.{n - 1} ]",
    ]
    operands = [f"ptr %data{k}, i64 {8 * p.size}" for k, p in enumerate(program.inputs)]
    operands.append(f"ptr %target, i64 {8 * port.size}")
    lines.append(f"  call void @block({', '.join(operands)})")
    lines += _check_result("discard") if checks_result else ["  br label %return"]
    lines += [
        "discard:",  # an array made here has no other owner
        "  br i1 %fresh, label %release, label %fallback",
        "release:",
        "  call void @rk_release(ptr %result)",
        "  br label %fallback",
        "return:",
        "  br i1 %fresh, label %finish, label %share",
        "share:",
        "  %count = load i64, ptr %result",
        "  %more = add i64 %count, 1",
        "  store i64 %more, ptr %result",
        "  br label %finish",
        "finish:",
        "  ret ptr %result",
        "fallback:",
        "  %other = call ptr @rk_vectorcall(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)",
        "  ret ptr %other",
        "}",
    ]
    return "\n".join(lines)


def fill_function(program: Program, checks_result: bool) -> str:
    """Definition of @fill for several outputs: they follow the inputs as arguments; the first is returned."""
    ports, n = (*program.inputs, *program.outputs), len(program.inputs)
    lines = [DECLARATIONS, _check_array()]
    lines += [_shape_constant(f"@shape{k}", port) for k, port in enumerate(ports)]
    lines += [
        "define ptr @fill(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) {",
        "entry:",
        f"  %enough = icmp eq i64 %nargs, {len(ports)}",
        "  %plain = icmp eq ptr %kwnames, null",
        "  %fits = and i1 %enough, %plain",
        "  br i1 %fits, label %inputs, label %fallback",
        "inputs:",
    ]
    for k, port in enumerate(ports):
        lines += _argument(k, port, 0 if k < n else _WRITEABLE)
        lines += _disjoint(k, program) if k >= n else []
    operands = ", ".join(f"ptr %data{k}, i64 {8 * port.size}" for k, port in enumerate(ports))
    lines += [
        f"  call void @block({operands})",
        f"  %target = getelementptr i8, ptr %data{n}, i64 0",
        *(_check_result("fallback") if checks_result else ["  br label %return"]),
        "return:",
        f"  %count = load i64, ptr %arg{n}",
        "  %more = add i64 %count, 1",
        f"  store i64 %more, ptr %arg{n}",
        f"  ret ptr %arg{n}",
        "fallback:",
        "  %other = call ptr @rk_vectorcall(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)",
        "  ret ptr %other",
        "}",
    ]
    return "\n".join(lines)


def plain_function(program: Program) -> str:
    """Definition of @function(ptr inputs ..., ptr outputs ...): what other native code calls."""
    ports = (*program.inputs, *program.outputs)
    operands = ", ".join(f"ptr %x{k}, i64 {8 * port.size}" for k, port in enumerate(ports) if port.size)
    head = ", ".join(f"ptr %x{k}" for k in range(len(ports)))
    return "\n".join(
        [f"define void @function({head}) {{", f"  call void @block({operands})", "  ret void", "}"]
    )


def _argument(k: int, port: Port, flags: int) -> list[str]:
    return [
        f"  %arg{k}.p = getelementptr ptr, ptr %args, i64 {k}",
        f"  %arg{k} = load ptr, ptr %arg{k}.p",
        f"  %data{k} = call ptr @check(ptr %arg{k}, i32 {len(port.shape)}, ptr @shape{k}, "
        f"i32 {_ALIGNED | flags})",
        f"  %null{k} = icmp eq ptr %data{k}, null",
        f"  br i1 %null{k}, label %fallback, label %good{k}",
        f"good{k}:",
    ]


def _disjoint(k: int, program: Program) -> list[str]:
    """The output must not overlap an input: results are stored before all inputs are read."""
    ports = (*program.inputs, *program.outputs)
    lines = [f"  %end{k} = getelementptr double, ptr %data{k}, i64 {ports[k].size}"]
    for i, port in enumerate(program.inputs):
        lines += [
            f"  %in_end{k}.{i} = getelementptr double, ptr %data{i}, i64 {port.size}",
            f"  %after{k}.{i} = icmp uge ptr %data{k}, %in_end{k}.{i}",
            f"  %before{k}.{i} = icmp ule ptr %end{k}, %data{i}",
            f"  %free{k}.{i} = or i1 %after{k}.{i}, %before{k}.{i}",
            f"  br i1 %free{k}.{i}, label %apart{k}.{i}, label %fallback",
            f"apart{k}.{i}:",
        ]
    return lines


def _check_result(bad: str) -> list[str]:
    """Branch to `bad`, which warns, if the state is NaN: then all its outputs are, so one is tested."""
    return [
        "  %number = load double, ptr %target",
        "  %sane = fcmp ord double %number, 0.0",
        f"  br i1 %sane, label %return, label %{bad}",
    ]


def _shape_constant(name: str, port: Port) -> str:
    sizes = ", ".join(f"i64 {size}" for size in port.shape) or "i64 0"
    return f"{name} = internal constant [{max(len(port.shape), 1)} x i64] [{sizes}]"


def _check_array() -> str:
    """@check: the data pointer of an array that fits, or null."""
    return f"""
define internal ptr @check(ptr %a, i32 %nd, ptr %shape, i32 %flags) alwaysinline {{
entry:
  %type.p = getelementptr i8, ptr %a, i64 {_TYPE}
  %type = load ptr, ptr %type.p
  %array = icmp eq ptr %type, @rk_array_type
  br i1 %array, label %look, label %no
look:
  %descr.p = getelementptr i8, ptr %a, i64 {_DESCR}
  %descr = load ptr, ptr %descr.p
  %double = icmp eq ptr %descr, @rk_double_descr
  %nd.p = getelementptr i8, ptr %a, i64 {_ND}
  %own = load i32, ptr %nd.p
  %same = icmp eq i32 %own, %nd
  %flags.p = getelementptr i8, ptr %a, i64 {_FLAGS}
  %has = load i32, ptr %flags.p
  %wanted = or i32 %flags, 1
  %common = and i32 %has, %wanted
  %fits = icmp eq i32 %common, %wanted
  %x = and i1 %double, %same
  %y = and i1 %x, %fits
  br i1 %y, label %sizes, label %no
sizes:
  %dims.p = getelementptr i8, ptr %a, i64 {_DIMENSIONS}
  %dims = load ptr, ptr %dims.p
  br label %loop
loop:
  %i = phi i32 [ 0, %sizes ], [ %next, %equal ]
  %more = icmp slt i32 %i, %nd
  br i1 %more, label %compare, label %yes
compare:
  %p = getelementptr i64, ptr %dims, i32 %i
  %w = getelementptr i64, ptr %shape, i32 %i
  %size = load i64, ptr %p
  %want = load i64, ptr %w
  %good = icmp eq i64 %size, %want
  br i1 %good, label %equal, label %no
equal:
  %next = add i32 %i, 1
  br label %loop
yes:
  %data.p = getelementptr i8, ptr %a, i64 {_DATA}
  %data = load ptr, ptr %data.p
  ret ptr %data
no:
  ret ptr null
}}"""
