"""What an answer says where it is taken along is the same in every format."""

import io
import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

import pypdfium2
import pytest
from docx import Document
from selectolax.lexbor import LexborHTMLParser

from api.adapters.completions import places_at
from api.adapters.exports import FORMATS, exported, shared_page
from domain.exports.file_name import LONGEST, file_name
from domain.exports.taken_along import readable_words, taken_along
from verify_material.rows import for_all_rows

LINK = places_at("http://here.example")
PASSED = {"holds": True, "false_pass": 0.31, "reason": None}


def place(words: str, document: str, start: int, **over: Any) -> dict[str, Any]:
    at = {"document": document, "document_id": "d1", "page": 3, "section": "Lamps"}
    return {**at, "source_start": start, "source_end": start + len(words), "quote": words, **over}


def citation(number: int, words: str, start: int, answer: str, **over: Any) -> dict[str, Any]:
    at = answer.index(words[:9])
    said = {"number": number, "answer_start": at, "answer_end": answer.index(" [", at), "text_span": words}
    where = {"document_name": "lamps.pdf", "document_id": "d1", "page_number": 3, "section": "Lamps"}
    span = {"source_start": start, "source_end": start + len(words), "status": "accurate"}
    return {**said, **where, **span, **over}


def sentence(text: str, status: str, answer: str, **over: Any) -> dict[str, Any]:
    start = answer.index(text)
    told = {"start": start, "end": start + len(text), "text": text, "status": status, "reason": "", "support": None}
    return {**told, "evidence": None, "source": None, **over}


ANSWER = "The bulb lasts 900 hours. [1] The shade is made of brass. [1] The cable is long. [2]"
QUERY: dict[str, Any] = {
    "id": "0190d5a2-7c1e-7c3a-9d2f-6f1f7b0e4a11",
    "status": "succeeded",
    "error": None,
    "question": "How long does a bulb last?",
    "restated_question": "How long does a bulb of the lamp last?",
    "provider": "offline",
    "model": "offline",
    "created_at": "2026-03-01T08:14:00+00:00",
    "finished_at": "2026-03-01T08:15:30+00:00",
    "answer": ANSWER,
    "abstained": False,
    "abstain_reason": None,
    "references": ["[1] lamps.pdf, p.3", "[2] cables.md"],
    "citations": [
        citation(1, "The bulb lasts 900 hours.", 10, ANSWER),
        citation(1, "The shade is made of brass.", 60, ANSWER),
        citation(
            2, "The cable is 4 m long.", 5, ANSWER, document_name="cables.md", page_number=None, section=None,
            status="uncertain",
        ),
    ],
    "removed_citations": [3],
    "edits": [
        {"kind": "removed", "statement": 0, "number": 3, "reason": "it does not prove the sentence"},
        {"kind": "renumbered", "statement": None, "number": 4, "reason": "now [2]"},
        {
            "kind": "rewritten", "statement": 2, "number": 4, "reason": "the source says otherwise",
            "before": "The cable is short.", "after": "The cable is long.",
        },
    ],
    "conflicts": [
        {
            "statement": "The bulb lasts 900 hours.",
            "stated": place("The bulb lasts 900 hours.", "lamps.pdf", 10, value="900 hours", date="2024"),
            "other": place("Bulbs last 1,200 hours.", "lamps-new.pdf", 40, value="1,200 hours", date="2026"),
            "in_force": "other",
        }
    ],
    "mentions": [],
    "signal": {"word": "Supported", "level": "amber", "reason": "The sources say only a part of it.",
               "probability": 0.4},
    "verification": {
        "calibration": PASSED,
        "sentences": [
            sentence("The bulb lasts 900 hours.", "supported", ANSWER, evidence="The bulb lasts 900 hours."),
            sentence("The shade is made of brass.", "supported", ANSWER),
            sentence(
                "The cable is long.", "partial", ANSWER, reason="The source does not say how long.",
                evidence="Cables are sold by the metre.",
                source={"document_id": "d2", "document_name": "shop.txt", "page_number": None, "section": None,
                        "source_start": 0, "source_end": 9},
            ),
        ],
    },
    "degraded": [{"step": "check_coverage", "reason": "the query's deadline passed"}],
    "standing": {"state": "stale", "reason": "lamps.pdf has a newer version."},
    "audit": {"head": "abc123", "records": 4},
}  # fmt: skip
REFUSAL: dict[str, Any] = {
    **QUERY,
    "answer": "I don't know based on the documents.",
    "abstained": True,
    "abstain_reason": "No passage was found that is close enough to the question.",
    "references": [], "citations": [], "removed_citations": [], "edits": [], "conflicts": [],
    "mentions": [place("## 2. Bulbs", "lamps.md", 0, page=None), place("Lamps are sold.", "shop.txt", 7)],
    "signal": {"word": "Not answered", "level": "grey", "reason": "No answer was given, so nothing is claimed.",
               "probability": None},
}  # fmt: skip
MODEL = {"provider": "groq", "model": "llama-4"}


