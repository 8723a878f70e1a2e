"""Repairing failed statements, strategy by strategy (N5): another chunk, a search, a rewriting, or removal."""

import re
from typing import Any

import pytest

from citewell_verify.verification.repairs import repair_item
from citewell_verify.verification.sentences import NOTHING_LEFT
from domain.errors.state import SourceDeleted
from services.correction.repair_steps import recheck_answerability, repair_statements, search_evidence
from services.queries.results import read_history
from tests.clients.groq_stage import GroqStage
from tests.services.story import Play, Story, answerable, checked, no, yes
from tests.simulators.groq.faults import Fault, FaultKind
from verify_material.rows import for_all_rows

pytestmark = pytest.mark.usefixtures("database")

RETURNS = "Returns policy. Returns are accepted within 30 days of the purchase date."
REFUNDS = "Refunds. Refunds are paid to the original card within 10 business days."
WARRANTY = "Warranty terms. Every laptop has a warranty of 24 months from the day of delivery."
SHIPPING = "Shipping. Parcels are delivered by courier on weekdays between nine and six."
GOOD = "Returns are accepted within 30 days of the purchase date [†1]."
PAID = "Refunds are paid to the original card within 10 business days"
MONTHS = "Every laptop has a warranty of 24 months from the day of delivery"
WRONG = "Returns are accepted within 60 days of the purchase date"
IDK = "I don't know based on the documents."


def edits(query: dict[str, Any], *kinds: str) -> list[dict[str, Any]]:
    return [edit for edit in query["edits"] if edit["kind"] in (kinds or ("reattributed", "rewritten", "dropped"))]


def states(query: dict[str, Any]) -> list[str]:
    return [sentence["status"] for sentence in query["verification"]["sentences"]]


def assert_rebuilt(story: Story, query: dict[str, Any]) -> None:
    """N3, S5.5: numbers run 1..n with a reference each, and every offset slices its text."""
    answer: str = query["answer"]
    texts = {str(story.documents[key]): text for key, text in story.texts.items()}
    for sentence in query["verification"]["sentences"]:
        assert answer[sentence["start"] : sentence["end"]] == sentence["text"]
        if sentence["evidence"]:
            place = sentence["source"]
            assert texts[place["document_id"]][place["source_start"] : place["source_end"]] == sentence["evidence"]
    for citation in query["citations"]:
        assert answer[citation["answer_start"] : citation["answer_end"]] == citation["claim_text"]
        stored = texts[citation["document_id"]]
        assert stored[citation["source_start"] : citation["source_end"]] == citation["text_span"]
    numbers = sorted({citation["number"] for citation in query["citations"]})
    assert numbers == list(range(1, len(query["references"]) + 1))
    assert sorted({int(number) for number in re.findall(r"\[(\d+)\]", answer)}) == numbers


# The ladder


def test_a_statement_that_another_retrieved_chunk_says_is_cited_to_that() -> None:  # N5
    story = Story()
    returns, refunds, spare = story.add("a.md", RETURNS), story.add("b.md", SHIPPING), story.add("c.md", REFUNDS)
    story.selected(returns, refunds, ranked=(spare,)).drafted(f"{GOOD} {PAID} [†2].", yes(), no("it is about parcels"))
    query = story.repair().conclude()
    (edit,) = edits(query)
    assert (edit["kind"], edit["statement"], edit["before"], edit["after"]) == ("reattributed", 1, f"{PAID}.", None)
    assert edit["reason"] == "it is about parcels; c.md (retrieved) says it"
    assert query["answer"] == f"{GOOD.replace(' [†1]', '')} [1] {PAID}. [2]"
    assert query["original_answer"] == f"{GOOD} {PAID} [†2]."
    assert query["references"] == ["[1] a.md", "[2] c.md"]
    assert query["removed_citations"] == [2]
    assert states(query) == ["supported", "supported"]
    assert [(c["document_name"], c["status"]) for c in query["citations"]] == [
        ("a.md", "accurate"),
        ("c.md", "accurate"),
    ]
    assert "1 sentence was reattributed because the check failed." in query["verification"]["issues"]
    assert_rebuilt(story, query)


