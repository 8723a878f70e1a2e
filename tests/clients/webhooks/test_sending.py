"""Real sending: what arrives, the result for every kind of receiver, and where nothing is ever sent (A6)."""

import asyncio
import contextlib
import gzip
import json
import socket
import ssl
import time
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence

import pytest
from standardwebhooks import Webhook

from clients.webhooks import pinned_connector
from clients.webhooks.addresses import AddressPolicy
from clients.webhooks.pinned_connector import Resolver, resolve
from clients.webhooks.sending import Sent, WebhookSender
from clients.webhooks.signing import new_secret, signature_headers
from tests.simulators.sink import CERTIFICATE, HOST, Answer, Manner, Sink
from verify_material.rows import for_all_rows

LOOPBACK = AddressPolicy(["127.0.0.1/32"])
SHORT_S = 0.3
LONG_S = 60.0
CONTEXT = ssl.create_default_context()  # once for all: reading the certificates of the system takes its time
BODY = b'{"type": "query.succeeded"}'


@pytest.fixture(scope="module")
def sink() -> Generator[Sink]:
    """One receiver for the whole file; every test has its own path."""
    with Sink() as running:
        yield running


@pytest.fixture(scope="module")
def tls_sink() -> Generator[Sink]:
    with Sink(tls=True) as running:
        yield running


class Listener:
    """A port on every address of this machine, including forbidden ones; it only counts connections.

    The kernel accepts them by itself; there is never an answer.
    """

    def __init__(self) -> None:
        dual = socket.has_dualstack_ipv6()
        family = socket.AF_INET6 if dual else socket.AF_INET
        self._socket = socket.create_server(("", 0), family=family, dualstack_ipv6=dual, backlog=100)
        self._socket.setblocking(False)
        self.port: int = self._socket.getsockname()[1]

    def connections(self) -> int:
        """The connections since the last call."""
        count = 0
        while True:
            try:
                self._socket.accept()[0].close()
            except BlockingIOError:
                return count
            count += 1

    def close(self) -> None:
        self._socket.close()


@pytest.fixture(scope="module")
def listener() -> Generator[Listener]:
    running = Listener()
    yield running
    running.close()


def send(
    url: str,
    *,
    policy: AddressPolicy = LOOPBACK,
    body: bytes = BODY,
    headers: Mapping[str, str] | None = None,
    deadline_s: float = LONG_S,
    max_response_bytes: int = 65536,
    resolver: Resolver = resolve,
    ssl_context: ssl.SSLContext | None = CONTEXT,
) -> Sent:
    """One attempt, on its own event loop."""

    async def attempt() -> Sent:
        sender = WebhookSender(policy, deadline_s, max_response_bytes, resolver=resolver, ssl_context=ssl_context)
        return await sender.send(url, body, headers or {})

    return asyncio.run(attempt())


def answering(*addresses: str) -> Callable[[str, int], Awaitable[Sequence[str]]]:
    """A DNS in which every name has these addresses."""

    async def resolver(_host: str, _port: int) -> Sequence[str]:
        return addresses

    return resolver


# A6
def test_a_signed_message_arrives_and_can_be_verified(sink: Sink) -> None:
    secret = new_secret()
    body = json.dumps({"type": "query.succeeded", "data": {"answer": "Zürich"}}).encode()
    url = sink.answer("/signed", Answer(202, body=b"thanks"))
    sent = send(f"{url}?tenant=7", body=body, headers=signature_headers("msg_1", int(time.time()), body, [secret]))
    assert (sent.status, sent.error, sent.response_excerpt) == (202, None, "thanks")
    assert (sent.retry_after_s, sent.address) == (None, "127.0.0.1")
    assert sent.duration_ms >= 0
    [received] = sink.received("/signed")
    assert Webhook(secret).verify(received.body, dict(received.headers)) == json.loads(body)
    assert (received.method, received.path) == ("POST", "/signed?tenant=7")
    assert set(received.headers) == {
        *("host", "content-length", "user-agent", "content-type", "accept", "accept-encoding", "connection"),
        *("webhook-id", "webhook-timestamp", "webhook-signature"),
    }
    assert received.headers["host"] == f"127.0.0.1:{sink.port}"
    assert received.headers["user-agent"] == "Citewell-Webhooks/1"
    assert received.headers["content-type"] == "application/json"
    assert received.headers["accept-encoding"] == "identity"


