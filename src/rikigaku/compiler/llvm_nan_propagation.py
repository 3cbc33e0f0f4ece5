"""NaN propagation: fill the outputs of a state that is not finite with NaN, as LLVM text."""

from rikigaku.compiler.llvm_text import number
from rikigaku.numbers.program import Program


def divides(program: Program) -> bool:
    """Whether a finite state can have a result that is not finite."""
    bodies = {node.value for node in program.nodes if node.op == "call"}
    return any(node.op in ("div", "sqrt") for node in program.nodes) or any(map(divides, bodies))


FILL_NAN = f"""
define internal void @fill_nan(ptr %out, i64 %size, i1 %bad) noinline cold {{
entry:
  br i1 %bad, label %loop, label %done
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i64 %i, %size
  br i1 %more, label %body, label %done
body:
  %p = getelementptr double, ptr %out, i64 %i
  store double {number(float("nan"))}, ptr %p, align 8
  %next = add i64 %i, 1
  br label %loop
done:
  ret void
}}
!0 = !{{!"branch_weights", i32 1, i32 100000}}
"""
