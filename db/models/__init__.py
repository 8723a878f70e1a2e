"""All tables, with one file for each group. Other modules import the tables from here, so nothing here uses them."""

# ruff: noqa: F401
# pyright: reportUnusedImport=false

from db.models.access import DEFAULT_TENANT, ApiKey, IdempotencyKey, Tenant, Workspace
from db.models.answer import Answer, AnswerValidity, AuditChain, Citation, DocumentChange
from db.models.chunk import WHEEL_SPACE, Chunk, ChunkVector, EmbeddingSpace, Lexeme
from db.models.conversation import Conversation, ConversationText, ConversationTurn, StoredResponse
from db.models.document import (
    Document,
    DocumentEdit,
    DocumentFile,
    DocumentFingerprint,
    DocumentObject,
    DocumentPage,
    DocumentStatus,
    EditKind,
    FingerprintBand,
    RecognisedPage,
    ReingestedDocument,
    Reingestion,
    StoredObject,
)
from db.models.external import Batch, GivenSource
from db.models.feedback import Feedback, SharedAnswer
from db.models.graph import DocumentGraph, Entity, EntityChunk, GraphChunk, GraphStatus, Relation, RelationChunk
from db.models.import_ import Import, ImportMember, ImportPart, ImportStatus
from db.models.model_call import BegunCall, KeptReply, ModelCall, ModelChoice
from db.models.people import Deed, Member, Person, PersonSession, SignIn
from db.models.process import MeterTotal, ProcessMeter, WorkerProcess
from db.models.query import Event, Query, QueryKind, QueryStatus, StepOutcome
from db.models.source import ItemOutcome, Source, SourceItem, SourcePhase, SourceStatus
from db.models.verification import CitationCheck, Evaluation, Verification, VerificationClaim, VerificationSentence
from db.models.webhook import (
    DeliveryStatus,
    EndpointStatus,
    WebhookAttempt,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookMessage,
)
