"""The common parts of the Office formats: parts of a package, properties, charts and equations."""
