"""JSON, JSON Lines and XML: values with their paths. `citewell_documents.parsing` finds the readers by name."""
