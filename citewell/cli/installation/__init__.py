"""Commands for this machine: start everything, demonstrate and examine it, and serve it to models as tools."""
