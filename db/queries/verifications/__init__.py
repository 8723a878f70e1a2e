"""Statements about audits, the standing of answers, and answers from elsewhere with their batches."""
