"""This machine: everything started, demonstrated, examined, and served to models as tools."""
