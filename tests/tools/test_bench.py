"""The benchmarks are a project of their own, which `make check` does not see: a change must not break them."""

from importlib import import_module
from pkgutil import walk_packages

import pytest

import benchmarks

OTHER_ENVIRONMENTS = "benchmarks.rivals.run_"


@pytest.mark.slow
def test_every_benchmark_can_be_imported_beside_the_product() -> None:
    names = [module.name for module in walk_packages(benchmarks.__path__, "benchmarks.")]
    imported = [import_module(name) for name in names if not name.startswith(OTHER_ENVIRONMENTS)]
    assert len(imported) > 100
