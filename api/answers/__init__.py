"""Answers over HTTP: waited for, streamed, in the form of OpenAI's APIs, and in the forms of the seeds."""