def test_the_fixed_headers_cannot_be_replaced(sink: Sink) -> None:
    url = sink.answer("/fixed", Answer())
    send(url, headers={"Host": "evil.example", "User-Agent": "other", "Content-Length": "3", "X-Own": "kept"})
    [received] = sink.received("/fixed")
    assert received.headers["host"] == f"127.0.0.1:{sink.port}"
    assert received.headers["user-agent"] == "Citewell-Webhooks/1"
    assert received.headers["x-own"] == "kept"
    assert received.body == BODY


# A6
@pytest.mark.parametrize("status", [200, 204, 299, 304, 400, 401, 404, 410, 429, 500, 502, 504])
def test_the_status_is_reported(sink: Sink, status: int) -> None:
    sent = send(sink.answer(f"/status/{status}", Answer(status)))
    assert (sent.status, sent.error, sent.retry_after_s) == (status, None, None)


# A6
def test_retry_after_is_reported_in_seconds(sink: Sink) -> None:
    assert send(sink.answer("/later", Answer(429, {"Retry-After": "120"}))).retry_after_s == 120
    assert send(sink.answer("/then", Answer(503, {"retry-after": "Thu, 01 Jan 2015 00:00:00 GMT"}))).retry_after_s == 0
    assert send(sink.answer("/junk", Answer(503, {"retry-after": "soon"}))).retry_after_s is None


# A6
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(sink: Sink, listener: Listener, status: int) -> None:
    for target in ("/target", f"http://127.0.0.2:{listener.port}/", f"http://169.254.169.254:{listener.port}/latest"):
        sent = send(sink.redirect(f"/redirect/{status}", target, status))
        assert (sent.status, sent.error) == (status, None)
    assert len(sink.received(f"/redirect/{status}")) == 3
    assert sink.received("/target") == []
    assert listener.connections() == 0


async def test_cookies_are_not_kept_and_no_connection_is_used_twice(sink: Sink) -> None:
    url = sink.answer("/cookies", Answer(headers={"set-cookie": "a=b; Path=/"}))
    before = sink.connections

    sender = WebhookSender(LOOPBACK)
    await sender.send(url, BODY, {})
    await sender.send(url, BODY, {})
    assert sink.connections - before == 2
    assert all("cookie" not in request.headers for request in sink.received("/cookies"))


def test_proxies_of_the_environment_are_not_used(sink: Sink, monkeypatch: pytest.MonkeyPatch) -> None:
    with Sink() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY", "https_proxy"):
            monkeypatch.setenv(name, proxy.url)
        assert send(sink.answer("/direct", Answer())).status == 200
        assert proxy.connections == 0


# A6
@pytest.mark.parametrize("manner", [Manner.HANG, Manner.DRIP_HEAD])
def test_without_an_answer_the_deadline_ends_it(sink: Sink, manner: Manner) -> None:
    sent = send(sink.answer(f"/{manner}", Answer(manner=manner)), deadline_s=SHORT_S)
    assert (sent.status, sent.error) == (None, "no answer within 0.3 seconds")
    assert sent.duration_ms >= SHORT_S * 1000


# A6
def test_a_body_that_drips_ends_with_the_deadline_and_the_status_counts(sink: Sink) -> None:
    sent = send(sink.answer("/drip", Answer(201, body=b"so", manner=Manner.DRIP)), deadline_s=2.5)
    assert (sent.status, sent.error) == (201, None)
    assert sent.response_excerpt.startswith("so")


