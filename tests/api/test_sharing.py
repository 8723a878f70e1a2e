"""Links that open an answer without a key: unchanged, until they expire or are revoked, and nothing else."""

import base64
import json
import uuid
from datetime import datetime
from typing import Any

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser
from sqlalchemy import text

from config.settings import settings
from db.models import Query
from db.session import system_transaction, transaction
from domain.keys import Scope
from domain.quality.signal import KOREAN, NO_MODEL
from tests.api.operations import description
from tests.api.problems import assert_problem
from tests.factories import make_query
from tests.keys import bearer, make_key
from tests.stored import ANSWER, SPAN, abstain
from tests.waiting import until

PAGE = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


def share(http: httpx.Client, query_id: str, hours: float = 1, **options: Any) -> dict[str, Any]:
    made = http.post(f"/v1/queries/{query_id}/share", json={"hours": hours}, **options)
    assert made.status_code == 201, made.text
    assert made.headers["cache-control"] == "no-store"
    return made.json()


def test_a_link_opens_the_answer_without_a_key_and_nothing_else(
    http: httpx.Client, query_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = share(http, query_id)
    assert made["url"].startswith(f"{str(http.base_url).rstrip('/')}/shared/")
    monkeypatch.setenv("CITEWELL_ACCESS__KEYS", "required")
    settings.cache_clear()
    assert_problem(http.get(f"/v1/queries/{query_id}"), 401, "key_required")
    opened = http.get(made["url"])
    told = opened.json()
    assert (told["answer"], told["references"], told["confidence"]) == (ANSWER, ["[1] 환불 policy.pdf, p.1"], 0.93)
    assert (told["signal"]["word"], told["provider"]) == ("Copied from the documents", "offline")
    assert NO_MODEL in told["notes"]
    assert any(note.startswith("Answered on ") for note in told["notes"])
    assert told["citations"][0]["text_span"] == SPAN
    assert [each["status"] for each in told["sentences"]] == ["supported", "no_claim"]
    # No id leads further, and no passage shows more of a document than is cited.
    document = http.get(f"/v1/queries/{query_id}", headers=bearer(make_key())).json()["citations"][0]["document_id"]
    assert document not in opened.text
    assert query_id not in opened.text
    assert "A receipt is required" not in opened.text
    assert opened.headers["cache-control"] == "no-store"
    assert opened.headers["x-robots-tag"] == "noindex, nofollow"


def test_a_browser_gets_a_page_in_which_nothing_runs(http: httpx.Client, query_id: str) -> None:
    url = share(http, query_id)["url"]
    page = http.get(url, headers=PAGE)
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert page.headers["referrer-policy"] == "no-referrer"
    found = LexborHTMLParser(page.text)
    assert found.css("script, img, form") == []
    assert {str(link.attributes["href"])[:7] for link in found.css("a")} == {"#quote-"}
    assert SPAN in page.text
    assert query_id not in page.text
    assert http.get(url, headers=PAGE, params={"format": "json"}).json()["answer"] == ANSWER
    assert http.get(url, params={"format": "html"}).text == page.text


def test_what_is_changed_cut_or_made_up_opens_nothing(http: httpx.Client, query_id: str) -> None:
    url = share(http, query_id)["url"]
    start, _, token = url.rpartition("/")
    raw = base64.urlsafe_b64decode(token)
    flipped = [base64.urlsafe_b64encode(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]).decode() for at in range(48)]
    others = [token[:-1], token + "A", token.lower(), "x", "%00", "é", str(uuid.uuid4()), "A" * 64, "A" * 150]
    for changed in [*flipped, *others]:
        told = assert_problem(http.get(f"{start}/{changed}"), 404, "share_not_found")
        assert "ask whoever sent it" in told["detail"]
    page = http.get(f"{start}/{flipped[0]}", headers=PAGE)
    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    described = description()["paths"]["/shared/{token}"]["get"]["responses"]["404"]["content"]
    assert set(described) == {"text/html", "application/problem+json"}
    assert "expired or was revoked" in page.text
    korean = http.get(f"{start}/{flipped[0]}", headers={**PAGE, "Accept-Language": "ko-KR,ko;q=0.9"}).text
    assert 'lang="ko"' in korean
    assert "만료되었거나" in korean
    assert http.get(url).status_code == 200


def test_it_expires(http: httpx.Client, query_id: str) -> None:
    made = share(http, query_id, hours=0.5)
    with system_transaction() as session:
        session.execute(text("UPDATE shared_answers SET expires_at = now() + interval '1 second'"))
    assert http.get(made["url"]).status_code == 200
    with system_transaction() as session:
        session.execute(text("UPDATE shared_answers SET expires_at = now()"))
    assert_problem(http.get(made["url"]), 404, "share_not_found")


