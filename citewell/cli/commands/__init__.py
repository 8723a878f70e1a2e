"""The commands, one module each, loaded when it is called; `citewell.cli.main` lists them."""