def test_a_statement_may_be_cited_to_another_source_of_the_answer() -> None:  # N5
    story = Story()
    story.selected(story.add("a.md", RETURNS), story.add("b.md", REFUNDS)).drafted(f"{GOOD} {PAID} [†1].", yes(), no())
    query = story.repair().conclude()
    assert [edit["kind"] for edit in edits(query)] == ["reattributed"]
    assert query["answer"].endswith(f"{PAID}. [2]")
    assert query["references"] == ["[1] a.md", "[2] b.md"]
    assert_rebuilt(story, query)


def test_what_was_not_retrieved_is_found_by_a_search() -> None:  # N5
    story = Story()
    returns, warranty = story.add("a.md", RETURNS), story.add("warranty.md", WARRANTY)
    story.selected(returns).drafted(f"{GOOD} {MONTHS} [†1].", yes(), no())
    query = story.repair().conclude()
    assert warranty in story.outcome("search_evidence")["found"]["1"]
    (edit,) = edits(query)
    assert edit["kind"] == "reattributed"
    assert edit["reason"].endswith("warranty.md (found by a search) says it")
    assert query["references"] == ["[1] a.md", "[2] warranty.md"]
    assert states(query) == ["supported", "supported"]
    assert_rebuilt(story, query)


def test_a_search_stays_in_its_workspace() -> None:  # N5
    elsewhere = Story()
    foreign = elsewhere.add("warranty.md", WARRANTY)
    story = Story()
    story.selected(story.add("a.md", RETURNS)).drafted(f"{GOOD} {MONTHS} [†1].", yes(), no())
    query = story.repair().conclude()
    assert foreign not in story.outcome("search_evidence")["found"]["1"]
    assert [edit["kind"] for edit in edits(query)] == ["dropped"]


def test_a_wrong_figure_becomes_that_of_the_source() -> None:  # N5
    story = Story()
    story.selected(story.add("a.md", RETURNS)).drafted(f"{WRONG} [†1].", no("60 is not 30", "contradicts"))
    query = story.repair().conclude()
    (edit,) = edits(query)
    assert (edit["kind"], edit["before"], edit["after"]) == ("rewritten", f"{WRONG}.", f"{WRONG.replace('60', '30')}.")
    assert edit["reason"] == "60 is not 30; a.md says otherwise"
    assert query["answer"] == f"{WRONG.replace('60', '30')}. [1]"
    assert query["original_answer"] == f"{WRONG} [†1]."
    assert states(query) == ["supported"]
    verification = query["verification"]
    assert (verification["draft_claims_score"], verification["claims_score"]) == (0.0, 1.0)
    assert verification["is_grounded"] is True
    assert "rewrite_statement" not in story.asked()
    assert_rebuilt(story, query)


WEIGHT = "It weighs 7 kilograms and runs on two batteries."


@pytest.mark.parametrize("heading", ["**The pump is unsafe** [†2]", "# The pump is unsafe [†2]"])
def test_no_citation_in_doubt_stays_behind_text_that_claims_nothing(heading: str) -> None:  # S5.4
    story = Story()
    sources = story.add("a.md", RETURNS), story.add("b.md", WEIGHT)
    story.selected(*sources).drafted(f"{heading}\n\n{GOOD}", no(confidence=0.6), yes())
    query = story.conclude()
    assert "[2]" not in query["answer"]
    assert "The pump is unsafe" in query["answer"]


@for_all_rows(
    ("statement", "source", "repaired"),
    [
        ("Model X100 weighs 9 kilograms", "Model X100 weighs 7 kilograms.", "Model X100 weighs 7 kilograms"),
        ("Model X100 weighs 9 kilograms", "Model X1000 weighs 7 kilograms.", None),
        ("Model X100 weighs 9 kilograms", "The box of model X100 weighs 7 kilograms.", None),
        ("Model X100 weighs 9 kilograms", "Model X100 weighs more than 7 kilograms.", None),
        ("Model X100 weighs 9 kilograms", "If it is full, model X100 weighs 7 kilograms.", None),
        ("Model X100 was tested 9 times", "Model X100 tested 7 times.", "Model X100 tested 7 times"),
    ],
)
def test_a_repair_by_rule_is_a_sentence_of_the_source(
    statement: str, source: str, repaired: str | None
) -> None:  # N5, V6
    story = Story()
    returns, weight = story.add("a.md", RETURNS), story.add("manual.md", source)
    story.selected(returns, weight).drafted(f"{GOOD} {statement} [†2].", yes(), no("the figure differs"))
    (edit,) = edits(story.repair().conclude())
    assert (edit["kind"], edit["after"]) == (("rewritten", f"{repaired}.") if repaired else ("dropped", None))


