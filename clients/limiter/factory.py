"""Creates the configured Limiter."""

import os
import secrets
import socket

from clients.limiter.limiter import SharedLimiter
from clients.limiter.local import OwnAllowance
from clients.limiter.protocol import Limiter, Unlimited
from clients.limiter.request import configured
from clients.limiter.shared import SharedAllowance, account_of
from config.settings import Settings

# A call may wait for its connection, and its end may be reported a little late; only dead ones exceed this.
_LEASE_PER_CALL = 1.5


def make_limiter(settings: Settings) -> Limiter:
    """The limiter of the current provider. Call it after fork, once per process and event loop."""
    if settings.provider == "offline":
        return Unlimited()
    lease_s = max(settings.limiter.lease_s, settings.models.call_timeout_s * _LEASE_PER_CALL)
    limiter = settings.limiter.model_copy(update={"lease_s": lease_s})
    limits = {model: configured(info.limits) for model, info in settings.models.catalogue.items()}
    process = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
    account = account_of(settings.provider_key, settings.provider_url)
    shared = SharedAllowance(settings.redis_url.get_secret_value(), account, process, limits, limiter)
    return SharedLimiter(shared, OwnAllowance(limits, limiter), limiter)
