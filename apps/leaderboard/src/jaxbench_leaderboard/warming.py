"""What the first visitor would else wait for: imports, the records of the server, and what pages compute of them."""

import logging
from pathlib import Path

from streamlit.testing.v1 import AppTest

from jaxbench_leaderboard.results import server_results

_SMALL = 20_000
"""Records up to which every page is visited; with more, the first page alone, or nobody could connect for long."""

_PATIENCE_S = 600.0
_log = logging.getLogger(__name__)


def warm_up(app: Path) -> None:
    """Visits the pages of an app before anybody does. One that fails shows so to whoever visits it next."""
    try:
        visit = AppTest.from_file(app, default_timeout=_PATIENCE_S).run()
        if server_results().frame.height <= _SMALL:
            for page in app.with_name("views").glob("*.py"):
                visit.switch_page(str(page)).run()
    except Exception:  # noqa: BLE001 - serving is what matters
        _log.info("the pages could not be visited beforehand", exc_info=True)
