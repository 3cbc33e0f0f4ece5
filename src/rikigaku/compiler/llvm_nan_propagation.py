"""NaN propagation: fill the outputs of a state that is not finite with NaN, as LLVM text."""

from rikigaku.compiler.llvm_text import Vector
from rikigaku.numbers.program import Program


def divides(program: Program) -> bool:
    """Whether a finite state can have a result that is not finite."""
    bodies = {node.value for node in program.nodes if node.op == "call"}
    return any(node.op in ("div", "sqrt") for node in program.nodes) or any(map(divides, bodies))


def fill_nan(t: Vector) -> str:
    """Definition of @fill_nan: NaN in all elements of an output, if the state is bad."""
    return f"""
define internal void @fill_nan(ptr %out, i64 %size, i1 %bad) noinline cold {{
entry:
  br i1 %bad, label %loop, label %done
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i64 %i, %size
  br i1 %more, label %body, label %done
body:
  %p = getelementptr {t.scalar}, ptr %out, i64 %i
  store {t.scalar} {t.number(float("nan"))}, ptr %p, align {t.size}
  %next = add i64 %i, 1
  br label %loop
done:
  ret void
}}
!0 = !{{!"branch_weights", i32 1, i32 100000}}
"""
