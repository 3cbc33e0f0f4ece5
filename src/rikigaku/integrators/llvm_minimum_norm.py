"""Rank-revealing factorization and minimum-norm solution of small dense systems, as LLVM text.

    i64 minimum_norm(m, n, A, b, x, basis, order, work, tolerance)

Householder reflections with row pivoting, P A = L Q^T [Golub2013]: rows of A are reflected one after the
other, each time the largest of those left, until these are below the tolerance. The result is the rank r;
x = Q L^-1 b solves the r rows in `order`; the rows of `basis` are the n - r columns of Q orthogonal to them.

    i64 independent_rows(n, count, groups, W, rows, starts, kept, work, tolerance)

A maximal independent set of rows of the positive semidefinite W, by a Cholesky factorization with pivoting:
of each group of rows (`rows` from starts[i] to starts[i + 1]) those that the groups before leave, each time
the row of which the largest part is left.
"""

from rikigaku.integrators.llvm_writer import Array, Value, Writer


class _Reflections:
    """The rows of A behind the pointers; row k keeps its reflection from element k on."""

    def __init__(self) -> None:
        self.w = w = Writer()
        self.m, self.n = Value(w, "i64", "%m"), Value(w, "i64", "%n")
        self.A, self.order = Array(w, "%A"), Array(w, "%order", "i64")
        work = Array(w, "%work")
        self.pivots, self.scales, self.norms = work, work.at(self.n), work.at(2 * self.n)

    def row(self, i: Value) -> Array:
        return self.A.at(i * self.n)

    def reflect(self, k: Value, y: Array) -> None:
        """Reflect y by the reflection of row k."""
        w, count = self.w, self.n - k
        u, tail = self.row(k).at(k), y.at(k)
        s = w.dot(count, u, tail) * self.scales[k]
        w.add_multiple(tail, count, 0.0 - s, u)

    def factor(self) -> Value:
        """The rank."""
        w, m, n = self.w, self.m, self.n
        tolerance = Value(w, "double", "%tolerance")
        rank, first = w.cell(0, "i64"), w.cell(0.0)
        with w.loop(m) as i:
            self.order[i] = i
        with w.repeat() as done:
            k = rank.value
            with w.when((k >= m) | (k >= n)):
                w.jump(done)
            best, place = w.cell(-1.0), w.cell(k, "i64")
            with w.loop(m, k) as i:
                tail = self.row(i).at(k)
                size = w.dot(n - k, tail, tail)
                with w.when(size > best.value):
                    best.value, place.value = size, i
            with w.when(k.equals(0)):
                first.value = best.value
            with w.when(~(best.value > tolerance * tolerance * first.value)):
                w.jump(done)
            self._swap(k, place.value)
            u = self.row(k).at(k)
            root, head = w.sqrt(best.value), u[0]
            pivot = w.select(head < 0.0, root, 0.0 - root)
            self.pivots[k] = pivot
            u[0] = head - pivot
            self.scales[k] = -1.0 / (pivot * (head - pivot))
            with w.loop(m, k + 1) as i:
                self.reflect(k, self.row(i))
            rank.value = k + 1
        return rank.value

    def _swap(self, i: Value, j: Value) -> None:
        w, a, b = self.w, self.row(i), self.row(j)
        with w.loop(self.n) as k:
            x, y = a[k], b[k]
            a[k], b[k] = y, x
        p, q = self.order[i], self.order[j]
        self.order[i], self.order[j] = q, p

    def back(self, rank: Value, y: Array) -> None:
        """y becomes Q y."""
        with self.w.loop(rank) as k:
            self.reflect(rank - 1 - k, y)

    def text(self) -> str:
        w, n = self.w, self.n
        b, x, basis = Array(w, "%b"), Array(w, "%x"), Array(w, "%basis")
        rank = self.factor()
        with w.loop(n) as i:
            x[i] = 0.0
        with w.loop(rank) as k:
            x[k] = (b[self.order[k]] - w.dot(k, self.row(k), x)) / self.pivots[k]
        self.back(rank, x)
        with w.loop(n - rank) as j:
            own = basis.at(j * n)
            with w.loop(n) as i:
                own[i] = 0.0
            own[rank + j] = 1.0
            self.back(rank, own)
        w.leave(rank)
        pointers = ", ".join(f"ptr noalias %{name}" for name in ("A", "b", "x", "basis", "order", "work"))
        return w.function(f"define i64 @minimum_norm(i64 %m, i64 %n, {pointers}, double %tolerance)")


def _independent_rows() -> str:
    w = Writer()
    n, count, groups = (Value(w, "i64", f"%{name}") for name in ("n", "count", "groups"))
    W, work, tolerance = Array(w, "%W"), Array(w, "%work"), Value(w, "double", "%tolerance")
    rows, starts, kept = (Array(w, f"%{name}", "i64") for name in ("rows", "starts", "kept"))
    rest, L = work, work.at(count)  # what the rows kept leave of the diagonal; column k of L at k * count
    found = w.cell(0, "i64")
    with w.loop(count) as i:
        rest[i] = W[rows[i] * n + rows[i]]
    with w.loop(groups) as group, w.repeat() as done:
        best, place = w.cell(tolerance), w.cell(-1, "i64")
        with w.loop(starts[group + 1], starts[group]) as i:
            part = rest[i] / W[rows[i] * n + rows[i]]
            with w.when(part > best.value):
                best.value, place.value = part, i
        with w.when(place.value < 0):
            w.jump(done)
        p, k = place.value, found.value
        kept[k] = rows[p]
        found.value = k + 1
        pivot, column = w.sqrt(rest[p]), L.at(k * count)
        with w.loop(count) as i:
            total = w.cell(W[rows[p] * n + rows[i]])
            with w.loop(k) as j:
                total.value = total.value - L[j * count + i] * L[j * count + p]
            column[i] = total.value / pivot
            rest[i] = rest[i] - column[i] * column[i]
        rest[p] = 0.0
    w.leave(found.value)
    pointers = ", ".join(f"ptr noalias %{name}" for name in ("W", "rows", "starts", "kept", "work"))
    head = f"i64 %n, i64 %count, i64 %groups, {pointers}, double %tolerance"
    return w.function(f"define i64 @independent_rows({head})")


def minimum_norm_text() -> str:
    """@minimum_norm and @independent_rows."""
    return "\n".join([_Reflections().text(), _independent_rows()])
