import polars as pl
import pytest
from hypothesis import settings
from synthetic_records import study

from jaxbench_analysis import frame_of

# The same examples in every run: a test that fails now and then says nothing about the change at hand.
settings.register_profile("jaxbench", deadline=None, derandomize=True)
settings.load_profile("jaxbench")


@pytest.fixture(scope="session")
def measured() -> pl.DataFrame:
    """Baselines and four methods on all 50 workloads, measured."""
    return frame_of(study(kind="measured"))


@pytest.fixture(scope="session")
def predicted() -> pl.DataFrame:
    """The same candidates, predicted."""
    return frame_of(study(kind="predicted"))
