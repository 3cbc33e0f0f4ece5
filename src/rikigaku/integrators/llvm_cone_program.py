"""Interior-point method for small second-order cone programs, as LLVM text.

    void minimize(count, n, h, G, P, c, x, work, exact)

Minimize x.P x / 2 + c.x subject to |(u_1, u_2)| <= u_0 in every cone, u = h + G x, from a strictly feasible
x.
Primal-dual method with Mehrotra's predictor-corrector steps in the Nesterov-Todd scaling; it ends where the
optimality conditions are no longer improved.
Reference: L. Vandenberghe, The CVXOPT linear and quadratic cone program solvers (2010), sections 4 to 7.
"""

from rikigaku.integrators.llvm_writer import Array, Cell, Value, Writer

_ITERATIONS = 60
_PATIENCE = 8  # iterations without a better point
_SIZES = {  # of the working memory: (doubles a cone, a cone and variable, a variable, a square of variables)
    "s": (3, 0, 0, 0),
    "z": (3, 0, 0, 0),
    "scaled": (3, 0, 0, 0),  # W z = W^-1 s
    "W": (9, 0, 0, 0),
    "V": (9, 0, 0, 0),  # W^-1
    "right": (3, 0, 0, 0),
    "quotient": (3, 0, 0, 0),
    "primal": (3, 0, 0, 0),
    "ds": (3, 0, 0, 0),
    "dz": (3, 0, 0, 0),
    "VG": (0, 3, 0, 0),
    "H": (0, 0, 0, 1),
    "x": (0, 0, 1, 0),
    "dx": (0, 0, 1, 0),
    "dual": (0, 0, 1, 0),
}
Three = list[Value]


def cone_program_memory(count: int, n: int) -> int:
    """Doubles of working memory."""
    return sum(a * count + b * count * n + c * n + d * n * n for a, b, c, d in _SIZES.values())


def _inner(a: Three, b: Three) -> Value:
    """a_0 b_0 - a_1 b_1 - a_2 b_2."""
    return a[0] * b[0] - a[1] * b[1] - a[2] * b[2]


def _euclidean(a: Three, b: Three) -> Value:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _product(a: Three, b: Three) -> Three:
    """Jordan product a o b."""
    return [_euclidean(a, b), a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]]


def _quotient(a: Three, r: Three) -> Three:
    """b with a o b = r."""
    first = _inner(a, r) / _inner(a, a)
    return [first, (r[1] - first * a[1]) / a[0], (r[2] - first * a[2]) / a[0]]


