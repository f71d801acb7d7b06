"""What a kernel is told by the config file beside it. Runs in a candidate, so it needs Python alone."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

CONFIG_FILE = "config.json"
"""Path of the config among the files of a candidate; the package is beside it."""

Settings = Mapping[str, int]
"""Settings of a kernel by name: block sizes and other integers, switches as 0 and 1."""


class SettingsError(ValueError):
    """The config file has other settings than the kernel takes."""


def read_settings(*names: str, folder: Path = Path(__file__).parents[1]) -> Settings:
    """Returns the settings of the candidate that this runs in.

    Args:
        *names: The settings that the kernel takes.
        folder: Where the config file is.

    Raises:
        SettingsError: If there is no config file, or it has other settings.
    """
    path = folder / CONFIG_FILE
    try:
        document: Any = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise SettingsError(f"no {CONFIG_FILE} beside the package; run an expert through its baseline") from None
    settings: Settings = document["settings"]
    if set(settings) != set(names):
        raise SettingsError(f"{CONFIG_FILE} has {sorted(settings)}, the kernel takes {sorted(names)}")
    return settings
