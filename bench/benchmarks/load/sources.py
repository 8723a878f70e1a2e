"""Large sources of one tenant, beside single documents of another.

    python -m benchmarks.load.sources 10000

ingests a folder with this many files, a site of 200 pages, a repository and a bucket, ends the processes that list and
read them when a third is done, changes and deletes some, and runs the sources again. Meanwhile another tenant sends a
document a second; the baseline is the time of such a document before.
"""

import json
import logging
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from moto.server import ThreadedMotoServer
from obstore.store import S3Store

from tests.e2e.stack import Stack, running_stack
from tests.large.beside import Rig, with_tenants
from tests.services.sources.site import Site, serving_a_site
from tests.waiting import repeating

PAGES, OTHERS = 200, 100
_PAUSE_S = 1.0  # between documents of the other tenant: without it, they would take every second turn
_DOOMED = ("webhooks", "ingestion")
_WORDS = "the pump of hall three is inspected every month and its pressure stays below forty bar by order".split()
Json = dict[str, Any]


@dataclass
class Places:
    """The four places, with the text of each item by key."""

    folder: Path
    site: Site
    repository: Path
    bucket: S3Store
    files: dict[str, str]
    pages: dict[str, str]
    committed: dict[str, str]
    objects: dict[str, str]

    def write(self) -> None:
        for where, texts in ((self.folder, self.files), (self.repository, self.committed)):
            for name, text in texts.items():
                (where / name).parent.mkdir(parents=True, exist_ok=True)
                (where / name).write_text(text)
        git(self.repository, "add", "--all")
        git(self.repository, "commit", "--quiet", "--allow-empty", "--message", "More")
        self.site.pages |= {path: f"<title>{path}</title><p>{text}</p>" for path, text in self.pages.items()}
        self.site.sitemap(list(self.pages))
        for name, text in self.objects.items():
            self.bucket.put(name, text.encode())

    def change(self) -> dict[str, tuple[int, int]]:
        """Change every tenth item and delete every twentieth; (changed, deleted) by place."""
        removed = {"folder": self._forget(self.files), "site": self._forget(self.pages)}
        removed |= {"repository": self._forget(self.committed), "bucket": self._forget(self.objects)}
        for name in removed["folder"]:
            (self.folder / name).unlink()
        for name in removed["repository"]:
            (self.repository / name).unlink()
        for path in removed["site"]:
            del self.site.pages[path]
        for name in removed["bucket"]:
            self.bucket.delete(name)
        changed = {place: self._edit(texts) for place, texts in self.by_place().items()}
        self.write()
        return {place: (changed[place], len(removed[place])) for place in removed}

    def by_place(self) -> dict[str, dict[str, str]]:
        texts = (self.files, self.pages, self.committed, self.objects)
        return dict(zip(("folder", "site", "repository", "bucket"), texts, strict=True))

    @staticmethod
    def _forget(texts: dict[str, str]) -> list[str]:
        gone = list(texts)[7::20]
        for name in gone:
            del texts[name]
        return gone

    @staticmethod
    def _edit(texts: dict[str, str]) -> int:
        edited = list(texts)[3::10]
        for name in edited:
            texts[name] += " It was changed since."
        return len(edited)


@dataclass
class Result:
    """Times in seconds; `beside` are those of single documents while the sources ran."""

    documents: int
    alone: float
    seconds: float = 0.0
    again_s: float = 0.0
    killed: list[str] = field(default_factory=list[str])
    beside: list[float] = field(default_factory=list[float])

    @property
    def ratio(self) -> float:
        return statistics.median(self.beside) / self.alone

    def table(self) -> str:
        rows = [
            ("documents of the sources", f"{self.documents:,}"),
            ("all ready after", f"{self.seconds:,.0f} s, {self.documents / self.seconds:.1f} a second"),
            ("ended meanwhile", ", ".join(self.killed)),
            ("run again with changes", f"{self.again_s:,.0f} s"),
            ("another tenant's document alone", f"{self.alone:.2f} s"),
            ("beside the sources, median", f"{statistics.median(self.beside):.2f} s, {self.ratio:.2f} times"),
            ("beside the sources, slowest", f"{max(self.beside):.2f} s of {len(self.beside)}"),
        ]
        return "\n".join(f"{name:<34}{value}" for name, value in rows)


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"]
    command = ["git", *who, *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)  # noqa: S603 - a list of arguments


