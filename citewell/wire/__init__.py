"""The shapes of the HTTP API's JSON that the client and the command line read; /docs describes every field."""

from citewell.wire.answers import (
    Citation,
    Claim,
    EvidenceLocation,
    Scores,
    Sentence,
    Usage,
)
from citewell.wire.common import (
    FINAL,
    Accepted,
    Failure,
    Metadata,
)
from citewell.wire.documents import (
    Document,
    Progress,
)
from citewell.wire.events import (
    ENDS,
    CancelledEvent,
    CheckEvent,
    DraftData,
    DraftEvent,
    FailedData,
    FailedEvent,
    FinalData,
    FinalEvent,
    OtherEvent,
    StageData,
    StageEvent,
    StreamEvent,
)
from citewell.wire.history import (
    Attempt,
    CitationCheck,
    Event,
    History,
    Metric,
    ModelCall,
    Quality,
)
from citewell.wire.keys import (
    Key,
)
from citewell.wire.queries import (
    Query,
    QueryHead,
)
from citewell.wire.verifications import (
    Batch,
    BatchAccepted,
    CitationGiven,
    Source,
    SourceDocument,
    SourceText,
    Verification,
    VerificationRequest,
    VerifiedCitation,
    VerifiedSentence,
)
from citewell.wire.webhooks import (
    Delivery,
    DeliveryAttempt,
    WebhookEndpoint,
)

__all__ = [
    "ENDS",
    "FINAL",
    "Accepted",
    "Attempt",
    "Batch",
    "BatchAccepted",
    "CancelledEvent",
    "CheckEvent",
    "Citation",
    "CitationCheck",
    "CitationGiven",
    "Claim",
    "Delivery",
    "DeliveryAttempt",
    "Document",
    "DraftData",
    "DraftEvent",
    "Event",
    "EvidenceLocation",
    "FailedData",
    "FailedEvent",
    "Failure",
    "FinalData",
    "FinalEvent",
    "History",
    "Key",
    "Metadata",
    "Metric",
    "ModelCall",
    "OtherEvent",
    "Progress",
    "Quality",
    "Query",
    "QueryHead",
    "Scores",
    "Sentence",
    "Source",
    "SourceDocument",
    "SourceText",
    "StageData",
    "StageEvent",
    "StreamEvent",
    "Usage",
    "Verification",
    "VerificationRequest",
    "VerifiedCitation",
    "VerifiedSentence",
    "WebhookEndpoint",
]
