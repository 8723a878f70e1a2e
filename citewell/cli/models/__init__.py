"""Commands for the models that answer and judge: found, tried and written to `config.yaml`."""
