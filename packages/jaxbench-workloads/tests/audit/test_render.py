import json
from datetime import UTC, datetime

import pytest

from jaxbench_harness.environment import current_environment
from jaxbench_harness.records import WorkloadRef
from jaxbench_workloads.audit.render import FORMATS, complaints, summary_line
from jaxbench_workloads.audit.report import (
    AuditReport,
    Finding,
    Kind,
    Margin,
    Outcome,
    OutputStatistics,
    WorkloadAudit,
)


def finding(answer, outcome, label=""):
    return Finding(
        kind=Kind.MUTANT, answer=answer, outcome=outcome, draws=1, caught_by={}, error=0.5, noise=0.25, label=label
    )


def audited(workload_id, worst=0.5):
    return WorkloadAudit(
        workload=WorkloadRef(id=workload_id, version=2, digest="0" * 64),
        size="check",
        seeds=(0,),
        scope="full",
        statistics=(
            OutputStatistics(
                distribution="standard",
                least=-1,
                greatest=3,
                mean=0.5,
                std=2,
                zeros=0.25,
                entropy_bits=8,
                noise=0.003,
                noise_smallest=0.002,
            ),
        ),
        findings=(
            finding("max 1 skipped", Outcome.REJECTED),
            finding("add 1 skipped", Outcome.ACCEPTED),
            finding("mul 1 skipped", Outcome.ACCEPTED, "because | of <b>reasons</b>"),
        ),
        margins=(Margin(answer="float32", worst=worst, metric="rms", distribution="standard", seed=0),),
    )


REPORT = AuditReport(
    created_at=datetime(2026, 12, 1, tzinfo=UTC),
    environment=current_environment(),
    audits=(audited("8p_GEMM"), audited("12p_RMSNorm", worst=float("inf"))),
    skipped={"2p_GQA_Attention": "needs about 60 GiB, the limit is 20 GiB"},
)


@pytest.mark.parametrize("suffix", FORMATS)
def test_reports_have_every_workload_and_every_answer_that_passed(suffix):
    text = FORMATS[suffix](REPORT)
    for wanted in ("8p_GEMM", "12p_RMSNorm", "2p_GQA_Attention", "needs about 60 GiB", "add 1 skipped"):
        assert wanted in text
    if suffix != ".json":
        assert "max 1 skipped" not in text, "what was rejected is counted, not listed"


def test_json_reports_are_read_back():
    assert AuditReport.model_validate_json(FORMATS[".json"](REPORT)) == REPORT
    assert json.loads(FORMATS[".json"](REPORT))["audits"][1]["margins"][0]["worst"] == "Infinity"


def test_tables_survive_bars_and_markup_in_a_reason():
    row = next(line for line in FORMATS[".md"](REPORT).splitlines() if line.startswith("| mul 1 skipped"))
    assert row.endswith("| because \\| of &lt;b>reasons&lt;/b> |")
    html = FORMATS[".html"](REPORT)
    assert "<b>reasons" not in html
    assert "&lt;b&gt;reasons" in html


def test_summary_and_complaints_name_what_is_wrong():
    first, second = REPORT.audits
    assert summary_line(first).startswith(
        "8p_GEMM: NOT CLEAN; 1 rejected, 0 equivalent, 0 below noise, 1 labelled, 1 accepted"
    )
    assert list(complaints(first)) == ["accepted: add 1 skipped (error 0.5, noise 0.25)"]
    assert list(complaints(second))[1] == "refused: float32 (rms at inf of its limit, standard inputs, seed 0)"