def test_the_check_of_a_repair_is_in_the_history_beside_the_first() -> None:  # N5, A4
    story = Story()
    story.selected(story.add("a.md", RETURNS)).drafted(f"{WRONG} [†1].", no("60 is not 30", "contradicts"))
    story.repair().conclude()
    (published,) = read_history(story.query_id)["verifications"]
    found = {check["item"]: (check["status"], check["statement"]) for check in published["citation_checks"]}
    assert found == {
        "s0:c1": ("inaccurate", f"{WRONG}."),
        "s0:repair": ("accurate", f"{WRONG.replace('60', '30')}."),
    }


def test_the_model_takes_out_what_no_source_says(groq: Play) -> None:  # N5
    story = Story(play=groq)
    said = "Returns are accepted within 30 days of the purchase date by any employee whatsoever, smiling"
    story.selected(story.add("a.md", RETURNS)).drafted(f"{said} [†1].", no("nobody smiles"))
    query = story.repair().conclude()
    (edit,) = edits(query)
    assert (edit["kind"], edit["before"]) == ("rewritten", f"{said}.")
    assert edit["after"] in RETURNS
    assert edit["reason"] == "nobody smiles; a.md supports less"
    assert query["answer"] == f"{edit['after']} [1]"
    assert states(query) == ["supported"]
    assert story.asked() == ["rewrite_statement", "check_statement"]
    assert_rebuilt(story, query)


def test_a_rewriting_that_stands_in_its_source_is_taken_whatever_its_check_says(
    stage: GroqStage, groq: Play
) -> None:  # N5, V1
    story = Story(play=groq)
    said = "Returns are accepted within 30 days of the purchase date by any employee whatsoever, smiling"
    story.selected(story.add("a.md", RETURNS)).drafted(f"{said} [†1].", no())
    stage.sim.fail(Fault(kind=FaultKind.LYING, match="\ncheck_statement\n", times=None))
    story.repair()
    assert story.outcome("repair_statements", "s0")["status"] == "rewritten"
    assert "rewrite_statement" in story.asked()


def test_a_rewriting_that_says_much_more_is_not_taken(groq: Play) -> None:  # N5
    story = Story(play=groq)
    long = (
        f"Returns are accepted within 30 days, {'and every single parcel is weighed by hand, ' * 6}without exception."
    )
    story.selected(story.add("a.md", long)).drafted("Returns accepted 30 days always [†1].", no())
    story.repair()
    assert story.outcome("repair_statements", "s0")["status"] == "dropped"
    assert story.asked()[-1] == "rewrite_statement"


def test_what_nothing_supports_goes_and_the_rest_reads_on() -> None:  # N5
    story = Story()
    draft = f"{GOOD} The moon is made of green cheese [†2]. {PAID} [†2]."
    story.selected(story.add("a.md", RETURNS), story.add("b.md", REFUNDS)).drafted(draft, yes(), no("no moon"), yes())
    query = story.repair().conclude()
    (edit,) = edits(query)
    assert (edit["kind"], edit["before"], edit["after"]) == ("dropped", "The moon is made of green cheese.", None)
    assert edit["reason"] == "no moon"
    assert query["answer"] == f"{GOOD.replace(' [†1]', '')} [1] {PAID}. [2]"
    assert query["original_answer"] == draft
    assert states(query) == ["supported", "supported"]
    assert query["verification"]["draft_claims_score"] < query["verification"]["claims_score"]
    assert_rebuilt(story, query)


def test_a_number_that_only_a_dropped_statement_had_goes_too() -> None:  # N5, S5.5
    story = Story()
    draft = f"The moon is made of green cheese [†1]. {PAID} [†2]."
    story.selected(story.add("a.md", RETURNS), story.add("b.md", REFUNDS)).drafted(draft, no(), yes())
    query = story.repair().conclude()
    assert query["answer"] == f"{PAID}. [1]"
    assert (query["references"], query["removed_citations"]) == (["[1] b.md"], [1])
    assert_rebuilt(story, query)


