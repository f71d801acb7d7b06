"""What tests in a real browser share."""

from playwright.sync_api import Page

HOSTILE = "<img src=x onerror=alert(1)> **b** $x$ :smile: ->"
"""A name that would do something wherever it is not taken literally."""


def settle(page: Page) -> None:
    """Waits until the script of the page has run and its charts are drawn."""
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"] h1')
    page.wait_for_function(
        """() => [...document.querySelectorAll('[data-testid="stVegaLiteChart"]')]
            .every(chart => chart.querySelector('svg, canvas'))"""
    )
