"""JSON, JSON Lines and XML: values with their paths. `clients.parsing` finds the readers by name."""
