"""An answer as the server writes and shows it: frames of its prompts, sentences while it grows, continuous text."""
