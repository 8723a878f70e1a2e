"""The child process that reads a feed: feedparser takes hours over some feeds, and holds up its whole process.

Standard input is the feed; standard output has its entries in JSON, or null if the input is no feed.
"""

import json
import sys
from collections.abc import Mapping
from io import BytesIO
from typing import Any, cast

import feedparser

from citewell_documents.parsing.sandbox.child_process import Cut, run_child
from citewell_documents.parsing.sandbox.confinement import confine
from citewell_documents.parsing.sandbox.servers import environment
from domain.errors.requests import ItemUnusable

Json = Mapping[str, Any]

_MODULE = "clients.sources.feed_child"
_MEMORY_MB, _MOST_OUTPUT = 1_024, 150_000_000
_READ_S = 60


def entries_in(data: bytes, seconds: float = _READ_S) -> list[Json]:
    """The entries of a feed. Each has id, link, title, published and html, which are a text or None. Raises
    ItemUnusable.
    """
    argv = (sys.executable, "-P", "-B", "-m", _MODULE)
    ended = run_child(argv, environment(), (data,), deadline_s=seconds, max_output=_MOST_OUTPUT)
    if ended.cut is Cut.TIME:
        raise ItemUnusable(f"The feed could not be read within {seconds:g} s; it is too large, or damaged.")
    # The exit code does not matter: the child may be killed once its output is closed. Output that is cut off is no
    # JSON.
    try:
        entries = json.loads(bytes(ended.output))
    except ValueError:
        raise ItemUnusable("The feed is too large to be read, or damaged.") from None
    if entries is None:
        raise ItemUnusable("This is no feed; it has to be RSS or Atom.")
    return entries


def main() -> None:
    confine(memory_mb=_MEMORY_MB, cpu_s=_READ_S)  # of CPU, should the process be gone that would end it
    # The feed is passed as a stream, because feedparser may take bytes or a text for the name of a file.
    read = feedparser.parse(BytesIO(sys.stdin.buffer.read()), resolve_relative_uris=True, sanitize_html=True)
    entries = [_entry(entry) for entry in read["entries"]] if read.get("version") else None
    sys.stdout.write(json.dumps(entries))


def _entry(read: Json) -> Json:
    contents = cast(list[Json], read.get("content") or [])
    html = "".join(str(content.get("value") or "") for content in contents) or str(read.get("summary") or "")
    texts = {name: read.get(name) for name in ("id", "link", "title")}
    published = read.get("published") or read.get("updated")
    return {name: str(value) if value else None for name, value in {**texts, "published": published}.items()} | {
        "html": html
    }


if __name__ == "__main__":
    main()
