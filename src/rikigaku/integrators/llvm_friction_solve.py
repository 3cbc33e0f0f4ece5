"""Contact complementarity with exact Coulomb friction, of any size, as LLVM text.

    void friction_solve(i64 n, i64 stride, ptr W, ptr w0, i64 count, ptr rows, ptr numbers, ptr F, ptr w,
                        ptr work, double tolerance, i64 sweeps, ptr result)

finds F with w = W F + w0 and the laws of all blocks (`llvm_friction_blocks`), from the F given. result:
residual, its unit, Newton iterations, sweeps, the largest |w0| or target. The unit is the largest sum of
terms |w0| + |W| |F|, at most 1e4 of the largest |w0| or target: the forces of a problem without solution grow
without bound, and relative to their own terms any residual would be rounding.

Semismooth Newton iterations on the projection equations [Alart1991]

    F_n = max(least, F_n - r u_n),      F_t = projection of F_t - r w_t onto the disc of radius R(F_n)

end after a few steps, with the residual at rounding, once the contact modes are right. Otherwise sweeps of
block Gauss-Seidel with exact solutions of each block [Jean1999] continue from the best iterate, and Newton's
method follows again. The law is Coulomb's: sliding does not open contacts, as it does in convex relaxations.

Redundant contacts make W singular. A proximal term rho (F - F_k), F_k the iterate before, selects the forces
nearest to the ones before; it vanishes where the iteration converges, so that the solution is exact.
"""

from rikigaku.integrators.llvm_friction_blocks import Block, FrictionProblem, solve_block
from rikigaku.integrators.llvm_linear_solve import linear_text
from rikigaku.integrators.llvm_writer import Array, Value

_PROXIMAL = 1e-7  # rho, relative to the diagonal of W
_NEWTON = 16  # largest number of Newton iterations in a row
_PATIENCE = 6  # Newton iterations without a smaller residual
_LARGEST_UNIT = 1e4  # relative to the largest |w0| or target
_STALLED = 100.0  # times the tolerance: accepted where Newton's method makes no more progress


RESULT_SIZE = 5


def work_size(n: int) -> int:
    """Size of `work`: A (n, n), a right-hand side, pivots, the best forces, scales."""
    return n * n + 5 * n + 8


class _Solver(FrictionProblem):
    def __init__(self) -> None:
        super().__init__()
        n = self.n
        self.A, x = self.work, self.work.at(n * n)
        self.x, self.best, self.constant = x, x.at(2 * n), x.at(3 * n)
        self.pivots = Array(self.w, x.at(n).pointer, "i64")

    def steps(self, block: Block) -> tuple[Value, Value]:
        """1/r of the normal and of the tangents."""
        w = self.w
        first, second = block.element(self, 1, 1), block.element(self, 2, 2)
        tangents = w.select(block.exists[2], 0.5 * (first + second), first)
        normal = block.element(self, 0, 0)
        return w.select(normal > 0.0, normal, 1.0), w.select(tangents > 0.0, tangents, 1.0)


def _residual() -> str:
    """w = W F + w0; result: residual of the projection equations times 1/r, its unit; result[4]: scale."""
    f = _Solver()
    w, result = f.w, Array(f.w, "%result")
    unit, scale, worst = w.cell(1e-300), w.cell(1e-300), w.cell(0.0)
    with w.loop(f.n) as i:
        row = f.row(i)
        f.out[i] = w.dot(f.n, row, f.F, f.w0[i])
        unit.value = w.max(w.dot(f.n, row, f.F, w.abs(f.w0[i]), absolute=True), unit.value)
        scale.value = w.max(w.abs(f.w0[i]), scale.value)
    with w.loop(f.count) as k:
        block = Block(f, k)
        step_n, step_t = f.steps(block)
        normal = block.force(f, 0)
        u = f.out[block.i[0]] - block.target
        projected = normal - w.max(normal - u / step_n, block.least)
        own = w.select(block.unilateral, w.abs(projected) * step_n, w.abs(u))
        with w.when(block.has_normal):
            worst.value = w.max(own, worst.value)
            unit.value = w.max(w.abs(block.target), unit.value)
            scale.value = w.max(w.abs(block.target), scale.value)
        y, F = [], []
        for a in (1, 2):
            F.append(block.force(f, a))
            y.append(F[-1] - w.select(block.exists[a], f.out[block.i[a]], 0.0) / step_t)
        size = w.sqrt(y[0] * y[0] + y[1] * y[1])
        R = block.radius(w, normal)
        ratio = w.select(size > R, R / size, 1.0)
        for a in range(2):
            worst.value = w.max(w.abs(F[a] - ratio * y[a]) * step_t, worst.value)
    limit = _LARGEST_UNIT * scale.value
    result[0], result[1] = worst.value, w.select(unit.value > limit, limit, unit.value)
    result[4] = scale.value
    return f.text("friction_residual", ", ptr %result")