def test_a_list_is_left_without_a_hole() -> None:  # N5
    story = Story()
    draft = f"- {GOOD}\n- The moon is made of green cheese [†1].\n- {PAID} [†2]."
    story.selected(story.add("a.md", RETURNS), story.add("b.md", REFUNDS)).drafted(draft, yes(), no(), yes())
    query = story.repair().conclude()
    assert query["answer"].splitlines() == [f"- {GOOD.replace(' [†1]', '')} [1]", f"- {PAID}. [2]"]
    assert_rebuilt(story, query)


def test_a_statement_of_which_a_part_is_supported_is_kept() -> None:  # N5, N4
    story = Story()
    said = "Returns are accepted by friendly staff in every shop of the country"
    partly = no("only that returns are accepted", "partially_supports")
    story.selected(story.add("a.md", RETURNS)).drafted(f"{GOOD} {said} [†1].", yes(), partly)
    query = story.repair().conclude()
    assert story.outcome("repair_statements", "s1")["status"] == "kept"
    assert edits(query) == []
    assert f"{said}." in query["answer"]
    assert states(query) == ["supported", "partial"]
    assert query["verification"]["is_grounded"] is False
    # S5.4: its citation was a sure no, regardless of the words.
    assert [citation["claim_text"] for citation in query["citations"]] == [GOOD.replace(" [†1]", "")]
    assert_rebuilt(story, query)


def test_several_statements_are_mended_at_once_each_in_its_own_way() -> None:  # N5
    story = Story()
    returns, refunds = story.add("a.md", RETURNS), story.add("b.md", REFUNDS)
    story.add("warranty.md", WARRANTY)
    draft = f"{WRONG} [†1]. The moon is made of green cheese [†2]. {PAID} [†1]. {MONTHS} [†2]."
    story.selected(returns, refunds).drafted(draft, no("60", "contradicts"), no(), no(), no())
    query = story.repair().conclude()
    assert [edit["kind"] for edit in edits(query)] == ["rewritten", "dropped", "reattributed", "reattributed"]
    assert query["answer"] == f"{WRONG.replace('60', '30')}. [1] {PAID}. [2] {MONTHS}. [3]"
    assert query["references"] == ["[1] a.md", "[2] b.md", "[3] warranty.md"]
    assert query["verification"]["claims_score"] == 1.0
    assert_rebuilt(story, query)


# What is not repaired


def test_a_statement_with_one_good_citation_loses_only_the_bad_one() -> None:  # S5.4
    story = Story()
    story.selected(story.add("a.md", RETURNS), story.add("b.md", REFUNDS))
    story.drafted(GOOD.replace("[†1]", "[†1][†2]"), yes(), no())
    query = story.repair().conclude()
    assert story.outcome("assess")["failing"] == []
    assert query["answer"] == GOOD.replace(" [†1].", ". [1]")
    assert query["removed_citations"] == [2]


@pytest.mark.parametrize(
    "verdict", [no(relation="partially_supports", confidence=0.6), yes(confidence=0.6), checked(None, "timeout"), None]
)
def test_a_sentence_that_a_source_may_have_is_not_repaired(verdict: dict[str, Any] | None) -> None:  # N5, N4
    story = Story()
    story.selected(story.add("a.md", RETURNS)).drafted(f"{WRONG} [†1].", verdict)
    query = story.repair().conclude()
    assert query["answer"] == f"{WRONG}. [1]"
    assert edits(query) == []
    assert states(query) != ["supported"]


@pytest.mark.parametrize(
    "verdicts",
    [(no(confidence=0.5),), (no(confidence=0.9), no(confidence=0.4)), (no(relation="contradicts", confidence=0.5),)],
)
def test_a_sentence_that_no_source_has_goes_however_unsure_the_judge_is(
    verdicts: tuple[dict[str, Any], ...],
) -> None:  # N5
    story = Story()
    keys = [story.add("a.md", RETURNS), story.add("b.md", REFUNDS)]
    cited = "".join(f"[†{number}]" for number in range(1, len(verdicts) + 1))
    story.selected(*keys).drafted(f"{GOOD} [†1]. The shop sells hats on Mars {cited}.", yes(), *verdicts)
    query = story.repair().conclude()
    assert "Mars" not in query["answer"]
    assert [edit["kind"] for edit in edits(query)][:1] == ["dropped"]


