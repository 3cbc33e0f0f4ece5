"""Cross-section and material of a flexible link, and the stiffnesses of the beam."""

import math
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from rikigaku.core.arrays import floats
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.core.validation import number

# Names of the dimensions of each profile, in their order [m].
PROFILES: dict[str, tuple[str, ...]] = {
    "rod": ("diameter",),
    "tube": ("outer diameter", "inner diameter"),
    "bar": ("width", "height"),
    "box": ("width", "height", "wall"),
}
# Of a beam given by its stiffnesses instead: axial, bending, shear [N, N m^2, N], torsion [N m^2].
STIFFNESSES = ("EA", "EI", "kGA", "GJ")


@dataclass(frozen=True)
class Material:
    """Young's modulus E, shear modulus G [Pa]; density [kg/m^3] for those who weigh a profile.

    damping: time by which stress lags behind strain [s], stress = E (strain + damping times its rate); None
    if nothing is known: the mesh has a number for those.
    """

    name: str = "aluminium"
    E: float = 70e9
    G: float = 26e9
    density: float = 2700.0
    damping: float | None = None


# Round textbook values at room temperature; give E and G where more is known.
MATERIALS = {
    material.name: material
    for material in (
        Material(),
        Material("steel", 210e9, 81e9, 7850.0),
        Material("titanium", 114e9, 43e9, 4430.0),
        Material("carbon fibre", 120e9, 5e9, 1600.0),
    )
}


class Stiffness(NamedTuple):
    """Stiffnesses of a beam: axial EA, shear kGA across and along its joint's axis, torsion GJ, bending EI.

    `flat` is bending in the plane square to the joint's axis, as in a planar robot; `upright` out of it.
    """

    EA: float
    shear_flat: float
    shear_upright: float
    GJ: float
    EI_flat: float
    EI_upright: float


@dataclass(frozen=True)
class Section:
    """A profile with its sizes [m] and material, or the stiffnesses themselves (profile "stiffness").

    Sizes: rod (diameter), tube (outer, inner diameter), bar (width, height), box (width, height, wall); the
    width lies along the axis of the link's own joint, the height in the plane of the link's rotation.
    Stiffnesses: EA [N], EI [N m^2], kGA [N], GJ [N m^2], the same in both planes.
    """

    profile: str
    size: tuple[float, ...]
    material: Material = field(default_factory=Material)

    def __post_init__(self) -> None:
        known = {**PROFILES, "stiffness": STIFFNESSES}
        if self.profile not in known:
            raise UnknownName("profile", self.profile, known, "a section")
        dimensions = known[self.profile]
        if len(self.size) != len(dimensions):
            raise WrongValue(
                f"A section of profile {self.profile!r} has {len(dimensions)} numbers "
                f"({', '.join(dimensions)}); {len(self.size)} were given."
            )
        if not all(math.isfinite(x) and x > 0 for x in self.size) and self.profile != "tube":
            raise WrongValue(f"Sizes of a section are above zero; {self.size} was given.")
        if self.profile == "tube" and not 0 <= self.size[1] < self.size[0] < math.inf:
            raise WrongValue(f"A tube has outer > inner >= 0 diameter; {self.size} was given.")
        if self.profile == "box" and not 2 * self.size[2] < min(self.size[:2]):
            raise WrongValue(f"The walls of a box leave room between them; {self.size} was given.")
        if not (self.material.E > 0 and self.material.G > 0):
            raise WrongValue(f"Moduli E and G of a material are above zero; {self.material} was given.")
        lag = self.material.damping
        if lag is not None and not (math.isfinite(lag) and lag >= 0):
            raise WrongValue(f"The damping of a material is a time, 0 s or more; {lag} was given.")

    @property
    def area(self) -> float:
        """Area of the material [m^2]; unknown if the stiffnesses are given."""
        return _shape(self.profile, self.size)[0]

    @property
    def stiffness(self) -> Stiffness:
        """Stiffnesses of the beam. Shear factors by Cowper at Poisson's ratio 0.3: 0.89 round, 0.85 bar."""
        if self.profile == "stiffness":
            EA, EI, kGA, GJ = self.size
            return Stiffness(EA, kGA, kGA, GJ, EI, EI)
        E, G = self.material.E, self.material.G
        A, flat, upright, J, k_flat, k_upright = _shape(self.profile, self.size)
        return Stiffness(E * A, k_flat * G * A, k_upright * G * A, G * J, E * flat, E * upright)


