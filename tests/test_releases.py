"""`jaxbench release`, and evaluating in a release, from the command line."""

import pytest
from command_line import EXAMPLES, CommandLine
from typer.testing import CliRunner

from jaxbench_harness.cli.app import app
from jaxbench_harness.registry import find_release, find_workload


def test_verify_compares_all_releases(jaxbench: CommandLine) -> None:
    done = jaxbench("release", "verify")
    assert done.code == 0
    assert done.out.splitlines() == [
        "2026.12: 50 workloads and protocol: as frozen",
        "compat-2026.12: 50 workloads and protocol: as frozen",
    ]
    assert jaxbench.left() == []


def test_a_candidate_is_judged_in_the_release_asked_for(jaxbench: CommandLine) -> None:
    asked = "compat-2026.12"
    command = (
        "evaluate",
        EXAMPLES / "rmsnorm.py",
        "-w",
        "12p_RMSNorm",
        "--seed",
        "1",
        "--release",
        asked,
        "--no-predict",
        "--json",
    )
    done = jaxbench(*command)
    assert done.code == 0, done.out + done.err
    frozen = find_release(asked).manifest.workload("12p_RMSNorm")
    assert frozen is not None
    assert done.document["workload"] == {
        "id": "12p_RMSNorm",
        "version": 1,
        "digest": frozen.digest,
        "release": find_release(asked).recorded_name,
        "family": "normalization",
    }
    drawn = [draw["distribution"] for draw in done.document["check"]["draws"]]
    assert drawn == list(find_workload("12p_RMSNorm", asked).distributions) == ["standard"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["list", "--release", "2026-12"], "unknown release '2026-12'; did you mean 2026.12"),
        (["show", "8p_GEM", "--release", "2026.12"], "release 2026.12 has no workload '8p_GEM'; did you mean 8p_GEMM"),
        (
            ["run", "8p_GEMM", "--release", "2026.12", "--draws", "2"],
            "draws_per_distribution is 2, not 1 as in release",
        ),
        (
            ["compile", str(EXAMPLES / "gemm.py"), "-w", "8p_GEMM", "--release", "2026.12", "--require-pallas"],
            "require_pallas is True, not False as in release 2026.12; leave the option out",
        ),
        (["evaluate", str(EXAMPLES / "gemm.py"), "-w", "8p_GEMM", "--release", "x"], "there are 2026.12, compat-"),
    ],
)
def test_wrong_usage_is_told_in_one_line(arguments: list[str], said: str) -> None:
    done = CliRunner().invoke(app, arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
