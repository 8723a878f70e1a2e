"""The client's shapes are there, those written by hand fit the API, and importing the client needs little."""

import subprocess
import sys

import pytest
from pydantic import BaseModel

from api.schemas.documents.documents import DocumentAccepted
from api.schemas.documents.imports import ImportAccepted
from api.schemas.questions.queries import QueryAccepted
from api.schemas.verification.verifications import SourceGiven
from citewell_client import types
from domain.query.options import WorkspaceModels, WorkspaceSettings
from domain.query.workspace_rules import Instructions

# What programs may annotate with; a shape is generated only while something imports it.
PUBLIC = set(
    """
    Accepted Attempt Audit AuditCheck AuditDifference AuditHead AuditRecord Batch BatchAccepted CancelledEvent
    CheckEvent Citation CitationCheck CitationGiven Claim Comparison Conversation Delivery DeliveryAttempt Document
    DocumentGraph DraftData DraftEvent ENDS Event EvidenceLocation FINAL FailedData FailedEvent Failure FinalData
    FinalEvent HeldData HeldEvent History Import ImportFailure ImportHead Key LeftOut Mention Metadata Metric ModelCall
    ParkedStep PassedSentence Passage PassageFound Progress Quality Query QueryHead QuestionVerdict Scores
    OtherEvent SearchResult Sentence SentenceCompared Skipped Source
    SourceDocument SourceText StageData StageEvent Standing State StreamEvent Turn
    TurnAccepted Usage Verification VerificationRequest VerifiedCitation VerifiedSentence WebhookEndpoint Workspace
    WorkspaceSettings
    """.split()
)


def test_every_public_shape_is_there() -> None:
    assert vars(types).keys() >= PUBLIC


@pytest.mark.parametrize("model", [DocumentAccepted, ImportAccepted, QueryAccepted])
def test_everything_that_was_accepted_has_one_shape(model: type[BaseModel]) -> None:
    assert types.Accepted.__required_keys__ <= model.model_fields.keys()
    assert types.Accepted.__optional_keys__ <= DocumentAccepted.model_fields.keys()


def test_what_a_source_may_say_can_be_said_by_the_client() -> None:  # N9
    said = types.SourceText.__annotations__.keys() | types.SourceDocument.__annotations__.keys()
    assert said == SourceGiven.model_fields.keys()


@pytest.mark.parametrize(
    ("model", "shape"),
    [
        (WorkspaceSettings, types.WorkspaceSettings),
        (WorkspaceModels, types.WorkspaceModels),
        (Instructions, types.Instructions),
    ],
)
def test_the_settings_of_a_workspace_are_those_of_the_api(model: type[BaseModel], shape: type) -> None:
    assert model.model_fields.keys() == shape.__annotations__.keys()


HEAVY = set("citewell workers services clients domain db api config celery sqlalchemy redis fastapi groq".split())
LOOK = "import sys, {module}; print(*{{name.partition('.')[0] for name in sys.modules}})"


# N9
@pytest.mark.parametrize("module", ["citewell_client", "citewell_client.webhooks"])
def test_the_client_needs_neither_workers_nor_a_database(module: str) -> None:
    command = [sys.executable, "-c", LOOK.format(module=module)]
    loaded = set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    assert {"citewell_client", "httpx"} <= loaded
    assert not loaded & HEAVY
