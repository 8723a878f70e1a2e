"""Claims that span several documents: what cited sources say together, each for its part (V7, S4.7, S5.4)."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from services.queries.results import read_history, read_query
from tests.services.given_story import GivenStory
from tests.services.story import Play, Story, no, with_offline, yes
from verify_material.rows import for_all_rows

pytestmark = pytest.mark.usefixtures("database")

by_words = partial(with_offline, embeddings=False)
TOTAL = "Apple's total revenue was $394 billion in fiscal 2023."
SERVICES = "Apple services revenue increased 8% year over year."
BOTH = "Apple's total revenue was $394 billion and services revenue increased 8% [1][2]."
PARIS, LYON = "Paris hosted the 1900 Games.", "Lyon makes silk."
GAMES = "Paris hosted the 1900 Games and Lyon makes silk. [1, 2]"
SEOUL, BUSAN = "서울은 1988년 올림픽을 개최했다.", "부산은 항구 도시이다."
CITIES = "서울은 1988년 올림픽을 개최했고 부산은 항구 도시이다 [1][2]."
JOINED = [(BOTH, TOTAL, SERVICES), (GAMES, PARIS, LYON), (CITIES, SEOUL, BUSAN)]


def verdicts(result: dict[str, Any]) -> list[tuple[int, str, str]]:
    return [(each["number"], each["status"], each["explanation"]) for each in result["citations"]]


def assert_supported_together(result: dict[str, Any], *parts: str) -> None:
    assert [sentence["status"] for sentence in result["sentences"]] == ["supported"]
    assert verdicts(result) == [(n, "accurate", f"for: “{part}”") for n, part in enumerate(parts, start=1)]
    assert (result["changed"], result["removed_citations"]) == (False, [])


PARTS = [
    ("Apple's total revenue was $394 billion", "services revenue increased 8%"),
    ("Paris hosted the 1900 Games", "Lyon makes silk"),
    ("서울은 1988년 올림픽을 개최했고", "부산은 항구 도시이다"),
]


@pytest.mark.parametrize(("case", "parts"), [*zip(JOINED, PARTS, strict=True)])
def test_a_claim_that_spans_two_documents_is_supported_by_both(
    case: tuple[str, str, str], parts: tuple[str, str]
) -> None:  # V7, S4.7
    assert_supported_together(GivenStory(*case, play=by_words).verified(), *parts)


@pytest.mark.parametrize(("case", "parts"), [*zip(JOINED[:2], PARTS[:2], strict=True)])
def test_a_model_is_asked_once_for_what_its_sources_say_together(
    groq: Play, case: tuple[str, str, str], parts: tuple[str, str]
) -> None:  # V7, S5.4
    story = GivenStory(*case, play=groq)
    assert_supported_together(story.verified(), *parts)
    assert story.asked().count("check_statement") == 3
    assert not {"rewrite_statement", "plan_queries"} & set(story.asked())


def test_one_source_that_says_all_of_it_asks_for_no_more(groq: Play) -> None:  # V7, S5.4
    story = GivenStory(BOTH, f"{TOTAL} {SERVICES}", LYON, play=groq)
    result = story.verified()
    assert [sentence["status"] for sentence in result["sentences"]] == ["supported"]
    assert story.asked().count("check_statement") == 2


def test_the_evidence_of_each_source_is_for_its_part() -> None:  # V7, N3
    result = GivenStory(GAMES, PARIS, LYON, play=by_words).verified()
    assert [citation["evidence"] for citation in result["citations"]] == [PARIS, LYON]


def test_both_citations_stay_when_only_citations_are_repaired() -> None:  # V7, S5.5
    result = GivenStory(BOTH, TOTAL, SERVICES, play=by_words, repair="citations").verified()
    assert result["repaired_answer"] == BOTH
    assert [citation["status"] for citation in result["citations"]] == ["accurate", "accurate"]


def test_a_source_that_says_nothing_of_it_is_not_accurate() -> None:  # V7, S5.5
    answer = GAMES.replace("[1, 2]", "[1][2][3]")
    result = GivenStory(answer, PARIS, LYON, "Nantes builds ships.", play=by_words).verified()
    assert [citation["status"] for citation in result["citations"]] == ["accurate", "accurate", "inaccurate"]
    assert [sentence["status"] for sentence in result["sentences"]] == ["supported"]
    assert result["removed_citations"] == [3]


def test_facts_and_claims_name_both_sources_and_no_round_is_made() -> None:  # V7, S1.4, S2.1, S5.6
    story = Story(play=by_words)
    story.selected(story.add("a.md", TOTAL), story.add("b.md", SERVICES))
    story.drafted(BOTH.replace("[1][2]", "[†1][†2]"), no(), no())
    assert story.assess()["decision"] == "finish"
    story.finish()
    query, (published,) = read_query(story.query_id), read_history(story.query_id)["verifications"]
    verification = query["verification"]
    assert len(verification["verified_sources"]) == 2
    assert (verification["claims_checked"], verification["claims_supported"]) == (1, 1)
    assert (verification["accuracy_rate"], query["removed_citations"]) == (1.0, [])
    assert [each["status"] for each in published["citation_checks"]] == ["accurate", "accurate"]


SWAPPED = [
    ("Paris makes silk and Lyon hosted the 1900 Games [1][2].", PARIS, LYON),
    ("서울은 항구 도시이고 부산은 1988년 올림픽을 개최했다 [1][2].", SEOUL, BUSAN),
    ("Paris hosted the 1900 Games and makes silk [1][2].", PARIS, LYON),
    ("The Nova pump weighs 12 kg and costs $90 [1][2].", "The Nova pump weighs 12 kg.", "The Orion pump costs $90."),
    (BOTH, TOTAL, "Microsoft services revenue increased 8% year over year."),
]


@for_all_rows("case", SWAPPED)
def test_what_is_joined_with_the_wrong_subject_is_not_supported(case: tuple[str, str, str]) -> None:  # V2, V7
    result = GivenStory(*case, play=by_words).verified()
    assert "supported" not in [sentence["status"] for sentence in result["sentences"]]
    assert tuple(citation["status"] for citation in result["citations"]) != ("accurate", "accurate")


COLUMNS = "Scales\nModel\tWeight\tPrice"
ROWS = "X100\t5 kg\t300 euros\nX150\t6 kg\t310 euros", "X200\t7 kg\t450 euros\nX250\t8 kg\t470 euros"
CELLS = "The X100 weighs 5 kg and the price of the X200 is 450 euros"
HEADINGS = "Manual › Model X100", "Manual › Model X200"
BELOW = "It weighs 5 kg and runs on two batteries.", "It weighs 7 kg and has four ports."
MODELS = "Model X100 weighs 5 kg, while Model X200 weighs 7 kg"


def told_together(statement: str, texts: Sequence[str], contexts: Sequence[str], play: Play) -> dict[str, Any]:
    story = Story(play=play)
    story.selected(*(story.add(f"{each}.md", text, context=each) for text, each in zip(texts, contexts, strict=True)))
    story.drafted(f"{statement} [†1][†2].", no(), no())
    return story.assess().get("together", {}).get("0", {})


def test_parts_are_read_below_the_columns_of_their_sources() -> None:  # V4, V7
    told = told_together(CELLS, ROWS, [f"1 › {COLUMNS}", f"2 › {COLUMNS}"], by_words)
    assert [(number, each["is_accurate"]) for number, each in told.items()] == [("1", True), ("2", True)]


@for_all_rows(
    ("statement", "texts", "contexts"),
    [
        (CELLS.replace("X100", "X150"), ROWS, [f"1 › {COLUMNS}", f"2 › {COLUMNS}"]),
        (CELLS.replace("price", "weight"), ROWS, [f"1 › {COLUMNS}", f"2 › {COLUMNS}"]),
        (MODELS, BELOW, HEADINGS[::-1]),
        (MODELS, BELOW, [HEADINGS[0], "Manual › Model X2000"]),
        (MODELS.replace("X100", "X300"), BELOW, HEADINGS),
    ],
)
def test_no_part_is_proven_below_what_names_another_thing(
    statement: str, texts: Sequence[str], contexts: Sequence[str]
) -> None:  # V2, V7
    told = told_together(statement, texts, contexts, by_words)
    assert not any(each["is_accurate"] for each in told.values())


def test_a_part_that_no_source_says_stays_visible() -> None:  # V7
    answer = "Paris hosted the 1900 Games, and Nice is sunny in winter [1][2]."
    result = GivenStory(answer, PARIS, LYON, play=by_words).verified()
    (sentence,) = result["sentences"]
    assert sentence["status"] == "partial"
    assert "no cited source says “Nice is sunny in winter”" in sentence["reason"]


def test_a_check_of_one_source_that_failed_is_not_made_up_for() -> None:  # V7, N4
    story = Story(play=by_words)
    story.selected(story.add("a.md", PARIS), story.add("b.md", LYON))
    story.drafted("Paris hosted the 1900 Games and Lyon makes silk [†1][†2].", no(), None)
    assert "together" not in story.assess()


def test_a_source_that_supports_alone_needs_no_other() -> None:  # V7, S5.4
    story = Story(play=by_words)
    story.selected(story.add("a.md", f"{PARIS} {LYON}"), story.add("b.md", LYON))
    story.drafted("Paris hosted the 1900 Games and Lyon makes silk [†1][†2].", yes(), no())
    assert "together" not in story.assess()


DEPOTS = "The east depot shipped 1,310 crates in May.", "The west depot shipped 745 crates in May."
CENTRES = "동부 물류센터는 5월에 상자 1,310개를 출하했다.", "서부 물류센터는 5월에 상자 745개를 출하했다."
CALCULATED = [
    ("Together, the east depot and the west depot shipped {} crates in May [1][2].", DEPOTS, "2,055", "2,155"),
    ("The east depot shipped {} more crates than the west depot in May [1][2].", DEPOTS, "565", "655"),
    ("동부 물류센터와 서부 물류센터는 5월에 합쳐서 상자 {}개를 출하했다 [1][2].", CENTRES, "2,055", "2,155"),
]


@pytest.mark.parametrize(("answer", "sources", "right", "wrong"), CALCULATED)
def test_what_two_sources_add_up_to_is_supported_by_both(
    answer: str, sources: tuple[str, str], right: str, wrong: str
) -> None:  # V7
    result = GivenStory(answer.format(right), *sources, play=by_words).verified()
    assert_supported_together(result, *(source.rstrip(".") for source in sources))
    result = GivenStory(answer.format(wrong), *sources, play=by_words).verified()
    assert "supported" not in [sentence["status"] for sentence in result["sentences"]]


RATIO = "The east depot shipped nearly twice as many crates as the west depot in May"


def test_a_model_that_refused_each_source_alone_is_shown_all_of_them(groq: Play) -> None:  # V7, S5.4
    story = Story(play=groq)
    story.selected(story.add("a.md", DEPOTS[0]), story.add("b.md", DEPOTS[1]), story.add("c.md", LYON))
    story.drafted(f"{RATIO} [†1][†2][†3].", no(), no(), no())
    query = story.repair().conclude()
    assert story.asked().count("check_statement") == 1
    assert [each["status"] for each in query["verification"]["sentences"]] == ["supported"]
    assert [each["status"] for each in query["citations"]] == ["accurate", "accurate"]
    assert query["removed_citations"] == [3]
