"""Requests whose end two readers could find at different places are refused, and their connection ends (RFC 9112 6)."""

import json
from itertools import product

import httpx
import pytest

from tests.sockets import connected_to, told
from verify_material.rows import for_all_rows

NEXT = b"GET /v1/workspaces HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
LAST = NEXT.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
SEARCH = json.dumps({"query": "refunds"}).encode()
CHUNKED = b"%x\r\n%b\r\n0\r\n\r\n" % (len(SEARCH), SEARCH)


def head(*lines: bytes, method: bytes = b"POST", version: bytes = b"1.1") -> bytes:
    begun = b"%b /v1/search HTTP/%b\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" % (method, version)
    return begun + b"".join(line + b"\r\n" for line in lines) + b"\r\n"


LENGTHS = (
    b"Content-Length: 4",
    b"content-length:4",
    b"CONTENT-LENGTH: \t4 ",
    b"Content-Length: 4, 4",
    b"Content-Length:\r\n 4",
)
CODINGS = (
    b"Transfer-Encoding: chunked",
    b"transfer-encoding:CHUNKED",
    b"TRANSFER-ENCODING:\t chunked\t",
    b"Transfer-Encoding:\r\n chunked",
)
BOTH = [
    head(*lines) for length, coding in product(LENGTHS, CODINGS) for lines in ((length, coding), (coding, length))
]  # fmt: skip
BOTH_APART = head(CODINGS[0], b"Accept: */*", LENGTHS[0])
EMPTY_LENGTH_AND_CODING = head(b"Content-Length: 0", CODINGS[0])
OLD = [head(coding, version=b"1.0") for coding in CODINGS] + [head(CODINGS[0], LENGTHS[0], version=b"1.0")]
OLD_KEPT = head(CODINGS[0], b"Connection: keep-alive", version=b"1.0")
UNREADABLE = [
    head(CODINGS[0], CODINGS[0]),
    head(CODINGS[0], b"Transfer-Encoding: identity"),
    head(b"Transfer-Encoding: chunked, chunked"),
    head(b"Transfer-Encoding: identity, chunked"),
    head(b"Transfer-Encoding: identity", LENGTHS[0]),
    head(b"Transfer-Encoding: xchunked", LENGTHS[0]),
    head(b"Transfer-Encoding:", LENGTHS[0]),
    head(b"Transfer-Encoding : chunked", LENGTHS[0]),
    head(b"Transfer-Encoding\t: chunked", LENGTHS[0]),
    head(b"Transfer-Encoding: \x0bchunked", LENGTHS[0]),
    head(b"Transfer-Encoding: chunked\x0c", LENGTHS[0]),
    head(b'Transfer-Encoding: "chunked"', LENGTHS[0]),
    head(b"Transfer\xadEncoding: chunked", LENGTHS[0]),
    head(b"Content-Length: 4", b"Content-Length: 5"),
    head(b"Content-Length: 4, 5"),
    head(b"Content-Length: +4"),
    head(b"Content-Length: 0x4"),
]


def answers(got: bytes) -> list[bytes]:
    return [part.partition(b"\r\n")[0] for part in got.split(b"HTTP/1.1 ")[1:]]


def sent(http: httpx.Client, content: bytes) -> bytes:
    with connected_to(str(http.base_url)) as connection:
        connection.sendall(content)
        return told(connection)


@for_all_rows("refused", [*BOTH, BOTH_APART, EMPTY_LENGTH_AND_CODING, *OLD, OLD_KEPT, *UNREADABLE])
def test_an_unclear_end_is_refused_and_nothing_after_it_is_answered(http: httpx.Client, refused: bytes) -> None:
    for body in (b"0\r\n\r\n", CHUNKED, b"null"):
        got = sent(http, refused + body + NEXT + LAST)
        assert answers(got) == [b"400 Bad Request"]
        assert b"connection: close" in got.lower()
        assert b"application/problem+json" in got
        assert b"nosniff" in got


def test_the_refusal_says_what_to_send_instead(http: httpx.Client) -> None:
    told_both = json.loads(sent(http, BOTH[0] + CHUNKED).partition(b"\r\n\r\n")[2])
    assert told_both["code"] == "bad_request"
    assert told_both["instance"] == "/v1/search"
    assert "send only one of them" in told_both["detail"]
    told_old = json.loads(sent(http, OLD[0] + CHUNKED).partition(b"\r\n\r\n")[2])
    assert "HTTP/1.1" in told_old["detail"]


@pytest.mark.parametrize("method", [b"HEAD", b"GET", b"OPTIONS", b"DELETE"])
def test_a_method_without_a_body_is_no_exception(http: httpx.Client, method: bytes) -> None:
    refused = head(LENGTHS[0], CODINGS[0], method=method)
    assert answers(sent(http, NEXT + refused + b"0\r\n\r\n" + LAST)) == [b"200 OK", b"400 Bad Request"]


def test_the_refusal_waits_for_no_body(
    http: httpx.Client,
) -> None:
    waiting = head(LENGTHS[0], CODINGS[0], b"Expect: 100-continue")
    assert [answers(sent(http, alone)) for alone in (BOTH[0], waiting)] == [[b"400 Bad Request"]] * 2


def test_honest_chunks_are_read_and_their_connection_is_kept(http: httpx.Client) -> None:
    honest = head(b"Transfer-Encoding: Chunked") + CHUNKED
    sized = head(b"Content-Length: %d" % len(SEARCH)) + SEARCH
    assert answers(sent(http, honest + sized + honest + LAST)) == [b"404 Not Found"] * 3 + [b"200 OK"]


def test_an_upload_without_a_length_is_taken(http: httpx.Client) -> None:
    def parts() -> list[bytes]:
        text = json.dumps({"filename": "a.md", "text": "Refunds take 14 days. " * 2_000}).encode()
        return [text[at : at + 1_000] for at in range(0, len(text), 1_000)]

    for _ in range(2):
        answer = http.post("/v1/documents", content=iter(parts()), headers={"Content-Type": "application/json"})
        assert answer.is_success
