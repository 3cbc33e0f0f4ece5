"""Where everything of an SDF model is: poses given relative to each other, resolved in the model's frame."""

from collections.abc import Mapping

from rikigaku.errors import UnknownName
from rikigaku.model.rigid import Rigid
from rikigaku.model.sdf_values import inner, pose, relative_to, text
from rikigaku.model.urdf_values import Notes, name_of
from rikigaku.model.xml_tree import Element

MODEL, WORLD = "__model__", "world"


class Poses:
    """Poses of links, joints and frames in the model's frame, each computed once.

    A link's is given in the model's frame, a joint's in its child's, a frame's in what it is attached to,
    unless `relative_to` says otherwise. The world is where the model's own <pose> says.
    """

    def __init__(
        self,
        model: Element,
        links: Mapping[str, Element],
        joints: Mapping[str, Element],
        frames: Mapping[str, Element],
        notes: Notes,
    ) -> None:
        self.notes = notes
        self.elements: dict[str, tuple[Element, str]] = {name: (one, MODEL) for name, one in links.items()}
        for name, one in joints.items():
            self.elements.setdefault(name, (one, text(one, "child")))
        for name, one in frames.items():
            self.elements.setdefault(name, (one, one.attributes.get("attached_to") or MODEL))
        own = pose(inner(model, "pose"), name_of(model), notes)
        self.known = {MODEL: Rigid(), WORLD: own.inverse()}
        for name in self.elements:
            self._resolve(name)

    def __getitem__(self, name: str) -> Rigid:
        return self.known.get(name, Rigid())  # what could not be resolved has been noted

    def of(self, element: Element, owner: str, default: str) -> Rigid:
        """The <pose> of an element that has no name of its own, such as an inertial."""
        given = inner(element, "pose")
        return self[relative_to(given) or default] @ pose(given, owner, self.notes)

    def _resolve(self, name: str) -> None:
        chain: list[str] = []
        while name not in self.known:
            if name in chain:
                element = self.elements[name][0]
                ring = " -> ".join(map(repr, [*chain[chain.index(name) :], name]))
                self.notes.add(element, name_of(element), f"these poses are relative to each other: {ring}")
                self.known[name] = Rigid()
                break
            if name not in self.elements:
                element = self.elements[chain[-1]][0]
                known = (WORLD, *self.elements)
                reason = str(UnknownName("link, joint or frame", name, known, "the model"))
                self.notes.add(element, name_of(element), reason)
                self.known[name] = Rigid()
                break
            chain.append(name)
            element, default = self.elements[name]
            name = relative_to(inner(element, "pose")) or default
        for one in reversed(chain):
            if one not in self.known:
                element, default = self.elements[one]
                given = inner(element, "pose")
                base = self.known[relative_to(given) or default]
                self.known[one] = base @ pose(given, name_of(element), self.notes)
