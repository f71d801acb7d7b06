"""The app: navigation, and the page that was asked for. `jaxbench leaderboard` starts it."""

from pathlib import Path

import streamlit as st

_FIRST = "leaderboard"
_PAGES = (
    (_FIRST, "Leaderboard", ":material/leaderboard:"),
    ("workload", "Workload", ":material/grid_view:"),
    ("methods", "Methods", ":material/compare_arrows:"),
    ("calibration", "Calibration", ":material/straighten:"),
    ("bounds", "Bounds", ":material/vertical_align_top:"),
    ("submit", "Submit", ":material/upload_file:"),
    ("about", "About", ":material/info:"),
)


def main() -> None:
    """Shows the page that the URL names."""
    # An icon of our own: one by name, like those of the pages, the browser would fetch from elsewhere.
    st.set_page_config(page_title="JAXBench", page_icon=str(Path(__file__).with_name("icon.svg")), layout="wide")
    folder = Path(__file__).parent / "views"  # Streamlit shows what is in `pages` by itself, before this runs
    pages = [
        st.Page(
            folder / f"{name}.py",
            title=title,
            icon=icon,
            url_path="" if name == _FIRST else name,
            default=name == _FIRST,
        )
        for name, title, icon in _PAGES
    ]

    def first() -> None:
        st.switch_page(pages[0], query_params={name: st.query_params.get_all(name) for name in st.query_params})

    # The first page is at the root; its name in an address leads there too.
    page = st.navigation([*pages, st.Page(first, url_path=_FIRST, visibility="hidden")], position="top")
    page.run()


main()
