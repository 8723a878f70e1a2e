"""What the Office formats share: parts of a package, properties, charts and equations."""
