"""Which models answer and judge: found, tried and written to `config.yaml`."""
