"""The client's response types match the API's description; and importing it needs little."""

import subprocess
import sys
from typing import Any, get_type_hints, is_typeddict

import pytest

from api.app import create_app
from citewell import wire

NAMES = {
    "Accepted": "DocumentAccepted",
    "Failure": "QueryError",
    "Progress": "DocumentProgress",
    "DocumentGraph": "DocumentGraphRead",
    "EvidenceLocation": "EvidenceLocation",
    "Scores": "VerificationRead",
    "QueryHead": "QueryHead",
    "LeftOut": "LeftOut",
    "ParkedStep": "ParkedRead",
    "Attempt": "VerificationAttempt",
    "Key": "KeyCreated",
    "WebhookEndpoint": "WebhookSecretRead",
    "DeliveryAttempt": "AttemptRead",
    "Share": "ShareCreated",
    "Verification": "VerificationResult",
    "VerificationRequest": "VerificationCreate",
    "VerifiedSentence": "SentenceVerified",
    "VerifiedCitation": "CitationVerified",
    "CitationGiven": "CitationGiven",
    "SourceText": "SourceGiven",
    "AuditCheck": "AuditChecked",
    "AuditDifference": "AuditDifference",
    "AuditHead": "AuditHead",
    "AuditRecord": "AuditRecord",
    "Comparison": "Comparison",
    "SentenceCompared": "SentenceCompared",
    "State": "StateOf",
    "SourceDocument": "SourceGiven",
    "BatchAccepted": "BatchAccepted",
    "PassageFound": "PassageFound",
    "SearchResult": "SearchResult",
}
SHAPES = {name: shape for name, shape in vars(wire).items() if is_typeddict(shape)}
# Of every installation's API; the others are looked at where they are served.
ALWAYS = """Accepted Failure Progress Document DocumentGraph EvidenceLocation Scores Sentence Claim Citation Usage
QueryHead Query CitationCheck Attempt ModelCall Event History Metric Quality""".split()


@pytest.fixture(scope="module")
def models() -> dict[str, Any]:
    return create_app().openapi()["components"]["schemas"]


def test_the_shapes_that_the_client_reads_are_those_of_the_api(models: dict[str, Any]) -> None:
    described = {name: models.get(NAMES.get(name, f"{name}Read")) for name in SHAPES}
    assert {name for name, model in described.items() if model} >= set(ALWAYS)
    for name, model in described.items():
        assert not model or get_type_hints(SHAPES[name]).keys() <= model["properties"].keys(), name


def test_what_a_request_may_say_can_be_said_by_the_client(models: dict[str, Any]) -> None:  # N9
    said = get_type_hints(SHAPES["VerificationRequest"]).keys()
    assert said == models["VerificationCreate"]["properties"].keys()


HEAVY = set("workers services db api config celery sqlalchemy redis fastapi groq".split())
LOOK = "import sys, {module}; print(*{{name.partition('.')[0] for name in sys.modules}})"


# N9
@pytest.mark.parametrize("module", ["citewell.client", "citewell.client.webhooks"])
def test_the_client_needs_neither_workers_nor_a_database(module: str) -> None:
    command = [sys.executable, "-c", LOOK.format(module=module)]
    loaded = set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    assert {"citewell", "httpx"} <= loaded
    assert not loaded & {
        "workers",
        "services",
        "db",
        "api",
        "config",
        "celery",
        "sqlalchemy",
        "redis",
        "fastapi",
        "groq",
    }
