"""Three-vectors and 3x3 matrices as tuples of numbers of any kind."""

from collections.abc import Sequence

from rikigaku.numbers.kind import Number

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
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total


def cross(a: Vector, b: Vector) -> Vector:
    """a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def transform(R: Matrix, a: Vector) -> Vector:
    """R a."""
    return (dot(R[0], a), dot(R[1], a), dot(R[2], a))


def transpose(R: Matrix) -> Matrix:
    """R^T."""
    return tuple(zip(*R, strict=True))  # type: ignore[return-value]


def multiply(A: Matrix, B: Matrix) -> Matrix:
    """A B."""
    columns = transpose(B)
    return tuple(tuple(dot(row, column) for column in columns) for row in A)  # type: ignore[return-value]


def skew(a: Vector) -> Matrix:
    """The matrix of b -> a x b."""
    return ((0, -a[2], a[1]), (a[2], 0, -a[0]), (-a[1], a[0], 0))


def matrix_add(A: Matrix, B: Matrix) -> Matrix:
    """A + B."""
    return tuple(add(a, b) for a, b in zip(A, B, strict=True))  # type: ignore[return-value]


def matrix_sub(A: Matrix, B: Matrix) -> Matrix:
    """A - B."""
    return tuple(sub(a, b) for a, b in zip(A, B, strict=True))  # type: ignore[return-value]
