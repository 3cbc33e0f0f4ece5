"""Laws as pages show them: title, symbol, general form of textbooks, and the section in which they stand.

Of a robot with loops or gears the laws over its independent coordinates come first, then those of its tree.
"""

from dataclasses import dataclass, replace
from typing import Any

from rikigaku.closure.closure_plan import closure
from rikigaku.core.errors import RikigakuError, UnknownName
from rikigaku.report.law_figures import law_names, shown_frame
from rikigaku.report.translated_words import summary_key
from rikigaku.robot import Robot
from rikigaku.web.texts import texts

_CHRISTOFFEL = (
    r"C_{i,j} = \sum_{k} \frac{1}{2} \, \left(\frac{\partial M_{i,j}}{\partial q_{k}}"
    r" + \frac{\partial M_{i,k}}{\partial q_{j}} - \frac{\partial M_{j,k}}{\partial q_{i}}\right) \, v_{k}"
)
_BODY_SUM = (
    r"M(q) = \sum_{i} \left(m_{i} \, J_{v_{i}}^{\top} J_{v_{i}}"
    r" + J_{\omega_{i}}^{\top} I_{i} \, J_{\omega_{i}}\right)"
)


@dataclass(frozen=True)
class LawEntry:
    """A law that pages show: `law` as in robot.<law>; textbook: its general form; section of the report."""

    law: str
    symbol: str
    textbook: str
    section: str

    @property
    def own(self) -> str:
        """The name without its group."""
        return self.law.rpartition(".")[2]


_KINEMATICS = (
    LawEntry("pose", "T", r"T(q) = \begin{bmatrix} R(q) & p(q) \\ 0 & 1 \end{bmatrix}", "kinematics"),
    LawEntry("jacobian", "J", r"\begin{bmatrix} \dot{p} \\ \omega \end{bmatrix} = J(q) \, v", "kinematics"),
)
_DYNAMICS = (
    LawEntry("mass_matrix", "M", _BODY_SUM, "dynamics"),
    LawEntry("coriolis_matrix", "C", _CHRISTOFFEL, "dynamics"),
    LawEntry("velocity_forces", "h", r"h(q, v) = C(q, v) \, v", "dynamics"),
    LawEntry("gravity_forces", "g", r"g(q) = \frac{\partial U}{\partial q}", "dynamics"),
    LawEntry("inverse_dynamics", r"\tau", r"\tau = M(q) \, a + h(q, v) + g(q)", "dynamics"),
)
_ENERGY = (
    LawEntry("kinetic_energy", "K", r"K = \frac{1}{2} \, v^{\top} M(q) \, v", "energy"),
    LawEntry("potential_energy", "U", "U(q)", "energy"),
)
_REGRESSOR = LawEntry("regressor", "Y", r"\tau = Y(q, v, a) \, \pi", "identification")
_REDUCED = (
    LawEntry("reduced.jacobian", "P", r"v = P(q) \, v_{\mathrm{ind}}, \quad J(q) \, P(q) = 0", "dynamics"),
    LawEntry("reduced.mass_matrix", r"\bar{M}", r"\bar{M}(q) = P(q)^{\top} M(q) \, P(q)", "dynamics"),
    LawEntry(
        "reduced.coriolis_matrix",
        r"\bar{C}",
        r"\bar{C}(q, v_{\mathrm{ind}}) = P^{\top} \left(C \, P + M \, \dot{P}\right)",
        "dynamics",
    ),
    LawEntry(
        "reduced.velocity_forces",
        r"\bar{h}",
        r"\bar{h}(q, v_{\mathrm{ind}}) = \bar{C}(q, v_{\mathrm{ind}}) \, v_{\mathrm{ind}}",
        "dynamics",
    ),
    LawEntry("reduced.gravity_forces", r"\bar{g}", r"\bar{g}(q) = P(q)^{\top} g(q)", "dynamics"),
    LawEntry(
        "reduced.inverse_dynamics",
        r"\bar{\tau}",
        r"\bar{\tau} = \bar{M}(q) \, a_{\mathrm{ind}} + \bar{h}(q, v_{\mathrm{ind}}) + \bar{g}(q)",
        "dynamics",
    ),
    LawEntry("reduced.actuation", "A", r"\bar{\tau} = A(q) \, \tau", "dynamics"),
)
MOTION = r"M(q) \, a + C(q, v) \, v + g(q) = \tau"
CONSTRAINED_MOTION = r"M(q) \, a + h(q, v) + g(q) = \tau + J(q)^{\top} \lambda, \quad J(q) \, v = 0"
REDUCED_MOTION = r"\bar{M}(q) \, a_{\mathrm{ind}} + \bar{h}(q, v_{\mathrm{ind}}) + \bar{g}(q) = \bar{\tau}"