# A6
def test_a_body_without_end_is_read_to_the_limit_only(sink: Sink) -> None:
    sent = send(sink.answer("/endless", Answer(body=b"begin", manner=Manner.ENDLESS)))
    assert (sent.status, sent.error) == (200, None)
    assert sent.response_excerpt == "begin" + "." * 2043
    assert sent.duration_ms < LONG_S * 1000  # not the deadline ended it


def test_a_limit_of_one_byte(sink: Sink) -> None:
    sent = send(sink.answer("/one", Answer(manner=Manner.ENDLESS)), max_response_bytes=1)
    assert (sent.status, sent.error) == (200, None)


def test_a_connection_that_is_closed_without_an_answer(sink: Sink) -> None:
    sent = send(sink.answer("/close", Answer(manner=Manner.CLOSE)))
    assert sent.status is None
    assert sent.error == "Server disconnected without sending a response."


def test_a_body_that_breaks_off_does_not_undo_the_status(sink: Sink) -> None:
    sent = send(sink.answer("/cut", Answer(500, body=b"half", manner=Manner.CUT)))
    assert (sent.status, sent.error, sent.response_excerpt) == (500, None, "half")


def test_a_head_without_measure_is_an_error(sink: Sink) -> None:
    sent = send(sink.answer("/head", Answer(headers={"x-much": "a" * 200_000})))
    assert sent.status is None
    assert sent.error


def test_a_compressed_body_is_not_unpacked(sink: Sink) -> None:
    packed = gzip.compress(b"0" * 10_000_000)
    sent = send(sink.answer("/bomb", Answer(headers={"content-encoding": "gzip"}, body=packed)))
    assert sent.status == 200
    assert "000" not in sent.response_excerpt
    assert len(sent.response_excerpt) <= 2048


def test_the_excerpt_can_be_stored_whatever_it_is(sink: Sink) -> None:
    sent = send(sink.answer("/bytes", Answer(body=b"a\x00b\xff" + "ü".encode() * 2000)))
    assert sent.response_excerpt.startswith("a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}ü")
    assert len(sent.response_excerpt.encode("utf-8", "strict")) <= 2048 + 6


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    sent = send(f"http://127.0.0.1:{port}/")
    assert sent.status is None
    assert sent.error
    assert "127.0.0.1" in sent.error
    assert sent.address == "127.0.0.1"


def test_a_name_that_is_not_known() -> None:
    async def unknown(_host: str, _port: int) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    sent = send("https://nowhere.test/", resolver=unknown)
    assert (sent.status, sent.address) == (None, None)
    assert sent.error == "the name nowhere.test was not resolved: Name or service not known"
    assert send("https://empty.test/", resolver=answering()).error == "the name empty.test has no address"


def test_a_resolver_that_hangs_has_a_limit_and_is_part_of_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    async def hanging(_host: str, _port: int) -> Sequence[str]:
        return await asyncio.get_running_loop().create_future()

    sent = send("https://slow.test/", resolver=hanging, deadline_s=SHORT_S)
    assert (sent.status, sent.error) == (None, "no answer within 0.3 seconds")
    monkeypatch.setattr(pinned_connector, "_RESOLVE_TIMEOUT_S", 0.1)
    sent = send("https://slow.test/", resolver=hanging)
    assert (sent.status, sent.error) == (None, "the name slow.test was not resolved within 0.1 seconds")


def test_a_host_that_takes_no_connections_does_not_use_up_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pinned_connector, "_CONNECT_TIMEOUT_S", 0.1)
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full, contextlib.ExitStack() as waiting:
        for _ in range(3):  # more than its queue takes: the kernel leaves the next ones without an answer
            client = waiting.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(full.getsockname())
        sent = send(f"http://127.0.0.1:{full.getsockname()[1]}/")
    assert (sent.status, sent.error) == (None, "no connection to 127.0.0.1 within 0.1 seconds")


def test_a_url_that_is_none_is_an_error_and_no_exception() -> None:
    sent = send("https://user@example.com/")
    assert (sent.status, sent.error) == (None, "The URL must have no user name, password or #fragment.")