@contextmanager
def places(home: Path, files: int, pages: int, others: int) -> Generator[tuple[Places, dict[str, str]]]:
    """Yield the places with this many items each, and the settings that open them."""
    (home / "files").mkdir()
    (home / "repository").mkdir()
    git(home / "repository", "init", "--quiet")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    # The first request loads much of the server. All such servers of a process share one state: begin without buckets.
    httpx.post(f"{endpoint}/moto-api/reset", timeout=120).raise_for_status()
    httpx.put(f"{endpoint}/papers", timeout=120).raise_for_status()
    bucket = S3Store(
        "papers",
        endpoint=endpoint,
        access_key_id="key",
        secret_access_key="secret",  # noqa: S106 - of a store that this program starts
        region="us-east-1",
        client_options={"allow_http": True},
    )
    environment = {
        "CITEWELL_SOURCES__FOLDERS": json.dumps({"here": {"path": str(home)}}),
        "CITEWELL_SOURCES__STORES": json.dumps(
            {"own": {"endpoint": endpoint, "access_key": "key", "secret_key": "secret"}}
        ),
        "CITEWELL_SOURCES__ALLOWED_NETWORKS": '["127.0.0.0/8"]',
        "CITEWELL_SOURCES__HOST_DELAY_S": "0",
        "CITEWELL_GRAPH__EXTRACTOR": "off",
        # Other programs may keep the machine busy.
        "CITEWELL_INGESTION__PARSE_BASE_S": "120",
    }
    try:
        with serving_a_site() as site:
            made = Places(
                home / "files",
                site,
                home / "repository",
                bucket,
                texts(files, "{0}/{1}.txt"),
                texts(pages, "/p{0}-{1}"),
                texts(others, "docs/{1}.md"),
                texts(others, "{0}/{1}.txt"),
            )
            made.write()
            yield made, environment
    finally:
        server.stop()


def texts(count: int, name: str) -> dict[str, str]:
    """Return this many short texts, all different, by name."""
    draw = random.Random(count)
    return {
        name.format(number % 10, number): f"Note {number}. " + " ".join(draw.choices(_WORDS, k=120)) + "."
        for number in range(count)
    }


