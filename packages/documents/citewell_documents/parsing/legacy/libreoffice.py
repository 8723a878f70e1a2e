"""Converts old Office files (.doc, .xls, .ppt) to new ones with LibreOffice, where it is installed.

LibreOffice cannot run within the limits of the child that reads files, because it starts processes and writes files. It
has limits of its own: `MEMORY_MB`, `START_S` more time than any file of this size may take, and a folder that is
deleted afterwards.
"""

import math
import os
import shutil
import sys
import tempfile
from pathlib import Path, PurePath

from citewell_documents.errors import DocumentEncrypted, DocumentTooSlow, DocumentTypeUnknown, DocumentUnreadable
from citewell_documents.formats import LEGACY
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.sandbox.child_process import Cut, run_child

MEMORY_MB = 4096
START_S = 60.0
_MODULE = "citewell_documents.parsing.legacy.convert"
_ROOT = Path(__file__).resolve().parents[3]
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LOCKED = tuple(name.encode("utf-16-le") for name in ("EncryptedPackage", "EncryptionInfo"))
_MOST_OUTPUT = 1_000_000
_PROGRAMS = ("soffice", "libreoffice")


def is_legacy(filename: str) -> bool:
    return PurePath(filename).suffix.lower() in LEGACY


def modernised(data: bytes, filename: str, limits: ParseLimits) -> tuple[bytes, str]:
    """The file in today's format, and its name in that format.

    Raises DocumentTypeUnknown without LibreOffice, DocumentEncrypted, DocumentUnreadable or DocumentTooSlow.
    """
    suffix = PurePath(filename).suffix.lower()
    program = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if program is None:
        raise DocumentTypeUnknown(
            f"{filename}: {suffix} is read through LibreOffice, which is not installed on the machine of the workers; "
            f"install it (on Debian: libreoffice-writer-nogui, libreoffice-calc-nogui, libreoffice-impress-nogui), or "
            f"save it as {LEGACY[suffix]}"
        )
    if not data.startswith(_OLE):
        raise DocumentUnreadable(f"{filename} is named {suffix} but is no old Office document; save it again")
    if any(mark in data for mark in _LOCKED):
        raise DocumentEncrypted(f"{filename}: {DocumentEncrypted.__doc__}")
    return _converted(program, data, filename, limits), f"{filename}{LEGACY[suffix]}"


def _converted(program: str, data: bytes, filename: str, limits: ParseLimits) -> bytes:
    suffix = PurePath(filename).suffix.lower()
    kind = LEGACY[suffix].removeprefix(".")
    deadline_s = min(START_S + limits.s_per_mb * len(data) / 1_000_000, limits.max_s)
    with tempfile.TemporaryDirectory(prefix="citewell-office-") as folder:
        given = Path(folder) / f"given{suffix}"
        given.write_bytes(data)
        argv = (sys.executable, "-P", "-B", "-m", _MODULE, program, folder, str(given), kind)
        limited = (*argv, str(MEMORY_MB), str(math.ceil(deadline_s)), str(os.getpid()))
        # Of this process's environment the program gets only the places of programs, and it has a home that is deleted.
        environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": folder,
            "TMPDIR": folder,
            "PYTHONPATH": os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH")))),
        }
        ended = run_child(limited, environment, (), deadline_s=deadline_s, max_output=_MOST_OUTPUT)
        if ended.cut is Cut.TIME:
            raise DocumentTooSlow(f"{filename} could not be converted within {deadline_s:.0f} s; save it as .{kind}")
        made = Path(folder) / "out" / f"given.{kind}"
        if not made.is_file() or made.stat().st_size > limits.max_unpacked_bytes:
            raise DocumentUnreadable(
                f"{filename} is damaged or too large: LibreOffice cannot open it; save it as .{kind}"
            )
        return made.read_bytes()
