"""The JavaScript client in Node: against servers that fail, against a live one, and the examples of its page (N9)."""

import json
import re
from pathlib import Path

import pytest

from tests.e2e.stack import Stack
from tests.javascript_journey import EXPECTED
from tests.node import CLIENT, ROOT, run_node
from tests.simulators.sink import Sink
from tests.waiting import until

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs" / "javascript.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"```js\n(.*?)```(?:\s+It prints\s+```text\n(.*?)```)?", re.DOTALL)
JOURNEY = """
import * as client from "./src/index.js";
import { journey } from "./test/journey.js";
console.log(JSON.stringify(await journey(client, process.argv[1], "javascript-node")));
"""

RECEIVED = """
import { readFile } from "node:fs/promises";
import { verifyWebhook } from "./src/index.js";
const [body, headers, ...secrets] = process.argv.slice(1);
const received = [await readFile(body), JSON.parse(await readFile(headers, "utf-8"))];
const verdict = (secret) => verifyWebhook(...received, secret).then((one) => one.type, (error) => error.name);
console.log(JSON.stringify(await Promise.all([...secrets, `whsec_${"A".repeat(43)}=`].map(verdict))));
"""

METHODS = """
import { Citewell } from "./src/index.js";
const client = new Citewell();
const own = Object.getOwnPropertyNames(Citewell.prototype).filter((name) => !["constructor", "url"].includes(name));
const named = ([group, methods]) => Object.keys(methods).map((name) => `${group}.${name}`);
console.log(JSON.stringify([...own, ...Object.entries(client).flatMap(named)]));
"""


def test_servers_that_fail_are_understood() -> None:  # N9
    assert passed("test/connections.test.js") >= 16


def test_messages_of_webhooks_are_verified() -> None:  # A6
    assert passed("test/webhooks.test.js") >= 8


def passed(tests: str) -> int:
    told = run_node("--test", tests)
    found = re.search(r"^(?:#|ℹ) pass (\d+)$", told, re.MULTILINE)
    assert found is not None, told
    return int(found[1])


def test_messages_that_the_server_sends_are_genuine(offline: Stack, tmp_path: Path) -> None:  # A6
    with Sink() as sink:
        hook = (
            offline.http.post("/v1/webhooks", json={"url": f"{sink.url}/js", "events": ["*"]}).raise_for_status().json()
        )
        there = f"/v1/webhooks/{hook['id']}"
        try:
            new = offline.http.post(f"{there}/rotate-secret").raise_for_status().json()["secret"]
            offline.http.post(f"{there}/test").raise_for_status()
            until(lambda: bool(sink.received("/js")))
        finally:
            offline.http.delete(there).raise_for_status()
        (message,) = sink.received("/js")
    body, headers = tmp_path / "body", tmp_path / "headers.json"
    body.write_bytes(message.body)
    headers.write_text(json.dumps(dict(message.headers)), encoding="utf-8")
    told = run_node("--input-type=module", "--eval", RECEIVED, body, headers, hook["secret"], new)
    # During a rotation a message is signed with the new secret and with the one before.
    assert json.loads(told) == ["webhook.test", "webhook.test", "WebhookInvalid"]


def test_everything_works_with_a_live_server(offline: Stack) -> None:  # N9
    told = run_node("--input-type=module", "--eval", JOURNEY, offline.supervisor.url)
    assert json.loads(told) == EXPECTED


def test_every_method_is_on_the_page() -> None:  # N9
    told = run_node("--input-type=module", "--eval", METHODS)
    methods: list[str] = json.loads(told)
    assert {"ask", "stream", "conversations.ask", "verifications.verify"} <= set(methods)
    known: set[str] = set()
    group = ""
    for name in re.findall(r"`([\w.]+)", PAGE.partition("## Everything else")[2]):
        group = name.partition(".")[0] or group
        known.add(f"{group}{name}" if name.startswith(".") else name)
    assert set(methods) - known == set()


def test_the_examples_of_the_page_print_what_it_says(offline: Stack, tmp_path: Path) -> None:  # N9
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "citewell-client").symlink_to(CLIENT)
    examples = EXAMPLE.findall(PAGE)
    assert len(examples) >= 4
    assert len([printed for _, printed in examples if printed]) >= 3
    # A reader writes one program; the other examples go on from the first.
    beginning = examples[0][0].partition("\n\n")[0]
    for number, (code, printed) in enumerate(examples):
        whole = code if number == 0 else f"{beginning}\n\n{code}"
        file = tmp_path / f"example{number}.mjs"
        file.write_text(whole.replace("http://127.0.0.1:8000", offline.supervisor.url), encoding="utf-8")
        told = run_node(file, cwd=tmp_path)
        if printed:
            assert told == printed
