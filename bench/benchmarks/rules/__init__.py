"""The ledger of rules: what every family of rules of evidence is worth."""
