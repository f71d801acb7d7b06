"""The app: navigation, and the page that was asked for. `jaxbench leaderboard` starts it."""

from pathlib import Path

import streamlit as st

_PAGES = (
    ("leaderboard", "Leaderboard", ":material/leaderboard:"),
    ("workload", "Workload", ":material/grid_view:"),
    ("methods", "Methods", ":material/compare_arrows:"),
    ("calibration", "Calibration", ":material/straighten:"),
    ("bounds", "Bounds", ":material/vertical_align_top:"),
    ("submit", "Submit", ":material/upload_file:"),
    ("about", "About", ":material/info:"),
)


def main() -> None:
    """Shows the page that the URL names."""
    st.set_page_config(page_title="JAXBench", page_icon=":material/speed:", layout="wide")
    folder = Path(__file__).parent / "pages"
    pages = [
        st.Page(folder / f"{name}.py", title=title, icon=icon, url_path=name, default=name == "leaderboard")
        for name, title, icon in _PAGES
    ]
    page = st.navigation(pages, position="top")
    page.run()


main()
