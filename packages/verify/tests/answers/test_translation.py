"""Citations in the notations of other systems are read as citations, or taken out and reported (N2, V5)."""

import pytest

from citewell_verify.answers.external_citations import GivenCitation, as_given, marked_translation
from citewell_verify.answers.statements import statements
from citewell_verify.answers.translation import own_numbers, translated
from citewell_verify.markers.citable import citable_sources
from verify_material.rows import for_all_rows

SOURCES = citable_sources(
    [
        {"title": "refund.md", "id": "doc-a", "url": "https://shop.example/refund"},
        {"title": "warranty.pdf", "id": "doc-b", "url": "https://shop.example/warranty"},
        {"title": "shipping.md", "id": "doc-c"},
    ]
)
SAID = ("Returns take 30 days", "The warranty lasts 24 months", "Express costs 12 euros")
NUMBERED = (
    "[ID:N] ##N$$ 【N†source】 [#N] [@N] [SN] [Context_N] [webpage_N] <co>N</co> \\cite{N} {{N}} {N} ^N^"
    " (N) †N ‡N ((N)) <<N>>"
    ""
    " [QuelleN] [fileN] [자료N] (문서N) [文档N] [N|x] [DN:p2] \\footcite{N} <doc>N</doc>"
    " @@N@@ [source_N]"
).split()
NAMED = (
    "[NAME] (NAME) `NAME` {NAME} [NAME,p.1] [NAME#L3] [NAME:12] [NAME§2] 【4:0†NAME】 (ID) [ID] [[ID]] [^ID]"
    " [doc_id:ID] [KB]_NAME"
).split()


def _read(markers: tuple[str, str, str], first_number: int | None = None) -> list[tuple[str, tuple[int, ...]]]:
    answer = " ".join(f"{said} {marker}." for said, marker in zip(SAID, markers, strict=True))
    text = translated(answer, SOURCES, first_number).text
    return [(statement.text.rstrip("."), statement.numbers) for statement in statements(text, SOURCES)]


def _named(form: str) -> tuple[str, str, str]:
    names = (("refund.md", "doc-a"), ("warranty.pdf", "doc-b"), ("shipping.md", "doc-c"))
    first, second, third = (form.replace("_", " ").replace("NAME", name).replace("ID", own) for name, own in names)
    return first, second, third


def _numbered(form: str, first: int = 1) -> tuple[str, str, str]:
    first_form, second_form, third_form = (form.replace("N", str(number)) for number in range(first, first + 3))
    return first_form, second_form, third_form


CITED = [(said, (number,)) for number, said in enumerate(SAID, start=1)]


@for_all_rows("form", NUMBERED)
def test_a_number_of_a_source_in_any_frame_cites_it(form: str) -> None:  # V5
    assert _read(_numbered(form)) == CITED


@pytest.mark.parametrize("markers", [("①", "②", "③"), ("❶", "❷", "❸"), ("⑴", "⑵", "⑶")])
def test_a_circled_number_behind_each_sentence_cites(markers: tuple[str, str, str]) -> None:  # V5
    assert _read(markers) == CITED


@pytest.mark.parametrize(
    "form", ["\ue200cite\ue202turn0searchN\ue201", "citeturn0searchN", "《文档N》", "<source id='N'/>"]
)
def test_signs_that_one_system_writes_cite(form: str) -> None:  # V5
    assert _read(_numbered(form, first=0 if "turn" in form else 1)) == CITED


@pytest.mark.parametrize("name", ["— NAME", "4, NAME"])
def test_a_name_behind_a_dash_or_a_number_cites(name: str) -> None:  # V5
    assert _read(_named(name if "—" in name else f"[{name}]")) == CITED


@for_all_rows("form", NAMED)
def test_a_name_of_a_source_in_any_frame_cites_it(form: str) -> None:  # V5
    assert _read(_named(form)) == CITED


@pytest.mark.parametrize("form", ["[ID:N]", "##N$$", "[N]", "[S N]"])
def test_numbers_with_a_nought_and_without_the_last_source_count_from_nought(form: str) -> None:  # V5
    assert _read(_numbered(form, first=0)) == CITED


def test_the_request_says_where_numbers_begin() -> None:  # V5
    assert _read(("[1]", "[1]", "[2]"), first_number=0) == [(SAID[0], (2,)), (SAID[1], (2,)), (SAID[2], (3,))]
    assert _read(("[0]", "[1]", "[2]"), first_number=1)[1] == (SAID[1], (1,))


