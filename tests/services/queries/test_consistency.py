"""No result contradicts itself, whatever the outcomes of its checks and repairs (V10)."""

import random
import re
from typing import Any

import pytest

from api.adapters.seeds import agent_answer, chat_reply, rag_answer, researched_answer, streamed_answer, verified_answer
from api.schemas.formats.seeds import AgentAnswer, ChatReply, RagAnswer, VerifiedAnswer
from citewell_verify.answers.refusals import is_idk
from citewell_verify.answers.statements import plan_checks
from citewell_verify.markers.parser import cited_markers
from citewell_verify.verdicts.confidence import UNCALIBRATED
from citewell_verify.verdicts.states import COVERAGE_ISSUE, FACTS_ISSUE, UNPROVEN
from citewell_verify.verification.sentences import NOTHING_SAID
from services.queries.results import read_citation_checks, read_history
from tests.services.story import Story, answerable, checked, no, ruling, yes
from verify_material.rows import for_all_rows

pytestmark = pytest.mark.usefixtures("database")

Json = dict[str, Any]

CITIES = ("Paris", "Rome", "Vienna", "Oslo", "Lima", "Cairo")
SCORES = ("overall_score", "answer_source_alignment", "citation_coverage", "fact_verification_score")
GONE = (*SCORES, "confidence", "confidence_level", "claims_score", "calibration")
UNCOUNTED = ("no_claim", "not_checked")


def sentence(city: str) -> str:
    return f"The museum in {city} opens at nine every morning"