class _Program:
    def __init__(self) -> None:
        self.w = w = Writer()
        self.count, self.n = Value(w, "i64", "%count"), Value(w, "i64", "%n")
        self.h, self.G, self.P, self.c = (Array(w, f"%{name}") for name in "hGPc")
        work, used = Array(w, "%work"), w.value(0, "i64")
        self.m: dict[str, Array] = {}
        for name, (a, b, c, d) in _SIZES.items():
            self.m[name] = work.at(used)
            used = used + a * self.count + b * self.count * self.n + c * self.n + d * self.n * self.n

    def three(self, name: str, k: Value) -> Three:
        return [self.m[name][3 * k + i] for i in range(3)]

    def put(self, name: str, k: Value, x: Three) -> None:
        for i in range(3):
            self.m[name][3 * k + i] = x[i]

    def times(self, name: str, k: Value, u: Three) -> Three:
        """W u or V u of a cone."""
        A = self.m[name].at(9 * k)
        return [_euclidean([A[3 * i + j] for j in range(3)], u) for i in range(3)]

    def cone(self, k: Value, x: Array) -> Three:
        """G x of a cone."""
        return [self.w.dot(self.n, self.G.at((3 * k + i) * self.n), x) for i in range(3)]

    def residuals(self) -> Value:
        """Fill `dual` and `primal`; the complementarity gap, into the cell, and the largest of all."""
        w, m, n = self.w, self.m, self.n
        off = w.cell(0.0)
        self.gap.value = 0.0
        with w.loop(n) as i:
            m["dual"][i] = self.c[i] + w.dot(n, self.P.at(i * n), m["x"])
        with w.loop(self.count) as k:
            z, s, u = self.three("z", k), self.three("s", k), self.cone(k, m["x"])
            self.put("primal", k, [self.h[3 * k + i] + u[i] - s[i] for i in range(3)])
            self.gap.value = self.gap.value + _euclidean(z, s)
            for c in range(3):
                off.value = w.max(w.abs(m["primal"][3 * k + c]), off.value)
                row = self.G.at((3 * k + c) * n)
                with w.loop(n) as j:
                    m["dual"][j] = m["dual"][j] - row[j] * z[c]
        with w.loop(n) as i:
            off.value = w.max(w.abs(m["dual"][i]), off.value)
        return w.select(self.gap.value > off.value, self.gap.value, off.value + 0.0 * self.gap.value)

    def scaling(self, done: str) -> None:
        """W, V and W z of every cone; s or z on the boundary of its cone ends the search."""
        w = self.w
        with w.loop(self.count) as k:
            s, z = self.three("s", k), self.three("z", k)
            ss, zz = _inner(s, s), _inner(z, z)
            with w.when(~((ss > 0.0) & (zz > 0.0) & (s[0] > 0.0) & (z[0] > 0.0))):
                w.jump(done)
            a, b = [x / w.sqrt(ss) for x in s], [x / w.sqrt(zz) for x in z]
            aligned = 1.0 + _euclidean(a, b)
            length = w.sqrt(2.0 * aligned)
            u = [(a[0] + b[0]) / length, (a[1] - b[1]) / length, (a[2] - b[2]) / length]
            eta = w.sqrt(w.sqrt(ss / zz))
            W, V, below = self.m["W"].at(9 * k), self.m["V"].at(9 * k), 1.0 / (1.0 + u[0])
            for i in range(3):
                for j in range(3):
                    value = u[i + j] if 0 in (i, j) else u[i] * u[j] * below + (1.0 if i == j else 0.0)
                    W[3 * i + j] = value * eta
                    V[3 * i + j] = (value if (i == 0) == (j == 0) else 0.0 - value) / eta
            self.put("scaled", k, self.times("W", k, z))

    def factor(self, done: str) -> None:
        """H = P + G^T V V G and its Cholesky factor, below the diagonal; 1 / pivots on it."""
        w, n, H, VG = self.w, self.n, self.m["H"], self.m["VG"]
        with w.loop(n * n) as i:
            H[i] = self.P[i]
        with w.loop(self.count) as k:
            V = self.m["V"].at(9 * k)
            with w.loop(n) as j:
                g = [self.G[(3 * k + c) * n + j] for c in range(3)]
                for d in range(3):
                    VG[(3 * k + d) * n + j] = _euclidean([V[3 * d + c] for c in range(3)], g)
            with w.loop(3) as i:
                row = VG.at((3 * k + i) * n)
                with w.loop(n) as p:
                    w.add_multiple(H.at(p * n), p + 1, row[p], row)
        trace = w.cell(0.0)
        with w.loop(n) as i:
            trace.value = trace.value + H[i * n + i]
        with w.loop(n) as i:
            own = H.at(i * n)
            with w.loop(i) as j:
                other = H.at(j * n)
                own[j] = (own[j] - w.dot(j, own, other)) * other[j]
            rest = own[i] + 1e-16 * trace.value - w.dot(i, own, own)
            with w.when(~(rest > 0.0)):
                w.jump(done)
            own[i] = 1.0 / w.sqrt(rest)

    def solve(self, b: Array) -> None:
        w, n, H = self.w, self.n, self.m["H"]
        with w.loop(n) as i:
            b[i] = (b[i] - w.dot(i, H.at(i * n), b)) * H[i * n + i]
        with w.loop(n) as back:
            i = n - 1 - back
            x = b[i] * H[i * n + i]
            b[i] = x
            w.add_multiple(b, i, 0.0 - x, H.at(i * n))

    def direction(self) -> None:
        """dx, ds, dz of the linearized optimality conditions with `right` on the right side."""
        w, m, n = self.w, self.m, self.n
        dx = m["dx"]
        with w.loop(n) as i:
            dx[i] = 0.0 - m["dual"][i]
        with w.loop(self.count) as k:
            a = _quotient(self.three("scaled", k), self.three("right", k))
            self.put("quotient", k, a)
            primal = self.times("V", k, self.three("primal", k))
            for c in range(3):
                w.add_multiple(dx, n, a[c] - primal[c], m["VG"].at((3 * k + c) * n))
        self.solve(dx)
        with w.loop(self.count) as k:
            primal, u, a = self.three("primal", k), self.cone(k, dx), self.three("quotient", k)
            ds = [primal[i] + u[i] for i in range(3)]
            self.put("ds", k, ds)
            V = self.times("V", k, ds)
            self.put("dz", k, self.times("V", k, [a[i] - V[i] for i in range(3)]))

    def step_length(self, length: Cell) -> None:
        """Lower `length` to the largest for which s + length ds and z + length dz stay in their cones."""
        w = self.w
        with w.loop(self.count) as k:
            for name in "sz":
                u, du = self.three(name, k), self.three(f"d{name}", k)
                a, b, c = _inner(du, du), _inner(u, du), w.max(_inner(u, u), 0.0)
                under = b * b - a * c
                root = w.sqrt(w.max(under, 0.0))
                far = w.select(b < 0.0, c / (root - b), w.select(a < 0.0, 0.0 - (b + root) / a, 1e300))
                far = w.select(under < 0.0, 1e300, far)
                back = w.select(du[0] < 0.0, 0.0 - u[0] / w.min(du[0], -1e-300), 1e300)
                far = w.select(far >= 0.0, far, 1e300)  # NaN too
                length.value = w.min(w.min(far, back), length.value)

    def text(self) -> str:
        w, m, n, count = self.w, self.m, self.n, self.count
        self.gap = w.cell(0.0)
        best, start, solution = w.cell(1e300), w.cell(1.0), Array(w, "%x")
        misses = w.cell(0, "i64")
        with w.loop(n) as i:
            m["x"][i] = solution[i]
        with w.loop(count) as k:
            u = self.cone(k, m["x"])
            self.put("s", k, [self.h[3 * k + i] + u[i] for i in range(3)])
            for x in self.three("s", k):
                start.value = w.max(w.abs(x), start.value)
        with w.loop(count) as k:
            self.put("z", k, [start.value, w.value(0.0, "double"), w.value(0.0, "double")])
        with w.repeat() as done:
            with w.loop(_ITERATIONS):
                off = self.residuals()
                better = off < best.value
                misses.value = w.select(better, w.value(0, "i64"), misses.value + 1)
                with w.when(~(off < 1e300) | (misses.value > _PATIENCE)):  # rounding only, or NaN
                    w.jump(done)
                with w.when(better):
                    best.value = off
                    with w.loop(n) as i:
                        solution[i] = m["x"][i]
                with w.when(off < Value(w, "double", "%exact")):
                    w.jump(done)
                self.scaling(done)
                self.factor(done)
                with w.loop(count) as k:
                    lam = self.three("scaled", k)
                    self.put("right", k, [0.0 - x for x in _product(lam, lam)])
                self.direction()
                length = w.cell(1.0)
                self.step_length(length)
                rest = 1.0 - length.value
                centring = rest * rest * rest * self.gap.value / w.real(count)
                with w.loop(count) as k:
                    ds, dz = self.three("ds", k), self.three("dz", k)
                    correction = _product(self.times("V", k, ds), self.times("W", k, dz))
                    right = [x - y for x, y in zip(self.three("right", k), correction, strict=True)]
                    self.put("right", k, [right[0] + centring, right[1], right[2]])
                self.direction()
                length.value = 1.0 / 0.99
                self.step_length(length)
                step = w.min(0.99 * length.value, 1.0)
                with w.loop(n) as i:
                    m["x"][i] = m["x"][i] + step * m["dx"][i]
                with w.loop(3 * count) as i:
                    m["s"][i] = m["s"][i] + step * m["ds"][i]
                    m["z"][i] = m["z"][i] + step * m["dz"][i]
            w.jump(done)
        w.line("ret void")
        pointers = ", ".join(f"ptr noalias %{name}" for name in ("h", "G", "P", "c", "x", "work"))
        return w.function(f"define void @minimize(i64 %count, i64 %n, {pointers}, double %exact)")


def cone_program_text() -> str:
    """@minimize."""
    return _Program().text()
