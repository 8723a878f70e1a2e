"""What a retry does not pay for again."""

from typing import Any

from domain.query.resumption import kept_outcomes

DONE = {"status": "done"}
WRITTEN: dict[tuple[str, str], dict[str, Any]] = {
    ("retrieve", ""): {"status": "found"},
    ("score_chunks", "1"): {"status": "scored", "score": 0.9},
    ("score_chunks", "2"): {"status": "unreadable", "score": None},
    ("select", ""): {"status": "selected"},
    ("generate", ""): {"status": "complete"},
    ("extract_citations", ""): {"status": "extracted"},
    ("plan_checks", ""): DONE,
    ("check_coverage", ""): {"status": "checked"},
    ("check_statements", "s0:c1"): {"status": "checked"},
    ("check_statements", "s1:c1"): {"status": "checked"},
    ("assess", ""): {"status": "assessed"},
    ("search_evidence", ""): {"status": "searched"},
    ("repair_statements", "s0"): {"status": "kept"},
    ("conclude", ""): {"status": "failed"},
    ("publish", ""): DONE,
}
FREE = {"plan_checks", "assess", "conclude", "publish"}


def kept(outcomes: dict[tuple[str, str], dict[str, Any]], *parked: tuple[int, str, str]) -> set[tuple[str, str]]:
    return {(step, item) for _, step, item in kept_outcomes({0: outcomes}, parked)}


def test_what_is_finished_is_kept_and_what_is_free_is_made_again() -> None:  # A5
    assert kept(WRITTEN) == {key for key in WRITTEN if key[0] not in FREE}


def test_a_check_that_failed_is_made_again_with_what_was_built_on_it() -> None:  # A5
    lost = {("check_statements", "s1:c1"): {"status": "not_checked"}}
    gone = {("check_statements", "s1:c1"), ("search_evidence", ""), ("repair_statements", "s0")}
    assert kept(WRITTEN | lost) == kept(WRITTEN) - gone


def test_everything_is_made_again_when_it_was_for_a_question_that_was_not_restated() -> None:  # A5, N9
    asked = {("restate_question", ""): {"status": "fallback"}, ("rewrite_question", ""): {"status": "reworded"}}
    assert kept(asked | WRITTEN) == set()
    meant = asked | {("restate_question", ""): {"status": "restated"}}
    assert kept(meant | WRITTEN) == kept(WRITTEN) | set(meant)


def test_what_was_parked_or_left_out_is_made_again_whatever_it_left() -> None:  # A5
    cut = {("score_chunks", "1"), ("retrieve", "")}
    assert kept(WRITTEN, (0, "score_chunks", "2")) == cut
    late = {("score_chunks", "2"): {"status": "unreadable", "degraded": "the query's deadline passed"}}
    assert kept(WRITTEN | late) == cut
    # Broken without an outcome: it is no key of what is found.
    assert kept({("retrieve", ""): {"status": "found"}}, (0, "select", "")) == {("retrieve", "")}


def test_unreadable_scores_are_bought_again_only_when_nothing_was_written() -> None:  # A5
    unwritten = {key: WRITTEN[key] for key in WRITTEN if key[0] in ("retrieve", "score_chunks")}
    assert kept(unwritten) == {("retrieve", ""), ("score_chunks", "1")}
    failed = unwritten | {("select", ""): WRITTEN["select", ""], ("generate", ""): {"status": "failed"}}
    assert kept(failed) == {("retrieve", ""), ("score_chunks", "1")}


def test_the_turns_of_a_research_are_one_after_the_other() -> None:  # A5, S3.6
    turns = {(step, turn): {"status": "searched"} for step in ("decide_search", "search") for turn in ("1", "2", "3")}
    assert kept(turns | {("search", "2"): {"status": "failed"}}) == {
        ("decide_search", "1"),
        ("search", "1"),
        ("decide_search", "2"),
    }


def test_a_later_round_is_kept_only_behind_a_whole_earlier_one() -> None:  # A5, S2.3
    later = {("plan_queries", ""): {"status": "planned"}}
    assert (1, "plan_queries", "") in kept_outcomes({0: WRITTEN, 1: later}, [])
    lost = WRITTEN | {("check_coverage", ""): {"status": "not_checked"}}
    assert (1, "plan_queries", "") not in kept_outcomes({0: lost, 1: later}, [])