@for_all_rows(
    ("verdicts", "state", "cited"),
    [
        ((no(confidence=0.9), no(confidence=0.4)), "unsupported", []),
        ((no(confidence=0.4), no(confidence=0.4)), "unsupported", []),
        ((no("it says 30", "contradicts"), no(confidence=0.4)), "contradicted", []),
        ((no("it says 30", "contradicts"), yes()), "contradicted", []),
        ((no("in part", "partially_supports", 0.4), no(confidence=0.9)), "partial", [1]),
        ((yes(confidence=0.6), no(confidence=0.4)), "partial", [1, 2]),
        ((yes(), no(confidence=0.4)), "supported", [1, 2]),
    ],
)
def test_no_citation_stays_behind_a_sentence_that_is_not_proven(
    verdicts: tuple[dict[str, Any], ...], state: str, cited: list[int]
) -> None:  # S5.4, N4
    story = Story(repair="citations")
    story.selected(story.add("a.md", RETURNS), story.add("b.md", REFUNDS)).drafted(f"{WRONG} [†1][†2].", *verdicts)
    query = story.repair().conclude()
    assert (states(query), [citation["number"] for citation in query["citations"]]) == ([state], cited)
    assert query["answer"] == f"{WRONG}.{' ' if cited else ''}{''.join(f'[{number}]' for number in cited)}"
    assert query["verification"]["is_grounded"] is (state == "supported")
    assert_rebuilt(story, query)


def test_without_repairs_the_sentence_stays_and_only_its_citation_goes() -> None:  # N5, S5.5
    story = Story(repair="citations")
    story.selected(story.add("a.md", RETURNS)).drafted(f"{GOOD} {WRONG} [†1].", yes(), no("60", "contradicts"))
    query = story.repair().conclude()
    assert story.outcome("assess")["failing"] == [1]
    assert query["answer"] == f"{GOOD.replace(' [†1]', '')} [1] {WRONG}."
    assert states(query) == ["supported", "contradicted"]
    assert edits(query) == []
    assert [edit["kind"] for edit in query["edits"]] == ["removed"]
    assert_rebuilt(story, query)


def test_without_its_model_a_statement_becomes_the_sentence_of_its_source_which_is_told_once(
    stage: GroqStage, groq: Play
) -> None:  # N5, N4
    story = Story(play=groq)
    story.selected(story.add("a.md", RETURNS)).drafted(f"{GOOD} {WRONG} [†1].", yes(), no("60", "contradicts"))
    stage.sim.fail(Fault(kind=FaultKind.FORBIDDEN, times=None))
    query = story.repair().conclude()
    # Its own sentence stands already.
    assert query["answer"] == GOOD.replace(" [†1].", ". [1]")
    assert [edit["kind"] for edit in edits(query)] == ["dropped"]


def test_a_repair_that_left_nothing_leaves_the_statement_as_it_was() -> None:  # N5, N4
    story = Story()
    story.selected(story.add("a.md", RETURNS)).drafted(f"{GOOD} {WRONG} [†1].", yes(), no("60", "contradicts"))
    story.assess()
    query = story.conclude()
    assert f"{WRONG}." in query["answer"]
    assert states(query) == ["supported", "contradicted"]


def test_a_search_that_broke_leaves_the_other_rungs() -> None:  # N5
    story = Story()
    story.selected(story.add("a.md", RETURNS)).drafted(f"{WRONG} [†1].", no("60", "contradicts"))
    story.assess()
    story.set("search_evidence", {"status": "failed", "found": {}})
    story.run("repair_statements", repair_statements, "s0")
    assert story.outcome("repair_statements", "s0")["status"] == "rewritten"


# Nothing left, and answerability


def test_when_every_statement_goes_the_answer_is_i_dont_know_with_the_reason() -> None:  # N5, S3.4
    story = Story()
    draft = "The moon is made of green cheese [†1]. Bananas orbit the sun [†1]."
    story.selected(story.add("a.md", RETURNS)).drafted(draft, no(), no())
    query = story.repair().conclude()
    assert (query["status"], query["answer"], query["abstained"]) == ("succeeded", IDK, True)
    assert query["abstain_reason"] == NOTHING_LEFT
    assert query["original_answer"] == draft
    assert (query["citations"], query["references"], states(query)) == ([], [], ["no_claim"])
    assert query["verification"]["is_grounded"] is False
    assert NOTHING_LEFT in query["verification"]["issues"]
    assert len(read_history(story.query_id)["verifications"][0]["citation_checks"]) == 2


