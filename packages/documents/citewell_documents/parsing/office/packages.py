"""Opens Office packages; packages in the form "Strict Open XML" become ordinary ones, which the libraries can read."""

import re
import zipfile
from io import BytesIO

from citewell_documents.parsing.archives import Archive, opened_archive
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.text_builder import DocumentBuilder

_ROOT = "_rels/.rels"
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
_ORDINARY = rb"http://schemas.openxmlformats.org/\1/2006/\2"
_MOST_NAMED = 5
_XML = (".xml", ".rels")


def opened_package(data: bytes, filename: str, limits: ParseLimits) -> Archive:
    """Open a package as `opened_archive` does; its namespaces become those of ordinary packages."""
    archive = opened_archive(data, filename, limits)
    if _ROOT not in archive or not _STRICT.search(archive.read(_ROOT)):
        return archive
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        for name in archive.names:
            content = archive.read(name)
            package.writestr(name, _STRICT.sub(_ORDINARY, content) if name.endswith(_XML) else content)
    return opened_archive(out.getvalue(), filename, limits)


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
