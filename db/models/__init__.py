"""All tables, a file each."""

from db.models.answer import Answer, Citation
from db.models.chunk import EMBEDDING_DIMENSION, Chunk
from db.models.document import Document, DocumentFile, DocumentStatus
from db.models.evaluation import Evaluation
from db.models.event import Event
from db.models.model_call import ModelCall
from db.models.query import Query, QueryStatus
from db.models.step_outcome import StepOutcome
from db.models.verification import CitationCheck, Verification, VerificationClaim, VerificationSentence
from db.models.workspace import Workspace

__all__ = [
    "EMBEDDING_DIMENSION",
    "Answer",
    "Chunk",
    "Citation",
    "CitationCheck",
    "Document",
    "DocumentFile",
    "DocumentStatus",
    "Evaluation",
    "Event",
    "ModelCall",
    "Query",
    "QueryStatus",
    "StepOutcome",
    "Verification",
    "VerificationClaim",
    "VerificationSentence",
    "Workspace",
]
