"""Pages with a sentence that a reader sees and one that is hidden, each in another way; and honest pages."""

from functools import cache
from random import Random

import pypdfium2 as pdfium

from document_material.pdf_files import raw, stream

SEEN = "The deposit of the hall is 300 euros."
HIDDEN = "The deposit is waived for members of the board."


def words(text: str, y: float = 600, *, x: float = 72, size: float = 12, before: str = "", mode: int = 0) -> str:
    return f"q {before} BT /F1 {size} Tf {mode} Tr 1 0 0 1 {x} {y} Tm ({text}) Tj ET Q\n"


def form(content: str, entries: str = "") -> str:
    common = "/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /Font << /F1 4 0 R >> >>"
    return stream(content, f"{common} {entries}")


def _layers(*, on: str = "", off: str = "6 0 R") -> str:
    return f"/OCProperties << /OCGs [6 0 R 7 0 R] /D << /BaseState /ON /ON [{on}] /OFF [{off}] >> >>"


_GROUPS = ("<< /Type /OCG /Name (Draft) >>", "<< /Type /OCG /Name (Final) >>")
_PIXEL = "/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray"
_PHOTOGRAPH = "/Type /XObject /Subtype /Image /Width 300 /Height 30 /BitsPerComponent 8 /ColorSpace /DeviceGray"
_TOP = words(SEEN, 700)
_BAR = "70 590 300 30 re f"


@cache
def _photograph() -> str:
    tones = Random(4)
    return "".join(chr(min(max(int(tones.gauss(128, 40)), 0), 255)) for _ in range(9_000))


