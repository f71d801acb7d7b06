"""What the first visitor would else wait for: imports, the records of the server, and what pages compute of them."""

import gc
import logging
from pathlib import Path

from streamlit.testing.v1 import AppTest

from jaxbench_leaderboard.results import server_results

_SMALL = 250_000
"""Records up to which every page is visited; with more, the first page alone, or nobody could connect for long."""

_PATIENCE_S = 600.0
_log = logging.getLogger(__name__)


def warm_up(app: Path) -> None:
    """Visits the pages of an app before anybody does. One that fails shows so to whoever visits it next."""
    try:
        _visit(app)
        if server_results().frame.height <= _SMALL:
            for page in app.with_name("views").glob("*.py"):
                _visit(app, page)
    except Exception:  # noqa: BLE001 - serving is what matters
        _log.warning("The pages could not be visited beforehand; the first visitors wait longer.", exc_info=True)
    # Streamlit collects garbage after every run of a page, while nobody else runs: what is here by now stays.
    gc.collect()
    gc.freeze()


def _visit(app: Path, page: Path | None = None) -> None:
    """Opens a page as a new session; what a session has chosen on one page may not exist on the next."""
    visit = AppTest.from_file(app, default_timeout=_PATIENCE_S)
    if page is not None:
        visit.switch_page(str(page))
    visit.run()