def _newton() -> str:
    """One Newton step from F and its w: F becomes the solution of the linearised equations.

    Solved for the change of F: rounding is then relative to the change.
    """
    f = _Solver()
    w, n, A, x = f.w, f.n, f.A, f.x
    with w.loop(n) as i:
        f.constant[i] = 1.0
        x[i] = 0.0 - f.F[i]
        with w.loop(n) as j:
            A[i * n + j] = 0.0
        A[i * n + i] = 1.0
    with w.loop(f.count) as k:
        block = Block(f, k)
        step_n, step_t = f.steps(block)
        i = block.i[0]
        normal = block.force(f, 0)
        y = normal - (f.out[i] - block.target) / step_n
        closed = (block.has_normal & ~block.unilateral) | (block.has_normal & (y > block.least))
        with w.when(block.has_normal & ~closed):
            x[i] = block.least - normal
        with w.when(closed):
            _row(f, i, step_n, block.target)
        _tangents(f, block, closed, step_t)
    # constants leave the other equations, so that their columns need no elimination
    with w.loop(n) as j, w.when(f.constant[j] > 0.0), w.loop(n) as i, w.when(f.constant[i].equals(0.0)):
        x[i] = x[i] - A[i * n + j] * x[j]
        A[i * n + j] = 0.0
    w.line(f"call void @factor_real(i64 {n.name}, ptr {A.pointer}, ptr null, ptr {f.pivots.pointer})")
    w.line(
        f"call void @solve_real(i64 {n.name}, ptr {A.pointer}, ptr null, ptr {f.pivots.pointer}, "
        f"ptr {x.pointer}, ptr null)"
    )
    with w.loop(n) as i:
        f.F[i] = f.F[i] + x[i]
    return f.text("friction_newton")


def _row(f: _Solver, i: Value, step: Value, target: Value) -> None:
    """The equation (W F + w0)_i = target, with the proximal term."""
    own = f.A.at(i * f.n)
    row = f.row(i)
    with f.w.loop(f.n) as j:
        own[j] = row[j]
    own[i] = own[i] + _PROXIMAL * step
    f.x[i] = target - f.out[i]
    f.constant[i] = 0.0


