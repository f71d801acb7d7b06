"""What holds for every test of the workspace."""

import os

import pytest


@pytest.fixture(scope="session", autouse=True)
def _other_cache_than_the_users(tmp_path_factory: pytest.TempPathFactory) -> None:
    os.environ["JAXBENCH_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))
