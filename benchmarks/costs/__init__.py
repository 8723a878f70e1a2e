"""What a query costs: calls, statements, memory, money."""
