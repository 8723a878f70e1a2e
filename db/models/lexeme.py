"""The lexicon: how many passages of a workspace contain each lexeme, hence how rare it is (domain.retrieval.bm25)."""

from sqlalchemy import BigInteger, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, Owned


class Lexeme(Base):
    """Passages of superseded versions count until they are deleted: rarity need not be exact."""

    __tablename__ = "lexemes"

    workspace_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("workspaces.id", ondelete="CASCADE"), primary_key=True
    )
    lexeme: Mapped[str] = mapped_column(primary_key=True)
    tenant_id: Mapped[Owned]
    chunks: Mapped[int]
