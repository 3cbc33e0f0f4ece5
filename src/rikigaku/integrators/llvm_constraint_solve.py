"""Linear solves of constrained motion with sparse factors M = L^T D L, as LLVM text.

Y = L^-T J^T of the active constraints, Cholesky factors of the Delassus matrix W = Y^T D^-1 Y, Householder
reflections where forces act along other directions than J, or constraints are redundant [Golub2013].
"""

from rikigaku.integrators.llvm_contact_memory import BlockFunction, Slot
from rikigaku.integrators.llvm_writer import Array, Value

_DEPENDENT = 1e-13  # smallest accepted pivot of W, relative to the diagonal element it comes from
_SINGULAR = 1e-24  # square of the smallest pivot of a reflection, relative to the sum of squares


def _constraints_in_Y() -> str:
    """Y = L^-T J^T of some constraints."""
    f = BlockFunction()
    w, x, columns = f.w, f.reals(Slot.X), f.wholes(Slot.COLUMNS)
    J, Y = f.reals(Slot.J), f.reals(Slot.Y)
    with w.loop(Value(w, "i64", "%count")) as k:
        first, count = f.pattern(Array(w, "%rows", "i64")[k])
        with w.loop(count) as a:
            x[columns[first + a]] = J[first + a]
        with w.loop(count) as a:
            i = columns[first + a]
            own = x[i]
            Y[first + a] = own
            with f.ancestors(i) as (j, L):
                x[j] = x[j] - L * own
    return f.text("constraints_in_Y", ", ptr %rows, i64 %count")


def _half_force() -> str:
    """x becomes L^-T x."""
    f = BlockFunction()
    w, x, order = f.w, Array(f.w, "%x"), f.wholes(Slot.ORDER)
    with w.loop(f[Slot.NV]) as k:
        i = order[k]
        own = x[i]
        with f.ancestors(i) as (j, L):
            x[j] = x[j] - L * own
    return f.text("half_force", ", ptr %x")


def _substitute() -> str:
    """x becomes L^-1 D^-1 x."""
    f = BlockFunction()
    w, x, order, n = f.w, Array(f.w, "%x"), f.wholes(Slot.ORDER), f[Slot.NV]
    inverse = f.reals(Slot.INVERSE_D)
    with w.loop(n) as k:
        i = order[n - 1 - k]
        total = w.cell(x[i] * inverse[i])
        with f.ancestors(i) as (j, L):
            total.value = total.value - L * x[j]
        x[i] = total.value
    return f.text("substitute", ", ptr %x")


def _cholesky() -> str:
    """Solve W x = b of some constraints in place, by Cholesky factors.

    A constraint that depends on those before it gets NaN; with `skip`, no force.
    """
    f = BlockFunction()
    w = f.w
    n, rows, b = Value(w, "i64", "%count"), Array(w, "%rows", "i64"), Array(w, "%b")
    C, inverse, Y = f.reals(Slot.DELASSUS), f.reals(Slot.DIAGONAL), f.reals(Slot.Y)
    skip = Value(w, "i64", "%skip")
    with w.loop(n) as i:
        own = C.at(i * n)
        x = f.scaled(rows[i])
        with w.loop(i + 1) as j:
            own[j] = f.gathered(rows[j], Y, x)
        f.cleared(rows[i])
        size = own[i]
        with w.loop(i) as j:
            other = C.at(j * n)
            own[j] = (own[j] - f.dot(j, own, other)) * inverse[j]
        d = size - f.dot(i, own, own)
        good = d > _DEPENDENT * size
        bad = w.select(skip > 0, 0.0, w.value(float("nan"), "double"))
        inverse[i] = w.select(good, 1.0 / w.sqrt(d), bad)
        b[i] = (b[i] - f.dot(i, own, b)) * inverse[i]
    with w.loop(n) as back:
        i = n - 1 - back
        own = C.at(i * n)
        x_i = b[i] * inverse[i]
        b[i] = x_i
        w.add_multiple(b, i, 0.0 - x_i, own)
    return f.text("cholesky", ", ptr %rows, i64 %count, ptr %b, i64 %skip")


