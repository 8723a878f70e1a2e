"""deploy/kubernetes, tested without a cluster: schemas, references, and the project's rules."""

import re
import shutil
import subprocess
from typing import Any

import kubernetes_validate  # pyright: ignore[reportMissingTypeStubs]
import promql_parser
import pytest
import yaml

from config.settings import settings
from tests.deploy.commands import parsed
from tests.deploy.environment import is_setting, written_secrets
from tests.deploy.files import KUBERNETES, manifests, read, services
from verify_material.rows import for_all_rows
from workers.queues import Queue

Manifest = dict[str, Any]

VERSION = "1.37"
BASE = manifests("pools")
COMMON = manifests("common")
SMALL = [manifest for manifest in manifests("base") if manifest not in COMMON]
MIGRATION = manifests("migrate")
EXAMPLES = [manifest for path in sorted((KUBERNETES / "examples").iterdir()) for manifest in read(path)]
SCALED = [manifest for manifest in manifests("keda") if manifest["kind"] == "ScaledObject"]
POOLS = [queue.value for queue in Queue]


def named(found: list[Manifest], kind: str) -> dict[str, Manifest]:
    return {manifest["metadata"]["name"]: manifest for manifest in found if manifest["kind"] == kind}


DEPLOYMENTS = named(BASE, "Deployment") | named(SMALL, "Deployment")
PODS: dict[str, Any] = {
    name: manifest["spec"]["template"] for name, manifest in (DEPLOYMENTS | named(MIGRATION, "Job")).items()
}


POOLED = DEPLOYMENTS.keys() - {"citewell-api", "citewell-worker"}


def container(name: str) -> Manifest:
    (only,) = PODS[name]["spec"]["containers"]
    return only


def title(manifest: Manifest) -> str:
    return f"{manifest['kind']}-{manifest['metadata']['name']}"


@for_all_rows("manifest", [*BASE, *SMALL, *MIGRATION, *EXAMPLES])
def test_a_manifest_follows_the_schema(manifest: Manifest) -> None:  # A10
    kubernetes_validate.validate(manifest, VERSION, strict=True)


def test_no_file_is_forgotten() -> None:
    for folder in ("common", "base", "pools", "keda", "migrate"):
        listed = yaml.safe_load((KUBERNETES / folder / "kustomization.yaml").read_text(encoding="utf-8"))["resources"]
        there = {path.name for path in (KUBERNETES / folder).iterdir()} - {"kustomization.yaml"}
        assert there == {name for name in listed if not name.startswith("..")}


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")
@pytest.mark.parametrize("folder", ["base", "pools", "keda", "migrate"])
def test_kustomize_reads_the_same(folder: str) -> None:  # A10
    done = subprocess.run(["kubectl", "kustomize", str(KUBERNETES / folder)], capture_output=True, check=True)  # noqa: S607
    rendered = list(yaml.safe_load_all(done.stdout))
    assert sorted(map(title, rendered)) == sorted(map(title, manifests(folder)))
    if folder == "keda":
        # The number of processes is the scaler's alone.
        counted = {name for name, manifest in named(rendered, "Deployment").items() if "replicas" in manifest["spec"]}
        assert counted == {"citewell-api"}
    else:
        assert all(manifest in rendered for manifest in manifests(folder))


def test_there_is_one_deployment_per_queue() -> None:  # A1, A10
    consumed = {name: parsed(container(name)["args"])["queues"] for name in POOLED}
    assert consumed == {f"citewell-{pool}": [pool] for pool in POOLS}


@for_all_rows("name", sorted(PODS))
def test_it_runs_what_compose_runs(name: str) -> None:  # A10
    assert container(name)["args"] == services()[name.removeprefix("citewell-")]["command"]


@for_all_rows("name", sorted(DEPLOYMENTS))
def test_its_health_is_looked_at(name: str) -> None:  # A10
    probes = container(name)
    assert {"startupProbe", "livenessProbe"} <= probes.keys()
    if name == "citewell-api":
        assert probes["readinessProbe"]["httpGet"]["path"] == "/readyz"
        # Nobody is killed for what its database does.
        assert probes["livenessProbe"]["httpGet"]["path"] == "/healthz"
    else:
        check = services()[name.removeprefix("citewell-")]["healthcheck"]["test"][1]
        assert probes["livenessProbe"]["exec"]["command"] == ["sh", "-c", check.replace("$$", "$")]


