"""Statements about audits, the validity of answers, and answers from other systems with their batches."""
