"""Markup of documentation, notebooks, settings files and logs: read as they are written, with their headings."""

import json
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_documents.errors import DocumentEmpty, DocumentTooLarge, DocumentUnreadable
from citewell_documents.parsing import ParseLimits, parse
from citewell_verify.errors import CitewellError
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=3, max_chars=5_000)
RST = "======\nGarden\n======\n\nWater daily.\n\nTools\n~~~~~\n\nA rake.\n\n+---+---+\n| a | b |\n+---+---+\n"
ADOC = "= Garden\n\nWater daily.\n\n----\n== no heading\n----\n\n== Tools\n\nA rake.\n"
TEX = (
    "\\documentclass{article}\\title{The \\emph{garden}}\n\\begin{document}\n\\section{Water \\textbf{daily}}\n"
    "Twice, 50\\% of it.\n\\subsection*{Tools}\nA rake.\n\\end{document}\n"
)


@pytest.mark.parametrize(
    ("name", "text", "paths"),
    [
        ("garden.rst", RST, [("Garden",), ("Garden", "Tools")]),
        ("garden.adoc", ADOC, [("Garden",), ("Garden", "Tools")]),
        ("garden.TEX", TEX, [("Water daily",), ("Water daily", "Tools")]),
    ],
)
def test_markup_is_kept_as_it_is_written_and_has_its_headings(
    name: str, text: str, paths: list[tuple[str, ...]]
) -> None:  # N3
    document = parse(text.encode(), name, LIMITS)
    assert document.text == text
    assert [section.path for section in document.sections] == paths


def test_lines_that_are_comments_of_latex_are_no_text() -> None:  # issue 42
    written = "  % 7\nFee 50\\% of 9. % 7\n\\begin{BVerbatim}\n% 9\n\\end{BVerbatim}\n% \\section{7}\nNine\n"
    seen = "Fee 50\\% of 9. % 7\n\\begin{BVerbatim}\n% 9\n\\end{BVerbatim}\nNine\n"
    assert parse(written.encode(), "a.tex", LIMITS).text == seen


def test_the_title_of_a_latex_document_is_found() -> None:
    assert parse(TEX.replace("\\emph{garden}", "garden").encode(), "a.tex", LIMITS).found == {"title": "The garden"}


def test_a_notebook_has_its_text_code_and_output() -> None:  # N3
    cells = [
        {"cell_type": "markdown", "source": ["# Trip\n", "It costs 410 dollars.\n", "## Bus\n", "Line 7."]},
        {
            "cell_type": "code",
            "source": "print(fare)",
            "outputs": [
                {"output_type": "stream", "text": ["fare 12\n"]},
                {"output_type": "execute_result", "data": {"text/plain": "<Figure>", "image/png": "iVBOR"}},
                {"output_type": "error", "traceback": ["secret"]},
            ],
        },
        "no cell",
    ]
    document = parse(json.dumps({"cells": cells}).encode(), "trip.ipynb", LIMITS)
    assert document.text == "Trip\n\nIt costs 410 dollars.\n\nBus\n\nLine 7.\n\nprint(fare)\n\nOutput:\nfare 12"
    assert [section.path for section in document.sections] == [("Trip",), ("Trip", "Bus")]


def test_html_in_a_notebook_is_read_as_a_reader_sees_it() -> None:  # N3
    outputs = [
        {"output_type": "display_data", "data": {"text/html": ["<p>The total ", "is 88.</p><p hidden>Draft</p>"]}},
        {"output_type": "display_data", "data": {"text/markdown": "The rest is 99."}},
    ]
    cells = [
        {
            "cell_type": "markdown",
            "source": "It costs <i hidden>1</i>410 dollars.\n\n<div><p>Bus 7<p style='display:none'>Bus 8</div>",
        },
        {"cell_type": "code", "source": "show()", "outputs": outputs},
    ]
    document = parse(json.dumps({"cells": cells}).encode(), "trip.ipynb", LIMITS)
    assert document.text == "It costs 410 dollars.\n\nBus 7\n\nshow()\n\nThe total is 88.\n\nThe rest is 99."


@for_all_rows("data", [b"{}", b"[]", b'{"cells": 7}', b"{", b"[" * 100_000, b'{"worksheets": []}'])
def test_what_is_no_notebook_is_told_so(data: bytes) -> None:  # A8
    with pytest.raises(DocumentUnreadable, match="is no notebook of today"):
        parse(data, "a.ipynb", replace(LIMITS, max_chars=200_000))


@for_all_rows("suffix", [".rst", ".adoc", ".tex", ".ipynb", ".log", ".ini", ".properties"])
def test_an_empty_or_endless_file_of_these_kinds_is_refused(suffix: str) -> None:  # A8
    with pytest.raises(DocumentEmpty, match=r"empty|no text"):
        parse({".ipynb": b'{"cells": []}', ".tex": b"% 7\n"}.get(suffix, b" \n "), f"a{suffix}", LIMITS)
    with pytest.raises(DocumentTooLarge, match="the limit is 5,000"):
        parse(b"x" * 6_000, f"a{suffix}", LIMITS)


_DAMAGED = {
    "a.rst": RST.encode(),
    "a.adoc": ADOC.encode(),
    "a.tex": TEX.encode(),
    "a.ipynb": json.dumps({"cells": [{"cell_type": "markdown", "source": ["# Trip\n", "Bus"]}]}).encode(),
    "a.rtf": rb"{\rtf1\ansi{\fonttbl{\f0 A;}}{\header H 1}A{\footnote B}{\*\atnauthor C}{\*\annotation D}\par}",
    "a.md": b"# A\n\na<br>b\n\n<table>\n\n<tr><td>1</td><td>2</td></tr>\n</table>\n\n<details>x</details>\n",
    "a.csv": "Nazwa;Cena\nŁódź;1200\n".encode("cp1250"),
    "b.txt": "緑茶は百円です。".encode("euc_jp"),
    "c.txt": "Ключ лежит под ковриком.\n".encode("utf-16-le"),
}


@given(st.sampled_from([*_DAMAGED]), st.integers(0, 400), st.binary(max_size=6), st.integers(0, 400))
def test_damage_in_any_of_these_gives_a_document_or_a_citewell_error(
    name: str, position: int, damage: bytes, length: int
) -> None:  # A8
    data = _DAMAGED[name]
    position %= len(data)
    with suppress(CitewellError):
        document = parse(data[:position] + damage + data[position + length :], name, LIMITS)
        assert "\0" not in document.text


def test_text_is_read_in_the_encoding_that_is_named_for_it() -> None:  # A8
    for suffix, text in ((".csv", "İsim;Yaş\nAyşe;41\n"), (".txt", "İsim"), (".html", "<p>İsim</p>")):
        document = parse(text.encode("cp1254"), f"a{suffix}", replace(LIMITS, encoding="Windows-1254"))
        assert "İsim" in document.text
    for wrong in ("idna", "zip", "no such", "utf-8", "ascii"):
        with pytest.raises(DocumentUnreadable, match="is not text in the encoding that its metadata name"):
            parse(b"\xfe\x81 a", "a.txt", replace(LIMITS, encoding=wrong))