def of_pdf(content: bytes) -> str:
    file: Any = pypdfium2.PdfDocument(content)
    text = " ".join(str(page.get_textpage().get_text_range()) for page in file)
    file.close()
    return text


def of_docx(content: bytes) -> str:
    return " ".join(str(paragraph.text) for paragraph in Document(io.BytesIO(content)).paragraphs)


def of_html(content: bytes) -> str:
    page = LexborHTMLParser(content.decode())
    assert page.body
    return page.body.text(separator=" ")


def of_markdown(content: bytes) -> str:
    """As it reads: without signs, and without the addresses of links."""
    shown = re.sub(r"\]\([^)]*\)", "]", content.decode())
    return re.sub(r"(\*\*|\\(?=.))", "", shown).replace("[“", "“").replace("”]", "”")


READ: Mapping[str, Callable[[bytes], str]] = {
    "markdown": of_markdown,
    "text": bytes.decode,
    "html": of_html,
    "pdf": of_pdf,
    "docx": of_docx,
}


def shown_in(format: str, query: dict[str, Any]) -> str:
    if format == "shared":
        text = of_html(shared_page(query).encode())
    else:
        text = READ[format](FORMATS[format](query["question"], [taken_along(query, LINK)]).content)
    return " ".join(text.split())


ANSWER_KO = "전구는 900시간 사용합니다. [1] 갓은 놋쇠입니다. [1] 전선은 깁니다. [2]"
IN_KOREAN: dict[str, Any] = {
    **QUERY,
    "question": "전구의 수명은 얼마인가요?",
    "restated_question": "램프 전구의 수명은 얼마인가요?",
    "answer": ANSWER_KO,
    "citations": [
        citation(
            1, "전구는 900시간 사용합니다.", 10, ANSWER_KO, recognised_confidence=0.5, figure="caption", corrected=True
        ),
        citation(2, "전선은 깁니다.", 5, ANSWER_KO),
    ],
    "edits": [
        {"kind": "removed", "statement": 0, "number": 3, "reason": "no such source"},
        {
            "kind": "rewritten", "statement": 2, "number": 4, "before": "짧다", "after": "길다",
            "reason": "the statement says “60”, the source says “30”; the source does not have “gold”",
        },
    ],
    "verification": {
        "calibration": PASSED,
        "sentences": [
            sentence(
                "전선은 깁니다.", "contradicted", ANSWER_KO,
                reason="no such source; it could not be repaired: the time for repairs ran out",
            ),
            sentence("갓은 놋쇠입니다.", "unsupported", ANSWER_KO, reason="A model wrote this by itself."),
        ],
    },
    "degraded": [{"step": "check_coverage", "reason": "the query's deadline passed"}],
    "standing": {"state": "stale", "reason": "lamps.pdf, which it cites, was deleted."},
}  # fmt: skip


# 41
@for_all_rows("format", ["markdown", "text", "html", "pdf", "docx", "shared"])
def test_what_is_said_around_a_korean_answer_is_korean(format: str) -> None:
    shown = in_file(format, IN_KOREAN)
    parts = [
        "그런 출처가 없습니다; 고치지 못했습니다: 고칠 시간이 부족했습니다",
        "그림 캡션; 사용자가 고친 글, 파일과 다름; 인식한 글, 신뢰도 0.50",
        "출처를 인용했는지",
        "인용한 문서 lamps.pdf이(가) 삭제되었습니다.",
        # No table has the words of a model.
        "A model wrote this by itself.",
    ]
    if format != "shared":
        parts += [
            "그런 출처가 없습니다)",
            "문장에는 “60”, 출처에는 “30”(이)라고 되어 있습니다; 출처에 “gold”이(가) 없습니다",
            "1,200 hours (lamps-new.pdf, 3쪽, 2026), 바뀌기 전: 900 hours (lamps.pdf, 3쪽, 2024)",
        ]
    for part in parts:
        assert part in shown
    theirs = ("A model wrote this by itself.", "bulb lasts", "Bulbs last", "gold")
    for words in theirs:
        shown = shown.replace(words, "")
    assert not re.search(r"\b(the|source|which|asked|deadline|page|deleted)\b", shown)


@pytest.mark.parametrize("format", ["markdown", "shared"])
def test_a_refusal_and_a_failure_of_a_korean_question_say_why_in_korean(format: str) -> None:
    refused = {**REFUSAL, "question": "전구?", "restated_question": None}
    refused["abstain_reason"] = "Only 1 relevant passage found; mode high asks for 3."
    assert "관련 구절을 1개만 찾았습니다; high 모드에는 3개가 필요합니다." in in_file(format, refused)
    failed = {**refused, "status": "failed", "error": {"code": "model_unavailable", "message": "no such source"}}
    assert "그런 출처가 없습니다" in in_file(format, failed)