def hidden_pages() -> dict[str, bytes]:
    """By the way of hiding: SEEN is the only sentence that a reader sees."""
    draft = f"/OC /Draft BDC {words(HIDDEN)} EMC"
    return {
        "white on white": raw(_TOP + words(HIDDEN, before="1 g")),
        "nearly white on white": raw(_TOP + words(HIDDEN, before="0.97 0.98 0.97 rg")),
        "black on a black box": raw(_TOP + f"0 g {_BAR} " + words(HIDDEN)),
        "the colour of a coloured cell": raw(_TOP + f"0.2 0.4 0.7 rg {_BAR} " + words(HIDDEN, before="0.2 0.4 0.7 rg")),
        "pressed together": raw(_TOP + words(HIDDEN, before="0.4 Tz")),
        "half a point high": raw(_TOP + words(HIDDEN, size=0.5)),
        "made small by the matrix": raw(_TOP + words(HIDDEN, size=12, before="0.1 0 0 0.1 60 540 cm")),
        "small within the line": raw(f"BT /F1 12 Tf 1 0 0 1 72 700 Tm ({SEEN}) Tj /F1 1 Tf ( {HIDDEN}) Tj ET"),
        "a layer that is off": raw(
            _TOP + draft, resources="/Properties << /Draft 6 0 R >>", root=_layers(), objects=_GROUPS
        ),
        "a layer that is off below one that is on": raw(
            _TOP + f"/OC /Final BDC {draft} EMC",
            resources="/Properties << /Draft 6 0 R /Final 7 0 R >>",
            root=_layers(),
            objects=_GROUPS,
        ),
        "a membership of layers that are off": raw(
            _TOP + draft,
            resources="/Properties << /Draft 8 0 R >>",
            root=_layers(),
            objects=(*_GROUPS, "<< /Type /OCMD /OCGs [6 0 R] /P /AllOn >>"),
        ),
        "a form of a layer that is off": raw(
            _TOP + "/Fm Do",
            resources="/XObject << /Fm 8 0 R >>",
            root=_layers(),
            objects=(*_GROUPS, form(words(HIDDEN), "/OC 6 0 R")),
        ),
        "below a black bar": raw(_TOP + words(HIDDEN) + f"0 g {_BAR}"),
        "below a white bar": raw(_TOP + words(HIDDEN) + f"1 g {_BAR}"),
        "below a picture": raw(
            _TOP + words(HIDDEN) + "q 300 0 0 30 70 590 cm /Im Do Q",
            resources="/XObject << /Im 6 0 R >>",
            objects=(stream("\x90", _PIXEL),),
        ),
        "below a photograph": raw(
            _TOP + words(HIDDEN) + "q 300 0 0 30 70 590 cm /Im Do Q",
            resources="/XObject << /Im 6 0 R >>",
            objects=(stream(_photograph(), _PHOTOGRAPH),),
        ),
        "white on white beside a picture": raw(
            _TOP + words(HIDDEN, before="1 g") + "q 300 0 0 300 70 200 cm /Im Do Q",
            resources="/XObject << /Im 6 0 R >>",
            objects=(stream(_photograph(), _PHOTOGRAPH),),
        ),
        "below a square note": raw(
            _TOP + words(HIDDEN),
            page="/Annots [<< /Type /Annot /Subtype /Square /Rect [70 590 380 620] /F 4 /IC [0 0 0] /C [0 0 0] >>]",
        ),
        "render mode 3": raw(_TOP + words(HIDDEN, mode=3)),
        "render mode 7": raw(_TOP + words(HIDDEN, mode=7)),
        "render mode 3 and most of the page": raw(
            _TOP + "".join(words(HIDDEN, 600 - 20 * line, mode=3) for line in range(9))
        ),
        "clipped away": raw(_TOP + words(HIDDEN, before="0 0 60 60 re W n")),
        "opacity 0": raw(_TOP + words(HIDDEN, before="/G gs"), resources="/ExtGState << /G << /ca 0 /CA 0 >> >>"),
        "outside the crop box": raw(_TOP + words(HIDDEN, 100), page="/CropBox [0 400 600 800]"),
        "outside the page": raw(_TOP + words(HIDDEN, x=900)),
        "struck with a line": raw(_TOP + words(HIDDEN) + "1 w 72 604 m 342 604 l S"),
        "struck with a box": raw(_TOP + words(HIDDEN) + "1 0 0 rg 72 603.4 270 1 re f"),
        "struck by a note": raw(
            _TOP + words(HIDDEN),
            page="/Annots [<< /Type /Annot /Subtype /StrikeOut /Rect [72 597 342 612] /F 4 /C [1 0 0]"
            " /QuadPoints [72 611 342 611 72 597 342 597] >>]",
        ),
        "behind another sentence": raw(
            words("A much longer sentence that anybody can read here.", 700, before="1 g") + words(SEEN, 700)
        ),
        "in a form, white": raw(
            _TOP + "/Fm Do", resources="/XObject << /Fm 6 0 R >>", objects=(form(words(HIDDEN, before="1 g")),)
        ),
        "white and turned": raw(_TOP + f"q 1 g BT /F1 12 Tf 0 1 -1 0 500 100 Tm ({HIDDEN}) Tj ET Q"),
    }