@checked
def section(
    *,
    material: str | Material = "aluminium",
    E: float | None = None,
    G: float | None = None,
    damping: float | None = None,
    **profile: Any,
) -> Section:
    """A section by its keys: section(tube=(0.05, 0.04), material="steel"), section(rod=0.02, E=7e10).

    Stiffnesses: section(EA=1e7, EI=2e3), where kGA and GJ are large (10 EA, and EI) if left out.
    damping: of the material, `Material.damping` [s].
    """
    if isinstance(material, str):
        if material not in MATERIALS and (E is None or G is None):
            raise UnknownName("material", material, MATERIALS, "the table of materials")
        material = MATERIALS.get(material, Material(material))
    if E is not None or G is not None:
        young = material.E if E is None else float(E)
        shear = material.G * young / material.E if G is None else float(G)
        material = replace(material, E=young, G=shear)
    if damping is not None:
        material = replace(material, damping=float(damping))
    if "EI" in profile or "EA" in profile:
        for name in profile:
            if name not in STIFFNESSES:
                raise UnknownName("stiffness", name, STIFFNESSES, "a section")
        if not {"EA", "EI"} <= set(profile):
            raise WrongValue("A section by its stiffnesses takes EA [N] and EI [N m^2] at least.")
        for name, x in profile.items():
            number(f"{name} of a section", x)
        EA, EI = float(profile["EA"]), float(profile["EI"])
        size = (EA, EI, float(profile.get("kGA", 10 * EA)), float(profile.get("GJ", EI)))
        return Section("stiffness", size, Material(damping=material.damping))
    if len(profile) != 1:
        known = ", ".join((*PROFILES, *STIFFNESSES))
        raise WrongValue(
            f"A section takes one profile, or EA and EI; known: {known}; given: {list(profile)}."
        )
    ((name, size),) = profile.items()
    numbers = tuple(np.atleast_1d(floats(f"The size of a {name}", size)).ravel().tolist())
    return Section(name, numbers, material)


def default_section(length: float) -> Section:
    """The default section: an aluminium tube a tenth as thick as that length [m], walls a tenth."""
    outer = 0.1 * length
    return Section("tube", (outer, 0.8 * outer))


def _shape(profile: str, size: tuple[float, ...]) -> tuple[float, ...]:
    """Area, second moments (flat, upright), torsion constant, shear factors (flat, upright)."""
    if profile in ("rod", "tube"):
        outer, inner = size[0] / 2, (size[1] if profile == "tube" else 0.0) / 2
        ratio = inner / outer
        A = math.pi * (outer**2 - inner**2)
        I = math.pi / 4 * (outer**4 - inner**4)
        # Cowper 1966, hollow circle, nu = 0.3; the solid circle is its limit 6 (1 + nu) / (7 + 6 nu)
        nu, square = 0.3, (1 + ratio**2) ** 2
        k = 6 * (1 + nu) * square / ((7 + 6 * nu) * square + (20 + 12 * nu) * ratio**2)
        return A, I, I, 2 * I, k, k
    width, height = size[:2]
    if profile == "bar":
        long, short = max(size), min(size)
        x = short / long
        J = long * short**3 * (1 / 3 - 0.21 * x * (1 - x**4 / 12))  # Roark's formula, within 0.5 %
        return width * height, width * height**3 / 12, height * width**3 / 12, J, 0.85, 0.85
    wall = size[2]
    w, h = width - 2 * wall, height - 2 * wall
    A = width * height - w * h
    J = 2 * wall * (width - wall) ** 2 * (height - wall) ** 2 / (width + height - 2 * wall)  # Bredt
    # webs carry the shear of a thin box: the walls along the load
    flat, upright = 2 * wall * h / A, 2 * wall * w / A
    return A, (width * height**3 - w * h**3) / 12, (height * width**3 - h * w**3) / 12, J, flat, upright
