"""Before numpy is imported: with more threads per process, short texts take five times as long (clients.embeddings)."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
