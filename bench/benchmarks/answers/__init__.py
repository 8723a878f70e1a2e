"""What answers are worth: questions over passages and files with the answers that people gave."""
