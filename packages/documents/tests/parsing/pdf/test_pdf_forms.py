"""Forms are read as they are filled in, and what people added to a page says what it is."""

import pytest

from citewell_documents.boxes import are_sound
from citewell_documents.errors import DocumentEmpty, DocumentUnreadable
from citewell_documents.parsing import ParseLimits, parse
from document_material.pdf_files import raw, stream
from document_material.pdf_hidden import words

LIMITS = ParseLimits(max_pages=50, max_chars=100_000)
FONT = " /Resources << /Font << /F1 4 0 R >> >>"


def field(value: str, place: str, flags: int = 4) -> str:
    return (
        f"<< /Type /Annot /Subtype /Widget /FT /Tx /F {flags} /T (f{place}) /V ({value}) /DA (/F1 11 Tf 0 g)"
        f" /Rect [{place}] >>"
    )


def box(name: str, place: str, *, ticked: bool) -> str:
    state = "/Yes" if ticked else "/Off"
    return (
        f"<< /Type /Annot /Subtype /Widget /FT /Btn /F 4 /T ({name}) /V {state} /AS {state} /Rect [{place}]"
        " /AP << /N << /Yes 6 0 R /Off 7 0 R >> >> >>"
    )


def filled(content: str, *fields: str, root: str = "") -> bytes:
    """A form whose fields are the objects from 8 on."""
    references = " ".join(f"{number} 0 R" for number in range(8, 8 + len(fields)))
    marks = [stream(mark, "/Type /XObject /Subtype /Form /BBox [0 0 10 10]") for mark in ("0 0 10 10 re f", "")]
    form = f"/AcroForm << /Fields [{references}] /NeedAppearances true /DR << /Font << /F1 4 0 R >> >> {root} >>"
    return raw(content, page=f"/Annots [{references}]", root=form, objects=(*marks, *fields))


def test_values_stand_beside_their_labels() -> None:
    labels = words("Tenant", 700) + words("Flat", 700, x=300) + words("Rent per month", 670)
    form = filled(
        labels,
        field("940 euros", "180 665 290 685"),
        field("3B", "340 695 420 715"),
        field("Oskar Lind", "130 695 280 715"),
        field("Only printed", "180 625 290 645", 32),
    )
    assert parse(form, "lease.pdf", LIMITS).text == "Tenant: Oskar Lind\tFlat: 3B\n\nRent per month: 940 euros"


def test_values_below_their_labels_follow_them() -> None:
    labels = words("Name of the ship", 700) + words("Port", 640)
    form = filled(labels, field("Sirius", "72 670 200 690"), field("Oban", "72 610 200 630"))
    assert parse(form, "ship.pdf", LIMITS).text.split() == ["Name", "of", "the", "ship", "Sirius", "Port", "Oban"]


def test_boxes_say_whether_they_are_ticked() -> None:
    labels = words("Smoker:", 700) + words("yes", 700, x=150) + words("no", 700, x=220)
    form = filled(labels, box("y", "135 698 147 710", ticked=False), box("n", "205 698 217 710", ticked=True))
    assert parse(form, "smoker.pdf", LIMITS).text.replace("\t", " ") == "Smoker: ☐ yes ☑ no"


def test_a_form_that_only_one_program_shows_is_refused() -> None:
    form = "/AcroForm << /Fields [] /XFA [(template) 6 0 R] >>"
    shell = raw(words("Please wait..."), root=form, objects=(stream("<template/>"),))
    with pytest.raises(DocumentUnreadable, match=r"form \(XFA\).*print it there"):
        parse(shell, "shell.pdf", LIMITS)


def test_files_within_a_pdf_are_named() -> None:
    files = (
        "<< /Type /Filespec /F (terms.pdf) /UF (terms.pdf) /EF << /F 7 0 R >> >>",
        stream("x", "/Type /EmbeddedFile"),
    )
    root = "/Names << /EmbeddedFiles << /Names [(a) 6 0 R] >> >>"
    portfolio = raw(words("For the best experience, open this portfolio elsewhere."), root=root, objects=files)
    assert parse(portfolio, "portfolio.pdf", LIMITS).found["unread_attachments"] == "terms.pdf"
    with pytest.raises(DocumentEmpty, match=r"holds other files \(terms.pdf\): save and ingest those"):
        parse(raw("", root=root, objects=files), "portfolio.pdf", LIMITS)
    pin = "<< /Type /Annot /Subtype /FileAttachment /Rect [9 9 30 30] /FS 6 0 R /Contents (of May) /F 4 >>"
    pinned = raw(words("Terms are pinned here."), page=f"/Annots [{pin}]", objects=files)
    assert parse(pinned, "pinned.pdf", LIMITS).text == "Terms are pinned here.\n\nAttachment: terms.pdf (of May)"


def test_notes_are_said_to_be_comments_and_text_on_the_page_is_text() -> None:
    notes = (
        "<< /Type /Annot /Subtype /Text /Rect [420 710 400 690] /F 4 /T (Ines) /Contents (Since May it is 95.) >>"
        " << /Type /Annot /Subtype /FreeText /Rect [72 500 300 520] /F 4 /Contents (The garage is extra.) >>"
        " << /Type /Annot /Subtype /Text /Rect [400 690 420 710] /F 2 /Contents (Unseen.) >>"
        " << /Type /Annot /Subtype /FreeText /Rect [72 400 300 420] /F 4 /AP << /N 6 0 R >> >>"
        " << /Type /Annot /Subtype /StrikeOut /Rect [72 300 140 320] /F 4 /Contents (Sold.) /AP << /N 7 0 R >> >>"
    )
    drawn = stream(words("Approved.", 5, x=0), "/Type /XObject /Subtype /Form /BBox [0 0 228 20]" + FONT)
    line = stream("1 0 0 RG 0 4 m 62 4 l S", "/Type /XObject /Subtype /Form /BBox [0 0 68 20]")
    page = words("The rent is 90 euros.", 600) + words("Cellar 12", 300)
    data = raw(page, page=f"/Annots [{notes}]", objects=(drawn, line))
    document = parse(data, "rent.pdf", LIMITS)
    assert sorted(document.text.split("\n\n")) == [
        "Approved.",
        "Comment by Ines: Since May it is 95.",
        "Comment: Sold.",
        "The garage is extra.",
        "The rent is 90 euros.",
    ]
    assert are_sound(document.boxes[0], 0, len(document.text))  # also where corners are named the other way round