def in_file(format: Any, query: dict[str, Any]) -> str:
    """As the API sends it."""
    if format == "shared":
        return shown_in(format, query)
    return " ".join(READ[format](exported(query, format, LINK).content).split())


# What people who may not read the documents are not shown: words and names of others than the cited ones, and what
# failed within the installation.
NOT_SHARED = {
    "1,200 hours (lamps-new.pdf, p.3, 2026), in place of 900 hours (lamps.pdf, p.3, 2024)",
    "The answer uses the value that was replaced.",
    "“Bulbs last 1,200 hours.” lamps-new.pdf, page 3, Lamps",
    "What was changed",
    "Citation removed [3]",
    "it does not prove the sentence",
    "“The cable is short.” → “The cable is long.” (the source says otherwise)",
    "Closest passages; no model read them",
    "“2. Bulbs” lamps.md, Lamps",
    "“Lamps are sold.” shop.txt, page 3, Lamps",
    "the query's deadline passed",
}


@for_all_rows("format", [*FORMATS, "shared"])
def test_every_format_says_all_that_an_answer_says(format: str) -> None:
    shown = shown_in(format, QUERY)
    for part in (
        "How long does a bulb last?",
        "Understood as: How long does a bulb of the lamp last?",
        "Supported.",
        "The sources say only a part of it.",
        "No language model was asked: the sentences are copied from the documents.",
        "Of 100 statements that the sources do not support, this verifier calls about 31 supported",
        "Answered on 2026-03-01 at 08:15 UTC.",
        "Since then a cited document has changed. lamps.pdf has a newer version.",
        "“The bulb lasts 900 hours.” lamps.pdf, page 3, Lamps",
        "“The shade is made of brass.” lamps.pdf, page 3, Lamps",
        "“The cable is 4 m long.” cables.md (whether it proves the sentence could not be checked)",
        "Your documents disagree",
        "1,200 hours (lamps-new.pdf, p.3, 2026), in place of 900 hours (lamps.pdf, p.3, 2024)",
        "The answer uses the value that was replaced.",
        "“Bulbs last 1,200 hours.” lamps-new.pdf, page 3, Lamps",
        "What was changed",
        "Citation removed [3]",
        "it does not prove the sentence",
        "“The cable is short.” → “The cable is long.” (the source says otherwise)",
        "What was left out",
        "check coverage",
        "the query's deadline passed",
        "What was checked",
        "partly supported",
        "The cable is long. (The source does not say how long.)",
        "“Cables are sold by the metre.” shop.txt",
    ):
        assert (part in shown) == (format != "shared" or part not in NOT_SHARED), part
    assert "now [2]" not in shown
    assert ("Other documents say something else" in shown) == (format == "shared")
    assert ("abc123" in shown) == (format != "shared")


@for_all_rows("format", [*FORMATS, "shared"])
def test_every_format_of_a_refusal_has_the_reason_and_the_closest_passages(format: str) -> None:
    shown = shown_in(format, REFUSAL)
    for part in (
        "Not answered.",
        "No passage was found that is close enough to the question.",
        "Closest passages; no model read them",
        "“2. Bulbs” lamps.md, Lamps",
        "“Lamps are sold.” shop.txt, page 3, Lamps",
        "Answered on 2026-03-01 at 08:15 UTC.",
    ):
        assert (part in shown) == (format != "shared" or part not in NOT_SHARED), part
    assert "What was checked" not in shown
    assert "No language model was asked" not in shown


def test_an_answer_of_a_model_names_the_model() -> None:
    shown = shown_in("text", {**QUERY, **MODEL})
    assert "Answered on 2026-03-01 at 08:15 UTC by llama-4." in shown
    assert "No language model was asked" not in shown


def test_an_answer_speaks_the_language_of_its_question() -> None:
    shown = shown_in("text", {**QUERY, "question": "전구의 수명은 얼마입니까?", "restated_question": None})
    for part in (
        "문서마다 내용이 다릅니다",
        "바뀐 내용",
        "lamps.pdf, 3쪽, Lamps",
        "2026-03-01 08:15(UTC)의 답변입니다.",
    ):
        assert part in shown, part


def test_markdown_has_a_footnote_for_each_quote_of_a_document() -> None:
    text = FORMATS["markdown"]("", [taken_along(QUERY, LINK)]).content.decode()
    assert "The bulb lasts 900 hours. [^1] The shade is made of brass. [^1-2] The cable is long. [^2]" in text
    notes = dict(re.findall(r"^\[\^([\d-]+)\]: (.+)$", text, re.MULTILINE))
    assert list(notes) == ["1", "1-2", "2"]
    assert notes["1-2"].startswith("[“The shade is made of brass.”](http://here.example/#/document/d1?start=60&end=87)")


