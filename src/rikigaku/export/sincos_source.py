"""The native kernels' own sine and cosine (`llvm_sincos`), as text for languages that can fuse."""

from rikigaku.compiler.llvm_sincos import COSINE, LARGEST, REDUCTION, ROUNDER, SINE, TWO_OVER_PI
from rikigaku.export.program_walk import number


def sincos_parts(fma: str) -> dict[str, str]:
    """The expressions of the function, with the spelling of fma ("fma({}, {}, {})").

    t holds the number k of quarter revolutions in its low bits; r = x - k pi/2, z = r^2.
    """
    reduced = "x"
    for part in REDUCTION:
        reduced = fma.format("-k", number(part).text, reduced)
    return {
        "largest": number(LARGEST).text,
        "t": fma.format("x", number(TWO_OVER_PI).text, number(ROUNDER).text),
        "k": f"t - {number(ROUNDER).text}",
        "r": reduced,
        "p": fma.format("r * z", _horner(SINE, fma), "r"),
        "q": fma.format("z * z", _horner(COSINE, fma), fma.format("z", "-0.5", "1.0")),
    }


def _horner(coefficients: tuple[float, ...], fma: str) -> str:
    text = number(coefficients[0]).text
    for a in coefficients[1:]:
        text = fma.format(text, "z", number(a).text)
    return text
