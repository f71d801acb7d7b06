"""placeholder"""


def write_catalogue() -> None:
    """Placeholder."""
