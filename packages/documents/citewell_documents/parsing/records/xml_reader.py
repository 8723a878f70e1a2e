"""XML of any kind: elements and attributes below their paths, prose as paragraphs. Nothing is loaded or expanded."""

from itertools import groupby

from lxml import etree

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentUnreadable
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.office.parts import Element
from citewell_documents.parsing.records.outline import Group, Value, add_value
from citewell_documents.parsing.text_builder import DocumentBuilder


def parse_xml(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read an XML file. Raises DocumentUnreadable, DocumentEmpty or DocumentTooLarge."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        line = error.position[0]
        raise DocumentUnreadable(f"{filename} is not well-formed XML (line {line}); mend it or save it again") from None
    if next(root.iter(etree.Entity), None) is not None:
        raise DocumentUnreadable(f"{filename} uses entities of its own, which are not expanded; save it without them")
    builder = DocumentBuilder(filename, limits)
    add_value(_value(root), builder, _name(root))
    return builder.build_with_text()


def _value(element: Element) -> Value:
    children = [child for child in element if isinstance(child.tag, str)]
    attributes: list[tuple[str, Value]] = [(f"@{_local(name)}", value) for name, value in element.attrib.items()]
    # Text between the children shows that they only mark words of it.
    is_prose = any(text and text.strip() for text in (element.text, *(child.tail for child in children)))
    if not children or is_prose:
        text = " ".join("".join(element.itertext()).split())
        if not attributes:
            return text
        return Group((*attributes, *((("text", text),) if text else ())))
    below: list[tuple[str, Value]] = []
    for name, alike in groupby(children, key=_name):
        values = [_value(child) for child in alike]
        below.append((name, values if len(values) > 1 else values[0]))
    return Group((*attributes, *below))


def _name(element: Element) -> str:
    return _local(str(element.tag))


def _local(name: str | bytes) -> str:
    return etree.QName(name).localname
