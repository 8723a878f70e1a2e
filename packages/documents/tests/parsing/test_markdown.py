"""Sections of Markdown and of plain text; the text stays unchanged."""

import re
import time
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_documents.parsing import ParseLimits, parse
from citewell_documents.parsing.text_builder import Heading, number_depth, sections_from
from citewell_verify.errors import CitewellError
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=10, max_chars=10_000)

GUIDE = """---
title: Guide
date: 2024-01-01
---
Before any heading.

# Guide to `tokens`

## **Access** [tokens](https://example.com)

```bash
# not a heading
```

    # indented code, not a heading

Refresh
tokens
------
- # in a list, not a section
> # quoted, not a section

### Scopes ###
#nothing
# Errors
"""


def paths(text: str, name: str = "guide.md") -> list[str]:
    return [" > ".join(section.path) for section in parse(text.encode(), name, LIMITS).sections]


def test_headings_of_both_kinds_give_sections_with_their_paths() -> None:
    assert paths(GUIDE) == [
        "Guide to tokens",
        "Guide to tokens > Access tokens",
        "Guide to tokens > Refresh tokens",
        "Guide to tokens > Refresh tokens > Scopes",
        "Errors",
    ]


def test_markdown_is_stored_as_it_is_and_sections_begin_at_their_headings() -> None:  # N3
    document = parse(GUIDE.replace("\n", "\r\n").encode("utf-8-sig"), "guide.markdown", LIMITS)
    assert document.text == GUIDE
    assert document.pages == ()
    assert [GUIDE[section.start :].split("\n")[0] for section in document.sections] == [
        "# Guide to `tokens`",
        "## **Access** [tokens](https://example.com)",
        "Refresh",
        "### Scopes ###",
        "# Errors",
    ]


def test_two_rules_are_not_front_matter() -> None:
    assert paths("---\nA line: with a colon\n\n# First\n\n---\n# Second\n") == ["First", "Second"]


@for_all_rows("text", ["---\n", "---\na: b", "#", "# \n", "```\n# open fence", "# 한글\r", "a\n=", "\n\n\n# x"])
def test_fragments_do_not_break_it(text: str) -> None:
    assert parse(text.encode(), "odd.md", LIMITS).text == text.replace("\r", "\n")


def test_underlined_lines_of_a_plain_text_are_headings() -> None:
    text = (
        "Policy\n======\n\nA refund.\n\nScope\n-----\nAll goods.\n\nnot one\nbecause of the line above\n----\n\n-----\n"
    )
    assert paths(text, "policy.txt") == ["Policy", "Policy > Scope"]


def test_plain_text_without_rules_has_no_sections() -> None:
    assert paths("1. Scope\n\nAll goods.\n\n# not Markdown\n", "policy.txt") == []


@given(st.lists(st.tuples(st.integers(0, 500), st.integers(1, 4)), unique_by=lambda pair: pair[0]))
def test_sections_cover_the_text_from_the_first_heading_on(headings: list[tuple[int, int]]) -> None:
    sections = sections_from([Heading(start, f"h{level}", (level,)) for start, level in headings], 600)
    assert [section.start for section in sections] == sorted(start for start, _ in headings)
    assert [section.end for section in sections] == [*(section.start for section in sections[1:]), 600][: len(sections)]
    for section in sections:
        assert section.path[-1] == section.title
        assert list(section.path) == sorted(set(section.path))


@for_all_rows(
    ("title", "depth"),
    [
        ("3 Returns", 1),
        ("3. Returns", 1),
        ("3.2 Returns", 2),
        ("3.2.1) Returns", 3),
        ("A.1 Proofs", 2),
        ("§ 4 Scope", 1),
        ("Returns", 0),
        ("2024", 0),
        ("A Study", 0),
        ("3.5 %", 0),
    ],
)
def test_the_number_of_a_heading_tells_its_depth(title: str, depth: int) -> None:
    assert number_depth(title) == depth


def test_html_in_markdown_is_what_a_reader_sees_of_it() -> None:  # N3
    text = (
        "# Rates\n\nUse `<br>` or a<br>b <b>bold</b>, x < y.<!-- gone -->\n\n```html\n<p>kept</p>\n```\n\n"
        "<details><summary>More</summary>Night shift.</details>\n\n"
        "<table>\n\n<tr><th>Grade</th><th>Days</th></tr>\n\n<tr><td>A|B</td><td>4</td></tr>\n</table>\n\n"
        "<p hidden>secret</p>\n\n<https://a.example>\n\n<h2>Last</h2>\n\nEnd.\n"
    )
    document = parse(text.encode(), "a.md", LIMITS)
    assert re.sub(r"\n{2,}", "\n\n", document.text) == (
        "# Rates\n\nUse `<br>` or a b bold, x < y.\n\n```html\n<p>kept</p>\n```\n\nMore\n\nNight shift.\n\n"
        "| Grade | Days |\n|---|---|\n| A\\|B | 4 |\n\n<https://a.example>\n\n# Last\n\nEnd.\n"
    )
    (table,) = document.tables
    assert document.text[table.start : table.header_end] == "| Grade | Days |\n|---|---|"


def test_a_markdown_file_that_is_a_web_page_is_read_as_one() -> None:  # N3
    page = b"<!DOCTYPE html><html><body><h1>Hours</h1><p>From nine.</p></body></html>"
    assert parse(page, "a.md", LIMITS).text == "Hours\n\nFrom nine."


@pytest.mark.parametrize("html", ["<div>" * 3_000, "<p " + "a " * 3_000 + ">", "<" * 9_000, "<table><tr>" * 900])
def test_hostile_html_in_markdown_is_read_or_refused_in_time(html: str) -> None:  # A8
    began = time.process_time()
    with suppress(CitewellError):
        parse(f"# A\n\n{html}\n\nEnd.\n".encode(), "a.md", replace(LIMITS, max_chars=50_000))
    assert time.process_time() - began < 5
