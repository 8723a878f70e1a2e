"""Sentence boundaries: properties of any text, and expectations for English, Korean, lists and PDF lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.text.sentences import split_sentences
from verify_material.rows import for_all_rows

SPACES = ["\n", "\n\n", "\r\n", "\f", "\u2028", " ", "\t"]
SIGNS = ["。", '"', "“", "”", "(", ")", "- ", "1. ", "#", "|", "…", "\x00", "\u0301", "[†1]", "[2]"]
WORDS = ["word", "Dr.", "U.S.", "3.5", "2023. 5. 1.", "했다.", "끝!", "e.g.", "It", "x" * 40]
PIECES = st.sampled_from([*SPACES, *SIGNS, *WORDS])
TEXTS = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=60).map("".join))


def sentences(text: str) -> list[str]:
    return [sentence.text for sentence in split_sentences(text)]


# N3, N4
@given(TEXTS)
def test_every_visible_character_is_in_exactly_one_sentence_in_order(text: str) -> None:
    position = 0
    for sentence in split_sentences(text):
        assert text[sentence.start : sentence.end] == sentence.text
        assert sentence.text == sentence.text.strip() != ""
        assert text[position : sentence.start].strip() == ""
        position = sentence.end
    assert text[position:].strip() == ""


@given(st.lists(st.sampled_from(["It rains.", "비가 온다.", "Why?", "He paid $3.5 million.", "끝났다!"]), max_size=12))
def test_plain_sentences_come_back_as_they_were(written: list[str]) -> None:
    assert sentences(" ".join(written)) == written


@for_all_rows(
    "text",
    [
        "The U.S. Army left at 5 p.m. on Jan. 5.",
        "Dr. Smith et al. cite Fig. 3, Vol. 2 and No. 5 of Jones v. Smith.",
        "J. R. R. Tolkien wrote it for Nike Inc. in Oxford.",
        "It rose by 3.5% (e.g., see Sec. 2.1) in 2020.",
        "He left (see Section 2. Also 3.) again.",
        'She said "It is fine. Go now." and left.',
        "Yahoo! is a company.",
        "“Why?” he asked.",
        "Wait... really?",
        "개정법은 2023. 5. 1. 시행한다.",
        "이 연구는 “문제가 크다. 해결하라.”고 했다.",
        "Visit https://a.b/c.d?e=f or mail a.b@c.org now.",
        "Version 2.1.3 is out.",
        "Come at 10 a.m. Monday or at 5 p.m. EST.",
        "The bomb exploded around 7 a.m. (0100 GMT) in a street.",
        "The room is free until 6 p.m. 12 May.",
        "St. Mary's is approx. five miles (vs. Ten Mile Wood, e.g. Oak No. 5) away.",
        "The case is Hall v. Board, and it was written by J. Smith.",
    ],
)
def test_a_stop_inside_a_sentence_does_not_end_it(text: str) -> None:
    assert sentences(text) == [text]


@for_all_rows(
    "written",
    [
        ["He moved to the U.S.", "The law is strict."],
        ["Costs fell to 5.", "Profit rose."],
        ["It was 1995.", "Then came 1996."],
        ['A 5" pipe is used.', "The next sentence is here.", 'Another 7" pipe.'],
        ["It's John's dog.", "Isn't it?", "No!"],
        ["(This is in brackets.", "So is this.)", "After that we go."],
        ["매출은 3,940억 원이다.", "제5조.", "다음과 같다."],
        ["그렇다!", "정말?", "네…."],
        ["Buses may use the street before 10 a.m.", "Shopkeepers fear losses."],
        ["The bar closes at 11 p.m.", "“Good,” he said."],
        ["We sell apples, pears, etc.", "Oranges are sold out."],
        ["The shop is at 5 Main St.", "The office is upstairs."],
        ["They repaired the lift in Block C.", "Ms Petrov voted against it."],
        ["Take vitamin C.", "Patients feel better."],
        ["It fails in size L.", "Visors were not tested."],
        ["회의는 오전 10시.", "점심은 약 12시.", "제3조에 따른다."],
    ],
)
def test_a_stop_at_the_end_of_a_sentence_ends_it(written: list[str]) -> None:
    assert sentences(" ".join(written)) == written


def test_sentences_without_a_space_between_them_are_found() -> None:
    assert sentences("그는 말했다.그리고 떠났다.") == ["그는 말했다.", "그리고 떠났다."]
    assert sentences("It works.New features follow soon.") == ["It works.", "New features follow soon."]
    assert sentences("日本語です。はい！") == ["日本語です。", "はい！"]


@for_all_rows("marker", ["[†1]", " [†1]", " [†2][†3]", "[1]", " [1, 2]", "【1†source】", " (Source: 1)", "\n[†1]"])
def test_markers_behind_the_stop_belong_to_the_sentence_before_them(marker: str) -> None:
    assert sentences(f"Returns take 30 days.{marker} Exceptions apply.") == [
        f"Returns take 30 days.{marker}",
        "Exceptions apply.",
    ]


def test_a_marker_may_stand_directly_before_the_next_sentence() -> None:
    assert sentences("Returns take 30 days.[†1]Exceptions apply.") == ["Returns take 30 days.[†1]", "Exceptions apply."]


def test_a_numbered_reference_on_the_next_line_is_not_a_citation() -> None:
    assert sentences("The end.\n[1] Smith, On Ends.") == ["The end.", "[1] Smith, On Ends."]


def test_list_items_headings_and_table_rows_stand_alone() -> None:
    text = (
        "Refunds\n\nThese are excluded:\n- gift cards\n- software\n1. first\n2. second\n| a | b |\n| 1 | 2 |\nNot more."
    )
    assert sentences(text) == [
        "Refunds",
        "These are excluded:",
        "- gift cards",
        "- software",
        "1. first",
        "2. second",
        "| a | b |",
        "| 1 | 2 |",
        "Not more.",
    ]


@for_all_rows(
    ("text", "written"),
    [
        ("```\nx = 1\n```\nThe port is 80 [1].", ["```\nx = 1\n```", "The port is 80 [1]."]),
        ("~~~~\n~~~\n~~~~  \nThe port is 80.", ["~~~~\n~~~\n~~~~", "The port is 80."]),
        ("Run this:\n```sh\nmake up\n```\n[1] [2]\nIt runs.", ["Run this:\n```sh\nmake up\n```\n[1] [2]", "It runs."]),
        ("```\na = 1\n\nb = 2\n```\nIt runs.", ["```\na = 1", "b = 2\n```", "It runs."]),
        ("```\n```\n```\nx = 1\n```\nIt runs.", ["```\n```\n```\nx = 1\n```", "It runs."]),
        ("```x = 1``` sets\nthe value.", ["```x = 1``` sets\nthe value."]),
        ("```\nx = 1\ny = 2", ["```\nx = 1\ny = 2"]),
    ],
)
def test_prose_below_fenced_code_stands_alone(text: str, written: list[str]) -> None:
    assert sentences(text) == written


def test_the_number_of_a_list_item_belongs_to_it() -> None:
    assert sentences("1. Terms apply. They are long.") == ["1. Terms apply.", "They are long."]
    assert sentences("가. 목적\n나. 정의를 정한다.") == ["가. 목적", "나. 정의를 정한다."]


def test_a_wrapped_line_of_prose_goes_on() -> None:
    text = "Sales in the\nUnited States grew by\n3.5 percent in the second\nquarter. Costs did not."
    assert sentences(text) == [text[: text.index(" Costs")], "Costs did not."]
    korean = "구매한 제품은 구매일로부터 30일 이내에 환불할 수 있습니\n다. 다음과 같다."
    assert sentences(korean) == [korean[:-8], "다음과 같다."]


def test_a_heading_above_wrapped_prose_stands_alone() -> None:
    text = "Refund Policy\nReturns must be made within 30 days of the date\nof purchase."
    assert sentences(text) == ["Refund Policy", text[14:]]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("# Terms of use and of payment\nAll is here.", "# Terms of use and of payment"),
        ("SCOPE OF TERMS\nThis is a scope of terms.", "SCOPE OF TERMS"),
        ("we thank the\nUnited Nations for this and for all that.", None),
        ("we thank all\nUnited Nations for this and for all that.", None),
    ],
)
def test_a_short_line_is_a_heading_only_if_it_looks_like_one(text: str, first: str | None) -> None:
    assert sentences(text)[0] == (first or text)


@for_all_rows("piece", ["a. ", '"a. ', ".\n", "[†1]", ".[†1]", "\n", ". ", "1.1.", "(", ".    ", "it's ", "a\n"])
@pytest.mark.timeout(60)  # for ever, if a boundary is searched again and again
@pytest.mark.slow
def test_hostile_text_comes_to_an_end(piece: str) -> None:
    text = piece * (64_000 // len(piece))
    sentences = split_sentences(text)
    assert sum(len("".join(sentence.text.split())) for sentence in sentences) == len("".join(text.split()))


@pytest.mark.parametrize(
    "text", ["a" * 9_000, "the parts of it and " * 500, "계약은 그리고 " * 800, "that [1], and " * 700]
)
def test_a_sentence_of_more_than_2000_characters_is_split(text: str) -> None:  # F1
    parts = split_sentences(text)
    assert max(len(part.text) for part in parts) <= 2_000
    assert all(text[part.start : part.end] == part.text for part in parts)
    assert "".join("".join(part.text.split()) for part in parts) == "".join(text.split())


def test_a_long_sentence_is_not_split_in_a_marker_or_a_word() -> None:  # F1
    text = "word " * 397 + "there [Source: AAPL 10-Q 2023, and page 12] " + "word " * 100
    first, second = split_sentences(text)
    assert first.text.endswith("there")
    assert second.text.startswith("[Source: AAPL")


@for_all_rows(
    "parts",
    [
        ["시설 안내문의 일부이다.", "pH농도가 7보다 낮으면 산성이다.", "iPhone을 쓴다."],
        ["Der Absender meldet den Schaden bis zum 3. Mai 2024 schriftlich.", "Danach erlischt der Anspruch."],
        ["Der Gewinn stieg um 4,8 Prozent auf 12,8 Mio. Euro.", "Davon erhält die Stadt ein Drittel."],
        ["Nach Abs. 2 Nr. 3 haftet der Spediteur.", "Das Schloss stammt aus dem 19. Jahrhundert."],
        ["La Dra. Pérez dirigió el estudio en EE. UU. con 1.250 pacientes.", "El Dr. Molina revisó los datos."],
        ["甲は乙に代金を支払う。", "「はい。」と彼は言った。"],
        ["In 2024 the profit rose to 5.", "Costs fell."],
    ],
)
def test_a_stop_of_another_language_does_not_cut_its_sentence(parts: list[str]) -> None:  # V1
    assert [sentence.text for sentence in split_sentences(" ".join(parts))] == parts
