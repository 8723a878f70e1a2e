"""Sentences of a growing answer: those that more text does not change (N1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.answers.statements import GrowingAnswer, Statement, check_key, check_keys, plan_checks, statements
from domain.answers.drafts import ClosingSentences, batch_item, batch_keys
from verify_material.rows import for_all_rows

PROSE = (
    "Returns are accepted within 30 days [†1]. A receipt (e.g. the slip. Or a copy) is needed [†2][†3]. "
    "Dr. Kim, who signed it, left at 5. Then the fee rose to 2.5 percent. [1] See p. 3 of the guide! [2, 3] "
    "The report of 2023. 5. 1. says so. Nothing else is known about it."
)
LISTED = """## Returns

Items must come back (Source: 1). These are the rules:

- Keep the receipt [1]
- Use the original box [2]
1. Call first [3]
2. Then send it [1]

| item | days |
|------|------|
| shoes | 30 |

Code such as `a. B` stays whole. The last line of it. [†2]

References:
[1] returns.pdf, p. 3
[2] guide.md
"""
KOREAN = (
    "반품은 30일 이내에 가능합니다[†1]. 영수증이 필요합니다.[†2] "
    "2023. 5. 1.부터 시행됩니다 [1]. 배송비는 고객이 부담합니다. 끝."
)
TEXTS = [PROSE, LISTED, KOREAN]


def closed_at(text: str, cuts: list[int]) -> list[Statement]:
    growing = GrowingAnswer()
    return [statement for cut in [*cuts, len(text)] for statement in growing.closed_by(text[:cut])]


@pytest.mark.parametrize("text", TEXTS, ids=["prose", "list", "Korean"])
def test_what_closed_early_is_what_the_whole_text_says(text: str) -> None:  # N1
    closed = closed_at(text, list(range(1, len(text))))
    whole = statements(text)
    assert closed == whole[: len(closed)]
    # All but the last are known before the end.
    assert len(closed) >= len(whole) - 1


@given(st.sampled_from(TEXTS), st.lists(st.integers(0, 400), max_size=12))
def test_it_does_not_matter_where_a_text_is_cut(text: str, cuts: list[int]) -> None:  # N1
    closed = closed_at(text, sorted(min(cut, len(text)) for cut in cuts))
    assert closed == statements(text)[: len(closed)]


@given(
    st.lists(st.sampled_from([*'ab.\n [1]()`"-#|†:Sources', "The end. ", "Fees apply [2]. "]), max_size=60), st.data()
)
def test_hostile_texts_are_read_to_their_end(pieces: list[str], data: st.DataObject) -> None:  # N1
    text = "".join(pieces)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    growing = GrowingAnswer()
    for cut in cuts:
        for statement in growing.closed_by(text[:cut]):
            assert 0 <= statement.start < statement.end <= cut


@for_all_rows(
    ("text", "count"),
    [
        ("Fees apply.", 0),  # a marker may follow
        ("Fees apply. ", 0),
        ("Fees apply. The", 0),  # "The" may become "Theodor", and who knows what "approx" ends with
        ("Fees apply. The ", 1),
        ("Fees apply [†1", 0),
        ("Fees apply. [†1, ", 0),
        ("Fees apply. Source: ", 0),  # a marker is to follow, and it is the first sentence's
        ("Fees (see p. 3. Or so, they ", 0),
        ("Overview of fees\nAll members ", 0),  # is it a heading? The next line will tell
        ("Overview of fees\n\nAll members ", 1),
        ("- Keep it\n- Use ", 1),
        ("Fees apply. `a. B and ", 0),
    ],
)
def test_a_sentence_is_closed_by_a_whole_word_of_the_next(text: str, count: int) -> None:  # N1
    assert len(GrowingAnswer().closed_by(text)) == count


def test_a_text_that_begins_again_is_read_again() -> None:  # N1
    growing = GrowingAnswer()
    assert [statement.text for statement in growing.closed_by("Fees apply [1]. Refunds are ")] == ["Fees apply."]
    assert growing.closed_by("Fees") == []
    assert [statement.text for statement in growing.closed_by("Fees never apply [1]. Refunds are ")] == [
        "Fees never apply."
    ]


def batches_of(text: str, sources: int, step: int, most: int = 4) -> list[list[str]]:
    closing, batches = ClosingSentences(sources, most), list[list[str]]()
    for cut in range(step, len(text) + step, step):
        closing.read(text[:cut])
        if (batch := closing.take_batch()) is not None:
            batches.append([sentence["text"] for sentence in batch["sentences"]])
    return batches


def test_batches_grow() -> None:  # N1
    text = " ".join(
        f"Rule {word} holds for all members [1]." for word in "one two three four five six seven eight".split()
    )
    assert [len(batch) for batch in batches_of(text, 1, 10)] == [1, 2, 4]
    assert [len(batch) for batch in batches_of(text, 1, 10, most=2)] == [1, 2, 2, 2]


def test_the_same_words_about_the_same_source_are_handed_out_once() -> None:  # N1
    closing = ClosingSentences(2, 4)
    closing.read("Fees apply [1]. Fees  apply [1][2]. Why? Fees apply [1]. And so it goes ")
    batch = closing.take_batch()
    assert batch is not None
    assert [(sentence["index"], sentence["numbers"], sentence["whole"]) for sentence in batch["sentences"]] == [
        (0, [1], True),
        (1, [2], False),
    ]
    assert batch_keys(batch) == [check_key("Fees apply.", 1), check_key("Fees  apply.", 2)]
    assert closing.take_batch() is None


def test_an_uncited_claim_is_held_against_all_sources_and_a_heading_against_none() -> None:  # N1, N4
    closing = ClosingSentences(2, 4)
    closing.read("## Fees\n\nFees apply to all [7]. And so it goes ")
    batch = closing.take_batch()
    assert batch is not None
    assert [(sentence["text"], sentence["numbers"]) for sentence in batch["sentences"]] == [("Fees apply to all.", [0])]


def test_a_batch_is_named_by_all_that_is_in_it() -> None:  # A5
    def item(text: str) -> str:
        closing = ClosingSentences(2, 4)
        closing.read(text)
        batch = closing.take_batch()
        assert batch is not None
        return batch_item(batch)

    assert item("Fees apply [1]. And so ") == item("Fees apply [1]. But not ")
    assert (
        len(
            {
                item(text)
                for text in ("Fees apply [1]. And so ", "Fees apply [2]. And so ", "Hi. Fees apply [1]. And so ")
            }
        )
        == 3
    )


def test_a_check_is_known_by_its_words_and_its_source() -> None:  # N1
    answer = "Fees apply [1][2]. fees apply [1]. Refunds are free."
    keys = check_keys(answer, 2)
    assert list(keys) == [check.item for check in plan_checks(answer, 2)] == ["s0:c1", "s0:c2", "s2:c0"]
    assert list(keys.values()) == [
        check_key("Fees apply.", 1),
        check_key("Fees apply.", 2),
        check_key("Refunds are free.", None),
    ]
    assert len(set(keys.values())) == 3