def measure(home: Path, files: int, pages: int = PAGES, others: int = OTHERS, **settings: str) -> Result:
    """Run everything, with further settings as variables, check the results, and return the times."""
    with ExitStack() as opened:
        made, environment = opened.enter_context(places(home, files, pages, others))
        stack = opened.enter_context(running_stack(**environment, **settings))
        rig = opened.enter_context(with_tenants(stack))
        single(rig, 0)
        alone = statistics.median(single(rig, number) for number in range(1, 8))
        total = sum(len(items) for items in made.by_place().values())
        result = Result(total, alone)
        began = time.monotonic()
        ids = {name: create(rig.large, name, *where) for name, where in locations(made).items()}
        killing = Killing(stack, total // 3)
        with repeating(lambda: stack.supervisor.revive(at_once=True)):
            follow(rig, ids, result, killing)
        result.seconds, result.killed = time.monotonic() - began, killing.done
        for name, items in made.by_place().items():
            check(rig.large, ids[name], {"new": len(items)}, len(items))
        changes = made.change()
        began = time.monotonic()
        for source in ids.values():
            rig.large.post(f"/v1/sources/{source}/run").raise_for_status()
        follow(rig, ids, result, None, run=2)
        result.again_s = time.monotonic() - began
        for name, items in made.by_place().items():
            changed, gone = changes[name]
            same = len(items) - changed
            expected = {"changed": changed, "unchanged": same, "gone": gone}
            check(rig.large, ids[name], {kind: count for kind, count in expected.items() if count}, len(items) + gone)
        stored = sum(1 for _ in documents(rig.large))
        versions = sum(changed for changed, _ in changes.values())
        require(stored == total + versions, f"{stored} documents for {total} items and {versions} changes")
        return result


def locations(made: Places) -> dict[str, tuple[str, str, Json]]:
    return {
        "folder": ("folder", "here/files", {}),
        "site": ("sitemap", f"{made.site.url}/sitemap.xml", {}),
        "repository": ("git", "here/repository", {}),
        "bucket": ("bucket", "papers", {"store": "own"}),
    }


def create(http: httpx.Client, name: str, kind: str, location: str, options: Json) -> str:
    body = {"name": name, "kind": kind, "location": location, "workspace": "w", "options": options}
    return http.post("/v1/sources", json=body).raise_for_status().json()["id"]


class Killing:
    """Ends the processes that do the work, once, when this many documents are ready; the supervisor starts them
    again."""

    def __init__(self, stack: Stack, when: int) -> None:
        self._stack, self._when = stack, when
        self.done: list[str] = []

    def look(self, ready: int) -> None:
        if ready >= self._when and not self.done:
            for name, pid in self._stack.supervisor.pids.items():
                if name.startswith(_DOOMED) and pid is not None:
                    os.kill(pid, signal.SIGKILL)
                    self.done.append(name)


def follow(rig: Rig, ids: dict[str, str], result: Result, killing: Killing | None, run: int = 1) -> None:
    """Wait until all sources are done and their documents are read; meanwhile single documents are sent."""
    began, number = time.monotonic(), 0
    while True:
        seen = [rig.large.get(f"/v1/sources/{source}").raise_for_status().json() for source in ids.values()]
        if all(is_done(each, run) for each in seen):
            return
        require(time.monotonic() - began < 4 * 3600, seen)
        if killing is not None:
            killing.look(sum(each["documents"]["ready"] for each in seen))
        if run == 1:
            number += 1
            result.beside.append(single(rig, number, "beside"))
        time.sleep(_PAUSE_S)


def is_done(source: Json, run: int) -> bool:
    unread = source["documents"]["queued"] + source["documents"]["processing"]
    return source["run"] == run and source["phase"] == "idle" and not unread


def single(rig: Rig, number: int, what: str = "alone") -> float:
    """Return the time until a document of the other tenant is ready."""
    began = time.perf_counter()
    body = {"filename": f"{what}-{number}.txt", "text": next(iter(texts(number + 1, what).values()))}
    body["text"] += f" {what} {number}"
    here = f"/v1/documents/{rig.small.post('/v1/documents', json=body).raise_for_status().json()['id']}"
    while (seen := rig.small.get(here).raise_for_status().json())["status"] != "ready":
        require(seen["status"] in ("queued", "processing"), seen)
        time.sleep(0.02)
    return time.perf_counter() - began


def check(http: httpx.Client, source: str, expected: Json, known: int) -> None:
    """Compare the report of a run with the items that existed."""
    seen = http.get(f"/v1/sources/{source}").raise_for_status().json()
    counts = {name: count for name, count in seen["items"].items() if count and name != "listed"}
    told, wanted = (counts, seen["error"], seen["documents"]["ready"]), (expected, None, known)
    require(told == wanted, f"{seen['kind']}: items, error and ready documents are {told}, not {wanted}; {seen}")


def require(holds: bool, told: object) -> None:
    if not holds:
        raise AssertionError(told)


def documents(http: httpx.Client) -> Generator[Json]:
    """Yield all documents of the sources' workspace in all versions."""
    wanted: Json = {"workspace": "w", "versions": "all", "limit": 1_000}
    while True:
        page = http.get("/v1/documents", params=wanted).raise_for_status().json()
        yield from page["documents"]
        if page["next_cursor"] is None:
            return
        wanted["cursor"] = page["next_cursor"]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        print(measure(Path(place), int(sys.argv[1]) if len(sys.argv) > 1 else 2_000).table())