class _Reflections(BlockFunction):
    """Householder reflections of the matrix (constraint by constraint, each a column of `length`)."""

    def __init__(self) -> None:
        super().__init__()
        self.n = self[Slot.INDEPENDENT]
        self.length = self.n + self[Slot.REDUNDANT]
        self.A, self.pivots = self.reals(Slot.DELASSUS), self.reals(Slot.DIAGONAL)
        self.scales = self.reals(Slot.SCALES)

    def reflect(self, k: Value, y: Array) -> None:
        """Reflect y by the reflection of column k."""
        u, count = self.A.at(k * self.length + k), self.length - k
        tail = y.at(k)
        s = self.dot(count, u, tail) * self.scales[k]
        self.w.add_multiple(tail, count, 0.0 - s, u)

    def factor(self) -> None:
        w, n, length = self.w, self.n, self.length
        size = self.dot(n * length, self.A, self.A)
        with w.loop(n) as k:
            u = self.A.at(k * length + k)
            squared = self.dot(length - k, u, u)
            root = w.sqrt(w.select(squared < _SINGULAR * size, -1.0, squared))
            first = u[0]
            pivot = w.select(first < 0.0, root, 0.0 - root)
            self.pivots[k] = pivot
            u[0] = first - pivot
            self.scales[k] = -1.0 / (pivot * (first - pivot))
            with w.loop(n, k + 1) as c:
                self.reflect(k, self.A.at(c * length))

    def solve_transposed(self, b: Array, z: Array) -> None:
        """z: the minimum-norm solution of A^T z = b."""
        w, n, length = self.w, self.n, self.length
        with w.loop(length, n) as i:
            z[i] = 0.0
        with w.loop(n) as k:
            z[k] = (b[k] - self.dot(k, self.A.at(k * length), z)) / self.pivots[k]
        with w.loop(n) as back:
            self.reflect(n - 1 - back, z)

    def solve(self, c: Array) -> None:
        """c becomes (its first n elements) the least-squares solution of A x = c."""
        w, n, length = self.w, self.n, self.length
        with w.loop(n) as k:
            self.reflect(k, c)
        with w.loop(n) as back:
            k = n - 1 - back
            total = w.cell(c[k])
            with w.loop(n, k + 1) as j:
                total.value = total.value - self.A[j * length + k] * c[j]
            c[k] = total.value / self.pivots[k]


def _reflections() -> str:
    """Solve for STEP (n + r) from RIGHT_HAND_SIDE (n): the forces nearest to the reference; then CARRIED."""
    f = _Reflections()
    w, n, length = f.w, f.n, f.length
    active, Z, A = f.wholes(Slot.ACTIVE), f.reals(Slot.Z), f.A
    right, step, near = f.reals(Slot.RIGHT_HAND_SIDE), f.reals(Slot.STEP), f.reals(Slot.REFERENCE)
    with w.loop(n) as c:
        x, column = f.scaled(active[c]), A.at(c * length)
        with w.loop(length) as i:
            column[i] = f.gathered(active[i], Z, x)
        f.cleared(active[c])
        right[c] = right[c] - f.dot(length, column, near)
    f.factor()
    f.solve_transposed(right, step)
    unloaded = f[Slot.UNLOADED_COUNT]
    with w.when(unloaded > 0):
        weights, carried = f.reals(Slot.RIGHT_HAND_SIDE), f.reals(Slot.CARRIED)
        f.copy(step, weights, length)
        f.solve(weights)
        f.fill(carried, unloaded)
        contacts, rows = f.wholes(Slot.UNLOADED), f.wholes(Slot.CONTACT_ROWS)
        with w.loop(n) as c:
            x = f.scaled(active[c])
            with w.loop(unloaded) as k:
                value = f.gathered(rows[contacts[k]], Z, x)
                carried[k] = carried[k] + weights[c] * value
            f.cleared(active[c])
    with w.loop(length) as i:
        step[i] = step[i] + near[i]
    return f.text("reflections", "")


def solve_text() -> str:
    """@constraints_in_Y, @half_force, @substitute, @cholesky, @reflections."""
    return "\n".join([_constraints_in_Y(), _half_force(), _substitute(), _cholesky(), _reflections()])