def unanswerable(play: Play, text: str = f"{GOOD} {WRONG} [†1].") -> Story:
    """A draft that is not supported as a whole, of which the second statement fails."""
    story = Story("Within how many days of the purchase date are returns accepted?", play=play)
    story.selected(story.add("a.md", RETURNS)).drafted(text, yes(), no("60", "contradicts"))
    return story.set("check_answerability", answerable(False, "60 days is not in the context"))


def test_a_repaired_answer_is_asked_about_again_and_published_when_it_holds(groq: Play) -> None:  # N5, S3.4
    story = unanswerable(groq)
    query = story.repair().conclude()
    assert story.outcome("assess")["draft"] == "unanswerable"
    assert story.outcome("recheck_answerability")["verdict"]["supported"] is True
    assert (query["abstained"], query["abstain_reason"]) == (False, None)
    assert "60" not in query["answer"]
    assert set(states(query)) == {"supported"}


def test_a_repaired_answer_that_still_does_not_hold_is_not_published(stage: GroqStage, groq: Play) -> None:  # S3.4
    story = unanswerable(groq)
    stage.sim.fail(Fault(kind=FaultKind.LYING, match="\ncheck_answerability\n", times=None))
    query = story.repair().conclude()
    assert story.outcome("recheck_answerability")["verdict"]["supported"] is False
    assert (query["answer"], query["abstained"]) == (IDK, True)


def test_a_repaired_answer_that_could_not_be_asked_about_is_not_published(stage: GroqStage, groq: Play) -> None:  # S3.4
    story = unanswerable(groq)
    stage.sim.fail(Fault(kind=FaultKind.FORBIDDEN, match="\ncheck_answerability\n", times=None))
    query = story.repair().conclude()
    assert story.outcome("recheck_answerability")["status"] == "not_checked"
    assert (query["answer"], query["abstained"]) == (IDK, True)
    assert "60 days is not in the context" in query["abstain_reason"]


def test_a_repaired_answer_is_asked_about_with_the_numbers_that_it_has_now(
    stage: GroqStage, groq: Play
) -> None:  # S3.4
    story = Story("How are refunds paid?", play=groq)
    story.selected(story.add("a.md", SHIPPING), story.add("b.md", REFUNDS))
    story.drafted(f"The moon is made of green cheese [†1]. {PAID} [†2].", no(), yes())
    failing = story.set("check_answerability", answerable(False, "no moon")).assess()["failing"]
    story.run("repair_statements", repair_statements, *map(repair_item, failing))
    stage.sim.fail(Fault(kind=FaultKind.FORBIDDEN, match='<source id="1" name="a.md">', times=None))
    story.run("recheck_answerability", recheck_answerability)
    query = story.conclude()
    assert story.outcome("recheck_answerability")["status"] == "checked"
    assert query["answer"] == f"{PAID}. [1]"
    assert query["references"] == ["[1] b.md"]


@pytest.mark.parametrize("first", [answerable(True), {"status": "skipped", "verdict": None}])
def test_what_was_not_refused_is_not_asked_about_again(first: dict[str, Any]) -> None:  # S3.4
    story = Story()
    story.selected(story.add("a.md", RETURNS)).drafted(f"{WRONG} [†1].", no("60", "contradicts"))
    story.set("check_answerability", first).repair()
    assert story.outcome("recheck_answerability")["status"] == "skipped"
    assert "check_answerability" not in story.asked()


def test_what_nobody_could_say_of_the_draft_is_asked_of_the_repaired_answer() -> None:  # S3.4, N4
    story = Story()
    story.selected(story.add("a.md", RETURNS)).drafted(f"{WRONG} [†1].", no("60", "contradicts"))
    story.set("check_answerability", checked(None, "timeout")).repair()
    assert story.outcome("recheck_answerability")["status"] == "checked"