class Script:
    """An answer with the outcome of every step, drawn from `seed`."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.story = Story(
            "When do the museums open?", show_claims=True, repair=self.draw.choice(["full", "citations"])
        )
        self.keys = [self.story.add(f"{city}.md", f"{sentence(city)}.") for city in CITIES[:3]]
        self.cities = self.draw.sample(CITIES, self.draw.randint(1, 5))

    def play(self) -> Json:
        """Write, check, repair and conclude as scripted; return the finished query."""
        self.story.selected(*self.keys)
        text = " ".join(f"{sentence(city)}{self._markers()}." for city in self.cities)
        text += self.draw.choice(["", " I hope that this helps."])
        self.story.drafted(text, *(self._verdict() for _ in plan_checks(text, len(self.keys))))
        self._check_the_whole()
        for index in self.story.assess()["failing"]:
            self._repair(index)
        return self.story.conclude()

    def _markers(self) -> str:
        numbers = self.draw.sample([1, 2, 3, 9], self.draw.choice([0, 1, 1, 1, 2]))
        return "".join(f" [†{number}]" for number in numbers)

    def _verdict(self) -> Json | None:
        outcomes = (yes(), yes(), no(), no("denied", "contradicts"), no("in part", "partially_supports"))
        unsure = no("unsure", confidence=0.4)
        return self.draw.choice([*outcomes, unsure, checked(None, "timeout"), None])

    def _check_the_whole(self) -> None:
        draw, story = self.draw, self.story
        for name in ("check_alignment", "check_coverage"):
            if draw.random() < 0.8:
                story.set(name, checked({"score": draw.choice([0.0, 0.3, 0.85, 1.0])}))
        story.set("check_answerability", draw.choice([answerable(True), answerable(True), answerable(False)]))

    def _repair(self, index: int) -> None:
        kind = self.draw.choice(["dropped", "rewritten", "reattributed", "kept"])
        place = self.draw.randrange(3)
        held = ruling(True, "supports", 0.95, "the source says so") if kind in ("rewritten", "reattributed") else None
        text = f"At nine every morning opens the museum in {CITIES[place]}." if kind == "rewritten" else None
        keys = [self.keys[place]] if held else []
        outcome = {"status": kind, "keys": keys, "text": text, "verdict": held, "reason": "the check failed"}
        self.story.set("repair_statements", outcome, f"s{index}")


def assert_consistent(query: Json, log: list[Json]) -> None:
    """Assert every statement that a result makes about itself."""
    verification = query["verification"]
    assert query["answer"].strip()
    assert_counts(verification)
    assert_citations(query)
    assert_log(query, log)
    if query["abstained"]:
        assert_withdrawn(query)
    else:
        assert_published(query)
    # No calibration was measured here, so the number has no label.
    assert verification["confidence_level"] == (None if verification["confidence"] is None else UNCALIBRATED)


def assert_counts(verification: Json) -> None:
    """Counts, claims, facts and states."""
    statuses = [each["status"] for each in verification["claims"]]
    assert verification["claims_checked"] == len(statuses)
    assert verification["claims_supported"] == statuses.count("SUPPORTED")
    states = [each["status"] for each in verification["sentences"] if each["status"] != "no_claim"]
    holds = bool(statuses) and {*statuses} == {"SUPPORTED"} and {*states} <= {"supported"}
    assert verification["is_grounded"] is holds
    facts = verification["facts"]
    verified = {source for fact in facts if fact["verified"] for source in fact["supporting_sources"]}
    assert {*verification["verified_sources"]} == verified
    assert verification["unverified_claims"] == [fact["claim"] for fact in facts if not fact["verified"]]


def assert_citations(query: Json) -> None:
    """Markers, references, spans."""
    numbers = sorted({number for marker in cited_markers(query["answer"]) for number in marker.numbers})
    assert numbers == sorted({each["number"] for each in query["citations"]})
    assert numbers == list(range(1, len(query["references"]) + 1))
    for each in query["citations"]:
        assert query["answer"][each["answer_start"] : each["answer_end"]] == each["claim_text"]
        assert each["status"] != "inaccurate"
    written = {number for marker in cited_markers(query["original_answer"]) for number in marker.numbers}
    assert {*query["removed_citations"]} <= written
    assert not any(edit["kind"] == "dropped" and edit["before"] in query["answer"] for edit in query["edits"])


def assert_log(query: Json, log: list[Json]) -> None:
    """The rate is that of the log, and null if no citation could be checked."""
    states = [each["status"] for each in log]
    known = bool({*states} - {"not_checked"})
    rate = pytest.approx(states.count("accurate") / len(states)) if known else None
    assert query["verification"]["accuracy_rate"] == rate


def assert_withdrawn(query: Json) -> None:
    """A refusal has no scores for absent content."""
    verification = query["verification"]
    assert is_idk(query["answer"])
    assert [verification[name] for name in GONE] == [None] * len(GONE)
    assert (verification["claims"], verification["suggested_corrections"]) == ([], [])
    assert (query["citations"], query["references"]) == ([], [])
    assert {each["status"] for each in verification["sentences"]} == {"no_claim"}
    assert query["abstain_reason"] in verification["issues"]
    assert not any("cited" in issue or "claims" in issue for issue in verification["issues"])
    written = {number for marker in cited_markers(query["original_answer"]) for number in marker.numbers}
    assert query["removed_citations"] == sorted(written)


def assert_published(query: Json) -> None:
    """Scores and sentences are those of the answer."""
    verification = query["verification"]
    assert (query["abstain_reason"], is_idk(query["answer"])) == (None, False)
    assert all(query["answer"][each["start"] : each["end"]] == each["text"] for each in verification["sentences"])
    assert not any(re.search(r"\d\.\d{10}", str(verification[name])) for name in SCORES)
    counted = [each for each in verification["sentences"] if each["status"] not in UNCOUNTED]
    assert (verification["confidence"] is None) <= (not counted)
    # a claim that was taken out of the answer is not among those that were checked.
    gone = {edit["before"].rstrip(".") for edit in query["edits"] if edit["kind"] in ("dropped", "rewritten")}
    listed = [each["claim"] for each in (*verification["claims"], *verification["facts"])]
    assert not {claim.rstrip(".") for claim in listed} & gone
    cited = {each["claim_text"] for each in query["citations"]}
    assert not cited & {each["text"] for each in verification["sentences"] if each["status"] in UNPROVEN}
    assert_scores(verification)


def assert_scores(verification: Json) -> None:
    """The facts score is that of the facts, the overall score that of its parts."""
    facts = [fact["verified"] for fact in verification["facts"]]
    score = verification["fact_verification_score"]
    if verification["checks"]["check_facts"]["status"] == "checked":
        assert score == pytest.approx(sum(facts) / len(facts) if facts else 1.0)
    parts = zip((0.4, 0.3, 0.3), SCORES[1:], strict=True)
    assert verification["overall_score"] == pytest.approx(sum(weight * verification[name] for weight, name in parts))
    assert (FACTS_ISSUE in verification["issues"]) == (score < 0.7)
    assert (COVERAGE_ISSUE in verification["issues"]) == (verification["citation_coverage"] < 0.5)


@for_all_rows("seed", range(60))
@pytest.mark.slow
def test_no_result_contradicts_itself(seed: int) -> None:  # V10, S2.4, S5.6
    script = Script(seed)
    query = script.play()
    assert_consistent(query, read_citation_checks(script.story.query_id))
    assert_told_alike(query, read_citation_checks(script.story.query_id))


def assert_told_alike(query: Json, log: list[Json]) -> None:
    """Every seed's format has the same answer, and never an empty one."""
    assert RagAnswer.model_validate(rag_answer(query)).answer == query["answer"]
    assert AgentAnswer.model_validate(agent_answer(query)).answer == query["answer"]
    assert AgentAnswer.model_validate(researched_answer(query)).answer == query["answer"]
    assert streamed_answer(query)["data"] == query["answer"]
    reply = ChatReply.model_validate(chat_reply(query))
    assert reply.content == query["answer"]
    assert reply.verification is not None
    assert reply.verification.claims_checked == len(reply.verification.claims)
    told = VerifiedAnswer.model_validate(verified_answer(query, log, "hybrid"))
    left = {number for marker in cited_markers(told.corrected_answer) for number in marker.numbers}
    assert bool(left) == bool(query["citations"])