def test_it_is_revoked_at_once_and_listed_without_its_address(http: httpx.Client, query_id: str) -> None:
    first, second = share(http, query_id), share(http, query_id)
    for _ in range(2):
        assert http.delete(f"/v1/queries/{query_id}/share/{first['id']}").status_code == 204
    assert_problem(http.get(first["url"]), 404, "share_not_found")
    assert http.get(second["url"]).status_code == 200
    listed = http.get(f"/v1/queries/{query_id}/share")
    assert [(each["id"], each["revoked_at"] is None) for each in listed.json()["shares"]] == [
        (second["id"], True),
        (first["id"], False),
    ]
    assert second["url"].rpartition("/")[2] not in listed.text
    assert_problem(http.delete(f"/v1/queries/{uuid.uuid4()}/share/{second['id']}"), 404, "share_not_found")


def test_another_tenant_neither_shares_nor_sees_nor_revokes(http: httpx.Client, query_id: str) -> None:  # A8
    made = share(http, query_id)
    other = bearer(make_key(tenant="other"))
    refused = http.post(f"/v1/queries/{query_id}/share", json={}, headers=other)
    assert_problem(refused, 404, "query_not_found")
    assert_problem(http.get(f"/v1/queries/{query_id}/share", headers=other), 404, "query_not_found")
    revoked = http.delete(f"/v1/queries/{query_id}/share/{made['id']}", headers=other)
    assert_problem(revoked, 404, "share_not_found")
    # The link itself opens for everybody, also for a stranger with a key.
    assert http.get(made["url"], headers=other).json()["answer"] == ANSWER


def test_each_link_opens_its_own_tenants_answer(http: httpx.Client, query_id: str) -> None:  # A8
    key = bearer(make_key(Scope.READ, Scope.ASK, Scope.DOCUMENTS, tenant="other"))
    assert_problem(http.get(f"/v1/queries/{query_id}", headers=key), 404, "query_not_found")
    url = share(http, query_id)["url"]
    with transaction() as session:
        session.delete(session.get_one(Query, uuid.UUID(query_id)))
    assert_problem(http.get(url), 404, "share_not_found")


def test_only_a_finished_answer_is_shared_and_only_for_so_long(
    http: httpx.Client, query_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with transaction() as session:
        running = str(make_query(session).id)
    assert_problem(http.post(f"/v1/queries/{running}/share", json={}), 409, "query_unfinished")
    for hours in (0, -1, "1"):
        assert_problem(http.post(f"/v1/queries/{query_id}/share", json={"hours": hours}), 422, "request_invalid")
    assert_problem(http.post(f"/v1/queries/{query_id}/share", json={"hours": 721}), 422, "bad_input")
    url = share(http, query_id, 720)["url"]
    monkeypatch.setenv("CITEWELL_ACCESS__SHARE_MAX_HOURS", "0")
    settings.cache_clear()
    assert_problem(http.post(f"/v1/queries/{query_id}/share", json={}), 403, "sharing_off")
    assert_problem(http.get(url), 404, "share_not_found")


def test_a_refusal_is_shared_as_it_is(http: httpx.Client) -> None:
    with transaction() as session:
        query = make_query(session)
        abstain(session, query)
        refused = str(query.id)
    url = share(http, refused)["url"]
    told = http.get(url).json()
    assert (told["abstained"], told["sentences"], told["confidence"]) == (True, [], None)
    assert (told["signal"]["word"], told["signal"]["level"]) == ("Not answered", "grey")
    page = http.get(url, headers=PAGE)
    assert "Not answered" in page.text
    assert NO_MODEL not in page.text


def test_a_shared_page_says_what_its_reader_has_to_know_in_the_questions_language(
    http: httpx.Client, query_id: str
) -> None:  # V10
    at = datetime.fromisoformat(http.get(f"/v1/queries/{query_id}").json()["finished_at"])
    url = share(http, query_id)["url"]
    english = http.get(url, headers=PAGE).text
    for part in (
        "Copied from the documents",
        NO_MODEL,
        "calls about 33 supported",
        f"Answered on {at:%Y-%m-%d} at {at:%H:%M} UTC.",
    ):
        assert part in english
    with transaction() as session:
        session.get_one(Query, uuid.UUID(query_id)).question = "반품 기한은 며칠인가요?"
    korean = http.get(url, headers=PAGE).text
    for part in (
        KOREAN["Copied from the documents"],
        KOREAN[NO_MODEL],
        "약 33개",
        f"{at:%Y-%m-%d} {at:%H:%M}(UTC)의 답변입니다.",
    ):
        assert part in korean


def test_the_address_is_in_no_log_and_only_its_digest_in_the_database(
    http: httpx.Client, query_id: str, capfd: pytest.CaptureFixture[str]
) -> None:
    url = share(http, query_id)["url"]
    token = url.rpartition("/")[2]
    http.get(url)
    http.get(url[:-1])
    written: list[str] = []

    def both_logged() -> bool:
        written.append(capfd.readouterr().out)
        return "".join(written).count("path=/shared/{token}") == 2

    until(both_logged)
    assert token[:-1] not in "".join(written)
    with system_transaction() as session:
        rows = session.execute(text("SELECT to_jsonb(shared_answers) FROM shared_answers")).scalars().all()
    assert len(rows) == 1
    assert token not in json.dumps(rows)
