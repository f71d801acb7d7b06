"""The JAXBench leaderboard, a Streamlit app over jaxbench-analysis."""

from importlib.metadata import version

__all__ = ["__version__"]

__version__ = version("jaxbench-leaderboard")
