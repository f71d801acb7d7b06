"""The package of docs/workloads.md, installed, goes through every command."""

import re
import subprocess
import sys
import sysconfig
import tomllib

import pytest
from command_line import ROOT, CommandLine

ID = "my_Scaled_ReLU"
MAX_LINES = 35

KERNEL = """import jax
import jax.numpy as jnp


def workload(x, weight):
    return jnp.maximum(x @ weight, 0) * jnp.asarray(0.5, x.dtype)
"""


def blocks_of_the_documentation() -> tuple[str, str]:
    text = (ROOT / "docs" / "workloads.md").read_text()
    section = text[text.index("## Add your own") : text.index("## Fields")]
    found = dict(re.findall(r"```(toml|python)\n(.*?)```", section, re.DOTALL))
    return found["toml"], found["python"]


@pytest.fixture(scope="module")
def with_package(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """The command line of an environment that has the package installed beside JAXBench."""
    toml, module = blocks_of_the_documentation()
    project = tomllib.loads(toml)["project"]
    environment = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    (site,) = environment.glob("lib/python*/site-packages")
    (site / "jaxbench.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    (site / "my_workloads.py").write_text(module)
    info = site / f"my_workloads-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    ((group, points),) = project["entry-points"].items()
    lines = [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    folder = tmp_path_factory.mktemp("work")
    return CommandLine(folder, python=environment / "bin" / "python")


def test_the_example_is_short():
    _, module = blocks_of_the_documentation()
    assert len([line for line in module.splitlines() if line.strip()]) <= MAX_LINES


def test_it_is_listed_and_shown(with_package: CommandLine):
    listed = {entry["id"]: entry for entry in with_package("list", "--json").document["workloads"]}
    assert len(listed) == 51
    assert listed[ID]["inputs"][0]["shape"] == [4096, 4096]
    shown = with_package("show", ID, "--json")
    assert shown.document["semantics"] == "out = alpha * max(x @ weight, 0)."


def test_its_audit_is_clean(with_package: CommandLine):
    done = with_package("audit", ID, "--json")
    assert done.code == 0, done.err
    answers = {finding["answer"] for finding in done.document["audits"][0]["findings"]}
    assert {"zeros", "mul 1 skipped", "max 1 skipped", "last tile of dot_general 1 dropped"} <= answers


def test_its_baseline_and_a_candidate_pass(with_package: CommandLine):
    run = with_package("run", ID, "--json")
    assert run.code == 0, run.err
    (record,) = run.document["records"]
    assert record["verdict"]["outcome"] == "passed"
    assert record["workload"]["release"] is None
    (with_package.folder / "kernel.py").write_text(KERNEL)
    assert with_package("evaluate", "kernel.py", "-w", ID).code == 0
    (with_package.folder / "kernel.py").write_text(KERNEL.replace("maximum", "minimum"))
    assert with_package("evaluate", "kernel.py", "-w", ID).code == 1