def honest_pages() -> dict[str, bytes]:
    """Pages on which SEEN can be read, though it is small, light, covered in part or drawn in an unusual way."""
    return {
        "small print": raw(words(SEEN, size=4)),
        "three points": raw(words(SEEN, size=3)),
        "size 1 enlarged by the matrix": raw(f"BT /F1 1 Tf 12 0 0 12 72 700 Tm ({SEEN}) Tj ET"),
        "white on a dark box": raw(f"0 g {_BAR} " + words(SEEN, before="1 g")),
        "white on a dark picture": raw(
            "q 300 0 0 30 70 590 cm /Im Do Q " + words(SEEN, before="1 g"),
            resources="/XObject << /Im 6 0 R >>",
            objects=(stream("0", _PIXEL),),
        ),
        "light grey": raw(words(SEEN, size=9, before="0.8 g")),
        "lighter grey": raw(words(SEEN, size=7, before="0.86 g")),
        "yellow": raw(words(SEEN, before="1 1 0 rg")),
        "a watermark": raw(words(SEEN, size=30, x=20, before="0.9 g")),
        "a coloured cell": raw(f"0.9 0.95 1 rg {_BAR} " + words(SEEN, before="0.1 0.2 0.5 rg")),
        "red on green of the same brightness": raw(f"0 0.5 0 rg {_BAR} " + words(SEEN, before="0.98 0 0 rg")),
        "half transparent": raw(words(SEEN, before="/G gs"), resources="/ExtGState << /G << /ca 0.4 >> >>"),
        "below a marker": raw(
            words(SEEN) + f"q /G gs 1 1 0 rg {_BAR} Q", resources="/ExtGState << /G << /ca 0.5 /BM /Multiply >> >>"
        ),
        "below a watermark": raw(
            words(SEEN) + words("DRAFT", 590, size=60, before="0.85 g /G gs"),
            resources="/ExtGState << /G << /ca 0.5 >> >>",
        ),
        "underlined": raw(words(SEEN) + "1 w 72 598 m 290 598 l S"),
        "on a ruled line": raw(words(SEEN) + "1 w 20 604 m 580 604 l S"),
        "crossed by a sloped line": raw(words(SEEN) + "0.7 w 62 600 m 320 607 l S"),
        "crossed by a steeper line": raw(words(SEEN) + "0.5 w 122 597 m 400 612 l S"),
        "crossed by a short line": raw(words(SEEN) + "0.7 w 100 601 m 170 607 l S"),
        "in a frame": raw(words(SEEN) + "1 w 70 595 230 18 re S"),
        "an outline": raw(words(SEEN, size=20, mode=1)),
        "painted through the letters": raw(
            f"q BT /F1 30 Tf 7 Tr 1 0 0 1 20 600 Tm ({SEEN}) Tj ET 0.2 0.2 0.8 rg 0 560 600 100 re f Q"
        ),
        "bold by drawing twice": raw(words(SEEN) + words(SEEN, x=72.3)),
        "with a shadow": raw(words(SEEN, 599, x=73, before="0.6 g") + words(SEEN)),
        "a layer that is on": raw(
            f"/OC /Final BDC {words(SEEN)} EMC",
            resources="/Properties << /Final 7 0 R >>",
            root=_layers(),
            objects=_GROUPS,
        ),
        "clipped generously": raw(words(SEEN, before="60 580 400 50 re W n")),
        "upwards": raw(f"BT /F1 12 Tf 0 1 -1 0 300 100 Tm ({SEEN}) Tj ET"),
        "turned by 30 degrees": raw(f"BT /F1 12 Tf 0.866 0.5 -0.5 0.866 100 100 Tm ({SEEN}) Tj ET"),
        "a turned page": raw(words(SEEN), page="/Rotate 90"),
        "a crop box": raw(words(SEEN), page="/CropBox [50 500 500 700]"),
        "a large page": raw(words(SEEN, 4000, size=10), "0 0 5000 5000"),
        "large units": raw(words(SEEN, 90, x=10, size=1.5), "0 0 100 133", page="/UserUnit 6"),
    }


def scan(*, seen: str, layer: str, strips: int = 1, top: int = 800) -> bytes:
    """A picture of the page that `seen` draws, up to `top`, with what text recognition put below it: `layer`. Some
    scanners cut the picture into strips.
    """
    picture = pdfium.PdfDocument(raw(seen))[0].render(grayscale=True).to_pil().convert("L")
    high = top // strips
    image = f"/Type /XObject /Subtype /Image /Width 600 /Height {high} /BitsPerComponent 8 /ColorSpace /DeviceGray"
    parts = [picture.crop((0, 800 - high * (strip + 1), 600, 800 - high * strip)) for strip in range(strips)]
    drawn = "".join(f"q 600 0 0 {high} 0 {high * strip} cm /Im{strip} Do Q\n" for strip in range(strips))
    return raw(
        layer.replace("SCAN", drawn),
        resources=f"/XObject << {' '.join(f'/Im{strip} {6 + strip} 0 R' for strip in range(strips))} >>",
        objects=tuple(stream(part.tobytes().decode("latin-1"), image) for part in parts),
    )
