"""Blocks of the friction problem w = W F + w0, and the exact solution of one block, as LLVM text.

A block has a normal row and up to two tangent rows. With u_n = w_n - target:

    UNILATERAL   F_n >= least, u_n >= 0, (F_n - least) u_n = 0;  friction of radius mu F_n
    BILATERAL    u_n = 0;                                        friction of radius mu |F_n|
    LIMITED      friction of radius least + mu |F_n|; F_n, if there is one, belongs to another block

Friction of radius R: |F_t| <= R, and F_t = -R w_t / |w_t| where w_t is not zero (Coulomb's law).
"""

from enum import IntEnum

from rikigaku.integrators.llvm_writer import Array, Cell, Value, Writer

_PROXIMAL = 1e-12  # added to the diagonal of a block, relative to it: blocks of singular matrices are solved
_SECULAR = 60  # largest number of iterations for the multiplier of sliding
_SECULAR_ERROR = 4e-16


class Kind(IntEnum):
    """Kinds of blocks."""

    UNILATERAL = 0
    BILATERAL = 1
    LIMITED = 2


class FrictionProblem:
    """A function (n, stride, W, w0, count, rows, numbers, F, w, work, ...).

    rows: kind, normal, tangent, tangent of each block (-1: none). numbers: mu, target, least of each block.
    """

    ARGUMENTS = (
        "i64 %n, i64 %stride, ptr %W, ptr %w0, i64 %count, ptr %rows, ptr %numbers, ptr %F, ptr %w, ptr %work"
    )

    def __init__(self) -> None:
        self.w = w = Writer()
        self.n, self.stride, self.count = (Value(w, "i64", f"%{x}") for x in ("n", "stride", "count"))
        self.W, self.w0, self.F, self.out = (Array(w, f"%{x}") for x in ("W", "w0", "F", "w"))
        self.rows, self.numbers, self.work = Array(w, "%rows", "i64"), Array(w, "%numbers"), Array(w, "%work")

    def call(self, name: str, *more: Value | Array) -> None:
        own = (self.n, self.stride, self.W, self.w0, self.count, self.rows, self.numbers, self.F, self.out)
        self.w.call(f"@{name}", *own, self.work, *more)

    def text(self, name: str, more: str = "") -> str:
        self.w.line("ret void")
        return self.w.function(f"define internal void @{name}({self.ARGUMENTS}{more})")

    def row(self, i: Value) -> Array:
        """Row i of W."""
        return self.W.at(i * self.stride)

    def dot(self, row: Array, x: Array, start: Value) -> Value:
        return self.w.dot(self.n, row, x, start)


class Block:
    """The data of block k: kind, indices with what exists, numbers, and its elements of W."""

    def __init__(self, problem: FrictionProblem, k: Value) -> None:
        w, rows, numbers = problem.w, problem.rows.at(4 * k), problem.numbers.at(3 * k)
        self.kind = rows[0]
        self.unilateral, self.limited = self.kind.equals(Kind.UNILATERAL), self.kind.equals(Kind.LIMITED)
        indices = [rows[i] for i in (1, 2, 3)]
        self.exists = [i >= 0 for i in indices]
        self.i = [w.select(exists, i, 0) for i, exists in zip(indices, self.exists, strict=True)]
        self.has_normal = self.exists[0] & ~self.limited
        self.owns = [self.has_normal, *self.exists[1:]]
        self.mu, self.target, self.least = (numbers[i] for i in range(3))

    def element(self, problem: FrictionProblem, a: int, b: int) -> Value:
        """W of two rows of the block; of a missing row 1 on the diagonal and 0 elsewhere."""
        own = problem.row(self.i[a])[self.i[b]]
        return problem.w.select(self.owns[a] & self.owns[b], own, 1.0 if a == b else 0.0)

    def force(self, problem: FrictionProblem, a: int) -> Value:
        return problem.w.select(self.exists[a], problem.F[self.i[a]], 0.0)

    def radius(self, w: Writer, normal: Value) -> Value:
        """Largest friction at a normal force."""
        positive = w.select(self.unilateral, w.max(normal, 0.0), w.abs(normal))
        return self.mu * positive + w.select(self.limited, self.least, 0.0)


