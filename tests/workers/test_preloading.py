"""What a fork server of workers has loaded when it forks."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """
import gc, json, os, sys, threading
import api.app
from workers.preloading import preload
from citewell_verify.embeddings.wheel import default_embedder
from citewell_verify.text import languages
preload()
import psutil

def forked_name():
    read, write = os.pipe()
    if os.fork() == 0:
        from workers.processes.runtime import worker_prefix
        os.write(write, worker_prefix().encode())
        os._exit(0)
    os.wait()
    return os.read(read, 100).decode()

print(json.dumps({
    "threads": [len(os.listdir("/proc/self/task")), threading.active_count()],
    "connections": len(psutil.Process().net_connections()),
    "modules": sorted(sys.modules),
    "names": [forked_name() for _ in range(2)],
    "has_model": default_embedder()._model is not None,
    "knows_languages": languages._model.cache_info().currsize == 1,
}))
"""
PREFORK = """
import json, os
from celery.signals import worker_init
import workers.lifecycle
from workers.celery_app import app

# What a worker of Celery says before its pool forks.
app.amqp.queues.select(["maintenance"])
worker_init.send(sender=type("Worker", (), {"app": app, "pool_cls": "prefork"}))
read, write = os.pipe()
if os.fork() == 0:
    from workers.processes.runtime import worker_name
    os.write(write, worker_name().encode())
    os._exit(0)
os.wait()
from workers.processes.runtime import worker_prefix
print(json.dumps({"parent": worker_prefix(), "child": os.read(read, 100).decode()}))
"""
ROOT = Path(__file__).resolve().parents[2]

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="only there is it forked"),
    pytest.mark.xdist_group("preloading"),  # in one process, which loads it once for two tests
]


@cache
def loaded(**environment: str) -> dict[str, Any]:
    return run(PROGRAM, **environment)


def run(program: str, **environment: str) -> dict[str, Any]:
    settings = {"CITEWELL_POOLS": '{"all": {"queues": ["verification", "maintenance"]}}', "GROQ_API_KEY": "gsk_test"}
    # No server of any kind is there.
    places = {
        "CITEWELL_DATABASE_URL": "postgresql+psycopg://a@127.0.0.1:1/a",
        "CITEWELL_REDIS_URL": "redis://127.0.0.1:1/0",
    }
    done = subprocess.run(
        [sys.executable, "-c", program], env={**settings, **places, **environment, "OPENBLAS_NUM_THREADS": "1"},
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


@pytest.mark.slow
def test_it_can_be_forked_and_nothing_large_is_left_to_import() -> None:
    loading = loaded()
    assert (loading["threads"], loading["connections"]) == ([1, 1], 0)
    late = {
        "celery.worker.consumer",
        "celery.worker.components",
        "celery.backends.redis",
        "psycopg",
        "workers.processes.transport",
    }
    assert late | {"api.app", "workers.tasks.questions"} <= {*loading["modules"]}
    assert (loading["has_model"], loading["knows_languages"]) == (False, True)


@pytest.mark.slow
def test_workers_that_it_forks_have_names_of_their_own() -> None:  # A5
    """A worker that ends hands back everything held under its name."""
    one, other = loaded()["names"]
    assert one != other


@pytest.mark.slow
def test_a_child_of_a_prefork_pool_is_held_under_its_parents_name() -> None:  # A5
    """A worker that ends releases every lease under its prefix: those of its children, and of no other worker."""
    done = run(PREFORK)
    parent, child = done["parent"], done["child"]
    assert child.startswith(parent)
    assert child != parent


@pytest.mark.slow
def test_it_has_the_model_if_a_pool_embeds_and_is_still_one_thread() -> None:
    loading = loaded(CITEWELL_POOLS='{"all": {"queues": ["retrieval"]}}')
    assert (loading["threads"], loading["connections"], loading["has_model"]) == ([1, 1], 0, True)
