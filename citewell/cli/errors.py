"""Exit codes and the error that ends a command."""

FAILED = 1
USAGE = 2
INTERRUPTED = 130


class CommandFailed(Exception):
    """Ends the command with one line on standard error; `exit_code` is 1 for failed work, 2 for input to correct."""

    def __init__(self, message: str, exit_code: int = USAGE) -> None:
        super().__init__(message)
        self.exit_code = exit_code
