"""An upload that is too large is refused by its declared length and by what really comes (A8)."""

from collections.abc import Generator, Iterator

import httpx
import pytest

from api.app import create_app
from config.settings import settings
from tests.api.problems import assert_problem
from tests.serving import serving

LIMIT = 10_000


@pytest.fixture
def http(database: str, monkeypatch: pytest.MonkeyPatch) -> Generator[httpx.Client]:
    assert database
    monkeypatch.setenv("CITEWELL_INGESTION__MAX_BYTES", str(LIMIT))
    settings.cache_clear()
    with serving(create_app()) as url, httpx.Client(base_url=url) as client:
        yield client


def test_a_file_of_exactly_the_limit_is_accepted(http: httpx.Client) -> None:
    assert http.post("/v1/documents", files={"file": ("a.txt", b"x" * LIMIT)}).status_code == 202


def test_a_file_over_the_limit_is_refused_with_both_numbers(http: httpx.Client) -> None:
    response = http.post("/v1/documents", files={"file": ("a.txt", b"x" * (LIMIT + 1))})
    detail = assert_problem(response, 413, "document_too_large")["detail"]
    assert "10,001" in detail
    assert "10,000" in detail


def test_a_body_that_declares_too_much_is_refused(http: httpx.Client) -> None:
    response = http.post("/v1/documents", files={"file": ("a.txt", b"x" * 10 * LIMIT)})
    assert_problem(response, 413, "content_too_large")


def test_a_body_without_a_length_is_counted_and_cut_off(http: httpx.Client) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(1000):
            yield b"x" * 10_000

    headers = {"content-type": "application/json"}
    assert_problem(http.post("/v1/documents", content=chunks(), headers=headers), 413, "content_too_large")
    head = b'--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n'
    form = {"content-type": "multipart/form-data; boundary=x"}
    assert_problem(
        http.post("/v1/documents", content=(part for part in (head, *chunks())), headers=form), 413, "content_too_large"
    )
    assert http.get("/v1/documents").json() == {"documents": []}
