"""The models of support, of questions and of confidence: fitted on labelled data, measured on unseen data."""
