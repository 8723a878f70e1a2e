"""Answers over HTTP: waited for, streamed, in the form of OpenAI's API, and those of the seeds."""
