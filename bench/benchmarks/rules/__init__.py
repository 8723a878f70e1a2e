"""The ledger of rules: the worth of every family of rules of evidence."""
