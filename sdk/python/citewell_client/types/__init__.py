"""The shapes of the HTTP API's JSON that the client and the command line read; /docs describes every field."""

from citewell_client.types.common import *
from citewell_client.types.events import *
from citewell_client.types.shapes import *
from citewell_client.types.workspace_settings import *
