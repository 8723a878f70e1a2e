"""docker-compose.yml: the distributed form, tested without Docker."""

import re
import subprocess
import sys
from typing import Any

import yaml

from config.settings import settings
from tests.deploy.commands import knows_flower, parsed
from tests.deploy.environment import is_setting, written_secrets
from tests.deploy.files import ROOT, compose, services
from verify_material.rows import for_all_rows
from workers.queues import Queue

SERVICES = services()
ENDING = {"migrate"}
LASTING = SERVICES.keys() - ENDING
OURS = {name for name, service in SERVICES.items() if "build" in service}
POOLS = [queue.value for queue in Queue]


def seconds(duration: str) -> int:
    return int(duration.removesuffix("s"))


def test_the_file_follows_the_specification() -> None:  # A10
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run([*command, str(ROOT / "docker-compose.yml")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_there_is_one_service_per_queue() -> None:  # A1, A10
    commands = {name: parsed(SERVICES[name]["command"]) for name in OURS}
    workers = {name: options for name, options in commands.items() if options.get("command") == "worker"}
    assert {name: options["queues"] for name, options in workers.items()} == {pool: [pool] for pool in POOLS}
    assert {SERVICES[pool]["profiles"][0] for pool in POOLS} == {"pools"}


def test_without_a_profile_five_containers_do_everything() -> None:  # A10
    assert {name for name, service in SERVICES.items() if "profiles" not in service} == {
        "postgres", "redis", "migrate", "api", "worker",
    }  # fmt: skip
    options = parsed(SERVICES["worker"]["command"])
    assert options == {"command": "citewell worker", "queues": None, "concurrency": None, "processes": None}
    served = [queue for pool in settings().pools.values() for queue in pool.queues]
    assert sorted(served) == sorted(POOLS)


@for_all_rows("name", sorted(OURS))
def test_the_program_understands_its_command(name: str) -> None:  # A10
    options = parsed(SERVICES[name]["command"])
    assert options.get("app") in {None, "workers.celery_app", "api.app:app"}
    if options.get("command") == "worker":
        assert options["without_mingle"]
        assert options["without_gossip"]
        # With it a worker can be asked for events while it runs.
        assert options["heartbeat_interval"] == 30
        assert options["hostname"].startswith(f"{name}@")


def test_ingestion_alone_forks() -> None:  # its reader may break its process
    kinds = {name: parsed(SERVICES[name]["command"])["pool"].__module__ for name in POOLS}
    assert {name for name, module in kinds.items() if "prefork" in module} == {"ingestion"}


@for_all_rows("name", sorted(OURS))
def test_it_is_told_only_what_it_reads(name: str) -> None:
    environment = SERVICES[name]["environment"]
    flower = {variable for variable in environment if variable.startswith("FLOWER_")}
    assert all(knows_flower(variable) for variable in flower)
    assert [variable for variable in environment.keys() - flower if not is_setting(variable)] == []


@for_all_rows("name", sorted(SERVICES))
def test_no_secret_stands_in_the_file(name: str) -> None:  # A8
    assert written_secrets(SERVICES[name].get("environment", {})) == {}


@for_all_rows("name", sorted(LASTING))
def test_its_health_is_looked_at(name: str) -> None:  # A10
    check = SERVICES[name]["healthcheck"]
    assert check["test"][0] in {"CMD", "CMD-SHELL"}
    assert seconds(check["timeout"]) <= seconds(check["interval"])


@for_all_rows("name", sorted(SERVICES))
def test_it_is_contained(name: str) -> None:  # A8, A10
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert {"cpus", "memory", "pids"} <= service["deploy"]["resources"]["limits"].keys()
    assert service["logging"]["options"].keys() == {"max-size", "max-file"}
    assert service["restart"] == ("on-failure:5" if name in ENDING else "unless-stopped")
    # The image's own user is no root; those of others say which one they are.
    assert name in OURS or re.fullmatch(r"[1-9]\d*:\d+", service["user"])


@for_all_rows("name", sorted(SERVICES))
def test_its_image_is_pinned(name: str) -> None:
    image = SERVICES[name]["image"]
    tag = re.sub(r"\$\{\w+:-([^}]+)\}", r"\1", image).rpartition(":")[2]
    assert re.search(r"\d+\.\d+", tag), image


@for_all_rows("name", ["worker", *POOLS])
def test_it_can_be_scaled(name: str) -> None:  # A1, A10
    service = SERVICES[name]
    assert not {"container_name", "hostname", "ports"} & service.keys()
    # Its files are its own: a named volume would be shared.
    assert service.get("volumes", ["/tmp"]) == ["/tmp"]  # noqa: S108 - of the container


@for_all_rows("name", ["worker", *POOLS])
def test_it_has_the_time_to_hand_back_what_it_cannot_finish(name: str) -> None:  # A5
    assert seconds(SERVICES[name]["stop_grace_period"]) >= settings().recovery.drain_s + 10


def test_two_processes_look_for_what_stopped() -> None:  # A5
    assert SERVICES["maintenance"]["deploy"]["replicas"] == 2


def test_databases_are_reached_by_nobody_else() -> None:  # A8
    assert compose()["networks"]["data"] == {"internal": True}
    for name in ("postgres", "redis"):
        assert SERVICES[name]["networks"] == ["data"]
        assert "ports" not in SERVICES[name]


@for_all_rows("name", sorted(SERVICES))
def test_ports_are_open_to_this_machine_only(name: str) -> None:  # A8
    assert all(port.startswith("127.0.0.1:") for port in SERVICES[name].get("ports", []))


def test_monitoring_is_asked_for() -> None:
    assert {name for name, service in SERVICES.items() if service.get("profiles") == ["monitoring"]} == {
        "prometheus",
        "grafana",
        "flower",
    }


@for_all_rows("name", sorted(SERVICES))
def test_files_that_it_mounts_are_read_only(name: str) -> None:
    mounts: list[Any] = [volume for volume in SERVICES[name].get("volumes", []) if volume.startswith("./")]
    assert all(volume.endswith(":ro") for volume in mounts)


def test_grafana_finds_its_data_and_its_dashboards() -> None:  # A9
    folder = ROOT / "deploy" / "grafana" / "provisioning"
    (source,) = yaml.safe_load((folder / "datasources" / "prometheus.yml").read_text(encoding="utf-8"))["datasources"]
    (provider,) = yaml.safe_load((folder / "dashboards" / "citewell.yml").read_text(encoding="utf-8"))["providers"]
    host, port = source["url"].removeprefix("http://").split(":")
    assert SERVICES[host]["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert set(SERVICES[host]["networks"]) & set(SERVICES["grafana"]["networks"])
    mounted = {volume.split(":")[1] for volume in SERVICES["grafana"]["volumes"]}
    home = SERVICES["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
    assert home in mounted
    assert home.startswith(provider["options"]["path"] + "/")
