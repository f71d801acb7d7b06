"""What a release keeps of an audit, and `jaxbench audit --record`."""

import shutil

import pytest
from typer.testing import CliRunner

from jaxbench_harness.digests import workload_ref
from jaxbench_harness.releases import load_release
from jaxbench_workloads import WORKLOADS
from jaxbench_workloads.audit import Finding, Kind, Margin, Outcome, WorkloadAudit
from jaxbench_workloads.audit.report import OutputStatistics
from jaxbench_workloads.audit.summaries import summary_of
from jaxbench_workloads.cli import audit_workloads
from jaxbench_workloads.releases import RELEASES

GEMM = next(workload for workload in WORKLOADS if workload.id == "8p_GEMM")


def finding(answer, outcome, label=""):
    return Finding(
        kind=Kind.MUTANT, answer=answer, outcome=outcome, draws=1, caught_by={}, error=0.1, noise=0.1, label=label
    )


def statistics(name, low, high):
    return OutputStatistics(
        distribution=name,
        least=-1,
        greatest=1,
        mean=0,
        std=1,
        zeros=0,
        entropy_bits=8,
        noise=high,
        noise_smallest=low,
    )


AUDIT = WorkloadAudit(
    workload=workload_ref(GEMM),
    size="check",
    seeds=(0, 1, 2),
    scope="full",
    statistics=(statistics("standard", 0.002, 0.003), statistics("outliers", 0.001, 0.0025)),
    findings=(
        finding("zeros", Outcome.REJECTED),
        finding("mean", Outcome.REJECTED),
        finding("same", Outcome.EQUIVALENT),
        finding("in bfloat16", Outcome.BELOW_NOISE),
        finding("in float16", Outcome.ACCEPTED, "errs by one noise floor"),
        finding("ones", Outcome.ACCEPTED),
    ),
    margins=(
        Margin(answer="native", worst=0.4, metric="rms", distribution="standard", seed=0),
        Margin(answer="tiled", worst=0.6, metric="slope", distribution="outliers", seed=2),
    ),
)


def test_a_summary_counts_what_became_of_the_answers():
    summary = summary_of(AUDIT)
    assert (summary.digest, summary.size, summary.seeds) == (AUDIT.workload.digest, "check", 3)
    assert (summary.rejected, summary.equivalent, summary.below_noise, summary.accepted) == (2, 1, 1, 1)
    assert summary.labelled == ("in float16: errs by one noise floor",)
    assert (summary.honest_share, summary.noise_low, summary.noise_high) == (0.6, 0.001, 0.003)
    assert summary.clean == AUDIT.clean


@pytest.fixture
def audit(tmp_path, monkeypatch):
    """Runs `jaxbench audit` with the audit above in place of a real one, and releases in a folder of the test."""
    copies = {}
    for release in RELEASES:
        shutil.copy(release.path, tmp_path)
        copies[release.name] = load_release(
            release.name,
            label=release.label,
            failure_proof=release.failure_proof,
            workloads=release.workloads,
            packages=release.packages,
            folder=tmp_path,
        )
    monkeypatch.setattr(audit_workloads, "find_release", copies.__getitem__)
    monkeypatch.setattr(audit_workloads, "audit_all", lambda ids, *_: [(name, AUDIT) for name in ids])
    app = audit_workloads.typer.Typer()
    app.command()(audit_workloads.audit_workloads)

    def run(*arguments):
        return CliRunner().invoke(app, [*arguments]), tmp_path / "2026.12.audit.json"

    return run


def test_record_keeps_the_audit_beside_the_manifest(audit):
    done, path = audit("8p_GEMM", "--record", "2026.12")
    assert done.exit_code == 1  # the audit isn't clean
    assert f"1 audit recorded in {path}" in done.stderr
    (release,) = (one for one in RELEASES if one.name == "2026.12")
    reloaded = load_release(
        release.name,
        label=release.label,
        failure_proof=True,
        workloads=release.workloads,
        packages=release.packages,
        folder=path.parent,
    )
    assert reloaded.audits == {"8p_GEMM": summary_of(AUDIT)}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--record", "compat-2026.12"], "release compat-2026.12 has another 8p_GEMM than the registered one"),
        (["--record", "2026.12", "--answers-only"], "--record keeps whole audits"),
        (["--record", "2026.12", "--distribution", "standard"], "--record keeps whole audits"),
    ],
)
def test_what_is_not_a_whole_audit_of_the_release_is_not_recorded(audit, arguments, said):
    done, path = audit("8p_GEMM", *arguments)
    assert done.exit_code == 2
    assert said in done.stderr
    assert not path.exists()