class _Sliding:
    """Forces of a block whose tangential velocity is -alpha F_t: linear in the forces for a given alpha.

    With F_n eliminated, (S + alpha) F_t = c. The solution sticks for alpha = 0 and is frictionless for
    alpha -> infinity, so that Coulomb's law |F_t| = R has a root in between.
    """

    def __init__(self, problem: FrictionProblem, block: Block, b: list[Value]) -> None:
        self.w, self.block = problem.w, block
        w = self.w
        diagonal = [block.element(problem, a, a) * (1.0 + _PROXIMAL) for a in range(3)]
        self.nn = diagonal[0]
        self.tn = [block.element(problem, a, 0) for a in (1, 2)]
        across = block.element(problem, 1, 2)
        self.b = b
        # at the least normal force, and with the normal force eliminated
        self.open = (diagonal[1], across, diagonal[2])
        self.shut = (
            diagonal[1] - self.tn[0] * self.tn[0] / self.nn,
            across - self.tn[0] * self.tn[1] / self.nn,
            diagonal[2] - self.tn[1] * self.tn[1] / self.nn,
        )
        least = w.select(block.limited, 0.0, block.least)
        self.c_open = [0.0 - b[a + 1] - self.tn[a] * least for a in range(2)]
        self.c_shut = [self.tn[a] * b[0] / self.nn - b[a + 1] for a in range(2)]
        self.scale = diagonal[1] + diagonal[2]
        reference = block.force(problem, 0)
        self.reference = w.select(block.limited, reference, 0.0)
        free = (0.0 - b[0]) / self.nn
        self.frictionless = w.select(block.unilateral, w.max(free, block.least), free)

    def _tangents(self, S: tuple[Value, Value, Value], c: list[Value], alpha: Value) -> list[Value]:
        a, d = S[0] + alpha, S[2] + alpha
        inverse = 1.0 / (a * d - S[1] * S[1])
        return [(d * c[0] - S[1] * c[1]) * inverse, (a * c[1] - S[1] * c[0]) * inverse]

    def at(self, alpha: Value) -> tuple[list[Value], Value, Value]:
        """Forces, g = 1 - R / |F_t|, and its derivative by alpha."""
        w, block = self.w, self.block
        x = self._tangents(self.shut, self.c_shut, alpha)
        normal = (0.0 - self.b[0] - self.tn[0] * x[0] - self.tn[1] * x[1]) / self.nn
        opens = block.unilateral & (normal < block.least) & (block.least > 0.0)
        at_least = self._tangents(self.open, self.c_open, alpha)
        Ft = [w.select(opens, y, z) for y, z in zip(at_least, x, strict=True)]
        Fn = w.select(opens, block.least, normal)
        S = tuple(w.select(opens, y, z) for y, z in zip(self.open, self.shut, strict=True))
        rate = [0.0 - y for y in self._tangents((S[0], S[1], S[2]), Ft, alpha)]
        size = w.sqrt(Ft[0] * Ft[0] + Ft[1] * Ft[1])
        acting = w.select(block.limited, self.reference, Fn)
        R = block.radius(w, acting)
        along = 0.0 - (self.tn[0] * rate[0] + self.tn[1] * rate[1]) / self.nn
        fixed = opens | block.limited | (block.unilateral & (Fn < 0.0))
        signed = w.select(acting < 0.0, 0.0 - along, along)
        R_rate = w.select(fixed, 0.0, block.mu * signed)
        inverse = w.select(size > 0.0, 1.0 / size, 0.0)
        size_rate = (Ft[0] * rate[0] + Ft[1] * rate[1]) * inverse
        g = w.select(size <= R, 0.0 - w.select(size > 0.0, R * inverse - 1.0, 1.0), 1.0 - R * inverse)
        return [Fn, *Ft], g, (R * size_rate * inverse - R_rate) * inverse


def solve_block(problem: FrictionProblem, k: Value) -> None:
    """Forces of block k that satisfy its law while all other forces stay."""
    w, block = problem.w, Block(problem, k)
    F = [block.force(problem, a) for a in range(3)]
    b = []
    for a in range(3):
        row = problem.row(block.i[a])
        total = problem.dot(row, problem.F, problem.w0[block.i[a]])
        own = total
        for c in range(3):
            diagonal = (1.0 + _PROXIMAL) if a == c else 1.0
            own = own - block.element(problem, a, c) * F[c] * diagonal
        b.append(w.select(block.owns[a], own, 0.0))
    b[0] = b[0] - w.select(block.has_normal, block.target, 0.0)
    sliding = _Sliding(problem, block, b)
    found = [w.cell(sliding.frictionless), w.cell(0.0), w.cell(0.0)]
    acting = w.select(block.limited, sliding.reference, sliding.frictionless)
    with w.when(block.radius(w, acting) > 0.0):
        _secular(sliding, found)
    for a in range(3):
        with w.when(block.owns[a]):
            problem.F[block.i[a]] = found[a].value


def _secular(sliding: _Sliding, found: list[Cell]) -> None:
    """The root alpha of |F_t| = R by Newton's method in a bracket; alpha = 0 if the block sticks."""
    w = sliding.w
    alpha, low, high = w.cell(0.0), w.cell(0.0), w.cell(float("inf"))
    tries = w.cell(0, "i64")
    with w.repeat() as done:
        at = alpha.value
        F, g, rate = sliding.at(at)
        for cell, x in zip(found, F, strict=True):
            cell.value = x
        sticks = at.equals(0.0) & (g <= 0.0)
        with w.when(sticks | (w.abs(g) <= _SECULAR_ERROR) | (tries.value >= _SECULAR)):
            w.jump(done)
        with w.when(g > 0.0):
            low.value = at
        with w.when(g <= 0.0):
            high.value = at
        newton = at - g / rate
        wide = high.value.equals(float("inf"))
        middle = w.select(wide, 4.0 * at + sliding.scale, 0.5 * (low.value + high.value))
        inside = (newton > low.value) & (newton < high.value) & (newton <= 1e3 * (at + sliding.scale))
        alpha.value = w.select(inside, newton, middle)
        tries.value = tries.value + 1
