"""Hancom's binary documents (.hwp, HWP 5): hwpforge converts them to .hwpx, which is read as usual."""

from importlib.util import find_spec

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentEncrypted, DocumentTypeUnknown, DocumentUnreadable
from citewell_documents.parsing.hwpx.reader import parse_hwpx
from citewell_documents.parsing.limits import ParseLimits

_SIGNATURE = b"HWP Document File".ljust(32, b"\0")
_FLAGS_AT = 36  # behind the version; both are in the sector of the signature, wherever the container has put that
_LOCKED = 1 << 1 | 1 << 4 | 1 << 8 | 1 << 10  # a password, rights management, a certificate, both of the latter
_FOR_DISTRIBUTION = 1 << 2
_BEFORE_2000 = b"HWP Document File V"


def parse_hwp(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Convert a .hwp and read it as `parse_hwpx` does, which finds errors in its content.

    Raises DocumentTypeUnknown without hwpforge, DocumentEncrypted, DocumentUnreadable, DocumentEmpty, DocumentTooLarge.
    """
    if data.startswith(_BEFORE_2000):
        raise DocumentUnreadable(f"{filename} is of Hangul 97 or before; save it as .hwpx in Hancom Office")
    if find_spec("hwpforge") is None:
        raise DocumentTypeUnknown(
            f"{filename}: .hwp needs a library that is not installed on the machine of the workers; install "
            "citewell[hwp], or save it as .hwpx"
        )
    at = data.find(_SIGNATURE)
    flags = int.from_bytes(data[at + _FLAGS_AT : at + _FLAGS_AT + 4], "little") if at >= 0 else 0
    if flags & _LOCKED:
        raise DocumentEncrypted(f"{filename}: {DocumentEncrypted.__doc__}")
    if flags & _FOR_DISTRIBUTION:
        raise DocumentUnreadable(f"{filename} is protected for distribution; save it as an ordinary .hwp or .hwpx")
    return parse_hwpx(_converted(data, filename), filename, limits)


def _converted(data: bytes, filename: str) -> bytes:
    from hwpforge import HwpForgeError, convert_hwp5  # noqa: PLC0415 - it may be missing

    try:
        return bytes(convert_hwp5(data, carry_layout_cache=False).document)
    except HwpForgeError:
        raise DocumentUnreadable(
            f"{filename} is damaged or no Hancom document; save it again in Hancom Office, or as .hwpx"
        ) from None
