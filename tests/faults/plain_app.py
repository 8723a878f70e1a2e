"""A small workflow on Celery as it comes: default acknowledgement, results in Redis, a chain with a chord in it."""

import os
import time
from typing import Any

from celery import Celery, chain, chord
from redis import Redis

app = Celery("plain", broker=os.environ["PLAIN_REDIS_URL"], backend=os.environ["PLAIN_REDIS_URL"])
WIDTH, TASK_S = 4, 0.5


@app.task
def begin(number: int) -> int:
    time.sleep(TASK_S)
    return number


@app.task
def check(number: int) -> int:
    time.sleep(TASK_S)
    return number


@app.task
def conclude(numbers: list[int], run: int) -> None:
    client: Any = Redis.from_url(os.environ["PLAIN_REDIS_URL"])  # pyright: ignore[reportUnknownMemberType]
    client.rpush("ended", run)
    client.close()


def start(run: int) -> None:
    """One run: a task, four at the same time, and one that concludes."""
    chain(begin.si(run), chord([check.si(run) for _ in range(WIDTH)], conclude.s(run))).apply_async()
