"""The program that converts an old Office file to a new one: it limits itself, and becomes LibreOffice.

`python -m citewell_documents.parsing.legacy.convert SOFFICE FOLDER FILE KIND MEMORY_MB CPU_S PARENT`; the new file is
in FOLDER/out.
"""

import os
import resource
import sys

from citewell_documents.parsing.sandbox.confinement import bind_to

_LARGEST_FILE = 500_000_000
_OPEN_FILES = 512


def main() -> None:
    """Confine this process and let LibreOffice take its place, with a profile of its own and without macros."""
    program, folder, file, kind, memory_mb, cpu_s, parent = sys.argv[1:]
    if sys.platform == "linux":
        bind_to(int(parent))
        _limit(resource.RLIMIT_AS, int(memory_mb) * 1024 * 1024)
    resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_s), int(cpu_s) + 2))
    _limit(resource.RLIMIT_FSIZE, _LARGEST_FILE)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NOFILE, _OPEN_FILES)
    os.nice(2)
    options = (
        "--headless",
        "--norestore",
        "--nolockcheck",
        "--nodefault",
        f"-env:UserInstallation=file://{folder}/profile",
    )
    os.execv(program, (program, *options, "--convert-to", kind, "--outdir", f"{folder}/out", file))  # noqa: S606


def _limit(kind: int, most: int) -> None:
    resource.setrlimit(kind, (most, most))


if __name__ == "__main__":
    main()
