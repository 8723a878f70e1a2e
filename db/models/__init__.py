"""All tables, one file each."""

from db.models.answer import Answer, Citation
from db.models.api_key import ApiKey
from db.models.audit_chain import AuditChain
from db.models.batch import Batch
from db.models.begun_call import BegunCall
from db.models.chunk import Chunk
from db.models.document import Document, DocumentFile, DocumentStatus
from db.models.evaluation import Evaluation
from db.models.event import Event
from db.models.given_source import GivenSource
from db.models.graph import (
    DocumentGraph,
    Entity,
    EntityChunk,
    GraphChunk,
    GraphStatus,
    Relation,
    RelationChunk,
)
from db.models.idempotency import IdempotencyKey
from db.models.import_ import Import, ImportMember, ImportPart, ImportStatus
from db.models.kept_reply import KeptReply
from db.models.lexeme import Lexeme
from db.models.meter import MeterTotal, ProcessMeter
from db.models.model_call import ModelCall
from db.models.query import Query, QueryKind, QueryStatus
from db.models.standing import AnswerStanding, DocumentChange
from db.models.step_outcome import StepOutcome
from db.models.tenant import DEFAULT_TENANT, Tenant
from db.models.vector import WHEEL_SPACE, ChunkVector, EmbeddingSpace
from db.models.verification import CitationCheck, Verification, VerificationClaim, VerificationSentence
from db.models.webhook import (
    DeliveryStatus,
    EndpointStatus,
    WebhookAttempt,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookMessage,
)
from db.models.worker_process import WorkerProcess
from db.models.workspace import Workspace

__all__ = [
    "DEFAULT_TENANT",
    "WHEEL_SPACE",
    "Answer",
    "AnswerStanding",
    "ApiKey",
    "AuditChain",
    "Batch",
    "BegunCall",
    "Chunk",
    "ChunkVector",
    "Citation",
    "CitationCheck",
    "DeliveryStatus",
    "Document",
    "DocumentChange",
    "DocumentFile",
    "DocumentGraph",
    "DocumentStatus",
    "EmbeddingSpace",
    "EndpointStatus",
    "Entity",
    "EntityChunk",
    "Evaluation",
    "Event",
    "GivenSource",
    "GraphChunk",
    "GraphStatus",
    "IdempotencyKey",
    "Import",
    "ImportMember",
    "ImportPart",
    "ImportStatus",
    "KeptReply",
    "Lexeme",
    "MeterTotal",
    "ModelCall",
    "ProcessMeter",
    "Query",
    "QueryKind",
    "QueryStatus",
    "Relation",
    "RelationChunk",
    "StepOutcome",
    "Tenant",
    "Verification",
    "VerificationClaim",
    "VerificationSentence",
    "WebhookAttempt",
    "WebhookDelivery",
    "WebhookEndpoint",
    "WebhookMessage",
    "WorkerProcess",
    "Workspace",
]
