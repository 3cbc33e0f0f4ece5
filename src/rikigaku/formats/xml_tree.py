"""XML as a small tree with line numbers, read from untrusted files.

Document types, entities and external references are refused, size and depth are capped, and every element
keeps its line, so that a reader can report where a mistake is.
"""

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler, ErrorHandler
from xml.sax.xmlreader import AttributesImpl, InputSource, Locator

from defusedxml.common import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from rikigaku.core.errors import BadModel, TooLarge
from rikigaku.core.input_limits import ATTRIBUTES, DEPTH, ELEMENTS, FILE_BYTES


@dataclass(slots=True)
class Element:
    """A tag with its attributes, its line in the file, and its content.

    text: the characters directly inside it, without the blanks around them.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    children: list["Element"] = field(default_factory=list)
    text: str = ""

    def all(self, tag: str) -> list["Element"]:
        """The direct children of that tag, in the file's order."""
        return [child for child in self.children if child.tag == tag]

    def walk(self) -> Iterator["Element"]:
        """This element and everything inside it, in the file's order."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting.extend(reversed(element.children))


def xml_tree(text: str | bytes, source: str, max_depth: int = DEPTH) -> Element:
    """The root element of an XML document.

    Args:
        text: the document; bytes follow the encoding they declare, a str is already decoded.
        source: what to call the document in errors.
        max_depth: how deep elements may be nested; formats that nest a chain's links need more.
    Raises:
        BadModel: if it is not well-formed, or has a document type or entities.
        TooLarge: beyond FILE_BYTES, ELEMENTS, ATTRIBUTES or that depth.
    """
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    if len(data) > FILE_BYTES:
        advice = "Keep meshes in files of their own."
        raise TooLarge(f"{source} has {len(data)} bytes; at most {FILE_BYTES} are read. {advice}")
    if not data.strip():
        raise BadModel(["the file is empty"], source)
    builder = _Builder(source, max_depth)
    document = InputSource(source)
    document.setByteStream(io.BytesIO(data))
    if isinstance(text, str):
        document.setEncoding("utf-8")  # whatever the declaration says, this is how it was encoded just now
    # All bytes at once: expat scans an unfinished comment or attribute again with every piece it is fed.
    parser = DefusedExpatParser(
        bufsize=len(data) + 1, forbid_dtd=True, forbid_entities=True, forbid_external=True
    )
    parser.setContentHandler(builder)
    parser.setErrorHandler(ErrorHandler())
    try:
        parser.parse(document)
    except DefusedXmlException as error:
        reason = "a document type (<!DOCTYPE ...>) or entity is not read, for safety; delete it"
        raise BadModel([f"line {builder.line()}: {reason}"], source) from error
    except TooLarge:
        raise
    except (ValueError, LookupError) as error:  # an encoding Python or expat does not know
        raise BadModel([f"the file cannot be decoded: {error}"], source) from error
    except SAXParseException as error:
        place = f"line {error.getLineNumber()}, column {(error.getColumnNumber() or 0) + 1}"
        raise BadModel([f"{place}: this is not XML: {error.getMessage()}"], source) from error
    assert builder.root is not None  # expat refuses a document without an element
    return builder.root


class _Builder(ContentHandler):
    """Collects the elements as the parser meets them and stops at the first limit."""

    def __init__(self, source: str, max_depth: int) -> None:
        super().__init__()
        self.source, self.max_depth = source, max_depth
        self.root: Element | None = None
        self.open: list[Element] = []
        self.count = 0
        self.written: list[list[str]] = []
        self.locator: Locator | None = None

    def line(self) -> int:
        return (self.locator.getLineNumber() if self.locator else None) or 1

    def setDocumentLocator(self, locator: Locator) -> None:
        self.locator = locator

    def startElement(self, name: str, attrs: AttributesImpl) -> None:
        element = Element(name, dict(attrs.items()), self.line())
        self.count += 1
        place = f"{self.source}, line {element.line}"
        if self.count > ELEMENTS:
            raise TooLarge(f"{place}: more than {ELEMENTS} XML elements are not read.")
        if len(element.attributes) > ATTRIBUTES:
            raise TooLarge(f"{place}: an element with more than {ATTRIBUTES} attributes is not read.")
        if len(self.open) >= self.max_depth:
            raise TooLarge(f"{place}: elements nested deeper than {self.max_depth} are not read.")
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)
        self.written.append([])

    def characters(self, content: str) -> None:
        if self.written:
            self.written[-1].append(content)

    def endElement(self, name: str) -> None:
        self.open.pop().text = "".join(self.written.pop()).strip()
