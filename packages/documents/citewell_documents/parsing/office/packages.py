"""Opens Office packages; unusual ones, such as those in the form "Strict Open XML", become ordinary ones, which the
libraries can read.
"""

import re
import zipfile
from io import BytesIO

from citewell_documents.parsing.archives import Archive, opened_archive
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.text_builder import DocumentBuilder

_ROOT, _TYPES = "_rels/.rels", "[Content_Types].xml"
_PART = re.compile(rb"\bPartName=[\"']/([^\"']{1,300})[\"']")
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
_ORDINARY = rb"http://schemas.openxmlformats.org/\1/2006/\2"
_MOST_NAMED = 5
_XML = (".xml", ".rels")


def opened_package(data: bytes, filename: str, limits: ParseLimits) -> Archive:
    """Open a package as `opened_archive` does; its namespaces become those of ordinary packages, and the names of its
    parts those that it states.
    """
    archive = opened_archive(data, filename, limits)
    names = _stated_names(archive)
    root = next((name for name, stated in names.items() if stated == _ROOT), None)
    is_strict = root is not None and _STRICT.search(archive.read(root))
    if not is_strict and all(name == stated for name, stated in names.items()):
        return archive
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        for name, stated in names.items():
            content = archive.read(name)
            package.writestr(stated, _STRICT.sub(_ORDINARY, content) if stated.endswith(_XML) else content)
    return opened_archive(out.getvalue(), filename, limits)


def _stated_names(archive: Archive) -> dict[str, str]:
    """The names of the parts, as the package states them: some programs write them with backslashes or in other letters
    (`xl/SharedStrings.xml`), which Office takes for the same.
    """
    content = archive.read(_TYPES) if _TYPES in archive else b""
    stated = [_ROOT, _TYPES, *(name.decode(errors="replace") for name in _PART.findall(content))]
    by_letters = {name.lower(): name for name in stated}
    plain = {name: name.replace("\\", "/") for name in archive.names}
    return {name: by_letters.get(slashed.lower(), slashed) for name, slashed in plain.items()}


def note_inserted(archive: Archive, builder: DocumentBuilder) -> None:
    """Note the files of other programs that the package holds, except the data of charts, which are read with the
    charts.
    """
    of_charts = b"".join(archive.read(name) for name in archive.names if "/charts/_rels/" in name)
    files = [name.rpartition("/")[2] for name in archive.names if "/embeddings/" in name]
    left = [name for name in files if name.encode() not in of_charts]
    if left:
        names = ", ".join([*left[:_MOST_NAMED], *(["…"] if len(left) > _MOST_NAMED else [])])
        builder.note(f"inserted files are left out: {names}")
