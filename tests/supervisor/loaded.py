"""The module that the fork server of the tests loads."""

import os

BY = os.getpid()
SIZE = 64_000_000
MUCH = b"x" * SIZE
