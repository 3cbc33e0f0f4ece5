"""Three-vectors and 3x3 matrices as tuples of numbers of any kind."""

from collections.abc import Sequence

from rikigaku.numbers.number_kind import Number

Vector = tuple[Number, Number, Number]
Matrix = tuple[Vector, Vector, Vector]  # rows

ZERO: Vector = (0, 0, 0)
IDENTITY: Matrix = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def add(a: Vector, b: Vector) -> Vector:
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a: Vector, b: Vector) -> Vector:
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def neg(a: Vector) -> Vector:
    """-a."""
    return (-a[0], -a[1], -a[2])


def scale(s: Number, a: Vector) -> Vector:
    """s a."""
    return (s * a[0], s * a[1], s * a[2])


def dot(a: Sequence[Number], b: Sequence[Number]) -> Number:
    """a . b, for any equal length."""
    if len(a) == len(b) == 3:  # nearly always
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    if len(a) == len(b) == 0:  # a robot without joints
        return 0
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total


def cross(a: Vector, b: Vector) -> Vector:
    """a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def transform(R: Matrix, a: Vector) -> Vector:
    """R a."""
    (r, s, t), (x, y, z) = R, a
    return (
        r[0] * x + r[1] * y + r[2] * z,
        s[0] * x + s[1] * y + s[2] * z,
        t[0] * x + t[1] * y + t[2] * z,
    )


def transpose(R: Matrix) -> Matrix:
    """R^T."""
    (a, b, c), (d, e, f), (g, h, i) = R
    return ((a, d, g), (b, e, h), (c, f, i))


def multiply(A: Matrix, B: Matrix) -> Matrix:
    """A B."""
    columns = transpose(B)
    return (transform(columns, A[0]), transform(columns, A[1]), transform(columns, A[2]))


def skew(a: Vector) -> Matrix:
    """The matrix of b -> a x b."""
    return ((0, -a[2], a[1]), (a[2], 0, -a[0]), (-a[1], a[0], 0))


def matrix_add(A: Matrix, B: Matrix) -> Matrix:
    """A + B."""
    return (add(A[0], B[0]), add(A[1], B[1]), add(A[2], B[2]))


def matrix_sub(A: Matrix, B: Matrix) -> Matrix:
    """A - B."""
    return (sub(A[0], B[0]), sub(A[1], B[1]), sub(A[2], B[2]))
