"""Registers the suite's own workloads, in this process and in the workers that it starts."""

import sys
import sysconfig
from pathlib import Path
from subprocess import run

import pytest

from jaxbench_harness.registry import all_workloads

SOURCE = Path(__file__).with_name("adversarial_workloads.py")


@pytest.fixture(scope="session")
def _environment(tmp_path_factory):
    """A Python that finds what this one does, and a package that registers workloads."""
    environment = tmp_path_factory.mktemp("environment")
    environment.chmod(0o755)  # candidate code runs as another user
    run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    (site,) = environment.glob("lib/python*/site-packages")
    (site / "jaxbench.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    (site / SOURCE.name).write_bytes(SOURCE.read_bytes())
    info = site / "adversarial_workloads-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: adversarial-workloads\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[jaxbench.workloads]\nadversarial = adversarial_workloads:WORKLOADS\n")
    return environment / "bin" / "python", site


@pytest.fixture(scope="module", autouse=True)
def _registered(_environment):
    python, site = _environment
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "executable", str(python))
        patch.syspath_prepend(site)
        all_workloads.cache_clear()
        yield
    all_workloads.cache_clear()
