"""What a query costs: CPU, memory, statements, model calls, time to the first token, and stored history."""