def test_what_no_repair_changed_is_not_asked_about_again() -> None:  # S3.4
    story = Story()
    story.selected(story.add("a.md", RETURNS)).drafted(GOOD, yes())
    story.set("check_answerability", answerable(False, "too vague")).assess()
    assert story.run("recheck_answerability", recheck_answerability)["status"] == "skipped"
    query = story.conclude()
    assert query["answer"] == IDK
    assert "too vague" in query["abstain_reason"]


def test_of_an_answer_of_which_nothing_is_left_nothing_is_asked() -> None:  # S3.4
    story = Story()
    story.selected(story.add("a.md", RETURNS)).drafted("The moon is made of green cheese [†1].", no("no moon"))
    query = story.set("check_answerability", answerable(False, "no moon")).repair().conclude()
    assert story.outcome("recheck_answerability")["status"] == "skipped"
    assert (query["answer"], query["abstained"]) == (IDK, True)


# Documents that are deleted meanwhile


def test_a_repair_whose_chunk_was_deleted_meanwhile_drops_its_statement() -> None:  # N5, N3
    story = Story()
    returns, warranty = story.add("a.md", RETURNS), story.add("warranty.md", WARRANTY)
    story.selected(returns).drafted(f"{GOOD} {MONTHS} [†1].", yes(), no("no warranty"))
    story.repair()
    story.delete_chunk(warranty)
    query = story.conclude()
    (edit,) = edits(query)
    assert edit["kind"] == "dropped"
    assert edit["reason"].endswith("that passage was deleted meanwhile")
    assert query["answer"] == GOOD.replace(" [†1].", ". [1]")
    assert query["references"] == ["[1] a.md"]
    assert_rebuilt(story, query)


def test_a_chunk_that_was_deleted_before_the_repair_is_not_looked_at() -> None:  # N5
    story = Story()
    returns, refunds, spare = story.add("a.md", RETURNS), story.add("b.md", SHIPPING), story.add("c.md", REFUNDS)
    story.selected(returns, refunds, ranked=(spare,)).drafted(f"{GOOD} {PAID} [†2].", yes(), no())
    story.assess()
    story.delete_document(spare)
    story.run("search_evidence", search_evidence)
    assert story.run("repair_statements", repair_statements, "s1")["status"] == "dropped"


def test_a_source_of_the_answer_that_was_deleted_leaves_nothing_to_publish() -> None:  # N3
    story = Story()
    returns = story.add("a.md", RETURNS)
    story.selected(returns).drafted(f"{WRONG} [†1].", no("60", "contradicts"))
    story.assess()
    story.delete_document(returns)
    with pytest.raises(SourceDeleted, match="was deleted meanwhile; ask again"):
        story.run("repair_statements", repair_statements, "s0")
    query = story.conclude()
    assert (query["status"], query["answer"]) == ("failed", None)
    assert query["error"]["code"] == "source_deleted"


# What a rewritten statement is about

PUMPS = "Pump 4 runs at 14 bar and is inspected every 7 months.\nPump 5 runs at 15 bar and is inspected every 8 months."
MISSING = "Pump 14 runs at 24 bar and is inspected every 8 months"


def test_a_rewriting_with_the_figures_of_another_subject_is_not_taken(groq: Play) -> None:  # V6
    story = Story(play=groq)
    story.selected(story.add("a.md", PUMPS)).drafted(f"{MISSING} [†1].", no("there is no pump 14"))
    story.repair()
    assert "rewrite_statement" in story.asked()
    assert "check_statement" not in story.asked()
    assert story.outcome("repair_statements", "s0")["status"] == "dropped"


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        (MISSING, PUMPS),
        ("Revenue in Q2 2024 was $5 million", "Revenue in Q1 2024 was $3 million. Profit in Q1 2024 was $1 million."),
        ("2팀의 예산은 5억 원이다", "1팀의 예산은 3억 원이다. 3팀의 예산은 7억 원이다."),
        ("Berlin has 2 million inhabitants", "Hamburg has 3 million inhabitants."),
    ],
)
def test_what_is_about_something_that_no_source_names_is_dropped(statement: str, source: str) -> None:  # V6
    story = Story()
    story.selected(story.add("a.md", source)).drafted(f"{statement} [†1].", no("it is not there"))
    story.repair()
    assert story.outcome("repair_statements", "s0")["status"] == "dropped"
