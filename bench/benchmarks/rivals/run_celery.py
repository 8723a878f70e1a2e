"""Celery with a task for each model call, and chords between them: the obvious first design.

Two worker processes, one for each core that the benchmark assumes, with threads that wait for the models; results stay
in Redis until they are read. `python -m benchmarks.rivals.run_celery --redis-url …` starts the workers, submits and
waits. It imports nothing of Citewell.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from celery import Celery, Task, chord, group
from groq import Groq
from groq.types.chat.completion_create_params import ResponseFormat

from benchmarks.rivals import prompts
from benchmarks.rivals.loop import FAST, MAIN, Outcome, Work, read_work, serve

_PROCESSES, _THREADS = 2, 64
_READY_S = 60.0
_PROSE: ResponseFormat = {"type": "text"}
_JSON: ResponseFormat = {"type": "json_object"}
_SENTENCE_END = re.compile(r"(?<=\.)\s+")
_MARKER = re.compile(r"\[(\d+)\]")

app = Celery("rival", broker=os.environ.get("RIVAL_REDIS"), backend=os.environ.get("RIVAL_REDIS"))
app.conf.update(worker_prefetch_multiplier=1, broker_connection_retry_on_startup=True, worker_hijack_root_logger=False)


class _Client:
    """The client of a worker process; the SDK's client may be used by many threads."""

    def __init__(self) -> None:
        self._groq: Groq | None = None

    def complete(self, model: str, messages: Any, form: ResponseFormat = _PROSE) -> str:
        self._groq = self._groq or Groq(api_key="none", base_url=os.environ["RIVAL_MODELS"], timeout=60)
        reply = self._groq.chat.completions.create(
            model=model, messages=messages, temperature=0.0, response_format=form
        )
        return reply.choices[0].message.content or ""

    def judge(self, messages: prompts.Messages) -> Any:
        """Return a JSON reply of the fast model."""
        return json.loads(self.complete(FAST, messages, _JSON))


_client = _Client()


@app.task(bind=True)
def answer(self: Task[Any, Any], passages: list[str], question: str, kept: int) -> Any:
    """Score every passage, then go on with the best."""
    return self.replace(chord([score.s(text, question) for text in passages], write.s(question, kept)))


@app.task
def score(passage: str, question: str) -> tuple[float, str]:
    return _client.judge(prompts.score(passage, question))["score"], passage


@app.task(bind=True)
def write(self: Task[Any, Any], scored: Sequence[tuple[float, str]], question: str, kept: int) -> Any:
    """Write the answer, then start its checks."""
    sources = [text for _, text in sorted(scored, key=lambda pair: -pair[0])[:kept]]
    text = _client.complete(MAIN, prompts.write(sources, question))
    checks: list[Any] = [check_alignment.s(sources, question, text), check_answerability.s(sources, text)]
    checks.append(check_facts.s(sources, text))
    for sentence in _SENTENCE_END.split(text):
        said = _MARKER.sub("", sentence)
        checks += [check_statement.s(sources[int(number) - 1], said) for number in _MARKER.findall(sentence)]
    return self.replace(chord(group(checks), conclude.s()))


@app.task
def check_alignment(sources: list[str], question: str, text: str) -> dict[str, Any]:
    return {"alignment": _client.judge(prompts.alignment(sources, question, text))["score"]}


@app.task
def check_answerability(sources: list[str], text: str) -> dict[str, Any]:
    return {"supported": _client.judge(prompts.answerability(sources, text))["supported"]}


@app.task
def check_facts(sources: list[str], text: str) -> dict[str, Any]:
    return {"facts": _client.judge(prompts.facts(sources, text))["claims"]}


@app.task
def check_statement(source: str, said: str) -> dict[str, Any]:
    return {"statement": said, "is_accurate": _client.judge(prompts.statement(source, said))["is_accurate"]}


@app.task
def conclude(checked: list[dict[str, Any]]) -> list[str]:
    """Return the sentences that are not supported."""
    return [each["statement"] for each in checked if "statement" in each and not each["is_accurate"]]


@contextmanager
def _workers() -> Generator[None]:
    options = ["--pool", "threads", "--concurrency", str(_THREADS), "--loglevel", "WARNING"]
    options += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    command = [sys.executable, "-m", "celery", "-A", "benchmarks.rivals.run_celery", "worker", *options]
    processes = [
        subprocess.Popen([*command, "-n", f"rival{number}"], stdout=subprocess.DEVNULL)  # noqa: S603 - ours
        for number in range(_PROCESSES)
    ]
    try:
        until = time.monotonic() + _READY_S
        while len(app.control.ping(timeout=1.0) or []) < _PROCESSES:
            if time.monotonic() > until:
                raise TimeoutError(f"the Celery workers are not there after {_READY_S:.0f} s")
        yield
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            _ended(process)


def _ended(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(timeout=5)  # its threads may still wait for unneeded replies
    except subprocess.TimeoutExpired:
        process.kill()


async def _serve(work: Work) -> None:
    with ThreadPoolExecutor(256) as threads:

        def submit_and_wait() -> list[str]:
            result = answer.delay(work.found, work.question, work.kept)
            try:
                return result.get(timeout=120)
            finally:
                result.forget()

        async def ask() -> Outcome:
            flagged = await asyncio.get_running_loop().run_in_executor(threads, submit_and_wait)
            return Outcome(flagged, grounded=not flagged)

        await serve(ask, work)


def main() -> None:
    work, options = read_work("--redis-url")
    os.environ["RIVAL_REDIS"] = options.redis_url
    os.environ["RIVAL_MODELS"] = work.base_url.removesuffix("/v1")
    app.conf.update(broker_url=options.redis_url, result_backend=options.redis_url)
    with _workers():
        asyncio.run(_serve(work))


if __name__ == "__main__":
    # The module is imported under its real name, so that the tasks have the names that the workers know.
    from benchmarks.rivals import run_celery

    run_celery.main()