@pytest.mark.parametrize("markers", [("[p. 1]", "[p. 3]", "[p. 1]"), ("[terms.pdf]", "[rules.docx]", "[prices.xlsx]")])
def test_what_names_no_source_is_no_part_of_a_claim_and_reported(markers: tuple[str, str, str]) -> None:  # V5
    answer = " ".join(f"{said} {marker}." for said, marker in zip(SAID, markers, strict=True))
    translation = translated(answer, SOURCES)
    assert translation.text == ". ".join(SAID) + "."
    assert tuple(answer[start:end] for start, end in translation.unread) == markers


@for_all_rows(
    "answer",
    [
        "There are two ways: (1) by post, and (2) in person. Both are free.",
        "(1) Open the box.\n(2) Take out the cable.\n(3) Plug it in.",
        "① Open the box.\n② Take out the cable.\n③ Plug it in.",
        # An author with a year cannot be told from a place with one.
        "The accord was signed (Paris, 2015). It ended (Bonn, 2016).",
        "Drug A is safe [Phase 2]. Drug B is safe [Grade 3].",
        "The offer closes [May 3].",
        "Refunds are granted [Not 2]. Fees are due [Not 1].",
        "- Net income of Q1: (3)\n- Net income of Q2: (2)",
        "The number of days is {{3}}. The number of items is ((2)).",
        "Refunds take five days \\footnote{plus a fee of 99 dollars}.",
        "You get <answer>3</answer>. Refunds take <time>2</time>.",
        "Refunds take five days [not 30]. Exchanges take two days [not 10].",
        "Errors found (0). Warnings found (1). Refunds take five days [1].",
        "Track one lasts long (3:24). Track two is short (1:31).",
        "Phase trials succeeded (Phase 1). Later ones failed (Phase 2).",
        "The treaty was signed (Paris, 2015).",
        "Dennis Wiersma (born 1986). Pia Dijkstra (born 1954).",
        "The installer reads `refund.md`. It then uses `shipping.md`.",
        "The call is selector.at(0). The other is selector.at(1).",
        "Set mask=[0,0,1] and x = array([1,4,7]).",
        "See section 4(1). See also section 4(2).",
        "The set is {1}. Its area is 5 m^2^.",
        "It is 20 \\boxed{2}. It is ranked #1.",
        "| Team | Cups (2) |\n|---|---|\n| Reds (3) | 4 |",
        "<b>1</b> and H<sub>2</sub>O are <i>2</i>.",
    ],
)
def test_what_is_content_stays(answer: str) -> None:  # V5
    assert translated(answer, SOURCES).text == answer


@for_all_rows(
    "entries",
    [
        "[^1]: warranty.pdf\n[^2]: refund.md",
        "References:\n1. warranty.pdf\n2. refund.md",
        "## Sources\n- [1] https://shop.example/warranty\n- [2] doc-a",
        "References: [1] warranty.pdf, [2] refund.md",
        "참고문헌\n[1] warranty.pdf\n[2] refund.md",
    ],
)
def test_an_answers_own_list_says_what_its_numbers_mean(entries: str) -> None:  # V5
    marker = "[^{}]" if "^" in entries else "[{}]"
    answer = f"{SAID[1]} {marker.format(1)}. {SAID[0]} {marker.format(2)}.\n\n{entries}"
    read = statements(translated(answer, SOURCES).text, SOURCES)
    assert [(statement.text.rstrip("."), statement.numbers) for statement in read] == [(SAID[1], (2,)), (SAID[0], (1,))]


def test_a_list_in_the_order_of_the_sources_changes_nothing() -> None:  # V5
    assert own_numbers("So [1].\n\nReferences:\n[1] refund.md\n[3] shipping.md", SOURCES) == {}


def test_a_number_that_the_list_gives_another_document_cites_no_source() -> None:  # V5
    answer = "So it is said [1]. And so is that [2].\n\nReferences:\n[1] warranty.pdf\n[2] other.pdf"
    first, second = statements(translated(answer, SOURCES).text, SOURCES)
    assert (first.numbers, second.numbers, second.missing) == ((2,), (), ("other.pdf",))


def test_places_are_those_of_the_answer_as_given() -> None:  # N2
    answer = f"[p. 1] {SAID[0]} [ID:0]. {SAID[1]} ##1$$ [p. 2]. {SAID[2]} [ID:2]."
    translation = translated(answer, SOURCES)
    start = answer.index(SAID[2])
    marked = marked_translation(translation, [GivenCitation(start, start + len(SAID[2]), 1)], SOURCES)
    read = statements(marked.text, SOURCES)
    assert read[-1].numbers == (1, 3)
    for said, statement in zip(SAID, read, strict=True):
        first = as_given(statement.start, marked.inserted, opens=True)
        assert answer[first : first + len(said)] == said