def test_words_that_two_sentences_cite_have_one_footnote() -> None:
    again = {**QUERY["citations"][0], "answer_start": 30, "answer_end": 57}
    text = FORMATS["markdown"]("", [taken_along({**QUERY, "citations": [QUERY["citations"][0], again]}, LINK)])
    assert text.content.decode().count("[^1]") == 3
    assert "[^1-2]" not in text.content.decode()


def test_a_marker_on_the_page_leads_to_its_quote() -> None:
    page = LexborHTMLParser(shared_page(QUERY))
    leads = [link.attributes["href"] for link in page.css(".answer a")]
    assert leads == ["#quote-1", "#quote-1-2", "#quote-2"]
    quoted = [page.css(f'[id="{str(lead)[1:]}"]')[0].text()[1:15] for lead in leads]
    assert quoted == ["The bulb lasts", "The shade is m", "The cable is 4"]
    assert len(page.css("a")) == len(leads)


def test_several_answers_are_one_file_with_footnotes_of_their_own() -> None:
    turns = [taken_along(QUERY, LINK, prefix=f"{number}.") for number in (1, 2)]
    text = FORMATS["markdown"]("About lamps", turns).content.decode()
    assert text.startswith("# About lamps\n")
    assert len(set(re.findall(r"^\[\^([\d.-]+)\]:", text, re.MULTILINE))) == 6
    for format in ("text", "html", "docx"):
        shown = READ[format](FORMATS[format]("About lamps", turns).content)
        assert "About lamps" in shown, format
        assert shown.count("How long does a bulb last?") == 2, format


@for_all_rows(
    ("words", "document", "shown"),
    [
        ("## 4. Meals", "policy.md", "4. Meals"),
        ("| Seoul | 190 |", "policy.md", "Seoul | 190"),
        ("| Site | Limit |\n|---|---:|\n| Seoul | 190 |", "policy.MD", "Site | Limit Seoul | 190"),
        ("a **bold** word", "policy.md", "a bold word"),
        ("2 ** 3 ** 4 and # of rows", "policy.md", "2 ** 3 ** 4 and # of rows"),
        ("# of rows", "notes.txt", "# of rows"),
        ("Birch\t40\t210", "rooms.xlsx", "Birch | 40 | 210"),
        ("two\n lines", "a.pdf", "two lines"),
    ],
)
def test_quoted_words_are_shown_without_the_marks_of_their_format(words: str, document: str, shown: str) -> None:
    assert readable_words(words, document) == shown


@for_all_rows(
    ("title", "name"),
    [
        ("How long does a bulb last?", "How long does a bulb last 2026-03-01.pdf"),
        ("전구의 수명은 얼마입니까?", "전구의 수명은 얼마입니까 2026-03-01.pdf"),
        ('a/b\\c:d*e?f"g<h>i|j', "a b c d e f g h i j 2026-03-01.pdf"),
        ("CON", "answer CON 2026-03-01.pdf"),
        ("nul.txt", "answer nul.txt 2026-03-01.pdf"),
        ("???", "answer 2026-03-01.pdf"),
        ("..hidden.. ", "hidden 2026-03-01.pdf"),
        ("gpj\u202eevil\u200b\x07", "gpjevil 2026-03-01.pdf"),
        ("two\nlines\tand tabs", "two lines and tabs 2026-03-01.pdf"),
        ("각", "각 2026-03-01.pdf"),
    ],
)
def test_a_file_is_named_after_the_question_and_its_date(title: str, name: str) -> None:
    assert file_name(title, date(2026, 3, 1), ".pdf") == name


@pytest.mark.parametrize("sign", ["w", "뷁", "😀", "long words of many a question "])
def test_the_name_of_a_file_is_short_enough_for_every_file_system(sign: str) -> None:
    name = file_name(sign * 90, date(2026, 3, 1), ".docx")
    assert len(name) <= LONGEST + len(".docx")
    assert len(name.encode()) <= 255
    assert name.endswith(" 2026-03-01.docx")
    assert not name.startswith(" ")


def test_a_shared_page_names_no_copies_of_what_is_cited() -> None:  # A8
    copied = [{**cited, "also_in": [{"document_name": "draft.pdf"}]} for cited in QUERY["citations"]]
    shown = {format: in_file(format, {**QUERY, "citations": copied}) for format in ("markdown", "shared")}
    assert "also in draft.pdf" in shown["markdown"]
    assert "draft.pdf" not in shown["shared"]
