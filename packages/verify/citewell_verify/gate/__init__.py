"""A gate for pipelines: answers that their sources do not support end a build."""
