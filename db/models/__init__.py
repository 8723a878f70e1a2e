"""All tables, with one file for each group."""

from db.models.access import DEFAULT_TENANT, ApiKey, IdempotencyKey, Tenant, Workspace
from db.models.answer import Answer, AuditChain, Citation
from db.models.chunk import Chunk, Lexeme
from db.models.conversation import Conversation, ConversationText, ConversationTurn
from db.models.document import (
    Document,
    DocumentEdit,
    DocumentFile,
    DocumentObject,
    DocumentPage,
    DocumentStatus,
    EditKind,
    RecognisedPage,
    StoredObject,
)
from db.models.evaluation import Evaluation
from db.models.external import Batch, GivenSource
from db.models.feedback import Feedback, SharedAnswer
from db.models.fingerprint import DocumentFingerprint, FingerprintBand
from db.models.graph import DocumentGraph, Entity, EntityChunk, GraphChunk, GraphStatus, Relation, RelationChunk
from db.models.import_ import Import, ImportMember, ImportPart, ImportStatus
from db.models.model_call import BegunCall, KeptReply, ModelCall
from db.models.model_choice import ModelChoice
from db.models.people import Deed, Member, Person, PersonSession, SignIn
from db.models.process import MeterTotal, ProcessMeter, WorkerProcess
from db.models.query import Query, QueryKind, QueryStatus
from db.models.reingestion import ReingestedDocument, Reingestion
from db.models.response import StoredResponse
from db.models.source import ItemOutcome, Source, SourceItem, SourcePhase, SourceStatus
from db.models.step import Event, StepOutcome
from db.models.validity import AnswerValidity, DocumentChange
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

__all__ = [
    "DEFAULT_TENANT",
    "WHEEL_SPACE",
    "Answer",
    "AnswerValidity",
    "ApiKey",
    "AuditChain",
    "Batch",
    "BegunCall",
    "Chunk",
    "ChunkVector",
    "Citation",
    "CitationCheck",
    "Conversation",
    "ConversationText",
    "ConversationTurn",
    "Deed",
    "DeliveryStatus",
    "Document",
    "DocumentChange",
    "DocumentEdit",
    "DocumentFile",
    "DocumentFingerprint",
    "DocumentGraph",
    "DocumentObject",
    "DocumentPage",
    "DocumentStatus",
    "EditKind",
    "EmbeddingSpace",
    "EndpointStatus",
    "Entity",
    "EntityChunk",
    "Evaluation",
    "Event",
    "Feedback",
    "FingerprintBand",
    "GivenSource",
    "GraphChunk",
    "GraphStatus",
    "IdempotencyKey",
    "Import",
    "ImportMember",
    "ImportPart",
    "ImportStatus",
    "ItemOutcome",
    "KeptReply",
    "Lexeme",
    "Member",
    "MeterTotal",
    "ModelCall",
    "ModelChoice",
    "Person",
    "PersonSession",
    "ProcessMeter",
    "Query",
    "QueryKind",
    "QueryStatus",
    "RecognisedPage",
    "ReingestedDocument",
    "Reingestion",
    "Relation",
    "RelationChunk",
    "SharedAnswer",
    "SignIn",
    "Source",
    "SourceItem",
    "SourcePhase",
    "SourceStatus",
    "StepOutcome",
    "StoredObject",
    "StoredResponse",
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