@for_all_rows("name", sorted(PODS))
def test_it_is_contained(name: str) -> None:  # A8, A10
    pod, inside = PODS[name]["spec"], container(name)
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod["automountServiceAccountToken"] is False
    assert pod["enableServiceLinks"] is False  # CITEWELL_API_PORT is a setting
    assert inside["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert inside["resources"]["limits"].keys() == inside["resources"]["requests"].keys() == {"cpu", "memory"}
    assert all("sizeLimit" in volume["emptyDir"] for volume in pod["volumes"])
    assert re.fullmatch(r"citewell:\d+\.\d+\.\d+", inside["image"])


@for_all_rows("name", ["citewell-worker", *(f"citewell-{pool}" for pool in POOLS)])
def test_it_has_the_time_to_hand_back_what_it_cannot_finish(name: str) -> None:  # A5
    assert PODS[name]["spec"]["terminationGracePeriodSeconds"] >= settings().recovery.drain_s + 10


def test_the_api_ends_its_requests_before_it_is_killed() -> None:  # A5
    inside = container("citewell-api")
    pause = int(inside["lifecycle"]["preStop"]["exec"]["command"][1])
    patience = parsed(inside["args"])["timeout_graceful_shutdown"]
    assert PODS["citewell-api"]["spec"]["terminationGracePeriodSeconds"] >= pause + patience + 10


@for_all_rows("name", sorted(DEPLOYMENTS))
def test_selectors_find_their_pods(name: str) -> None:
    labels = PODS[name]["metadata"]["labels"]
    for chosen in (DEPLOYMENTS[name], named([*BASE, *SMALL], "PodDisruptionBudget")[name]):
        assert chosen["spec"]["selector"]["matchLabels"].items() <= labels.items()
        assert chosen["spec"]["selector"]["matchLabels"]["app.kubernetes.io/component"] == name.removeprefix(
            "citewell-"
        )


def test_the_service_reaches_the_api() -> None:
    service = named(BASE, "Service")["citewell-api"]["spec"]
    assert service["selector"].items() <= PODS["citewell-api"]["metadata"]["labels"].items()
    (port,) = container("citewell-api")["ports"]
    assert service["ports"][0]["targetPort"] == port["name"]
    assert port["containerPort"] == parsed(container("citewell-api")["args"])["port"]
    rule = named(EXAMPLES, "Ingress")["citewell"]["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]
    assert (rule["name"], rule["port"]["name"]) == ("citewell-api", service["ports"][0]["name"])


def test_secrets_stand_in_no_file() -> None:  # A8
    assert set(named(EXAMPLES, "Secret")["citewell"]["stringData"].values()) == {""}
    assert named(BASE, "Secret") == {}
    assert written_secrets(named(BASE, "ConfigMap")["citewell"]["data"]) == {}
    assert all("value" not in variable for name in PODS for variable in container(name).get("env", []))


def test_processes_are_told_only_what_they_read() -> None:
    told = {**named(BASE, "ConfigMap")["citewell"]["data"], **named(EXAMPLES, "Secret")["citewell"]["stringData"]}
    assert [variable for variable in told if not is_setting(variable)] == []
    for name in DEPLOYMENTS:
        assert container(name)["envFrom"] == [
            {"configMapRef": {"name": "citewell"}},
            {"secretRef": {"name": "citewell"}},
        ]


def test_two_processes_look_for_what_stopped() -> None:  # A5
    assert DEPLOYMENTS["citewell-maintenance"]["spec"]["replicas"] == 2
    (scaled,) = [each for each in SCALED if each["spec"]["scaleTargetRef"]["name"] == "citewell-maintenance"]
    assert scaled["spec"]["minReplicaCount"] == 2


def test_every_pool_scales_by_itself() -> None:  # A1, A10
    assert sorted(each["spec"]["scaleTargetRef"]["name"] for each in SCALED) == [
        f"citewell-{pool}" for pool in sorted(POOLS)
    ]


@for_all_rows("scaled", SCALED)
def test_a_pool_is_as_large_as_its_oldest_message_is_old(scaled: Manifest) -> None:  # A1, A9
    # There is no schema of KEDA's kinds here: these are the fields of keda.sh/v1alpha1 that are used.
    spec = scaled["spec"]
    assert scaled["apiVersion"] == "keda.sh/v1alpha1"
    assert scaled["metadata"]["name"] == spec["scaleTargetRef"]["name"]
    assert spec.keys() == {
        "scaleTargetRef", "pollingInterval", "minReplicaCount", "maxReplicaCount", "advanced", "triggers",
    }  # fmt: skip
    assert 1 <= spec["minReplicaCount"] < spec["maxReplicaCount"]
    behavior = {"metadata": {"name": "x"}, "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler"}
    target = {"scaleTargetRef": {"kind": "Deployment", "name": "x"}, "maxReplicas": 1}
    kubernetes_validate.validate(
        {**behavior, "spec": {**target, **spec["advanced"]["horizontalPodAutoscalerConfig"]}}, VERSION, strict=True
    )
    (trigger,) = spec["triggers"]
    assert (trigger["type"], trigger["metricType"]) == ("prometheus", "AverageValue")
    told = trigger["metadata"]
    assert told.keys() == {"serverAddress", "query", "threshold", "ignoreNullValues"}
    assert all(isinstance(value, str) for value in told.values())
    assert float(told["threshold"]) > 0
    queue = spec["scaleTargetRef"]["name"].removeprefix("citewell-")
    promql_parser.parse(told["query"])
    assert told["query"] == f'max(citewell_queue_oldest_seconds{{queue="{queue}"}})'


def test_who_reaches_the_world_is_said() -> None:  # A8
    policies = named(BASE, "NetworkPolicy")
    egress = {name: pod["metadata"]["labels"].get("citewell.egress") for name, pod in PODS.items()}
    assert egress.pop("citewell-webhooks") == egress.pop("citewell-worker") == "receivers"
    # The API embeds what is searched for.
    closed = {"citewell-maintenance", "citewell-migrate"}
    assert {name for name, kind in egress.items() if kind != "models"} == closed
    assert policies["citewell"]["spec"]["podSelector"]["matchLabels"] == {"app.kubernetes.io/name": "citewell"}
    for name in ("citewell-models", "citewell-receivers"):
        for block in policies[name]["spec"]["egress"][0]["to"]:
            assert block["ipBlock"]["except"]