@for_all_rows("text", ["[1][2][3]", "[†1]", "(Source: 1)", "[†1].", "[Source: 1]"])
def test_an_answer_of_markers_only_is_a_refusal_at_every_endpoint(text: str) -> None:  # S2.6
    story = Story(show_claims=True)
    keys = [story.add(f"{city}.md", f"{sentence(city)}.") for city in CITIES[:3]]
    story.selected(*keys).set("generate", {"status": "complete", "text": text, "model": "m"})
    story.set("check_answerability", answerable(True)).assess()
    query = story.conclude()
    assert (query["abstained"], query["abstain_reason"], is_idk(query["answer"])) == (True, NOTHING_SAID, True)
    log = read_citation_checks(story.query_id)
    assert_consistent(query, log)
    assert_told_alike(query, log)


def test_what_was_found_of_an_answer_that_was_replaced_is_in_the_history() -> None:  # A4
    story = Story()
    story.selected(story.add("a.md", f"{sentence('Paris')}.")).drafted(f"{sentence('Paris')} [†1].", yes())
    story.set("check_alignment", checked({"score": 0.9})).set("check_answerability", answerable(False, "not an answer"))
    story.assess()
    query = story.conclude()
    assert (query["abstained"], query["verification"]["answer_source_alignment"]) == (True, None)
    (published,) = read_history(story.query_id)["verifications"]
    assert [each["status"] for each in published["citation_checks"]] == ["accurate"]
    assert published["draft_claims_score"] == 1.0


def test_the_scores_of_a_mended_answer_are_those_of_what_it_says() -> None:  # V10, S1.3, S1.4
    story = Story(show_claims=True)
    keys = [story.add(f"{city}.md", f"{sentence(city)}.") for city in CITIES[:2]]
    said = [sentence("Paris"), sentence("Oslo"), sentence("Lima")]
    story.selected(*keys).drafted(" ".join(f"{each} [†1]." for each in said), yes(), no(), no())
    story.set("check_coverage", checked({"score": 0.7})).set("check_alignment", checked({"score": 0.9}))
    story.assess()
    held = ruling(True, "supports", 0.95, "the source says so")
    moved = {"status": "rewritten", "keys": [keys[1]], "text": f"{sentence('Rome')}.", "verdict": held, "reason": "no"}
    story.set("repair_statements", moved, "s1")
    gone: Json = {"status": "dropped", "keys": [], "text": None, "verdict": None, "reason": "no source says it"}
    verification = story.set("repair_statements", gone, "s2").conclude()["verification"]
    assert [fact["claim"] for fact in verification["facts"]] == [f"{said[0]}.", f"{sentence('Rome')}."]
    assert (verification["fact_verification_score"], verification["unverified_claims"]) == (1.0, [])
    assert verification["verified_sources"] == ["doc_0::chunk_0", "doc_1::chunk_0"]
    assert verification["citation_coverage"] == 1.0  # both sources are cited now
    assert verification["overall_score"] == pytest.approx(0.4 * 0.9 + 0.3 + 0.3)
