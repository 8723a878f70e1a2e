"""Statements about audits, the validity of answers, and answers from elsewhere with their batches."""
