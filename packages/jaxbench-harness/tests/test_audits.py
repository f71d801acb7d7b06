"""Audits that a release keeps, and what `jaxbench show` makes of them and of published times."""

import json
import math
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from jaxbench_harness import registry
from jaxbench_harness.cli.show_workload import audit_lines
from jaxbench_harness.cli.workload_documents import ShowDocument
from jaxbench_harness.digests import workload_digest
from jaxbench_harness.published import PublishedTime, PublishedTimes
from jaxbench_harness.releases import AuditSummary, ReleaseError, freeze, load_release, record_audits

SUMMARY = AuditSummary(
    digest="a" * 64,
    size="check",
    seeds=20,
    rejected=60,
    equivalent=2,
    below_noise=3,
    labelled=("dot_general 2 accumulated in bfloat16: errs by one noise floor",),
    accepted=0,
    honest_share=0.5,
    noise_low=0.001,
    noise_high=0.002,
)


@pytest.fixture
def load(tmp_path, workload, monkeypatch):
    """Loads a release from a folder of the test and registers it alone."""

    def load(*workloads, name="2026.1"):
        release = load_release(
            name,
            label="a test",
            failure_proof=True,
            workloads=workloads or (workload,),
            packages=("jaxbench-harness",),
            folder=tmp_path,
        )
        monkeypatch.setattr(registry, "all_releases", lambda: {name: release})
        return release

    return load


def recorded(load, **summaries):
    freeze(load(), replace=True)
    record_audits(load().path, summaries)
    return load()


def test_a_release_without_audits_has_none(load):
    assert load().audits == {}


def test_audits_lie_beside_the_manifest_and_are_merged(load):
    release = recorded(load, a=SUMMARY, b=SUMMARY)
    assert release.audits == {"a": SUMMARY, "b": SUMMARY}
    other = SUMMARY.model_copy(update={"accepted": 1, "honest_share": math.inf})
    path = record_audits(release.path, {"b": other, "c": SUMMARY})
    assert path == release.path.with_name("2026.1.audit.json")
    assert load().audits == {"a": SUMMARY, "b": other, "c": SUMMARY}
    assert sorted(file.name for file in path.parent.iterdir()) == ["2026.1.audit.json", "2026.1.json"]


def test_audits_are_written_whole_or_not_at_all(load, monkeypatch):
    path = recorded(load, a=SUMMARY).path.with_name("2026.1.audit.json")
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(ReleaseError, match=r"cannot write .*2026\.1\.audit\.json: No space left on device"):
        record_audits(load().path, {"b": SUMMARY})
    assert path.read_bytes() == before


def test_a_file_of_audits_that_is_not_valid_is_refused_in_one_line(load):
    path = recorded(load, a=SUMMARY).path.with_name("2026.1.audit.json")
    document = json.loads(path.read_text())
    document["audits"]["a"]["rejected"] = -1
    path.write_text(json.dumps(document))
    with pytest.raises(ReleaseError, match=r"not a valid file of audits: audits\.a\.rejected: Input should be"):
        load()


@pytest.mark.parametrize(
    ("change", "clean"), [({}, True), ({"accepted": 1}, False), ({"honest_share": 1.01}, False)], ids=str
)
def test_clean_is_nothing_accepted_and_nothing_honest_refused(change, clean):
    assert SUMMARY.model_copy(update=change).clean == clean


def test_show_has_the_releases_that_hold_the_workload_and_their_audit(load, workload):
    audited = SUMMARY.model_copy(update={"digest": workload_digest(workload)})
    recorded(load, scaled_product=audited)
    document = ShowDocument.of(workload)
    assert [(one.name, one.status) for one in document.releases] == [("2026.1", "draft")]
    assert (document.audit.release, document.audit.stale, document.audit.summary) == ("2026.1", False, audited)
    assert audit_lines(document.audit) == [
        "audit in release 2026.1, size check, 20 seeds: clean",
        "  wrong answers: 60 rejected, 2 equivalent, 3 below noise, 1 labelled, 0 accepted",
        "  honest answers use at most 0.50 of a limit",
        "  noise of the native reference: 0.001 to 0.002",
        "  let pass: dot_general 2 accumulated in bfloat16: errs by one noise floor",
    ]
    changed = ShowDocument.of(replace(workload, version=3))
    assert (changed.releases, changed.audit) == ((), None)


def test_show_calls_the_audit_of_another_state_stale(load, workload):
    recorded(load, scaled_product=SUMMARY)
    audit = ShowDocument.of(workload, "2026.1").audit
    assert (audit.stale, audit.summary) == (True, None)
    (line,) = audit_lines(audit)
    assert "stale" in line


@pytest.mark.parametrize(
    ("version", "matches", "comparable"), [(2, True, True), (1, True, False), (2, False, False)], ids=str
)
def test_a_published_time_has_a_bound_fraction_only_where_it_compares(load, workload, version, matches, comparable):
    load()
    times = PublishedTimes(
        target="v6e",
        version=version,
        xla=PublishedTime(time_ns=2e3, matches=matches, note="other inputs"),
        expert=PublishedTime(time_ns=1e3, matches=True, note=""),
        source="a paper",
    )
    document = ShowDocument.of(replace(workload, published=times))
    xla, expert = document.published
    bound_ns = document.bounds["v6e"].time_ns
    assert xla.comparable == comparable
    assert xla.bound_fraction == (bound_ns / 2e3 if comparable else None)
    assert expert.bound_fraction == (bound_ns / 1e3 if version == 2 else None)
    assert xla.note == ("version 1 was timed; other inputs" if version == 1 else "other inputs")
    assert document.published_source == "a paper"


@pytest.mark.parametrize("wrap", [lambda function: function, partial], ids=["function", "partial"])
def test_show_has_the_source_of_the_reference(load, workload, wrap):
    load()
    document = ShowDocument.of(replace(workload, reference=wrap(workload.reference)))
    assert document.source.startswith("def scaled_product(x, y, scale, *, K):\n    return")
    assert document.reference.endswith("conftest.scaled_product")
