"""The shapes of the HTTP API's JSON that the client and the command line read; /docs describes every field."""

from citewell.wire.common import *
from citewell.wire.events import *
from citewell.wire.shapes import *
from citewell.wire.workspace_settings import *
