"""Feedback: kept with what it is about, queued, reviewed, and of one tenant only."""

import uuid
from typing import Any

import httpx
import pytest

from db.queries.access.keys import get_or_add_tenant
from db.session import acting_for, system_transaction, transaction
from services.evaluation.feedback_pairs import feedback_pairs
from services.evaluation.labelled_data import EvaluationDataInvalid, LabelledPair
from tests.api.problems import assert_problem
from tests.factories import make_query
from tests.keys import bearer, make_key
from tests.services.given_story import GivenStory
from tests.stored import ANSWER, TEXT
from verify_material.rows import for_all_rows

SENTENCE = ANSWER[: ANSWER.index(" Have")]


def give(http: httpx.Client, query_id: str, **said: Any) -> dict[str, Any]:
    return http.post(f"/v1/queries/{query_id}/feedback", json=said).raise_for_status().json()


def test_feedback_is_kept_with_the_words_that_it_is_about(http: httpx.Client, query_id: str) -> None:
    said = {"sentence": 0, "rating": "down", "verdict": "unsupported", "reason": "It says 60.", "author": "j.kim"}
    response = http.post("/v1/feedback", json={"query_id": query_id, **said, "corrected_answer": "60 days."})
    assert response.status_code == 201
    kept = response.json()
    assert http.get(response.headers["location"]).json() == kept
    assert {name: kept[name] for name in ("place", "position", "excerpt", "status", "reviewed_at")} == {
        "place": "sentence",
        "position": 0,
        "excerpt": SENTENCE,
        "status": "open",
        "reviewed_at": None,
    }
    assert (kept["rating"], kept["verdict"], kept["corrected_answer"]) == ("down", "unsupported", "60 days.")
    assert give(http, query_id, citation=0, verdict="supported")["excerpt"] == SENTENCE
    whole = give(http, query_id, rating="up")
    assert (whole["place"], whole["position"], whole["excerpt"]) == ("answer", None, ANSWER)
    listed = http.get(f"/v1/queries/{query_id}/feedback").json()["feedback"]
    assert [each["place"] for each in listed] == ["answer", "citation", "sentence"]


def test_a_verification_is_judged_as_well(http: httpx.Client) -> None:  # N2
    story = GivenStory("Returns take 30 days [1].", "Returns take 30 days.")
    assert story.verified()["sentences"]
    kept = http.post("/v1/feedback", json={"query_id": str(story.query_id), "sentence": 0, "rating": "up"}).json()
    assert kept["excerpt"] == "Returns take 30 days."
    cited = http.post("/v1/feedback", json={"query_id": str(story.query_id), "citation": 0, "verdict": "supported"})
    assert cited.json()["excerpt"] == "Returns take 30 days."
    assert len(http.get("/v1/feedback", params={"query_id": str(story.query_id)}).json()["feedback"]) == 2


@for_all_rows(
    ("said", "code"),
    [
        ({}, "request_invalid"),
        ({"author": "me"}, "request_invalid"),
        ({"rating": "meh"}, "request_invalid"),
        ({"relevant": "partly"}, "request_invalid"),
        ({"rating": "up", "sentence": 0, "citation": 0}, "request_invalid"),
        ({"rating": "up", "sentence": -1}, "request_invalid"),
        ({"rating": "up", "sentence": 2}, "place_not_found"),
        ({"rating": "up", "citation": 1}, "place_not_found"),
        ({"reason": "x" * 20_001}, "request_invalid"),
        ({"rating": "up", "stars": 5}, "request_invalid"),
    ],
)
def test_what_says_nothing_or_points_nowhere_is_refused(
    http: httpx.Client, query_id: str, said: dict[str, Any], code: str
) -> None:
    assert_problem(http.post(f"/v1/queries/{query_id}/feedback", json=said), 422, code)
    assert http.get("/v1/feedback").json()["feedback"] == []


def test_the_queue_is_reviewed_and_can_be_put_back(http: httpx.Client, query_id: str) -> None:
    first, second = (give(http, query_id, rating=rating)["id"] for rating in ("up", "down"))
    queue = http.get("/v1/feedback?status=open").json()["feedback"]
    assert [each["id"] for each in queue] == [second, first]
    decided = {"status": "reviewed", "verdict": "unsupported", "reviewer": "a.lee"}
    reviewed = http.patch(f"/v1/feedback/{second}", json=decided).raise_for_status().json()
    assert (reviewed["verdict"], reviewed["reviewed_by"], reviewed["rating"]) == ("unsupported", "a.lee", "down")
    assert reviewed["reviewed_at"]
    assert [each["id"] for each in http.get("/v1/feedback?status=open").json()["feedback"]] == [first]
    assert [each["id"] for each in http.get("/v1/feedback?verdict=unsupported").json()["feedback"]] == [second]
    again = http.patch(f"/v1/feedback/{second}", json={"status": "open"}).json()
    assert (again["status"], again["reviewed_at"], again["verdict"]) == ("open", None, "unsupported")
    assert http.delete(f"/v1/feedback/{second}").status_code == 204
    assert_problem(http.get(f"/v1/feedback/{second}"), 404, "feedback_not_found")


