"""The verification of a whole answer: the findings of its checks, its repairs, its sentences, its confidence."""
