"""Bombs among good files: the good ones become ready, each bomb fails with a reason, and the worker survives."""

import psutil
import pytest

from document_material import bombs
from tests.e2e.stack import Stack

pytestmark = pytest.mark.slow

BOMBS = {
    "inflating.pdf": (bombs.inflating(), "document_too_large", "inflating.pdf needs more than 1,024 MB of memory"),
    "pages.pdf": (bombs.million_pages(), "document_too_large", "pages.pdf has 1,000,000 pages; the limit is 5,000"),
    "broken.pdf": (b"%PDF-1.7 and no more", "document_unreadable", "broken.pdf is damaged"),
}
GOOD = {
    f"policy-{number}.md": f"# Returns\n\nGoods come back within {number} days.".encode() for number in range(10, 14)
}


def ingesting(stack: Stack) -> list[psutil.Process]:
    """The worker that reads documents, and the processes forked from it."""
    worker = psutil.Process(stack.supervisor.pids["ingestion"])
    return [worker, *worker.children()]


def test_bombs_end_with_their_reasons_and_the_worker_stays(offline: Stack) -> None:  # A8
    offline.add_text("first.md", "The first document warms the worker.", workspace="hostile")
    before = {process.pid: process.memory_info().rss for process in ingesting(offline)}
    files = {name: data for name, (data, *_) in BOMBS.items()} | GOOD
    # By turns, so that each bomb has good files after it.
    ids = {name: offline.send_file(name, files[name], workspace="hostile") for name in sorted(files, key=len)}
    for name, (_, code, message) in BOMBS.items():
        document = offline.until_ended(ids[name])
        assert (document["status"], document["error"]["code"]) == ("failed", code), document
        assert document["error"]["message"].startswith(message)
    for name, data in GOOD.items():
        assert offline.stored_text(offline.until_ready(ids[name])) == data.decode()
    after = {process.pid: process.memory_info().rss for process in ingesting(offline)}
    assert after.keys() == before.keys()
    assert all(after[pid] - before[pid] < 200_000_000 for pid in before)
