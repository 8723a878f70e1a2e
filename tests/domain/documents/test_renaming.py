"""What a correction renames, and which headings it removes (N3)."""

from hypothesis import given
from hypothesis import strategies as st

from citewell_documents.document import TextChunk
from domain.documents.corrections import replacement
from domain.documents.renaming import CorrectedSections, Renaming, renamed_heads

LONG = " ".join(f"Parcel {number} is sent on the day on which it was ordered." for number in range(9))


def titles(old: str, new: str, *headings: str) -> list[str]:
    """The new titles of the sections below these headings."""
    sections = [[named, old.index(named) - 2, len(old)] for named in headings]
    return [named.new for named in CorrectedSections.of(sections, old, new, replacement(0, old, new)).renamings]


def test_a_heading_is_renamed_also_if_what_stands_before_it_is_corrected_too() -> None:
    old = "Shiping is free.\n\n# Retruns\n\nWithin 14 days."
    assert titles(old, old.replace("Retruns", "Returns"), "Retruns") == ["Returns"]
    assert titles(old, old.replace("Shiping", "Shipping").replace("Retruns", "Returns"), "Retruns") == ["Returns"]


def test_two_headings_are_renamed_at_once() -> None:
    old = "# Shiping\n\nFree.\n\n# Retruns\n\nWithin 14 days."
    new = old.replace("Shiping", "Shipping").replace("Retruns", "Returns")
    assert titles(old, new, "Shiping", "Retruns") == ["Shipping", "Returns"]


def sections_after(old: str, new: str, *lines: str) -> list[tuple[str, str]]:
    """The titles of the sections below these lines of the text `old`, with the texts that they have in `new`."""
    starts = [old.index(f"{line}\n") for line in lines]
    titles = [line.strip("# *") for line in lines]
    stored = [list(section) for section in zip(titles, starts, [*starts[1:], len(old)], strict=True)]
    corrected = CorrectedSections.of(stored, old, new, replacement(0, old, new))
    return [(title, new[start:end]) for title, start, end in corrected.sections]


def test_a_removed_heading_is_gone_and_its_text_belongs_to_the_section_above() -> None:
    for mark in ("## ", ""):
        old = f"{mark}Top\n\nIntro.\n\n{mark}Alpha\n\nAll parts. More.\n\n{mark}Omega\n\nEnd."
        lines = (f"{mark}Top", f"{mark}Alpha", f"{mark}Omega")
        for put in ("", "The part list. ", "A list. ", f"{LONG}\n\n", "One line\nand another.\n\n"):
            new = old.replace(f"{mark}Alpha\n\n", put)
            top = f"{mark}Top\n\nIntro.\n\n{put}All parts. More.\n\n"
            assert sections_after(old, new, *lines) == [("Top", top), ("Omega", f"{mark}Omega\n\nEnd.")], put


def test_a_heading_that_is_removed_before_another_one_leaves_that_as_it_is() -> None:
    old = "# Top\n\n## Alpha\n\n## Beta\n\nText.\n"
    new = old.replace("## Alpha\n\n", "")
    assert sections_after(old, new, "# Top", "## Alpha", "## Beta") == [
        ("Top", "# Top\n\n"),
        ("Beta", "## Beta\n\nText.\n"),
    ]
    changed = new.replace("Text", "Words")
    assert [title for title, _ in sections_after(old, changed, "# Top", "## Alpha", "## Beta")] == ["Top", "Beta"]


def test_a_first_heading_that_is_removed_leaves_text_without_a_section() -> None:
    old = "# Top\n\nIntro.\n\n# Omega\n\nEnd.\n"
    assert sections_after(old, old.replace("# Top\n\n", ""), "# Top", "# Omega") == [("Omega", "# Omega\n\nEnd.\n")]


def test_a_line_of_markdown_without_its_mark_is_no_heading_any_more() -> None:
    old = "# Top\n\nIntro.\n\n## Alpha\n\nParts.\n"
    for put in ("Alpha", "The part list.", "#Alpha"):
        assert [title for title, _ in sections_after(old, old.replace("## Alpha", put), "# Top", "## Alpha")] == ["Top"]
    old = "Top\n===\n\nIntro.\n\nAlpha\n-----\n\nParts.\n"
    assert [title for title, _ in sections_after(old, old.replace("\n-----", ""), "Top", "Alpha")] == ["Top"]
    assert [title for title, _ in sections_after(old, old.replace("Alpha", "Beta"), "Top", "Alpha")] == ["Top", "Beta"]
    bold = "# Top\n\n## **Alpha**\n\nParts.\n"
    assert [
        title for title, _ in sections_after(bold, bold.replace("## **Alpha**\n\n", ""), "# Top", "## **Alpha**")
    ] == ["Top"]


def test_a_line_without_a_mark_stays_a_heading_when_another_short_line_replaces_it() -> None:
    old = "Top\n\nIntro.\n\nAlpha\n\nParts are listed.\n"
    for put in ("Beta", "All of the alphabet", "Alpha: 1. edition"):
        assert sections_after(old, old.replace("Alpha", put), "Top", "Alpha")[1] == (
            put,
            f"{put}\n\nParts are listed.\n",
        )
    both = old.replace("Alpha", "Beta").replace("Parts", "All parts")
    assert sections_after(old, both, "Top", "Alpha")[1] == ("Beta", "Beta\n\nAll parts are listed.\n")


