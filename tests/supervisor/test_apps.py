import re
import sys

import pytest

from citewell.supervisor.apps import app_processes, fork_server_process, own_receivers, reachable_url
from citewell.supervisor.processes.process import ProcessSpec
from config.settings import AccessSettings, PoolSettings, Settings, WebhookSettings
from verify_material.rows import for_all_rows


def option(spec: ProcessSpec, name: str) -> str:
    return spec.argv[spec.argv.index(name) + 1]


def test_every_pool_has_its_processes_with_names_and_queues_of_their_own() -> None:  # A1
    pools = {
        "models": PoolSettings(queues=("generation", "verification"), concurrency=16, processes=2),
        "ingestion": PoolSettings(queues=("ingestion",), pool="prefork", concurrency=1),
    }
    *workers, api = app_processes(Settings(pools=pools), 8000)
    assert [worker.name for worker in workers] == ["models-1", "models-2", "ingestion"]
    assert [option(worker, "-n") for worker in workers] == [f"{worker.name}@%h" for worker in workers]
    assert [option(worker, "-Q") for worker in workers] == [*["generation,verification"] * 2, "ingestion"]
    assert [option(worker, "--pool") for worker in workers] == ["custom", "custom", "prefork"]
    assert [option(worker, "--concurrency") for worker in workers] == ["16", "16", "1"]
    assert (api.name, option(api, "--port"), api.ready_url) == ("api", "8000", "http://127.0.0.1:8000/readyz")


@for_all_rows(
    ("settings", "networks"),
    [
        (Settings(), '["127.0.0.0/8", "::1/128"]'),
        (Settings(api_host="::1"), '["127.0.0.0/8", "::1/128"]'),
        (Settings(api_host="10.0.0.1"), None),
        (Settings(access=AccessSettings(keys="required")), None),
        (Settings(webhooks=WebhookSettings(allowed_networks=())), None),
        (Settings(webhooks=WebhookSettings(allowed_networks=("10.1.0.0/16",))), None),
    ],
)
def test_webhooks_reach_this_machine_where_only_its_people_register_them(
    settings: Settings, networks: str | None
) -> None:  # A6, A8
    assert own_receivers(settings).get("CITEWELL_WEBHOOKS__ALLOWED_NETWORKS") == networks


def test_a_laptop_has_six_processes_of_which_five_are_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    apps = app_processes(Settings(), 8000)
    assert [app.name for app in apps] == ["queries-1", "queries-2", "ingestion", "webhooks", "api"]
    assert all(app.forked and app.argv[:2] == (sys.executable, "-m") for app in apps)
    server = fork_server_process()
    # Celery looks for it when it is imported, which is before the fork.
    assert all(server.env.items() >= app.env.items() for app in apps)


def test_a_worker_is_ready_when_celery_says_so_in_plain_text_or_json() -> None:
    worker = app_processes(Settings(), 8000)[0]
    assert worker.ready_line is not None
    assert re.search(worker.ready_line, f"[2026-11-22 02:44:30,232: INFO/MainProcess] {worker.name}@box.lan ready.")
    assert re.search(worker.ready_line, f'{{"event": "{worker.name}@box.lan ready.", "level": "info"}}')
    assert not re.search(worker.ready_line, f"{worker.name}@box.lan: shutting down")


def test_workers_can_be_asked_for_events_while_they_run() -> None:  # A9
    # Without Celery's heartbeat they would have nothing that sends any.
    assert "--heartbeat-interval" in app_processes(Settings(), 8000)[0].argv


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:80"),
        ("0.0.0.0", "http://127.0.0.1:80"),  # noqa: S104 - a name to translate, nothing listens
        ("::", "http://[::1]:80"),
        ("localhost", "http://localhost:80"),
    ],
)
def test_the_address_shown_can_be_opened_on_this_machine(host: str, url: str) -> None:
    assert reachable_url(host, 80) == url
