"""Opens packages of Office; those of the form "Strict Open XML" become ordinary ones, which the libraries know."""

import re
import zipfile
from io import BytesIO

from citewell_documents.parsing.archives import Archive, opened_archive
from citewell_documents.parsing.limits import ParseLimits

_ROOT = "_rels/.rels"
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
_ORDINARY = rb"http://schemas.openxmlformats.org/\1/2006/\2"
_XML = (".xml", ".rels")


def opened_package(data: bytes, filename: str, limits: ParseLimits) -> Archive:
    """Open a package as `opened_archive` does; its namespaces are those of ordinary ones."""
    archive = opened_archive(data, filename, limits)
    if _ROOT not in archive or not _STRICT.search(archive.read(_ROOT)):
        return archive
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        for name in archive.names:
            content = archive.read(name)
            package.writestr(name, _STRICT.sub(_ORDINARY, content) if name.endswith(_XML) else content)
    return opened_archive(out.getvalue(), filename, limits)
