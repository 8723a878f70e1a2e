"""Commands for proof: answers from other systems checked, audits, and measurements of verification."""
