"""Proof: answers from elsewhere checked, audits, and how often verification is right."""
