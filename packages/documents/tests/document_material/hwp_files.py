"""Hancom's documents for tests: binary ones (.hwp), as small as their format allows, and zipped ones (.hwpx)."""

import struct
import zlib
from collections.abc import Mapping, Sequence
from itertools import pairwise

from document_material.office_files import packed

_SECTOR, _MINI, _CUTOFF = 512, 64, 4096
_NONE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_HEADER_OF_CELL, _HEADER_OF_PARAGRAPH, _TEXT, _SHAPES, _CONTROL, _TABLE = 72, 66, 67, 68, 71, 77
_HP = 'xmlns:hp="http://www.hancom.co.kr/hwpml/2011/paragraph"'
_HEAD = (
    '<hh:head xmlns:hh="http://www.hancom.co.kr/hwpml/2011/head"><hh:paraPr id="7">'
    '<hh:heading type="OUTLINE" level="0"/></hh:paraPr></hh:head>'
)
_PACKAGE = (
    '<opf:package xmlns:opf="http://www.idpf.org/2007/opf/"><opf:metadata><opf:title>보고서</opf:title>'
    '<opf:meta name="creator">김철수</opf:meta></opf:metadata></opf:package>'
)


def hwp(*paragraphs: str | Sequence[Sequence[str]], flags: int = 1, body: bytes | None = None) -> bytes:
    """A document of paragraphs and tables (their rows); `body` are other records, packed."""
    records = b"".join(_paragraph(each, last=each is paragraphs[-1]) for each in paragraphs)
    header = b"HWP Document File".ljust(32, b"\0") + struct.pack("<II", 0x05000304, flags)
    section = deflated(records) if body is None else body
    storage = {"FileHeader": header.ljust(256, b"\0"), "DocInfo": deflated(_doc_info()), "Section0": section}
    return compound(storage)


def hwpx(body: str, **more: bytes) -> bytes:
    """A document whose section has this XML as its body."""
    section = f'<hs:sec xmlns:hs="http://www.hancom.co.kr/hwpml/2011/section" {_HP}>{body}</hs:sec>'
    return packed(
        {
            "mimetype": b"application/hwp+zip",
            "Contents/header.xml": _HEAD.encode(),
            "Contents/content.hpf": _PACKAGE.encode(),
            "Contents/section0.xml": section.encode(),
            **{name.replace("__", "/").replace("_xml", ".xml"): content for name, content in more.items()},
        }
    )


def paragraph(text: str, style: str = "0") -> str:
    return f'<hp:p paraPrIDRef="{style}"><hp:run><hp:t>{text}</hp:t></hp:run></hp:p>'


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def record(tag: int, level: int, data: bytes) -> bytes:
    if len(data) < 0xFFF:
        return struct.pack("<I", tag | level << 10 | len(data) << 20) + data
    return struct.pack("<II", tag | level << 10 | 0xFFF << 20, len(data)) + data


def _paragraph(content: str | Sequence[Sequence[str]], level: int = 0, *, last: bool) -> bytes:
    if isinstance(content, str):
        return _with_text(f"{content}\r".encode("utf-16-le"), level, last=last)
    anchor = struct.pack("<H4sIIH", 11, b" lbt", 0, 0, 11) + "\r".encode("utf-16-le")
    return _with_text(anchor, level, last=last, controls=1 << 11) + _table(content, level + 1)


def _with_text(text: bytes, level: int, *, last: bool, controls: int = 0) -> bytes:
    count = len(text) // 2 | (0x80000000 if last else 0)
    head = struct.pack("<IIHBBHHHI", count, controls, 0, 0, 0, 1, 0, 0, 0)
    shapes = record(_SHAPES, level + 1, struct.pack("<II", 0, 0))
    return record(_HEADER_OF_PARAGRAPH, level, head) + record(_TEXT, level + 1, text) + shapes


def _table(rows: Sequence[Sequence[str]], level: int) -> bytes:
    place = struct.pack("<4sIIIIII4HIIH", b" lbt", 0, 0, 0, 9000, 2000, 0, 0, 0, 0, 0, 0, 0, 0)
    sizes = struct.pack(f"<{len(rows)}H", *map(len, rows))
    shape = struct.pack("<IHHH4H", 0, len(rows), len(rows[0]), 0, 0, 0, 0, 0) + sizes + struct.pack("<HH", 1, 0)
    cells = (_cell(text, row, column, level + 1) for row, texts in enumerate(rows) for column, text in enumerate(texts))
    return record(_CONTROL, level, place) + record(_TABLE, level + 1, shape) + b"".join(cells)


