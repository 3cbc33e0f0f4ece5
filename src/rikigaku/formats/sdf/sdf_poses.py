"""Poses in an SDF model: relative poses resolved in the model's frame."""

from collections.abc import Mapping

from rikigaku.core.errors import UnknownName
from rikigaku.core.known_names import KnownNames
from rikigaku.formats.sdf.sdf_values import cycle, inner, pose, relative_to, text
from rikigaku.formats.xml_tree import Element
from rikigaku.formats.xml_values import Notes, name_of
from rikigaku.model.float_poses import Rigid

MODEL, WORLD = "__model__", "world"


class Poses:
    """Poses of links, joints and frames in the model's frame, each computed once.

    In the file, the pose of a link is relative to the model's frame, that of a joint to its child link, that
    of a frame to the element it is attached to, unless `relative_to` names another frame. The model's own
    <pose> is relative to the world.
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
        names = KnownNames((WORLD, *self.elements))
        for name in self.elements:
            self._resolve(name, names)

    def __getitem__(self, name: str) -> Rigid:
        return self.known.get(name, Rigid())  # what could not be resolved has been noted

    def of(self, element: Element, owner: str, default: str) -> Rigid:
        """The <pose> of an element that has no name of its own, such as an inertial."""
        own = inner(element, "pose")
        return self[relative_to(own) or default] @ pose(own, owner, self.notes)

    def _resolve(self, name: str, names: KnownNames) -> None:
        chain: dict[str, None] = {}
        while name not in self.known:
            if name in chain:
                element = self.elements[name][0]
                passed = list(chain)
                ring = cycle([*passed[passed.index(name) :], name])
                self.notes.add(element, name_of(element), f"these poses are relative to each other: {ring}")
                self.known[name] = Rigid()
                break
            if name not in self.elements:
                element = self.elements[next(reversed(chain))][0]
                reason = str(UnknownName("link, joint or frame", name, names, "the model"))
                self.notes.add(element, name_of(element), reason)
                self.known[name] = Rigid()
                break
            chain[name] = None
            element, default = self.elements[name]
            name = relative_to(inner(element, "pose")) or default
        for one in reversed(chain):
            if one not in self.known:
                element, default = self.elements[one]
                pose_element = inner(element, "pose")
                base = self.known[relative_to(pose_element) or default]
                self.known[one] = base @ pose(pose_element, name_of(element), self.notes)