def test_the_next_address_is_tried_when_one_does_not_answer(sink: Sink) -> None:
    policy = AddressPolicy(["127.0.0.0/8"])
    url = sink.answer("/second", Answer()).replace("127.0.0.1", "both.test")
    sent = send(url, policy=policy, resolver=answering("127.0.0.3", "127.0.0.1"))
    assert (sent.status, sent.address) == (200, "127.0.0.1")


# A6
def test_tls_is_checked_against_the_name_and_not_the_address(tls_sink: Sink) -> None:
    trusting = ssl.create_default_context(cafile=str(CERTIFICATE))
    url, resolver = tls_sink.answer("/tls", Answer()), answering("127.0.0.1")
    sent = send(url, resolver=resolver, ssl_context=trusting)
    assert (sent.status, sent.error, sent.address) == (200, None, "127.0.0.1")
    assert tls_sink.received("/tls")[0].headers["host"] == f"{HOST}:{tls_sink.port}"

    sent = send(url.replace(HOST, "other.test"), resolver=resolver, ssl_context=trusting)
    assert sent.status is None
    assert "Hostname mismatch" in str(sent.error)
    sent = send(url, resolver=resolver, ssl_context=None)
    assert sent.status is None
    assert "self-signed certificate" in str(sent.error)
    assert len(tls_sink.received("/tls")) == 1


def test_http_where_tls_is_spoken_and_the_reverse(sink: Sink, tls_sink: Sink) -> None:
    assert send(f"https://127.0.0.1:{sink.port}/").status is None
    assert send(f"http://127.0.0.1:{tls_sink.port}/").status is None


async def test_no_more_than_so_many_at_once(sink: Sink) -> None:
    busy, most = 0, 0

    async def counting(_host: str, _port: int) -> Sequence[str]:
        nonlocal busy, most
        busy, most = busy + 1, max(most, busy + 1)
        await asyncio.sleep(0.01)
        busy -= 1
        return ["127.0.0.1"]

    url = sink.answer("/many", Answer()).replace("127.0.0.1", "many.test")
    sender = WebhookSender(LOOPBACK, LONG_S, max_connections=2, resolver=counting)
    assert [sent.status for sent in await asyncio.gather(*(sender.send(url, BODY, {}) for _ in range(7)))] == [200] * 7
    assert most == 2


async def test_an_attempt_can_be_cancelled(sink: Sink) -> None:
    url = sink.answer("/cancelled", Answer(manner=Manner.HANG))

    sender = WebhookSender(LOOPBACK, LONG_S, max_connections=1)
    attempt = asyncio.create_task(sender.send(url, BODY, {}))
    while not sink.received("/cancelled"):
        await asyncio.sleep(0.01)
    attempt.cancel()
    with pytest.raises(asyncio.CancelledError):
        await attempt
    assert (await sender.send(sink.answer("/after", Answer()), BODY, {})).status == 200


FORBIDDEN_HOSTS = """
127.0.0.1 127.1 127.0.1 127.255.255.254 2130706433 0x7f000001 0x7f.1 0x7f.0.0.1 0177.0.0.1 0177.1 017700000001
127.0.0.0x1 0.0.0.0 0 0x0 10.0.0.1 012.0.0.1 167772161 172.16.0.1 192.168.0.1 0xc0a80001 100.64.0.1 100.100.100.200
169.254.169.254 169.254.43518 2852039166 0xa9fea9fe 0251.0376.0251.0376 168.63.129.16 192.0.0.192 192.0.2.1 198.18.0.1
224.0.0.1 240.0.0.1 255.255.255.255 [::] [::1] [0:0:0:0:0:0:0:1] [::127.0.0.1] [::ffff:127.0.0.1] [::ffff:7f00:1]
[::ffff:169.254.169.254] [::ffff:8.8.8.8] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::a9fe:a9fe]
[64:ff9b:1::7f00:1] [2002:7f00:1::] [2002:a9fe:a9fe::1] [2001:0:7f00:1::1] [fd00:ec2::254] [fd20:ce::254] [fc00::1]
[fe80::1] [fe80::1%lo] [fe80::1%251] [fec0::1] [ff02::1] [2001:db8::1] [2606:4700::5efe:127.0.0.1] localhost
""".split()

