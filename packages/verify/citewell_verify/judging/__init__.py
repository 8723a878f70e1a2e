"""Single judgements of a statement: by a language model or by rules, checked against what the sources really say."""