def _cell(text: str, row: int, column: int, level: int) -> bytes:
    head = struct.pack("<HHI4HII4HH", 1, 0, 0, column, row, 1, 1, 3000, 1000, 0, 0, 0, 0, 1)
    return record(_HEADER_OF_CELL, level, head) + _paragraph(text, level, last=True)


def _doc_info() -> bytes:
    name = "Batang"
    face = struct.pack("<BH", 0, len(name)) + name.encode("utf-16-le")
    border = struct.pack("<H", 0) + bytes(30) + struct.pack("<II", 0, 0)
    letters = struct.pack("<7H7B7B7b7biIbbIIIIHI", *[0] * 7, *[100] * 7, *[0] * 7, *[100] * 7, *[0] * 7, 1000, *[0] * 9)
    lines = struct.pack("<IiiiiiiHHHhhhhIII", 0, 0, 0, 0, 0, 0, 160, 0, 0, 1, 0, 0, 0, 0, 0, 0, 160)
    style = struct.pack("<H", 2) + "바탕".encode("utf-16-le") + struct.pack("<HBBHHHH", 0, 0, 0, 1042, 0, 0, 0)
    counts = struct.pack("<18i", 0, *[1] * 7, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0)
    parts = [(16, 0, struct.pack("<7HIII", 1, 1, 1, 1, 1, 1, 1, 0, 0, 0)), (17, 0, counts), *[(19, 1, face)] * 7]
    parts += [(20, 1, border), (21, 1, letters), (22, 1, bytes(8)), (25, 1, lines), (26, 1, style)]
    return b"".join(record(*part) for part in parts)


def compound(streams: Mapping[str, bytes]) -> bytes:
    """A compound file (MS-CFB) with two streams in its root, and one in its storage `BodyText`."""
    small = {name: data for name, data in streams.items() if len(data) < _CUTOFF}
    sectors: list[bytes] = []
    chains: list[list[int]] = []

    def stored(data: bytes) -> int:
        first = len(sectors)
        sectors.extend(data[at : at + _SECTOR].ljust(_SECTOR, b"\0") for at in range(0, len(data), _SECTOR))
        chains.append(list(range(first, len(sectors))))
        return first

    mini, mini_fat, starts = b"", list[int](), dict[str, int]()
    for name, data in small.items():
        starts[name] = len(mini_fat)
        count = -(-len(data) // _MINI)
        mini_fat += [*range(len(mini_fat) + 1, len(mini_fat) + count), _END]
        mini += data.ljust(count * _MINI, b"\0")
    starts |= {name: stored(data) for name, data in streams.items() if name not in small}
    mini_at, mini_fat_at = stored(mini), stored(_numbers(mini_fat))
    size = {name: len(data) for name, data in streams.items()}
    entries = [
        _entry("Root Entry", 5, child=1, start=mini_at, size=len(mini)),
        # The shorter name comes first.
        _entry("BodyText", 1, left=2, right=3, child=4),
        _entry("DocInfo", 2, start=starts["DocInfo"], size=size["DocInfo"]),
        _entry("FileHeader", 2, start=starts["FileHeader"], size=size["FileHeader"]),
        _entry("Section0", 2, start=starts["Section0"], size=size["Section0"]),
    ]
    directory_at = stored(b"".join(entries).ljust(1024, b"\0"))
    fat = _fat(chains, len(sectors))
    head = struct.pack("<8s16xHHHHH6x", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6)
    tables = range(len(sectors), len(sectors) + len(fat) // _SECTOR)
    head += struct.pack("<IIIIIIIIII", 0, len(tables), directory_at, 0, _CUTOFF, mini_fat_at, 1, _END, 0, tables[0])
    head += _numbers([*tables[1:]], 108)
    return head + b"".join(sectors) + fat


def _fat(chains: Sequence[Sequence[int]], count: int) -> bytes:
    following = [_END] * count
    for chain in chains:
        for one, other in pairwise(chain):
            following[one] = other
    own = 1
    while (count + own) * 4 > own * _SECTOR:
        own += 1
    return _numbers([*following, *[_FAT] * own], own * _SECTOR // 4)


def _numbers(values: Sequence[int], count: int = 128) -> bytes:
    return struct.pack(f"<{count}I", *values, *[_NONE] * (count - len(values)))


def _entry(
    name: str,
    kind: int,
    *,
    left: int = _NONE,
    right: int = _NONE,
    child: int = _NONE,
    start: int = 0,
    size: int = 0,
) -> bytes:
    spelt = f"{name}\0".encode("utf-16-le")
    head = spelt.ljust(64, b"\0") + struct.pack("<HBBIII", len(spelt), kind, 1, left, right, child)
    return head + bytes(36) + struct.pack("<IQ", start, size)