def test_words_that_are_added_behind_a_title_belong_to_it_unless_a_paragraph_does() -> None:
    for mark in ("## ", ""):
        old = f"{mark}Top\n\nIntro.\n\n{mark}Alpha\n\n{LONG}\n"
        lines = (f"{mark}Top", f"{mark}Alpha")
        longer, joined = old.replace("Alpha", "Alpha and more"), old.replace("Alpha\n\n", "Alpha has it: ")
        assert [title for title, _ in sections_after(old, longer, *lines)] == ["Top", "Alpha and more"]
        assert [title for title, _ in sections_after(old, joined, *lines)] == ["Top"]


def test_text_that_is_added_above_a_heading_belongs_to_the_section_above() -> None:
    for mark in ("# ", ""):
        old = f"{mark}Top\n\nIntro.\n\n{mark}Alpha\n\nParts.\n"
        new = old.replace(f"{mark}Alpha", f"More of it.\n\n{mark}Alpha").replace("Parts", "Words")
        for corrected in (new, new.replace("Words", "Parts")):
            assert [title for title, _ in sections_after(old, corrected, f"{mark}Top", f"{mark}Alpha")] == [
                "Top",
                "Alpha",
            ]
            assert sections_after(old, corrected, f"{mark}Top", f"{mark}Alpha")[0][1].endswith("More of it.\n\n")


LINES = st.lists(st.sampled_from(["# A", "## B", "A", "B", "---", "One.", "", "", "#A"]), max_size=9)


@given(LINES, LINES, st.sets(st.integers(0, 8)))
def test_whatever_is_corrected_the_sections_are_in_order_without_gaps(
    before: list[str], after: list[str], below: set[int]
) -> None:
    old, new = "\n".join(before) + "\nx", "\n".join(after) + "\nx"
    places = [place for place in sorted(below) if place < len(before) and before[place].strip("# -")]
    starts = [len("\n".join([*before[:place], ""])) for place in places]
    ends = [*starts[1:], len(old)][: len(starts)]
    stored = [list(named) for named in zip((before[place].strip("# ") for place in places), starts, ends, strict=True)]
    change = replacement(0, old, new) if old != new else replacement(0, old, new := new + "y")
    corrected = CorrectedSections.of(stored, old, new, change)
    assert all(new[start : start + 9].lstrip("# \t").startswith(title) for title, start, _ in corrected.sections)
    assert all(title and start < end for title, start, end in corrected.sections)
    assert [end for _, _, end in corrected.sections] == [*(start for _, start, _ in corrected.sections[1:]), len(new)][
        : len(corrected.sections)
    ]
    assert len(stored) - len(corrected.sections) == sum(not named.new for named in corrected.renamings)


def test_parts_of_code_have_no_headings_that_could_be_removed() -> None:
    old = "# one\nx = 1\n# two\ny = 2\n"
    stored = [["lines 1–2", 0, 12], ["lines 3–4", 12, len(old)]]
    new = old.replace("# two\n", "")
    assert CorrectedSections.of(stored, old, new, replacement(0, old, new)).sections == [
        ["lines 1–2", 0, 12],
        ["lines 3–4", 12, len(new)],
    ]


def test_passages_below_a_removed_heading_have_the_section_above_in_their_context() -> None:
    def passage(section: str, context: str | None, text: str = "The words.") -> TextChunk:
        return TextChunk(0, 0, len(text), text, None, section, context)

    below_top = Renaming("Alpha", "", 0, 9, above="Top")
    beside = Renaming("Alpha", "", 0, 9, above="Beta")
    first = Renaming("Alpha", "", 0, 9)
    for renaming, section, before, after in (
        (below_top, "Alpha", "Top › Alpha", ("Top", "Top")),
        (below_top, "Alpha", None, ("Top", "Top")),
        (below_top, "Child", "Top › Alpha › Child", ("Child", "Top › Child")),
        (beside, "Alpha", "Top › Alpha", ("Beta", "Top › Beta")),
        (beside, "Alpha", "Top", ("Beta", "Top › Beta")),
        (beside, "Alpha", "Alpha\t\nName\tPrice", ("Beta", "Beta\nName\tPrice")),
        (first, "Alpha", "Alpha", (None, None)),
        (first, "Alpha", None, (None, None)),
        (first, "Other", "Name\tPrice", ("Other", "Name\tPrice")),
    ):
        made = renaming.applied(passage(section, before))
        assert (made.section, made.context) == after, (renaming, before)
    assert below_top.applied(passage("Alpha", None, "Top\n\nIntro.")).context is None


def test_the_unit_above_a_table_is_renamed() -> None:
    old = "Statements\n(단위 : 천원)\n\n과목\t제31기\n자산\t5"
    renaming = renamed_heads(old, old.replace("천원", "백만원"), replacement(0, old, old.replace("천원", "백만원")))
    assert renaming is not None
    assert (renaming.old, renaming.new) == ("(단위 : 천원)", "(단위 : 백만원)")
