"""Reading, ingesting and searching many documents."""
