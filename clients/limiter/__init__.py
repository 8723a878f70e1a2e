"""Rate limits of models, shared by all workers (A7)."""

from clients.limiter.limiter import make_limiter
from clients.limiter.protocol import Lease, Limiter, Priority, Unlimited

__all__ = ["Lease", "Limiter", "Priority", "Unlimited", "make_limiter"]