def test_it_is_listed_in_pages(http: httpx.Client, query_id: str) -> None:
    ids = [give(http, query_id, reason=str(number))["id"] for number in range(5)]
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = http.get("/v1/feedback", params={"limit": 2, **({"cursor": cursor} if cursor else {})}).json()
        seen += [each["id"] for each in page["feedback"]]
        cursor = page["next_cursor"]
    assert seen == ids[::-1]


def test_another_tenant_sees_and_gives_none(http: httpx.Client, query_id: str) -> None:  # A8
    kept = give(http, query_id, rating="up")["id"]
    other = bearer(make_key(tenant="other"))
    assert http.get("/v1/feedback", headers=other).json()["feedback"] == []
    assert_problem(http.get(f"/v1/feedback/{kept}", headers=other), 404, "feedback_not_found")
    refused = http.post(f"/v1/queries/{query_id}/feedback", json={"rating": "up"}, headers=other)
    assert_problem(refused, 404, "query_not_found")
    assert_problem(http.get(f"/v1/queries/{query_id}/feedback", headers=other), 404, "query_not_found")
    with system_transaction() as session:
        stranger = get_or_add_tenant(session, "other", "whsec_")
    give(http, query_id, sentence=0, verdict="supported")
    with acting_for(stranger), pytest.raises(EvaluationDataInvalid):
        feedback_pairs()


def test_verdicts_become_labelled_pairs_and_the_newest_counts(http: httpx.Client, query_id: str) -> None:
    for verdict in ("supported", "unsupported"):
        give(http, query_id, sentence=0, verdict=verdict)
    give(http, query_id, sentence=1, verdict="supported")  # it cites nothing
    give(http, query_id, citation=0, rating="down")  # no verdict
    assert feedback_pairs().sets == {"feedback": [LabelledPair("feedback", TEXT, SENTENCE, 0)]}
    give(http, query_id, verdict="supported")  # of the whole: the verdict on the sentence stays
    assert [pair.label for pair in feedback_pairs().sets["feedback"]] == [0]
    assert feedback_pairs("w").sets
    with pytest.raises(EvaluationDataInvalid, match="No feedback has a verdict"):
        feedback_pairs("another")


def test_true_but_not_what_was_asked_is_no_verdict_about_the_sources(http: httpx.Client, query_id: str) -> None:
    kept = give(http, query_id, rating="down", relevant="no")
    assert (kept["relevant"], kept["verdict"]) == ("no", None)
    assert kept["question"] == http.get(f"/v1/queries/{query_id}").json()["question"]
    with pytest.raises(EvaluationDataInvalid, match="No feedback has a verdict"):
        feedback_pairs()
    give(http, query_id, verdict="supported")
    assert [(pair.claim, pair.label) for pair in feedback_pairs().sets["feedback"]] == [(SENTENCE, 1)]
    give(http, query_id, sentence=0, relevant="no")
    assert [(pair.claim, pair.label) for pair in feedback_pairs().sets["feedback"]] == [(SENTENCE, 1)]
    listed = http.get("/v1/feedback", params={"relevant": "no", "status": "open"}).json()["feedback"]
    assert [each["place"] for each in listed] == ["sentence", "answer"]
    reviewed = http.patch(f"/v1/feedback/{kept['id']}", json={"status": "reviewed", "relevant": "yes"}).json()
    assert (reviewed["relevant"], reviewed["verdict"], reviewed["question"]) == ("yes", None, kept["question"])


def test_a_whole_answer_found_supported_labels_its_sentences(http: httpx.Client, query_id: str) -> None:
    give(http, query_id, verdict="supported")
    assert [(pair.claim, pair.label) for pair in feedback_pairs().sets["feedback"]] == [(SENTENCE, 1)]
    give(http, query_id, verdict="unsupported")  # which of its sentences is not known
    with pytest.raises(EvaluationDataInvalid):
        feedback_pairs()


def test_verdicts_on_given_answers_are_judged_with_their_own_sources(http: httpx.Client) -> None:  # N2
    source = "Lamps hang there. " * 300 + "Returns take 30 days. " + "Chairs stand here. " * 300
    story = GivenStory("Returns take 30 days [1]. Nobody pays [2].", source)
    story.verified()
    said = {"query_id": str(story.query_id), "verdict": "supported"}
    for place in ({"sentence": 0}, {"citation": 0}, {"sentence": 1}):
        http.post("/v1/feedback", json={**said, **place}).raise_for_status()
    pairs = feedback_pairs().sets["feedback"]
    assert [(pair.claim, pair.label) for pair in pairs] == [("Returns take 30 days.", 1)] * 2
    assert all("Returns take 30 days." in pair.source for pair in pairs)
    assert all(len(pair.source) < 5000 for pair in pairs)


def test_feedback_goes_with_its_question(http: httpx.Client) -> None:
    with transaction() as session:
        unfinished = make_query(session)
        query_id = str(unfinished.id)
    assert give(http, query_id, reason="It takes long.")["excerpt"] is None
    with transaction() as session:
        session.delete(session.get_one(type(unfinished), uuid.UUID(query_id)))
    assert http.get("/v1/feedback").json()["feedback"] == []
