"""The verification of a whole answer: what its checks found, its repairs, its sentences, its confidence."""
