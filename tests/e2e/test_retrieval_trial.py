"""What is told of a question's retrieval is what the question does; an old answer's proof outlives a correction."""

import pytest

from tests.e2e.stack import Stack
from tests.waiting import until

TOPICS = ("Returns", "Refunds", "Repairs", "Vouchers", "Deliveries", "Warranties", "Exchanges", "Invoices", "Parcels",
    "Pick-ups", "Memberships", "Gift cards", "Pre-orders")  # fmt: skip
RULES = "\n\n".join(
    f"# {name}\n\n{name} of products take {10 + 7 * place} days from the day on which the parcel has arrived at the "
    f"address. Whoever asks for {name.lower()} sends the form that belongs to the order."
    for place, name in enumerate(TOPICS)
)
QUESTION = "How many days do refunds of products take?"
pytestmark = pytest.mark.slow


def test_ranks_and_scores_are_those_of_the_question(offline: Stack) -> None:  # S1.1, S3.1
    offline.add_text("rules.md", RULES, workspace="trial")
    told = offline.http.post("/v1/search/explain", json={"question": QUESTION, "workspace": "trial"}).json()
    asked = offline.ask(QUESTION, workspace="trial")
    steps = {(step["step"], step["item"]): step["outcome"] for step in offline.history(asked["id"])["steps"]}
    chunk_ids = {each["chunk_id"] for each in told["passages"]}
    assert len(chunk_ids) == len(TOPICS)
    candidates = [each for each in told["passages"] if each["why_not"] != "beyond_candidates"]
    by_search = sorted(candidates, key=lambda each: each["fused"]["rank"])
    retrieved = steps["retrieve", ""]["candidates"]
    assert [each["vector"] and each["vector"]["score"] for each in by_search] == pytest.approx(
        [similarity for _, similarity in retrieved]
    )
    scores = [steps["score_chunks", str(key)]["score"] for key, _ in retrieved]
    assert [each["reranked"]["score"] for each in by_search] == pytest.approx(scores)
    ranked = sorted(candidates, key=lambda each: each["reranked"]["rank"])
    place = {key: rank for rank, (key, _) in enumerate(retrieved, start=1)}
    assert [each["fused"]["rank"] for each in ranked] == [place[key] for key in steps["select", ""]["ranked"]]
    assert [each["chunk_id"] for each in told["passages"] if each["shown"]] == [
        source["chunk_id"] for source in asked["sources"]
    ]


def test_an_old_citation_proves_after_a_correction_and_a_new_answer_reads_the_new_text(
    offline: Stack,
) -> None:  # N3, N7
    http = offline.http
    old = offline.add_text("terms.md", RULES, workspace="corrected")
    first = offline.ask(QUESTION, workspace="corrected")
    (citation,) = [each for each in first["citations"] if "17 days" in each["text_span"]][:1]
    chunks = http.get(f"/v1/documents/{old}/chunks").json()["chunks"]
    wrong = next(each for each in chunks if "17 days" in each["text"])
    sent = {"text": wrong["text"].replace("17 days", "21 days"), "reason": "a misprint"}
    made = http.post(f"/v1/documents/{old}/chunks/{wrong['chunk_index']}/corrections", json=sent)
    new = made.raise_for_status().json()["document"]["id"]
    span = offline.stored_text(citation["document_id"])[citation["source_start"] : citation["source_end"]]
    assert (citation["document_id"], span) == (old, citation["text_span"])
    assert http.get(f"/v1/queries/{first['id']}/audit/check").raise_for_status().json()["intact"]

    def standing() -> str:
        return http.get(f"/v1/queries/{first['id']}").json()["standing"]["state"]

    # The cited words do not stand in the new version.
    until(lambda: standing() == "invalidated")
    second = offline.ask(QUESTION, workspace="corrected")
    cited = second["citations"][0]
    assert (cited["document_id"], "21 days" in second["answer"]) == (new, True)
    assert offline.stored_text(new)[cited["source_start"] : cited["source_end"]] == cited["text_span"]