def is_closed(robot: Robot) -> bool:
    """Whether loops or gears leave some coordinates dependent."""
    return bool(robot.loops or robot.couplings)


def law_entries(robot: Robot) -> list[LawEntry]:
    """The laws that a report shows, in its order; the section "tree" has those of a closed robot's tree."""
    dynamics = list(_DYNAMICS)
    if any(joint.nq != joint.nv for joint in robot.joints):  # no Christoffel symbols of quasi-velocities
        dynamics[1] = replace(dynamics[1], textbook=r"C(q, v) \, v = h(q, v)")
    if not is_closed(robot):
        return [*_KINEMATICS, *dynamics, *_ENERGY, _REGRESSOR]
    tree = [replace(one, law=f"tree.{one.law}", section="tree") for one in dynamics]
    reduced = _REDUCED if _actuated(robot) else _REDUCED[:-1]
    return [*_KINEMATICS, *reduced, *tree, *_ENERGY, replace(_REGRESSOR, law="tree.regressor")]


def _actuated(robot: Robot) -> bool:
    try:
        return bool(closure(robot).actuated)
    except RikigakuError:  # the laws themselves say why
        return False


@dataclass(frozen=True, eq=False)
class ShownLaw:
    """A law bound with the options that pages show: `law` is robot.<called>(<arguments>).

    title: key of a text; about: key of a text, or the description itself.
    """

    law: Any
    called: str
    arguments: str
    options: dict[str, Any]
    symbol: str
    textbook: str
    title: str
    about: str

    @property
    def call(self) -> str:
        """How Python calls it."""
        return f"robot.{self.called}({self.arguments})"


def shown_law(robot: Robot, name: str, frame: str = "") -> ShownLaw:
    """The law "mass_matrix", "tree.mass_matrix", "reduced.mass_matrix", ... of a robot, ready for formulas.

    Args:
        frame: for laws of a frame; the frame that reports show if left out.
    Raises:
        UnknownName: if the robot has no such law.
    """
    group, _, own = name.rpartition(".")
    owner: Any = getattr(robot, group) if group in ("tree", "reduced") and is_closed(robot) else robot
    law: Any = getattr(owner, own, None)
    if group not in ("", "tree", "reduced") or not hasattr(law, "law"):
        raise UnknownName("law", name, law_names(robot), f"robot {robot.name!r}")
    options = {"frame": frame or shown_frame(robot)} if "frame" in law.law.options else {}
    arguments = ", ".join([*law.law.inputs, *(f"{key}={value!r}" for key, value in options.items())])
    entry = next((one for one in law_entries(robot) if one.law == name), None)
    bound = law.fix(**options) if options else law
    symbol, textbook = (entry.symbol, entry.textbook) if entry else ("y", "")
    about = f"about.{own}" if entry and group != "reduced" else summary_key(bound.law.summary)
    return ShownLaw(bound, name, arguments, options, symbol, textbook, law_title(name), about)


def law_title(name: str) -> str:
    """Key of the title of a law: "law.reduced.jacobian", "law.mass_matrix"."""
    key = f"law.{name}"
    return key if key in texts()["en"] else f"law.{name.rpartition('.')[2]}"
