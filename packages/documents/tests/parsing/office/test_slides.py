"""A slide is a page and a section (N3)."""

# Charts have no types in python-pptx.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import re
from typing import cast

import pytest
from pptx.chart.data import CategoryChartData, ChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.presentation import Presentation
from pptx.shapes.graphfrm import GraphicFrame
from pptx.util import Cm

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentEmpty, DocumentTooLarge, DocumentUnreadable
from citewell_documents.parsing import ParseLimits, parse
from citewell_verify.errors import CitewellError
from document_material.office_files import (
    add_box,
    add_slide,
    check_places,
    outline,
    slides,
    tables,
    with_part,
)
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=5, max_chars=5_000)


def read(data: bytes) -> ParsedDocument:
    parsed = parse(data, "a.pptx", LIMITS)
    check_places(parsed)
    return parsed


def test_slides_are_pages_with_their_titles_and_notes() -> None:
    # N3
    def write(presentation: Presentation) -> None:
        first = add_slide(presentation, "Returns")
        add_box(first, "Right", Cm(10), Cm(5.1))
        add_box(first, "Below", Cm(1), Cm(9))
        add_box(first, "Left", Cm(1), Cm(5))
        notes = first.notes_slide.notes_text_frame
        assert notes is not None
        notes.text = "Say it slowly."
        hidden = add_slide(presentation)
        hidden.element.set("show", "0")
        add_box(hidden, "Hidden text", Cm(1), Cm(1))
        add_slide(presentation)
        add_slide(presentation, "End")
        presentation.core_properties.title = "PowerPoint Presentation"
        presentation.core_properties.author = "Ada"

    parsed = read(slides(write))
    assert [parsed.text[page.start : page.end] for page in parsed.pages] == [
        "Returns\n\nLeft\n\nRight\n\nBelow\n\nNotes\n\nSay it slowly.",
        "",
        "",
        "End",
    ]
    assert outline(parsed) == ["Returns", "Returns > Notes", "End"]
    assert parsed.found["hidden_text"] == "2 words on page 2: marked as hidden"
    assert parsed.found["author"] == "Ada"
    assert "title" not in parsed.found


def test_groups_tables_and_bullets_are_read() -> None:
    def write(presentation: Presentation) -> None:
        slide = add_slide(presentation, "Fees")
        add_box(slide, "last", Cm(1), Cm(15))
        group = slide.shapes.add_group_shape([add_box(slide, "grouped", Cm(1), Cm(4))])
        group.shapes.add_textbox(Cm(1), Cm(5), Cm(1), Cm(1)).text_frame.text = "too"
        table = slide.shapes.add_table(4, 3, Cm(1), Cm(8), Cm(9), Cm(4)).table
        texts = ["Region", "2025", "", "", "Q1", "Q2", "North", "1", "2", "", "3", "4"]
        for index, text in enumerate(texts):
            table.cell(index // 3, index % 3).text = text
        table.cell(0, 1).merge(table.cell(0, 2))
        table.cell(0, 0).merge(table.cell(1, 0))
        table.cell(2, 0).merge(table.cell(3, 0))

    parsed = read(slides(write))
    assert parsed.text.startswith("Fees\n\ngrouped\n\ntoo\n\nRegion\t2025 Q1")
    assert parsed.text.endswith("\n\nlast")
    assert tables(parsed) == [("Region\t2025 Q1\t2025 Q2", "North\t1\t2\nNorth\t3\t4")]


def test_numbers_and_bullets_of_paragraphs_are_kept() -> None:
    def write(presentation: Presentation) -> None:
        box = add_box(add_slide(presentation, "Steps"), "one\ntwo\npoint\nthree", Cm(1), Cm(5))
        names = ("buAutoNum", "buAutoNum", "buChar", "buAutoNum")
        for paragraph, name in zip(box.text_frame.paragraphs, names, strict=True):
            element = paragraph._p.get_or_add_pPr()  # pyright: ignore[reportPrivateUsage]
            mark = element.makeelement("{http://schemas.openxmlformats.org/drawingml/2006/main}" + name)
            mark.set("type" if name == "buAutoNum" else "char", "alphaLcParenR" if name == "buAutoNum" else "-")
            element.append(mark)

    assert read(slides(write)).text == "Steps\n\na) one\nb) two\n• point\na) three"


def test_the_data_of_a_chart_is_a_table_with_its_title() -> None:
    # N3
    def write(presentation: Presentation) -> None:
        data = CategoryChartData()
        data.categories = ["2024", "2025"]
        data.add_series("Ducks", (1.5, 4.3))
        data.add_series("Geese", (None, 7))
        shapes = add_slide(presentation).shapes
        chart = shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Cm(1), Cm(1), Cm(9), Cm(9), cast(ChartData, data))
        cast(GraphicFrame, chart).chart.chart_title.text_frame.text = "Birds"
        points = XyChartData()
        series = points.add_series("Speed")
        series.add_data_point(1, 20)
        shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, Cm(1), Cm(12), Cm(9), Cm(9), cast(ChartData, points))

    parsed = read(slides(write))
    assert parsed.text.startswith("Slide 1\n\nBirds\n\n\tDucks\tGeese\n2024\t1.5\n2025\t4.3\t7")
    assert tables(parsed)[1] == ("\tSpeed", "1\t20")


GOOD = slides(lambda presentation: add_slide(presentation, "Text"))


@for_all_rows(
    ("data", "error", "message"),
    [
        (slides(add_slide), DocumentEmpty, "a.pptx contains no text"),
        (with_part(GOOD, "ppt/slides/slide1.xml", b"<p:sld>"), DocumentUnreadable, "cannot be read as a PowerPoint"),
        (with_part(GOOD, "ppt/slides/slide1.xml", None), DocumentUnreadable, "cannot be read as a PowerPoint"),
        (GOOD[:-200], DocumentUnreadable, "cannot be opened as a zip archive"),
        (slides(lambda all_: [add_slide(all_) for _ in range(6)]), DocumentTooLarge, "more than 5 pages"),
    ],
)
def test_a_broken_empty_or_endless_file_is_explained(data: bytes, error: type[CitewellError], message: str) -> None:
    # A8
    with pytest.raises(error, match=re.escape(message)):
        read(data)
