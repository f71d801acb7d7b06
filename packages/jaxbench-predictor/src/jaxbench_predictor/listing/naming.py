"""Names of programs, in calls and in file names."""

import re

from jaxbench_predictor.listing.model import ListingError

TOP_LEVEL = "TLP"
"""Name of the listing in which execution begins."""

_CALLEE = re.compile(r"(?:ROOT )?%(?P<hlo>[\w.\-]+) = |(?P<special><[\w\-]+>)")


def callee_name(comment: str) -> str:
    """Returns the name of the program that a call names in its comment.

    Raises:
        ListingError: The comment names none.
    """
    match = _CALLEE.match(comment)
    if match is None:
        raise ListingError(f"a call without a name: {comment[:60]!r}")
    return match["hlo"] or match["special"]
