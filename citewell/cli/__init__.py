"""The command line: one module per command, read only when the command runs."""