FORBIDDEN_ANSWERS = [
    ("127.0.0.1",),
    ("169.254.169.254",),
    ("::1",),
    ("::ffff:127.0.0.1",),
    ("fe80::1%1",),
    ("1.1.1.1", "127.0.0.1"),
    ("127.0.0.1", "1.1.1.1"),
    ("2606:4700:4700::1111", "1.1.1.1", "::1"),
    ("1.1.1.1", "1.0.0.1", "8.8.8.8", "8.8.4.4", "9.9.9.9", "10.0.0.1"),
    ("2606:4700:4700::1111", "64:ff9b::7f00:1"),
    ("1.1.1.1", "not an address"),
]
REFUSALS = ("Webhooks go to public addresses", "scope id", "URL such as", "Not an IP address")


def refused(sent: Sent) -> bool:
    """Nothing was dialled, and the reason is the guard, not the network."""
    return (sent.status, sent.address) == (None, None) and any(text in str(sent.error) for text in REFUSALS)


# A6: at least forty forbidden places, none of which sees a connection. Only their addresses are wrong: port and scheme
# are right, so that no other rule refuses them.
@for_all_rows("host", FORBIDDEN_HOSTS)
def test_no_connection_to_a_forbidden_place(listener: Listener, host: str) -> None:
    policy = AddressPolicy(["192.88.99.0/24"], allowed_ports=[listener.port])
    assert refused(send(f"https://{host}:{listener.port}/", policy=policy))
    assert listener.connections() == 0


# A6
@for_all_rows("addresses", FORBIDDEN_ANSWERS)
def test_no_connection_when_a_name_has_a_forbidden_address(listener: Listener, addresses: tuple[str, ...]) -> None:
    policy = AddressPolicy(allowed_ports=[listener.port])
    url = f"https://rebound.test:{listener.port}/"
    assert refused(send(url, policy=policy, resolver=answering(*addresses)))
    assert listener.connections() == 0


# A6
def test_a_name_that_changes_after_the_check_is_looked_up_once_only(sink: Sink) -> None:
    answers = [["127.0.0.4"], ["127.0.0.1"]]

    async def rebinding(_host: str, _port: int) -> Sequence[str]:
        return answers.pop(0)

    before = sink.connections
    url = sink.answer("/rebound", Answer()).replace("127.0.0.1", "rebound.test")
    sent = send(url, policy=AddressPolicy(["127.0.0.4/32"]), resolver=rebinding)
    assert (sent.status, sent.address) == (None, "127.0.0.4")
    assert answers == [["127.0.0.1"]]
    assert sink.connections == before


# A6: the listener does see those whom the policy lets through, or its zeros would prove nothing.
@pytest.mark.parametrize("host", ["127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "localhost"])
async def test_the_same_places_are_reached_when_they_are_allowed(listener: Listener, host: str) -> None:
    sender = WebhookSender(AddressPolicy(["127.0.0.0/8", "::1/128"]), LONG_S, ssl_context=CONTEXT)
    attempt = asyncio.create_task(sender.send(f"https://{host}:{listener.port}/", BODY, {}))
    found = 0
    while not (found or attempt.done()):
        await asyncio.sleep(0.01)
        found = listener.connections()
    attempt.cancel()
    await asyncio.wait([attempt])
    assert found == 1


# A6
def test_http_and_other_ports_reach_allowed_networks_only(listener: Listener) -> None:
    public = answering("1.1.1.1")
    sent = send(f"http://plain.test:{listener.port}/", resolver=public)
    assert "Webhooks go by https" in str(sent.error)
    sent = send(f"https://port.test:{listener.port}/", resolver=public)
    assert f"port {listener.port}; use 80 or 443" in str(sent.error)
    assert sent.address is None
