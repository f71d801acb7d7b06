"""`jaxbench release`, in this process."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from jaxbench_harness import registry
from jaxbench_harness.cli.app import app as jaxbench
from jaxbench_harness.releases import load_release
from jaxbench_workloads.releases import RELEASES, commands
from jaxbench_workloads.releases.documents import DOCUMENTS


def run(app, *arguments):
    return CliRunner().invoke(app, [*arguments])


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """Copies the manifests to a folder of the test; loads releases from there, the first with other workloads."""
    for release in RELEASES:
        shutil.copy(release.path, tmp_path)

    def load(change):
        first, *_ = RELEASES
        workloads = change(first.workloads)
        release = load_release(
            first.name,
            label=first.label,
            failure_proof=True,
            workloads=workloads,
            packages=first.packages,
            folder=tmp_path,
        )
        registered = {release.name: release}
        for module in (registry, commands):
            monkeypatch.setattr(module, "all_releases", lambda: registered)
        return release

    return load


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["list"], "release-list"),
        (["show", "2026.12"], "release-show"),
        (["verify"], "release-verify"),
        (["diff", "compat-2026.12", "2026.12"], "release-diff"),
    ],
)
def test_json_output_is_the_document_of_its_schema(command, name):
    done = run(commands.app, *command, "--json")
    assert done.exit_code == 0, done.output
    DOCUMENTS[name].model_validate_json(done.stdout)


def test_list_and_show_name_what_a_release_is_good_for():
    listed, shown = run(commands.app, "list").stdout, run(commands.app, "show", "compat-2026.12").stdout
    for release in RELEASES:
        assert release.name in listed
        assert release.manifest.status in listed
    assert "not failure-proof" in shown
    assert "size check checked, 1 draw per distribution, kernels not required" in shown
    assert "standard_errors 4.0" in shown
    assert RELEASES[1].manifest.workload("8p_GEMM").digest[:16] in shown


def test_diff_names_workloads_and_parts():
    lines = run(commands.app, "diff", "compat-2026.12", "2026.12").stdout.splitlines()
    assert "21k_Gemm_Divide_Sum_Scaling: version is 2, was 1" in lines
    assert any(line.startswith("8p_GEMM: distributions is ") for line in lines)
    assert not any(line.startswith("8p_GEMM: code") for line in lines)


def test_verify_fails_where_the_code_has_moved_on(copied):
    copied(lambda workloads: (replace(workloads[0], version=7), *workloads[1:]))
    done = run(commands.app, "verify", "2026.12")
    assert done.exit_code == 3
    assert done.stdout.splitlines() == [
        "1p_Flash_Attention: version is 7, was 1",
        "2026.12: 50 workloads and protocol: 1 difference",
    ]


def test_freeze_replaces_a_draft_when_told_to_and_nothing_else(copied):
    path = copied(lambda workloads: workloads[:2]).path
    path.unlink()
    assert run(commands.app, "freeze", "2026.12").stdout == f"2026.12: draft, 2 workloads, written to {path}\n"
    refused = run(commands.app, "freeze", "2026.12")
    assert refused.exit_code == 2
    assert "is a draft of" in refused.stderr
    done = run(commands.app, "freeze", "2026.12", "--replace", "--final")
    assert done.exit_code == 0
    assert done.stdout == f"2026.12: frozen, 2 workloads, written to {path}\n"
    assert len(json.loads(path.read_text())["workloads"]) == 2
    again = run(commands.app, "freeze", "2026.12", "--replace")
    assert again.exit_code == 2
    assert "make one with another name" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "2026"], "unknown release '2026'; did you mean 2026.12"),
        (["verify", "x"], "unknown release 'x'; there are 2026.12, compat-2026.12"),
        (["diff", "2026.12", "x"], "unknown release 'x'"),
        (["freeze", "2027.01"], "unknown release '2027.01'; did you mean"),
    ],
)
def test_wrong_names_are_told_in_one_line(arguments, said):
    done = run(commands.app, *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {said}")
    assert len(done.stderr.splitlines()) == 1


def test_list_and_show_of_workloads_take_a_release():
    listed = json.loads(run(jaxbench, "list", "--release", "compat-2026.12", "--json").stdout)
    assert listed["release"] == "compat-2026.12"
    assert {workload["version"] for workload in listed["workloads"]} == {1}
    assert len(listed["workloads"]) == 50
    command = ("show", "21k_Gemm_Divide_Sum_Scaling", "--json")
    registered, shown = (
        json.loads(run(jaxbench, *command, *more).stdout) for more in ((), ("--release", "compat-2026.12"))
    )
    assert (registered["release"], registered["version"]) == (None, 2)
    assert (shown["release"], shown["version"]) == ("compat-2026.12", 1)
    assert shown["digest"] != registered["digest"]


def test_manifests_are_package_data():
    for release in RELEASES:
        assert release.path == Path(commands.__file__).with_name(f"{release.name}.json")
