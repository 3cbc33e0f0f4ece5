"""Linear systems of any size as LLVM text: LU with partial pivoting, real and complex, and their solution.

    void factor(i64 n, ptr A, ptr B, ptr pivots)            A + i B (row by row) becomes L and U in row
    void solve(i64 n, ptr A, ptr B, ptr pivots, ptr x, ptr y)       x + i y becomes the solution

A real system has null for B and y. A pivot of zero gives a solution that is not finite, which callers check.
"""

from rikigaku.integrators.llvm_writer import Array, Value, Writer


class _System:
    """The matrix behind the pointers, and complex numbers as pairs."""

    def __init__(self, complex: bool) -> None:
        self.w = w = Writer()
        self.complex = complex
        self.n = Value(w, "i64", "%n")
        self.parts = [Array(w, "%A"), *([Array(w, "%B")] if complex else [])]
        self.pivots = Array(w, "%pivots", "i64")

    def get(self, arrays: list[Array], i: Value) -> list[Value]:
        return [x[i] for x in arrays]

    def put(self, arrays: list[Array], i: Value, value: list[Value]) -> None:
        for x, v in zip(arrays, value, strict=True):
            x[i] = v

    def size(self, x: list[Value]) -> Value:
        """|re| + |im|, by which pivots are compared."""
        total = self.w.abs(x[0])
        return total if len(x) == 1 else total + self.w.abs(x[1])

    def product(self, x: list[Value], y: list[Value]) -> list[Value]:
        if len(x) == 1:
            return [x[0] * y[0]]
        return [x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]]

    def quotient(self, x: list[Value], y: list[Value]) -> list[Value]:
        if len(x) == 1:
            return [x[0] / y[0]]
        square = y[0] * y[0] + y[1] * y[1]
        return [(x[0] * y[0] + x[1] * y[1]) / square, (x[1] * y[0] - x[0] * y[1]) / square]

    def swap(self, arrays: list[Array], i: Value, j: Value) -> None:
        a, b = self.get(arrays, i), self.get(arrays, j)
        self.put(arrays, i, b)
        self.put(arrays, j, a)

    def reduce(self, arrays: list[Array], i: Value, factor: list[Value], by: list[Value]) -> None:
        """arrays[i] -= factor * by."""
        old, less = self.get(arrays, i), self.product(factor, by)
        self.put(arrays, i, [x - y for x, y in zip(old, less, strict=True)])

    def reduce_row(self, x: list[Array], i: Value, first: Value, end: Value) -> None:
        """x[i] -= the sum of A[i, j] x[j], j from first to end - 1."""
        w, n = self.w, self.n
        if self.complex:
            with w.loop(end, first) as j:
                self.reduce(x, i, self.get(self.parts, i * n + j), self.get(x, j))
        else:
            x[0][i] = x[0][i] - w.dot(end - first, self.parts[0].at(i * n + first), x[0].at(first))

    def factor(self) -> str:
        w, n = self.w, self.n
        with w.loop(n) as k:
            best, row = w.cell(-1.0), w.cell(k, "i64")
            with w.loop(n, k) as i:
                size = self.size(self.get(self.parts, i * n + k))
                with w.when(size > best.value):
                    best.value, row.value = size, i
            self.pivots[k] = row.value
            p = row.value
            with w.when(~p.equals(k)), w.loop(n) as j:
                self.swap(self.parts, k * n + j, p * n + j)
            pivot = self.get(self.parts, k * n + k)
            with w.loop(n, k + 1) as i:
                m = self.quotient(self.get(self.parts, i * n + k), pivot)
                self.put(self.parts, i * n + k, m)
                if self.complex:
                    with w.loop(n, k + 1) as j:
                        self.reduce(self.parts, i * n + j, m, self.get(self.parts, k * n + j))
                else:
                    A = self.parts[0]
                    with w.when(~m[0].equals(0.0)):
                        w.add_multiple(A.at(i * n + k + 1), n - 1 - k, 0.0 - m[0], A.at(k * n + k + 1))
        w.line("ret void")
        return w.function(f"define void @{self.name('factor')}(i64 %n, ptr %A, ptr %B, ptr %pivots)")

    def solve(self) -> str:
        w, n = self.w, self.n
        x = [Array(w, "%x"), *([Array(w, "%y")] if self.complex else [])]
        with w.loop(n) as k:
            self.swap(x, k, self.pivots[k])
        with w.loop(n) as i:
            self.reduce_row(x, i, w.value(0, "i64"), i)
        with w.loop(n) as back:
            i = n - 1 - back
            self.reduce_row(x, i, i + 1, n)
            self.put(x, i, self.quotient(self.get(x, i), self.get(self.parts, i * n + i)))
        w.line("ret void")
        head = f"define void @{self.name('solve')}(i64 %n, ptr %A, ptr %B, ptr %pivots, ptr %x, ptr %y)"
        return w.function(head)

    def name(self, what: str) -> str:
        return f"{what}_complex" if self.complex else f"{what}_real"


def linear_text() -> str:
    """factor_real, solve_real, factor_complex, solve_complex."""
    return "\n".join([_System(kind).factor() + "\n" + _System(kind).solve() for kind in (False, True)])