def _tangents(f: _Solver, block: Block, closed: Value, step: Value) -> None:
    """Equations of the tangents: w_t = 0, or F_t' = R' d + (R / |y|) (1 - d d^T) (F_t' - r w_t')."""
    w, n = f.w, f.n
    F = [block.force(f, a) for a in (1, 2)]
    motion = [w.select(block.exists[a], f.out[block.i[a]], 0.0) for a in (1, 2)]
    y = [F[a] - motion[a] / step for a in range(2)]
    size = w.sqrt(y[0] * y[0] + y[1] * y[1])
    normal = block.force(f, 0)
    R = block.radius(w, normal)
    least = w.select(block.unilateral, block.least, 0.0)
    loaded = block.limited | closed | (least > 0.0)
    slides = (size > R) | ~loaded
    inverse = w.select(size > 0.0, 1.0 / size, 0.0)
    d = [y[0] * inverse, y[1] * inverse]
    ratio = w.select(slides, R * inverse, 0.0)
    base = w.select(block.limited, block.least, 0.0)
    sign = w.select(~block.unilateral & (normal < 0.0), -1.0, 1.0)
    coupling = w.select(block.exists[0], block.mu * sign, 0.0)
    zero = w.value(0.0, "double")
    for a in (1, 2):
        i = block.i[a]
        with w.when(block.exists[a] & ~slides):
            _row(f, i, step, zero)
        with w.when(block.exists[a] & slides & loaded):
            own = f.A.at(i * n)
            fixed = block.exists[2] | ~coupling.equals(0.0)
            f.constant[i] = w.select(fixed, 0.0, 1.0)
            P = [(1.0 if c == a else 0.0) - d[a - 1] * d[c - 1] for c in (1, 2)]
            P = [w.select(block.exists[2], p, 0.0) for p in P]
            rows = [f.row(block.i[c]) for c in (1, 2)]
            with w.loop(n) as j:
                own[j] = ratio * (P[0] * rows[0][j] + P[1] * rows[1][j])
            own[i] = own[i] + step
            for c in (1, 2):
                own[block.i[c]] = own[block.i[c]] - w.select(block.exists[c], step * ratio * P[c - 1], 0.0)
            own[block.i[0]] = own[block.i[0]] - step * coupling * d[a - 1]
            across = [step * F[c] - motion[c] for c in range(2)]
            rotated = ratio * (P[0] * across[0] + P[1] * across[1])
            size = base + coupling * normal
            f.x[i] = step * (size * d[a - 1] - F[a - 1]) + rotated
            with w.when(~fixed):
                own[i] = 1.0
                f.x[i] = size * d[a - 1] - F[a - 1]


def _solve() -> str:
    f = _Solver()
    w, n = f.w, f.n
    tolerance, sweeps, result = (
        Value(w, "double", "%tolerance"),
        Value(w, "i64", "%sweeps"),
        Array(w, "%result"),
    )
    best, best_unit = w.cell(float("inf")), w.cell(1.0)
    newtons, done_sweeps, batch = w.cell(0, "i64"), w.cell(0, "i64"), w.cell(5, "i64")
    cold, last_is_best = w.cell(1, "i64"), w.cell(0, "i64")
    with w.loop(n) as i, w.when(~f.F[i].equals(0.0)):
        cold.value = 0

    def measure() -> Value:
        """The residual of F, whether it is the best; the best F is kept."""
        f.call("friction_residual", result)
        better = result[0] / result[1] < best.value / best_unit.value
        last_is_best.value = w.select(better, w.value(1, "i64"), 0)
        with w.when(better):
            best.value, best_unit.value = result[0], result[1]
            with w.loop(n) as i:
                f.best[i] = f.F[i]
        return better

    def good(factor: float = 1.0) -> Value:
        return best.value <= factor * tolerance * best_unit.value

    measure()
    with w.repeat() as end:
        with w.when(good() | best.value.equals(float("inf"))):  # solved, or not finite from the start
            w.jump(end)
        with w.when(cold.value.equals(0)):
            patience = w.cell(0, "i64")
            with w.loop(_NEWTON) as _, w.when(patience.value < _PATIENCE):
                f.call("friction_newton")
                newtons.value = newtons.value + 1
                better = measure()
                patience.value = w.select(better, 0, patience.value + 1)
                with w.when(good() | ~(result[0] < float("inf"))):
                    patience.value = _PATIENCE
            with w.loop(n) as i:
                f.F[i] = f.best[i]
        with w.when(good(_STALLED) | (done_sweeps.value >= sweeps)):
            w.jump(end)
        with w.loop(batch.value) as _, w.loop(f.count) as k:
            solve_block(f, k)
        done_sweeps.value = done_sweeps.value + batch.value
        batch.value = 2 * batch.value
        cold.value = 0
        measure()
    with w.when(last_is_best.value.equals(0)):
        with w.loop(n) as i:
            f.F[i] = f.best[i]
        f.call("friction_residual", result)
    result[2], result[3] = w.real(newtons.value), w.real(done_sweeps.value)
    w.line("ret void")
    head = f"define void @friction_solve({f.ARGUMENTS}, double %tolerance, i64 %sweeps, ptr %result)"
    return w.function(head)


def friction_text() -> str:
    """@friction_solve and its parts; without the declarations of LLVM's functions."""
    return "\n".join([linear_text(), _residual(), _newton(), _solve()])
